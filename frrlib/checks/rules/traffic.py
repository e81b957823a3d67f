"""Rules on the traffic of flows, and on settings that do not apply to it."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.checks.rules.facts import Facts, Rule
from frrlib.checks.rules.measuring import slow_start_s
from frrlib.model.flows import Flow
from frrlib.model.labels import link_title, listed
from frrlib.model.links import Shape
from frrlib.model.problem import Problem, error, note, warning
from frrlib.model.queues import Cake
from frrlib.model.traffic.kinds import FULL_PAYLOAD_BYTES, Bulk, Command, OnOff

#: Ethernet, IPv4 and UDP around each datagram.
_HEADERS_BYTES = 14 + 20 + 8
#: The least ratio of a burst's duration to that of slow start.
_BURST_PER_START = 2.0


def senders(facts: Facts) -> Iterator[Problem]:
    """The sender supports all settings of a flow."""
    for flow in facts.drawn.flows:
        if isinstance(flow.traffic, Bulk) and flow.traffic.tool == "iperf3" and flow.needs_own_sender:
            message = f"is iperf3, which does not support these settings here: {listed(flow.needs_own_sender)}"
            yield error("tool-cannot", flow.id, "traffic.tool", message, "choose our own, or iperf3 or our own")
        if isinstance(flow.traffic, Command) and not flow.traffic.command.strip():
            right = "enter a shell command for the source"
            yield error("no-command", flow.id, "traffic.command", "is empty", right)


def rates(facts: Facts) -> Iterator[Problem]:
    """The rate of traffic with a fixed rate does not exceed the lowest rate on its path."""
    for way in facts.all_ways:
        asked, step = way.flow.traffic.offered_mbit, way.bottleneck
        if asked is None or step is None or step.there.rate_mbit is None:
            continue
        payload = getattr(way.flow.traffic, "payload_bytes", FULL_PAYLOAD_BYTES)
        frames = way.flow.count * asked * (payload + _HEADERS_BYTES) / payload
        if frames > step.there.rate_mbit:
            many = f"{way.flow.count} of these flows need" if way.flow.count > 1 else "needs"
            narrow = link_title(facts.drawn, step.link)
            message = f"{many} {frames:.4g} Mbit/s with headers, but {narrow} carries {step.there.rate_mbit:g} Mbit/s: "
            message += "its queue is always full, and the excess is lost"
            yield warning(
                "above-rate", way.flow.id, "traffic", message, "lower the rate, unless the overload is intended"
            )


def both_ways(facts: Facts) -> Iterator[Problem]:
    """If greedy flows run in both directions, the slow link has a rate in both."""
    there = {(way.flow.source, way.flow.destination): way for way in facts.ways}
    for (source, destination), way in there.items():
        back, step = there.get((destination, source)), way.bottleneck
        if back is None or step is None or step.back.rate_mbit is not None or back.bottleneck is not None:
            continue
        slow = link_title(facts.drawn, step.link)
        message = (
            f"the flow {back.flow.id} in the other direction crosses no link with a rate: {slow} has a rate in one "
        )
        message += "direction only, so only one of the two flows has a queue"
        yield note("one-way-bottleneck", way.flow.id, "", message, f"set a rate of {slow} in the other direction too")


def bursts(facts: Facts) -> Iterator[Problem]:
    """A greedy burst is longer than slow start."""
    for way in facts.ways:
        traffic, begins_s = way.flow.traffic, slow_start_s(way)
        if isinstance(traffic, OnOff) and traffic.on_s < _BURST_PER_START * begins_s:
            message = (
                f"is {traffic.on_s:g} s, but slow start takes about {begins_s:.2g} s of each burst, so hardly any "
            )
            message += f"burst fills the link (base RTT {way.rtt_ms:g} ms)"
            right = f"use {_BURST_PER_START * begins_s:.2g} s or more, or set a rate"
            yield note("brief-bursts", way.flow.id, "traffic.on_s", message, right)


def classes(facts: Facts) -> Iterator[Problem]:
    """A queue on the path of a flow with a DSCP uses the DSCP."""
    for way in facts.all_ways:
        if way.flow.dscp and not any(_heeds(step.there) for step in way.steps):
            message = f"is {way.flow.dscp}, but no queue on the path uses it, so it has no effect"
            right = "use cake with diffserv3, 4 or 8 at the bottleneck"
            yield note("dscp-unheeded", way.flow.id, "dscp", message, right)


def _heeds(shape: Shape) -> bool:
    """Whether the queue of a direction distinguishes service classes."""
    return isinstance(shape.queue, Cake) and shape.queue.diffserv != "besteffort"


def datagrams(facts: Facts) -> Iterator[Problem]:
    """A datagram fits into a frame."""
    for flow in facts.drawn.flows:
        payload = getattr(flow.traffic, "payload_bytes", 0)
        if flow.traffic.over != "tcp" and payload > FULL_PAYLOAD_BYTES:
            message = f"is {payload}: each datagram is fragmented, and is lost if one fragment is lost"
            yield note("fragments", flow.id, "traffic.payload_bytes", message, f"use at most {FULL_PAYLOAD_BYTES}")


def idle_settings(facts: Facts) -> Iterator[Problem]:
    """Settings apply to the traffic of the flow."""
    for flow in facts.drawn.flows:
        for field, message in _idle(flow):
            yield note("no-effect", flow.id, field, message, "remove it")


def _idle(flow: Flow) -> Iterator[tuple[str, str]]:
    kind, name = type(flow.traffic), f"a flow of the kind {flow.kind}"
    if flow.streams > 1 and not kind.has_streams:
        yield "streams", f"is {flow.streams}, but {name} cannot be divided into streams"
    if flow.opened_by == "destination" and (kind.opener == "source" or flow.traffic.over == "udp"):
        yield "opened_by", f"is the destination, but the source always opens {name}"
    if flow.ecn is not None and flow.kind in ("ping", "web-page", "command"):
        yield "ecn", f"has no effect on {name}"
    if flow.dscp is not None and isinstance(flow.traffic, Command):
        yield "dscp", f"has no effect on {name}"
    if flow.stagger_s and flow.count == 1:
        yield "stagger_s", "has no effect on a single flow"


RULES: tuple[Rule, ...] = (senders, rates, both_ways, bursts, classes, datagrams, idle_settings)
