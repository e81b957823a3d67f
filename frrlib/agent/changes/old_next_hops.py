"""Routes through addresses that a change of the lab has removed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from ipaddress import ip_network
from typing import Any

from frrlib.agent.network.nodes import FrrRouter
from frrlib.errors import CommandFailed
from frrlib.wire.plan import Plan

_SHOW = {4: "show ip route json", 6: "show ipv6 route json"}
_TIMEOUT_S = 10.0
#: Kernel routes that do not belong to FRR.
_OTHERS = ("kernel", "boot", "ra")


def removed_addresses(before: Plan, after: Plan) -> set[str]:
    """The addresses of interfaces, without prefix lengths, that only the first plan has."""
    return _addresses(before) - _addresses(after)


def _addresses(plan: Plan) -> set[str]:
    return {address.partition("/")[0] for link in plan.links for end in (link.a, link.b) for address in end.addresses}


def forget_rip_routes(routers: Iterable[FrrRouter], gone: set[str]) -> None:
    """Have RIP start again at the interfaces of its routes through addresses that are gone: it forgets the routes, and
    requests all routes of its neighbors there. Its routes through other interfaces stay.

    A RIP router whose address changes does not withdraw its routes from the old one. Its neighbors keep these until
    they time out, after 180 s by default, and prefer them to the equal routes from the new address. Packets are lost
    meanwhile. An interface at which RIP runs because of the network of its address still waits for the timeout.
    """
    for router in routers:
        if not gone or "ripd" not in router.frr.running():
            continue
        with suppress(OSError, CommandFailed):
            for interface in rip_interfaces(router.frr.ask("zebra", _SHOW[4]), gone):
                router.frr.configure("ripd", ("router rip", f"no network {interface}", f"network {interface}"))


def rip_interfaces(routes: str, gone: set[str]) -> list[str]:
    """The interfaces of routes of RIP with these next hops. `routes` is the reply to "show ip route json"."""
    hops = [
        hop
        for entry in _entries(routes)
        if entry.get("protocol") == "rip"
        for hop in entry.get("nexthops", ())
        if hop.get("ip") in gone
    ]
    return sorted({str(hop["interfaceName"]) for hop in hops if "interfaceName" in hop})


def remove_kernel_routes(routers: Iterable[FrrRouter], gone: set[str]) -> None:
    """Remove routes through addresses that are gone from the kernels, if zebra does not have them any more.

    When OSPF withdraws a route, and another protocol still has one through the same neighbor, zebra replaces the one by
    the other. The kernel rejects that if the interface has lost its address, and keeps the route of OSPF, which FRR 8.4
    never removes afterwards.
    """
    for router in routers:
        with suppress(OSError, CommandFailed):
            for version, show in _SHOW.items():
                kernel = router.run(["ip", "-j", f"-{version}", "route"], _TIMEOUT_S).stdout if gone else ""
                if any(f'"{address}"' in kernel for address in gone):
                    for route in lost_routes(kernel, router.frr.ask("zebra", show), gone):
                        router.run(["ip", f"-{version}", "route", "del", *route], _TIMEOUT_S)


def lost_routes(kernel: str, zebra: str, gone: set[str]) -> list[tuple[str, ...]]:
    """The arguments of `ip route del` for routes with these next hops that zebra has not installed.

    Args:
        kernel: the reply to "ip -j route".
        zebra: the reply to "show ip route json".
        gone: the addresses of the next hops.
    """
    if not zebra.lstrip().startswith("{"):
        return []  # zebra does not answer
    installed = {ip_network(entry["prefix"]) for entry in _entries(zebra) if entry.get("installed")}
    lost: list[tuple[str, ...]] = []
    for route in json.loads(kernel):
        hops = [hop.get("gateway", "") for hop in route.get("nexthops") or [route]]
        if route["protocol"] in _OTHERS or not gone.intersection(hops):
            continue
        any_network = "::/0" if ":" in hops[0] else "0.0.0.0/0"
        if ip_network(any_network if route["dst"] == "default" else route["dst"]) not in installed:
            lost.append((route["dst"], "proto", str(route["protocol"]), "metric", str(route.get("metric", 0))))
    return lost


def _entries(routes: str) -> Iterator[dict[str, Any]]:
    """The routes in a reply of zebra; none if it is not JSON."""
    with suppress(ValueError):
        for entries in json.loads(routes).values():
            yield from entries
