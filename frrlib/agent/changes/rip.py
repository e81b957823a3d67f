"""Routes of RIP through addresses that a change of the lab has removed.

A RIP router whose address changes does not withdraw its routes from the old one. Its neighbors keep these until they
time out, after 180 s by default, and prefer them to the equal routes from the new address. Packets are lost meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress

from frrlib.agent.network.nodes import FrrRouter
from frrlib.errors import CommandFailed
from frrlib.wire.plan import Plan

_ROUTES = "show ip route rip json"


def removed_addresses(before: Plan, after: Plan) -> set[str]:
    """The addresses of interfaces, without prefix lengths, that only the first plan has."""
    return _addresses(before) - _addresses(after)


def _addresses(plan: Plan) -> set[str]:
    return {address.partition("/")[0] for link in plan.links for end in (link.a, link.b) for address in end.addresses}


def forget_routes(routers: Iterable[FrrRouter], gone: set[str]) -> None:
    """Remove the routes of RIP through addresses that are gone: RIP starts again at the interfaces of these routes, and
    requests all routes of its neighbors there. Its routes through other interfaces stay. An interface at which RIP runs
    because of the network of its address waits for the timeout.
    """
    for router in routers:
        if not gone or "ripd" not in router.frr.running():
            continue
        with suppress(OSError, CommandFailed):
            for interface in interfaces_towards(router.frr.ask("zebra", _ROUTES), gone):
                router.frr.configure("ripd", ("router rip", f"no network {interface}", f"network {interface}"))


def interfaces_towards(routes: str, gone: set[str]) -> list[str]:
    """The interfaces of routes with these next hops. `routes` is the reply to "show ip route rip json"."""
    try:
        entries = [entry for entries in json.loads(routes).values() for entry in entries]
    except ValueError:
        return []
    hops = [hop for entry in entries for hop in entry.get("nexthops", ()) if hop.get("ip") in gone]
    return sorted({str(hop["interfaceName"]) for hop in hops if "interfaceName" in hop})
