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
from frrlib.model.nodes import Host, Node, Router
from frrlib.model.problem import Problem
from frrlib.model.topology import Preferences, Topology

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


def fix_with(label: str, topology: Topology, **parts: object) -> Fix | None:
    """A fix that replaces parts of a topology; None if that changes nothing."""
    fixed = topology.model_copy(update=parts)
    return Fix(label, fixed) if fixed != topology else None


def with_fields(value: V, **update: Any) -> V | None:
    """A value with other fields, validated again; None if they do not fit each other."""
    try:
        return type(value).model_validate({**dict(value), **update})
    except ValidationError:
        return None


def nodes_fix(label: str, topology: Topology, names: Iterable[str], change: Callable[[Any], Node | None]) -> Fix | None:
    """A fix of nodes; None from `change` leaves a node unchanged."""
    affected = set(names)
    nodes = tuple((change(node) or node) if node.name in affected else node for node in topology.nodes)
    return fix_with(label, topology, nodes=nodes)


def links_fix(label: str, topology: Topology, link_id: str, change: Callable[[Link], Link | None]) -> Fix | None:
    """A fix of a link; None from `change` leaves it unchanged."""
    links = tuple((change(link) or link) if link.id == link_id else link for link in topology.links)
    return fix_with(label, topology, links=links)


def flows_fix(label: str, topology: Topology, change: Callable[[Flow], Flow | None]) -> Fix | None:
    """A fix of flows; None from `change` leaves a flow unchanged."""
    return fix_with(label, topology, flows=tuple(change(flow) or flow for flow in topology.flows))


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
        reverse_shape = link.b_to_a if side == "a_to_b" else link.a_to_b
        shape = getattr(link, side)
        changed = with_fields(shape, **update(shape, reverse_shape))
        return link.model_copy(update={side: changed}) if changed is not None else None

    return links_fix(label, facts.topology, problem.node, change)


def last_part(problem: Problem) -> str:
    """The last part of the field of a problem."""
    return problem.field.rpartition(".")[2]


def place_title(facts: Facts, problem: Problem) -> str:
    """The node, link or flow of a problem, for people. A link is named by its ends."""
    return place_words(facts.topology, problem.node, "", problem.about)


_DEFAULT_PREFERENCES = Preferences()


def host_fix(facts: Facts, problem: Problem, label: str, **update: Any) -> Fix | None:
    """A fix that sets fields of a host."""

    def change(node: Any) -> Node | None:
        return node.model_copy(update=update) if isinstance(node, Host) else None

    return nodes_fix(f"{label} at {problem.node}", facts.topology, [problem.node], change)


def preference_fix(facts: Facts, problem: Problem) -> Fix | None:
    """Reset the preference in the field of a problem to its default."""
    preferences = facts.topology.preferences
    match problem.field.split("."):
        case [_, name]:
            changed = with_fields(preferences, **{name: getattr(_DEFAULT_PREFERENCES, name)})
        case [_, part, name]:
            default = getattr(getattr(_DEFAULT_PREFERENCES, part), name)
            changed = with_fields(preferences, **{part: getattr(preferences, part).model_copy(update={name: default})})
        case _:
            return None
    label = f"reset {problem.field.removeprefix('preferences.')} in the preferences to its default"
    return fix_with(label, facts.topology, preferences=changed) if changed is not None else None


def tcp_fix(facts: Facts, names: Iterable[str], label: str, **update: Any) -> Fix | None:
    """A fix that sets TCP fields of hosts."""

    def change(node: Any) -> Host | None:
        if not isinstance(node, Host) or (tcp := with_fields(node.tcp, **update)) is None:
            return None
        return node.model_copy(update={"tcp": tcp})

    return nodes_fix(label, facts.topology, names, change)


def duration_fix(facts: Facts, problem: Problem, duration_s: float) -> Fix | None:
    """Set the duration of the flow of a problem."""

    def change(flow: Flow) -> Flow | None:
        return with_fields(flow, duration_s=duration_s) if flow.id == problem.node and flow.duration_s else None

    return flows_fix(f"set the duration of {problem.node} to {duration_s:g} s", facts.topology, change)


def protocol_fix(facts: Facts, problem: Problem, label: str, change: Callable[[Any], dict[str, Any]]) -> Fix | None:
    """Change settings of the protocol in the field of a problem; None for those of a VRF."""
    name = problem.field.partition(".")[0]

    def changed_router(node: Any) -> Node | None:
        settings = getattr(node, name, None) if isinstance(node, Router) else None
        changed = with_fields(settings, **change(settings)) if isinstance(settings, Value) else None
        return node.model_copy(update={name: changed}) if changed is not None else None

    return nodes_fix(f"{label} at {problem.node}", facts.topology, [problem.node], changed_router)


def timer_fixer(field: str, of: str, times: int) -> Fixer:
    """A fixer that sets an expiry time, such as the dead interval, to a multiple of the interval between two hellos.

    It applies to all routers with a wrong value, since neighbors must agree.
    """

    def fixer(facts: Facts, problem: Problem) -> Fix | None:
        protocol, _, last = problem.field.partition(".")
        if last != field:
            return None

        def change(node: Any) -> Node | None:
            settings: Any = getattr(node, protocol) if isinstance(node, Router) else None
            if not _expires_early(settings, field, of):
                return None
            changed = with_fields(settings, **{field: times * getattr(settings, of)})
            return node.model_copy(update={protocol: changed}) if changed is not None else None

        names = [router.name for router in facts.routers() if _expires_early(getattr(router, protocol), field, of)]
        label = f"{protocol}: set {field.removesuffix('_s')} to {times} times {of.removesuffix('_s')}"
        return nodes_fix(f"{label} at {', '.join(names)}", facts.topology, names, change)

    return fixer


def _expires_early(settings: Any, field: str, of: str) -> bool:
    """Whether a neighbor or route expires before its next hello or update."""
    expiry_s, interval_s = getattr(settings, field, None), getattr(settings, of, None)
    return expiry_s is not None and interval_s is not None and expiry_s <= interval_s
