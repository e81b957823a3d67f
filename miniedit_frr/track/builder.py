"""Makes the scene of the track: lanes for flows, links, nodes and partitions, with all planned entries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from frrlib.edits.schedule import ScheduleKey, lasts_s, levels, period_of
from frrlib.model.faults import OF_DAEMONS, OF_INTERFACES, OF_LINKS, Fault
from frrlib.model.flow_words import flow_text
from frrlib.model.interface_names import with_names
from frrlib.model.labels import link_title
from frrlib.model.links import Link
from frrlib.model.topology import Topology
from frrlib.picture.flows import controls_of
from frrlib.picture.scene import Key
from miniedit_frr.track import course, texts
from miniedit_frr.track.scene import Entry, Lane, Row, Scene
from miniedit_frr.track.suggestions import run_end_s

#: The minimum length of a track, in seconds.
MIN_LENGTH_S = 10.0
#: Additional length of a track if an entry has no end, as a share of the last planned time and in seconds.
_OPEN_SHARE, _OPEN_S = 0.08, 1.0
#: The width of a moment as a share of the track. Moments that are closer than this are on separate lines.
_MARK_SHARE = 0.06
#: The faults that end a fault without a duration.
_ENDED_BY = {
    "link-down": ("link-up",), "interface-down": ("interface-up",), "frozen": ("thawed",), "partition": ("healed",),
    "daemon-killed": ("daemon-restarted",), "loss": ("loss",), "link-values": ("link-values", "varied"),
    "daemon-stopped": ("daemon-continued", "daemon-restarted", "daemon-killed"),
}  # fmt: skip
#: The time without power of a router if no duration is given.
_POWER_S = 1.0
_STYLES = {
    "link-down": "down", "interface-down": "down", "flap": "down", "daemon-killed": "killed",
    "daemon-stopped": "stopped", "frozen": "frozen", "power-cycled": "power", "partition": "partition",
}  # fmt: skip
_PARTITION = Key("partition", "")


@dataclass(frozen=True)
class SceneContext:
    """The information about a plan that is not in the topology.

    Attributes:
        controls: the congestion control of each flow that does not declare one.
        remarks: the problem of each entry: severity, and reason.
        choose_colors: returns a color for each flow, given the congestion control of each.
        tops: the fixed values at the upper edges of rows, by lane and row; other rows choose theirs.
    """

    controls: Mapping[str, str]
    remarks: Mapping[ScheduleKey, tuple[str, str]]
    choose_colors: Callable[[Sequence[str]], Sequence[str]]
    tops: Mapping[tuple[Key, str], float]


EMPTY_CONTEXT = SceneContext({}, {}, lambda controls: ["#0072B2"] * len(controls), {})


def build_scene(topology: Topology, context: SceneContext = EMPTY_CONTEXT) -> Scene:
    """The scene of a topology's plan."""
    end_s = _end_s(topology)
    lanes = [*_flow_lanes(topology, context, end_s), *_fault_lanes(topology, context, end_s)]
    has_ends = all(flow.duration_s is not None for flow in topology.flows)
    return Scene(tuple(lanes), end_s, run_end_s(topology) if has_ends else 0.0)


def _end_s(topology: Topology) -> float:
    """The end of the track."""
    flows, faults = topology.flows, topology.faults
    planned = [flow.ends_s or flow.last_start_s for flow in flows] + [fault.ends_s for fault in faults]
    last_s = max(planned, default=0.0)
    is_open = any(flow.duration_s is None for flow in flows) or any(
        lasts_s(fault) is None and fault.kind in _ENDED_BY for fault in faults
    )
    return max(MIN_LENGTH_S, last_s + max(_OPEN_S, last_s * _OPEN_SHARE) if is_open else last_s)


# --- flows --------------------------------------------------------------------------------------------------------


def _flow_lanes(topology: Topology, context: SceneContext, end_s: float) -> Iterable[Lane]:
    declared = controls_of(topology)
    controls = [
        declared[flow.id] or (context.controls.get(flow.id, "") if flow.is_tcp else "") for flow in topology.flows
    ]
    colors = iter(context.choose_colors([name or flow.kind for flow, name in zip(topology.flows, controls, strict=True)
                                  for _ in range(flow.count)]))  # fmt: skip
    for index, (flow, control) in enumerate(zip(topology.flows, controls, strict=True)):
        color = next(iter([next(colors) for _ in range(flow.count)]))
        key, has_end = ScheduleKey("flow", index), flow.duration_s is not None
        severity, reason = context.remarks.get(key, ("", ""))
        entry = Entry(
            key, "bar" if has_end else "open", "flow", flow.start_s,
            flow.ends_s if flow.ends_s is not None else max(end_s, flow.start_s),
            flow_text(flow, control), texts.flow_tip(flow, control), flow.colour or color, can_stretch=has_end,
            severity=severity, reason=reason,
        )  # fmt: skip
        yield Lane(Key("flow", flow.id), flow.id, (Row("", f"{flow.source} → {flow.destination}", (entry,)),))


# --- faults -------------------------------------------------------------------------------------------------------


def _fault_lanes(topology: Topology, context: SceneContext, end_s: float) -> Iterable[Lane]:
    if not topology.faults:
        return
    faults_by_key: dict[Key, list[int]] = defaultdict(list)
    owners = _owners(topology)
    for index, fault in enumerate(topology.faults):
        faults_by_key[_thing(fault, owners)].append(index)
    links = {Key("link", link.id): link for link in topology.links}
    order = [*links, *(Key("node", node.name) for node in topology.nodes), _PARTITION]
    order += [key for key in faults_by_key if key not in order]
    for key in order:
        if key in faults_by_key:
            link = links.get(key)
            planned = {ScheduleKey("fault", index): topology.faults[index] for index in faults_by_key[key]}
            rows = [*_event_rows(planned, topology.faults, end_s, key.kind == "node"),
                    *_value_rows(planned, topology.faults, end_s, link, key, context)]  # fmt: skip
            yield Lane(key, _title(topology, key, link), tuple(_with_remarks(row, context) for row in rows))


def _with_remarks(row: Row, context: SceneContext) -> Row:
    entries = []
    for entry in row.entries:
        severity, reason = context.remarks.get(entry.key, ("", ""))
        entries.append(replace(entry, severity=severity, reason=reason) if severity else entry)
    return replace(row, entries=tuple(entries))


def _owners(topology: Topology) -> dict[str, str]:
    """The link of each interface."""
    if not any(fault.kind in OF_INTERFACES for fault in topology.faults):
        return {}
    return {f"{end.node}:{end.interface}": link.id for link in with_names(topology).links for end in link.ends}


def _thing(fault: Fault, owners: Mapping[str, str]) -> Key:
    """The subject of a fault. For an interface it is the link, so that all events of a link are in one lane."""
    if fault.kind in OF_LINKS:
        return Key("link", fault.target)
    if fault.kind in OF_INTERFACES and fault.target in owners:
        return Key("link", owners[fault.target])
    return Key("node", fault.node) if fault.node else _PARTITION


def _title(topology: Topology, key: Key, link: Link | None) -> str:
    if key == _PARTITION:
        return "Partitions"
    if link is None:
        return (
            key.name
            if key.kind == "node" and topology.node(key.name)
            else f"{key.name or 'unknown'} (not in the drawing)"
        )
    return link_title(topology, link)


def end_of_fault_s(fault: Fault, faults: Sequence[Fault], end_s: float, field: str = "") -> tuple[float, bool]:
    """The end of a fault, and whether a planned entry or its duration ends it.

    Args:
        faults: the whole plan, in the order of its times.
        end_s: the end of the track, which is the end of a fault that nothing ends.
        field: the value in question, for a fault that sets values.
    """
    if lasts_s(fault) is not None or fault.kind not in _ENDED_BY:
        return fault.ends_s + (_POWER_S if fault.kind == "power-cycled" and fault.duration_s is None else 0.0), True
    in_time = sorted(faults, key=lambda entry: entry.time_s)  # a file may have them in any order
    for later in in_time[in_time.index(fault) + 1 :]:
        is_same = later.kind == "healed" or (later.target, later.towards) == (fault.target, fault.towards)
        if later.kind in _ENDED_BY[fault.kind] and is_same and (not field or field in course.fields_of(later)):
            return later.time_s, True
    return max(end_s, fault.time_s), False


def _event_rows(
    planned: Mapping[ScheduleKey, Fault], faults: Sequence[Fault], end_s: float, is_node: bool
) -> Iterable[Row]:
    """The rows with the events of a thing, and one for each daemon of a node."""
    rows: dict[str, list[Entry]] = defaultdict(list)
    for key, fault in planned.items():
        if course.fields_of(fault):
            continue
        part = fault.part if is_node and fault.kind in OF_DAEMONS else ""
        rows[part].append(_event(key, fault, faults, end_s))
    for part in sorted(rows):
        entries, lines = _on_lines(rows[part], _MARK_SHARE * end_s)
        yield Row(part, part, entries, lines)


def _event(key: ScheduleKey, fault: Fault, faults: Sequence[Fault], end_s: float) -> Entry:
    until_s, is_ended = end_of_fault_s(fault, faults, end_s)
    style = _STYLES.get(fault.kind, "repair")
    form = "teeth" if fault.kind == "flap" else "mark" if style == "repair" else "bar" if is_ended else "open"
    return Entry(
        key, form, style, fault.time_s, until_s, texts.fault_text(fault), texts.fault_tip(fault),  # type: ignore[arg-type]
        can_stretch=lasts_s(fault) is not None, times=fault.times, period_s=period_of(fault),
    )  # fmt: skip


def _on_lines(entries: Sequence[Entry], mark_s: float) -> tuple[tuple[Entry, ...], int]:
    """Put overlapping entries on separate lines. Also returns the number of lines."""
    free_from: list[float] = []
    placed = []
    for entry in sorted(entries, key=lambda entry: entry.from_s):
        line = next((n for n, free_s in enumerate(free_from) if free_s <= entry.from_s + 1e-9), len(free_from))
        free_from[line : line + 1] = [max(entry.until_s, entry.from_s + (mark_s if entry.form == "mark" else 0.0))]
        placed.append(replace(entry, line=line))
    return tuple(placed), max(1, len(free_from))


def _value_rows(
    planned: Mapping[ScheduleKey, Fault],
    faults: Sequence[Fault],
    end_s: float,
    link: Link | None,
    lane: Key,
    context: SceneContext,
) -> Iterable[Row]:
    """A row for each value that changes, and for each direction whose value changes separately."""
    rows: dict[tuple[str, str], dict[ScheduleKey, Fault]] = defaultdict(dict)
    for key, fault in planned.items():
        for field in course.fields_of(fault):
            rows[field, fault.towards][key] = fault
    order = list(course.VALUES)
    for field, towards in sorted(rows, key=lambda pair: (order.index(pair[0]), pair[1])):
        changes = rows[field, towards]
        over = {key: end_of_fault_s(fault, faults, end_s, field) for key, fault in changes.items()}
        configured = course.configured_value(link, field, towards)
        steps = course.value_course([(fault, over[key][0]) for key, fault in changes.items()], field, configured)
        name, unit = course.VALUES[field]
        row_key = f"{field}>{towards}"
        entries = tuple(_change(key, fault, field, *over[key]) for key, fault in changes.items())
        points = (*steps, *(point for entry in entries for point in entry.points))
        default_top = course.row_top([value for _, value in points], field)
        title = f"{name} → {towards}" if towards else name
        top = context.tops.get((lane, row_key), default_top)
        yield Row(row_key, title, entries, 1, top, unit, steps)


def _change(key: ScheduleKey, fault: Fault, field: str, until_s: float, is_ended: bool) -> Entry:
    visible_levels = {name: value for name, value in levels(fault).items()
             if fault.course is not None or (name == field and (value or field != "rate_mbit"))}  # fmt: skip
    return Entry(
        key, "line", course.VALUES[field][0], fault.time_s, until_s, texts.fault_text(fault, field),
        texts.fault_tip(fault), can_stretch=fault.duration_s is not None, points=course.steps(fault, field),
        levels=visible_levels, period_s=period_of(fault),
    )  # fmt: skip
