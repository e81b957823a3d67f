"""Rules on faults: what they name is there, and they happen while there is somebody to see them."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.errors import TopologyError
from frrlib.model.faults import OF_DAEMONS, OF_INTERFACES, OF_LINKS, Fault
from frrlib.model.labels import link_title
from frrlib.model.links import Link
from frrlib.model.nodes import Controller, Router
from frrlib.model.problem import Problem, error, warning
from frrlib.model.rules.facts import Facts, Rule
from frrlib.model.topology import Topology

_DRAWN = "a direction whose rate, delay and queue are drawn"


def names(facts: Facts) -> Iterator[Problem]:
    """The names in a fault are in the drawing."""
    for fault in facts.drawn.faults:
        for field, why, right in wrong_names(facts.filled, fault):
            yield error("no-target", _about(fault), f"faults.{field}", why, right)


def times(facts: Facts) -> Iterator[Problem]:
    """A fault happens before the last flow ends: then the run is over."""
    faults, flows = facts.drawn.faults, facts.drawn.flows
    if faults and not flows:
        why = "no flow is planned, from whose start their times would count"
        yield warning("no-flows", "", "faults", why, "plan a flow")
    for fault in faults:
        yield from wrong_times(facts.drawn, fault)


def wrong_times(drawn: Topology, fault: Fault) -> Iterator[Problem]:
    """The times of a fault that do not fit the flows."""
    if not drawn.flows or any(flow.duration_s is None for flow in drawn.flows):
        return
    end_s = max(flow.ends_s or 0.0 for flow in drawn.flows)
    if fault.time_s >= end_s:
        why = f"a fault at {fault.time_s:g} s comes when the flows are over"
        yield warning("late", _about(fault), "faults.time_s", why, f"before {end_s:g} s")
    elif fault.ends_s > end_s:
        why = f"it goes on until {fault.ends_s:g} s, and the flows only until {end_s:g} s"
        yield warning("outlasts", _about(fault), "faults.duration_s", why)


def wrong_names(filled: Topology, fault: Fault) -> Iterator[tuple[str, str, str]]:
    """The names in a fault that are not in a drawing: (field, why, what would be right).

    Args:
        filled: with names for all interfaces.
    """
    if fault.kind in OF_LINKS:
        link = filled.link(fault.target)
        if link is None:
            yield "target", f"there is no link {fault.target}", _some([each.id for each in filled.links])
        elif fault.towards and fault.towards not in (link.a.node, link.b.node):
            yield (
                "towards",
                f"{link_title(filled, link)} does not lead to {fault.towards}",
                f"{link.a.node} or {link.b.node}",
            )
    elif fault.kind == "partition":
        yield from _wrong_side(filled, fault)
    elif fault.kind != "healed":
        yield from _wrong_node(filled, fault)


def _wrong_side(filled: Topology, fault: Fault) -> Iterator[tuple[str, str, str]]:
    there = [node.name for node in filled.nodes]
    for name in fault.side:
        if name not in there:
            yield "target", f"there is no node {name}", _some(there)
    if not cut_links(filled, fault):
        yield "target", "no link leads from one side to the other", "the nodes of one side, as in r1,r2"


def _wrong_node(filled: Topology, fault: Fault) -> Iterator[tuple[str, str, str]]:
    node = filled.node(fault.node)
    if node is None:
        why = f"there is no node {fault.node}" if fault.node else f"no node has an interface {fault.part}"
        yield "target", why, _some([each.name for each in filled.nodes])
    elif isinstance(node, Controller):
        yield "target", f"{node.name} is a controller, which has no kernel of its own", "a router, a switch or a host"
    elif fault.kind in OF_INTERFACES:
        there = [end.interface for _, end in filled.ends_at(node.name)]
        if fault.part not in there:
            yield "target", f"{node.name} has no interface {fault.part}", _some(there)
    elif fault.kind in OF_DAEMONS and not (isinstance(node, Router) and node.runs_frr):
        yield "target", f"{node.name} runs no FRR", "a router with protocols"
    elif fault.kind == "power-cycled" and not isinstance(node, Router):
        yield "target", f"{node.name} is a {node.kind}", "a router"


def refuse_wrong(filled: Topology, fault: Fault) -> None:
    """Do nothing where a fault can be made. Raises TopologyError where it names what is not there, or would change
    what only its own commands say."""
    for field, why, right in wrong_names(filled, fault):
        raise TopologyError(why, node=fault.target, field=field, right=right)
    if why := own_values(filled, fault):
        raise TopologyError(why, node=fault.target, field="values", right=_DRAWN)


def own_values(topology: Topology, fault: Fault) -> str:
    """Why a link's values cannot change: in a direction with commands of its own nobody knows which these are."""
    link = topology.link(fault.target) if fault.kind in ("link-values", "varied") else None
    for _, receiver, shape in link.directions if link is not None else ():
        if shape.qdiscs and fault.towards in ("", receiver.node):
            return f"has tc commands of its own towards {receiver.node}, so no value of that direction can change"
    return ""


def own_commands(facts: Facts) -> Iterator[Problem]:
    """Values only change where they are drawn."""
    for fault in facts.drawn.faults:
        if why := own_values(facts.drawn, fault):
            yield error("own-values", fault.target, "faults.target", why, _DRAWN)


def cut_links(topology: Topology, fault: Fault) -> tuple[Link, ...]:
    """The links between the two sides of a partition."""
    side = set(fault.side)
    return tuple(link for link in topology.links if (link.a.node in side) != (link.b.node in side))


def _about(fault: Fault) -> str:
    """The subject of a fault's problem: its node or link."""
    return fault.node or fault.target


def _some(names: list[str]) -> str:
    return f"such as {', '.join(names[:4])}" if names else "draw it first"


RULES: tuple[Rule, ...] = (names, times, own_commands)
