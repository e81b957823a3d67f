"""Any field of a drawing by a path in words: `link:r1-r2.rate_mbit`, `flow:*.cc`, `wait.timeout_s`.

A path is KIND:NAME.FIELD, where NAME may have the patterns `*`, `?` and `[...]`. A link's name is its id or its ends,
`r1-r2` for both directions and `r1>r2` for one of them. FIELD is the field's name in the model, with dots where it lies
deeper (`tcp.buffer_bdp`) and numbers from 1, or `*`, in lists (`bgp.neighbors.1.password`). Settings that belong to no
object begin with the field itself (`wait.timeout_s`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from frrlib.errors import TopologyError
from frrlib.model.links import QUEUE_LIMITS, End, Link, Shape
from frrlib.model.topology import Topology

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
#: Fields of one value of which one at most is given: to give one takes the others away.
ONE_OF = (
    QUEUE_LIMITS,
    ("duration_s", "size_bytes"),
    ("buffer_bytes", "buffer_bdp"),
    ("gilbert_elliott", "four_states"),
)
_OTHERS = {"": "start_command"}
_NODES = ("host", "router", "switch", "bridge", "controller")
#: The beginnings of a path, for people.
_KINDS = ("link", "flow", "fault", "node", *_NODES)
#: So many names are told where there is nothing near.
_TOLD = 8
_SIDES = ("a_to_b", "b_to_a")
_ENDS = ("a", "b")


class Target(NamedTuple):
    """One field of one object.

    Attributes:
        owner: the object, for people ("link l1", "flow f1"); empty for the drawing itself.
        steps: the way to it from the topology, names of fields and places in lists from 0.
        field: what the model says of it.
    """

    owner: str
    steps: tuple[Step, ...]
    field: FieldInfo

    @property
    def name(self) -> str:
        """The field's own name."""
        return str(self.steps[-1])


class _Found(NamedTuple):
    """An object that a path's beginning names, and from which end it is looked at ("" for both)."""

    owner: str
    steps: tuple[Step, ...]
    sender: str


def targets(topology: Topology, path: str) -> tuple[Target, ...]:
    """The fields that a path names, in the order of the drawing; one at least.

    Raises:
        TopologyError: it names an object or a field that is not there; the message offers what is near.
    """
    kind, colon, rest = path.partition(":")
    if not colon:
        return _below_topology(topology, path)
    if kind not in _KINDS:
        raise TopologyError(f"{kind!r} is not a kind of object", node=path, right=_near(kind, _KINDS))
    objects, names = _objects(topology, kind, rest)
    reached: list[Target] = []
    refused: list[TopologyError] = []
    for each in objects:
        try:
            reached += _fields(topology, path, kind, each, names)
        except TopologyError as problem:
            refused.append(problem)
    # Of several that a pattern names, those without the field are passed over.
    if not reached or (refused and not any(sign in rest for sign in "*?[")):
        raise refused[0]
    return tuple(reached)


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
    step, rest = steps[0], steps[1:]
    if isinstance(step, int):
        return (*value[:step], replaced(value[step], rest, new), *value[step + 1 :])
    update = {step: replaced(getattr(value, step), rest, new)}
    if not rest and new is not None:
        others = next((group for group in ONE_OF if step in group), ())
        update |= {name: None for name in others if name != step and name in type(value).model_fields}
    return value.model_copy(update=update)


def _objects(topology: Topology, kind: str, rest: str) -> tuple[list[_Found], list[str]]:
    """The object named by the longest prefix of `rest` that names one, and the fields that follow it."""
    words = rest.split(".")
    for count in range(len(words) - 1, 0, -1):
        found = list(_called(topology, kind, ".".join(words[:count])))
        if found:
            return found, words[count:]
    name = words[0]
    if len(words) == 1 and list(_called(topology, kind, rest)):
        right = f"such as {kind}:{rest}.{next(iter(SHORT.get(kind, _OTHERS).values()))}"
        raise TopologyError("has no field", node=f"{kind}:{rest}", right=right)
    raise TopologyError(f"the {kind} does not exist", node=f"{kind}:{name}", right=_near(name, _names(topology, kind)))


def _called(topology: Topology, kind: str, pattern: str) -> Iterator[_Found]:
    if kind == "link":
        for index, link in enumerate(topology.links):
            sender = _sender(link, pattern)
            if sender is not None:
                yield _Found(f"link {link.id}", ("links", index), sender)
    elif kind in ("flow", "fault"):
        values: Sequence[Any] = topology.flows if kind == "flow" else topology.faults
        for index, each in enumerate(values):
            name = each.id if kind == "flow" else str(index + 1)
            if fnmatchcase(name, pattern):
                yield _Found(f"{kind} {name}", (f"{kind}s", index), "")
    else:
        for index, node in enumerate(topology.nodes):
            if kind in ("node", node.kind) and fnmatchcase(node.name, pattern):
                yield _Found(f"{node.kind} {node.name}", ("nodes", index), "")


def _sender(link: Link, pattern: str) -> str | None:
    """Which end of a link a pattern names as the sending one: "a", "b", or "" for both; None where it is another."""
    there, back = (link.a.node, link.b.node), (link.b.node, link.a.node)
    if any(fnmatchcase(name, pattern) for name in (link.id, "-".join(there), "-".join(back))):
        return ""
    if ">" not in pattern:
        return None
    sides = [side for side, pair in (("a", there), ("b", back)) if fnmatchcase(">".join(pair), pattern)]
    return None if not sides else "" if len(sides) == 2 else sides[0]


def _fields(topology: Topology, path: str, kind: str, found: _Found, names: list[str]) -> Iterator[Target]:
    value = value_at(topology, found.steps)
    short = SHORT.get(kind, SHORT.get(getattr(value, "kind", ""), {}))
    names = [short.get(names[0], names[0]), *names[1:]]
    starts: Iterable[tuple[Step, ...]] = ((),)
    if isinstance(value, Link) and names[0] not in Link.model_fields:
        sides = {"a": _SIDES[:1], "b": _SIDES[1:]}.get(found.sender, _SIDES)
        ends = {"a": _ENDS[:1], "b": _ENDS[1:]}.get(found.sender, _ENDS)
        if names[0] in Shape.model_fields:
            starts = [(side,) for side in sides]
        elif names[0] in End.model_fields:
            starts = [(end,) for end in ends]
        else:
            known = [*short, *Shape.model_fields, *End.model_fields, *Link.model_fields]
            raise TopologyError(f"a link has no field {names[0]!r}", node=path, right=_near(names[0], known))
    for start in starts:
        inner = value_at(value, start)
        yield from _walk(inner, names, found.owner, (*found.steps, *start), path, tuple(short))


def _below_topology(topology: Topology, path: str) -> tuple[Target, ...]:
    names = path.split(".")
    if names[0] in ("nodes", "links", "flows", "faults", "annotations", "foreign"):
        raise TopologyError("has no object", node=path, right=f"such as {names[0].rstrip('s')}:NAME.FIELD")
    return tuple(_walk(topology, names, "", (), path, tuple(f"{kind}:" for kind in _KINDS)))


def _walk(
    value: Any, names: Sequence[str], owner: str, steps: tuple[Step, ...], path: str, more: tuple[str, ...] = ()
) -> Iterator[Target]:
    """The fields at the end of a way by names, from a value that `steps` have led to."""
    name, rest = names[0], names[1:]
    if isinstance(value, tuple):
        chosen = range(len(value)) if name == "*" else [int(name) - 1] if name.isdigit() else []
        if not chosen or not all(0 <= index < len(value) for index in chosen) or not rest:
            raise TopologyError(
                f"{name!r} matches none of the {len(value)} entries of {steps[-1]}", node=path,
                right="use a number from 1 or *, followed by a field",
            )  # fmt: skip
        for index in chosen:
            yield from _walk(value[index], rest, owner, (*steps, index), path)
        return
    if not isinstance(value, BaseModel):
        what = f"{owner} has no {steps[-1]}" if value is None else f"{steps[-1]} has no fields"
        raise TopologyError(what, node=path, right="draw it first, or set it earlier" if value is None else "")
    known = type(value).model_fields
    if name not in known:
        kind = re.sub(r"(?<!^)(?=[A-Z])", " ", type(value).__name__).lower()
        raise TopologyError(f"a {kind} has no field {name!r}", node=path, right=_near(name, [*more, *known]))
    if rest:
        yield from _walk(getattr(value, name), rest, owner, (*steps, name), path)
    else:
        yield Target(owner, (*steps, name), known[name])


def _names(topology: Topology, kind: str) -> list[str]:
    if kind == "link":
        return [name for link in topology.links for name in (f"{link.a.node}-{link.b.node}", link.id)]
    if kind == "flow":
        return [flow.id for flow in topology.flows]
    if kind == "fault":
        return [str(number) for number in range(1, len(topology.faults) + 1)]
    return [node.name for node in topology.nodes if kind in ("node", node.kind)]


def _near(word: str, known: Iterable[str]) -> str:
    """Likely intended names, or all that exist."""
    names = list(dict.fromkeys(known))
    near = get_close_matches(word, names, n=3, cutoff=0.55)
    if near:
        return f"did you mean {' or '.join(near)}?"
    more = f" and {len(names) - _TOLD} more" if len(names) > _TOLD else ""
    return f"there {'are' if len(names) != 1 else 'is'} {', '.join(names[:_TOLD]) or 'none'}{more}"
