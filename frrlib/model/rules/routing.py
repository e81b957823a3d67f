"""Rules on static routes and OSPF, and on routers that have neither."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Address

from frrlib.model.domains import Attachment
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem, error, note, warning
from frrlib.model.routing import Ospf
from frrlib.model.rules.facts import Facts, Rule, contains, router_id


def static_routes(facts: Facts) -> Iterator[Problem]:
    """A static route's next hop is of its family and can be reached."""
    for router in facts.routers():
        own = [address.ip for address in facts.all_addresses(router)]
        for route in router.static_routes:
            title = f"{route.prefix} via {route.via}"
            if route.prefix.version != route.via.version:
                yield error("mixed-route", router.name, "static_routes", f"{title} mixes IPv4 and IPv6")
            elif route.via in own:
                right = "the address of the next router"
                yield error("own-gateway", router.name, "static_routes", f"{title}: that is its own address", right)
            elif route.via.is_link_local:
                continue
            elif not contains(facts.networks(router.name), route.via):
                make = warning if router.ospf or router.bgp or router.frr_conf.strip() else error
                why = f"{title}: no interface is in the network of {route.via}"
                yield make("far-gateway", router.name, "static_routes", why, "the address of a neighbouring router")
            elif route.via not in facts.owners:
                yield warning("no-gateway", router.name, "static_routes", f"{title}: no node has that address")


def routers_without_routes(facts: Facts) -> Iterator[Problem]:
    """Routers between routers that learn and state no route."""
    for domain in facts.domains:
        routers = [place.node for place in domain.ends if isinstance(place.node, Router)]
        for router in routers:
            if not router.runs_frr and any(other.name != router.name for other in routers):
                why = "runs no routing daemon and knows its own networks only, though another router is next to it"
                yield warning("no-routes", router.name, "", why, "OSPF, BGP or static routes")


def ospf_timers(facts: Facts) -> Iterator[Problem]:
    """A router must be heard more often than it is given up."""
    for router in facts.routers():
        if router.ospf and router.ospf.dead_s <= router.ospf.hello_s:
            why = f"is {router.ospf.dead_s}, not more than the hello interval of {router.ospf.hello_s}"
            yield error("ospf-timers", router.name, "ospf.dead_s", why, f"such as {4 * router.ospf.hello_s}")


def ospf_areas(facts: Facts) -> Iterator[Problem]:
    """Areas are numbers or dotted quads."""
    for router in facts.routers():
        if router.ospf is None:
            continue
        for field, area in (("ospf.area", router.ospf.area), *(("ospf.areas", area) for _, area in router.ospf.areas)):
            if area_number(area) is None:
                yield error("illegal-area", router.name, field, f"{area!r} is no area", 'such as "0" or "0.0.0.1"')


def area_number(text: str) -> int | None:
    """An OSPF area as a number; None where the text is none."""
    if re.fullmatch(r"[0-9]{1,10}", text):
        return int(text) if int(text) < 2**32 else None
    try:
        return int(IPv4Address(text))
    except ValueError:
        return None


def ospf_interfaces(facts: Facts) -> Iterator[Problem]:
    """Interfaces that OSPF names exist, and there is one for it to run on."""
    for router in facts.routers():
        if router.ospf is None:
            continue
        known = ["lo", *facts.interface_names(router.name)]
        named = [("ospf.passive", name) for name in router.ospf.passive]
        named += [("ospf.areas", name) for name, _ in router.ospf.areas]
        for field, name in named:
            if name not in known:
                yield error(
                    "no-interface", router.name, field, f"has no interface {name}", f"one of {', '.join(known)}"
                )
        if not any(address.version == 4 for address in facts.addresses(router.name)):
            why = "has no interface with an IPv4 address to run on"
            yield warning("ospf-alone", router.name, "ospf", why, "link the router")


def _active(place: Attachment) -> Ospf | None:
    """The OSPF settings at an interface that may form adjacencies."""
    node = place.node
    if isinstance(node, Router) and node.ospf and place.end.interface not in node.ospf.passive:
        return node.ospf if any(address.version == 4 for address in place.end.addresses) else None
    return None


def ospf_neighbours(facts: Facts) -> Iterator[Problem]:
    """Neighbours agree on what RFC 2328 compares in their hellos (section 10.5)."""
    for domain in facts.domains:
        speakers = [(place, ospf) for place in domain.ends if (ospf := _active(place)) is not None]
        for place, ospf in speakers[1:]:
            first, other = speakers[0]
            if first.end.node == place.end.node:
                continue
            where = f"{first.end.node} on {place.link.id}"
            for name in ("hello_s", "dead_s"):
                mine, theirs = getattr(ospf, name), getattr(other, name)
                if mine != theirs:
                    why = f"is {mine} and {theirs} at {where}: they never become neighbours"
                    yield error("ospf-mismatch", place.end.node, f"ospf.{name}", why, "the same on both")
            mine, theirs = _area(ospf, place), _area(other, first)
            if area_number(mine) != area_number(theirs):
                why = f"{place.end.interface} is in area {mine}, and {where} is in area {theirs}"
                yield error("ospf-mismatch", place.end.node, "ospf.area", why, "the same on both")
            if not domain.switches and ospf.point_to_point != other.point_to_point:
                why = f"differs from {where}: routes over the link go missing"
                yield error("ospf-mismatch", place.end.node, "ospf.point_to_point", why, "the same on both")
            if (place.end.mtu_bytes or 1500) != (first.end.mtu_bytes or 1500):
                why = f"MTU of {place.end.interface} differs from {where}: the exchange of databases never ends"
                yield error("ospf-mismatch", place.end.node, "mtu_bytes", why, "the same on both")


def _area(ospf: Ospf, place: Attachment) -> str:
    return dict(ospf.areas).get(place.end.interface, ospf.area)


def router_ids(facts: Facts) -> Iterator[Problem]:
    """Router ids: one each, and none without an IPv4 address to take it from."""
    for protocol in ("ospf", "bgp"):
        seen: dict[object, str] = {}
        for router in facts.routers():
            settings = getattr(router, protocol)
            if settings is None:
                continue
            identity = router_id(facts, router, settings.router_id)
            field = f"{protocol}.router_id"
            if identity is None:
                yield error(
                    "no-router-id", router.name, field, "there is no IPv4 address to take one from", "state one"
                )
            elif seen.setdefault(identity, router.name) != router.name:
                why = f"is {identity}, as that of {seen[identity]}"
                yield error("duplicate-router-id", router.name, field, why, "another one, or a loopback address")


def ospf_costs(facts: Facts) -> Iterator[Problem]:
    """Costs are for OSPF."""
    for router in facts.routers():
        for _, end in facts.ends.get(router.name, ()):
            if end.ospf_cost is not None and router.ospf is None:
                why = f"of {end.interface} is for OSPF, which does not run here"
                yield note("unused-cost", router.name, "ospf_cost", why)


RULES: tuple[Rule, ...] = (
    static_routes,
    routers_without_routes,
    ospf_timers,
    ospf_areas,
    ospf_interfaces,
    ospf_neighbours,
    router_ids,
    ospf_costs,
)
