"""Rules on what flows send, and on settings that mean nothing to them."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.model.flows import Flow
from frrlib.model.labels import link_title, listed
from frrlib.model.links import Shape
from frrlib.model.problem import Problem, error, note, warning
from frrlib.model.queues import Cake
from frrlib.model.rules.facts import Facts, Rule
from frrlib.model.rules.measuring import slow_start_s
from frrlib.model.traffic import FULL_PAYLOAD_BYTES, Bulk, Command, OnOff

#: Ethernet, IPv4 and UDP around each datagram.
_HEADERS_BYTES = 14 + 20 + 8
#: A burst should last so much longer than slow start.
_BURST_PER_START = 2.0


def senders(facts: Facts) -> Iterator[Problem]:
    """The sender supports all settings of a flow."""
    for flow in facts.drawn.flows:
        if isinstance(flow.traffic, Bulk) and flow.traffic.tool == "iperf3" and flow.needs_own_sender:
            why = f"is iperf3, which here takes no {listed(flow.needs_own_sender)}"
            yield error("tool-cannot", flow.id, "traffic.tool", why, "our own, or iperf3 or our own")
        if isinstance(flow.traffic, Command) and not flow.traffic.command.strip():
            yield error("no-command", flow.id, "traffic.command", "is empty", "a line for a shell at the source")


def rates(facts: Facts) -> Iterator[Problem]:
    """Traffic of a fixed rate fits through the lowest rate on its path."""
    for way in facts.all_ways:
        asked, step = way.flow.traffic.asked_mbit, way.bottleneck
        if asked is None or step is None or step.there.rate_mbit is None:
            continue
        payload = getattr(way.flow.traffic, "payload_bytes", FULL_PAYLOAD_BYTES)
        frames = way.flow.count * asked * (payload + _HEADERS_BYTES) / payload
        if frames > step.there.rate_mbit:
            many = f"{way.flow.count} of them take" if way.flow.count > 1 else "takes"
            narrow = link_title(facts.drawn, step.link)
            why = f"{many} {frames:.4g} Mbit/s with headers, and {narrow} carries {step.there.rate_mbit:g}: "
            why += "its queue is full all the time, and the rest is lost"
            yield warning("above-rate", way.flow.id, "traffic", why, "less, unless an overload is the point")


def both_ways(facts: Facts) -> Iterator[Problem]:
    """Greedy flows in both directions, and a cable that is slow in one of them only."""
    there = {(way.flow.source, way.flow.destination): way for way in facts.ways}
    for (source, destination), way in there.items():
        back, step = there.get((destination, source)), way.bottleneck
        if back is None or step is None or step.back.rate_mbit is not None or back.bottleneck is not None:
            continue
        slow = link_title(facts.drawn, step.link)
        why = f"has a flow in the other direction, {back.flow.id}, that meets no rate: {slow} is slow in one direction "
        why += "only, so only one of the two has a queue"
        yield note("one-way-bottleneck", way.flow.id, "", why, f"a rate of {slow} in the other direction, too")


def bursts(facts: Facts) -> Iterator[Problem]:
    """A greedy burst is more than slow start."""
    for way in facts.ways:
        traffic, begins_s = way.flow.traffic, slow_start_s(way)
        if isinstance(traffic, OnOff) and traffic.on_s < _BURST_PER_START * begins_s:
            why = f"is {traffic.on_s:g} s, and slow start takes about {begins_s:.2g} s of each burst: "
            why += f"hardly any fills the link (base RTT {way.rtt_ms:g} ms)"
            right = f"{_BURST_PER_START * begins_s:.2g} s or more, or a rate"
            yield note("brief-bursts", way.flow.id, "traffic.on_s", why, right)


def classes(facts: Facts) -> Iterator[Problem]:
    """A class of service is for somebody who looks at it."""
    for way in facts.all_ways:
        if way.flow.dscp and not any(_heeds(step.there) for step in way.steps):
            why = f"is {way.flow.dscp}, and no queue on its path looks at it: it waits with all others"
            yield note("dscp-unheeded", way.flow.id, "dscp", why, "cake with diffserv3, 4 or 8 at the bottleneck")


def _heeds(shape: Shape) -> bool:
    """Whether the queue of a direction tells classes apart."""
    return isinstance(shape.queue, Cake) and shape.queue.diffserv != "besteffort"


def datagrams(facts: Facts) -> Iterator[Problem]:
    """A datagram fits into a frame."""
    for flow in facts.drawn.flows:
        payload = getattr(flow.traffic, "payload_bytes", 0)
        if flow.traffic.over != "tcp" and payload > FULL_PAYLOAD_BYTES:
            why = f"is {payload}: each datagram goes in several frames, and is lost with any of them"
            yield note("fragments", flow.id, "traffic.payload_bytes", why, f"at most {FULL_PAYLOAD_BYTES}")


def idle_settings(facts: Facts) -> Iterator[Problem]:
    """Settings that mean nothing to what the flow sends."""
    for flow in facts.drawn.flows:
        for field, why in _idle(flow):
            yield note("no-effect", flow.id, field, f"{why} of {flow.kind}", "leave it out")


def _idle(flow: Flow) -> Iterator[tuple[str, str]]:
    kind = type(flow.traffic)
    if flow.streams > 1 and not kind.has_streams:
        yield "streams", f"is {flow.streams}, and there is nothing to divide in a flow"
    if flow.opened_by == "destination" and (kind.opener == "source" or flow.traffic.over == "udp"):
        yield "opened_by", "is the destination, and the source always begins a flow"
    if flow.ecn is not None and flow.kind in ("ping", "web-page", "command"):
        yield "ecn", "is set, and no socket of ours carries a flow"
    if flow.dscp is not None and isinstance(flow.traffic, Command):
        yield "dscp", "is set, and no socket of ours carries a flow"
    if flow.stagger_s and flow.count == 1:
        yield "stagger_s", "is set, and there is only one flow"


RULES: tuple[Rule, ...] = (senders, rates, both_ways, bursts, classes, datagrams, idle_settings)
