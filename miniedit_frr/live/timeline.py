"""Events of a lab's routing in order, as items for a list and for lanes. Routes that change together are one item."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from frrlib.model.names import natural
from frrlib.safe_text.spreadsheet import csv_text
from miniedit_frr.live.messages import AdjacencyState, Incident, RouteChange, protocol_title

#: Maximum number of items; the oldest are dropped first.
MOST_ITEMS = 5_000
#: Maximum time between two changes of routes on a router in one burst.
BURST_GAP_S = 0.25
#: Kinds of items with their names, in the order of the menu.
KINDS = {
    "adjacency-up": "Adjacency up", "adjacency-change": "Adjacency changing", "adjacency-down": "Adjacency down",
    "routes": "Routes", "fault": "Fault", "cleared": "Cleared", "daemon": "Daemon died", "note": "Note",
}  # fmt: skip
#: Number of prefixes of a burst that are listed.
_NAMED = 4
#: Maximum number of neighbors with a stored state, and of routers with a stored burst.
_MOST_KNOWN = 100_000


@dataclass(frozen=True)
class TimelineItem:
    """An event of the timeline.

    Attributes:
        number: the number of the item, from 1. A growing burst keeps its number.
        time_s: the time on the lab's clock; `until_s` is the end of a burst.
        kind: one of KINDS.
        where: the node or link concerned; empty for the whole lab.
        protocol: the protocol concerned; empty for none or several.
        text: text for people.
        count: number of changes in the item.
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
    """A list of items with a maximum length.

    Attributes:
        revision: a number that rises with every change.
        dropped: number of old items that were dropped.
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

    def adjacency(self, change: AdjacencyState) -> None:
        """Add a neighbor's change of state. A repeated state is ignored."""
        if self._states.get(change.key) == change.state:
            return
        if change.key in self._states or len(self._states) < _MOST_KNOWN:
            self._states[change.key] = change.state
        kind = {"up": "adjacency-up", "coming": "adjacency-change", "down": "adjacency-down"}[change.grade]
        over = f" over {change.interface}" if change.interface else ""
        vrf = f" in VRF {change.vrf}" if change.vrf else ""
        text = (
            f"{protocol_title(change.protocol)} neighbor {change.neighbor or change.address} {change.state}{over}{vrf}"
        )
        self._add(change.time_s, kind, change.router, change.protocol, text)

    def route(self, change: RouteChange, was_there: bool = False) -> None:
        """Add a route's change; `was_there` is whether the router had a route to that prefix before."""
        burst = self._bursts.get(change.router)
        if burst is None or change.time_s - burst.until_s > BURST_GAP_S or burst.number not in self._place:
            burst = _Burst(self._next, change.time_s)
            if change.router in self._bursts or len(self._bursts) < _MOST_KNOWN:
                self._bursts[change.router] = burst
            self._add(change.time_s, "routes", change.router, change.protocol, "")
        burst.take(change, was_there)
        self._place[burst.number] = replace(
            self._place[burst.number], until_s=burst.until_s, text=burst.text(), count=burst.count,
            protocol=burst.protocol,
        )  # fmt: skip
        self.revision += 1

    def incident(self, incident: Incident) -> None:
        """Add a fault, the death of a daemon, or a daemon's note."""
        self._add(incident.time_s, incident.kind, incident.where, incident.protocol, incident.text)

    def items(self, text: str = "", kinds: Iterable[str] = (), last: int = 0) -> list[TimelineItem]:
        """The items in the order of their start.

        Args:
            text: a text that the item must contain; empty for all.
            kinds: kinds of items; empty for all.
            last: maximum number of items, the newest ones; 0 for all.
        """
        query, allowed = text.lower().strip(), frozenset(kinds)
        matches = [
            item for item in (self._place[entry.number] for entry in self._items)
            if (not allowed or item.kind in allowed)
            and (not query or query in f"{item.where} {KINDS.get(item.kind, '')} {item.protocol} {item.text}".lower())
        ]  # fmt: skip
        matches.sort(key=lambda item: (item.time_s, item.number))
        return matches[-last:] if last else matches

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
    """Changes of one router's routes that follow each other closely."""

    def __init__(self, number: int, time_s: float) -> None:
        self.number, self.until_s, self.count = number, time_s, 0
        self._prefixes: dict[str, str] = {}
        self._protocols: set[str] = set()

    def take(self, change: RouteChange, was_there: bool) -> None:
        self.until_s = max(self.until_s, change.time_s)
        self.count += 1
        self._prefixes[change.prefix] = "went" if not change.added else "changed" if was_there else "came"
        self._protocols |= {change.protocol} - {""}

    @property
    def protocol(self) -> str:
        return next(iter(self._protocols)) if len(self._protocols) == 1 else ""

    def text(self) -> str:
        """ "3 routes came (10.1.0.0/16, …), 1 went (10.2.0.0/16)"."""
        counts = Counter(self._prefixes.values())
        parts: list[str] = []
        for word in ("came", "changed", "went"):
            if counts[word]:
                names = [prefix for prefix, change in self._prefixes.items() if change == word]
                named = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
                noun = "" if parts else " route" if counts[word] == 1 else " routes"
                parts.append(f"{counts[word]}{noun} {word} ({named})")
        return ", ".join(parts)


def lanes(items: Sequence[TimelineItem], by: str) -> list[str]:
    """The lanes of some items, in the order of their names: r9 before r10.

    Args:
        by: "where" for one lane per node or link, "protocol" for one per protocol.
    """
    return sorted({lane_of(item, by) for item in items}, key=natural)


def lane_of(item: TimelineItem, by: str) -> str:
    """The lane of an item."""
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
