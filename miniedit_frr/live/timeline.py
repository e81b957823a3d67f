"""Events of a lab's routing, in order: items for a list and for lanes; routes that change together are one."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from frrlib.model.names import natural
from frrlib.safe_text.spreadsheet import csv_text
from miniedit_frr.live.messages import AdjacencyState, Incident, RouteChange, protocol_title

#: The number of items kept; the oldest go first.
MOST_ITEMS = 5_000
#: Changes of routes on a router that follow each other this closely are one burst.
BURST_GAP_S = 0.25
#: Kinds of items with their names, in the order in which they are offered.
KINDS = {
    "adjacency-up": "Adjacency up", "adjacency-change": "Adjacency changing", "adjacency-down": "Adjacency down",
    "routes": "Routes", "fault": "Fault", "mended": "Cleared", "daemon": "Daemon died", "note": "Note",
}  # fmt: skip
#: How many prefixes of a burst are named.
_NAMED = 4
#: The number of neighbours whose state, and of routers whose last burst of routes, is remembered.
_MOST_KNOWN = 100_000


@dataclass(frozen=True)
class TimelineItem:
    """Something that happened.

    Attributes:
        number: of the item, from 1; that of a burst stays while it grows.
        time_s: when, on the lab's clock; `until_s` is the end of a burst.
        kind: one of KINDS.
        where: the node or link that it happened to; empty for the whole lab.
        protocol: empty where none is concerned, or several are.
        text: for people.
        count: how many changes it stands for.
    """

    number: int
    time_s: float
    until_s: float
    kind: str
    where: str
    protocol: str
    text: str
    count: int = 1


class RoutingTimeline:
    """A list of items that does not grow without end.

    Attributes:
        revision: another number after every change.
        dropped: how many old items are no longer there.
    """

    def __init__(self, most: int = MOST_ITEMS) -> None:
        self._items: deque[TimelineItem] = deque()
        self._bursts: dict[str, _Burst] = {}
        self._most, self._next = most, 1
        self._states: dict[tuple[str, ...], str] = {}
        self._place: dict[int, TimelineItem] = {}
        self.revision = self.dropped = 0

    def __len__(self) -> int:
        return len(self._items)

    def adjacency(self, told: AdjacencyState) -> None:
        """Take a neighbour's change of state; one that repeats the known state is no item."""
        if self._states.get(told.key) == told.state:
            return
        if told.key in self._states or len(self._states) < _MOST_KNOWN:
            self._states[told.key] = told.state
        kind = {"up": "adjacency-up", "coming": "adjacency-change", "down": "adjacency-down"}[told.grade]
        over = f" over {told.interface}" if told.interface else ""
        vrf = f" in VRF {told.vrf}" if told.vrf else ""
        text = f"{protocol_title(told.protocol)} neighbor {told.neighbor or told.address} {told.state}{over}{vrf}"
        self._add(told.time_s, kind, told.router, told.protocol, text)

    def route(self, told: RouteChange, was_there: bool = False) -> None:
        """Take a route's change; `was_there` says whether the router had one to that prefix before."""
        burst = self._bursts.get(told.router)
        if burst is None or told.time_s - burst.until_s > BURST_GAP_S or burst.number not in self._place:
            burst = _Burst(self._next, told.time_s)
            if told.router in self._bursts or len(self._bursts) < _MOST_KNOWN:
                self._bursts[told.router] = burst
            self._add(told.time_s, "routes", told.router, told.protocol, "")
        burst.take(told, was_there)
        self._place[burst.number] = replace(
            self._place[burst.number], until_s=burst.until_s, text=burst.text(), count=burst.count,
            protocol=burst.protocol,
        )  # fmt: skip
        self.revision += 1

    def incident(self, told: Incident) -> None:
        """A fault, a daemon that died, or a daemon's note."""
        self._add(told.time_s, told.kind, told.where, told.protocol, told.text)

    def items(self, text: str = "", kinds: Iterable[str] = (), last: int = 0) -> list[TimelineItem]:
        """The items in the order of their beginnings.

        Args:
            text: what must stand somewhere in the item; empty for all.
            kinds: which; none for all.
            last: how many at most, the newest; 0 for all.
        """
        wanted, allowed = text.lower().strip(), frozenset(kinds)
        found = [
            item for item in (self._place[each.number] for each in self._items)
            if (not allowed or item.kind in allowed)
            and (not wanted or wanted in f"{item.where} {KINDS.get(item.kind, '')} {item.protocol} {item.text}".lower())
        ]  # fmt: skip
        found.sort(key=lambda item: (item.time_s, item.number))
        return found[-last:] if last else found

    def _add(self, time_s: float, kind: str, where: str, protocol: str, text: str) -> None:
        item = TimelineItem(self._next, time_s, time_s, kind, where, protocol, text)
        self._next += 1
        self._items.append(item)
        self._place[item.number] = item
        if len(self._items) > self._most:
            del self._place[self._items.popleft().number]
            self.dropped += 1
        self.revision += 1


class _Burst:
    """Changes of one router's routes that come together."""

    def __init__(self, number: int, time_s: float) -> None:
        self.number, self.until_s, self.count = number, time_s, 0
        self._prefixes: dict[str, str] = {}
        self._protocols: set[str] = set()

    def take(self, told: RouteChange, was_there: bool) -> None:
        self.until_s = max(self.until_s, told.time_s)
        self.count += 1
        self._prefixes[told.prefix] = "went" if not told.added else "changed" if was_there else "came"
        self._protocols |= {told.protocol} - {""}

    @property
    def protocol(self) -> str:
        return next(iter(self._protocols)) if len(self._protocols) == 1 else ""

    def text(self) -> str:
        """ "3 routes came (10.1.0.0/16, …), 1 went (10.2.0.0/16)"."""
        many = Counter(self._prefixes.values())
        parts: list[str] = []
        for word in ("came", "changed", "went"):
            if many[word]:
                names = [prefix for prefix, what in self._prefixes.items() if what == word]
                named = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
                noun = "" if parts else " route" if many[word] == 1 else " routes"
                parts.append(f"{many[word]}{noun} {word} ({named})")
        return ", ".join(parts)


def lanes(items: Sequence[TimelineItem], by: str) -> list[str]:
    """The lanes of some items, in the order of their names: r9 before r10.

    Args:
        by: "where" for a lane a node or link, "protocol" for one a protocol.
    """
    return sorted({lane_of(item, by) for item in items}, key=natural)


def lane_of(item: TimelineItem, by: str) -> str:
    """The lane that an item is in."""
    if by == "where":
        return item.where.partition(":")[0] or "lab"
    return protocol_title(item.protocol) if item.protocol else KINDS.get(item.kind, item.kind)


def as_csv(items: Sequence[TimelineItem], zero_s: float) -> str:
    """Items as CSV, with times from `zero_s` on."""
    rows: list[tuple[object, ...]] = [("time_s", "until_s", "kind", "where", "protocol", "count", "text")]
    for item in items:
        times = (f"{item.time_s - zero_s:.6f}", f"{item.until_s - zero_s:.6f}")
        rows.append((*times, item.kind, item.where, item.protocol, item.count, item.text))
    return csv_text(rows)
