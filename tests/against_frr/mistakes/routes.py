"""Mistakes of static routes, hosts, VRFs and redistribution."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from tests.against_frr import changes
from tests.against_frr.mistakes.choices import network_of, router_with, with_hosts
from tests.against_frr.mistakes.registry import Faulty, MakeMistake, mistake

# --- static routes ----------------------------------------------------------------------------------------------------


def _static(via: Callable[[Topology, Router], str]) -> MakeMistake:
    """Another next hop of the first route of a router; empty if the router has no place for it."""

    def make(random: Random, topology: Topology) -> Faulty | None:
        router = router_with(topology, random, "static_routes")
        if router is None or router.static_routes[0].prefix.version == 6:
            return None
        address = via(topology, router)
        if not address:
            return None
        rows = [row.model_dump(exclude_unset=True) for row in router.static_routes]
        rows[0] = {**rows[0], "via": address}
        return Faulty(changes.change_router(topology, router.name, static_routes=rows), frozenset({router.name}))

    return make


def _free_address(topology: Topology, router: Router) -> str:
    addresses = [a for _, end in topology.ends_at(router.name) for a in end.addresses if a.network.prefixlen < 29]
    return str(addresses[0].network[-2]) if addresses else ""


mistake("static next hop that nobody has", "static", "no-gateway", "static_routes")(_static(_free_address))
mistake("static next hop in no network", "static", "far-gateway", "static_routes")(_static(lambda *_: "203.0.113.1"))
mistake("static next hop of its own", "static", "own-gateway", "static_routes")(
    _static(lambda _, router: str(router.loopbacks[0].ip))
)
mistake("static mixed families", "static", "mixed-route", "static_routes")(_static(lambda *_: "fd00:1::1"))


def _in_the_middle(change: Callable[[dict[str, Any], str], list[dict[str, Any]]]) -> MakeMistake:
    """A change of the route of a router in the middle of a path. `change` gets the route and the address of the
    previous router, and returns the routes that replace it."""

    def make(random: Random, topology: Topology) -> Faulty | None:
        places = []
        for router in topology.routers:
            for route in router.static_routes:
                ends = (end for link, _ in topology.ends_at(router.name) for end in link.ends)
                lans = [other for other in topology.nodes if other.kind == "bridge"]
                owner = next((e.node for e in ends if any(a.ip == route.via for a in e.addresses)), "")
                if lans or not owner or owner == router.name:
                    continue
                following = changes.router_of(topology, owner)
                if any(row.prefix == route.prefix for row in following.static_routes):
                    places.append((router, route, following))
        if not places:
            return None
        router, route, following = random.choice(places)
        link = next(
            link for link, end in topology.ends_at(following.name) if any(a.ip == route.via for a in end.addresses)
        )
        end = link.a if link.a.node == router.name else link.b
        back = next(str(a.ip) for a in end.addresses if a.version == route.prefix.version)
        rows: list[dict[str, Any]] = []
        for row in following.static_routes:
            fields = row.model_dump(exclude_unset=True)
            rows += change(fields, back) if row.prefix == route.prefix else [fields]
        changed = changes.change_router(topology, following.name, static_routes=rows)
        return Faulty(changed, frozenset({following.name}))

    return make


mistake("static route back to the previous router", "static", "route-loop", "static_routes")(
    _in_the_middle(lambda row, back: [{**row, "via": back}])
)
mistake("static route missing in the middle of a path", "static", "dead-end", "static_routes")(
    _in_the_middle(lambda row, back: [])
)

# --- hosts ------------------------------------------------------------------------------------------------------------


def _default_route(kind: str, address: str) -> MakeMistake:
    """Two hosts behind a router, the first of them with a wrong default route."""

    def make(random: Random, topology: Topology) -> Faulty | None:
        del topology
        number = random.randint(1, 200)
        via = address.format(number)
        nodes: dict[str, dict[str, Any]] = {"h1": {"default_route": via}, "h2": {}, "r1": {}, "b1": {}}
        ends = {"h1": 1, "h2": 2, "r1": 9}
        links = [(f"{name} 10.{number}.0.{host}/24", "b1") for name, host in ends.items()]
        return Faulty(network_of("Hosts", nodes, links), frozenset({"h1"}))

    return make


for _name, _kind, _address in (
    ("that nobody has", "no-gateway", "10.{}.0.77"),
    ("of another host", "no-gateway", "10.{}.0.2"),
    ("of its own", "own-gateway", "10.{}.0.1"),
    ("in another network", "far-gateway", "192.0.2.{}"),
):
    mistake(f"default route {_name}", "static", _kind, "default_route")(_default_route(_kind, _address))


@mistake("static next hop that is a host", "static", "no-gateway", "static_routes")
def host_as_next_hop(random: Random, topology: Topology) -> Faulty | None:
    """A router sends packets for another network to a host."""
    router = router_with(topology, random, "static_routes")
    if router is None:
        return None
    changed = with_hosts(topology, router.name, router.name).model_copy(update={"flows": ()})
    rows = [row.model_dump(exclude_unset=True) for row in router.static_routes]
    rows.append({"prefix": "10.203.0.0/24", "via": "10.201.0.2"})
    return Faulty(changes.change_router(changed, router.name, static_routes=rows), frozenset({router.name}))


# --- VRFs -------------------------------------------------------------------------------------------------------------


def _vrf(change: Callable[[dict[str, Any], list[dict[str, Any]]], dict[str, Any]], *, least: int = 1) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        router = next(router for router in topology.routers if router.vrfs)
        rows = [row.model_dump(exclude_unset=True) for row in router.vrfs]
        if len(rows) < least:
            return None
        number = random.randrange(len(rows))
        others = [row for position, row in enumerate(rows) if position != number]
        rows[number] = change(rows[number], others)
        changed = changes.change_router(topology, router.name, vrfs=rows)
        return Faulty(changed, frozenset({router.name}))

    return make


for _name, _kind, _change, _least in (
    ("table twice", "vrf-table", lambda row, others: {**row, "table": others[0]["table"]}, 2),
    ("table of the kernel", "vrf-table", lambda row, _: {**row, "table": 254}, 1),
    ("name twice", "vrf-name", lambda row, others: {**row, "name": others[0]["name"]}, 2),
    ("name of an interface", "vrf-name", lambda row, _: {**row, "name": row["interfaces"][0]}, 1),
    ("interface that does not exist", "no-interface", lambda row, _: {**row, "interfaces": ["r1-eth99"]}, 1),
    (
        "interface twice",
        "vrf-interface",
        lambda row, others: {**row, "interfaces": [*row["interfaces"], others[0]["interfaces"][0]]},
        2,
    ),
    (
        "next hop in no network",
        "far-gateway",
        lambda row, _: {**row, "static_routes": [{"prefix": "10.203.0.0/16", "via": "203.0.113.1"}]},
        1,
    ),
):
    mistake(f"vrf {_name}", "vrfs", _kind, "vrfs")(_vrf(_change, least=_least))  # type: ignore[arg-type]

# --- redistribution ---------------------------------------------------------------------------------------------------

_FIELDS = "ospf.redistribute isis.redistribute rip.redistribute"


def _redistributing(topology: Topology) -> list[str]:
    return [name for name in ("ospf", "isis", "rip") if getattr(topology.routers[0], name)]


@mistake("redistribution through an undefined route map", "redistribution", "no-route-map no-policy-named", _FIELDS)
def undefined_map(random: Random, topology: Topology) -> Faulty | None:
    """The border router names a route map that does not exist."""
    router = topology.routers[0]
    protocol = random.choice(_redistributing(topology))
    rows = [
        {**row.model_dump(exclude_unset=True), "route_map": "MISSING"} for row in getattr(router, protocol).redistribute
    ]
    return Faulty(changes.change_protocol(topology, router.name, protocol, redistribute=rows), frozenset({router.name}))


def _redistribute(choose: Callable[[str], list[dict[str, Any]]]) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        """The border router redistributes something else; `choose` gets its protocol."""
        router = topology.routers[0]
        protocol = random.choice(_redistributing(topology))
        changed = changes.change_protocol(topology, router.name, protocol, redistribute=choose(protocol))
        return Faulty(changed, frozenset({router.name}))

    return make


mistake("redistribution of a protocol that does not run", "redistribution", "no-source", _FIELDS)(
    _redistribute(lambda _: [{"source": "bgp"}])
)
mistake("redistribution of the protocol itself", "redistribution", "foreign-source", _FIELDS)(
    _redistribute(lambda protocol: [{"source": protocol}])
)
mistake("redistribution of a source twice", "redistribution", "duplicate-source", _FIELDS)(
    _redistribute(lambda _: [{"source": "connected"}, {"source": "connected"}])
)


@mistake("redistribution in one direction only", "redistribution", "unannounced", "-")
def one_direction(random: Random, topology: Topology) -> Faulty | None:
    """A host in one domain has no route back to a host in the other one."""
    protocol, other = random.sample(_redistributing(topology), 2)
    inside = {name: next((r.name for r in topology.routers[1:] if getattr(r, name)), "") for name in (protocol, other)}
    if not all(inside.values()):
        return None
    changed = changes.change_protocol(topology, topology.routers[0].name, protocol, redistribute=[])
    changed = with_hosts(changed, inside[protocol], inside[other])
    members = (router.name for router in topology.routers if getattr(router, protocol))
    return Faulty(changed, frozenset(members))
