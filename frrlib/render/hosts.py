"""TCP settings and routes for a host's kernel, and their read-back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from ipaddress import ip_network
from typing import Any

from frrlib.model.base import Address, IpAddress
from frrlib.model.links import End, Shape
from frrlib.model.nodes import Host
from frrlib.model.tcp import BUFFER_PER_DATA, TcpTuning
from frrlib.model.topology import Topology
from frrlib.prediction.flow_paths import departure, gateways_of, largest_bdp_bytes
from frrlib.render.tc import Qdisc
from frrlib.wire.plan import NodePlan, Plan, RoutePlan, VlanPlan
from frrlib.wire.replies import BuildReply, KernelSettings

#: Least and usual bytes of a socket's buffer, as kernels have them.
_LEAST_BYTES = 4096
_RECEIVE_BYTES, _SEND_BYTES = 131_072, 16_384
_MOST_BYTES = 2**31 - 1
_ECN = {"off": "0", "on": "1", "answer": "2"}

#: IP version and host to the address of the first router of its first network.
Defaults = Mapping[int, Mapping[str, IpAddress]]


def tcp_sysctls(topology: Topology, host: Host) -> dict[str, str]:
    """Settings of the host's kernel that its TCP asks for, by key; those that it leaves alone are not there."""
    tcp = host.tcp
    asked = {
        "tcp_congestion_control": host.congestion_control or None,
        "tcp_ecn": _ECN[tcp.ecn] if tcp.ecn is not None else None,
        "tcp_sack": _flag(tcp.sack),
        "tcp_slow_start_after_idle": _flag(tcp.slow_start_after_idle),
        "tcp_notsent_lowat": str(tcp.notsent_lowat_bytes) if tcp.notsent_lowat_bytes is not None else None,
        "tcp_no_metrics_save": "0" if tcp.saves_metrics else None,
        **_buffers(buffer_bytes(topology, host)),
    }
    return {f"net.ipv4.{key}": value for key, value in asked.items() if value is not None}


def buffer_bytes(topology: Topology, host: Host) -> int | None:
    """The most that a socket's buffers grow to, as the kernel counts; None for the kernel's own."""
    if host.tcp.buffer_bdp is None:
        return host.tcp.buffer_bytes
    product = largest_bdp_bytes(topology, host.name)
    if product is None:
        return None
    return min(_MOST_BYTES, max(_LEAST_BYTES, round(BUFFER_PER_DATA * host.tcp.buffer_bdp * product)))


def pacing_qdiscs(topology: Topology, sender: End, shape: Shape) -> tuple[Qdisc, ...]:
    """`fq` at an interface of a host that paces and has no queue of the link there."""
    host = topology.node(sender.node)
    if not isinstance(host, Host) or not host.tcp.pacing or shape.rate_mbit is not None or shape.qdiscs:
        return ()
    return (Qdisc(sender.interface, "root", "f:", "fq", "", {}),)


def is_told(topology: Topology, host: Host) -> bool:
    """Whether the host's TCP is told anything, so that it is read back."""
    ends = any(end.congestion_control for _, end in topology.ends_at(host.name))
    return ends or bool(host.congestion_control) or host.tcp != TcpTuning()


def vlans(topology: Topology, host: Host) -> Iterator[VlanPlan]:
    """VLAN interfaces on the host's first interface."""
    first = next((end.interface for _, end in topology.ends_at(host.name)), "")
    for vlan in host.vlan_interfaces if first else ():
        yield VlanPlan(first, vlan.vlan_id, (str(vlan.address),))


def routes(topology: Topology, host: Host, defaults: Defaults) -> Iterator[RoutePlan]:
    """Networks of interfaces whose TCP is told something, then the default routes: as the host says, and of the other
    family to the first router of its first network."""
    for number, (_, end) in enumerate(topology.ends_at(host.name)):
        metrics = _metrics(host, end)
        if not metrics:
            continue
        yield from _connected(end.interface, end.addresses, metrics)
        for vlan in vlans(topology, host) if number == 0 else ():
            name = f"{vlan.interface}.{vlan.vlan_id}"
            own = tuple(each.address for each in host.vlan_interfaces if each.vlan_id == vlan.vlan_id)
            yield from _connected(name, own, metrics)
    for version, gateway in gateways_of(host, defaults).items():
        place = departure(topology, host, gateway, None)
        metrics = _metrics(host, place[1]) if place is not None else {}
        yield RoutePlan("0.0.0.0/0" if version == 4 else "::/0", str(gateway), **metrics)


def _connected(interface: str, addresses: tuple[Address, ...], metrics: Mapping[str, Any]) -> Iterator[RoutePlan]:
    seen = set()
    for address in addresses:
        network = address.network
        if network in seen or (network.version == 4 and network.prefixlen == 32):
            continue  # the kernel makes no second route, and none to an address alone
        seen.add(network)
        source = str(address.ip) if address.version == 4 else ""
        yield RoutePlan(str(network), interface=interface, source=source, **metrics)


def _metrics(host: Host, end: End) -> dict[str, Any]:
    asked = {
        "congestion_control": end.congestion_control,
        "initial_window_packets": host.tcp.initial_window_packets,
        "initial_receive_window_packets": host.tcp.initial_receive_window_packets,
    }
    return {name: value for name, value in asked.items() if value}


def _flag(value: bool | None) -> str | None:
    return None if value is None else str(int(value))


def _buffers(most: int | None) -> dict[str, str]:
    if most is None:
        return {}
    usual = {"tcp_rmem": _RECEIVE_BYTES, "tcp_wmem": _SEND_BYTES}
    return {key: f"{_LEAST_BYTES} {min(each, most)} {most}" for key, each in usual.items()}


# --- what the kernel says ---------------------------------------------------------------------------------------------


def host_differences(plan: Plan, built: BuildReply) -> list[str]:
    """How the kernels' read-back of settings and routes differs from the plan; one sentence each.

    Args:
        built: the result of `wire.Build`.
    """
    told = built["kernels"]
    # Routes out of an interface that is down come with it.
    down = {end.node for link in plan.links if not link.up for end in (link.a, link.b)}
    return [
        f"{node.name}: {text}"
        for node in plan.nodes
        if node.read_back
        for text in _node_differences(node, told.get(node.name, {}), node.name in down)
    ]


def _node_differences(node: NodePlan, told: KernelSettings, may_miss: bool) -> Iterator[str]:
    settings = told.get("sysctls", {})
    for key, asked in node.sysctls.items():
        found = settings.get(key, "")
        if found.split() != asked.split():
            yield f"{key} is {' '.join(found.split()) or 'not there'}, asked was {asked}"
    there = [_said(route) for route in told.get("routes", ())]
    for asked_route in node.routes:
        if not asked_route.has_metrics:
            continue
        wanted = _said(asked_route)
        same = [said for said in there if said[0] == wanted[0] and wanted[1] in ("", said[1]) and said[2] == wanted[2]]
        if not (may_miss and not same) and not any(said[3:] == wanted[3:] for said in same):
            found = "; ".join(_words(said) for said in same) or "not there"
            yield f"the route {_words(wanted)} is {found}"


_ROUTE_FIELDS = (
    "prefix", "interface", "via", "congestion_control", "initial_window_packets", "initial_receive_window_packets",
)  # fmt: skip


def _said(route: RoutePlan) -> tuple[Any, ...]:
    """The fields of a route that are compared."""
    prefix = route.prefix
    with suppress(ValueError):  # the lab's word, which may be any
        prefix = str(ip_network(prefix))
    return (prefix, *(getattr(route, name) for name in _ROUTE_FIELDS[1:]))


def _words(said: tuple[Any, ...]) -> str:
    names = ("", "dev", "via", "congctl", "initcwnd", "initrwnd")
    return " ".join(f"{name} {value}".strip() for name, value in zip(names, said, strict=True) if value)
