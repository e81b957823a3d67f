"""Rules on what a flow's path does to congestion control: where its bottleneck is, and what the queue there does.

Paths are those of the fewest links (`flow_paths`); a protocol with costs may choose another one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from frrlib.model.congestion import control_of
from frrlib.model.flow_paths import Step, Way
from frrlib.model.flows import Flow
from frrlib.model.frames import full_frame_bytes
from frrlib.model.links import QUEUE_LIMITS, queue_limit_bytes
from frrlib.model.marking import is_told_to_mark, marks
from frrlib.model.nodes import Bridge, Host
from frrlib.model.problem import Problem, note, warning
from frrlib.model.quantities import size_words
from frrlib.model.queues import Bfifo, Cake, Fq, FqCodel, FqPie, Pfifo, Sfq
from frrlib.model.rules.facts import Facts, Rule

#: A queue of more bandwidth-delay products than these is never emptied by congestion control that fills it.
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
        """The most flows that send at one time."""
        return most_at_once([way.flow for way in self.ways])

    @property
    def limit_field(self) -> str:
        """The field that says how long the queue may grow; that of packets where none does."""
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
    """The most connections that send at one time. Flows that end by size are assumed to go on."""
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
    """A queue whose packets are still the sender's own holds TCP back without a loss (TCP small queues)."""
    held = [way for way in each.ways if _is_held(way, each.step, facts)]
    if not held:
        return None
    source, where = held[0].flow.source, each.step.sender.node
    place = f"{where}, which sends" if where == source else f"{where}, with nothing but bridges between it and {source}"
    why = f"is the least rate on the path of flow {held[0].flow.id}, and its queue is in {place}: TCP in {source} is "
    why += "held back before the queue is full, and sees no loss"
    right = "a router between the sender and the queue, or a delay before it"
    return warning("sender-is-bottleneck", each.step.link.id, f"{each.step.side}.rate_mbit", why, right)


def _is_held(way: Way, queue: Step, facts: Facts) -> bool:
    """Whether the kernel counts what waits in a queue as the sender's own: nothing on the way there took it over.

    A router does, as does a delay (netem) and Open vSwitch in user space; cables and bridges do not (Linux since 4.19,
    where packets keep their socket from one namespace to the next).
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
    """A first in, first out queue against the bandwidth-delay product of the whole path."""
    step, way = each.step, each.longest
    frame_bytes = step.sender.frame_bytes
    limit, product = queue_limit_bytes(step.there, step.back, frame_bytes), way.bdp_bytes
    if limit is None or product is None or not isinstance(step.there.discipline, Pfifo | Bfifo):
        return None
    of = f"is {size_words(limit)}, {limit / product:.2g} of the bandwidth-delay product of flow {way.flow.id}'s whole "
    of += f"path ({size_words(product)}: {step.there.rate_mbit:g} Mbit/s and a base RTT of {way.rtt_ms:g} ms)"
    if limit > (1 + _TOLERANCE) * max(_BLOATED_BDP * product, frame_bytes):
        full_ms = limit * 8 / (step.there.rate_mbit or 1) / 1e3
        why = f"{of}: full, it adds {full_ms:.3g} ms"
        return note(
            "large-queue", step.link.id, each.limit_field, why, "about 1 BDP, unless a full buffer is the point"
        )
    is_said = step.there.queue_bdp is not None and step.there.delay_ms + step.back.delay_ms == way.rtt_ms
    least = (1 - _TOLERANCE) * product / max(1, each.at_once) ** 0.5 - frame_bytes
    if limit < least and not is_said:
        why = f"{of}: after a loss a window that is halved leaves the link idle"
        return note("queue-below-bdp", step.link.id, each.limit_field, why, "1 BDP of the path, or less on purpose")
    return None


def _isolated(each: Bottleneck, facts: Facts) -> Problem | None:
    queue = each.step.there.queue
    if not isinstance(queue, _ISOLATING) or len(each.ways) < 2 or each.at_once < 2:
        return None
    if isinstance(queue, Cake) and queue.isolation == "flowblind":
        return None
    why = f"is {queue.kind}, which has a queue for each flow: {each.flows} share the rate by turns, and what one does "
    why += "to the queue the others do not feel"
    right = "first in, first out (or codel, pie, red) where they are to compete"
    return note("isolated-flows", each.step.link.id, f"{each.step.side}.queue", why, right)


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
    why = f"is {back:g} Mbit/s, and the ACKs of flow {each.longest.flow.id} at full rate take {needed:.3g} Mbit/s: "
    why += "they are its bottleneck"
    return note("ack-bottleneck", step.link.id, f"{side}.rate_mbit", why, f"{needed:.3g} Mbit/s or more")


_OF_BOTTLENECKS: tuple[Callable[[Bottleneck, Facts], Problem | None], ...] = (
    _at_the_sender,
    _queue_size,
    _isolated,
    _slow_acks,
)


def queues(facts: Facts) -> Iterator[Problem]:
    """Every bottleneck, by the table above."""
    for each in bottlenecks(facts):
        yield from (problem for rule in _OF_BOTTLENECKS if (problem := rule(each, facts)) is not None)


# --- marks ----------------------------------------------------------------------------------------------------------


def unasked_marks(facts: Facts) -> Iterator[Problem]:
    """A queue that was told to mark, and senders that ask for no marks."""
    for each in bottlenecks(facts):
        if not is_told_to_mark(each.step.there.queue):
            continue
        deaf = [way for way in each.ways if not _asks(facts, way.flow)]
        if len(deaf) == len(each.ways):
            why = f"marks packets of those who ask, and {each.flows} do not: it drops them"
            field = f"{each.step.side}.queue"
            yield note("marks-unasked", each.step.link.id, field, why, f"ECN on at {deaf[0].flow.source}")


def asked_marks(facts: Facts) -> Iterator[Problem]:
    """Senders that ask for marks, or live on them, and paths on which nobody marks."""
    seen = set[str]()
    for way in facts.ways:
        if any(marks(step.there.queue) for step in way.steps if step.there.rate_mbit is not None):
            continue
        source = facts.nodes.get(way.flow.source)
        if control_of(facts.filled, way.flow).name == "dctcp":
            why = "is dctcp, which goes by marks, and no queue on its path marks: it behaves as Reno"
            right = "a queue that marks, such as red or codel with ECN and a threshold"
            yield warning("dctcp-without-marks", way.flow.id, "congestion_control", why, right)
        elif isinstance(source, Host) and source.tcp.ecn == "on" and source.name not in seen:
            seen.add(source.name)
            why = f"is on, and no queue on the path of flow {way.flow.id} marks packets"
            yield note("no-marks", source.name, "tcp.ecn", why, "a queue with ECN, such as codel or red")


def _asks(facts: Facts, flow: Flow) -> bool:
    """Whether a flow's sender asks for marks. DCTCP and Prague do by themselves."""
    source = facts.nodes.get(flow.source)
    asks = isinstance(source, Host) and source.tcp.ecn == "on"
    return asks or control_of(facts.filled, flow).name in ("dctcp", "prague")


RULES: tuple[Rule, ...] = (queues, unasked_marks, asked_marks)
