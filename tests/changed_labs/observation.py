"""The state of a lab that two labs of the same topology share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from frrlib.conf.changes import difference
from frrlib.lab.lab import Lab

#: By node: its interfaces, routes, queueing disciplines and system settings.
KernelState: TypeAlias = dict[str, dict[str, Any]]
#: By router: the running configuration of FRR.
Configurations: TypeAlias = dict[str, str]

_SETTINGS = (
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_ecn",
    "net.ipv4.ip_forward",
    "net.ipv6.conf.all.forwarding",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
)
_READ = f"ip -j address; ip -j route; ip -j -6 route; tc -j qdisc; sysctl -n {' '.join(_SETTINGS)}"
#: A device that the kernel makes when PIM starts and keeps afterwards.
_LASTING_DEVICES = {"pimreg"}
#: Counters among the options of a queueing discipline.
_COUNTERS = {"direct_packets_stat"}


def kernel_state(lab: Lab) -> KernelState:
    """The state of the kernel in each node, as `ip`, `tc` and `sysctl` print it."""
    values = {node.name: _values(lab[node.name].run("sh", "-c", _READ)) for node in lab.topology.nodes}
    names = {
        address["local"]: f"{node}:{entry['ifname']}"
        for node, (addresses, *_) in values.items()
        for entry in addresses
        for address in entry["addr_info"]
        if _is_link_local(address["local"])
    }
    return {node: _state_of(node, *parts, names) for node, parts in values.items()}


def configurations(lab: Lab) -> Configurations:
    """The running configuration of each FRR router."""
    return {name: config.now for name, config in lab.running_configs().items()}


def kernel_differences(present: KernelState, expected: KernelState) -> Iterator[str]:
    """One line for each difference between the kernels of two labs."""
    for node in sorted(present.keys() ^ expected.keys()):
        yield f"{node} is in {'the changed lab' if node in present else 'the new lab'} only"
    for node in sorted(present.keys() & expected.keys()):
        for aspect, value in present[node].items():
            if value != expected[node][aspect]:
                yield f"{node}: {aspect} are {value}, not {expected[node][aspect]}"


def configuration_differences(present: Configurations, expected: Configurations) -> Iterator[str]:
    """One line for each difference between the running configurations of two labs."""
    for router in sorted(present.keys() | expected.keys()):
        for change in difference(present.get(router, ""), expected.get(router, "")):
            yield f"{router}: configuration: {change}"


def _values(text: str) -> tuple[Any, Any, Any, Any, str]:
    """The addresses, IPv4 routes, IPv6 routes and queueing disciplines of a node, and the text of its settings."""
    decoder, values = json.JSONDecoder(), []
    for _ in range(4):
        value, length = decoder.raw_decode(text := text.strip())
        values.append(value)
        text = text[length:]
    addresses, ipv4_routes, ipv6_routes, qdiscs = values
    return addresses, ipv4_routes, ipv6_routes, qdiscs, text


def _state_of(
    node: str, addresses: Any, ipv4_routes: Any, ipv6_routes: Any, qdiscs: Any, settings: str, names: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "interfaces": {
            entry["ifname"]: (
                entry["mtu"],
                # a bridge that has lost its last port is DOWN, one that never had a port is UNKNOWN
                entry["operstate"] if entry["ifname"] != node else "",
                sorted(
                    f"{address['local']}/{address['prefixlen']}"
                    for address in entry["addr_info"]
                    if not _is_link_local(address["local"])
                ),
            )
            for entry in addresses
            if entry["ifname"] not in _LASTING_DEVICES
        },
        "routes": sorted(_route(route, names) for route in (*ipv4_routes, *ipv6_routes) if _lasts(route)),
        "qdiscs": sorted(
            (entry["dev"], entry["kind"], entry.get("parent", ""), _options(entry.get("options") or {}))
            for entry in qdiscs
            if entry["kind"] != "noqueue"
        ),
        "settings": dict(zip(_SETTINGS, settings.strip().splitlines(), strict=True)),
    }


def _options(options: dict[str, Any]) -> str:
    return json.dumps({name: value for name, value in options.items() if name not in _COUNTERS}, sort_keys=True)


def _route(route: dict[str, Any], names: Mapping[str, str]) -> tuple[Any, ...]:
    """A route. The interface of a neighbor stands for its link-local address, which differs from lab to lab."""
    hops = [
        (names.get(gateway, gateway), hop.get("dev", ""))
        for hop in route.get("nexthops") or [route]
        for gateway in [hop.get("gateway", "")]
    ]
    return str(route["dst"]), str(route["protocol"]), str(route.get("metric", "")), sorted(hops)


def _lasts(route: dict[str, Any]) -> bool:
    """Whether a route belongs to the topology: link-local and multicast ones come and go with interfaces."""
    return not str(route["dst"]).startswith(("fe80", "ff00"))


def _is_link_local(address: str) -> bool:
    return address.startswith("fe80")
