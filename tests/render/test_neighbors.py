"""The number of requests for a hardware address: the longest delay of a reply plus the kernel's three."""

from __future__ import annotations

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.agent.network import rtnetlink
from frrlib.edits.fault_plan import set_faults
from frrlib.model.fault_words import parse_planned
from frrlib.network.network import Network, Shape
from frrlib.render.neighbors import neighbor_probes
from frrlib.render.plan import plan

#: 6.144 s in the queue, and 10 ms on the link.
SLOW = Shape(rate_mbit=0.512, delay_ms=10, queue_bytes=393_216)
PLAIN = Shape()


def _net(forward: Shape, reverse: Shape = PLAIN) -> Network:
    """h1, which sends by `forward`, a bridge, a router, and a host behind the router."""
    net = Network("Slow")
    net.host("h1")
    net.bridge("s1")
    net.router("r1")
    net.host("h2")
    net.link("h1", "s1", a_to_b=forward, b_to_a=reverse)
    net.link("s1", "r1")
    net.link("r1", "h2")
    return net


@pytest.mark.parametrize(
    ("forward", "reverse", "probes"),
    [
        (SLOW, PLAIN, 9),
        (SLOW, SLOW, 15),  # 12.308 s
        (Shape(rate_mbit=10, delay_ms=20, queue_bdp=1), PLAIN, None),
        (Shape(delay_ms=400, jitter_ms=50), Shape(delay_ms=400), 4),
        (Shape(qdiscs=("root netem rate 9kbit limit 1000",)), PLAIN, 33),
    ],
)
def test_requests_are_repeated_as_long_as_queues_may_hold_a_reply(
    forward: Shape, reverse: Shape, probes: int | None
) -> None:
    counts = neighbor_probes(addressed(_net(forward, reverse).topology))
    assert counts == ({("h1", "h1-eth0"): probes, ("r1", "r1-eth0"): probes} if probes else {})


@pytest.mark.parametrize(
    ("words", "probes"),
    # Both directions get all values. Only one of them has the queue of 393216 bytes in the topology.
    [("1 set l1 rate=0.512 queue=393216bytes", 15), ("1 vary l1 rate=square:10:0.512:1s 10s", 9)],
)
def test_the_slowest_planned_rate_counts(words: str, probes: int) -> None:
    topology = addressed(_net(Shape(rate_mbit=10, queue_bytes=393_216)).topology)
    assert neighbor_probes(topology) == {}
    counts = neighbor_probes(set_faults(topology, [parse_planned(topology, words)]))
    assert counts["r1", "r1-eth0"] == probes


def test_the_plan_has_the_number_of_requests_and_the_agent_sets_it() -> None:
    interfaces = [end for link in plan(addressed(_net(SLOW).topology)).links for end in (link.a, link.b)]
    assert {end.name: end.neighbor_probes for end in interfaces if end.neighbor_probes} == {"h1-eth0": 9, "r1-eth0": 9}
    message = rtnetlink.neighbor_probes(100, "h1-eth0", 2, 9)
    assert b"arp_cache\0" in message.body
