"""Fixes of links: queues, delays, losses, MTUs, MAC addresses."""

from __future__ import annotations

import math
from typing import Any

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, Fixer, changed, last_part, links_fix, shape_fix, where
from frrlib.checks.own_command_sizes import too_small, with_size
from frrlib.checks.subjects.link_queues import room_of_sfq, sender_of
from frrlib.model.frames import FULL_FRAME_BYTES, LEAST_IPV6_MTU_BYTES, memory_bytes
from frrlib.model.impairments import Impairments
from frrlib.model.labels import place_words
from frrlib.model.links import (
    QUEUE_LIMITS,
    Link,
    Shape,
    queue_limit_bytes,
)
from frrlib.model.problem import Problem
from frrlib.model.quantities import size_words
from frrlib.model.queues import Choke, Red, Sfq

#: The limit that replaces one in bandwidth-delay products if the delay is 0.
_USUAL_QUEUE_MS = 100.0
_NO_LIMIT: dict[str, Any] = dict.fromkeys(QUEUE_LIMITS)


def _no_queue(facts: Facts, problem: Problem) -> Fix | None:
    field = last_part(problem)
    part = "queueing discipline" if field == "queue" else "queue limit"
    label = f"remove the {part} at {where(facts, problem)}"
    return shape_fix(label, facts, problem, lambda shape, back: {field: None})


def _no_products(facts: Facts, problem: Problem) -> Fix | None:
    return shape_fix(
        f"set a queue of {_USUAL_QUEUE_MS:g} ms at {where(facts, problem)}", facts, problem,
        lambda shape, back: {**_NO_LIMIT, "queue_ms": _USUAL_QUEUE_MS},
    )  # fmt: skip


def _room(facts: Facts, problem: Problem) -> Fix | None:
    link = facts.drawn.link(problem.node)
    if link is None:
        return None
    at = where(facts, problem)
    if last_part(problem) == "queue_bytes":
        frame = sender_of(link, problem.field).frame_bytes
        return shape_fix(f"set a queue of one full frame at {at}", facts, problem, lambda *both: {"queue_bytes": frame})
    limit = {**_NO_LIMIT, "queue_packets": 1}
    return shape_fix(f"set a queue of 1 packet at {at}", facts, problem, lambda *both: limit)


def _less_jitter(facts: Facts, problem: Problem) -> Fix | None:
    def update(shape: Shape, back: Shape) -> dict[str, Any]:
        left = {} if shape.delay_ms else {"impairments": _steady(shape.impairments)}
        return {"jitter_ms": min(shape.jitter_ms, shape.delay_ms), **left}

    return shape_fix(f"limit the jitter to the delay at {where(facts, problem)}", facts, problem, update)


def _steady(rare: Impairments) -> Impairments:
    return rare.model_copy(update={"jitter_distribution": "uniform", "jitter_correlation_percent": 0.0})


def _no_spread(facts: Facts, problem: Problem) -> Fix | None:
    label = f"reset the jitter distribution at {where(facts, problem)}"
    return shape_fix(label, facts, problem, lambda shape, back: {"impairments": _steady(shape.impairments)})


def _usual_bucket(facts: Facts, problem: Problem) -> Fix | None:
    label = f"use the default burst at {where(facts, problem)}"
    return shape_fix(label, facts, problem, lambda shape, back: {"burst_frames": None})


def _one_loss(facts: Facts, problem: Problem) -> Fix | None:
    def update(shape: Shape, back: Shape) -> dict[str, Any]:
        rare = shape.impairments.model_copy(update={"loss_correlation_percent": 0.0})
        return {"loss_percent": 0.0, "impairments": rare}

    return shape_fix(f"keep only the burst losses at {where(facts, problem)}", facts, problem, update)


def _no_reordering(facts: Facts, problem: Problem) -> Fix | None:
    def update(shape: Shape, back: Shape) -> dict[str, Any]:
        rare = shape.impairments.model_copy(update={"reorder_percent": 0.0, "reorder_correlation_percent": 0.0})
        return {"impairments": rare}

    return shape_fix(f"remove the reordering at {where(facts, problem)}", facts, problem, update)


def _own_burst(facts: Facts, problem: Problem) -> Fix | None:
    def update(shape: Shape, back: Shape) -> dict[str, Any]:
        return {"queue": shape.queue.model_copy(update={"burst_packets": None})} if shape.queue else {}

    return shape_fix(f"use the kernel's default burst at {where(facts, problem)}", facts, problem, update)


def _marks_in_queue(facts: Facts, problem: Problem) -> Fix | None:
    frame = frame_of(facts, problem)

    def update(shape: Shape, back: Shape) -> dict[str, Any]:
        limit = queue_limit_bytes(shape, back, frame) or 0
        match shape.queue:
            case Red() as queue:
                return {"queue": changed(queue, max_bytes=limit) or queue}
            case Choke() as queue:
                return {"queue": changed(queue, max_packets=limit // frame) or queue}
            case Sfq() as queue:
                return {**_NO_LIMIT, "queue_packets": room_of_sfq(queue)}
        return {}

    return shape_fix(f"fit thresholds and queue limit at {where(facts, problem)}", facts, problem, update)


def frame_of(facts: Facts, problem: Problem) -> int:
    """The size of a full frame, in bytes, in the link direction of a problem."""
    link = facts.filled.link(problem.node)
    return sender_of(link, problem.field).frame_bytes if link is not None else FULL_FRAME_BYTES


def _same_mtu(facts: Facts, problem: Problem) -> Fix | None:
    link = facts.drawn.link(problem.node)
    if link is None:
        return None
    sizes = sorted(end.real_mtu_bytes for end in link.ends)
    best = sizes[0] if sizes[0] >= LEAST_IPV6_MTU_BYTES else sizes[1]
    return mtu_fix(facts, link.id, best)


def _room_for_ipv6(facts: Facts, problem: Problem) -> Fix | None:
    return mtu_fix(facts, problem.node, LEAST_IPV6_MTU_BYTES)


def mtu_fix(facts: Facts, link_id: str, mtu_bytes: int) -> Fix | None:
    """Set the same MTU at both ends of a link."""

    def change(link: Link) -> Link:
        ends = {side: getattr(link, side).model_copy(update={"mtu_bytes": mtu_bytes}) for side in "ab"}
        return link.model_copy(update=ends)

    label = f"set an MTU of {mtu_bytes} bytes at both ends of {place_words(facts.drawn, link_id, '')}"
    return links_fix(label, facts.drawn, link_id, change)


def _full_frame(facts: Facts, problem: Problem) -> Fix | None:
    """Set a limit with room for a full frame, in memory or in the tc commands."""
    field, size = last_part(problem), memory_bytes(frame_of(facts, problem))
    if field == "qdiscs":
        return _own_sizes(facts, problem)

    def update(shape: Shape, back: Shape) -> dict[str, Any]:
        if field == "memory_limit_bytes" and shape.queue is not None:
            return {"queue": shape.queue.model_copy(update={"memory_limit_bytes": size})}
        return {**_NO_LIMIT, "queue_bytes": size}

    return shape_fix(f"set memory for a full frame at {where(facts, problem)}", facts, problem, update)


def _own_sizes(facts: Facts, problem: Problem) -> Fix | None:
    """Raise every size in the tc commands that is below a full frame to a full frame."""
    frame = frame_of(facts, problem)

    def update(shape: Shape, back: Shape) -> dict[str, Any]:
        lines = list(shape.qdiscs)
        for small in too_small(shape.qdiscs, frame):
            lines[small.line] = with_size(lines[small.line], small.word, small.needs_bytes)
        return {"qdiscs": tuple(lines)}

    label = f"make room for a full frame in the tc commands at {where(facts, problem)}"
    return shape_fix(label, facts, problem, update)


def _own_mac(facts: Facts, problem: Problem) -> Fix | None:
    return _end_fix(f"use an automatic MAC address at {where(facts, problem)}", facts, problem, mac="")


def _no_offloads(facts: Facts, problem: Problem) -> Fix | None:
    return _end_fix(f"leave the offloads at {where(facts, problem)} to the lab", facts, problem, offloads=None)


def _end_fix(label: str, facts: Facts, problem: Problem, **update: Any) -> Fix | None:
    """Change values at the link end of a problem."""
    side = problem.field.partition(".")[0]

    def change(link: Link) -> Link:
        return link.model_copy(update={side: getattr(link, side).model_copy(update=update)})

    return links_fix(label, facts.drawn, problem.node, change)


def _drawn_speedup(facts: Facts, problem: Problem) -> Fix | None:
    """Set the effective rates, and remove the speedup."""
    drawn, real = facts.drawn.link(problem.node), facts.filled.link(problem.node)
    if drawn is None or real is None:
        return None
    after = drawn.model_copy(update={"a_to_b": real.a_to_b, "b_to_a": real.b_to_a, "speedup_mbit": None})
    label = f"replace the speedup of {where(facts, problem)} by a rate"
    return links_fix(label, facts.drawn, problem.node, lambda _: after)


def _no_loss_back(facts: Facts, problem: Problem) -> Fix | None:
    """Keep the loss only in the direction of the data, if all data go in one direction."""
    sides = {step.side for way in facts.ways for step in way.steps if step.link.id == problem.node}
    if len(sides) != 1:
        return None
    back = "b_to_a" if sides == {"a_to_b"} else "a_to_b"

    def change(link: Link) -> Link | None:
        shape = getattr(link, back)
        losses = {"loss_correlation_percent": 0.0, "gilbert_elliott": None, "four_states": None}
        after = changed(shape, loss_percent=0.0, impairments=shape.impairments.model_copy(update=losses))
        return link.model_copy(update={back: after}) if after is not None else None

    label = f"keep the loss of {where(facts, problem)} only in the direction of the data"
    return links_fix(label, facts.drawn, problem.node, change)


def queue_fix(facts: Facts, problem: Problem, product: float, words: str) -> Fix | None:
    """Set a queue of `product` bytes in the link direction of a problem, in packets if its limit is in packets."""

    frame = frame_of(facts, problem)
    frames = max(1, math.ceil(product / frame))
    size = max(frame, math.ceil(product))

    def update(shape: Shape, back: Shape) -> dict[str, Any]:
        return {"queue_packets": frames} if shape.queue_packets is not None else {**_NO_LIMIT, "queue_bytes": size}

    return shape_fix(f"{words} at {where(facts, problem)}: {size_words(size)}", facts, problem, update)


FIXERS: dict[str, Fixer] = {
    "queue-without-rate": _no_queue,
    "bdp-without-delay": _no_products,
    "small-queue": _room,
    "much-jitter": _less_jitter,
    "no-jitter": _no_spread,
    "large-burst": _usual_bucket,
    "two-losses": _one_loss,
    "reorder-without-delay": _no_reordering,
    "short-burst": _own_burst,
    "mark-beyond-queue": _marks_in_queue,
    "no-full-frame": _full_frame,
    "mtu-mismatch": _same_mtu,
    "small-mtu": _room_for_ipv6,
    "illegal-mac": _own_mac,
    "duplicate-mac": _own_mac,
    "offloads-on": _no_offloads,
    "loss-both-ways": _no_loss_back,
    "speedup": _drawn_speedup,
}
