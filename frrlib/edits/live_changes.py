"""The changes of a topology that its running lab can apply: values of links, as `Fault`s."""

from __future__ import annotations

from frrlib.errors import TopologyError
from frrlib.model.faults import FIFO, Fault, LinkValues
from frrlib.model.links import Link, Shape
from frrlib.model.topology import Topology

#: The fields of a direction that can change while the lab runs.
LIVE_FIELDS = tuple(LinkValues.model_fields)
#: The same fields of a link, dotted. The parameters of a queueing discipline are below its own field.
_LINK_FIELDS = frozenset(f"{side}.{name}" for side in ("a_to_b", "b_to_a") for name in LIVE_FIELDS)
#: The fields of a topology that a lab is built from; it ignores others (flows, title, notes).
_BUILT_FROM = ("nodes", "links", "preferences")

STOP_FIRST = "stop it (Shift+F5) first"
REFUSAL = f"The running lab was made from another topology: apply the changes to it, or {STOP_FIRST}."


def is_live_field(path: str) -> bool:
    """Whether a field of a link, dotted from the link on, can change while the lab runs."""
    return ".".join(path.split(".")[:2]) in _LINK_FIELDS


def is_alike(before: Topology, after: Topology) -> bool:
    """Whether both topologies give the same lab."""
    return all(_part(before, name) == _part(after, name) for name in _BUILT_FROM)


def live_changes(before: Topology, after: Topology) -> tuple[Fault, ...]:
    """The faults that turn a lab of the topology `before` into a lab of `after`; empty if they are alike.

    Raises:
        TopologyError: the topologies differ in more than values of links, or a value cannot change while the lab runs.
    """
    same_links = [link.id for link in before.links] == [link.id for link in after.links]
    if not same_links or any(_part(before, name) != _part(after, name) for name in ("nodes", "preferences")):
        raise TopologyError(REFUSAL)
    return tuple(
        fault
        for old, new in zip(before.links, after.links, strict=True)
        if old != new
        for fault in _link_faults(old, new)
    )


def _link_faults(old: Link, new: Link) -> tuple[Fault, ...]:
    if old.model_copy(update={"a_to_b": new.a_to_b, "b_to_a": new.b_to_a}) != new:
        raise TopologyError(REFUSAL)
    if old.speedup_mbit is not None and any(a.rate_mbit != b.rate_mbit for a, b in _pairs(old, new)):
        reason = "has a speedup, which stands for its rate"
        raise TopologyError(reason, node=new.id, field="rate_mbit", remedy=STOP_FIRST)
    towards_b, towards_a = (_values(new, *pair) for pair in _pairs(old, new))
    if towards_b == towards_a:
        return _fault(new, "", towards_b)
    return (*_fault(new, new.b.node, towards_b), *_fault(new, new.a.node, towards_a))


def _pairs(old: Link, new: Link) -> tuple[tuple[Shape, Shape], tuple[Shape, Shape]]:
    return (old.a_to_b, new.a_to_b), (old.b_to_a, new.b_to_a)


def _fault(link: Link, towards: str, values: LinkValues) -> tuple[Fault, ...]:
    return (Fault(kind="link-values", target=link.id, towards=towards, values=values),) if values.given else ()


def _values(link: Link, old: Shape, new: Shape) -> LinkValues:
    """The change that turns one shape into the other. Raises TopologyError if these values cannot change."""
    changed = {name: getattr(new, name) for name in LIVE_FIELDS if getattr(old, name) != getattr(new, name)}
    if "rate_mbit" in changed and changed["rate_mbit"] is None:
        changed["rate_mbit"] = 0.0  # no limit any more
    if "queue" in changed and changed["queue"] is None:
        changed["queue"] = FIFO
    values = LinkValues.model_validate(changed)
    if values.changed(old) != new:
        without = old.model_copy(update={name: getattr(new, name) for name in LIVE_FIELDS})
        if without == new:
            reason, remedy = "cannot lose its queue limit while the lab runs", f"another limit, or {STOP_FIRST}"
        else:
            reason = "changes more than rate, delay, jitter, loss and queue, the only ones that can while it runs"
            remedy = STOP_FIRST
        raise TopologyError(reason, node=link.id, remedy=remedy)
    return values


def _part(topology: Topology, name: str) -> object:
    value = getattr(topology, name)
    return [node.without_looks for node in value] if name == "nodes" else value
