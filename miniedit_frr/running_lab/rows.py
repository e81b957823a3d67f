"""Routes, interfaces and queues of a lab, as rows of tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from frrlib.lab.path import REACHED, TracerouteHop
from frrlib.model.quantities import size_words
from miniedit_frr.widgets.data_table import Column

ROUTES = (
    Column("Destination", 170), Column("Via", 150), Column("Interface", 100), Column("Protocol", 90),
    Column("Metric", 70, True), Column("", 120),
)  # fmt: skip
FRR_ROUTES = (
    Column("Destination", 170), Column("Via", 150), Column("Interface", 100), Column("Protocol", 90),
    Column("Distance", 80, True), Column("Cost", 70, True), Column("Selected", 90), Column("", 150),
)  # fmt: skip
INTERFACES = (
    Column("Interface", 110), Column("State", 80), Column("Addresses", 300), Column("MAC", 150),
    Column("MTU", 70, True), Column("", 60),
)  # fmt: skip
QUEUES = (
    Column("Interface", 110), Column("Queue", 90), Column("Settings", 260), Column("Backlog", 130, True),
    Column("Sent", 180, True), Column("Dropped", 80, True), Column("", 20),
)  # fmt: skip
#: The prefix of link-local addresses, which every interface has.
_IPV6_PREFIX = "fe80:"


def routes(table: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Rows for ROUTES, one for each next hop. Routes of the protocol "kernel" without a gateway are connected
    networks."""
    rows: list[tuple[str, ...]] = []
    for route in table:
        hops = route.get("nexthops") or [route]
        protocol = "connected" if _is_connected(route) else str(route.get("protocol", ""))
        for number, hop in enumerate(hops, start=1):
            via = hop.get("via", {})
            gateway = str(hop.get("gateway") or (via.get("host", "") if isinstance(via, Mapping) else via))
            notes = [word for word in (route.get("type", ""), *route.get("flags", ()), *hop.get("flags", ()),
                                       _equal(number, len(hops))) if word]  # fmt: skip
            rows.append(
                (
                    _prefix(str(route.get("dst", ""))), gateway, str(hop.get("dev", route.get("dev", ""))),
                    protocol, str(route.get("metric", "")), ", ".join(dict.fromkeys(notes)),
                )
            )  # fmt: skip
    return rows


def frr_routes(table: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[tuple[str, ...]]:
    """Rows for FRR_ROUTES from zebra's JSON, one for each next hop. The selected route of a prefix comes first."""
    rows: list[tuple[str, ...]] = []
    for prefix, candidates in table.items():
        for route in sorted(candidates, key=lambda route: not route.get("selected")):
            hops, protocol = route.get("nexthops") or [{}], str(route.get("protocol", ""))
            is_own = protocol in ("connected", "local", "kernel")
            distance, cost = ("", "") if is_own else (str(route.get(name, "")) for name in ("distance", "metric"))
            for number, hop in enumerate(hops, start=1):
                # The kernel does not have a recursive next hop itself but the hop that it resolves to.
                lost = "" if hop.get("active", not hop) or hop.get("unreachable") else "not reachable"
                notes = (_equal(number, len(hops)), lost, "unreachable" if hop.get("unreachable") else "")
                rows.append(
                    (prefix, str(hop.get("ip", "")), str(hop.get("interfaceName", "")), protocol, distance, cost,
                     "✓" if route.get("selected") else "", ", ".join(note for note in notes if note))
                )  # fmt: skip
    return rows


def _is_connected(route: Mapping[str, Any]) -> bool:
    return route.get("protocol") == "kernel" and not {"gateway", "via", "nexthops"} & set(route)


def _prefix(destination: str) -> str:
    """A destination with its prefix length, which `ip` leaves out for a single address."""
    if "/" in destination or not destination or destination == "default":
        return destination
    return f"{destination}/{128 if ':' in destination else 32}"


def _equal(number: int, count: int) -> str:
    """The note beside one of several next hops of equal cost."""
    return f"{number} of {count} at equal cost" if count > 1 else ""


def interfaces(ports: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Rows for INTERFACES; link-local addresses come last."""
    rows: list[tuple[str, ...]] = []
    for port in ports:
        addresses = [
            f"{address['local']}/{address['prefixlen']}" for address in port.get("addr_info", ()) if "local" in address
        ]
        addresses.sort(key=lambda text: text.startswith(_IPV6_PREFIX))
        state = str(port.get("operstate", ""))
        flags = port.get("flags", ())
        label = "UP" if state == "UNKNOWN" and "UP" in flags else state
        note = "no carrier" if "NO-CARRIER" in flags else ""
        rows.append(
            (str(port.get("ifname", "")), label, ", ".join(addresses), str(port.get("address", "")),
             str(port.get("mtu", "")), note)
        )  # fmt: skip
    return rows


def queues(qdiscs: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[tuple[str, ...]]:
    """Rows for QUEUES: every queueing discipline of both ends, the root of each first."""
    rows: list[tuple[str, ...]] = []
    for interface, disciplines in qdiscs.items():
        for queue in disciplines:
            backlog = f"{queue.get('qlen', 0)} packets, {size_words(queue.get('backlog', 0))}"
            sent = f"{queue.get('packets', 0)} packets, {size_words(queue.get('bytes', 0))}"
            kind = str(queue.get("kind", ""))
            rows.append((interface, kind, _settings(queue), backlog, sent, str(queue.get("drops", 0)), ""))
    return rows


def _settings(queue: Mapping[str, Any]) -> str:
    """A queue's settings in words, without values that `tc` derives itself."""
    options, kind = queue.get("options") or {}, queue.get("kind", "")
    words = []
    for name, value in options.items():
        if name == "rate":
            words.append(rate(float(value.get("rate", 0) if isinstance(value, Mapping) else value)))
        elif name == "burst":
            words.append(f"burst {size_words(value)}")
        elif name == "limit":
            words.append(f"limit {size_words(value) if kind in ('bfifo', 'tbf') else f'{value} packets'}")
        elif name == "delay" and isinstance(value, Mapping):
            words.append(f"delay {value.get('delay', 0) * 1e3:g} ms")
            words += [f"jitter {value['jitter'] * 1e3:g} ms"] if value.get("jitter") else []
        elif name == "loss-random" and isinstance(value, Mapping):
            words.append(f"loss {value.get('loss', 0) * 100:g} %")
    return ", ".join(words)


def rate(bytes_per_s: float) -> str:
    """A rate, which `tc` prints in bytes per second, in Mbit/s."""
    return f"{bytes_per_s * 8 / 1e6:g} Mbit/s"


def hops(trace: Sequence[TracerouteHop]) -> list[tuple[str, ...]]:
    """Rows for the hops of a traceroute."""
    return [
        (str(hop.ttl), hop.node or ("?" if hop.address else "no answer"), hop.address,
         f"{hop.rtt_ms:.3g} ms" if hop.rtt_ms is not None else "", "" if hop.said == REACHED else hop.said)
        for hop in trace
    ]  # fmt: skip
