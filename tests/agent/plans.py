"""Plans of labs, written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from frrlib.wire import plan
from frrlib.wire.plan import FrrPlan, InterfacePlan, LinkPlan, NodePlan, Plan

FORWARDING = {"net.ipv4.ip_forward": "1", "net.ipv6.conf.all.forwarding": "1"}


def interface(node: str, number: int, *addresses: str, tc: tuple[str, ...] = (), mac: str = "") -> InterfacePlan:
    """The interface NODE-ethNUMBER."""
    return InterfacePlan(node, f"{node}-eth{number}", addresses, tc=tc, mac=mac)


def host(name: str, *gateways: str, **settings: Any) -> NodePlan:
    """A host with a default route via each gateway."""
    routes = [plan.RoutePlan("::/0" if ":" in gateway else "0.0.0.0/0", gateway) for gateway in gateways]
    return NodePlan(name, "host", routes=tuple(routes), **settings)


def router(name: str, parts: Mapping[str, str], **settings: Any) -> NodePlan:
    """A router with the given part of the configuration for each daemon."""
    head = f"frr defaults traditional\nhostname {name}\n!\n"
    files = {f"{daemon}.conf": head + text for daemon, text in {"zebra": "", **parts}.items()}
    files["frr.conf"] = head + "".join(parts.values())
    settings.setdefault("sysctls", FORWARDING)
    return NodePlan(name, "router", frr=FrrPlan(("zebra", *parts), files), **settings)


def bgp(asn: int, peer: str, peer_asn: int, *networks: str) -> str:
    """bgpd's configuration: one neighbor, some networks."""
    lines = [f"router bgp {asn}", " no bgp ebgp-requires-policy", " coalesce-time 0"]
    lines += [f" neighbor {peer} remote-as {peer_asn}", f" neighbor {peer} timers connect 1"]
    v4 = [f"  network {network}" for network in networks if ":" not in network]
    v6 = [f"  network {network}" for network in networks if ":" in network]
    lines += [" address-family ipv4 unicast", *v4, " exit-address-family"]
    if v6:
        lines += [" address-family ipv6 unicast", f"  neighbor {peer} activate", *v6, " exit-address-family"]
    return "\n".join([*lines, "exit", "!", ""])


def ospf(*interfaces: str) -> str:
    """ospfd's configuration: these interfaces in area 0, with the shortest timers."""
    lines: list[str] = []
    for name in interfaces:
        lines += [f"interface {name}", " ip ospf area 0"]
        lines += [" ip ospf network point-to-point"] if name != "lo" else []
        lines += [" ip ospf dead-interval minimal hello-multiplier 4", "exit", "!"]
    return "\n".join(
        [
            *lines,
            "router ospf",
            " timers throttle spf 0 50 500",
            " timers throttle lsa all 0",
            " timers lsa min-arrival 0",
            "exit",
            "!",
            "",
        ]
    )


def two_as(
    tc: tuple[str, ...] = (), to_b: tuple[str, ...] = (), to_a: tuple[str, ...] = (), *, offloads: bool = True
) -> Plan:
    """h1 - r1 - r2 - h2, with an autonomous system on each side of the middle link; IPv4 and IPv6."""
    nodes = (
        host("h1", "10.1.0.1", "2001:db8:1::1", sysctls={"net.ipv4.tcp_no_metrics_save": "1"}),
        host("h2", "10.2.0.1", "2001:db8:2::1"),
        router("r1", {"bgpd": bgp(65001, "10.0.0.2", 65002, "10.1.0.0/16", "2001:db8:1::/64")}),
        router("r2", {"bgpd": bgp(65002, "10.0.0.1", 65001, "10.2.0.0/16", "2001:db8:2::/64")}),
    )
    a = interface("r1", 1, "10.0.0.1/24", "2001:db8::1/64", tc=tc)
    b = interface("r2", 1, "10.0.0.2/24", "2001:db8::2/64")
    links = (
        LinkPlan("l1", interface("h1", 0, "10.1.0.2/16", "2001:db8:1::2/64"), _edge("r1", 1)),
        LinkPlan("l2", a, b, to_b, to_a),
        LinkPlan("l3", _edge("r2", 2), interface("h2", 0, "10.2.0.2/16", "2001:db8:2::2/64")),
    )
    return Plan(nodes, tuple(_with_offloads(link, offloads) for link in links))


def _with_offloads(link: LinkPlan, offloads: bool) -> LinkPlan:
    replace = msgspec.structs.replace
    return replace(link, a=replace(link.a, offloads=offloads), b=replace(link.b, offloads=offloads))


def _edge(node: str, number: int) -> InterfacePlan:
    return interface(node, 0, f"10.{number}.0.1/16", f"2001:db8:{number}::1/64")


TWO_AS_ROUTES: dict[str, tuple[str, ...]] = {
    "r1": ("10.2.0.0/16", "2001:db8:2::/64"),
    "r2": ("10.1.0.0/16", "2001:db8:1::/64"),
}
