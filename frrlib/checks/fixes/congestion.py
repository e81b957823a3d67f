"""Fixes of problems with congestion control, flows and faults."""

from __future__ import annotations

import math
from typing import Any

from frrlib.checks.ecn_queues import may_mark
from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, Fixer, changed, fix, flows_fix, nodes_fix, shape_fix
from frrlib.checks.fixes.links import mtu_fix, queue_fix
from frrlib.checks.subjects.bottlenecks import Bottleneck, bottlenecks
from frrlib.checks.subjects.command_overrides import OFFLOADS, SYSCTL_LINE, TCP_FIELDS
from frrlib.checks.subjects.hosts import can_pace
from frrlib.checks.subjects.measuring import PROBE_RTT_S, least_duration_s
from frrlib.edits.new_names import fresh_link_ids, fresh_names
from frrlib.model.flows import Flow
from frrlib.model.labels import link_title
from frrlib.model.links import End, Link, Shape, queue_limit_bytes
from frrlib.model.nodes import Bridge, Host
from frrlib.model.problem import Problem
from frrlib.model.quantities import size_words
from frrlib.model.tcp import BUFFER_PER_DATA
from frrlib.prediction.flow_paths import Way

#: Buffer sizes are multiples of this, so that they are round numbers.
_BUFFER_STEP_BYTES = 64 * 1024
_MOST_BUFFER_BYTES = 2**31 - 1


def _bottleneck(facts: Facts, problem: Problem) -> Bottleneck | None:
    side = problem.field.partition(".")[0]
    places = (each for each in bottlenecks(facts) if (each.step.link.id, each.step.side) == (problem.node, side))
    return next(places, None)


def _queue_of_path(facts: Facts, problem: Problem) -> Fix | None:
    found = _bottleneck(facts, problem)
    product = found.longest.bdp_bytes if found is not None else None
    if product is None:
        return None
    return queue_fix(facts, problem, product, "set a queue of 1 BDP of the path")


def _bridge_behind(facts: Facts, problem: Problem) -> Fix | None:
    """Move the delay before the queue: add a bridge between the sender and its link, and the delay in front of it.

    Addresses do not change. Without a delay, or if more than the delay depends on it, only a new router would help.
    """
    drawn, side = facts.drawn, problem.field[:1]
    link, seen = drawn.link(problem.node), facts.filled.link(problem.node)
    if link is None or seen is None or drawn.node(getattr(link, side).node) is None:
        return None
    far, there, back = ("b", "a_to_b", "b_to_a") if side == "a" else ("a", "b_to_a", "a_to_b")
    shape: Shape = getattr(link, there)
    if not shape.delay_ms or shape.jitter_ms or shape.impairments.reorder_percent:
        return None
    left: dict[str, Any] = {"delay_ms": 0.0}
    if shape.queue_bdp is not None:  # it would use the new delay of the link
        left |= {
            "queue_bdp": None,
            "queue_bytes": queue_limit_bytes(shape, getattr(link, back), getattr(link, side).frame_bytes),
        }
    name, new_id = next(fresh_names(drawn, "s")), next(fresh_link_ids(drawn))
    rest = changed(shape, **left)
    if rest is None:
        return None
    near_end, far_end = (
        getattr(link, at).model_copy(update={"addresses": getattr(seen, at).addresses}) for at in side + far
    )
    plug = End(node=name, mtu_bytes=near_end.mtu_bytes)
    first = Link(id=new_id, a=near_end, b=plug, up=link.up, a_to_b=Shape(delay_ms=shape.delay_ms))
    kept = link.model_copy(update={side: plug, far: far_end, there: rest})
    ends = [node for end in link.ends if (node := drawn.node(end.node)) is not None]
    x, y = (sum(getattr(node, axis) for node in ends) / len(ends) for axis in "xy")
    at = drawn.links.index(link)
    return fix(
        f"add the bridge {name} between {near_end.node} and {link_title(drawn, link)}, with the delay before it", drawn,
        nodes=(*drawn.nodes, Bridge(name=name, number=int(name[1:]), x=x, y=y)),
        links=(*drawn.links[:at], first, kept, *drawn.links[at + 1 :]),
    )  # fmt: skip


def _ask_for_marks(facts: Facts, problem: Problem) -> Fix | None:
    found = _bottleneck(facts, problem)
    sources = dict.fromkeys(way.flow.source for way in found.ways) if found else {}
    return _tcp(facts, sources, f"turn ECN on at {', '.join(sources)}", ecn="on")


def _marking_queue(facts: Facts, problem: Problem) -> Fix | None:
    """Turn ECN on at the queue of the bottleneck, if its discipline supports it."""
    for way in facts.ways:
        step = way.bottleneck
        if problem.node in (way.flow.id, way.flow.source) and step is not None and may_mark(step.there.queue):
            at = problem.model_copy(update={"node": step.link.id, "field": f"{step.side}.queue"})
            return shape_fix(f"turn ECN on at {step.link.id}", facts, at, _with_ecn)
    return None


def _with_ecn(shape: Shape, back: Shape) -> dict[str, Any]:
    return {"queue": shape.queue.model_copy(update={"ecn": True})} if may_mark(shape.queue) and shape.queue else {}


def _tcp(facts: Facts, names: Any, label: str, **update: Any) -> Fix | None:
    def change(node: Any) -> Host | None:
        if not isinstance(node, Host) or (tcp := changed(node.tcp, **update)) is None:
            return None
        return node.model_copy(update={"tcp": tcp})

    return nodes_fix(label, facts.drawn, names, change)


def _pace(facts: Facts, problem: Problem) -> Fix | None:
    if not can_pace(facts, problem.node):
        return None
    return _tcp(facts, [problem.node], f"turn fq pacing on at {problem.node}", pacing=True)


def _pace_not(facts: Facts, problem: Problem) -> Fix | None:
    return _tcp(facts, [problem.node], f"turn fq pacing off at {problem.node}", pacing=False)


def _forget(facts: Facts, problem: Problem) -> Fix | None:
    return _tcp(facts, [problem.node], f"turn saved metrics off at {problem.node}", saves_metrics=False)


def _no_products(facts: Facts, problem: Problem) -> Fix | None:
    return _tcp(facts, [problem.node], f"use the kernel's default buffer at {problem.node}", buffer_bdp=None)


def _buffer(facts: Facts, problem: Problem) -> Fix | None:
    """Set a buffer for the path and the queue of every flow of the host."""
    mine = [way for way in facts.ways if problem.node in (way.flow.source, way.flow.destination)]
    most = max((_held_bytes(way) for way in mine), default=0.0)
    size = math.ceil(BUFFER_PER_DATA * most / _BUFFER_STEP_BYTES) * _BUFFER_STEP_BYTES
    if not 0 < size <= _MOST_BUFFER_BYTES:
        return None
    label = f"set a buffer of {size_words(size)} at {problem.node}"
    return _tcp(facts, [problem.node], label, buffer_bytes=size, buffer_bdp=None)


def _held_bytes(way: Way) -> float:
    step = way.bottleneck
    limit = queue_limit_bytes(step.there, step.back, step.sender.frame_bytes) if step is not None else None
    queue = limit or 0
    return (way.bdp_bytes or 0.0) + queue


def _small_packets(facts: Facts, problem: Problem) -> Fix | None:
    """Set the MTU of the path on its first link."""
    mine = [way for way in facts.ways if next(way.steps).link.id == problem.node]
    sizes = [end.real_mtu_bytes for way in mine for link, _, _ in way.hops for end in link.ends]
    return mtu_fix(facts, problem.node, min(sizes)) if sizes else None


def _without_line(facts: Facts, problem: Problem) -> Fix | None:
    """Remove the lines that only enable offloads."""

    def change(node: Any) -> Any:
        lines = node.start_command.splitlines()
        kept = [line for line in lines if not (OFFLOADS.search(line) and not set(line) & set(";&|<>`$"))]
        return node.model_copy(update={"start_command": "\n".join(kept)}) if len(kept) < len(lines) else None

    return nodes_fix(f"remove the commands that enable offloads at {problem.node}", facts.drawn, [problem.node], change)


def _field_for_line(facts: Facts, problem: Problem) -> Fix | None:
    """Set the fields of the host, and remove the lines that set these values."""

    def change(node: Any) -> Any:
        if not isinstance(node, Host):
            return None
        kept = []
        for line in node.start_command.splitlines():
            found = SYSCTL_LINE.fullmatch(line)
            after = _with_sysctl(node, found[1], found[2]) if found else None
            node = after or node
            kept += [] if after else [line]
        return node.model_copy(update={"start_command": "\n".join(kept)})

    label = f"use the TCP fields of {problem.node} instead of commands"
    return nodes_fix(label, facts.drawn, [problem.node], change)


def _with_sysctl(host: Host, key: str, text: str) -> Host | None:
    """A host with the value of a sysctl in its field; None if it has no field for it."""
    field, values = TCP_FIELDS.get(key, ("", {}))
    if field == "congestion_control":
        return host.model_copy(update={field: text})
    if text not in values:
        return None
    tcp = changed(host.tcp, **{field.removeprefix("tcp."): values[text]})
    return host.model_copy(update={"tcp": tcp}) if tcp is not None else None


# --- flows and faults -------------------------------------------------------------------------------------------------


def _lasting(facts: Facts, problem: Problem, duration_s: float) -> Fix | None:
    def change(flow: Flow) -> Flow | None:
        return changed(flow, duration_s=duration_s) if flow.id == problem.node and flow.duration_s else None

    return flows_fix(f"set the duration of {problem.node} to {duration_s:g} s", facts.drawn, change)


def _whole_seconds(facts: Facts, problem: Problem) -> Fix | None:
    flow = next((each for each in facts.drawn.flows if each.id == problem.node and (each.duration_s or 0) % 1), None)
    return _lasting(facts, problem, float(max(1, round(flow.duration_s or 0)))) if flow else None


def _longer(facts: Facts, problem: Problem) -> Fix | None:
    way = next((each for each in facts.ways if each.flow.id == problem.node), None)
    return _lasting(facts, problem, float(math.ceil(least_duration_s(way)))) if way else None


def _through_probe_rtt(facts: Facts, problem: Problem) -> Fix | None:
    return _lasting(facts, problem, 1.5 * PROBE_RTT_S)


def _until_faults(facts: Facts, problem: Problem) -> Fix | None:
    """Extend the flow that ends last until one second after the last fault is cleared."""
    flows = facts.drawn.flows
    if not flows or any(flow.duration_s is None for flow in flows):
        return None
    last = max(flows, key=lambda flow: flow.ends_s or 0.0)
    end_s = max((fault.ends_s for fault in facts.drawn.faults), default=0.0) + 1
    lasts_s = math.ceil(end_s - last.last_start_s)
    return _lasting(facts, problem.model_copy(update={"node": last.id}), float(lasts_s))


FIXERS: dict[str, Fixer] = {
    "queue-below-bdp": _queue_of_path,
    "large-queue": _queue_of_path,
    "sender-is-bottleneck": _bridge_behind,
    "marks-unasked": _ask_for_marks,
    "no-marks": _marking_queue,
    "dctcp-without-marks": _marking_queue,
    "bbr-without-fq": _pace,
    "pacing-at-queues": _pace_not,
    "saved-metrics": _forget,
    "small-buffer": _buffer,
    "buffer-below-queue": _buffer,
    "path-mtu": _small_packets,
    "offload-command": _without_line,
    "tcp-command": _field_for_line,
    "fraction": _whole_seconds,
    "short-flow": _longer,
    "short-bbr": _through_probe_rtt,
    "late": _until_faults,
    "outlasts": _until_faults,
}
#: Values in bandwidth-delay products have a fix at a host as well as at a link.
AT_HOSTS: dict[str, Fixer] = {"bdp-without-delay": _no_products}
