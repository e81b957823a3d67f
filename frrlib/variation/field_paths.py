"""Paths of fields of a topology: `link:r1-r2.rate_mbit`, `flow:*.cc`, `wait.timeout_s`.

A path is KIND:NAME.FIELD, and NAME may have the patterns `*`, `?` and `[...]`. A link's name is its ID or its ends:
`r1-r2` for both directions and `r1>r2` for one of them. FIELD is the field's name in the model, dotted for inner fields
(`tcp.buffer_bdp`), with numbers from 1 or `*` in lists (`bgp.neighbors.1.password`). The path of a setting without an
object is the field alone (`wait.timeout_s`). `kernel:tcp_bbr3.beta` is a constant of a kernel module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from frrlib.errors import TopologyError
from frrlib.model.links import QUEUE_LIMITS, End, Link, Shape
from frrlib.model.topology import KernelParameter, Topology

Step = str | int

#: Short names of fields, by the kind of the object.
SHORT: dict[str, dict[str, str]] = {
    "link": {"rate": "rate_mbit", "delay": "delay_ms", "jitter": "jitter_ms", "loss": "loss_percent",
             "burst": "burst_frames", "cc": "congestion_control", "mtu": "mtu_bytes", "cost": "ospf_cost",
             "discipline": "queue"},
    "flow": {"cc": "congestion_control", "start": "start_s", "duration": "duration_s", "size": "size_bytes"},
    "host": {"cc": "congestion_control"},
    "fault": {"time": "time_s", "duration": "duration_s"},
}  # fmt: skip
#: Groups of fields of which at most one is set; setting one of them clears the others.
ONE_OF = (
    QUEUE_LIMITS,
    ("duration_s", "size_bytes"),
    ("buffer_bytes", "buffer_bdp"),
    ("gilbert_elliott", "four_states"),
)
_OTHERS = {"": "start_command"}
_NODES = ("host", "router", "switch", "bridge", "controller")
#: The beginnings of a path, for people.
_KINDS = ("link", "flow", "fault", "node", "kernel", *_NODES)
#: Maximum number of names in a message without a similar name.
_MOST_NAMES = 8
_SIDES = ("a_to_b", "b_to_a")
_ENDS = ("a", "b")


class Target(NamedTuple):
    """One field of one object.

    Attributes:
        owner: the object, for people ("link l1", "flow f1"); empty for the topology itself.
        steps: path from the topology: names of fields, and positions in lists from 0.
        field: the model's description of the field.
    """

    owner: str
    steps: tuple[Step, ...]
    field: FieldInfo

    @property
    def name(self) -> str:
        """The field's own name."""
        return str(self.steps[-1])


class _FieldOwner(NamedTuple):
    """An object named by the beginning of a path, with the sending end of its direction ("" for both)."""

    owner: str
    steps: tuple[Step, ...]
    sender: str


def targets(topology: Topology, path: str) -> tuple[Target, ...]:
    """The fields that a path names, in the order of the topology; at least one.

    Raises:
        TopologyError: an object or a field does not exist; the message has similar names.
    """
    kind, colon, name_and_field = path.partition(":")
    if not colon:
        return _below_topology(topology, path)
    if kind not in _KINDS:
        raise TopologyError(f"{kind!r} is not a kind of object", node=path, remedy=_similar(kind, _KINDS))
    if kind == "kernel":
        return _kernel_parameters(with_kernel_parameter(topology, path), path, name_and_field)
    objects, names = _objects(topology, kind, name_and_field)
    reached: list[Target] = []
    refused: list[TopologyError] = []
    for owner in objects:
        try:
            reached += _fields(topology, path, kind, owner, names)
        except TopologyError as problem:
            refused.append(problem)
    # Of several that a pattern names, those without the field are passed over.
    if not reached or (refused and not any(sign in name_and_field for sign in "*?[")):
        raise refused[0]
    return tuple(reached)


def with_kernel_parameter(topology: Topology, path: str) -> Topology:
    """A topology that has the kernel parameter of a path; its value is then 0 unless it was set before.

    Raises:
        TopologyError: no kernel parameter can have this name.
    """
    kind, _, name = path.partition(":")
    if kind != "kernel" or any(fnmatchcase(parameter.name, name) for parameter in topology.kernel_parameters):
        return topology
    try:
        parameter = KernelParameter(name=name, value=0)
    except ValidationError:
        raise TopologyError(
            f"{name!r} is not a kernel parameter", node=path, remedy="such as kernel:tcp_bbr3.beta"
        ) from None
    return topology.model_copy(update={"kernel_parameters": (*topology.kernel_parameters, parameter)})


def _kernel_parameters(topology: Topology, path: str, pattern: str) -> tuple[Target, ...]:
    reached = tuple(
        Target(f"kernel parameter {parameter.name}", ("kernel_parameters", index, "value"), field)
        for field in (KernelParameter.model_fields["value"],)
        for index, parameter in enumerate(topology.kernel_parameters)
        if fnmatchcase(parameter.name, pattern)
    )
    if not reached:
        names = [parameter.name for parameter in topology.kernel_parameters]
        raise TopologyError("the kernel parameter is not set", node=path, remedy=_similar(pattern, names))
    return reached


def value_at(topology: Topology, steps: Sequence[Step]) -> Any:
    """The value at the end of a path."""
    value: Any = topology
    for step in steps:
        value = value[step] if isinstance(step, int) else getattr(value, step)
    return value


def replaced(value: Any, steps: Sequence[Step], new: Any) -> Any:
    """A value with another one at the end of a way; what excludes it is taken away. Nothing is checked."""
    if not steps:
        return new
    step, remaining_steps = steps[0], steps[1:]
    if isinstance(step, int):
        return (*value[:step], replaced(value[step], remaining_steps, new), *value[step + 1 :])
    update = {step: replaced(getattr(value, step), remaining_steps, new)}
    if not remaining_steps and new is not None:
        cleared = next((group for group in ONE_OF if step in group), ())
        update |= {name: None for name in cleared if name != step and name in type(value).model_fields}
    return value.model_copy(update=update)


def _objects(topology: Topology, kind: str, name_and_field: str) -> tuple[list[_FieldOwner], list[str]]:
    """The object named by the longest prefix of `name_and_field` that names one, and the fields that follow it."""
    words = name_and_field.split(".")
    for count in range(len(words) - 1, 0, -1):
        pattern = ".".join(words[:count])
        owners = list(_matching(topology, kind, pattern))
        if owners:
            if kind == "link":
                _refuse_several_pairs(topology, pattern, owners)
            return owners, words[count:]
    name = words[0]
    if len(words) == 1 and list(_matching(topology, kind, name_and_field)):
        remedy = f"such as {kind}:{name_and_field}.{next(iter(SHORT.get(kind, _OTHERS).values()))}"
        raise TopologyError("has no field", node=f"{kind}:{name_and_field}", remedy=remedy)
    raise TopologyError(
        f"the {kind} does not exist", node=f"{kind}:{name}", remedy=_similar(name, _names(topology, kind))
    )


def _refuse_several_pairs(topology: Topology, pattern: str, owners: Sequence[_FieldOwner]) -> None:
    """Raise TopologyError if a name without wildcards means links between different nodes, since names have hyphens."""
    links = [topology.links[int(owner.steps[1])] for owner in owners]
    pairs = {frozenset((link.a.node, link.b.node)) for link in links}
    if len(pairs) > 1 and not any(character in pattern for character in "*?["):
        listed = " or ".join(f"{link.id} ({link.a.node} to {link.b.node})" for link in links)
        raise TopologyError("names several links", node=f"link:{pattern}", remedy=f"use an id: {listed}")


def _matching(topology: Topology, kind: str, pattern: str) -> Iterator[_FieldOwner]:
    if kind == "link":
        for index, link in enumerate(topology.links):
            sender = _sender(link, pattern)
            if sender is not None:
                yield _FieldOwner(f"link {link.id}", ("links", index), sender)
    elif kind in ("flow", "fault"):
        values: Sequence[Any] = topology.flows if kind == "flow" else topology.faults
        for index, value in enumerate(values):
            name = value.id if kind == "flow" else str(index + 1)
            if fnmatchcase(name, pattern):
                yield _FieldOwner(f"{kind} {name}", (f"{kind}s", index), "")
    else:
        for index, node in enumerate(topology.nodes):
            if kind in ("node", node.kind) and fnmatchcase(node.name, pattern):
                yield _FieldOwner(f"{node.kind} {node.name}", ("nodes", index), "")


def _sender(link: Link, pattern: str) -> str | None:
    """The sending end of a link in a pattern: "a", "b", or "" for both; None if the pattern does not match."""
    forward, reverse = (link.a.node, link.b.node), (link.b.node, link.a.node)
    if any(fnmatchcase(name, pattern) for name in (link.id, "-".join(forward), "-".join(reverse))):
        return ""
    if ">" not in pattern:
        return None
    sides = [side for side, pair in (("a", forward), ("b", reverse)) if fnmatchcase(">".join(pair), pattern)]
    return None if not sides else "" if len(sides) == 2 else sides[0]


def _fields(topology: Topology, path: str, kind: str, owner_object: _FieldOwner, names: list[str]) -> Iterator[Target]:
    value = value_at(topology, owner_object.steps)
    short = SHORT.get(kind, SHORT.get(getattr(value, "kind", ""), {}))
    names = [short.get(names[0], names[0]), *names[1:]]
    starts: Iterable[tuple[Step, ...]] = ((),)
    if isinstance(value, Link) and names[0] not in Link.model_fields:
        sides = {"a": _SIDES[:1], "b": _SIDES[1:]}.get(owner_object.sender, _SIDES)
        ends = {"a": _ENDS[:1], "b": _ENDS[1:]}.get(owner_object.sender, _ENDS)
        if names[0] in Shape.model_fields:
            starts = [(side,) for side in sides]
        elif names[0] in End.model_fields:
            starts = [(end,) for end in ends]
        else:
            field_names = [*short, *Shape.model_fields, *End.model_fields, *Link.model_fields]
            raise TopologyError(f"a link has no field {names[0]!r}", node=path, remedy=_similar(names[0], field_names))
    for start in starts:
        inner = value_at(value, start)
        yield from _walk(inner, names, owner_object.owner, (*owner_object.steps, *start), path, tuple(short))


def _below_topology(topology: Topology, path: str) -> tuple[Target, ...]:
    names = path.split(".")
    if names[0] in ("nodes", "links", "flows", "faults", "annotations", "foreign"):
        raise TopologyError("has no object", node=path, remedy=f"such as {names[0].rstrip('s')}:NAME.FIELD")
    return tuple(_walk(topology, names, "", (), path, tuple(f"{kind}:" for kind in _KINDS)))


def _walk(
    value: Any, names: Sequence[str], owner: str, steps: tuple[Step, ...], path: str, short_names: tuple[str, ...] = ()
) -> Iterator[Target]:
    """The fields that names lead to, from the value at `steps`."""
    name, inner_names = names[0], names[1:]
    if isinstance(value, tuple):
        indices = range(len(value)) if name == "*" else [int(name) - 1] if name.isdigit() else []
        if not indices or not all(0 <= index < len(value) for index in indices) or not inner_names:
            raise TopologyError(
                f"{name!r} matches none of the {len(value)} entries of {steps[-1]}", node=path,
                remedy="use a number from 1 or *, followed by a field",
            )  # fmt: skip
        for index in indices:
            yield from _walk(value[index], inner_names, owner, (*steps, index), path)
        return
    if not isinstance(value, BaseModel):
        reason = f"{owner} has no {steps[-1]}" if value is None else f"{steps[-1]} has no fields"
        raise TopologyError(reason, node=path, remedy="draw it first, or set it earlier" if value is None else "")
    fields = type(value).model_fields
    if name not in fields:
        kind = re.sub(r"(?<!^)(?=[A-Z])", " ", type(value).__name__).lower()
        raise TopologyError(
            f"a {kind} has no field {name!r}", node=path, remedy=_similar(name, [*short_names, *fields])
        )
    if inner_names:
        yield from _walk(getattr(value, name), inner_names, owner, (*steps, name), path)
    else:
        yield Target(owner, (*steps, name), fields[name])


def _names(topology: Topology, kind: str) -> list[str]:
    if kind == "link":
        return [name for link in topology.links for name in (f"{link.a.node}-{link.b.node}", link.id)]
    if kind == "flow":
        return [flow.id for flow in topology.flows]
    if kind == "fault":
        return [str(number) for number in range(1, len(topology.faults) + 1)]
    return [node.name for node in topology.nodes if kind in ("node", node.kind)]


def _similar(word: str, candidates: Iterable[str]) -> str:
    """A hint with similar names, or with existing ones."""
    names = list(dict.fromkeys(candidates))
    near = get_close_matches(word, names, n=3, cutoff=0.55)
    if near:
        return f"did you mean {' or '.join(near)}?"
    ending = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"there {'are' if len(names) != 1 else 'is'} {', '.join(names[:_MOST_NAMES]) or 'none'}{ending}"
