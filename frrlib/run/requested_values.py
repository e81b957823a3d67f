"""The values that a drawing asks of queues, cables and paths, kept in a run's results to judge it by."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

from frrlib.checks.own_command_sizes import accounting
from frrlib.lab.lab import Lab
from frrlib.model.chance import likeness
from frrlib.model.links import End, Shape
from frrlib.model.nodes import Host
from frrlib.model.own_commands import queue_kind, told_rate_mbit
from frrlib.model.queues import Bfifo, Fq, Pfifo
from frrlib.model.topology import Topology
from frrlib.prediction.flow_paths import address_of, default_gateways, departure
from frrlib.render.faults import is_cabled
from frrlib.render.plan import direction_name, flow_plans
from frrlib.render.queues import packets
from frrlib.render.tc import bucket_bytes
from frrlib.results.layout import CableInfo, QueueInfo
from frrlib.run.flow_paths import MOST_PAIRS, BothPaths, both_paths, by_flow, path_links

#: A machine's own part of a ping's round trip: by sending and answering it, and at each link.
RTT_SLACK_MS, RTT_SLACK_PER_LINK_MS = 0.5, 0.1
#: The size of a ping's frame for the shaper.
_PING_BYTES = 98
#: How far from the mean, in spreads, a jitter goes that is not uniform.
_FARTHEST = 4


def queues(topology: Topology) -> dict[str, QueueInfo]:
    """Rate and limit of each direction that has a rate; of one with commands of its own what these say of a rate."""
    return {
        direction_name(link, sender): _own(shape) if shape.qdiscs else _queue(sender, shape, back)
        for link in topology.links
        for sender, shape, back in link.there_and_back
        if shape.rate_mbit is not None or shape.qdiscs
    }


def _own(shape: Shape) -> QueueInfo:
    """A description of a queue made by custom commands: for figures only, not for judging."""
    return QueueInfo(
        rate_mbit=told_rate_mbit(shape.qdiscs),
        discipline=queue_kind(shape.qdiscs),
        accounting=accounting(shape.qdiscs),
    )


def _queue(sender: End, shape: Shape, back: Shape) -> QueueInfo:
    frame_bytes, discipline = sender.frame_bytes, shape.discipline
    limit = shape.stated_limit_bytes(back, frame_bytes)
    return QueueInfo(
        rate_mbit=shape.rate_mbit,
        limit_bytes=limit,
        discipline=shape.queue.kind if shape.queue is not None else "",
        limit_packets=packets(limit, frame_bytes) if isinstance(discipline, Pfifo) and limit is not None else None,
        frame_bytes=frame_bytes,
        accounting=shape.accounting,
        is_exact=not isinstance(discipline, Fq),
        counts="packets" if isinstance(discipline, Pfifo) else "bytes" if isinstance(discipline, Bfifo) else "",
        burst_bytes=bucket_bytes(shape, frame_bytes),
        interface=f"{sender.node}:{sender.interface}",
    )


def cables(topology: Topology) -> dict[str, CableInfo]:
    """The drawn loss of each direction through the cable room, except those whose loss netem's correlation changes."""
    return {
        direction_name(link, sender): CableInfo(
            loss_percent=shape.mean_loss_percent,
            likeness=likeness(shape.impairments),
            duplicate_percent=shape.impairments.duplicate_percent,
        )
        for link in topology.links
        for sender, _, shape in link.directions
        if is_cabled(topology, link) and not shape.impairments.loss_correlation_percent
    }


def flows(lab: Lab) -> dict[str, dict[str, Any]]:
    """Further facts about each flow for the results of a running lab: path, base RTT and pacer; see `FlowInfo`.

    The path is that of the kernels' tables at this moment, so the choice of a routing protocol is not predicted.
    """
    pairs = dict.fromkeys((flow.source, flow.destination) for flow in lab.topology.flows)
    paths = {pair: both_paths(lab, *pair) for pair in pairs}
    known = {
        pair: {**_at_rest(lab.topology, paths[pair]), "paced_by": _paced_by(lab.topology, *pair)} for pair in pairs
    }
    path_of = by_flow(lab.topology, paths if len(paths) <= MOST_PAIRS else {})
    return {
        plan.id: {**known[plan.source, plan.destination], "path": path_of[plan.id]} for plan in flow_plans(lab.topology)
    }


def _at_rest(topology: Topology, paths: BothPaths | None) -> dict[str, Any]:
    if paths is None:
        return {}
    ways = [[[step.shape for step in way] for way in path_links(topology, path)] for path in paths]
    if not all(ways) or any(shape.qdiscs for each in ways for way in each for shape in way):
        return {}  # the effect of custom commands is not known
    drawn = [sum(shape.delay_ms for shape in way) for way in (min(ways[0], key=_delay), min(ways[1], key=_delay))]
    low = sum(min(_delay(way) - _early(way) for way in each) for each in ways)
    high = sum(max(_delay(way) + _late(way) for way in each) for each in ways)
    return {"drawn_rtt_ms": sum(drawn), "rtt_low_ms": max(0.0, low - 0.01), "rtt_high_ms": high + RTT_SLACK_MS}


def _delay(way: list[Shape]) -> float:
    return sum(shape.delay_ms for shape in way)


def _early(way: list[Shape]) -> float:
    """How much jitter, and packets that skip the delay, may take off."""
    return sum(
        shape.delay_ms
        if shape.impairments.reorder_percent
        else shape.jitter_ms * (1 if shape.impairments.jitter_distribution == "uniform" else _FARTHEST)
        for shape in way
    )


def _late(way: list[Shape]) -> float:
    """How much jitter, rates and the machine may add."""
    sending = sum(
        shape.accounting.charged_bytes(_PING_BYTES) * 8e-3 / shape.rate_mbit for shape in way if shape.rate_mbit
    )
    return sending + sum(shape.jitter_ms for shape in way) + RTT_SLACK_PER_LINK_MS * len(way)


def _paced_by(topology: Topology, source: str, destination: str) -> str:
    """The drawn pacer of a flow's packets where they leave their host."""
    host = topology.node(source)
    if not isinstance(host, Host):
        return ""
    address = ip_address(address_of(topology, destination))
    place = departure(topology, host, address, default_gateways(topology, host).get(address.version))
    if place is None:
        return ""
    link, end = place
    shape = link.a_to_b if end == link.a else link.b_to_a
    if shape.qdiscs:
        return "fq" if "fq" in shape.qdisc_kinds else ""
    if shape.rate_mbit is not None:
        return shape.queue.kind if isinstance(shape.queue, Fq) else ""
    return "fq" if host.tcp.pacing else ""
