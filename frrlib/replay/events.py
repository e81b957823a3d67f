"""The events of a run as rows for people: faults, neighbors, routes, paths, flows and daemons."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from frrlib.model.faults import CLEARING, ENDED_BY
from frrlib.replay.flow_paths import PathState
from frrlib.replay.neighbors import UP, grade, interface_of
from frrlib.results.records import Event, Results

#: The most rows of the table. Of more, changes of routes and runs of SPF are left out first.
MOST_ROWS = 1500
#: Changes of routes on a router with pauses up to this time are one row.
_BURST_S = 0.25
#: The number of prefixes that a row of routes names.
_NAMED = 3
#: Kinds of rows that are announced to screen readers, and kept if there are too many rows.
IMPORTANT = frozenset(("fault", "fault over", "neighbor lost", "neighbor up", "path", "flow", "daemon", "change"))
#: The fault that ends another one.
_ENDS: Mapping[str, str] = {**ENDED_BY, "daemon-killed": "daemon-restarted"}


@dataclass(frozen=True)
class EventRow:
    """A row of the table of events: its time in seconds of the run, its kind, the node, link or flow, and a text."""

    time_s: float
    kind: str
    where: str
    text: str


@dataclass(frozen=True)
class FaultSpan:
    """The time during which a fault lasts; until the end of the run if `end_s` is infinite."""

    begin_s: float
    end_s: float
    target: str
    kind: str
    text: str


def event_rows(results: Results, paths: Mapping[str, Sequence[PathState]]) -> tuple[list[EventRow], int]:
    """The rows in the order of time, and the number of rows that were left out."""
    events = sorted((e for e in results.events if not math.isnan(e.time_s)), key=lambda event: event.time_s)
    rows = [
        *_plain_rows(events), *_neighbor_rows(events), *_bursts(events, "route"), *_bursts(events, "routing"),
        *_path_rows(paths),
    ]  # fmt: skip
    ordered = sorted(rows, key=lambda row: row.time_s)
    if len(ordered) <= MOST_ROWS:
        return ordered, 0
    important = [row for row in ordered if row.kind in IMPORTANT][:MOST_ROWS]
    return important, len(ordered) - len(important)


def fault_spans(results: Results) -> list[FaultSpan]:
    """The times during which faults last, in their order. A fault without an end lasts until the end of the run."""
    faults = [event for event in results.events if event.kind == "fault" and not math.isnan(event.time_s)]
    spans = []
    for number, event in enumerate(faults):
        if event.what not in _ENDS:
            continue
        ends = (
            later.time_s
            for later in faults[number + 1 :]
            if later.subject == event.subject and later.what == _ENDS[event.what]
        )
        spans.append(FaultSpan(event.time_s, next(ends, math.inf), event.subject, event.what, event.text))
    return spans


def _plain_rows(events: Iterable[Event]) -> Iterator[EventRow]:
    for event in events:
        match event.kind:
            case "fault":
                words = event.text or event.what.replace("-", " ")
                kind = "fault over" if event.what in CLEARING else "change" if event.what == "link-values" else "fault"
                yield EventRow(event.time_s, kind, event.subject, words)
            case "flow":
                yield EventRow(
                    event.time_s, "flow", event.subject, _joined(_FLOW_WORDS.get(event.what, event.what), event)
                )
            case "daemon":
                yield EventRow(event.time_s, "daemon", event.subject, f"{event.text} {event.what}".strip())


_FLOW_WORDS = {"start": "starts", "end": "ends"}


def _joined(words: str, event: Event) -> str:
    return f"{words}: {event.text}" if event.text else words


def _neighbor_rows(events: Iterable[Event]) -> Iterator[EventRow]:
    """A row for each neighbor that comes up or is lost; states between these have none."""
    was_up: dict[tuple[str, str, str], bool] = {}
    for event in events:
        if event.kind != "adjacency":
            continue
        key = event.subject, event.text, interface_of(event)
        is_up = grade(event) == UP
        if was_up.get(key, False) != is_up:
            state, _, place = event.detail.partition("; ")
            kind = "neighbor up" if is_up else "neighbor lost"
            yield EventRow(event.time_s, kind, event.subject, " ".join(filter(None, (event.text, state, place))))
        was_up[key] = is_up


def _bursts(events: Iterable[Event], kind: str) -> Iterator[EventRow]:
    """Changes of routes, or events of routing daemons, that follow each other closely on a router, as one row."""
    bursts: dict[str, list[Event]] = {}
    for event in events:
        if event.kind != kind:
            continue
        burst = bursts.setdefault(event.subject, [])
        if burst and event.time_s - burst[-1].time_s > _BURST_S:
            yield _burst_row(burst)
            burst.clear()
        burst.append(event)
    yield from (_burst_row(burst) for burst in bursts.values() if burst)


def _burst_row(burst: Sequence[Event]) -> EventRow:
    first = burst[0]
    if first.kind == "routing":
        return EventRow(first.time_s, "routing", first.subject, "; ".join(dict.fromkeys(event.text for event in burst)))
    is_gone = {event.text: event.what == "removed" for event in burst}
    parts = []
    for gone, words in ((False, "new or changed"), (True, "removed")):
        names = [name for name, is_removed in is_gone.items() if is_removed == gone]
        named = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
        if names:
            parts.append(f"{len(names)} {'route' if len(names) == 1 else 'routes'} {words}: {named}")
    return EventRow(first.time_s, "routes", first.subject, "; ".join(parts))


def _path_rows(paths: Mapping[str, Sequence[PathState]]) -> Iterator[EventRow]:
    """A row for each change of a path, which names all flows that it concerns."""
    flows: dict[tuple[float, str], list[str]] = {}
    for flow, states in paths.items():
        for state in states:
            if math.isfinite(state.time_s):
                flows.setdefault((state.time_s, state.words), []).append(flow)
    yield from (EventRow(time_s, "path", ", ".join(names), words) for (time_s, words), names in flows.items())
