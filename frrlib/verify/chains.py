"""Links in a row through switches, each row as one link between the two ends that have addresses.

A switch sends nothing by itself, so what its links do is seen by who is behind them. A row delays by the sum of its
delays, carries the least of its rates, and holds in its queue what that link holds.
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

_SEVERAL_WAYS = "there may be several ways through its switches"
_NO_ENDS = "no two ends with addresses of one network have it between them"
_OWN = "a link of the row has tc commands of its own, of which nothing is expected"
_LOSSES = "a link of the row loses or doubles packets ahead of its slowest one, or does so beside another in bursts"


class LinkChain(NamedTuple):
    """Links in a row.

    Attributes:
        link: the row as one link; its id is "l1+l2".
        queues_at_end: of each direction, a to b first, whether its queue is at the end that sends.
        why: why it cannot be measured as one link; empty where it can.
    """

    link: Link
    queues_at_end: tuple[bool, bool] = (True, True)
    why: str = ""


class _Passed(NamedTuple):
    """A link of a row: its end nearer to the start of the row, the shape along the row and the shape back."""

    link: Link
    near: End
    there: Shape
    back: Shape


class _Hop(NamedTuple):
    """A link in one direction of a row: the end that sends into it, its shape, and the shape back."""

    sender: End
    shape: Shape
    back: Shape


def link_chains(topology: Topology) -> Iterator[LinkChain]:
    """Rows that contain every shaped link at a switch, as few other shaped links in each as can be.

    Args:
        topology: with names and addresses filled in.
    """
    for domain in broadcast_domains(topology):
        shaped = {link.id: link for link in domain.links if link.is_shaped}
        if not domain.switches or not shaped:
            continue
        why = _SEVERAL_WAYS if _has_rings(topology, domain) else _NO_ENDS
        if why != _SEVERAL_WAYS:
            for a, b, passed in _ways(domain):
                if any(each.link.id in shaped for each in passed):
                    yield _row(a, b, passed)
                    for each in passed:
                        shaped.pop(each.link.id, None)
        yield from (LinkChain(link, why=why) for link in shaped.values())


def _has_rings(topology: Topology, domain: Domain) -> bool:
    """Whether more than one way leads through the switches, or a protocol of theirs may close the only one."""
    between = sum(link.a.node in domain.switches and link.b.node in domain.switches for link in domain.links)
    spanning = (isinstance(node, Bridge) and node.stp for node in map(topology.node, domain.switches))
    return between >= len(domain.switches) or any(spanning)


def _ways(domain: Domain) -> list[tuple[End, End, list[_Passed]]]:
    """The ways between all two ends with addresses of one network, those with the fewest shaped links first."""
    found = []
    for one, other in itertools.combinations(domain.ends, 2):
        if one.link is not other.link and _share_network(one.end, other.end):
            passed = _between(domain, one.end, one.link, other.link)
            if passed is not None:
                found.append((one.end, other.end, passed))
    return sorted(found, key=lambda way: (sum(each.link.is_shaped for each in way[2]), len(way[2])))


def _share_network(one: End, other: End) -> bool:
    return any(mine.network == theirs.network for mine in one.addresses for theirs in other.addresses)


def _between(domain: Domain, start: End, link: Link, last: Link, seen: tuple[str, ...] = ()) -> list[_Passed] | None:
    """The links from an end of `link` to `last`, both included; None where no way leads there."""
    there, back = (link.a_to_b, link.b_to_a) if start is link.a else (link.b_to_a, link.a_to_b)
    passed = _Passed(link, start, there, back)
    if link is last:
        return [passed]
    far = link.b if start is link.a else link.a
    if far.node not in domain.switches:
        return None
    for following in domain.links:
        if following.id not in (*seen, link.id) and far.node in (following.a.node, following.b.node):
            near = following.a if following.a.node == far.node else following.b
            rest = _between(domain, near, following, last, (*seen, link.id))
            if rest is not None:
                return [passed, *rest]
    return None


def _row(a: End, b: End, passed: Sequence[_Passed]) -> LinkChain:
    there = [_Hop(each.near, each.there, each.back) for each in passed]
    back = [_Hop(each.link.other(each.near.node), each.back, each.there) for each in reversed(passed)]
    name = "+".join(each.link.id for each in passed)
    # Longer frames than the narrowest interface takes do not pass the row.
    mtu = {"mtu_bytes": min(end.real_mtu_bytes for each in passed for end in each.link.ends)}
    ends = a.model_copy(update=mtu), b.model_copy(update=mtu)
    link = Link(id=name[:64], a=ends[0], b=ends[1], a_to_b=_joined(there), b_to_a=_joined(back))
    own = any(hop.shape.qdiscs for each in (there, back) for hop in each)
    why = _OWN if own else _LOSSES if any(_hides_losses([hop.shape for hop in each]) for each in (there, back)) else ""
    at_end = [_slowest([hop.shape for hop in each]) == 0 for each in (there, back)]
    return LinkChain(link, (at_end[0], at_end[1]), why)


def _slowest(shapes: Sequence[Shape]) -> int:
    """The position of the lowest rate, of several the first; 0 where none has a rate."""
    return min(range(len(shapes)), key=lambda place: shapes[place].rate_mbit or math.inf)


def _harms(shape: Shape) -> bool:
    return bool(shape.mean_loss_percent) or shape.impairments.are_any


def _hides_losses(shapes: Sequence[Shape]) -> bool:
    harmful = [place for place, shape in enumerate(shapes) if _harms(shape)]
    ahead = any(place < _slowest(shapes) for place in harmful)
    return ahead or (len(harmful) > 1 and any(shapes[place].impairments.are_any for place in harmful))


def _joined(hops: Sequence[_Hop]) -> Shape:
    """One direction of a row."""
    shapes = [hop.shape for hop in hops]
    sender, slowest, back = hops[_slowest(shapes)]
    harmful = [shape for shape in shapes if _harms(shape)]
    share = 1 - math.prod(1 - shape.mean_loss_percent / 100 for shape in harmful)
    one = harmful[0] if len(harmful) == 1 else Shape(loss_percent=100 * share)
    limit = queue_limit_bytes(slowest, back, sender.frame_bytes)
    packets = math.ceil(limit / sender.frame_bytes) if limit and slowest.discipline.limit_in == "packets" else None
    return Shape(
        rate_mbit=slowest.rate_mbit, queue=slowest.discipline if limit else None, queue_packets=packets,
        queue_bytes=None if packets else limit,
        delay_ms=math.fsum(shape.delay_ms for shape in shapes),
        jitter_ms=math.fsum(shape.jitter_ms for shape in shapes),
        loss_percent=one.loss_percent, impairments=one.impairments if harmful else Impairments(),
    )  # fmt: skip
