"""The current neighbors of all routers: by router, and by the link that leads to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from typing import NamedTuple

from frrlib.model.links import End
from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import Adjacency as Expected
from miniedit_frr.live.messages import MISSING_STATE, AdjacencyState, rank

#: Maximum number of neighbors, since a lab may report any number of them. Later ones are ignored.
MOST_NEIGHBORS = 100_000
#: Grades of states, the worst first.
GRADES = ("down", "coming", "up")


def worst(grades: Iterable[str]) -> str:
    """The worst of some grades; empty for none."""
    return min(grades, key=GRADES.index, default="")


class EndAdjacency(NamedTuple):
    """A router's neighbor over one end of a link, one per protocol: protocol, state, grade, and the VRF, empty for
    none."""

    protocol: str
    state: str
    grade: str
    vrf: str = ""


class LiveAdjacencies:
    """All reported neighbors, and the missing ones.

    Args:
        topology: a topology with all names and addresses, to find the link of each neighbor.
    """

    def __init__(self, topology: Topology | None = None) -> None:
        self._reported: dict[tuple[str, ...], AdjacencyState] = {}
        self._awaited: tuple[Expected, ...] = ()
        self._awaited_s = 0.0
        self._ends: dict[tuple[str, str], str] = {}
        self._at_router: dict[str, list[tuple[str, End]]] = defaultdict(list)
        self._between: dict[frozenset[str], str] = {}
        for link in topology.links if topology is not None else ():
            self._between.setdefault(frozenset((link.a.node, link.b.node)), link.id)
            for end in link.ends:
                self._ends.setdefault((end.node, end.interface), link.id)
                self._at_router[end.node].append((link.id, end))

    def __len__(self) -> int:
        return len(self._reported)

    def expect(self, expected: Iterable[Expected], time_s: float) -> None:
        """Set the expected neighbors. Each is missing until a daemon reports it in any state."""
        self._awaited_s = time_s
        self._awaited = tuple(
            item for item in expected if not any(_is_expected(reported, item) for reported in self._reported.values())
        )

    def _all_adjacencies(self) -> list[AdjacencyState]:
        """The reported neighbors, then the missing ones."""
        return [
            *self._reported.values(),
            *(
                AdjacencyState(
                    missing.router, missing.protocol, missing.neighbor, MISSING_STATE, False, self._awaited_s,
                    missing.interface, vrf=missing.vrf,
                )
                for missing in self._awaited
            ),
        ]  # fmt: skip

    def take(self, adjacency: AdjacencyState) -> bool:
        """Store a report about a neighbor; returns whether any visible part of it has changed."""
        previous = self._reported.get(adjacency.key)
        if previous is None and len(self._reported) >= MOST_NEIGHBORS:
            return False
        self._reported[adjacency.key] = adjacency
        if previous is None:
            self._awaited = tuple(expected for expected in self._awaited if not _is_expected(adjacency, expected))
        return previous is None or (previous.state, previous.up, previous.neighbor) != (
            adjacency.state,
            adjacency.up,
            adjacency.neighbor,
        )

    def previous(self, adjacency: AdjacencyState) -> AdjacencyState | None:
        """The previous report about a neighbor; None before the first."""
        return self._reported.get(adjacency.key)

    def of_router(self, router: str) -> list[AdjacencyState]:
        """The neighbors of a router, by protocol."""
        return sorted_adjacencies(adjacency for adjacency in self._all_adjacencies() if adjacency.router == router)

    def of_link(self, link: str) -> list[AdjacencyState]:
        """The neighbors over a link, as reported by the routers at both ends, by protocol."""
        return sorted_adjacencies(adjacency for adjacency in self._all_adjacencies() if self.link_of(adjacency) == link)

    def all(self) -> list[AdjacencyState]:
        """All neighbors, by protocol and router."""
        return sorted_adjacencies(self._all_adjacencies())

    def link_of(self, adjacency: AdjacencyState) -> str:
        """The link between a router and a neighbor; empty if they do not share one."""
        link = self._ends.get((adjacency.router, adjacency.interface), "") if adjacency.interface else ""
        link = link or self._by_address(adjacency)
        if not link and adjacency.protocol == "ldp":  # its sessions use loopbacks of adjacent routers
            link = self._between.get(frozenset((adjacency.router, adjacency.neighbor)), "")
        return link

    def _by_address(self, adjacency: AdjacencyState) -> str:
        try:
            address = ip_address(adjacency.address.split(" ")[0].split("%")[0])
        except ValueError:
            return ""
        for link, end in self._at_router.get(adjacency.router, ()):
            if any(address in interface.network for interface in end.addresses):
                return link
        return ""

    def by_link(self) -> dict[str, dict[str, tuple[EndAdjacency, ...]]]:
        """The neighbors over each link, by link and router: the worst state of every protocol."""
        views: dict[str, dict[str, list[AdjacencyState]]] = defaultdict(lambda: defaultdict(list))
        for adjacency in self._all_adjacencies():
            link = self.link_of(adjacency)
            if link:
                views[link][adjacency.router].append(adjacency)
        return {
            link: {router: _worst_of_each(listed) for router, listed in routers.items()}
            for link, routers in views.items()
        }

    def counts(self) -> dict[str, tuple[int, int, str]]:
        """For each router, the number of neighbors that are up, of all neighbors, and the worst grade."""
        return {router: _count(listed) for router, listed in self._by("router").items()}

    def totals(self) -> dict[str, tuple[int, int, str]]:
        """As `counts`, by protocol, in the order of the protocols."""
        groups = self._by("protocol")
        return {protocol: _count(groups[protocol]) for protocol in sorted(groups, key=rank)}

    def _by(self, field: str) -> dict[str, list[AdjacencyState]]:
        groups: dict[str, list[AdjacencyState]] = defaultdict(list)
        for adjacency in self._all_adjacencies():
            groups[getattr(adjacency, field)].append(adjacency)
        return groups


def _is_expected(adjacency: AdjacencyState, expected: Expected) -> bool:
    """Whether a reported neighbor is an expected one."""
    if (adjacency.router, adjacency.protocol, adjacency.vrf) != (expected.router, expected.protocol, expected.vrf):
        return False
    if adjacency.interface and expected.interface and adjacency.interface != expected.interface:
        return False
    return adjacency.neighbor == expected.neighbor or bool(
        {adjacency.neighbor, *adjacency.address.split()} & set(expected.names)
    )


def sorted_adjacencies(adjacencies: Iterable[AdjacencyState]) -> list[AdjacencyState]:
    """Neighbors sorted by protocol, router, interface and name."""
    return sorted(
        adjacencies, key=lambda item: (rank(item.protocol), item.router, item.interface, item.neighbor, item.address)
    )


def _count(adjacencies: Sequence[AdjacencyState]) -> tuple[int, int, str]:
    return (
        sum(adjacency.up for adjacency in adjacencies),
        len(adjacencies),
        worst(adjacency.grade for adjacency in adjacencies),
    )


def _worst_of_each(adjacencies: Sequence[AdjacencyState]) -> tuple[EndAdjacency, ...]:
    of_protocol: dict[str, AdjacencyState] = {}
    for adjacency in sorted_adjacencies(adjacencies):
        worst_so_far = of_protocol.get(adjacency.protocol)
        if worst_so_far is None or GRADES.index(adjacency.grade) < GRADES.index(worst_so_far.grade):
            of_protocol[adjacency.protocol] = adjacency
    return tuple(
        EndAdjacency(adjacency.protocol, adjacency.short_state, adjacency.grade, adjacency.vrf)
        for adjacency in of_protocol.values()
    )
