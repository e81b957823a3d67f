"""The bottleneck of a flow and on the queue there, as far as they affect congestion control.

Paths are those with the fewest links (`flow_paths`). A protocol with costs may choose another one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, fix_with, with_fields
from frrlib.checks.kinds import CheckSubject, note, warning
from frrlib.checks.subjects.links.queues import queue_fix
from frrlib.edits.new_names import fresh_link_ids, fresh_names
from frrlib.model.flows import Flow
from frrlib.model.frames import full_frame_bytes
from frrlib.model.labels import link_title
from frrlib.model.links import QUEUE_LIMITS, End, Link, Shape, queue_limit_bytes
from frrlib.model.nodes import Bridge
from frrlib.model.problem import Problem
from frrlib.model.quantities import size_words
from frrlib.model.queues import Bfifo, Cake, Fq, FqCodel, FqPie, Pfifo, Sfq
from frrlib.prediction.flow_paths import PathStep, RoutedFlow

SUBJECT = CheckSubject()
#: Congestion control that fills a queue of more bandwidth-delay products than this never empties it.
_BLOATED_BDP = 10.0
#: The error from rounding to frames, and to the digits that people type.
_TOLERANCE = 0.01
#: One ACK in bytes, with its Ethernet header: 20 of IP, 20 of TCP, 12 of timestamps. There is one for every second
#: full frame at least (RFC 1122, section 4.2.3.2).
_ACK_BYTES, _FRAMES_OF_ACK = 66, 2
#: Disciplines with a queue for each flow.
_ISOLATING = (Fq, FqCodel, FqPie, Cake, Sfq)
SENDER_IS_BOTTLENECK = SUBJECT.kind(
    "sender-is-bottleneck",
    "The lowest rate on the path of a flow is at the sender's own interface, or at a bridge that is separated from "
    "the sender by neither a router nor a delay.",
    "The kernel accounts packets in that queue to the sender's socket. TCP small queues then keep most of the data "
    "in the socket, so the queue stays at a few packets with any congestion control, and no packet is lost. The "
    "same flow fills the queue of a router. Packets are no longer accounted to the sender once a router receives "
    "them, or once they are delayed. Links and bridges within one kernel (and switches that run as bridges) do not "
    "change the accounting.",
    "Move the rate behind a router, or move some of the delay between the sender and the queue.",
)
QUEUE_BELOW_BDP = SUBJECT.kind(
    "queue-below-bdp",
    "A FIFO queue is smaller than the bandwidth-delay product of a flow's whole path (divided by the square root "
    "of the number of simultaneous flows).",
    "When the queue overflows, a window that is halved (Reno) no longer fills the path, and the link is idle until "
    "the window has grown again. CUBIC, which keeps 70 % of the window, needs 0.43 of the product. Note that "
    "`queue_bdp` uses only the delay of its own link.",
    "Set about one product of the whole path, or keep a smaller queue on purpose.",
)
LARGE_QUEUE = SUBJECT.kind(
    "large-queue",
    "A FIFO queue is larger than ten bandwidth-delay products of the path.",
    "Loss-based congestion control fills it and keeps it full. Round trips are then ten times as long as the path "
    "(bufferbloat), and the figures show mainly the buffer.",
    "Set about one product, or use codel, fq_codel, cake or pie, which keep the queue short.",
)
ISOLATED_FLOWS = SUBJECT.kind(
    "isolated-flows",
    "Flows share a bottleneck that has a separate queue for each flow (fq, fq_codel, fq_pie, sfq, cake).",
    "The discipline divides the rate evenly among the flows, so the results do not show how one congestion control "
    "affects another. fq_codel, fq_pie and cake also keep each queue short (AQM).",
    "Use pfifo or bfifo if flows are to compete, or codel, pie or red for competition with AQM. Keep the "
    "discipline if isolation is intended.",
)
ACK_BOTTLENECK = SUBJECT.kind(
    "ack-bottleneck",
    "The reverse path is too slow for the ACKs of the data.",
    "TCP sends one ACK of 66 bytes for every second full frame, so the return path needs 1/46 of the rate. With "
    "less, the queue of ACKs is the bottleneck (RFC 3449).",
    "Raise the rate of the return path, or use `ack_filter` of cake.",
)


class Bottleneck(NamedTuple):
    """A direction of a link, and the flows whose bottleneck it is."""

    step: PathStep
    flow_paths: tuple[RoutedFlow, ...]

    @property
    def longest(self) -> RoutedFlow:
        """The flow with the longest round trip at rest."""
        return max(self.flow_paths, key=lambda flow_path: flow_path.rtt_ms)

    @property
    def simultaneous_flows(self) -> int:
        """The largest number of flows that send at the same time."""
        return most_simultaneous([flow_path.flow for flow_path in self.flow_paths])

    @property
    def limit_field(self) -> str:
        """The field of the queue limit; that of the limit in packets if none is set."""
        limit = next((name for name in QUEUE_LIMITS if getattr(self.step.shape, name) is not None), QUEUE_LIMITS[0])
        return f"{self.step.side}.{limit}"

    @property
    def flows(self) -> str:
        """The flows, for people."""
        first, others_count = self.flow_paths[0].flow.id, len(self.flow_paths) - 1
        return f"flow {first}" + (f" and {others_count} more" if others_count else "")


def bottlenecks(facts: Facts) -> Iterator[Bottleneck]:
    """Every direction that is the bottleneck of a flow."""
    by_direction: dict[tuple[str, str], list[tuple[PathStep, RoutedFlow]]] = defaultdict(list)
    for flow_path in facts.flow_paths:
        if (step := flow_path.bottleneck) is not None:
            by_direction[step.link.id, step.side].append((step, flow_path))
    for rows in by_direction.values():
        yield Bottleneck(rows[0][0], tuple(flow_path for _, flow_path in rows))


def bottleneck_of(facts: Facts, problem: Problem) -> Bottleneck | None:
    """The bottleneck in whose direction a problem is; None if it is at no bottleneck."""
    side = problem.field.partition(".")[0]
    places = (
        bottleneck
        for bottleneck in bottlenecks(facts)
        if (bottleneck.step.link.id, bottleneck.step.side) == (problem.node, side)
    )
    return next(places, None)


def most_simultaneous(flows: Collection[Flow]) -> int:
    """The largest number of connections that send at the same time. Flows that end by size are assumed to continue."""
    starts = [(flow.start_s + number * flow.stagger_s, flow) for flow in flows for number in range(flow.count)]
    changes = [(start_s, flow.streams) for start_s, flow in starts]
    changes += [(start_s + flow.duration_s, -flow.streams) for start_s, flow in starts if flow.duration_s is not None]
    most = now = 0
    for _, change in sorted(changes):
        now += change
        most = max(most, now)
    return most


def _check_sender(bottleneck: Bottleneck, facts: Facts) -> Problem | None:
    """A queue whose packets the kernel accounts to the sender limits TCP without any loss (TCP small queues)."""
    held = [
        flow_path for flow_path in bottleneck.flow_paths if _is_accounted_to_sender(flow_path, bottleneck.step, facts)
    ]
    if not held:
        return None
    source, where = held[0].flow.source, bottleneck.step.sender.node
    place = f"{where}, the sender" if where == source else f"{where}, which only bridges separate from {source}"
    message = f"this is the lowest rate on the path of flow {held[0].flow.id}, and its queue is in {place}: TCP in "
    message += f"{source} stops before the queue is full, and sees no loss"
    remedy = "put a router between the sender and the queue, or a delay before the queue"
    return warning(SENDER_IS_BOTTLENECK, bottleneck.step.link, f"{bottleneck.step.side}.rate_mbit", message, remedy)


def _is_accounted_to_sender(flow_path: RoutedFlow, queue: PathStep, facts: Facts) -> bool:
    """Whether the kernel accounts the packets in a queue to the sender's socket.

    A router ends this, as do a delay (netem) and Open vSwitch in user space. Links and bridges do not (since Linux
    4.19, packets keep their socket from one namespace to the next).
    """
    for step in flow_path.steps:
        if step.sender.node != flow_path.flow.source and not isinstance(facts.nodes.get(step.sender.node), Bridge):
            return False
        if (step.link, step.side) == (queue.link, queue.side):
            return True
        if step.shape.delay_ms:
            return False
    return False


def _check_queue_size(bottleneck: Bottleneck, facts: Facts) -> Problem | None:
    """Compare a FIFO queue with the bandwidth-delay product of the whole path."""
    step, flow_path = bottleneck.step, bottleneck.longest
    frame_bytes = step.sender.frame_bytes
    limit, product = queue_limit_bytes(step.shape, step.reverse_shape, frame_bytes), flow_path.bdp_bytes
    if limit is None or product is None or not isinstance(step.shape.discipline, Pfifo | Bfifo):
        return None
    summary = (
        f"is {size_words(limit)}, {limit / product:.2g} BDP of the whole path of flow {flow_path.flow.id} (1 BDP is "
    )
    summary += f"{size_words(product)}: {step.shape.rate_mbit:g} Mbit/s and a base RTT of {flow_path.rtt_ms:g} ms)"
    if limit > (1 + _TOLERANCE) * max(_BLOATED_BDP * product, frame_bytes):
        full_ms = limit * 8 / (step.shape.rate_mbit or 1) / 1e3
        message = f"{summary}: if full, it adds {full_ms:.3g} ms"
        remedy = "set about 1 BDP, unless a full buffer is intended"
        return note(LARGE_QUEUE, step.link, bottleneck.limit_field, message, remedy)
    is_requested = (
        step.shape.queue_bdp is not None and step.shape.delay_ms + step.reverse_shape.delay_ms == flow_path.rtt_ms
    )
    least = (1 - _TOLERANCE) * product / max(1, bottleneck.simultaneous_flows) ** 0.5 - frame_bytes
    if limit < least and not is_requested:
        message = f"{summary}: a window that is halved after a loss leaves the link idle"
        remedy = "set 1 BDP of the path, or keep a smaller queue on purpose"
        return note(QUEUE_BELOW_BDP, step.link, bottleneck.limit_field, message, remedy)
    return None


def _check_isolation(bottleneck: Bottleneck, facts: Facts) -> Problem | None:
    queue = bottleneck.step.shape.queue
    if not isinstance(queue, _ISOLATING) or len(bottleneck.flow_paths) < 2 or bottleneck.simultaneous_flows < 2:
        return None
    if isinstance(queue, Cake) and queue.isolation == "flowblind":
        return None
    message = f"is {queue.kind}, which has a separate queue for each flow: {bottleneck.flows} "
    message += "get equal shares of the rate, and no flow is affected by the queue of another"
    remedy = "use pfifo or bfifo (or codel, pie, red) if the flows are to compete"
    return note(ISOLATED_FLOWS, bottleneck.step.link, f"{bottleneck.step.side}.queue", message, remedy)


def _check_acks(bottleneck: Bottleneck, facts: Facts) -> Problem | None:
    """ACKs need their rate as well (RFC 3449, section 2)."""
    rates = [
        (step.reverse_shape.rate_mbit, step)
        for step in bottleneck.longest.steps
        if step.reverse_shape.rate_mbit is not None
    ]
    if not rates:
        return None
    reverse_mbit, step = min(rates, key=lambda row: row[0])
    data_bytes = bottleneck.step.shape.accounting.charged_bytes(full_frame_bytes(bottleneck.longest.mtu_bytes))
    ack_bytes = step.reverse_shape.accounting.charged_bytes(_ACK_BYTES)
    needed = (bottleneck.step.shape.rate_mbit or 0.0) * ack_bytes / (_FRAMES_OF_ACK * data_bytes)
    if reverse_mbit >= needed:
        return None
    side = "b_to_a" if step.side == "a_to_b" else "a_to_b"
    message = f"is {reverse_mbit:g} Mbit/s, but the ACKs of flow {bottleneck.longest.flow.id} at full rate "
    message += f"need {needed:.3g} Mbit/s, so they limit the flow"
    return note(ACK_BOTTLENECK, step.link, f"{side}.rate_mbit", message, f"set {needed:.3g} Mbit/s or more")


_BOTTLENECK_CHECKS: tuple[Callable[[Bottleneck, Facts], Problem | None], ...] = (
    _check_sender,
    _check_queue_size,
    _check_isolation,
    _check_acks,
)


@SUBJECT.rule(SENDER_IS_BOTTLENECK, LARGE_QUEUE, QUEUE_BELOW_BDP, ISOLATED_FLOWS, ACK_BOTTLENECK)
def queues(facts: Facts) -> Iterator[Problem]:
    """All problems of each bottleneck, from the table above."""
    for bottleneck in bottlenecks(facts):
        yield from (problem for rule in _BOTTLENECK_CHECKS if (problem := rule(bottleneck, facts)) is not None)


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(QUEUE_BELOW_BDP, LARGE_QUEUE)
def _set_queue_of_path(facts: Facts, problem: Problem) -> Fix | None:
    bottleneck = bottleneck_of(facts, problem)
    product = bottleneck.longest.bdp_bytes if bottleneck is not None else None
    if product is None:
        return None
    return queue_fix(facts, problem, product, "set a queue of 1 BDP of the path")


@SUBJECT.fix(SENDER_IS_BOTTLENECK)
def _move_delay_before_queue(facts: Facts, problem: Problem) -> Fix | None:
    """Move the delay before the queue: add a bridge between the sender and its link, and the delay in front of it.

    Addresses do not change. Without a delay, or if more than the delay depends on it, only a new router would help.
    """
    topology, side = facts.topology, problem.field[:1]
    link, resolved_link = topology.link(problem.node), facts.resolved.link(problem.node)
    if link is None or resolved_link is None or topology.node(getattr(link, side).node) is None:
        return None
    far, direction, reverse_direction = ("b", "a_to_b", "b_to_a") if side == "a" else ("a", "b_to_a", "a_to_b")
    shape: Shape = getattr(link, direction)
    if not shape.delay_ms or shape.jitter_ms or shape.impairments.reorder_percent:
        return None
    changes: dict[str, Any] = {"delay_ms": 0.0}
    if shape.queue_bdp is not None:  # it would use the new delay of the link
        changes |= {
            "queue_bdp": None,
            "queue_bytes": queue_limit_bytes(shape, getattr(link, reverse_direction), getattr(link, side).frame_bytes),
        }
    name, new_id = next(fresh_names(topology, "s")), next(fresh_link_ids(topology))
    remaining = with_fields(shape, **changes)
    if remaining is None:
        return None
    near_end, far_end = (
        getattr(link, at).model_copy(update={"addresses": getattr(resolved_link, at).addresses}) for at in side + far
    )
    plug = End(node=name, mtu_bytes=near_end.mtu_bytes)
    first = Link(id=new_id, a=near_end, b=plug, up=link.up, a_to_b=Shape(delay_ms=shape.delay_ms))
    near_link = link.model_copy(update={side: plug, far: far_end, direction: remaining})
    ends = [node for end in link.ends if (node := topology.node(end.node)) is not None]
    x, y = (sum(getattr(node, axis) for node in ends) / len(ends) for axis in "xy")
    at = topology.links.index(link)
    return fix_with(
        f"add the bridge {name} between {near_end.node} and {link_title(topology, link)}, with the delay before it",
        topology,
        nodes=(*topology.nodes, Bridge(name=name, number=int(name[1:]), x=x, y=y)),
        links=(*topology.links[:at], first, near_link, *topology.links[at + 1 :]),
    )  # fmt: skip
