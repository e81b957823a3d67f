"""The plan of a run on a time axis: flows and faults moved, made longer, given other levels, copied, taken out.

Whatever is asked for, what comes out is a valid plan: times, lengths and levels go as far as their values allow.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import ValidationError

from frrlib.edits.fault_plan import set_faults
from frrlib.edits.new_names import fresh_flow_ids
from frrlib.errors import TopologyError
from frrlib.model.base import first_fault
from frrlib.model.courses import MOST_STEPS, Course
from frrlib.model.fault_words import LATEST_S
from frrlib.model.faults import LASTING, Fault
from frrlib.model.flows import Flow
from frrlib.model.topology import Topology

V = TypeVar("V", Flow, Fault)

#: The shortest that anything lasts, in seconds; a flow lasts whole seconds, as iperf3 counts them.
SHORTEST_S = 0.001
#: The shortest period that a drag makes, in seconds.
_SHORTEST_PERIOD_S = 0.01
#: Between what each value of a link can be planned. A rate of 0 would take the limit away, which is no lower rate.
RANGES: dict[str, tuple[float, float]] = {
    "rate_mbit": (0.01, 1_000_000), "delay_ms": (0, 60_000), "jitter_ms": (0, 60_000), "loss_percent": (0, 100),
    "queue_packets": (1, 10_000_000), "queue_bytes": (1, 4_000_000_000), "queue_ms": (0.01, 60_000),
    "queue_bdp": (0.01, 10_000),
}  # fmt: skip
_WHOLE = ("queue_packets", "queue_bytes")


class ScheduleKey(NamedTuple):
    """An entry of a plan: the flow, or the fault, of this number (from 0) in the drawing."""

    kind: Literal["flow", "fault"]
    number: int


class ScheduleEdit(NamedTuple):
    """A drawing with another plan, and where each entry of the plan before is in it; what is gone is not named."""

    topology: Topology
    now: Mapping[ScheduleKey, ScheduleKey]


def entries(topology: Topology) -> dict[ScheduleKey, Flow | Fault]:
    """All entries of a plan, flows first."""
    flows: dict[ScheduleKey, Flow | Fault] = {
        ScheduleKey("flow", index): each for index, each in enumerate(topology.flows)
    }
    return flows | {ScheduleKey("fault", index): each for index, each in enumerate(topology.faults)}


def begins_s(entry: Flow | Fault) -> float:
    """The begin of an entry, from the start of the flows."""
    return entry.start_s if isinstance(entry, Flow) else entry.time_s


def lasts_s(entry: Flow | Fault) -> float | None:
    """Its duration; None for an entry that has no planned end, or takes no time."""
    if isinstance(entry, Fault) and entry.kind == "flap":
        return entry.times * entry.period_s
    return entry.duration_s


def shifted(topology: Topology, chosen: Collection[ScheduleKey], by_s: float) -> ScheduleEdit:
    """Some entries earlier (`by_s` < 0) or later, all by as much; none before the start of the flows."""
    there = _of(topology, chosen)
    if there:
        first, last = min(map(begins_s, there.values())), max(map(begins_s, there.values()))
        by_s = max(-first, min(by_s, max(0.0, LATEST_S - last)))
    return replaced(topology, {key: _begun(each, begins_s(each) + by_s) for key, each in there.items()})


def prolonged(topology: Topology, chosen: Collection[ScheduleKey], by_s: float) -> ScheduleEdit:
    """Some entries longer or shorter (`by_s` < 0); those without an end of their own stay.

    A flow lasts whole seconds, an interface flaps whole times, and the changes of a varied value stay countable.
    """
    return replaced(topology, {key: _prolonged(each, by_s) for key, each in _of(topology, chosen).items()})


def with_duration(topology: Topology, chosen: Collection[ScheduleKey], duration_s: float | None) -> ScheduleEdit:
    """Faults mended after so many seconds, or never (None); what cannot be so stays as it is."""
    changed: dict[ScheduleKey, Flow | Fault] = {}
    for key, each in _of(topology, chosen).items():
        if isinstance(each, Fault) and each.kind in LASTING and (duration_s or each.kind != "varied"):
            most_s = longest_s(each.course) if each.course is not None else LATEST_S
            changed[key] = _changed(each, duration_s=min(duration_s, most_s) if duration_s else None)
    return replaced(topology, changed)


def with_period(topology: Topology, planned: ScheduleKey, period_s: float) -> ScheduleEdit:
    """An entry with another period, as near to it as its changes stay countable; one without a period stays.

    An interface flaps as often as before, so that it takes longer or shorter in all.
    """
    entry = entries(topology).get(planned)
    if not isinstance(entry, Fault) or not period_of(entry):
        return replaced(topology, {})
    if entry.course is None:
        changed = _changed(entry, period_s=min(max(_SHORTEST_PERIOD_S, round(period_s, 6)), 3600.0))
    else:
        # A square wave changes twice in each period; a rounding error must not make it one change more.
        least_s = max(_SHORTEST_PERIOD_S, 2 * (entry.duration_s or 0.0) / MOST_STEPS * (1 + 1e-9))
        course = _made(entry.course, period_s=min(max(least_s, round(period_s, 6)), float(LATEST_S)))
        changed = _changed(entry, course=course)
    return replaced(topology, {planned: changed})


def period_of(entry: Flow | Fault) -> float:
    """The period of a wave, or of an interface that flaps, in seconds; 0 for what has none."""
    if not isinstance(entry, Fault):
        return 0.0
    if entry.kind == "flap":
        return entry.period_s
    return entry.course.period_s if entry.course is not None and entry.course.pattern in ("square", "sine") else 0.0


def with_level(topology: Topology, planned: ScheduleKey, level: str, value: float) -> ScheduleEdit:
    """An entry with another value of the link.

    Args:
        level: "low" or "high" of a course that has them; else the field that the fault changes ("rate_mbit"). An entry
            without that level stays.
        value: in the field's unit; taken to the nearest that is possible.
    """
    entry = entries(topology).get(planned)
    if not isinstance(entry, Fault) or level not in levels(entry):
        return replaced(topology, {})
    if entry.course is not None:
        course = entry.course
        changed = _changed(entry, course=_made(course, **{level: within(course.value, value)}))
    elif entry.values is not None:
        changed = _changed(entry, values=_made(entry.values, **{level: within(level, value)}))
    else:
        changed = _changed(entry, loss_percent=within("loss_percent", value))
    return replaced(topology, {planned: changed})


def levels(entry: Flow | Fault) -> dict[str, float]:
    """The levels of an entry that can be moved, by name as in `with_level`, with their values."""
    if not isinstance(entry, Fault):
        return {}
    if entry.course is not None:
        return {} if entry.course.pattern == "trace" else {"low": entry.course.low, "high": entry.course.high}
    if entry.values is not None:
        return entry.values.given
    return {"loss_percent": entry.loss_percent} if entry.kind == "loss" else {}


def within(field: str, value: float) -> float:
    """The value of a field that can be planned and is nearest to one."""
    least, most = RANGES[field]
    near = min(max(value, least), most)
    return round(near) if field in _WHOLE else round(near, 6)


def removed(topology: Topology, chosen: Collection[ScheduleKey]) -> ScheduleEdit:
    """The plan without some entries."""
    gone = set(chosen)
    kept = [key for key in entries(topology) if key not in gone]
    count = {"flow": 0, "fault": 0}
    now: dict[ScheduleKey, ScheduleKey] = {}
    for key in kept:
        now[key] = ScheduleKey(key.kind, count[key.kind])
        count[key.kind] += 1
    flows = tuple(each for index, each in enumerate(topology.flows) if ("flow", index) not in gone)
    faults = tuple(each for index, each in enumerate(topology.faults) if ("fault", index) not in gone)
    return ScheduleEdit(topology.model_copy(update={"flows": flows, "faults": faults}), now)


def added(
    topology: Topology, more: Iterable[Flow | Fault], by_s: float = 0.0
) -> tuple[Topology, frozenset[ScheduleKey]]:
    """The plan with more entries, each later by so much; flows get ids that are free.

    Returns:
        The drawing, and where the new entries are in it.
    """
    listed = [_begun(each, min(max(0.0, begins_s(each) + by_s), LATEST_S)) for each in more]
    ids = fresh_flow_ids(topology)
    flows = [each.model_copy(update={"id": next(ids)}) for each in listed if isinstance(each, Flow)]
    first_flow, first_new = len(topology.flows), len(topology.faults)
    faults = (*topology.faults, *(each for each in listed if isinstance(each, Fault)))
    grown = topology.model_copy(update={"flows": (*topology.flows, *flows), "faults": faults})
    after, now = replaced(grown, {})
    new = [ScheduleKey("flow", index) for index in range(first_flow, len(grown.flows))]
    new += [now[ScheduleKey("fault", index)] for index in range(first_new, len(faults))]
    return after, frozenset(new)


def trace_faults(courses: Iterable[Course], link: str, time_s: float) -> tuple[Fault, ...]:
    """The faults that have a link's values go as some traces, once from their beginning to their end.

    Raises:
        TopologyError: a trace has more changes than a plan takes.
    """
    return tuple(_trace(course, link, time_s) for course in courses)


def _trace(course: Course, link: str, time_s: float) -> Fault:
    times = [at for at, _ in course.points]
    # What the last value lasts is not in the file: as long as those before it do.
    step_s = (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else 1.0
    try:
        return Fault(
            kind="varied", target=link, time_s=time_s, course=course,
            duration_s=course.period_s or round(times[-1] + step_s, 6),
        )  # fmt: skip
    except ValidationError as problem:
        raise TopologyError(f"the trace {first_fault(problem)[1]}", node=link, field="points") from None


# --- single entries -----------------------------------------------------------------------------------------------


def _of(topology: Topology, chosen: Collection[ScheduleKey]) -> dict[ScheduleKey, Flow | Fault]:
    return {key: each for key, each in entries(topology).items() if key in chosen}


def _made(value: Any, **changes: Any) -> Any:
    """A value with other contents, validated as a new one is."""
    return type(value)(**{**dict(value), **changes})


def _changed(entry: V, **changes: Any) -> V:
    return entry if all(getattr(entry, name) == value for name, value in changes.items()) else _made(entry, **changes)


def _begun(entry: Flow | Fault, time_s: float) -> Flow | Fault:
    at_s = max(0.0, round(time_s, 6))
    return _changed(entry, start_s=at_s) if isinstance(entry, Flow) else _changed(entry, time_s=at_s)


def _prolonged(entry: Flow | Fault, by_s: float) -> Flow | Fault:
    lasted_s = lasts_s(entry)
    if lasted_s is None or not by_s:
        return entry
    wanted_s = lasted_s + by_s
    if isinstance(entry, Flow):
        # iperf3 sends for whole seconds; in a plan they are convenient for all.
        return _changed(entry, duration_s=float(min(max(1, round(wanted_s)), LATEST_S)))
    if entry.kind == "flap":
        return _changed(entry, times=min(max(1, round(wanted_s / entry.period_s)), 10_000))
    most_s = min(float(LATEST_S), longest_s(entry.course)) if entry.course is not None else float(LATEST_S)
    return _changed(entry, duration_s=min(max(SHORTEST_S, round(wanted_s, 6)), most_s))


def longest_s(course: Course) -> float:
    """How long a course may last before its changes are too many for a plan; infinite for a trace that runs once."""
    if course.pattern == "square":
        longest = MOST_STEPS * course.period_s / 2
    elif course.pattern == "trace":
        longest = MOST_STEPS // len(course.points) * course.period_s if course.period_s else math.inf
    else:
        longest = MOST_STEPS * course.step_s
    return longest * (1 - 1e-9)  # a rounding error must not make it one change more


def replaced(topology: Topology, values: Mapping[ScheduleKey, Flow | Fault]) -> ScheduleEdit:
    """The plan with these entries in the place of those that were there; faults stay in the order of their times."""
    there = {**entries(topology), **values}
    flows = tuple(each for each in there.values() if isinstance(each, Flow))
    faults = [each for each in there.values() if isinstance(each, Fault)]
    order = sorted(range(len(faults)), key=lambda index: faults[index].time_s)
    now = {key: key for key in there}
    now |= {ScheduleKey("fault", was): ScheduleKey("fault", index) for index, was in enumerate(order)}
    return ScheduleEdit(set_faults(topology.model_copy(update={"flows": flows}), faults), now)


def matching_keys(before: Topology, after: Topology, chosen: Collection[ScheduleKey]) -> frozenset[ScheduleKey]:
    """Where entries of one drawing are in another: flows by their ids, faults by what they say; a fault that says
    something else by now, as after undo, is the one of its kind and target that was not there before."""
    ids = {flow.id: ScheduleKey("flow", number) for number, flow in enumerate(after.flows)}
    found = {ids.get(each.id) for each in _of(before, chosen).values() if isinstance(each, Flow)}
    new = {number: each for number, each in enumerate(after.faults) if each not in before.faults}
    for key, entry in _of(before, chosen).items():
        if isinstance(entry, Fault):
            near = [number for number, each in enumerate(after.faults) if each == entry]
            near = near or [number for number, each in new.items() if _about(each) == _about(entry)]
            place = min(near, key=lambda number: abs(number - key.number), default=None)
            found.add(None if place is None else ScheduleKey("fault", place))
    return frozenset(each for each in found if each is not None)


def _about(fault: Fault) -> tuple[str, str, str]:
    return fault.kind, fault.target, fault.towards
