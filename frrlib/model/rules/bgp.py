"""Rules on BGP."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.model.nodes import Router
from frrlib.model.problem import Problem, error, warning
from frrlib.model.routing import Bgp, BgpNeighbor, Network
from frrlib.model.rules.facts import Facts, Rule, contains


def _speakers(facts: Facts) -> Iterator[tuple[Router, Bgp]]:
    return ((router, router.bgp) for router in facts.routers() if router.bgp is not None)


def _has_own_lines(*routers: Router) -> bool:
    """Whether free lines of `frr.conf` may say what the settings do not."""
    return any(router.frr_conf.strip() for router in routers)


def neighbours(facts: Facts) -> Iterator[Problem]:
    """Every session has a router of the stated AS at the other end, which knows of it."""
    for router, bgp in _speakers(facts):
        seen = set()
        for neighbor in bgp.neighbors:
            if neighbor.address in seen:
                yield error("duplicate-neighbor", router.name, "bgp.neighbors", f"has {neighbor.address} twice")
            else:
                yield from _session(facts, router, bgp, neighbor)
            seen.add(neighbor.address)


def _session(facts: Facts, router: Router, bgp: Bgp, neighbor: BgpNeighbor) -> Iterator[Problem]:
    field, title = "bgp.neighbors", str(neighbor.address)
    peer = facts.router_of(neighbor.address)
    if peer is None:
        owner = next(iter(facts.owners.get(neighbor.address, ())), "")
        why = f"{title} is an address of {owner}, which is no router" if owner else f"no router has the address {title}"
        yield error("no-neighbor", router.name, field, why, _offer(facts, router))
        return
    if peer.name == router.name:
        yield error("no-neighbor", router.name, field, f"{title} is its own address", _offer(facts, router))
        return
    if peer.bgp is None:
        make = warning if _has_own_lines(peer) else error
        yield make("one-sided", router.name, field, f"{title} is {peer.name}, which does not speak BGP")
        return
    if peer.bgp.asn != neighbor.remote_as:
        why = f"{title} is {peer.name} in AS {peer.bgp.asn}, and AS {neighbor.remote_as} is stated"
        yield error("wrong-as", router.name, field, why, f"remote_as {peer.bgp.asn}")
    mine = {address.ip for address in facts.all_addresses(router)}
    if not any(back.address in mine for back in peer.bgp.neighbors):
        make = warning if _has_own_lines(peer) else error
        why = f"{title} is {peer.name}, which has no session back to {router.name}"
        yield make("one-sided", router.name, field, why, f"a neighbor of {peer.name} at an address of {router.name}")
    if not contains(facts.networks(router.name), neighbor.address):
        yield from _distant(router, bgp, neighbor, peer)


def _distant(router: Router, bgp: Bgp, neighbor: BgpNeighbor, peer: Router) -> Iterator[Problem]:
    if _has_own_lines(router):
        return
    why = f"{neighbor.address} is {peer.name}, in no network of {router.name}"
    if neighbor.remote_as != bgp.asn:
        right = "an address on the link between them, or ebgp-multihop and update-source in frr_conf"
        yield error("distant-neighbor", router.name, "bgp.neighbors", why, right)
    else:
        yield warning("distant-neighbor", router.name, "bgp.neighbors", why, "add update-source lo in frr_conf")


def _offer(facts: Facts, router: Router) -> str:
    """Addresses of routers next to this one."""
    found = [
        str(address.ip)
        for domain in facts.domains
        if any(place.end.node == router.name for place in domain.ends)
        for place in domain.ends
        if place.end.node != router.name and place.node.kind == "router"
        for address in place.end.addresses
    ]
    return f"such as {', '.join(found[:3])}" if found else "link a router to it"


def networks(facts: Facts) -> Iterator[Problem]:
    """A network is announced only while the router has a route to exactly it."""
    for router, bgp in _speakers(facts):
        present: set[Network] = {address.network for address in facts.all_addresses(router)}
        present |= {route.prefix for route in router.static_routes}
        for network in bgp.networks:
            if network in present:
                continue
            learns = router.ospf is not None or _has_own_lines(router)
            make = warning if learns else error
            why = f"{network} is neither connected nor a static route: it is not announced"
            yield make("unknown-network", router.name, "bgp.networks", why, _networks_offer(present, network.version))


def _networks_offer(present: set[Network], version: int) -> str:
    shown = sorted(str(network) for network in present if network.version == version)
    return f"such as {', '.join(shown[:4])}" if shown else ""


def sessions(facts: Facts) -> Iterator[Problem]:
    """Speakers without sessions, and sessions that carry nothing."""
    for router, bgp in _speakers(facts):
        if not bgp.neighbors and not _has_own_lines(router):
            yield warning("no-neighbor", router.name, "bgp.neighbors", "has no session", _offer(facts, router))
        external = any(neighbor.remote_as != bgp.asn for neighbor in bgp.neighbors)
        if bgp.requires_policy and external and "route-map" not in router.frr_conf:
            why = "is on, and no policy is given: external sessions exchange nothing (RFC 8212)"
            yield warning("no-policy", router.name, "bgp.requires_policy", why, "off, or route-maps in frr_conf")


def descriptions(facts: Facts) -> Iterator[Problem]:
    """A description is one line."""
    for router, bgp in _speakers(facts):
        for neighbor in bgp.neighbors:
            if not neighbor.description.isprintable() or len(neighbor.description) > 80:
                why = f"description of {neighbor.address} is not one line of up to 80 characters"
                yield error("illegal-description", router.name, "bgp.neighbors", why)


RULES: tuple[Rule, ...] = (neighbours, networks, sessions, descriptions)
