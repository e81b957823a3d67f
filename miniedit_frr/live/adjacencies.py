"""The neighbours of all routers as they are now: by router, and by the link that they are reached over."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from typing import NamedTuple

from frrlib.model.links import End
from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import Adjacency as Expected
from miniedit_frr.live.messages import MISSING_STATE, AdjacencyState, rank

#: The number of neighbours that are kept: a lab may report any number of them. Later ones are passed over.
MOST_NEIGHBORS = 100_000
#: Grades, the worst first.
GRADES = ("down", "coming", "up")


def worst(grades: Iterable[str]) -> str:
    """The worst of some grades; empty for none."""
    return min(grades, key=GRADES.index, default="")


class EndAdjacency(NamedTuple):
    """A router's view of the neighbours over one end of a link: protocol, state and grade, one per protocol; and the
    VRF of the end, empty for none.
    """

    protocol: str
    state: str
    grade: str
    vrf: str = ""


class LiveAdjacencies:
    """All reported neighbours, and those that are missing.

    Args:
        topology: with all names and addresses, so that the link of each neighbour is found.
    """

    def __init__(self, topology: Topology | None = None) -> None:
        self._known: dict[tuple[str, ...], AdjacencyState] = {}
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
        return len(self._known)

    def expect(self, expected: Iterable[Expected], time_s: float) -> None:
        """Expect these neighbours: each counts as missing until a daemon reports it in any state."""
        self._awaited_s = time_s
        self._awaited = tuple(each for each in expected if not any(_is(told, each) for told in self._known.values()))

    def _now(self) -> list[AdjacencyState]:
        """Reported neighbours, then missing ones."""
        return [
            *self._known.values(),
            *(
                AdjacencyState(
                    each.router, each.protocol, each.neighbor, MISSING_STATE, False, self._awaited_s, each.interface,
                    vrf=each.vrf,
                )
                for each in self._awaited
            ),
        ]  # fmt: skip

    def take(self, told: AdjacencyState) -> bool:
        """Take a neighbour's report; returns whether anything shown has changed."""
        before = self._known.get(told.key)
        if before is None and len(self._known) >= MOST_NEIGHBORS:
            return False
        self._known[told.key] = told
        if before is None:
            self._awaited = tuple(each for each in self._awaited if not _is(told, each))
        return before is None or (before.state, before.up, before.neighbor) != (told.state, told.up, told.neighbor)

    def previous(self, told: AdjacencyState) -> AdjacencyState | None:
        """The previous report of a neighbour; None where there was none."""
        return self._known.get(told.key)

    def of_router(self, router: str) -> list[AdjacencyState]:
        """A router's view of its neighbours, by protocol."""
        return sorted_adjacencies(each for each in self._now() if each.router == router)

    def of_link(self, link: str) -> list[AdjacencyState]:
        """How the routers at both ends of a link see each other, by protocol."""
        return sorted_adjacencies(each for each in self._now() if self.link_of(each) == link)

    def all(self) -> list[AdjacencyState]:
        """All neighbours, by protocol and router."""
        return sorted_adjacencies(self._now())

    def link_of(self, told: AdjacencyState) -> str:
        """The link over which a router reaches a neighbour; empty where that takes more than one network."""
        found = self._ends.get((told.router, told.interface), "") if told.interface else ""
        found = found or self._by_address(told)
        if not found and told.protocol == "ldp":  # its sessions join loopbacks, but only of routers side by side
            found = self._between.get(frozenset((told.router, told.neighbor)), "")
        return found

    def _by_address(self, told: AdjacencyState) -> str:
        try:
            address = ip_address(told.address.split(" ")[0].split("%")[0])
        except ValueError:
            return ""
        for link, end in self._at_router.get(told.router, ()):
            if any(address in each.network for each in end.addresses):
                return link
        return ""

    def by_link(self) -> dict[str, dict[str, tuple[EndAdjacency, ...]]]:
        """Link to router to its view there: of every protocol the worst state."""
        found: dict[str, dict[str, list[AdjacencyState]]] = defaultdict(lambda: defaultdict(list))
        for told in self._now():
            link = self.link_of(told)
            if link:
                found[link][told.router].append(told)
        return {
            link: {router: _worst_of_each(listed) for router, listed in routers.items()}
            for link, routers in found.items()
        }

    def counts(self) -> dict[str, tuple[int, int, str]]:
        """Router to how many of its neighbours are up, how many there are, and the worst grade."""
        return {router: _count(listed) for router, listed in self._by("router").items()}

    def totals(self) -> dict[str, tuple[int, int, str]]:
        """As `counts`, by protocol and in the protocols' order."""
        found = self._by("protocol")
        return {protocol: _count(found[protocol]) for protocol in sorted(found, key=rank)}

    def _by(self, field: str) -> dict[str, list[AdjacencyState]]:
        found: dict[str, list[AdjacencyState]] = defaultdict(list)
        for told in self._now():
            found[getattr(told, field)].append(told)
        return found


def _is(told: AdjacencyState, expected: Expected) -> bool:
    """Whether a reported neighbour is one that is expected."""
    if (told.router, told.protocol, told.vrf) != (expected.router, expected.protocol, expected.vrf):
        return False
    if told.interface and expected.interface and told.interface != expected.interface:
        return False
    return told.neighbor == expected.neighbor or bool({told.neighbor, *told.address.split()} & set(expected.names))


def sorted_adjacencies(told: Iterable[AdjacencyState]) -> list[AdjacencyState]:
    """Neighbours by protocol, router, interface and name."""
    return sorted(
        told, key=lambda each: (rank(each.protocol), each.router, each.interface, each.neighbor, each.address)
    )


def _count(listed: Sequence[AdjacencyState]) -> tuple[int, int, str]:
    return sum(each.up for each in listed), len(listed), worst(each.grade for each in listed)


def _worst_of_each(listed: Sequence[AdjacencyState]) -> tuple[EndAdjacency, ...]:
    of_protocol: dict[str, AdjacencyState] = {}
    for each in sorted_adjacencies(listed):
        other = of_protocol.get(each.protocol)
        if other is None or GRADES.index(each.grade) < GRADES.index(other.grade):
            of_protocol[each.protocol] = each
    return tuple(EndAdjacency(each.protocol, each.short_state, each.grade, each.vrf) for each in of_protocol.values())
