"""Rules on what all routing has in common: static routes, interfaces, redistribution, router ids."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.model.nodes import Router
from frrlib.model.problem import Problem, error, warning
from frrlib.model.protocols.common import PROTOCOLS
from frrlib.model.routing import Vrf
from frrlib.model.rules.facts import Facts, Rule, contains, has_own_lines, router_id


def static_routes(facts: Facts) -> Iterator[Problem]:
    """A static route's next hop is of its family and can be reached."""
    for router in facts.routers():
        for table in router.tables:
            yield from _static_routes(facts, router, table)


def _static_routes(facts: Facts, router: Router, table: Router | Vrf) -> Iterator[Problem]:
    """The same for one table of a router."""
    vrf = table.name if isinstance(table, Vrf) else ""
    field = "vrfs" if vrf else "static_routes"
    ends = [end for _, end in facts.ends.get(router.name, ()) if router.vrf_of(end.interface) == vrf]
    networks = [address.network for end in ends for address in end.addresses]
    own = [address.ip for address in facts.all_addresses(router)]
    for route in table.static_routes:
        if isinstance(route.via, str):
            continue  # it leads nowhere on purpose
        title = f"{route.prefix} via {route.via}" + (f" in {vrf}" if vrf else "")
        if route.prefix.version != route.via.version:
            yield error("mixed-route", router.name, field, f"{title} mixes IPv4 and IPv6")
        elif route.via in own:
            right = "the address of the next router"
            yield error("own-gateway", router.name, field, f"{title}: that is its own address", right)
        elif route.via.is_link_local:
            continue
        elif not contains(networks, route.via):
            make = warning if has_own_lines(router) or _learns(table) else error
            why = f"{title}: no interface is in the network of {route.via}"
            yield make("far-gateway", router.name, field, why, "the address of a neighbouring router")
        elif route.via not in facts.owners:
            yield warning("no-gateway", router.name, field, f"{title}: no node has that address")


def _learns(table: Router | Vrf) -> bool:
    """Whether a table may have routes that the drawing does not state, which lead to a next hop further away."""
    return any(getattr(table, protocol, None) for protocol in PROTOCOLS)


def routers_without_routes(facts: Facts) -> Iterator[Problem]:
    """Routers between routers that learn and state no route."""
    for domain in facts.domains:
        routers = [place.node for place in domain.ends if isinstance(place.node, Router)]
        for router in routers:
            if not router.runs_frr and any(other.name != router.name for other in routers):
                why = "runs no routing daemon and knows its own networks only, though another router is next to it"
                yield warning("no-routes", router.name, "", why, "OSPF, BGP or static routes")


def interfaces(facts: Facts) -> Iterator[Problem]:
    """Interfaces that settings name exist, belong to the table that they are used in, and are named once."""
    for router in facts.routers():
        links = facts.interface_names(router.name)
        for field, rows in _named(router):
            known = links if field == "bfd.peers" else ["lo", *links]
            for name in dict.fromkeys(rows):
                if name not in known:
                    right = f"one of {', '.join(known)}" if known else "link the router"
                    yield error("no-interface", router.name, field, f"has no interface {name}", right)
                elif rows.count(name) > 1 and not field.startswith("bfd"):
                    yield error("duplicate-interface", router.name, field, f"has {name} twice")


def _named(router: Router) -> Iterator[tuple[str, list[str]]]:
    """Every field that names interfaces, and the names."""
    for protocol in ("ospf", "ospf6", "isis", "rip", "ripng", "pim"):
        if settings := getattr(router, protocol):
            yield f"{protocol}.interfaces", [row.interface for row in settings.interfaces]
    if router.ldp:
        yield "ldp.interfaces", list(router.ldp.interfaces)
    if router.bfd:
        yield "bfd.peers", [peer.interface for peer in router.bfd.peers if peer.interface]
    for vrf in router.vrfs:
        if vrf.ospf:
            yield f"vrfs.{vrf.name}.ospf.interfaces", [row.interface for row in vrf.ospf.interfaces]


#: Protocols to what they cannot announce: themselves, and what is of the other family.
_FOREIGN = {
    "ospf": ("ospf", "ospf6", "ripng"),
    "ospf6": ("ospf6", "ospf", "rip"),
    "isis": ("isis",),
    "rip": ("rip", "ripng", "ospf6"),
    "ripng": ("ripng", "rip", "ospf"),
}
_WITHOUT_SETTINGS = ("connected", "kernel")


def redistributions(facts: Facts) -> Iterator[Problem]:
    """Routes that a protocol announces are of a source that it can announce and that is there."""
    for router in facts.routers():
        maps = {each.name for each in router.route_maps}
        for protocol, foreign in _FOREIGN.items():
            settings = getattr(router, protocol)
            field, seen = f"{protocol}.redistribute", set[str]()
            for each in settings.redistribute if settings else ():
                source = "static_routes" if each.source == "static" else each.source
                if each.source in foreign:
                    why = f"cannot announce routes of {each.source}"
                    yield error("foreign-source", router.name, field, why, f"all but {', '.join(foreign)}")
                elif each.source not in _WITHOUT_SETTINGS and not getattr(router, source) and not has_own_lines(router):
                    yield warning("no-source", router.name, field, f"{each.source} does not run here")
                if each.source in seen:
                    yield error("duplicate-source", router.name, field, f"has {each.source} twice")
                seen.add(each.source)
                if (
                    each.route_map
                    and each.route_map not in maps
                    and f"route-map {each.route_map} " not in router.frr_conf
                ):
                    why = f"there is no route map {each.route_map}: nothing is announced"
                    yield error("no-route-map", router.name, field, why, "one of the router's route maps")


def router_ids(facts: Facts) -> Iterator[Problem]:
    """Router ids: one each, and none without an IPv4 address to take it from."""
    for protocol in ("ospf", "ospf6", "bgp"):
        seen: dict[object, str] = {}
        for router in facts.routers():
            settings = getattr(router, protocol)
            if settings is None:
                continue
            identity = router_id(facts, router, settings.router_id)
            field = f"{protocol}.router_id"
            if identity is None:
                yield error(
                    "no-router-id", router.name, field, "there is no IPv4 address to take one from", "state a router ID"
                )
            elif seen.setdefault(identity, router.name) != router.name:
                why = f"is {identity}, as that of {seen[identity]}"
                yield error("duplicate-router-id", router.name, field, why, "another one, or a loopback address")


RULES: tuple[Rule, ...] = (static_routes, routers_without_routes, interfaces, redistributions, router_ids)
