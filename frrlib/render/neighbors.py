"""The number of requests for a neighbor's hardware address (ARP, NDP) before an interface gives the neighbor up.

Linux sends a request every second, three times (`ucast_solicit`, `mcast_solicit`). A full queue can delay a reply for
longer than that. A router then holds all packets for that neighbor although the link works, and round trips become
longer than the queue explains. So an interface keeps sending requests for as long as a reply can take.

Entries are not permanent: an address may move to another node during a run, and the new owner must be found. An entry
stays usable while it is verified, so its aging delays no packet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from frrlib.addressing.domains import Domain, broadcast_domains
from frrlib.model.faults import LinkValues
from frrlib.model.links import Link, Shape, queue_limit_bytes
from frrlib.model.topology import Topology

#: The kernel's default number of requests, one a second.
KERNEL_PROBES = 3
#: Assumed for a queue that consists of the user's own `tc` commands, in seconds.
_UNKNOWN_WAIT_S = 30.0
_MOST_PROBES = 3600


def neighbor_probes(topology: Topology) -> Mapping[tuple[str, str], int]:
    """The number of requests by node and interface, for interfaces that need more than the kernel's default.

    The longest delay of a link decides, including planned faults.

    Args:
        topology: with names filled in.
    """
    values = _planned_values(topology)
    return {
        (place.end.node, place.end.interface): probes
        for domain in broadcast_domains(topology)
        if (probes := _probes(domain, values)) > KERNEL_PROBES
        for place in domain.ends
    }


def _probes(domain: Domain, values: Mapping[str, list[LinkValues]]) -> int:
    wait_s = sum(_longest_wait_s(link, values.get(link.id, [])) for link in domain.links)
    return min(_MOST_PROBES, KERNEL_PROBES + math.floor(wait_s))


def _longest_wait_s(link: Link, values: list[LinkValues]) -> float:
    """The longest time that a request and its reply together spend on a link."""
    longest_s = 0.0
    for sender, shape_of_sender, reverse in ((link.a, link.a_to_b, link.b_to_a), (link.b, link.b_to_a, link.a_to_b)):
        shapes = (shape_of_sender, *(planned.changed(shape_of_sender) for planned in values))
        longest_s += max(_wait_s(shape, reverse, sender.frame_bytes) for shape in shapes)
    return longest_s


def _wait_s(shape: Shape, reverse: Shape, frame_bytes: int) -> float:
    """The longest time that a packet spends in a direction: its full queue, its delay and its jitter."""
    delay_s = (shape.delay_ms + 4 * shape.jitter_ms) / 1e3
    if shape.qdiscs:
        return delay_s + _UNKNOWN_WAIT_S
    limit_bytes = queue_limit_bytes(shape, reverse, frame_bytes)
    return delay_s + (limit_bytes * 8e-6 / shape.rate_mbit if limit_bytes and shape.rate_mbit else 0.0)


def _planned_values(topology: Topology) -> dict[str, list[LinkValues]]:
    """The values that planned faults set, by link."""
    values_by_link: dict[str, list[LinkValues]] = {}
    for link, values in _value_changes(topology):
        values_by_link.setdefault(link, []).append(values)
    return values_by_link


def _value_changes(topology: Topology) -> Iterator[tuple[str, LinkValues]]:
    for fault in topology.faults:
        for change in (fault, *fault.changes):
            if change.values is not None:
                yield change.target, change.values
