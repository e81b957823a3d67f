"""Faults: their targets exist, and they happen while flows run."""

from __future__ import annotations

import math
from collections.abc import Iterator

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, duration_fix
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.errors import TopologyError
from frrlib.model.faults import OF_DAEMONS, OF_INTERFACES, OF_LINKS, Fault
from frrlib.model.labels import link_title
from frrlib.model.links import Link
from frrlib.model.nodes import Controller, Router
from frrlib.model.problem import Problem, ProblemSubject
from frrlib.model.topology import Topology

SUBJECT = CheckSubject()
_USE_OTHER_DIRECTION = "choose a direction without its own tc commands"
NO_TARGET = SUBJECT.kind(
    "no-target",
    "The target of a planned fault does not exist, or the fault does not apply to it.",
    "The fault would fail in the middle of a run.",
    "Choose a node, link, interface or daemon of the topology.",
)
LATE = SUBJECT.kind(
    "late",
    "A planned fault starts after the end of all flows.",
    "The run has ended by then, so the fault never happens.",
    "Choose an earlier time, or a longer flow.",
)
OWN_VALUES = SUBJECT.kind(
    "own-values",
    "A planned fault changes a value of a link direction that has its own tc commands.",
    "The tc commands define rate, delay and queue of that direction. The topology has no values that could be changed.",
    "Set rate, delay and queue of the direction in the topology, or remove the fault.",
)
OUTLASTS = SUBJECT.kind(
    "outlasts",
    "A planned fault lasts longer than the last flow.",
    "The run ends before the fault is cleared, so the results do not show the recovery.",
    "Choose a shorter fault, or a longer flow.",
)
NO_FLOWS = SUBJECT.kind(
    "no-flows",
    "The topology has planned faults and no flows.",
    "The times of faults count from the start of the flows.",
    "Plan a flow.",
)
NO_FAULT = SUBJECT.kind(
    "no-fault",
    "The lab cannot apply one of the planned faults as it is configured.",
    "The fault would fail in the middle of a run.",
    "Make the change that the message names.",
)


@SUBJECT.rule(NO_TARGET)
def targets(facts: Facts) -> Iterator[Problem]:
    """The names in a fault are in the topology."""
    for fault in facts.topology.faults:
        for field, message, remedy in invalid_targets(facts.resolved, fault):
            yield error(NO_TARGET, _subject_of(fault), f"faults.{field}", message, remedy)


@SUBJECT.rule(NO_FLOWS, LATE, OUTLASTS)
def times(facts: Facts) -> Iterator[Problem]:
    """A fault happens before the last flow ends, which is the end of the run."""
    faults, flows = facts.topology.faults, facts.topology.flows
    if faults and not flows:
        message = "no flow is planned, but the times of faults count from the start of the flows"
        yield warning(NO_FLOWS, "", "faults", message, "plan a flow")
    for fault in faults:
        yield from unsuitable_times(facts.topology, fault)


def unsuitable_times(topology: Topology, fault: Fault) -> Iterator[Problem]:
    """The times of a fault that do not fit the flows."""
    if not topology.flows or any(flow.duration_s is None for flow in topology.flows):
        return
    end_s = max(flow.ends_s or 0.0 for flow in topology.flows)
    if fault.time_s >= end_s:
        message = f"a fault at {fault.time_s:g} s starts after the end of all flows"
        yield warning(LATE, _subject_of(fault), "faults.time_s", message, f"choose a time before {end_s:g} s")
    elif fault.ends_s > end_s:
        message = f"the fault lasts until {fault.ends_s:g} s, but the flows end at {end_s:g} s"
        yield warning(OUTLASTS, _subject_of(fault), "faults.duration_s", message, "shorten the fault, or extend a flow")


def invalid_targets(topology: Topology, fault: Fault) -> Iterator[tuple[str, str, str]]:
    """The names in a fault that are not in the topology: (field, reason, remedy).

    Args:
        topology: with names for all interfaces.
    """
    if fault.kind in OF_LINKS:
        link = topology.link(fault.target)
        if link is None:
            yield (
                "target",
                f"there is no link {fault.target}",
                _suggest([listed_link.id for listed_link in topology.links]),
            )
        elif fault.towards and fault.towards not in (link.a.node, link.b.node):
            yield (
                "towards",
                f"{link_title(topology, link)} does not lead to {fault.towards}",
                f"choose {link.a.node} or {link.b.node}",
            )
    elif fault.kind == "partition":
        yield from _invalid_side(topology, fault)
    elif fault.kind != "healed":
        yield from _invalid_node(topology, fault)


def _invalid_side(topology: Topology, fault: Fault) -> Iterator[tuple[str, str, str]]:
    node_names = [node.name for node in topology.nodes]
    for name in fault.side:
        if name not in node_names:
            yield "target", f"there is no node {name}", _suggest(node_names)
    if not cut_links(topology, fault):
        yield "target", "no link joins the two sides", "enter the nodes of one side, as in r1,r2"


def _invalid_node(topology: Topology, fault: Fault) -> Iterator[tuple[str, str, str]]:
    node = topology.node(fault.node)
    if node is None:
        message = f"there is no node {fault.node}" if fault.node else f"no node has an interface {fault.part}"
        yield "target", message, _suggest([other_node.name for other_node in topology.nodes])
    elif isinstance(node, Controller):
        message = f"{node.name} is a controller, which has no network stack of its own"
        yield "target", message, "choose a router, a switch or a host"
    elif fault.kind in OF_INTERFACES:
        interfaces = [end.interface for _, end in topology.ends_at(node.name)]
        if fault.part not in interfaces:
            yield "target", f"{node.name} has no interface {fault.part}", _suggest(interfaces)
    elif fault.kind in OF_DAEMONS and not (isinstance(node, Router) and node.runs_frr):
        yield "target", f"{node.name} does not run FRR", "choose a router with routing protocols"
    elif fault.kind == "power-cycled" and not isinstance(node, Router):
        yield "target", f"{node.name} is a {node.kind}", "choose a router"


def refuse_invalid_fault(topology: Topology, fault: Fault) -> None:
    """Raise a TopologyError if a target of a fault does not exist, or if the fault changes a value of a direction that
    has its own tc commands."""
    for field, message, remedy in invalid_targets(topology, fault):
        raise TopologyError(message, node=fault.target, field=field, remedy=remedy)
    if message := own_values(topology, fault):
        raise TopologyError(message, node=fault.target, field="values", remedy=_USE_OTHER_DIRECTION)


def own_values(topology: Topology, fault: Fault) -> str:
    """The reason why a fault cannot change a link's values: tc commands of the topology define them. Else empty."""
    link = topology.link(fault.target) if fault.kind in ("link-values", "varied") else None
    for _, receiver, shape in link.directions if link is not None else ():
        if shape.qdiscs and fault.towards in ("", receiver.node):
            return f"has its own tc commands towards {receiver.node}, so no value of that direction can change"
    return ""


@SUBJECT.rule(OWN_VALUES)
def own_commands(facts: Facts) -> Iterator[Problem]:
    """Faults change values of directions without tc commands."""
    for fault in facts.topology.faults:
        if message := own_values(facts.topology, fault):
            yield error(
                OWN_VALUES, ProblemSubject("link", fault.target), "faults.target", message, _USE_OTHER_DIRECTION
            )


def cut_links(topology: Topology, fault: Fault) -> tuple[Link, ...]:
    """The links between the two sides of a partition."""
    side = set(fault.side)
    return tuple(link for link in topology.links if (link.a.node in side) != (link.b.node in side))


def _subject_of(fault: Fault) -> ProblemSubject:
    """The subject of a fault's problem: its node or link."""
    if fault.kind in OF_LINKS:
        return ProblemSubject("link", fault.target)
    return ProblemSubject("node", fault.node) if fault.node else ProblemSubject("", fault.target)


def _suggest(names: list[str]) -> str:
    return f"choose one such as {', '.join(names[:4])}" if names else "draw it first"


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(LATE, OUTLASTS)
def _extend_last_flow(facts: Facts, problem: Problem) -> Fix | None:
    """Extend the flow that ends last until one second after the last fault is cleared."""
    flows = facts.topology.flows
    if not flows or any(flow.duration_s is None for flow in flows):
        return None
    last = max(flows, key=lambda flow: flow.ends_s or 0.0)
    end_s = max((fault.ends_s for fault in facts.topology.faults), default=0.0) + 1
    lasts_s = math.ceil(end_s - last.last_start_s)
    return duration_fix(facts, problem.model_copy(update={"node": last.id}), float(lasts_s))
