"""Changes of links that keep their interfaces, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from frrlib.model.base import Value
from frrlib.model.links import End, Link
from frrlib.model.topology import Topology
from frrlib.wire.plan import InterfacePlan, LinkPlan, Plan

#: Fields of a direction with their names and units.
_SHAPE_WORDS = {
    "rate_mbit": ("rate", "Mbit/s"), "delay_ms": ("delay", "ms"), "jitter_ms": ("jitter", "ms"),
    "loss_percent": ("loss", "%"), "queue_packets": ("queue limit", "packets"), "queue_bytes": ("queue limit", "bytes"),
    "queue_ms": ("queue limit", "ms"), "queue_bdp": ("queue limit", "BDP"), "queue": ("queueing discipline", ""),
    "shaper": ("shaper", ""), "burst_frames": ("bucket", "frames"),
    "peak_rate_mbit": ("peak rate", "Mbit/s"), "peak_frames": ("bucket of the peak rate", "frames"),
    "impairments": ("impairments", ""), "qdiscs": ("tc commands", ""),
}  # fmt: skip
_NONE = "none"


def end_text(end: End) -> str:
    """An end of a link in words: "r1-eth0 10.0.1.1/24"."""
    return " ".join([end.interface, *map(str, end.addresses)])


def link_changes(before: Topology, after: Topology, plans: tuple[Plan, Plan], link_id: str) -> Iterator[str]:
    """The changes of one link that keeps its interfaces."""
    old, new = before.link(link_id), after.link(link_id)
    assert old is not None and new is not None
    old_plan, new_plan = (next(link for link in plan.links if link.id == link_id) for plan in plans)
    texts = [*_values(old, new), *_ends(old_plan, new_plan)]
    if old.up != new.up:
        texts.append("give it carrier" if new.up else "take its carrier away")
    yield from (f"link {link_id}: {text}" for text in texts or ["its queues depend on another value"])


def _values(old: Link, new: Link) -> Iterator[str]:
    for (sender, receiver, old_shape), (_, _, new_shape) in zip(old.directions, new.directions, strict=True):
        for field, (name, unit) in _SHAPE_WORDS.items():
            before, after = getattr(old_shape, field), getattr(new_shape, field)
            if before != after:
                words = f"{name} {_text(after, unit)} instead of {_text(before, unit)}"
                yield f"{words} from {sender.node} to {receiver.node}"


def _ends(old: LinkPlan, new: LinkPlan) -> Iterator[str]:
    for before, after in ((old.a, new.a), (old.b, new.b)):
        yield from (f"{text} at {after.name}" for text in _end_changes(before, after))


def _end_changes(before: InterfacePlan, after: InterfacePlan) -> Iterator[str]:
    if before.addresses != after.addresses:
        yield f"address {', '.join(after.addresses) or _NONE} instead of {', '.join(before.addresses) or _NONE}"
    if before.offloads != after.offloads:
        yield f"segmentation offloads {'on' if after.offloads else 'off'}"
    if before.neighbor_probes != after.neighbor_probes:
        number = after.neighbor_probes or "the kernel's number of"
        yield f"{number} requests for a neighbor's hardware address"


def _text(value: Any, unit: str) -> str:
    """A value of a direction in words."""
    if value is None or value in ("", ()):
        return _NONE
    if isinstance(value, Value):
        given = [f"{name}={getattr(value, name)}" for name in sorted(value.model_fields_set - {"kind"})]
        kind = getattr(value, "kind", "")
        return f"{kind} ({', '.join(given)})" if kind and given else kind or ", ".join(given) or _NONE
    if isinstance(value, tuple):
        return "; ".join(map(str, value))
    return f"{value:g} {unit}" if isinstance(value, int | float) else str(value)
