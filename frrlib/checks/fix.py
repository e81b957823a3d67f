"""The type of a fix, and replacing a node, a link or a direction of one in a topology."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from frrlib.checks.facts import Facts
from frrlib.model.base import Value
from frrlib.model.flows import Flow
from frrlib.model.labels import place_words
from frrlib.model.links import Link, Shape
from frrlib.model.nodes import Node
from frrlib.model.problem import Problem
from frrlib.model.topology import Topology

V = TypeVar("V", bound=Value)


class Fix(NamedTuple):
    """A change that fixes a problem.

    Attributes:
        label: the change, as an instruction that follows "Fix: " ("set a queue of 25 kB at l2").
        topology: the topology after it.
    """

    label: str
    topology: Topology


#: Makes the fix of a problem of a topology; None if it has no fix, or if nothing is left to change.
Fixer = Callable[[Facts, Problem], Fix | None]


def fix(label: str, before: Topology, **parts: object) -> Fix | None:
    """A fix that replaces parts of a topology; None if that changes nothing."""
    after = before.model_copy(update=parts)
    return Fix(label, after) if after != before else None


def changed(value: V, **update: Any) -> V | None:
    """A value with other fields, validated again; None if they do not fit each other."""
    try:
        return type(value).model_validate({**dict(value), **update})
    except ValidationError:
        return None


def nodes_fix(label: str, topology: Topology, names: Iterable[str], change: Callable[[Any], Node | None]) -> Fix | None:
    """A fix of nodes; None from `change` leaves a node unchanged."""
    listed = set(names)
    after = tuple((change(node) or node) if node.name in listed else node for node in topology.nodes)
    return fix(label, topology, nodes=after)


def links_fix(label: str, topology: Topology, link_id: str, change: Callable[[Link], Link | None]) -> Fix | None:
    """A fix of a link; None from `change` leaves it unchanged."""
    after = tuple((change(link) or link) if link.id == link_id else link for link in topology.links)
    return fix(label, topology, links=after)


def flows_fix(label: str, topology: Topology, change: Callable[[Flow], Flow | None]) -> Fix | None:
    """A fix of flows; None from `change` leaves a flow unchanged."""
    return fix(label, topology, flows=tuple(change(flow) or flow for flow in topology.flows))


def shape_fix(
    label: str, facts: Facts, problem: Problem, update: Callable[[Shape, Shape], dict[str, Any]]
) -> Fix | None:
    """A fix of the link direction in the field of a problem.

    Args:
        update: makes the changed fields from the shape of that direction and the shape of the other one.
    """
    side = problem.field.partition(".")[0]
    if side not in ("a_to_b", "b_to_a"):
        return None

    def change(link: Link) -> Link | None:
        back = link.b_to_a if side == "a_to_b" else link.a_to_b
        shape = getattr(link, side)
        after = changed(shape, **update(shape, back))
        return link.model_copy(update={side: after}) if after is not None else None

    return links_fix(label, facts.drawn, problem.node, change)


def last_part(problem: Problem) -> str:
    """The last part of the field of a problem."""
    return problem.field.rpartition(".")[2]


def where(facts: Facts, problem: Problem) -> str:
    """The node, link or flow of a problem, for people. A link is named by its ends."""
    return place_words(facts.drawn, problem.node, "")
