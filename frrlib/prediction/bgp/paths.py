"""BGP routes, and the selection of the best ones.

The topology does not always determine the best route: a router prefers the older or the nearer one of equal routes.
Therefore a router has a set of *possible* best routes. `None` in the set means that it may have no route. Equal routes
that differ only in their AS path are joined to one route.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from frrlib.model.base import IpAddress

Source = Literal["self", "external", "confederation", "client", "internal"]
Rank = tuple[int, int, int, int, int]
#: FRR's weight of routes that a router originates.
OWN_WEIGHT = 32_768
LOCAL_PREFERENCE = 100
_WORST: Rank = (-1, -1, -(10**9), -3, 0)


class BgpRoute(NamedTuple):
    """A route at a router, or several equal ones.

    Attributes:
        source: the kind of session over which it was received; "client" is an internal session with a client of this
            reflector.
        sender: the router that sent it; empty for one that the router originates.
        weight, local_preference, metric: the attributes of BGP.
        length: the length of the AS path without members of confederations.
        origin: 0 for IGP, 1 for EGP, 2 for incomplete.
        communities: its communities; None if they are unknown.
        next_hop: "link" for the router at the other end of an unnumbered session; None for one that nobody can be
            expected to resolve.
        originator, clusters: the attributes that reflectors set.
        is_uncertain: whether policies may have changed it, so that it may be better or worse.
        path: the AS path; None if several routes are joined, or if it is unknown.
        possible_asns, certain_asns: AS numbers that the path may contain, and those that it does contain.
        confederation_members: members of the own confederation that the path may contain.
    """

    source: Source = "self"
    sender: str = ""
    weight: int = OWN_WEIGHT
    local_preference: int = LOCAL_PREFERENCE
    length: int = 0
    origin: int = 0
    metric: int = 0
    communities: frozenset[str] | None = frozenset()
    next_hop: IpAddress | Literal["link"] | None = None
    originator: str = ""
    clusters: frozenset[str] = frozenset()
    is_uncertain: bool = False
    path: tuple[int, ...] | None = ()
    possible_asns: frozenset[int] = frozenset()
    certain_asns: frozenset[int] = frozenset()
    confederation_members: frozenset[int] = frozenset()

    @property
    def rank(self) -> Rank:
        """The first criteria of best-path selection, larger is better (RFC 4271, 9.1).

        Metrics are left out, since they are often not comparable.
        """
        outside = int(self.source in ("self", "external"))
        return self.weight, self.local_preference, -self.length, -self.origin, outside

    def prepended(self, *systems: int) -> BgpRoute:
        """The route with AS numbers prepended to its path."""
        path = None if self.path is None else (*systems, *self.path)
        asns = frozenset(systems)
        length = self.length + len(systems)
        return self._replace(
            path=path, length=length, possible_asns=self.possible_asns | asns, certain_asns=self.certain_asns | asns
        )

    def sent_to_other_as(self, next_hop: IpAddress | Literal["link"] | None, asn: int) -> BgpRoute:
        """The route as the AS sends it to another one."""
        return self.prepended(asn)._replace(
            next_hop=next_hop, metric=0, originator="", clusters=frozenset(), confederation_members=frozenset()
        )


#: The index of the first field about the path.
_PATH_FIELDS_START = BgpRoute._fields.index("path")

RouteOptions = frozenset[BgpRoute | None]
NO_ROUTE: RouteOptions = frozenset((None,))


def best_routes(received: Iterable[RouteOptions]) -> RouteOptions:
    """The routes that may be the best of all received ones.

    Args:
        received: the routes that may have been received over each session, and those that the router originates.
    """
    received_options = [options for options in received if options != NO_ROUTE]
    certain = [
        min(_lowest_rank(route) for route in options if route) for options in received_options if None not in options
    ]
    least_rank = max(certain, default=None)
    candidates: set[BgpRoute | None] = set() if least_rank is not None else {None}
    for options in received_options:
        for route in options:
            if route is not None and (least_rank is None or route.is_uncertain or route.rank >= least_rank):
                candidates.add(route)
    return _joined_by_path(candidates)


def _lowest_rank(route: BgpRoute) -> Rank:
    return _WORST if route.is_uncertain else route.rank


def _joined_by_path(routes: set[BgpRoute | None]) -> RouteOptions:
    """The routes, with those that differ only in their path joined to one."""
    if len(routes) < 2:
        return frozenset(routes)
    groups: dict[tuple[object, ...], list[BgpRoute]] = {}
    for route in routes:
        if route is not None:
            groups.setdefault(route[:_PATH_FIELDS_START], []).append(route)
    joined: set[BgpRoute | None] = {route for route in routes if route is None}
    for alike in groups.values():
        joined.add(alike[0] if len(alike) == 1 else _joined_route(alike))
    return frozenset(joined)


def _joined_route(alike: list[BgpRoute]) -> BgpRoute:
    return alike[0]._replace(
        path=None,
        possible_asns=frozenset[int]().union(*(route.possible_asns for route in alike)),
        certain_asns=frozenset.intersection(*(route.certain_asns for route in alike)),
        confederation_members=frozenset[int]().union(*(route.confederation_members for route in alike)),
    )
