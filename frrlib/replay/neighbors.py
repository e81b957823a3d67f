"""The neighbors of routers over time, and the ends of links at which they are."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from frrlib.replay.wiring import Direction, Wiring
from frrlib.results.records import Event, Results

DOWN, COMING, UP = 0, 1, 2
#: States without contact to the neighbor; in all other states that are not up, a session is being set up.
_WITHOUT_CONTACT = frozenset(("gone", "down", "deleted", "silent", "idle", "active", "connect", "non existent"))
#: With more states of all neighbors together than this, only changes between down, coming and up are kept.
_MOST_STATES = 10_000
_INTERFACE = re.compile(r"\bat ([^\s;]+)")


@dataclass(frozen=True)
class NeighborState:
    """A state of a neighbor: its time, `DOWN`, `COMING` or `UP`, and the daemon's word ("Full")."""

    time_s: float
    grade: int
    word: str


@dataclass(frozen=True)
class Neighbor:
    """A neighbor of a router.

    Attributes:
        router: the router that reports it.
        name: protocol and neighbor ("ospf r2").
        interface: the router's interface; empty if unknown.
        towards: the direction of the link at which it is; None if unknown.
        states: its states in the order of time.
    """

    router: str
    name: str
    interface: str
    towards: Direction | None
    states: tuple[NeighborState, ...]


def neighbors(results: Results, wiring: Wiring) -> list[Neighbor]:
    """Every neighbor of the run, in the order of the first report."""
    states: dict[tuple[str, str, str], list[NeighborState]] = {}
    for event in sorted(_reports(results), key=lambda event: event.time_s):
        key = event.subject, event.text, interface_of(event)
        word = event.detail.partition(";")[0] or event.what
        states.setdefault(key, []).append(NeighborState(event.time_s, grade(event), word))
    are_many = sum(map(len, states.values())) > _MOST_STATES
    return [
        Neighbor(
            router, name, interface, _towards(wiring, router, name, interface),
            tuple(_changes(listed) if are_many else listed),
        )
        for (router, name, interface), listed in states.items()
    ]  # fmt: skip


def _changes(states: Iterable[NeighborState]) -> Iterator[NeighborState]:
    """The first of successive states of the same grade."""
    for _, same in groupby(states, key=lambda state: state.grade):
        yield next(same)


def grade(event: Event) -> int:
    """`DOWN`, `COMING` or `UP`, of the event of a neighbor."""
    if event.what == "up":
        return UP
    state = event.detail.partition(";")[0].partition("/")[0].lower()
    return DOWN if not state or state in _WITHOUT_CONTACT else COMING


def interface_of(event: Event) -> str:
    """The interface that the event of a neighbor names; empty for none."""
    match = _INTERFACE.search(event.detail)
    return match[1] if match else ""


def _reports(results: Results) -> Iterator[Event]:
    return (event for event in results.events if event.kind == "adjacency" and not math.isnan(event.time_s))


def _towards(wiring: Wiring, router: str, name: str, interface: str) -> Direction | None:
    if interface:
        return wiring.by_interface.get((router, interface))
    direct = [item for item in wiring.leaving(router) if item.receiver == name.rpartition(" ")[2]]
    return direct[0] if len(direct) == 1 else None
