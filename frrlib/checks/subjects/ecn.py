"""Congestion marks (ECN): flows that use them, and queues that set them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, flows_fix, shape_fix, tcp_fix, with_fields
from frrlib.checks.kinds import CheckSubject, note, warning
from frrlib.checks.subjects.bottlenecks import bottleneck_of, bottlenecks
from frrlib.model.flows import Flow
from frrlib.model.links import Shape
from frrlib.model.nodes import Host
from frrlib.model.problem import Problem
from frrlib.model.queues import AnyDiscipline, Cake, DualPi2
from frrlib.model.tcp import NEEDS_ECN
from frrlib.prediction.congestion import control_of

SUBJECT = CheckSubject()
MARKS_UNASKED = SUBJECT.kind(
    "marks-unasked",
    "A queue marks packets (ECN), but no flow through it uses ECN.",
    "Packets of senders without ECN are dropped as usual. A Linux host requests ECN only if it is on. By default "
    "it only accepts requests from others.",
    "Turn ECN on at the senders.",
)
NO_MARKS = SUBJECT.kind(
    "no-marks",
    "A sender uses ECN, and no queue on its path marks packets.",
    "Its packets are dropped as usual instead.",
    "Use a queue that marks at the bottleneck: fq_codel and cake mark by default; codel, pie, fq_pie, red and "
    "choke mark with `ecn`.",
)
DCTCP_WITHOUT_MARKS = SUBJECT.kind(
    "dctcp-without-marks",
    "A flow uses DCTCP or Prague, and no queue on its path marks packets.",
    "Both react to the share of marked packets. Without marks they behave like Reno.",
    "Use a queue that marks early, such as red with `ecn` and low thresholds, or codel with `ce_threshold_ms`.",
)
ECN_REFUSED = SUBJECT.kind(
    "ecn-refused",
    "A flow requests ECN, and ECN is off at the host that accepts its connection.",
    "TCP uses ECN only if both ends agree in the handshake (RFC 3168, section 6.1.1). The connection then uses none, "
    "and queues drop its packets instead of marking them.",
    "Set ECN of that host to answer, which is the kernel's default.",
)

SCALABLE_IN_CLASSIC = SUBJECT.kind(
    "scalable-in-classic",
    "DCTCP crosses a `dualpi2` queue that treats ECT(0) as classic.",
    "DCTCP sends ECT(0) (RFC 8257). DualPI2 puts only ECT(1) into its low-latency queue (RFC 9332, section 2.3), so "
    "DCTCP shares the classic queue, with its delay. There it is marked with the probability for classic congestion "
    "control, which halves its window at each mark, and DCTCP takes more than its share.",
    "Set any ECT at the queue if no classic congestion control with ECN crosses it.",
)
CLASSIC_IN_SCALABLE = SUBJECT.kind(
    "classic-in-scalable",
    "A flow with classic congestion control and ECN crosses a `dualpi2` queue that takes any ECT as scalable.",
    "Its packets enter the low-latency queue, whose marks are for scalable congestion control and frequent. The flow "
    "halves its window at the first mark of each round trip, so it gets less than its share.",
    "Turn ECN off for the flow, so that it uses the classic queue.",
)


@SUBJECT.rule(MARKS_UNASKED)
def unused_marks(facts: Facts) -> Iterator[Problem]:
    """A queue marks packets, but no sender uses ECN."""
    for bottleneck in bottlenecks(facts):
        if not is_set_to_mark(bottleneck.step.shape.queue):
            continue
        flows = [flow_path.flow for flow_path in bottleneck.flow_paths]
        if not any(uses_ecn(facts, flow) for flow in flows):
            message = f"marks only packets of flows with ECN; it drops packets of {bottleneck.flows}, which use no ECN"
            remedy = f"turn ECN on at {flows[0].initiator}"
            yield note(MARKS_UNASKED, bottleneck.step.link, f"{bottleneck.step.side}.queue", message, remedy)


@SUBJECT.rule(DCTCP_WITHOUT_MARKS, NO_MARKS)
def missing_marks(facts: Facts) -> Iterator[Problem]:
    """Senders that use ECN, or depend on it, have a path with a queue that marks packets."""
    reported = set[tuple[str, str]]()
    for flow_path in facts.flow_paths:
        if any(marks(step.shape.queue) for step in flow_path.steps if step.shape.rate_mbit is not None):
            continue
        flow = flow_path.flow
        if needs_ecn(facts, flow):
            control = control_of(facts.resolved, flow).name
            message = (
                f"is {control}, which needs ECN marks, but no queue on the path marks packets: it behaves like Reno"
            )
            remedy = "use a queue that marks, such as red or codel with ECN and a threshold"
            yield warning(DCTCP_WITHOUT_MARKS, flow, "congestion_control", message, remedy)
        elif uses_ecn(facts, flow):
            subject, field = (flow, "ecn") if flow.ecn else (flow.initiator, "tcp.ecn")
            if (key := (field, flow.id if flow.ecn else flow.initiator)) not in reported:
                reported.add(key)
                message = f"is on, but no queue on the path of flow {flow.id} marks packets"
                yield note(NO_MARKS, subject, field, message, "use a queue with ECN, such as codel or red")


@SUBJECT.rule(SCALABLE_IN_CLASSIC, CLASSIC_IN_SCALABLE)
def wrong_queues(facts: Facts) -> Iterator[Problem]:
    """The packets of a flow enter the queue of DualPI2 that is meant for its congestion control."""
    reported = set[tuple[str, str]]()
    for flow_path in facts.flow_paths:
        flow, control = flow_path.flow, control_of(facts.resolved, flow_path.flow).name
        for step in flow_path.steps:
            queue = step.shape.queue
            if not isinstance(queue, DualPi2) or step.shape.rate_mbit is None or not flow.is_tcp:
                continue
            takes_any = bool(queue.effective("any_ect"))
            place = (step.link.id, f"{step.side}.queue")
            if control == "dctcp" and not takes_any and place not in reported:
                reported.add(place)
                message = f"treats ECT(0) as classic, so DCTCP of flow {flow.id} does not use the low-latency queue"
                yield warning(SCALABLE_IN_CLASSIC, step.link, place[1], message, "set any ECT at the queue")
            elif takes_any and uses_ecn(facts, flow) and control not in NEEDS_ECN and (flow.id, "ecn") not in reported:
                reported.add((flow.id, "ecn"))
                message = f"is on, so its packets enter the low-latency queue at {step.link.id}, not meant for "
                message += control or "its congestion control"
                yield warning(CLASSIC_IN_SCALABLE, flow, "ecn", message, "turn ECN off for this flow")


@SUBJECT.rule(ECN_REFUSED)
def refused_ecn(facts: Facts) -> Iterator[Problem]:
    """The host that accepts a connection with ECN does not refuse ECN."""
    for flow in facts.topology.flows:
        if flow.is_tcp and _requests_ecn(facts, flow) and not needs_ecn(facts, flow) and _is_refused(facts, flow):
            message = f"is on, but ECN is off at {_responder(flow)}, which accepts the connection: it uses no ECN"
            remedy = f"set ECN at {_responder(flow)} to answer"
            yield warning(ECN_REFUSED, flow, "ecn", message, remedy)


def uses_ecn(facts: Facts, flow: Flow) -> bool:
    """Whether the packets of a flow are ECN-capable: UDP if the flow is set so, TCP if both ends agree."""
    if not flow.is_tcp:
        return bool(flow.ecn)
    return needs_ecn(facts, flow) or (_requests_ecn(facts, flow) and not _is_refused(facts, flow))


def needs_ecn(facts: Facts, flow: Flow) -> bool:
    """Whether the congestion control of a flow negotiates ECN by itself, whatever the settings of hosts and flow."""
    return control_of(facts.resolved, flow).name in NEEDS_ECN


def _requests_ecn(facts: Facts, flow: Flow) -> bool:
    """Whether the end that opens the connection requests ECN. The setting of the flow precedes that of the host."""
    if flow.ecn is not None and flow.kind != "web-page":  # its programs have the settings of the host
        return flow.ecn
    opener = facts.nodes.get(flow.initiator)
    return isinstance(opener, Host) and opener.tcp.ecn == "on"


def _is_refused(facts: Facts, flow: Flow) -> bool:
    responder = facts.nodes.get(_responder(flow))
    return isinstance(responder, Host) and responder.tcp.ecn == "off"


def _responder(flow: Flow) -> str:
    """The node that accepts the connection."""
    return flow.source if flow.initiator == flow.destination else flow.destination


def marks(queue: AnyDiscipline | None) -> bool:
    """Whether a queue marks the packets of senders with ECN."""
    if isinstance(queue, Cake) or is_set_to_mark(queue):
        return True
    return queue is not None and may_mark(queue) and bool(queue.effective("ecn"))


def is_set_to_mark(queue: AnyDiscipline | None) -> bool:
    """Whether a queue marks because of a setting, or is DualPI2, so that marks are probably intended."""
    if isinstance(queue, DualPi2):
        return True
    return bool(getattr(queue, "ecn", None)) or getattr(queue, "ce_threshold_ms", None) is not None


def may_mark(queue: AnyDiscipline | None) -> bool:
    """Whether a queue has a setting for ECN."""
    return queue is not None and "ecn" in type(queue).model_fields


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(MARKS_UNASKED)
def _turn_ecn_on(facts: Facts, problem: Problem) -> Fix | None:
    """Turn ECN on at the hosts that open connections through the bottleneck, unless their flows have their own."""
    bottleneck = bottleneck_of(facts, problem)
    flows = [flow_path.flow for flow_path in bottleneck.flow_paths] if bottleneck else []
    candidates = (flow for flow in flows if flow.is_tcp and flow.ecn is None and not _is_refused(facts, flow))
    openers = dict.fromkeys(flow.initiator for flow in candidates)
    return tcp_fix(facts, openers, f"turn ECN on at {', '.join(openers)}", ecn="on") if openers else None


@SUBJECT.fix(ECN_REFUSED)
def _answer_ecn(facts: Facts, problem: Problem) -> Fix | None:
    responders = [_responder(flow) for flow in facts.topology.flows if flow.id == problem.node]
    return tcp_fix(facts, responders, f"set ECN at {', '.join(responders)} to answer", ecn="answer")


@SUBJECT.fix(SCALABLE_IN_CLASSIC)
def _take_any_ect(facts: Facts, problem: Problem) -> Fix | None:
    def change(shape: Shape, reverse_shape: Shape) -> dict[str, Any]:
        return {"queue": shape.queue.model_copy(update={"any_ect": True})} if isinstance(shape.queue, DualPi2) else {}

    return shape_fix(f"put any ECT of {problem.node} into the low-latency queue", facts, problem, change)


@SUBJECT.fix(CLASSIC_IN_SCALABLE)
def _turn_ecn_off(facts: Facts, problem: Problem) -> Fix | None:
    def change(flow: Flow) -> Flow | None:
        return with_fields(flow, ecn=False) if flow.id == problem.node and flow.kind != "web-page" else None

    return flows_fix(f"turn ECN off for {problem.node}", facts.topology, change)


@SUBJECT.fix(NO_MARKS, DCTCP_WITHOUT_MARKS)
def _turn_marking_on(facts: Facts, problem: Problem) -> Fix | None:
    """Turn ECN on at the queue of the bottleneck, if its discipline supports it."""
    for flow_path in facts.flow_paths:
        step = flow_path.bottleneck
        is_meant = problem.node == (flow_path.flow.id if problem.about == "flow" else flow_path.flow.initiator)
        if is_meant and step is not None and may_mark(step.shape.queue):
            update = {"node": step.link.id, "about": "link", "field": f"{step.side}.queue"}
            return shape_fix(f"turn ECN on at {step.link.id}", facts, problem.model_copy(update=update), _with_ecn)
    return None


def _with_ecn(shape: Shape, reverse_shape: Shape) -> dict[str, Any]:
    return {"queue": shape.queue.model_copy(update={"ecn": True})} if may_mark(shape.queue) and shape.queue else {}
