"""The timeline of a run's faults: fault, detection, lost neighbors, SPF runs, new routes, and gaps in flows.

All of it is computed from a results folder. Times are seconds from the start of all flows; moments after a fault also
have the time since the fault.
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

#: Faults that kernels notice at once; their first sign is the removal of routes over the interface.
_CARRIER_FAULTS = frozenset(("link-down", "interface-down", "flap", "partition", "power-cycled"))
#: The minimum duration of a gap in a flow that is reported.
LEAST_GAP_S = 0.1
#: The longest time in seconds between two changes of routes of the same convergence.
_PAUSE_S = 2.0


@dataclass(frozen=True)
class Moment:
    """An event of a timeline.

    Attributes:
        time_s: its time.
        after_s: the time since the fault.
        who: the router, link or flow.
        what: one of "fault", "cleared", "detected", "neighbor lost", "neighbor back", "spf", "route", "flow stops",
            "flow continues", "daemon", "note".
        text: its details.
    """

    time_s: float
    after_s: float
    who: str
    what: str
    text: str


@dataclass(frozen=True)
class Gap:
    """A time around a fault in which no bytes of a flow arrived.

    Attributes:
        flow: its id.
        from_s: the time of the last arrival before.
        to_s: the time of the next arrival; NaN if there was none before the flow's end.
        lasted_s: its duration; up to the end of the flow if no more bytes arrived.
    """

    flow: str
    from_s: float
    to_s: float
    lasted_s: float


@dataclass(frozen=True)
class FaultEffects:
    """A fault and its effects, until the next fault.

    Attributes:
        time_s: the time of the fault.
        target, fault, text: the link, node or router, the kind of fault, and its details.
        moments: the events in order; the first is the fault.
        detected_s, neighbor_s, spf_s, first_route_s, last_route_s, back_s: the time from the fault until it was
            detected (by carrier, BFD or a timer), until the first neighbor was lost, until the first SPF run, until the
            first and the last change of routes, and until the first neighbor was up again; NaN if that did not happen.
            OSPFv2 logs every SPF run; the daemons of other protocols report only their last one.
        detected_by: the mechanism that detected it ("bfd", "carrier", "ospf's timer"); empty for none.
        gaps: the gaps of flows.
    """

    time_s: float
    target: str
    fault: str
    text: str
    moments: tuple[Moment, ...]
    detected_s: float = math.nan
    detected_by: str = ""
    neighbor_s: float = math.nan
    spf_s: float = math.nan
    first_route_s: float = math.nan
    last_route_s: float = math.nan
    back_s: float = math.nan
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True)
class FaultTimeline:
    """The faults of a run and their effects, in order.

    Attributes:
        title: the title of the run.
        chapters: the effects of each fault, except of faults that are parts of a larger one.
        routers: every router with an event, in the order of their first events.
    """

    title: str
    chapters: tuple[FaultEffects, ...]
    routers: tuple[str, ...]


def fault_timeline(results: Results) -> FaultTimeline:
    """The timeline of a run; without chapters if there was no fault while it ran."""
    ordered = sorted((event for event in results.events if _is_relevant(event)), key=lambda event: event.time_s)
    events = list(_with_changes(ordered))
    begins = _begins(events)
    ends = [*(event.time_s for event in begins[1:]), math.inf]
    chapters = [_chapter(results, events, begin, end_s) for begin, end_s in zip(begins, ends, strict=False)]
    subjects = [event.subject for event in events if event.kind in ("route", "adjacency", "routing")]
    name = results.info.title or results.folder.resolve().name
    return FaultTimeline(name, tuple(chapters), tuple(dict.fromkeys(subjects)))


def _is_relevant(event: Event) -> bool:
    return event.kind in ("fault", "daemon", "route", "adjacency", "routing") and not math.isnan(event.time_s)


def _with_changes(events: Sequence[Event]) -> Iterator[Event]:
    """The events, those of neighbors with "lost", "back", or "still" (for no change between up and down) as `what`."""
    is_up: dict[tuple[str, str, str], bool] = {}
    for event in events:
        if event.kind != "adjacency":
            yield event
            continue
        was_up, now = is_up.get(_neighbor_key(event)), event.what == "up"
        is_up[_neighbor_key(event)] = now
        change = "still" if was_up in (None, now) else "back" if now else "lost"
        yield replace(event, what=change)


def _neighbor_key(event: Event) -> tuple[str, str, str]:
    """Router, protocol with neighbor, and interface."""
    return event.subject, event.text, _interface(event)


def _interface(event: Event) -> str:
    """The interface that an event names; empty for none."""
    match = re.search(r"\bat ([^\s;]+)|\(([^\s)]+)\)", f"{event.text} {event.detail}")
    return (match[1] or match[2]) if match else ""


def _begins(events: Sequence[Event]) -> list[Event]:
    """The faults that begin a chapter: faults while flows ran, without their ends and without parts of larger ones."""
    faults: list[Event] = []
    part_of = {"link-down": "partition", "interface-down": "flap"}
    for event in events:
        if event.kind != "fault" or event.what in CLEARING or event.time_s < 0:
            continue
        parts = faults and faults[-1].what == part_of.get(event.what, "")
        if not (parts and (event.what == "link-down" or event.subject == faults[-1].subject)):
            faults.append(event)
    return faults


def _chapter(results: Results, events: Sequence[Event], begin: Event, end_s: float) -> FaultEffects:
    start_s = begin.time_s
    mine = [event for event in events if start_s <= event.time_s < end_s]
    later = [event for event in mine if event is not begin]
    lost = [event for event in later if event.kind == "adjacency" and event.what == "lost"]
    restored = [event for event in later if event.kind == "adjacency" and event.what == "back"]
    spf = [event for event in later if (event.kind, event.what) == ("routing", "spf")]
    cleared_s = next((e.time_s for e in later if e.kind == "fault" and e.what in CLEARING), end_s)
    routes = _first_convergence([event for event in later if event.kind == "route" and event.time_s < cleared_s])
    detection = _detection(later, by_routes=begin.what in _CARRIER_FAULTS)
    gaps = tuple(_gaps(results, start_s, end_s))
    moments = sorted(
        [*_moments(begin, mine, detection), *_gap_moments(gaps, start_s)], key=lambda moment: moment.time_s
    )
    return FaultEffects(
        start_s, begin.subject, begin.what, begin.text, tuple(moments),
        detected_s=detection.time_s - start_s if detection else math.nan,
        detected_by=_detected_by(detection, events) if detection else "",
        neighbor_s=_since(start_s, [event for event in lost if not event.text.startswith("bfd")]),
        spf_s=_since(start_s, spf),
        first_route_s=_since(start_s, routes[:1]),
        last_route_s=_since(start_s, routes[-1:]),
        back_s=_since(start_s, [e for e in restored if e.time_s > cleared_s]),
        gaps=gaps,
    )  # fmt: skip


def _since(start_s: float, events: Sequence[Event]) -> float:
    return events[0].time_s - start_s if events else math.nan


def _first_convergence(routes: Sequence[Event]) -> list[Event]:
    """The changes of routes before the first longer pause."""
    for number, (event, following) in enumerate(pairwise(routes), 1):
        if following.time_s - event.time_s > _PAUSE_S:
            return list(routes[:number])
    return list(routes)


def _detection(events: Sequence[Event], *, by_routes: bool) -> Event | None:
    """The first event that shows the detection of a fault: an expired timer, a lost neighbor, or perhaps a removed
    route."""
    for event in events:
        if by_routes and event.kind == "route":
            return event
        if event.kind == "adjacency" and event.what == "lost":
            return event
        if event.kind == "routing" and event.what in ("timer", "down"):
            return event
    return None


def _detected_by(event: Event, events: Sequence[Event]) -> str:
    """The mechanism that detected the fault: the protocol, "carrier", or the protocol's timer. With BFD, the daemons
    report their own timer, because BFD makes it expire."""
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
    watched = (candidate for candidate in events if candidate.kind == "adjacency" and candidate.text.startswith("bfd "))
    return (
        "bfd"
        if any((candidate.subject, _interface(candidate)) == place for candidate in watched)
        else f"{protocol}'s timer"
    )


def _moments(begin: Event, events: Sequence[Event], detection: Event | None) -> Iterator[Moment]:
    """The events of a chapter as moments; routes that one router changes at the same time are one moment."""
    start_s = begin.time_s
    routes: dict[tuple[str, str], list[Event]] = {}
    reasons = {_place(event): event for event in events if event.kind == "routing" and event is not detection}
    lost = {_place(event) for event in events if event.kind == "adjacency" and event.what == "lost"}
    for event in events:
        if event.kind == "routing" and event is not detection and _place(event) in lost:
            continue  # part of the moment of the lost neighbor
        since_s = event.time_s - start_s
        if event.kind == "route":
            last = routes.get((event.subject, event.what))
            if last and event.time_s - last[-1].time_s < 0.02:
                last.append(event)
            else:
                if last:
                    yield _routes(last, start_s, detection)
                routes[event.subject, event.what] = [event]
        elif event.kind == "fault":
            kind = "cleared" if event.what in CLEARING else "fault"
            yield Moment(event.time_s, since_s, event.subject, kind, _joined(event.what, event.text))
        elif event.kind == "daemon":
            yield Moment(event.time_s, since_s, event.subject, "daemon", event.text)
        elif event.kind == "adjacency":
            kind = {"lost": "neighbor lost", "back": "neighbor back"}.get(event.what, "note")
            kind = "detected" if event is detection else kind
            reason = reasons.get(_place(event)) if event.what == "lost" else None
            reason_text = reason.text.partition(" ")[2].partition(" (")[0] if reason else ""
            yield Moment(event.time_s, since_s, event.subject, kind, _joined(event.text, event.detail, reason_text))
        else:
            kind = "detected" if event is detection else "spf" if event.what == "spf" else "note"
            yield Moment(event.time_s, since_s, event.subject, kind, _joined(event.text, event.detail))
    for last in routes.values():
        yield _routes(last, start_s, detection)


def _place(event: Event) -> tuple[str, str, str, float]:
    """Router, protocol, interface and time, which the loss of a neighbor and the event with its reason share."""
    return event.subject, event.text.partition(" ")[0], _interface(event), event.time_s


def _routes(events: Sequence[Event], start_s: float, detection: Event | None) -> Moment:
    first = events[0]
    many = "" if len(events) == 1 else f" and {len(events) - 1} more"
    text = f"{first.what} {first.text}{many}"
    kind = "detected" if first is detection else "route"
    return Moment(first.time_s, first.time_s - start_s, first.subject, kind, _joined(text, first.detail))


def _joined(*words: str) -> str:
    return ", ".join(filter(None, words))


# --- gaps in flows ----------------------------------------------------------------------------------------------------


def _gaps(results: Results, start_s: float, end_s: float) -> Iterator[Gap]:
    """The longest gap of each flow that begins in a chapter."""
    for flow in flow_samples(results):
        span = sending_span(flow)
        if span is None:
            continue
        data, from_s, to_s = delivered(flow), max(start_s, span[0]), min(end_s, span[1])
        gap = longest_gap(data, from_s, to_s, span[1])
        if gap is not None and gap[0] < from_s - LEAST_GAP_S:  # it began before the fault
            gap = None if math.isnan(gap[1]) else longest_gap(data, gap[1], to_s, span[1])
        if gap is not None and gap[2] >= LEAST_GAP_S:
            yield Gap(flow.id, *gap)


def longest_gap(data: Series, from_s: float, to_s: float, last_s: float) -> tuple[float, float, float] | None:
    """The longest time in which a count did not grow, among those that overlap a span.

    Args:
        data: a count over time that never falls.
        from_s, to_s: the span.
        last_s: the end of the flow; a gap that lasts until then has no end.

    Returns:
        Its start, its end (NaN if it has none), and its duration; None without a sample in the span.
    """
    times, counts = data
    if not times.size or to_s <= from_s:
        return None
    grew = times[np.flatnonzero(np.diff(counts) > 0) + 1]
    grew = grew[grew <= last_s]
    earlier = grew[grew <= from_s]
    marks = np.concatenate((earlier[-1:], grew[(grew > from_s)]))
    if not marks.size:
        return None
    edges = [*marks.tolist(), math.nan]
    gaps = []
    for begin, end in pairwise(edges):
        if begin < to_s:
            gaps.append((begin, end, (last_s if math.isnan(end) else end) - begin))
    return max(gaps, key=lambda gap: gap[2], default=None)


def _gap_moments(gaps: Sequence[Gap], start_s: float) -> Iterator[Moment]:
    for gap in gaps:
        yield Moment(gap.from_s, gap.from_s - start_s, gap.flow, "flow stops", "the last byte before the gap arrives")
        if not math.isnan(gap.to_s):
            text = f"data arrives again after {gap.lasted_s * 1000:.0f} ms"
            yield Moment(gap.to_s, gap.to_s - start_s, gap.flow, "flow continues", text)
