"""Settings of planned interfaces and routes as netlink requests."""

from __future__ import annotations

import socket

from frrlib.agent.network import rtnetlink
from frrlib.agent.network.netlink import Message
from frrlib.wire.plan import InterfacePlan, RoutePlan


def neighbor_requests(index: int, name: str, plan: InterfacePlan, probes: int = 0) -> list[Message]:
    """The requests that set the number of neighbor probes of a planned interface, or of a VLAN on it.

    Args:
        probes: the number; 0 for that of the plan.
    """
    probes = probes or plan.neighbor_probes
    if not probes:
        return []
    has_ipv6 = not 0 < plan.mtu_bytes < rtnetlink.LEAST_IPV6_MTU_BYTES
    families = (socket.AF_INET, socket.AF_INET6) if has_ipv6 else (socket.AF_INET,)
    return [rtnetlink.neighbor_probes(index, name, family, probes) for family in families]


def route_request(route: RoutePlan, index: int) -> Message:
    """The request for a route of the plan; `index` is that of its interface, if it names one."""
    windows = route.initial_window_packets, route.initial_receive_window_packets
    metrics = rtnetlink.tcp_metrics(route.congestion_control, *windows)
    if route.via:
        return rtnetlink.add_route(route.prefix, route.via, metrics)
    return rtnetlink.connected_route(route.prefix, index, route.source, metrics)
