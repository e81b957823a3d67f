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
from frrlib.render.tc import RequestedQdisc
from frrlib.wire.plan import NodePlan, Plan, RoutePlan, VlanPlan
from frrlib.wire.replies import BuildReply, KernelSettings

#: The kernel's minimum and defaults for a socket's buffers, in bytes.
_LEAST_BYTES = 4096
_RECEIVE_BYTES, _SEND_BYTES = 131_072, 16_384
_MOST_BYTES = 2**31 - 1
_ECN = {"off": "0", "on": "1", "answer": "2"}

#: The default gateway of each host, by IP version and host.
Defaults = Mapping[int, Mapping[str, IpAddress]]


def tcp_sysctls(topology: Topology, host: Host) -> dict[str, str]:
    """The sysctl settings for a host's TCP, by key; unchanged settings are missing."""
    tcp = host.tcp
    settings = {
        "tcp_congestion_control": host.congestion_control or None,
        "tcp_ecn": _ECN[tcp.ecn] if tcp.ecn is not None else None,
        "tcp_sack": _flag(tcp.sack),
        "tcp_slow_start_after_idle": _flag(tcp.slow_start_after_idle),
        "tcp_notsent_lowat": str(tcp.notsent_lowat_bytes) if tcp.notsent_lowat_bytes is not None else None,
        "tcp_no_metrics_save": "0" if tcp.saves_metrics else None,
        **_buffers(buffer_bytes(topology, host)),
    }
    return {f"net.ipv4.{key}": value for key, value in settings.items() if value is not None}


def buffer_bytes(topology: Topology, host: Host) -> int | None:
    """The maximum size of a socket's buffers, as the kernel counts it; None for the kernel's default."""
    if host.tcp.buffer_bdp is None:
        return host.tcp.buffer_bytes
    product = largest_bdp_bytes(topology, host.name)
    if product is None:
        return None
    return min(_MOST_BYTES, max(_LEAST_BYTES, round(BUFFER_PER_DATA * host.tcp.buffer_bdp * product)))


def pacing_qdiscs(topology: Topology, sender: End, shape: Shape) -> tuple[RequestedQdisc, ...]:
    """`fq` at an interface of a host with pacing, unless the link's queue is there."""
    host = topology.node(sender.node)
    if not isinstance(host, Host) or not host.tcp.pacing or shape.rate_mbit is not None or shape.qdiscs:
        return ()
    return (RequestedQdisc(sender.interface, "root", "f:", "fq", "", {}),)


def has_tcp_settings(topology: Topology, host: Host) -> bool:
    """Whether any setting of the host's TCP differs from the kernel's default, so that it is read back."""
    ends = any(end.congestion_control for _, end in topology.ends_at(host.name))
    return ends or bool(host.congestion_control) or host.tcp != TcpTuning()


def vlans(topology: Topology, host: Host) -> Iterator[VlanPlan]:
    """VLAN interfaces on the host's first interface."""
    first = next((end.interface for _, end in topology.ends_at(host.name)), "")
    for vlan in host.vlan_interfaces if first else ():
        yield VlanPlan(first, vlan.vlan_id, (str(vlan.address),))


def routes(topology: Topology, host: Host, defaults: Defaults) -> Iterator[RoutePlan]:
    """The host's routes: those to networks of interfaces with TCP settings, then the default routes. The default route
    of the family that the host does not state leads to the first router of its first network."""
    for number, (_, end) in enumerate(topology.ends_at(host.name)):
        metrics = _metrics(host, end)
        if not metrics:
            continue
        yield from _connected(end.interface, end.addresses, metrics)
        for vlan in vlans(topology, host) if number == 0 else ():
            name = f"{vlan.interface}.{vlan.vlan_id}"
            addresses = tuple(
                vlan_interface.address
                for vlan_interface in host.vlan_interfaces
                if vlan_interface.vlan_id == vlan.vlan_id
            )
            yield from _connected(name, addresses, metrics)
    for version, gateway in gateways_of(host, defaults).items():
        place = departure(topology, host, gateway, None)
        metrics = _metrics(host, place[1]) if place is not None else {}
        yield RoutePlan("0.0.0.0/0" if version == 4 else "::/0", str(gateway), **metrics)


def _connected(interface: str, addresses: tuple[Address, ...], metrics: Mapping[str, Any]) -> Iterator[RoutePlan]:
    networks = set()
    for address in addresses:
        network = address.network
        if network in networks or (network.version == 4 and network.prefixlen == 32):
            continue  # the kernel creates no second route, and none to a single address
        networks.add(network)
        source = str(address.ip) if address.version == 4 else ""
        yield RoutePlan(str(network), interface=interface, source=source, **metrics)


def _metrics(host: Host, end: End) -> dict[str, Any]:
    metrics = {
        "congestion_control": end.congestion_control,
        "initial_window_packets": host.tcp.initial_window_packets,
        "initial_receive_window_packets": host.tcp.initial_receive_window_packets,
    }
    return {name: value for name, value in metrics.items() if value}


def _flag(value: bool | None) -> str | None:
    return None if value is None else str(int(value))


def _buffers(most: int | None) -> dict[str, str]:
    if most is None:
        return {}
    usual = {"tcp_rmem": _RECEIVE_BYTES, "tcp_wmem": _SEND_BYTES}
    return {key: f"{_LEAST_BYTES} {min(default, most)} {most}" for key, default in usual.items()}


# --- read-back --------------------------------------------------------------------------------------------------------


def host_differences(plan: Plan, built: BuildReply) -> list[str]:
    """The kernels' deviations from the plan in settings and routes, one sentence each.

    Args:
        built: the result of `wire.Build`.
    """
    kernels = built["kernels"]
    # Routes through an interface that is down appear when it comes up.
    down = {end.node for link in plan.links if not link.up for end in (link.a, link.b)}
    return [
        f"{node.name}: {text}"
        for node in plan.nodes
        if node.read_back
        for text in _node_differences(node, kernels.get(node.name, {}), node.name in down)
    ]


def _node_differences(node: NodePlan, kernel: KernelSettings, may_miss: bool) -> Iterator[str]:
    settings = kernel.get("sysctls", {})
    for key, requested in node.sysctls.items():
        actual = settings.get(key, "")
        if actual.split() != requested.split():
            yield f"{key} is {' '.join(actual.split()) or 'not there'}, asked was {requested}"
    kernel_routes = [_compared_fields(route) for route in kernel.get("routes", ())]
    for asked_route in node.routes:
        if not asked_route.has_metrics:
            continue
        requested_fields = _compared_fields(asked_route)
        candidates = [
            route_fields
            for route_fields in kernel_routes
            if route_fields[0] == requested_fields[0]
            and requested_fields[1] in ("", route_fields[1])
            and route_fields[2] == requested_fields[2]
        ]
        if not (may_miss and not candidates) and not any(
            route_fields[3:] == requested_fields[3:] for route_fields in candidates
        ):
            actual = "; ".join(_route_text(route_fields) for route_fields in candidates) or "not there"
            yield f"the route {_route_text(requested_fields)} is {actual}"


_ROUTE_FIELDS = (
    "prefix", "interface", "via", "congestion_control", "initial_window_packets", "initial_receive_window_packets",
)  # fmt: skip


def _compared_fields(route: RoutePlan) -> tuple[Any, ...]:
    """The fields of a route that are compared."""
    prefix = route.prefix
    with suppress(ValueError):  # the reply comes from the lab and may be any text
        prefix = str(ip_network(prefix))
    return (prefix, *(getattr(route, name) for name in _ROUTE_FIELDS[1:]))


def _route_text(fields: tuple[Any, ...]) -> str:
    names = ("", "dev", "via", "congctl", "initcwnd", "initrwnd")
    return " ".join(f"{name} {value}".strip() for name, value in zip(names, fields, strict=True) if value)
