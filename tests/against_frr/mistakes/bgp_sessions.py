"""Mistakes of BGP sessions: neighbors, sources, settings of the two ends, and sessions within an AS."""

from __future__ import annotations

from random import Random
from typing import Any

from frrlib.model.topology import Topology
from tests.against_frr import changes
from tests.against_frr.mistakes.choices import (
    Session,
    at_session,
    reverse_of,
    router_with,
    session_fields,
    sessions,
)
from tests.against_frr.mistakes.registry import Faulty, MakeMistake, mistake

_AT = "bgp.neighbors"

mistake("bgp wrong AS", "bgp", "wrong-as", _AT)(at_session(session_fields(remote_as=65999)))
mistake("bgp nobody has the address", "bgp", "no-neighbor", _AT)(
    at_session(session_fields(address="10.99.99.99"), external=True)
)
mistake("bgp password at one end", "bgp", "wrong-password", _AT)(at_session(session_fields(password="other")))
mistake("bgp one-sided session", "bgp", "one-sided wrong-source", _AT)(
    at_session(lambda topology, at: changes.remove_session(topology, at.router.name, at.address))
)
mistake("bgp update source that is not its own", "bgp", "no-update-source", _AT)(
    at_session(session_fields(update_source="10.98.98.98"))
)
for _name, _kinds, _settings in (
    ("undefined route map", "no-policy-named", {"route_map_in": "MISSING"}),
    ("undefined prefix list", "no-policy-named", {"prefix_list_out": "MISSING"}),
    ("undefined AS path list", "no-policy-named", {"as_path_list_in": "MISSING"}),
    ("undefined peer group", "no-group", {"peer_group": "MISSING"}),
    ("hold time shorter than the keepalive interval", "bgp-timers", {"keepalive_s": 30, "hold_s": 10}),
    ("description of two lines", "illegal-description", {"description": "two\nlines"}),
):
    mistake(f"bgp {_name}", "bgp", _kinds, _AT)(at_session(session_fields(**_settings)))
mistake("bgp BFD at one end", "bgp", "one-sided-bfd", _AT)(at_session(session_fields(bfd=True), external=True))
mistake("bgp reflector client in another AS", "bgp", "foreign-client", _AT)(
    at_session(session_fields(route_reflector_client=True), external=True)
)
mistake("bgp private AS removed on an internal session", "bgp", "inner-private-as", _AT)(
    at_session(session_fields(remove_private_as=True), external=False)
)


def _own_address(topology: Topology, at: Session) -> Topology:
    address = str(at.router.loopbacks[0].ip)
    return changes.change_session(topology, at.router.name, at.address, {"address": address})


def _twice(topology: Topology, at: Session) -> Topology:
    assert at.router.bgp is not None
    rows = [*at.router.bgp.neighbors, at.settings]
    return changes.change_protocol(topology, at.router.name, "bgp", neighbors=rows)


mistake("bgp neighbor that is the router itself", "bgp", "no-neighbor", _AT)(at_session(_own_address, external=True))
mistake("bgp session twice", "bgp", "duplicate-neighbor", _AT)(at_session(_twice))


@mistake("bgp no common family", "bgp", "no-common-family", _AT)
def no_common_family(random: Random, topology: Topology) -> Faulty | None:
    """One end of a session carries the other address family."""
    found = list(sessions(topology, external=True))
    if not found:
        return None
    session = random.choice(found)
    other = "ipv6" if session.settings.address.version == 4 else "ipv4"
    changed = changes.change_session(topology, session.router.name, session.address, {"families": [other]})
    return Faulty(changed, frozenset({session.router.name, session.peer.name}))


@mistake("bgp address of another router", "bgp", "distant-neighbor one-sided wrong-as", _AT)
def other_router(random: Random, topology: Topology) -> Faulty | None:
    """A session with a router that is not the one at the other end of the link."""
    found = list(sessions(topology, external=True))
    if not found:
        return None
    session = random.choice(found)
    others = [r for r in topology.routers if r.bgp and r.name not in (session.router.name, session.peer.name)]
    own = {str(neighbor.address) for neighbor in session.router.bgp.neighbors} if session.router.bgp else set()
    others = [router for router in others if str(router.loopbacks[0].ip) not in own]
    if not others:
        return None
    address = str(random.choice(others).loopbacks[0].ip)
    changed = changes.change_session(topology, session.router.name, session.address, {"address": address})
    return Faulty(changed, frozenset({session.router.name}))


def _both_ends(external: bool, fields: dict[str, Any], addresses: str = "") -> MakeMistake:
    """The same change at both ends of a session; `addresses`: "loopback" for sessions between loopbacks."""

    def make(random: Random, topology: Topology) -> Faulty | None:
        found = list(sessions(topology, external=external))
        session = random.choice(found) if found else None
        back = reverse_of(topology, session) if session else None
        if session is None or back is None:
            return None
        changed = topology
        for end in (session, back):
            version = end.settings.address.version
            loopback = next(str(a.ip) for a in end.peer.loopbacks if a.version == version)
            update = {**fields, "address": loopback} if addresses else fields
            changed = changes.change_session(changed, end.router.name, end.address, update)
        return Faulty(changed, frozenset({session.router.name, session.peer.name}))

    return make


mistake("bgp both ends passive", "bgp", "both-passive", _AT)(_both_ends(True, {"passive": True}))
mistake("bgp between loopbacks without multihop", "bgp", "distant-neighbor", _AT)(
    _both_ends(True, {"update_source": "lo"}, "loopback")
)
mistake("bgp update source missing at both ends", "bgp", "wrong-source", _AT)(_both_ends(False, {"update_source": ""}))


@mistake("bgp duplicate router ID", "bgp", "duplicate-router-id", "bgp.router_id")
def bgp_duplicate_id(random: Random, topology: Topology) -> Faulty | None:
    """Both ends of a session have the same router ID."""
    found = list(sessions(topology, external=None))
    if not found:
        return None
    session = random.choice(found)
    changed = topology
    for router in (session.router, session.peer):
        changed = changes.change_protocol(changed, router.name, "bgp", router_id="9.9.9.9")
    return Faulty(changed, frozenset({session.router.name, session.peer.name}))


@mistake("bgp policy required", "bgp", "no-policy", "bgp.requires_policy")
def policy_required(random: Random, topology: Topology) -> Faulty | None:
    """A router requires policies (RFC 8212) and has none."""
    found = list(sessions(topology, external=True))
    if not found:
        return None
    session = random.choice(found)
    changed = changes.change_protocol(topology, session.router.name, "bgp", requires_policy=True)
    return Faulty(changed, frozenset({session.router.name}))


# --- unnumbered sessions ----------------------------------------------------------------------------------------------


def _unnumbered(fields: dict[str, Any] | None) -> MakeMistake:
    """Another setting of an unnumbered session; None to remove it."""

    def make(random: Random, topology: Topology) -> Faulty | None:
        routers = [router for router in topology.routers if router.bgp and router.bgp.unnumbered]
        if not routers:
            return None
        router = random.choice(routers)
        assert router.bgp is not None
        first, *others = (row.model_dump(exclude_unset=True) for row in router.bgp.unnumbered)
        link = next(link for link, end in topology.ends_at(router.name) if end.interface == first["interface"])
        rows = others if fields is None else [{**first, **fields}, *others]
        changed = changes.change_protocol(topology, router.name, "bgp", unnumbered=rows)
        return Faulty(changed, frozenset({link.a.node, link.b.node}))

    return make


mistake("bgp unnumbered session with its own AS", "bgp", "wrong-as", "bgp.unnumbered")(
    _unnumbered({"remote_as": "internal"})
)
mistake("bgp unnumbered session at one end", "bgp", "one-sided", "bgp.unnumbered")(_unnumbered(None))
mistake("bgp unnumbered session on no interface", "bgp", "no-interface", "bgp.unnumbered")(
    _unnumbered({"interface": "r1-eth77"})
)
mistake("bgp unnumbered session with hops", "bgp", "unnumbered-multihop", "bgp.unnumbered")(
    _unnumbered({"multihop": 2})
)

# --- within an AS -----------------------------------------------------------------------------------------------------


def _reflector(keeps_others: bool) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        """A reflector does not take two of its clients as clients, or none of them."""
        found = [s for s in sessions(topology, external=False) if s.settings.route_reflector_client]
        if not found:
            return None
        session = random.choice(found)
        mine = [other for other in found if other.router is session.router]
        peers = list(dict.fromkeys([session.peer.name, *(other.peer.name for other in mine)]))
        if len(peers) < 2:
            return None
        changed = topology
        for other in mine:
            if not keeps_others or other.peer.name in peers[:2]:
                fields = {"route_reflector_client": False}
                changed = changes.change_session(changed, other.router.name, other.address, fields)
        return Faulty(changed, frozenset(router.name for router in topology.routers))

    return make


mistake("bgp client is no client", "bgp", "no-full-mesh", _AT)(_reflector(keeps_others=True))
mistake("bgp reflector without clients", "bgp", "no-full-mesh", _AT)(_reflector(keeps_others=False))


@mistake("bgp confederation without an identifier", "bgp", "confederation", "bgp.confederation_id")
def confederation(random: Random, topology: Topology) -> Faulty | None:
    """A router lists members of a confederation, and has no identifier of it."""
    router = router_with(topology, random, "bgp")
    assert router is not None
    changed = changes.change_protocol(topology, router.name, "bgp", confederation_members=[65101])
    return Faulty(changed, frozenset({router.name}))
