"""The traffic of flows, and settings that do not apply to it."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, flows_fix, with_fields
from frrlib.checks.kinds import CheckSubject, error, note, warning
from frrlib.checks.subjects.measuring import slow_start_s
from frrlib.model.flows import Flow
from frrlib.model.labels import label_of, link_title, listed
from frrlib.model.links import Shape
from frrlib.model.problem import Problem
from frrlib.model.queues import Cake
from frrlib.model.tcp import NEEDS_ECN
from frrlib.model.traffic.kinds import FULL_PAYLOAD_BYTES, Bulk, Command, OnOff

SUBJECT = CheckSubject()
#: Ethernet, IPv4 and UDP around each datagram.
_HEADERS_BYTES = 14 + 20 + 8
#: The least ratio of a burst's duration to that of slow start.
_BURST_PER_START = 2.0
TOOL_CANNOT = SUBJECT.kind(
    "tool-cannot",
    "A flow uses iperf3 and has settings that iperf3 does not support here.",
    "Parallel streams, DSCP, ECN, pacing and connections opened by the destination would be ignored. DCTCP would "
    "behave like Reno: iperf3 sets it after the handshake, which has not negotiated ECN then.",
    "Use the built-in sender, or leave the choice between it and iperf3 to the program.",
)
NO_COMMAND = SUBJECT.kind(
    "no-command",
    "A flow of the kind command has an empty command.",
    "Nothing would be sent.",
    "Enter a shell command for the source, for example one that pings {address}.",
)
ABOVE_RATE = SUBJECT.kind(
    "above-rate",
    "A flow without congestion control sends more than a link on its path can carry.",
    "The queue is full as long as the flow lasts. The excess is lost, and so are packets of other flows.",
    "Lower the rate, unless the overload is intended.",
)
ONE_WAY_BOTTLENECK = SUBJECT.kind(
    "one-way-bottleneck",
    "Greedy flows run in both directions, and only one direction of the slow link has a rate.",
    "Only that direction has a queue. A test of latency under load needs both queues full, since ACKs wait as well.",
    "Set a rate in both directions.",
)
BRIEF_BURSTS = SUBJECT.kind(
    "brief-bursts",
    "The bursts of a greedy flow are hardly longer than slow start.",
    "Each burst ends before it fills the link, so the results show slow start and not congestion avoidance.",
    "Use longer bursts, or set a rate.",
)
DSCP_UNHEEDED = SUBJECT.kind(
    "dscp-unheeded",
    "A flow has a DSCP, and no queue on its path uses it.",
    "Its packets are queued like all others.",
    "Use a queueing discipline with service classes at the bottleneck, such as cake with diffserv4.",
)
FRAGMENTS = SUBJECT.kind(
    "fragments",
    "The datagrams of a flow are larger than a frame.",
    "The kernel fragments each datagram, and the loss of one fragment loses the whole datagram. Measured loss and "
    "delay are then worse than those of the link.",
    "Use at most 1472 bytes of payload.",
)
NO_EFFECT = SUBJECT.kind(
    "no-effect",
    "A flow has a setting that does not apply to its kind of traffic.",
    "The setting is ignored.",
    "Remove it.",
)


@SUBJECT.rule(TOOL_CANNOT, NO_COMMAND)
def flow_senders(facts: Facts) -> Iterator[Problem]:
    """The sender supports all settings of a flow."""
    for flow in facts.topology.flows:
        if isinstance(flow.traffic, Bulk) and flow.traffic.tool == "iperf3" and flow.needs_own_sender:
            message = f"is iperf3, which does not support these settings here: {listed(flow.needs_own_sender)}"
            yield error(TOOL_CANNOT, flow, "traffic.tool", message, "choose our own, or iperf3 or our own")
        if isinstance(flow.traffic, Command) and not flow.traffic.command.strip():
            remedy = "enter a shell command for the source"
            yield error(NO_COMMAND, flow, "traffic.command", "is empty", remedy)


@SUBJECT.rule(ABOVE_RATE)
def rates(facts: Facts) -> Iterator[Problem]:
    """The rate of traffic with a fixed rate does not exceed the lowest rate on its path."""
    for flow_path in facts.all_flow_paths:
        rate_mbit, step = flow_path.flow.traffic.offered_mbit, flow_path.bottleneck
        if rate_mbit is None or step is None or step.shape.rate_mbit is None:
            continue
        payload = getattr(flow_path.flow.traffic, "payload_bytes", FULL_PAYLOAD_BYTES)
        frames = flow_path.flow.count * rate_mbit * (payload + _HEADERS_BYTES) / payload
        if frames > step.shape.rate_mbit:
            many = f"{flow_path.flow.count} of these flows need" if flow_path.flow.count > 1 else "needs"
            narrow = link_title(facts.topology, step.link)
            message = f"{many} {frames:.4g} Mbit/s with headers, but {narrow} carries {step.shape.rate_mbit:g} Mbit/s: "
            message += "its queue is always full, and the excess is lost"
            yield warning(
                ABOVE_RATE, flow_path.flow, "traffic", message, "lower the rate, unless the overload is intended"
            )


@SUBJECT.rule(ONE_WAY_BOTTLENECK)
def both_ways(facts: Facts) -> Iterator[Problem]:
    """If greedy flows run in both directions, the slow link has a rate in both."""
    paths = {(flow_path.flow.source, flow_path.flow.destination): flow_path for flow_path in facts.flow_paths}
    for (source, destination), flow_path in paths.items():
        reverse_path, step = paths.get((destination, source)), flow_path.bottleneck
        if (
            reverse_path is None
            or step is None
            or step.reverse_shape.rate_mbit is not None
            or reverse_path.bottleneck is not None
        ):
            continue
        slow = link_title(facts.topology, step.link)
        message = f"the flow {reverse_path.flow.id} in the other direction crosses no link with a rate: "
        message += f"{slow} has a rate in one direction only, so only one of the two flows has a queue"
        yield note(ONE_WAY_BOTTLENECK, flow_path.flow, "", message, f"set a rate of {slow} in the other direction too")


@SUBJECT.rule(BRIEF_BURSTS)
def bursts(facts: Facts) -> Iterator[Problem]:
    """A greedy burst is longer than slow start."""
    for flow_path in facts.flow_paths:
        traffic, begins_s = flow_path.flow.traffic, slow_start_s(flow_path)
        if isinstance(traffic, OnOff) and traffic.on_s < _BURST_PER_START * begins_s:
            message = (
                f"is {traffic.on_s:g} s, but slow start takes about {begins_s:.2g} s of each burst, so hardly any "
            )
            message += f"burst fills the link (base RTT {flow_path.rtt_ms:g} ms)"
            remedy = f"use {_BURST_PER_START * begins_s:.2g} s or more, or set a rate"
            yield note(BRIEF_BURSTS, flow_path.flow, "traffic.on_s", message, remedy)


@SUBJECT.rule(DSCP_UNHEEDED)
def classes(facts: Facts) -> Iterator[Problem]:
    """A queue on the path of a flow with a DSCP uses the DSCP."""
    for flow_path in facts.all_flow_paths:
        if flow_path.flow.dscp and not any(_uses_dscp(step.shape) for step in flow_path.steps):
            message = f"is {flow_path.flow.dscp}, but no queue on the path uses it, so it has no effect"
            remedy = "use cake with diffserv3, 4 or 8 at the bottleneck"
            yield note(DSCP_UNHEEDED, flow_path.flow, "dscp", message, remedy)


def _uses_dscp(shape: Shape) -> bool:
    """Whether the queue of a direction distinguishes service classes."""
    return isinstance(shape.queue, Cake) and shape.queue.diffserv != "besteffort"


@SUBJECT.rule(FRAGMENTS)
def datagrams(facts: Facts) -> Iterator[Problem]:
    """A datagram fits into a frame."""
    for flow in facts.topology.flows:
        payload = getattr(flow.traffic, "payload_bytes", 0)
        if flow.traffic.over != "tcp" and payload > FULL_PAYLOAD_BYTES:
            message = f"is {payload}: each datagram is fragmented, and is lost if one fragment is lost"
            yield note(FRAGMENTS, flow, "traffic.payload_bytes", message, f"use at most {FULL_PAYLOAD_BYTES}")


@SUBJECT.rule(NO_EFFECT)
def unused_settings(facts: Facts) -> Iterator[Problem]:
    """Settings apply to the traffic of the flow."""
    for flow in facts.topology.flows:
        for field, message in _settings_without_effect(flow):
            yield note(NO_EFFECT, flow, field, message, "remove it")


def _settings_without_effect(flow: Flow) -> Iterator[tuple[str, str]]:
    kind, name = type(flow.traffic), f"a flow of the kind {flow.kind}"
    if flow.streams > 1 and not kind.has_streams:
        yield "streams", f"is {flow.streams}, but {name} cannot be divided into streams"
    if flow.opened_by == "destination" and (kind.opener == "source" or flow.traffic.over == "udp"):
        yield "opened_by", f"is the destination, but the source always opens {name}"
    if flow.ecn is not None and flow.kind in ("ping", "web-page", "command"):
        yield "ecn", f"has no effect on {name}"
    if flow.ecn is False and flow.is_tcp and flow.congestion_control in NEEDS_ECN:
        yield "ecn", f"is off, but {flow.congestion_control} negotiates ECN all the same"
    if flow.dscp is not None and isinstance(flow.traffic, Command):
        yield "dscp", f"has no effect on {name}"
    if flow.stagger_s and flow.count == 1:
        yield "stagger_s", "has no effect on a single flow"


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(TOOL_CANNOT)
def _choose_tool_automatically(facts: Facts, problem: Problem) -> Fix | None:
    return _change_traffic(facts, problem, f"choose the sender of {problem.node} automatically", tool="auto")


@SUBJECT.fix(FRAGMENTS)
def _fit_into_frame(facts: Facts, problem: Problem) -> Fix | None:
    label = f"set the datagrams of {problem.node} to {FULL_PAYLOAD_BYTES} bytes"
    return _change_traffic(facts, problem, label, payload_bytes=FULL_PAYLOAD_BYTES)


def _change_traffic(facts: Facts, problem: Problem, label: str, **fields: object) -> Fix | None:
    """Change settings of the traffic of a flow; None if its kind has no such settings."""

    def change(flow: Flow) -> Flow | None:
        if flow.id != problem.node or not fields.keys() <= type(flow.traffic).model_fields.keys():
            return None
        traffic = with_fields(flow.traffic, **fields)
        return flow.model_copy(update={"traffic": traffic}) if traffic is not None else None

    return flows_fix(label, facts.topology, change)


@SUBJECT.fix(NO_EFFECT)
def _reset_to_default(facts: Facts, problem: Problem) -> Fix | None:
    """Reset the field to its default."""
    field = problem.field

    def change(flow: Flow) -> Flow | None:
        usual = Flow.model_fields[field].default
        return with_fields(flow, **{field: usual}) if flow.id == problem.node else None

    return (
        flows_fix(f"remove {label_of(field)} from {problem.node}", facts.topology, change)
        if field in Flow.model_fields
        else None
    )
