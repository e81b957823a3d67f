"""Routes of BGP in networks where nothing can stop them: whole sets of prefixes at once, instead of one after another.

A family of sessions is *plain* if no policy, limit or option changes or rejects a route of it, if the routers of each
AS have sessions with all others of it (a full mesh, RFC 4271, section 9.2), and if all next hops are reachable. A
prefix then reaches every AS that sessions join with one of its origins, and there every router: the best route at the
border of an AS always exists, and its members pass it to all others. Only the origins themselves prefer their own
route, and a router that is the next hop for its own address is not used.

`bgp_routes` propagates all other prefixes from session to session. `tests/prediction/test_plain_bgp.py` compares both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from frrlib.model.base import IpAddress
from frrlib.model.nodes import Router
from frrlib.model.routing import Bgp, BgpSession, Network
from frrlib.prediction.bgp.paths import RouteOptions
from frrlib.prediction.bgp.sessions import SessionEnd, is_resolved

Speakers = Mapping[str, tuple[Router, Bgp]]
#: Settings of a session that may stop or change a route, with the value that does not.
_NEUTRAL = {
    "route_reflector_client": False, "default_originate": False, "allow_as_in": None, "remove_private_as": False,
    "weight": None, "maximum_prefixes": None, "route_map_in": "", "route_map_out": "", "prefix_list_in": "",
    "prefix_list_out": "", "as_path_list_in": "", "as_path_list_out": "",
}  # fmt: skip


class PlainFamily:
    """The plain sessions of one address family.

    Args:
        family: "ipv4" or "ipv6".
        speakers: router to itself and its settings of BGP.
        sessions: all established sessions, once from each end.
        known_networks: the networks that each router reaches without BGP.
    """

    def __init__(
        self,
        family: str,
        speakers: Speakers,
        sessions: Iterable[SessionEnd],
        known_networks: Mapping[str, set[Network]],
    ) -> None:
        self._family, self._speakers, self._known_networks = family, speakers, known_networks
        self._sessions = [session for session in sessions if family in session.families]
        self._members: dict[int, set[str]] = {}
        for name, (_, bgp) in speakers.items():
            self._members.setdefault(bgp.asn, set()).add(name)
        self._borders = {session.router for session in self._sessions if session.kind == "external"}
        self._external_sources = {session.source for session in self._sessions if session.kind == "external"}
        #: (router, peer) to the sources of their internal sessions.
        self._internal_sources: dict[tuple[str, str], set[IpAddress | None]] = {}
        for session in self._sessions:
            if session.kind == "internal":
                self._internal_sources.setdefault((session.router, session.peer), set()).add(session.source)
        self._owners_of_source: dict[IpAddress | None, set[str]] = {}
        for (router, _), sources in self._internal_sources.items():
            for source in sources:
                self._owners_of_source.setdefault(source, set()).add(router)
        self.is_plain = (
            self._has_plain_speakers() and self._has_full_meshes() and all(map(self._is_plain, self._sessions))
        )
        self._component_of = self._components() if self.is_plain else {}

    # --- conditions ---------------------------------------------------------------------------------------------------

    def _has_plain_speakers(self) -> bool:
        return not any(
            bgp.aggregates or bgp.confederation_id or bgp.requires_policy or bgp.local_preference is not None
            for _, bgp in self._speakers.values()
        )

    def _has_full_meshes(self) -> bool:
        """Whether all routers of each AS have sessions with each other."""
        return all(
            (router, peer) in self._internal_sources
            for members in self._members.values()
            for router in members
            for peer in members
            if router != peer
        )

    def _is_plain(self, session: SessionEnd) -> bool:
        if not (_is_neutral(session.settings) and _is_neutral(session.peer_settings)):
            return False
        if session.source is not None and f"ipv{session.source.version}" != self._family:
            return False  # the next hop is then another address
        if session.kind == "external":
            return session.direct
        is_next_hop = session.settings.next_hop_self or session.settings.next_hop_self_force
        if session.router in self._borders and not is_next_hop:
            return False
        if session.direct or session.source is None:
            return True
        return is_resolved(self._known_networks[session.peer], session.source)

    # --- routes -------------------------------------------------------------------------------------------------------

    def _components(self) -> dict[int, int]:
        """AS to the least AS that external sessions join with it."""
        neighbors: dict[int, set[int]] = {asn: set() for asn in self._members}
        for session in self._sessions:
            neighbors[self._asn(session.router)].add(self._asn(session.peer))
        component_of: dict[int, int] = {}
        for first in sorted(neighbors):
            waiting = [first]
            while waiting:
                if component_of.setdefault(asn := waiting.pop(), first) == first:
                    new = [neighbor for neighbor in neighbors[asn] if neighbor not in component_of]
                    component_of.update(dict.fromkeys(new, first))
                    waiting += new
        return component_of

    def _asn(self, router: str) -> int:
        return self._speakers[router][1].asn

    def routes(
        self, origins: Mapping[Network, Mapping[str, RouteOptions]]
    ) -> tuple[dict[str, set[Network]], list[Network]]:
        """The prefixes that each router certainly receives.

        Args:
            origins: prefix to its origins, each with the routes that it may originate.

        Returns:
            router to prefixes, and the prefixes that must be propagated from session to session instead.
        """
        if not self.is_plain:
            return {}, list(origins)
        spread: dict[int, set[Network]] = {}
        kept_away: dict[str, set[Network]] = {}
        others = []
        for prefix, options_by_router in origins.items():
            home = self._routers_without(prefix, options_by_router)
            if home is None:
                others.append(prefix)
                continue
            for component in {self._component_of[self._asn(name)] for name in options_by_router}:
                spread.setdefault(component, set()).add(prefix)
            for name in home:
                kept_away.setdefault(name, set()).add(prefix)
        received = {
            name: spread.get(self._component_of[bgp.asn], set()) - kept_away.get(name, set())
            for name, (_, bgp) in self._speakers.items()
        }
        return {name: prefixes for name, prefixes in received.items() if prefixes}, others

    def _routers_without(self, prefix: Network, options_by_router: Mapping[str, RouteOptions]) -> set[str] | None:
        """The routers that do not receive a prefix although sessions join them with an origin.

        They are the origins, and in their AS the routers that get it from nobody but the owner of the address, over a
        session from that address: a prefix that is its own next hop is rejected.

        Returns:
            the routers; None if the prefix needs a closer look.
        """
        routes = [route for options in options_by_router.values() for route in options]
        if not routes or any(route is None or route.is_uncertain for route in routes):
            return None
        without = set(options_by_router)
        if prefix.num_addresses != 1:
            return without
        address = prefix.network_address
        if address in self._external_sources:
            return None
        owners = self._owners_of_source.get(address, set())
        systems = {self._asn(name) for name in options_by_router}
        if any(self._asn(owner) not in systems for owner in owners):
            return None
        for asn in systems if owners else ():
            origins_here = [name for name in options_by_router if self._asn(name) == asn]
            for member in self._members[asn] - without:
                sources = (source for name in origins_here for source in self._internal_sources[name, member])
                if all(source == address for source in sources):
                    if member in self._borders:
                        return None
                    without.add(member)
        return without


def _is_neutral(settings: BgpSession) -> bool:
    return all(getattr(settings, name) == value for name, value in _NEUTRAL.items())
