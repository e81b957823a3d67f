"""Rules on the bottleneck of a flow and on the queue there, as far as they affect congestion control.

Paths are those with the fewest links (`flow_paths`). A protocol with costs may choose another one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from frrlib.checks.ecn_queues import is_told_to_mark, marks
from frrlib.checks.facts import Facts, Rule
from frrlib.model.flows import Flow
from frrlib.model.frames import full_frame_bytes
from frrlib.model.links import QUEUE_LIMITS, queue_limit_bytes
from frrlib.model.nodes import Bridge, Host
from frrlib.model.problem import Problem, note, warning
from frrlib.model.quantities import size_words
from frrlib.model.queues import Bfifo, Cake, Fq, FqCodel, FqPie, Pfifo, Sfq
from frrlib.prediction.congestion import control_of
from frrlib.prediction.flow_paths import Step, Way

#: Congestion control that fills a queue of more bandwidth-delay products than this never empties it.
_BLOATED_BDP = 10.0
#: The error from rounding to frames, and to the digits that people type.
_TOLERANCE = 0.01
#: One ACK in bytes, with its Ethernet header: 20 of IP, 20 of TCP, 12 of timestamps. There is one for every second
#: full frame at least (RFC 1122, section 4.2.3.2).
_ACK_BYTES, _FRAMES_OF_ACK = 66, 2
#: Disciplines with a queue for each flow.
_ISOLATING = (Fq, FqCodel, FqPie, Cake, Sfq)


class Bottleneck(NamedTuple):
    """A direction of a link, and the flows whose bottleneck it is."""

    step: Step
    ways: tuple[Way, ...]

    @property
    def longest(self) -> Way:
        """The flow with the longest round trip at rest."""
        return max(self.ways, key=lambda way: way.rtt_ms)

    @property
    def at_once(self) -> int:
        """The largest number of flows that send at the same time."""
        return most_at_once([way.flow for way in self.ways])

    @property
    def limit_field(self) -> str:
        """The field of the queue limit; that of the limit in packets if none is set."""
        given = next((name for name in QUEUE_LIMITS if getattr(self.step.there, name) is not None), QUEUE_LIMITS[0])
        return f"{self.step.side}.{given}"

    @property
    def flows(self) -> str:
        """The flows, for people."""
        first, more = self.ways[0].flow.id, len(self.ways) - 1
        return f"flow {first}" + (f" and {more} more" if more else "")


def bottlenecks(facts: Facts) -> Iterator[Bottleneck]:
    """Every direction that is the bottleneck of a flow."""
    found: dict[tuple[str, str], list[tuple[Step, Way]]] = defaultdict(list)
    for way in facts.ways:
        if (step := way.bottleneck) is not None:
            found[step.link.id, step.side].append((step, way))
    for rows in found.values():
        yield Bottleneck(rows[0][0], tuple(way for _, way in rows))


def most_at_once(flows: Collection[Flow]) -> int:
    """The largest number of connections that send at the same time. Flows that end by size are assumed to continue."""
    starts = [(flow.start_s + number * flow.stagger_s, flow) for flow in flows for number in range(flow.count)]
    changes = [(start_s, flow.streams) for start_s, flow in starts]
    changes += [(start_s + flow.duration_s, -flow.streams) for start_s, flow in starts if flow.duration_s is not None]
    most = now = 0
    for _, change in sorted(changes):
        now += change
        most = max(most, now)
    return most


# --- rules on a bottleneck ------------------------------------------------------------------------------------------


def _at_the_sender(each: Bottleneck, facts: Facts) -> Problem | None:
    """A queue whose packets the kernel accounts to the sender limits TCP without any loss (TCP small queues)."""
    held = [way for way in each.ways if _is_held(way, each.step, facts)]
    if not held:
        return None
    source, where = held[0].flow.source, each.step.sender.node
    place = f"{where}, the sender" if where == source else f"{where}, which only bridges separate from {source}"
    message = f"this is the lowest rate on the path of flow {held[0].flow.id}, and its queue is in {place}: TCP in "
    message += f"{source} stops before the queue is full, and sees no loss"
    right = "put a router between the sender and the queue, or a delay before the queue"
    return warning("sender-is-bottleneck", each.step.link.id, f"{each.step.side}.rate_mbit", message, right)


def _is_held(way: Way, queue: Step, facts: Facts) -> bool:
    """Whether the kernel accounts the packets in a queue to the sender's socket.

    A router ends this, as do a delay (netem) and Open vSwitch in user space. Links and bridges do not (since Linux
    4.19, packets keep their socket from one namespace to the next).
    """
    for step in way.steps:
        if step.sender.node != way.flow.source and not isinstance(facts.nodes.get(step.sender.node), Bridge):
            return False
        if (step.link, step.side) == (queue.link, queue.side):
            return True
        if step.there.delay_ms:
            return False
    return False


def _queue_size(each: Bottleneck, facts: Facts) -> Problem | None:
    """Compare a FIFO queue with the bandwidth-delay product of the whole path."""
    step, way = each.step, each.longest
    frame_bytes = step.sender.frame_bytes
    limit, product = queue_limit_bytes(step.there, step.back, frame_bytes), way.bdp_bytes
    if limit is None or product is None or not isinstance(step.there.discipline, Pfifo | Bfifo):
        return None
    of = f"is {size_words(limit)}, {limit / product:.2g} BDP of the whole path of flow {way.flow.id} (1 BDP is "
    of += f"{size_words(product)}: {step.there.rate_mbit:g} Mbit/s and a base RTT of {way.rtt_ms:g} ms)"
    if limit > (1 + _TOLERANCE) * max(_BLOATED_BDP * product, frame_bytes):
        full_ms = limit * 8 / (step.there.rate_mbit or 1) / 1e3
        message = f"{of}: if full, it adds {full_ms:.3g} ms"
        right = "set about 1 BDP, unless a full buffer is intended"
        return note("large-queue", step.link.id, each.limit_field, message, right)
    is_said = step.there.queue_bdp is not None and step.there.delay_ms + step.back.delay_ms == way.rtt_ms
    least = (1 - _TOLERANCE) * product / max(1, each.at_once) ** 0.5 - frame_bytes
    if limit < least and not is_said:
        message = f"{of}: a window that is halved after a loss leaves the link idle"
        right = "set 1 BDP of the path, or keep a smaller queue on purpose"
        return note("queue-below-bdp", step.link.id, each.limit_field, message, right)
    return None


def _isolated(each: Bottleneck, facts: Facts) -> Problem | None:
    queue = each.step.there.queue
    if not isinstance(queue, _ISOLATING) or len(each.ways) < 2 or each.at_once < 2:
        return None
    if isinstance(queue, Cake) and queue.isolation == "flowblind":
        return None
    message = (
        f"is {queue.kind}, which has a separate queue for each flow: {each.flows} get equal shares of the rate, and "
    )
    message += "no flow is affected by the queue of another"
    right = "use pfifo or bfifo (or codel, pie, red) if the flows are to compete"
    return note("isolated-flows", each.step.link.id, f"{each.step.side}.queue", message, right)


def _slow_acks(each: Bottleneck, facts: Facts) -> Problem | None:
    """ACKs need their rate as well (RFC 3449, section 2)."""
    rates = [(step.back.rate_mbit, step) for step in each.longest.steps if step.back.rate_mbit is not None]
    if not rates:
        return None
    back, step = min(rates, key=lambda row: row[0])
    data_bytes = each.step.there.accounting.charged_bytes(full_frame_bytes(each.longest.mtu_bytes))
    ack_bytes = step.back.accounting.charged_bytes(_ACK_BYTES)
    needed = (each.step.there.rate_mbit or 0.0) * ack_bytes / (_FRAMES_OF_ACK * data_bytes)
    if back >= needed:
        return None
    side = "b_to_a" if step.side == "a_to_b" else "a_to_b"
    message = (
        f"is {back:g} Mbit/s, but the ACKs of flow {each.longest.flow.id} at full rate need {needed:.3g} Mbit/s, so "
    )
    message += "they limit the flow"
    return note("ack-bottleneck", step.link.id, f"{side}.rate_mbit", message, f"set {needed:.3g} Mbit/s or more")


_OF_BOTTLENECKS: tuple[Callable[[Bottleneck, Facts], Problem | None], ...] = (
    _at_the_sender,
    _queue_size,
    _isolated,
    _slow_acks,
)


def queues(facts: Facts) -> Iterator[Problem]:
    """All problems of each bottleneck, from the table above."""
    for each in bottlenecks(facts):
        yield from (problem for rule in _OF_BOTTLENECKS if (problem := rule(each, facts)) is not None)


# --- marks ----------------------------------------------------------------------------------------------------------


def unasked_marks(facts: Facts) -> Iterator[Problem]:
    """A queue marks packets, but no sender uses ECN."""
    for each in bottlenecks(facts):
        if not is_told_to_mark(each.step.there.queue):
            continue
        deaf = [way for way in each.ways if not _asks(facts, way.flow)]
        if len(deaf) == len(each.ways):
            message = f"marks only packets of flows with ECN; it drops packets of {each.flows}, which use no ECN"
            field = f"{each.step.side}.queue"
            yield note("marks-unasked", each.step.link.id, field, message, f"turn ECN on at {deaf[0].flow.source}")


def asked_marks(facts: Facts) -> Iterator[Problem]:
    """Senders that use ECN, or depend on it, have a path with a queue that marks packets."""
    seen = set[str]()
    for way in facts.ways:
        if any(marks(step.there.queue) for step in way.steps if step.there.rate_mbit is not None):
            continue
        source = facts.nodes.get(way.flow.source)
        if control_of(facts.filled, way.flow).name == "dctcp":
            message = "is dctcp, which needs ECN marks, but no queue on the path marks packets: it behaves like Reno"
            right = "use a queue that marks, such as red or codel with ECN and a threshold"
            yield warning("dctcp-without-marks", way.flow.id, "congestion_control", message, right)
        elif isinstance(source, Host) and source.tcp.ecn == "on" and source.name not in seen:
            seen.add(source.name)
            message = f"is on, but no queue on the path of flow {way.flow.id} marks packets"
            yield note("no-marks", source.name, "tcp.ecn", message, "use a queue with ECN, such as codel or red")


def _asks(facts: Facts, flow: Flow) -> bool:
    """Whether the sender of a flow uses ECN. DCTCP and Prague always do."""
    source = facts.nodes.get(flow.source)
    asks = isinstance(source, Host) and source.tcp.ecn == "on"
    return asks or control_of(facts.filled, flow).name in ("dctcp", "prague")


RULES: tuple[Rule, ...] = (queues, unasked_marks, asked_marks)
