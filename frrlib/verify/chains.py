"""Chains of links through switches, each as one link between the two ends with addresses.

A switch sends no packets of its own, so its links are measured from the nodes behind them. A chain has the sum of its
delays, the lowest of its rates, and the queue limit of the slowest link.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from frrlib.addressing.domains import Domain, broadcast_domains
from frrlib.model.impairments import Impairments
from frrlib.model.links import End, Link, Shape, queue_limit_bytes
from frrlib.model.nodes import Bridge
from frrlib.model.topology import Topology

_SEVERAL_PATHS = "there may be several paths through its switches"
_NO_ENDS = "it is not between two ends with addresses of one network"
_TC_COMMANDS = "a link of the chain has tc commands of its own, whose effects are unknown"
_LOSSES = (
    "a link of the chain loses or duplicates packets before its slowest link, or several links do so and one of them "
    "in bursts"
)


class LinkChain(NamedTuple):
    """A chain of links.

    Attributes:
        link: the chain as one link with the id "l1+l2".
        queues_at_end: for each direction, a to b first, whether its queue is at the sending end.
        reason: the reason why it cannot be measured as one link; empty if it can.
    """

    link: Link
    queues_at_end: tuple[bool, bool] = (True, True)
    reason: str = ""


class _Step(NamedTuple):
    """A link of a chain: its end nearer to the start of the chain, its shape along the chain and in reverse."""

    link: Link
    near: End
    forward: Shape
    reverse: Shape


class _Hop(NamedTuple):
    """A link in one direction of a chain: the sending end, its shape, and the shape in the reverse direction."""

    sender: End
    shape: Shape
    reverse: Shape


def link_chains(topology: Topology) -> Iterator[LinkChain]:
    """Chains that contain every shaped link at a switch, each with as few other shaped links as possible.

    Args:
        topology: a topology with all names and addresses.
    """
    for domain in broadcast_domains(topology):
        shaped = {link.id: link for link in domain.links if link.is_shaped}
        if not domain.switches or not shaped:
            continue
        reason = _SEVERAL_PATHS if _has_rings(topology, domain) else _NO_ENDS
        if reason != _SEVERAL_PATHS:
            for a, b, path in _paths(domain):
                if any(step.link.id in shaped for step in path):
                    yield _chain(a, b, path)
                    for step in path:
                        shaped.pop(step.link.id, None)
        yield from (LinkChain(link, reason=reason) for link in shaped.values())


def _has_rings(topology: Topology, domain: Domain) -> bool:
    """Whether there are several paths through the switches, or STP may block the only one."""
    between = sum(link.a.node in domain.switches and link.b.node in domain.switches for link in domain.links)
    spanning = (isinstance(node, Bridge) and node.stp for node in map(topology.node, domain.switches))
    return between >= len(domain.switches) or any(spanning)


def _paths(domain: Domain) -> list[tuple[End, End, list[_Step]]]:
    """The paths between all pairs of ends with addresses of one network, those with the fewest shaped links first."""
    paths = []
    for first, second in itertools.combinations(domain.ends, 2):
        if first.link is not second.link and _share_network(first.end, second.end):
            path = _between(domain, first.end, first.link, second.link)
            if path is not None:
                paths.append((first.end, second.end, path))
    return sorted(paths, key=lambda path: (sum(step.link.is_shaped for step in path[2]), len(path[2])))


def _share_network(first: End, second: End) -> bool:
    return any(mine.network == theirs.network for mine in first.addresses for theirs in second.addresses)


def _between(domain: Domain, start: End, link: Link, last: Link, visited: tuple[str, ...] = ()) -> list[_Step] | None:
    """The links from an end of `link` to `last`, both included; None without a path."""
    forward, reverse = (link.a_to_b, link.b_to_a) if start is link.a else (link.b_to_a, link.a_to_b)
    step = _Step(link, start, forward, reverse)
    if link is last:
        return [step]
    far = link.b if start is link.a else link.a
    if far.node not in domain.switches:
        return None
    for following in domain.links:
        if following.id not in (*visited, link.id) and far.node in (following.a.node, following.b.node):
            near = following.a if following.a.node == far.node else following.b
            remainder = _between(domain, near, following, last, (*visited, link.id))
            if remainder is not None:
                return [step, *remainder]
    return None


def _chain(a: End, b: End, path: Sequence[_Step]) -> LinkChain:
    forward = [_Hop(step.near, step.forward, step.reverse) for step in path]
    reverse = [_Hop(step.link.other(step.near.node), step.reverse, step.forward) for step in reversed(path)]
    name = "+".join(step.link.id for step in path)
    # Frames longer than the smallest MTU do not pass the chain.
    mtu = {"mtu_bytes": min(end.real_mtu_bytes for step in path for end in step.link.ends)}
    ends = a.model_copy(update=mtu), b.model_copy(update=mtu)
    link = Link(id=name[:64], a=ends[0], b=ends[1], a_to_b=_combined(forward), b_to_a=_combined(reverse))
    directions = [[hop.shape for hop in hops] for hops in (forward, reverse)]
    has_tc_commands = any(shape.qdiscs for shapes in directions for shape in shapes)
    reason = _TC_COMMANDS if has_tc_commands else _LOSSES if any(map(_hides_losses, directions)) else ""
    at_end = [_slowest(shapes) == 0 for shapes in directions]
    return LinkChain(link, (at_end[0], at_end[1]), reason)


def _slowest(shapes: Sequence[Shape]) -> int:
    """The position of the first link with the lowest rate; 0 without any rate."""
    return min(range(len(shapes)), key=lambda place: shapes[place].rate_mbit or math.inf)


def _loses_or_duplicates(shape: Shape) -> bool:
    return bool(shape.mean_loss_percent) or shape.impairments.are_any


def _hides_losses(shapes: Sequence[Shape]) -> bool:
    harmful = [place for place, shape in enumerate(shapes) if _loses_or_duplicates(shape)]
    ahead = any(place < _slowest(shapes) for place in harmful)
    return ahead or (len(harmful) > 1 and any(shapes[place].impairments.are_any for place in harmful))


def _combined(hops: Sequence[_Hop]) -> Shape:
    """One direction of a chain as one shape."""
    shapes = [hop.shape for hop in hops]
    sender, slowest, reverse = hops[_slowest(shapes)]
    harmful = [shape for shape in shapes if _loses_or_duplicates(shape)]
    share = 1 - math.prod(1 - shape.mean_loss_percent / 100 for shape in harmful)
    lossy = harmful[0] if len(harmful) == 1 else Shape(loss_percent=100 * share)
    limit = queue_limit_bytes(slowest, reverse, sender.frame_bytes)
    packets = math.ceil(limit / sender.frame_bytes) if limit and slowest.discipline.limit_in == "packets" else None
    return Shape(
        rate_mbit=slowest.rate_mbit, queue=slowest.discipline if limit else None, queue_packets=packets,
        queue_bytes=None if packets else limit,
        delay_ms=math.fsum(shape.delay_ms for shape in shapes),
        jitter_ms=math.fsum(shape.jitter_ms for shape in shapes),
        loss_percent=lossy.loss_percent, impairments=lossy.impairments if harmful else Impairments(),
    )  # fmt: skip
