"""Texts about the entries of a plan: beside them, at the pointer, and for the labels of edits."""

from __future__ import annotations

from collections.abc import Collection

from frrlib.edits.schedule import ScheduleKey, begins_s, entries, period_of
from frrlib.model.fault_words import discipline_text, words_of
from frrlib.model.faults import Fault
from frrlib.model.flow_words import flow_summary
from frrlib.model.flows import Flow
from frrlib.model.topology import Topology
from miniedit_frr.track.course import VALUES

#: The text of each kind of fault.
_FAULT_TEXTS = {
    "link-down": "down", "link-up": "up", "interface-down": "{part} down", "interface-up": "{part} up",
    "flap": "{part} flaps", "daemon-killed": "killed", "daemon-stopped": "stopped", "daemon-continued": "continued",
    "daemon-restarted": "restarted", "frozen": "frozen", "thawed": "thawed", "power-cycled": "powered off",
    "partition": "{side} partitioned", "healed": "healed", "loss": "loss", "link-values": "step", "varied": "varied",
}  # fmt: skip
_PATTERNS = {"ramp": "ramp", "square": "square wave", "sine": "sine", "trace": "trace"}


def flow_tip(flow: Flow, control: str) -> str:
    """The text of the tip at a flow."""
    return f"{flow.id}: {flow_summary(flow, control)}"


def fault_text(fault: Fault, field: str = "") -> str:
    """The text beside a fault."""
    if fault.course is not None:
        return _PATTERNS.get(fault.course.pattern, fault.course.pattern)
    if fault.values is not None and field:
        value = fault.values.numbers[field]
        return f"{value:g} {VALUES[field][1]}" if value or field != "rate_mbit" else "no limit"
    if fault.values is not None and fault.values.queue is not None:
        return discipline_text(fault.values.queue)
    if fault.kind == "loss":
        return f"{fault.loss_percent:g} % loss"
    if fault.kind == "flap":
        return f"{fault.part} flaps {fault.times} times" if fault.times > 1 else f"{fault.part} flaps"
    return _FAULT_TEXTS[fault.kind].format(part=fault.part, side=", ".join(fault.side))


def fault_tip(fault: Fault) -> str:
    """The text of the tip at a fault: its command, or a summary of a long trace."""
    course = fault.course
    if course is not None and course.pattern == "trace" and len(course.points) > 8:
        name, unit = VALUES[course.value]
        values = [value for _, value in course.points]
        course_text = f"{name} by a trace of {len(values)} values, {min(values):g} to {max(values):g} {unit}"
        return f"{fault.time_s:g} s: {fault.target}, {course_text}, for {fault.duration_s:g} s"
    return f"{fault.time_s:g} s: {words_of(fault)}"


def planned_words(fault: Fault) -> str:
    """A fault with its time, as `fault_words.parse_planned` parses it."""
    return f"{fault.time_s:.12g} {words_of(fault)}"


def describe_entries(topology: Topology, keys: Collection[ScheduleKey]) -> str:
    """A short text about some entries, for the label of an edit: "down of l1", "3 entries"."""
    entries_by_key = entries(topology)
    if len(keys) != 1:
        return f"{len(keys)} entries"
    (key,) = keys
    entry = entries_by_key.get(key)
    if isinstance(entry, Flow):
        return f"flow {entry.id}"
    if isinstance(entry, Fault):
        fault_name = fault_text(entry).replace(f"{entry.part} ", "") if entry.part else fault_text(entry)
        target = entry.target.replace(":", " ")
        return f"{fault_name} of {target}" if target and entry.kind != "partition" else fault_name
    return "entry"


def time_span(topology: Topology, key: ScheduleKey) -> str:
    """The start and end of an entry, during a drag."""
    entry = entries(topology).get(key)
    if entry is None:
        return ""
    begin_s = begins_s(entry)
    if isinstance(entry, Fault) and entry.kind == "flap":
        return f"{begin_s:g} s, {entry.times} x {entry.period_s:g} s"
    if entry.duration_s is None:
        return f"{begin_s:g} s"
    return f"{begin_s:g} to {begin_s + entry.duration_s:g} s ({entry.duration_s:g} s)"


def period_text(topology: Topology, key: ScheduleKey) -> str:
    """The period of an entry, during a drag."""
    entry = entries(topology).get(key)
    return f"period {period_of(entry):g} s" if entry is not None else ""
