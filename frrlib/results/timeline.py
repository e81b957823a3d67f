"""The story of a run's faults: fault, detection, neighbours lost, shortest paths, new routes, and what flows felt.

All of it comes from a results folder, so it can be told long after the run. Times are seconds from the start of all
flows; those that follow a fault are also given from the fault on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from frrlib.model.faults import CLEARING
from frrlib.results.records import Event, Results
from frrlib.results.series import Series, delivered, flow_samples, sending_span

#: Faults that kernels see at once; the first sign of them is that routes over the interface go.
_OF_CARRIER = frozenset(("link-down", "interface-down", "flap", "partition", "power-cycled"))
#: A flow stood still for as long as this, at least, before that is told.
LEAST_GAP_S = 0.1
#: A change of routes within so many seconds of the one before belongs to the same turmoil.
_CALM_S = 2.0


@dataclass(frozen=True)
class Moment:
    """One thing that happened.

    Attributes:
        time_s: when.
        after_s: how long after the fault of its chapter.
        who: the router, link or flow.
        what: one of "fault", "mended", "detected", "neighbour lost", "neighbour back", "spf", "route", "flow stops",
            "flow goes on", "daemon", "note".
        text: what exactly.
    """

    time_s: float
    after_s: float
    who: str
    what: str
    text: str


@dataclass(frozen=True)
class Gap:
    """The time that a flow stood still around a fault: no more bytes arrived.

    Attributes:
        flow: its id.
        from_s: the last moment before at which something arrived.
        to_s: when something arrived again; NaN where nothing did before the flow's end.
        lasted_s: how long; until the end of the flow where it never went on.
    """

    flow: str
    from_s: float
    to_s: float
    lasted_s: float


@dataclass(frozen=True)
class Chapter:
    """A fault and what followed, until the next one.

    Attributes:
        time_s: when the fault was made.
        target, fault, text: what it was.
        moments: what happened, in order; the first is the fault.
        detected_s, neighbour_s, spf_s, first_route_s, last_route_s, back_s: how long after the fault it was noticed
            (by carrier, BFD or a timer), the first neighbour was given up, shortest paths were computed, routes
            changed first and last, and the first neighbour was back; NaN where that did not happen. OSPFv2 logs every
            computation; the daemons of other protocols tell only of their last one.
        detected_by: what noticed it ("bfd", "carrier", "ospf's timer"); empty where nothing did.
        gaps: of each flow that stood still.
    """

    time_s: float
    target: str
    fault: str
    text: str
    moments: tuple[Moment, ...]
    detected_s: float = math.nan
    detected_by: str = ""
    neighbour_s: float = math.nan
    spf_s: float = math.nan
    first_route_s: float = math.nan
    last_route_s: float = math.nan
    back_s: float = math.nan
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True)
class Timeline:
    """The story of a run: one chapter for each fault, in order.

    Attributes:
        title: what was run.
        chapters: one for each fault that nothing else had made.
        routers: every router that did something, in the order in which they first did.
    """

    title: str
    chapters: tuple[Chapter, ...]
    routers: tuple[str, ...]


def timeline(results: Results) -> Timeline:
    """The story of a run; without chapters where no fault was made while it ran."""
    ordered = sorted((event for event in results.events if _is_told(event)), key=lambda event: event.time_s)
    events = list(_with_turns(ordered))
    begins = _begins(events)
    ends = [*(event.time_s for event in begins[1:]), math.inf]
    chapters = [_chapter(results, events, begin, end_s) for begin, end_s in zip(begins, ends, strict=False)]
    told = [event.subject for event in events if event.kind in ("route", "adjacency", "routing")]
    name = results.info.title or results.folder.resolve().name
    return Timeline(name, tuple(chapters), tuple(dict.fromkeys(told)))


def _is_told(event: Event) -> bool:
    return event.kind in ("fault", "daemon", "route", "adjacency", "routing") and not math.isnan(event.time_s)


def _with_turns(events: Sequence[Event]) -> Iterator[Event]:
    """The events; of neighbours with what became of them: "lost", "back", or "still" for any other step of theirs."""
    is_up: dict[tuple[str, str, str], bool] = {}
    for event in events:
        if event.kind != "adjacency":
            yield event
            continue
        before, now = is_up.get(_neighbour(event)), event.what == "up"
        is_up[_neighbour(event)] = now
        turn = "still" if before in (None, now) else "back" if now else "lost"
        yield replace(event, what=turn)


def _neighbour(event: Event) -> tuple[str, str, str]:
    """Router, protocol with neighbour, and interface."""
    return event.subject, event.text, _interface(event)


def _interface(event: Event) -> str:
    """The interface that an event names; empty for none."""
    found = re.search(r"\bat ([^\s;]+)|\(([^\s)]+)\)", f"{event.text} {event.detail}")
    return (found[1] or found[2]) if found else ""


def _begins(events: Sequence[Event]) -> list[Event]:
    """The faults that begin a chapter: those while flows ran, not what mends them nor the parts of a larger one."""
    found: list[Event] = []
    part_of = {"link-down": "partition", "interface-down": "flap"}
    for event in events:
        if event.kind != "fault" or event.what in CLEARING or event.time_s < 0:
            continue
        parts = found and found[-1].what == part_of.get(event.what, "")
        if not (parts and (event.what == "link-down" or event.subject == found[-1].subject)):
            found.append(event)
    return found


def _chapter(results: Results, events: Sequence[Event], begin: Event, end_s: float) -> Chapter:
    start_s = begin.time_s
    mine = [event for event in events if start_s <= event.time_s < end_s]
    after = [event for event in mine if event is not begin]
    lost = [event for event in after if event.kind == "adjacency" and event.what == "lost"]
    back = [event for event in after if event.kind == "adjacency" and event.what == "back"]
    spf = [event for event in after if (event.kind, event.what) == ("routing", "spf")]
    mended_s = next((e.time_s for e in after if e.kind == "fault" and e.what in CLEARING), end_s)
    routes = _first_turmoil([event for event in after if event.kind == "route" and event.time_s < mended_s])
    noticed = _noticed(after, by_routes=begin.what in _OF_CARRIER)
    gaps = tuple(_gaps(results, start_s, end_s))
    moments = sorted([*_moments(begin, mine, noticed), *_of_gaps(gaps, start_s)], key=lambda moment: moment.time_s)
    return Chapter(
        start_s, begin.subject, begin.what, begin.text, tuple(moments),
        detected_s=noticed.time_s - start_s if noticed else math.nan,
        detected_by=_by(noticed, events) if noticed else "",
        neighbour_s=_since(start_s, [event for event in lost if not event.text.startswith("bfd")]),
        spf_s=_since(start_s, spf),
        first_route_s=_since(start_s, routes[:1]),
        last_route_s=_since(start_s, routes[-1:]),
        back_s=_since(start_s, [e for e in back if e.time_s > mended_s]),
        gaps=gaps,
    )  # fmt: skip


def _since(start_s: float, events: Sequence[Event]) -> float:
    return events[0].time_s - start_s if events else math.nan


def _first_turmoil(routes: Sequence[Event]) -> list[Event]:
    """Changes of routes up to the first longer calm."""
    for number, (event, following) in enumerate(pairwise(routes), 1):
        if following.time_s - event.time_s > _CALM_S:
            return list(routes[:number])
    return list(routes)


def _noticed(events: Sequence[Event], *, by_routes: bool) -> Event | None:
    """The first sign that somebody has noticed: a timer, a reason, a neighbour or perhaps a route that is gone."""
    for event in events:
        if by_routes and event.kind == "route":
            return event
        if event.kind == "adjacency" and event.what == "lost":
            return event
        if event.kind == "routing" and event.what in ("timer", "down"):
            return event
    return None


def _by(event: Event, events: Sequence[Event]) -> str:
    """How the failure was noticed: the protocol, "carrier", or the protocol's timer. With BFD, the daemons report
    their own timer, which BFD has let expire."""
    if event.kind == "route":
        return "carrier"
    protocol, _, text = event.text.partition(" ")
    words = f"{text} {event.detail}".lower()
    if "interface" in words and "down" in words and "timer" not in words:
        return "carrier"
    if "bfd" in words:
        return "bfd"
    if event.what != "timer" and "inactivity" not in words:
        return protocol
    place = (event.subject, _interface(event))
    watched = (each for each in events if each.kind == "adjacency" and each.text.startswith("bfd "))
    return "bfd" if any((each.subject, _interface(each)) == place for each in watched) else f"{protocol}'s timer"


def _moments(begin: Event, events: Sequence[Event], noticed: Event | None) -> Iterator[Moment]:
    """The events of a chapter as moments; routes that one router changes at once are one."""
    start_s = begin.time_s
    routes: dict[tuple[str, str], list[Event]] = {}
    reasons = {_place(event): event for event in events if event.kind == "routing" and event is not noticed}
    lost = {_place(event) for event in events if event.kind == "adjacency" and event.what == "lost"}
    for event in events:
        if event.kind == "routing" and event is not noticed and _place(event) in lost:
            continue  # told with the neighbour that is lost
        since_s = event.time_s - start_s
        if event.kind == "route":
            last = routes.get((event.subject, event.what))
            if last and event.time_s - last[-1].time_s < 0.02:
                last.append(event)
            else:
                if last:
                    yield _routes(last, start_s, noticed)
                routes[event.subject, event.what] = [event]
        elif event.kind == "fault":
            what = "mended" if event.what in CLEARING else "fault"
            yield Moment(event.time_s, since_s, event.subject, what, _joined(event.what, event.text))
        elif event.kind == "daemon":
            yield Moment(event.time_s, since_s, event.subject, "daemon", event.text)
        elif event.kind == "adjacency":
            what = {"lost": "neighbour lost", "back": "neighbour back"}.get(event.what, "note")
            what = "detected" if event is noticed else what
            reason = reasons.get(_place(event)) if event.what == "lost" else None
            why = reason.text.partition(" ")[2].partition(" (")[0] if reason else ""
            yield Moment(event.time_s, since_s, event.subject, what, _joined(event.text, event.detail, why))
        else:
            what = "detected" if event is noticed else "spf" if event.what == "spf" else "note"
            yield Moment(event.time_s, since_s, event.subject, what, _joined(event.text, event.detail))
    for last in routes.values():
        yield _routes(last, start_s, noticed)


def _place(event: Event) -> tuple[str, str, str, float]:
    """Router, protocol, interface and moment: why a neighbour was lost bears the same as that it was."""
    return event.subject, event.text.partition(" ")[0], _interface(event), event.time_s


def _routes(events: Sequence[Event], start_s: float, noticed: Event | None) -> Moment:
    first = events[0]
    many = "" if len(events) == 1 else f" and {len(events) - 1} more"
    text = f"{first.what} {first.text}{many}"
    what = "detected" if first is noticed else "route"
    return Moment(first.time_s, first.time_s - start_s, first.subject, what, _joined(text, first.detail))


def _joined(*words: str) -> str:
    return ", ".join(filter(None, words))


# --- what the flows felt --------------------------------------------------------------------------------------------


def _gaps(results: Results, start_s: float, end_s: float) -> Iterator[Gap]:
    """The longest standstill of each flow that begins in a chapter."""
    for flow in flow_samples(results):
        span = sending_span(flow)
        if span is None:
            continue
        data, from_s, to_s = delivered(flow), max(start_s, span[0]), min(end_s, span[1])
        gap = longest_gap(data, from_s, to_s, span[1])
        if gap is not None and gap[0] < from_s - LEAST_GAP_S:  # it stood still before the fault
            gap = None if math.isnan(gap[1]) else longest_gap(data, gap[1], to_s, span[1])
        if gap is not None and gap[2] >= LEAST_GAP_S:
            yield Gap(flow.id, *gap)


def longest_gap(data: Series, from_s: float, to_s: float, last_s: float) -> tuple[float, float, float] | None:
    """The longest time in which a count did not grow, of those that reach into a span.

    Args:
        data: a count over time that never falls.
        from_s, to_s: the span.
        last_s: when the flow was over; a standstill that goes on until then has no end.

    Returns:
        from when, until when (NaN where it has no end), and how long; None where the span holds no sample.
    """
    times, counts = data
    if not times.size or to_s <= from_s:
        return None
    grew = times[np.flatnonzero(np.diff(counts) > 0) + 1]
    grew = grew[grew <= last_s]
    before = grew[grew <= from_s]
    marks = np.concatenate((before[-1:], grew[(grew > from_s)]))
    if not marks.size:
        return None
    edges = [*marks.tolist(), math.nan]
    found = []
    for begin, end in pairwise(edges):
        if begin < to_s:
            found.append((begin, end, (last_s if math.isnan(end) else end) - begin))
    return max(found, key=lambda gap: gap[2], default=None)


def _of_gaps(gaps: Sequence[Gap], start_s: float) -> Iterator[Moment]:
    for gap in gaps:
        yield Moment(gap.from_s, gap.from_s - start_s, gap.flow, "flow stops", "the last byte before the gap arrives")
        if not math.isnan(gap.to_s):
            text = f"data arrives again after {gap.lasted_s * 1000:.0f} ms"
            yield Moment(gap.to_s, gap.to_s - start_s, gap.flow, "flow goes on", text)
