"""The requested values of queues, delays and paths of a topology, stored in a run's results for its verdict."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

from frrlib.checks.own_command_sizes import frame_accounting
from frrlib.lab.lab import Lab
from frrlib.model.chance import loss_correlation
from frrlib.model.links import End, Shape
from frrlib.model.nodes import Host
from frrlib.model.own_commands import commanded_rate_mbit, queue_kind
from frrlib.model.queues import Bfifo, Fq, Pfifo
from frrlib.model.topology import Topology
from frrlib.prediction.flow_paths import address_of, default_gateways, departure
from frrlib.render.faults import passes_link_namespace
from frrlib.render.plan import direction_name, flow_plans
from frrlib.render.queues import packets
from frrlib.render.tc import bucket_bytes
from frrlib.results.layout import CableInfo, QueueInfo
from frrlib.run.flow_paths import MOST_PAIRS, BothPaths, both_paths, by_flow, path_links

#: The machine's own part of a ping's round trip: for sending and answering it, and for each link.
RTT_SLACK_MS, RTT_SLACK_PER_LINK_MS = 0.5, 0.1
#: The size of a ping's frame for the shaper.
_PING_BYTES = 98
#: Maximum distance from the mean of a jitter that is not uniform, in units of its spread.
_FARTHEST = 4


def queues(topology: Topology) -> dict[str, QueueInfo]:
    """Rate and limit of each direction that has a rate; for a direction with custom commands, the rate in them."""
    return {
        direction_name(link, sender): _own(shape) if shape.qdiscs else _queue(sender, shape, reverse)
        for link in topology.links
        for sender, shape, reverse in link.directions_with_reverse
        if shape.rate_mbit is not None or shape.qdiscs
    }


def _own(shape: Shape) -> QueueInfo:
    """A description of a queue made by custom commands: for figures only, not for judging."""
    return QueueInfo(
        rate_mbit=commanded_rate_mbit(shape.qdiscs),
        discipline=queue_kind(shape.qdiscs),
        accounting=frame_accounting(shape.qdiscs),
    )


def _queue(sender: End, shape: Shape, reverse: Shape) -> QueueInfo:
    frame_bytes, discipline = sender.frame_bytes, shape.discipline
    limit = shape.stated_limit_bytes(reverse, frame_bytes)
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
    """The requested loss of each direction through the link namespace. Loss with netem's correlation is left out."""
    return {
        direction_name(link, sender): CableInfo(
            loss_percent=shape.mean_loss_percent,
            likeness=loss_correlation(shape.impairments),
            duplicate_percent=shape.impairments.duplicate_percent,
        )
        for link in topology.links
        for sender, _, shape in link.directions
        if passes_link_namespace(topology, link) and not shape.impairments.loss_correlation_percent
    }


def flows(lab: Lab) -> dict[str, dict[str, Any]]:
    """Further facts about each flow for the results of a running lab: path, base RTT and pacer; see `FlowInfo`.

    The path is that of the kernels' tables at this moment, so the choice of a routing protocol is not predicted.
    """
    pairs = dict.fromkeys((flow.source, flow.destination) for flow in lab.topology.flows)
    paths = {pair: both_paths(lab, *pair) for pair in pairs}
    facts_of = {
        pair: {**_at_rest(lab.topology, paths[pair]), "paced_by": _paced_by(lab.topology, *pair)} for pair in pairs
    }
    path_of = by_flow(lab.topology, paths if len(paths) <= MOST_PAIRS else {})
    return {
        plan.id: {**facts_of[plan.source, plan.destination], "path": path_of[plan.id]}
        for plan in flow_plans(lab.topology)
    }


def _at_rest(topology: Topology, paths: BothPaths | None) -> dict[str, Any]:
    if paths is None:
        return {}
    branches = [[[step.shape for step in branch] for branch in path_links(topology, path)] for path in paths]
    if not all(branches) or any(shape.qdiscs for direction in branches for branch in direction for shape in branch):
        return {}  # the effect of custom commands is unknown
    delays_ms = [
        sum(shape.delay_ms for shape in branch)
        for branch in (min(branches[0], key=_delay), min(branches[1], key=_delay))
    ]
    low = sum(min(_delay(branch) - _early(branch) for branch in direction) for direction in branches)
    high = sum(max(_delay(branch) + _late(branch) for branch in direction) for direction in branches)
    return {"drawn_rtt_ms": sum(delays_ms), "rtt_low_ms": max(0.0, low - 0.01), "rtt_high_ms": high + RTT_SLACK_MS}


def _delay(branch: list[Shape]) -> float:
    return sum(shape.delay_ms for shape in branch)


def _early(branch: list[Shape]) -> float:
    """The reduction of the delay by jitter and by packets that skip the delay."""
    return sum(
        shape.delay_ms
        if shape.impairments.reorder_percent
        else shape.jitter_ms * (1 if shape.impairments.jitter_distribution == "uniform" else _FARTHEST)
        for shape in branch
    )


def _late(branch: list[Shape]) -> float:
    """The addition to the delay by jitter, rates and the machine."""
    sending = sum(
        shape.accounting.charged_bytes(_PING_BYTES) * 8e-3 / shape.rate_mbit for shape in branch if shape.rate_mbit
    )
    return sending + sum(shape.jitter_ms for shape in branch) + RTT_SLACK_PER_LINK_MS * len(branch)


def _paced_by(topology: Topology, source: str, destination: str) -> str:
    """The configured pacer of a flow's packets at the interface of their host."""
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
