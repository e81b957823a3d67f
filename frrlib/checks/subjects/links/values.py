"""Loss, rates and courses of values of links, as far as they affect measurements."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, links_fix, place_title, with_fields
from frrlib.checks.kinds import CheckSubject, note, warning
from frrlib.model.courses import Course
from frrlib.model.frames import FULL_FRAME_BYTES
from frrlib.model.links import Link
from frrlib.model.problem import Problem, ProblemSubject
from frrlib.prediction.flow_paths import RoutedFlow

SUBJECT = CheckSubject()
#: The minimum retransmission timeout of TCP in ms (Linux, TCP_RTO_MIN).
_LEAST_TIMEOUT_MS = 200.0
FAST_COURSE = SUBJECT.kind(
    "fast-course",
    "A value of a link changes more than once in a round trip of the flows through it.",
    "A sender notices each change one round trip later, when the next change has already happened. It observes an "
    "average and noise.",
    "Use a slower variation, unless noise is intended.",
)
LOSS_BOTH_WAYS = SUBJECT.kind(
    "loss-both-ways",
    "Both directions of a link lose packets.",
    "A share of `1 - (1 - p)(1 - q)` of the round trips fails. Ping shows this value, about twice the loss in the "
    "topology. TCP tolerates lost ACKs, since later ones carry the same information, so congestion control sees "
    "the loss of one direction.",
    "Set the loss in the direction of the data, unless both are intended.",
)
SLOW_FRAME = SUBJECT.kind(
    "slow-frame",
    "At this rate a full frame takes longer than 200 ms.",
    "The retransmission timer of TCP may expire while the packet is still being sent (200 ms is the minimum of "
    "Linux), so TCP retransmits packets that were not lost.",
    "Set a rate above 0.06 Mbit/s, or take the link down.",
)


@SUBJECT.rule(LOSS_BOTH_WAYS)
def losses(facts: Facts) -> Iterator[Problem]:
    """Loss in both directions counts twice in a round trip."""
    for link in facts.resolved.links:
        loss_a_to_b, loss_b_to_a = link.a_to_b.mean_loss_percent, link.b_to_a.mean_loss_percent
        if 0 < loss_a_to_b < 100 and 0 < loss_b_to_a < 100:
            both = 100 * (1 - (1 - loss_a_to_b / 100) * (1 - loss_b_to_a / 100))
            message = f"is {loss_b_to_a:.3g} % here and {loss_a_to_b:.3g} % in the other direction: "
            message += f"{both:.3g} % of round trips fail"
            remedy = "set it in one direction if only data are to be lost"
            yield note(LOSS_BOTH_WAYS, link, "b_to_a.loss_percent", message, remedy)


@SUBJECT.rule(SLOW_FRAME)
def slow_frames(facts: Facts) -> Iterator[Problem]:
    """At every rate, configured or planned, one frame takes less time than TCP's minimum retransmission timeout."""
    frames = {link.id: max(end.frame_bytes for end in link.ends) for link in facts.resolved.links}
    for link in facts.resolved.links:
        for side, sender, shape in (("a_to_b", link.a, link.a_to_b), ("b_to_a", link.b, link.b_to_a)):
            if shape.rate_mbit is not None and (message := _slow_rate_text(shape.rate_mbit, sender.frame_bytes)):
                yield warning(SLOW_FRAME, link, f"{side}.rate_mbit", message, _minimum_rate_text(sender.frame_bytes))
    for fault in facts.topology.faults:
        planned = [fault.values.rate_mbit] if fault.values and fault.values.rate_mbit else []
        if fault.course is not None and fault.course.value == "rate_mbit":
            planned += _values_of_course(fault.course)
        frame_bytes = frames.get(fault.target, FULL_FRAME_BYTES)
        if planned and (message := _slow_rate_text(min(planned), frame_bytes)):
            yield warning(
                SLOW_FRAME,
                ProblemSubject("link", fault.target),
                "faults.course",
                f"the rate {message}",
                _minimum_rate_text(frame_bytes),
            )


def _minimum_rate_text(frame_bytes: int) -> str:
    return f"set {frame_bytes * 8 / _LEAST_TIMEOUT_MS / 1e3:.3g} Mbit/s or more"


def _slow_rate_text(rate_mbit: float, frame_bytes: int) -> str:
    takes_ms = frame_bytes * 8 / rate_mbit / 1e3
    if takes_ms <= _LEAST_TIMEOUT_MS:
        return ""
    takes = f"one full frame takes {takes_ms:.3g} ms"
    return f"is {rate_mbit:g} Mbit/s: {takes}, but TCP retransmits after {_LEAST_TIMEOUT_MS:g} ms"


def _values_of_course(course: Course) -> list[float]:
    return [value for _, value in course.points] if course.pattern == "trace" else [course.low, course.high]


@SUBJECT.rule(FAST_COURSE)
def fast_courses(facts: Facts) -> Iterator[Problem]:
    """A value changes at most once in a round trip of the flows that cross the link."""
    longest: dict[str, RoutedFlow] = {}
    for flow_path in facts.flow_paths:
        for link, _, _ in flow_path.hops:
            longest[link.id] = max(longest.get(link.id, flow_path), flow_path, key=lambda candidate: candidate.rtt_ms)
    for fault in facts.topology.faults:
        course, crossing = fault.course, longest.get(fault.target)
        if course is None or crossing is None or course.pattern == "ramp":
            continue
        every_s = _change_interval_s(course)
        if every_s * 1e3 < crossing.rtt_ms:
            message = f"the value changes every {every_s:g} s, but flow {crossing.flow.id} notices a change only after "
            message += f"{crossing.rtt_ms:g} ms, so no congestion control can follow"
            yield note(
                FAST_COURSE,
                ProblemSubject("link", fault.target),
                "faults.course",
                message,
                "use a slower change, unless noise is intended",
            )


def _change_interval_s(course: Course) -> float:
    """The shortest time in seconds between two turns of a wave, or between two points of a trace."""
    if course.pattern == "trace":
        times = [time_s for time_s, _ in course.points]
        return min((later - sooner for sooner, later in pairwise(times)), default=math.inf)
    return course.period_s / 2


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(LOSS_BOTH_WAYS)
def _remove_reverse_loss(facts: Facts, problem: Problem) -> Fix | None:
    """Keep the loss only in the direction of the data, if all data go in one direction."""
    sides = {step.side for flow_path in facts.flow_paths for step in flow_path.steps if step.link.id == problem.node}
    if len(sides) != 1:
        return None
    reverse_side = "b_to_a" if sides == {"a_to_b"} else "a_to_b"

    def change(link: Link) -> Link | None:
        shape = getattr(link, reverse_side)
        losses = {"loss_correlation_percent": 0.0, "gilbert_elliott": None, "four_states": None}
        changed = with_fields(shape, loss_percent=0.0, impairments=shape.impairments.model_copy(update=losses))
        return link.model_copy(update={reverse_side: changed}) if changed is not None else None

    label = f"keep the loss of {place_title(facts, problem)} only in the direction of the data"
    return links_fix(label, facts.topology, problem.node, change)
