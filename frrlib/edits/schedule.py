"""Edits of the schedule of a run: flows and faults are moved, prolonged, changed in level, copied and removed.

Every edit results in a valid schedule: times, durations and levels are limited to their valid ranges.
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

#: Minimum duration in seconds; a flow lasts whole seconds, as iperf3 counts them.
SHORTEST_S = 0.001
#: Minimum period that a drag sets, in seconds.
_SHORTEST_PERIOD_S = 0.01
#: Valid range of each planned value of a link. A rate of 0 is excluded, since it removes the limit.
RANGES: dict[str, tuple[float, float]] = {
    "rate_mbit": (0.01, 1_000_000), "delay_ms": (0, 60_000), "jitter_ms": (0, 60_000), "loss_percent": (0, 100),
    "queue_packets": (1, 10_000_000), "queue_bytes": (1, 4_000_000_000), "queue_ms": (0.01, 60_000),
    "queue_bdp": (0.01, 10_000),
}  # fmt: skip
_WHOLE = ("queue_packets", "queue_bytes")


class ScheduleKey(NamedTuple):
    """The key of an entry: the flow or the fault with this number (from 0) in the topology."""

    kind: Literal["flow", "fault"]
    number: int


class ScheduleEdit(NamedTuple):
    """A topology with a changed schedule, and the new key of each remaining entry by its old key."""

    topology: Topology
    now: Mapping[ScheduleKey, ScheduleKey]


def entries(topology: Topology) -> dict[ScheduleKey, Flow | Fault]:
    """All entries of a schedule by key, flows first."""
    flows: dict[ScheduleKey, Flow | Fault] = {
        ScheduleKey("flow", index): entry for index, entry in enumerate(topology.flows)
    }
    return flows | {ScheduleKey("fault", index): entry for index, entry in enumerate(topology.faults)}


def begins_s(entry: Flow | Fault) -> float:
    """The start of an entry, from the start of the flows."""
    return entry.start_s if isinstance(entry, Flow) else entry.time_s


def lasts_s(entry: Flow | Fault) -> float | None:
    """The duration of an entry; None without a planned end or for an instantaneous one."""
    if isinstance(entry, Fault) and entry.kind == "flap":
        return entry.times * entry.period_s
    return entry.duration_s


def shifted(topology: Topology, keys: Collection[ScheduleKey], by_s: float) -> ScheduleEdit:
    """Move some entries earlier (`by_s` < 0) or later by the same time, but not before the start of the flows."""
    selected = _selected(topology, keys)
    if selected:
        first, last = min(map(begins_s, selected.values())), max(map(begins_s, selected.values()))
        by_s = max(-first, min(by_s, max(0.0, LATEST_S - last)))
    return replaced(topology, {key: _started_at(entry, begins_s(entry) + by_s) for key, entry in selected.items()})


def prolonged(topology: Topology, keys: Collection[ScheduleKey], by_s: float) -> ScheduleEdit:
    """Make some entries longer or shorter (`by_s` < 0); those without an end are unchanged.

    A flow lasts whole seconds, an interface flaps a whole number of times, and a varied value keeps its limit of
    changes.
    """
    return replaced(topology, {key: _prolonged(entry, by_s) for key, entry in _selected(topology, keys).items()})


def with_duration(topology: Topology, keys: Collection[ScheduleKey], duration_s: float | None) -> ScheduleEdit:
    """Set the duration of faults, None for no end; faults without a duration are unchanged."""
    changed: dict[ScheduleKey, Flow | Fault] = {}
    for key, entry in _selected(topology, keys).items():
        if isinstance(entry, Fault) and entry.kind in LASTING and (duration_s or entry.kind != "varied"):
            most_s = longest_s(entry.course) if entry.course is not None else LATEST_S
            changed[key] = _changed(entry, duration_s=min(duration_s, most_s) if duration_s else None)
    return replaced(topology, changed)


def with_period(topology: Topology, key: ScheduleKey, period_s: float) -> ScheduleEdit:
    """Set the period of an entry, limited by the number of changes; an entry without a period is unchanged.

    An interface flaps as many times as before, so its total duration changes.
    """
    entry = entries(topology).get(key)
    if not isinstance(entry, Fault) or not period_of(entry):
        return replaced(topology, {})
    if entry.course is None:
        changed = _changed(entry, period_s=min(max(_SHORTEST_PERIOD_S, round(period_s, 6)), 3600.0))
    else:
        # A square wave changes twice in each period; a rounding error must not add a change.
        least_s = max(_SHORTEST_PERIOD_S, 2 * (entry.duration_s or 0.0) / MOST_STEPS * (1 + 1e-9))
        course = _validated(entry.course, period_s=min(max(least_s, round(period_s, 6)), float(LATEST_S)))
        changed = _changed(entry, course=course)
    return replaced(topology, {key: changed})


def period_of(entry: Flow | Fault) -> float:
    """The period of a wave or of a flapping interface, in seconds; 0 for other entries."""
    if not isinstance(entry, Fault):
        return 0.0
    if entry.kind == "flap":
        return entry.period_s
    return entry.course.period_s if entry.course is not None and entry.course.pattern in ("square", "sine") else 0.0


def with_level(topology: Topology, key: ScheduleKey, level: str, value: float) -> ScheduleEdit:
    """Set a value of the link in an entry.

    Args:
        level: "low" or "high" of a course that has them; else the field that the fault changes ("rate_mbit"). An entry
            without that level is unchanged.
        value: value in the field's unit; limited to its valid range.
    """
    entry = entries(topology).get(key)
    if not isinstance(entry, Fault) or level not in levels(entry):
        return replaced(topology, {})
    if entry.course is not None:
        course = entry.course
        changed = _changed(entry, course=_validated(course, **{level: within(course.value, value)}))
    elif entry.values is not None:
        changed = _changed(entry, values=_validated(entry.values, **{level: within(level, value)}))
    else:
        changed = _changed(entry, loss_percent=within("loss_percent", value))
    return replaced(topology, {key: changed})


def levels(entry: Flow | Fault) -> dict[str, float]:
    """The adjustable levels of an entry by name as in `with_level`, with their values."""
    if not isinstance(entry, Fault):
        return {}
    if entry.course is not None:
        return {} if entry.course.pattern == "trace" else {"low": entry.course.low, "high": entry.course.high}
    if entry.values is not None:
        return entry.values.numbers
    return {"loss_percent": entry.loss_percent} if entry.kind == "loss" else {}


def within(field: str, value: float) -> float:
    """The valid value of a field that is nearest to a value."""
    least, most = RANGES[field]
    near = min(max(value, least), most)
    return round(near) if field in _WHOLE else round(near, 6)


def removed(topology: Topology, keys: Collection[ScheduleKey]) -> ScheduleEdit:
    """Remove some entries."""
    removed_keys = set(keys)
    remaining = [key for key in entries(topology) if key not in removed_keys]
    count = {"flow": 0, "fault": 0}
    now: dict[ScheduleKey, ScheduleKey] = {}
    for key in remaining:
        now[key] = ScheduleKey(key.kind, count[key.kind])
        count[key.kind] += 1
    flows = tuple(entry for index, entry in enumerate(topology.flows) if ("flow", index) not in removed_keys)
    faults = tuple(entry for index, entry in enumerate(topology.faults) if ("fault", index) not in removed_keys)
    return ScheduleEdit(topology.model_copy(update={"flows": flows, "faults": faults}), now)


def added(
    topology: Topology, new_entries: Iterable[Flow | Fault], by_s: float = 0.0
) -> tuple[Topology, frozenset[ScheduleKey]]:
    """Add entries, each delayed by `by_s`; flows get unused IDs.

    Returns:
        The topology, and the keys of the new entries.
    """
    listed = [_started_at(entry, min(max(0.0, begins_s(entry) + by_s), LATEST_S)) for entry in new_entries]
    ids = fresh_flow_ids(topology)
    flows = [entry.model_copy(update={"id": next(ids)}) for entry in listed if isinstance(entry, Flow)]
    first_flow, first_new = len(topology.flows), len(topology.faults)
    faults = (*topology.faults, *(entry for entry in listed if isinstance(entry, Fault)))
    grown = topology.model_copy(update={"flows": (*topology.flows, *flows), "faults": faults})
    changed, now = replaced(grown, {})
    new = [ScheduleKey("flow", index) for index in range(first_flow, len(grown.flows))]
    new += [now[ScheduleKey("fault", index)] for index in range(first_new, len(faults))]
    return changed, frozenset(new)


def trace_faults(courses: Iterable[Course], link: str, time_s: float) -> tuple[Fault, ...]:
    """The faults that make a link's values follow traces, once from beginning to end.

    Raises:
        TopologyError: a trace has too many changes.
    """
    return tuple(_trace(course, link, time_s) for course in courses)


def _trace(course: Course, link: str, time_s: float) -> Fault:
    times = [at for at, _ in course.points]
    # The file does not state the duration of the last value, so the mean step is used.
    step_s = (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else 1.0
    try:
        return Fault(
            kind="varied", target=link, time_s=time_s, course=course,
            duration_s=course.period_s or round(times[-1] + step_s, 6),
        )  # fmt: skip
    except ValidationError as problem:
        raise TopologyError(f"the trace {first_fault(problem)[1]}", node=link, field="points") from None


# --- single entries -----------------------------------------------------------------------------------------------


def _selected(topology: Topology, keys: Collection[ScheduleKey]) -> dict[ScheduleKey, Flow | Fault]:
    return {key: entry for key, entry in entries(topology).items() if key in keys}


def _validated(value: Any, **changes: Any) -> Any:
    """A copy of a value with some fields changed, which is validated."""
    return type(value)(**{**dict(value), **changes})


def _changed(entry: V, **changes: Any) -> V:
    return (
        entry if all(getattr(entry, name) == value for name, value in changes.items()) else _validated(entry, **changes)
    )


def _started_at(entry: Flow | Fault, time_s: float) -> Flow | Fault:
    at_s = max(0.0, round(time_s, 6))
    return _changed(entry, start_s=at_s) if isinstance(entry, Flow) else _changed(entry, time_s=at_s)


def _prolonged(entry: Flow | Fault, by_s: float) -> Flow | Fault:
    lasted_s = lasts_s(entry)
    if lasted_s is None or not by_s:
        return entry
    new_duration_s = lasted_s + by_s
    if isinstance(entry, Flow):
        # iperf3 sends for whole seconds; the schedule uses them for all flows.
        return _changed(entry, duration_s=float(min(max(1, round(new_duration_s)), LATEST_S)))
    if entry.kind == "flap":
        return _changed(entry, times=min(max(1, round(new_duration_s / entry.period_s)), 10_000))
    most_s = min(float(LATEST_S), longest_s(entry.course)) if entry.course is not None else float(LATEST_S)
    return _changed(entry, duration_s=min(max(SHORTEST_S, round(new_duration_s, 6)), most_s))


def longest_s(course: Course) -> float:
    """The maximum duration of a course by its number of changes; infinite for a trace that runs once."""
    if course.pattern == "square":
        longest = MOST_STEPS * course.period_s / 2
    elif course.pattern == "trace":
        longest = MOST_STEPS // len(course.points) * course.period_s if course.period_s else math.inf
    else:
        longest = MOST_STEPS * course.step_s
    return longest * (1 - 1e-9)  # a rounding error must not add a change


def replaced(topology: Topology, values: Mapping[ScheduleKey, Flow | Fault]) -> ScheduleEdit:
    """Replace entries by key; faults stay sorted by time."""
    merged = {**entries(topology), **values}
    flows = tuple(entry for entry in merged.values() if isinstance(entry, Flow))
    faults = [entry for entry in merged.values() if isinstance(entry, Fault)]
    order = sorted(range(len(faults)), key=lambda index: faults[index].time_s)
    now = {key: key for key in merged}
    now |= {ScheduleKey("fault", was): ScheduleKey("fault", index) for index, was in enumerate(order)}
    return ScheduleEdit(set_faults(topology.model_copy(update={"flows": flows}), faults), now)


def matching_keys(before: Topology, after: Topology, keys: Collection[ScheduleKey]) -> frozenset[ScheduleKey]:
    """The keys of entries of one topology in another. Flows are matched by ID, faults by equality. A changed fault, as
    after undo, is matched with a new one of the same kind and target."""
    ids = {flow.id: ScheduleKey("flow", number) for number, flow in enumerate(after.flows)}
    matches = {ids.get(candidate.id) for candidate in _selected(before, keys).values() if isinstance(candidate, Flow)}
    new = {number: candidate for number, candidate in enumerate(after.faults) if candidate not in before.faults}
    for key, entry in _selected(before, keys).items():
        if isinstance(entry, Fault):
            near = [number for number, candidate in enumerate(after.faults) if candidate == entry]
            near = near or [number for number, candidate in new.items() if _target_of(candidate) == _target_of(entry)]
            place = min(near, key=lambda number: abs(number - key.number), default=None)
            matches.add(None if place is None else ScheduleKey("fault", place))
    return frozenset(candidate for candidate in matches if candidate is not None)


def _target_of(fault: Fault) -> tuple[str, str, str]:
    return fault.kind, fault.target, fault.towards
