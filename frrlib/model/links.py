"""Links and their shape, per direction."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from frrlib.model.base import (
    NO_PATH,
    Address,
    ForeignKeys,
    InterfaceName,
    Milliseconds,
    NodeName,
    Percent,
    Short,
    Value,
)
from frrlib.model.frames import PLAIN, USUAL_MTU_BYTES, FrameSizeRules, full_frame_bytes
from frrlib.model.impairments import Impairments
from frrlib.model.own_commands import OwnCommands, kinds
from frrlib.model.queues import AnyDiscipline, Bfifo, Cake, Pfifo, Queue

#: Full frames that a shaper lets pass at once. Each beyond the first can pass at line rate after an idle moment; a
#: bucket of one would lose rate whenever the kernel's timer fires late.
USUAL_BURST_FRAMES = 3
#: At high rates so many are over before a timer of a busy machine fires: there the bucket takes what the link carries
#: in this time.
USUAL_BURST_MS = 1.0

#: A queue's limit is given in one of these.
QUEUE_LIMITS = ("queue_packets", "queue_bytes", "queue_ms", "queue_bdp")
QueuePackets = Annotated[int, Field(ge=1, le=10_000_000)]
QueueBytes = Annotated[int, Field(ge=1, le=4_000_000_000)]
QueueMs = Annotated[float, Field(gt=0, le=60_000)]
QueueBdp = Annotated[float, Field(gt=0, le=10_000)]


class OneQueueLimit(Value):
    """A value with fields for all limits of a queue, of which one is given at most."""

    @model_validator(mode="after")
    def _one_queue_limit(self) -> Self:
        given = [name for name in QUEUE_LIMITS if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} are set together; keep one of them")
        return self


class Shape(OneQueueLimit):
    """The treatment of packets in one direction of a link.

    Attributes:
        rate_mbit: bottleneck rate in 10^6 bit/s, frames counted with their Ethernet header; None is unlimited.
        delay_ms: one-way propagation delay of this direction.
        jitter_ms: standard spread of the delay; packets may overtake each other.
        loss_percent: share of packets lost at random behind the queue, 0 to 100, fractions allowed.
        queue_packets: queue limit in packets.
        queue_bytes: queue limit in bytes.
        queue_ms: queue limit as the time that a full queue takes to drain at `rate_mbit`. It follows a rate that
            changes while the lab runs.
        queue_bdp: queue limit in multiples of the link's own bandwidth-delay product, that is of `rate_mbit` times the
            delay there and back. It follows a rate or a delay that changes while the lab runs.
        queue: the discipline of the queue; None for first in, first out, counted in what the limit is given in.
        shaper: what holds packets back to the rate. cake does so itself, whatever stands here.
        burst_frames: full frames that may pass at line rate after an idle moment; None for `usual_burst_frames`.
        impairments: what else the cable does to packets.
        qdiscs: commands of `tc` of one's own (`own_commands`), carried out as they are at the interface from which the
            direction leaves; then nothing else of the shape is given, since what it would mean beside them nobody
            could say. Empty for none.

    At most one of the four queue limits is given, and each needs a rate. Without one a shaped direction gets a queue of
    1000 full frames or 100 ms, whichever is less, but at least 10 frames (see `queue_limit_bytes`).
    """

    rate_mbit: Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)] | None = None
    delay_ms: Annotated[Milliseconds, Field(le=60_000)] = 0.0
    jitter_ms: Annotated[Milliseconds, Field(le=60_000)] = 0.0
    loss_percent: Percent = 0.0
    queue_packets: QueuePackets | None = None
    queue_bytes: QueueBytes | None = None
    queue_ms: QueueMs | None = None
    queue_bdp: QueueBdp | None = None
    queue: Queue | None = None
    shaper: Literal["tbf", "htb"] = "tbf"
    burst_frames: Annotated[int, Field(ge=1, le=10_000)] | None = None
    impairments: Impairments = Impairments()
    qdiscs: OwnCommands = ()

    @model_validator(mode="after")
    def _own_commands_alone(self) -> Self:
        fields = type(self).model_fields
        others = [name for name in fields if name != "qdiscs" and getattr(self, name) != fields[name].default]
        if self.qdiscs and others:
            raise ValueError(
                f"qdiscs and {', '.join(others)} are given; a direction with tc commands of its own does what these "
                "say and nothing else, so put it into them, or draw it without them"
            )
        return self

    @property
    def is_plain(self) -> bool:
        """Whether this direction is an ordinary cable."""
        return self == Shape()

    @property
    def needs_link_namespace(self) -> bool:
        """Whether this direction delays packets, loses them or harms them otherwise."""
        return bool(self.delay_ms or self.jitter_ms or self.loss_percent) or self.impairments.are_any

    def bucket_frames(self, frame_bytes: int) -> int:
        """The number of full frames that may pass at line rate after an idle moment.

        Args:
            frame_bytes: a full frame of the sending interface (`End.frame_bytes`).
        """
        return self.burst_frames or usual_burst_frames(self.rate_mbit or 0.0, frame_bytes)

    @property
    def accounting(self) -> FrameSizeRules:
        """How its shaper counts frames."""
        return self.queue.accounting if isinstance(self.queue, Cake) else PLAIN

    @property
    def qdisc_kinds(self) -> tuple[str, ...]:
        """The kinds of qdisc that the kernel needs for it: shaper, discipline, and netem for delay or loss."""
        if self.qdiscs:
            return kinds(self.qdiscs)
        shaper = () if isinstance(self.queue, Cake) else (self.shaper,)
        queue = (*shaper, self.discipline.kind) if self.rate_mbit is not None else ()
        return (*queue, "netem") if self.needs_link_namespace else queue

    @property
    def mean_loss_percent(self) -> float:
        """The share of packets that the cable loses in the long run."""
        bursts = self.impairments.gilbert_elliott or self.impairments.four_states
        return bursts.mean_loss_percent if bursts is not None else self.loss_percent

    @property
    def discipline(self) -> AnyDiscipline:
        """The discipline of its queue: where none is named first in, first out, counted as its limit is."""
        if self.queue is not None:
            return self.queue
        return Bfifo() if self.queue_packets is None else Pfifo()

    @property
    def has_queue_limit(self) -> bool:
        """Whether it says how long its queue may grow."""
        return any(getattr(self, name) is not None for name in QUEUE_LIMITS)

    def stated_limit_bytes(self, back: Shape, frame_bytes: int) -> int | None:
        """The queue limit that a lab sets (`queue_limit_bytes`); None where the discipline's own limit stays."""
        if not self.has_queue_limit and self.discipline.has_own_limit:
            return None
        return queue_limit_bytes(self, back, frame_bytes)


class End(Value):
    """One end of a link: an interface of a node.

    Attributes:
        node: name of the node.
        interface: name of the interface; empty for the next free `NODE-ethN` (see `with_names`).
        addresses: addresses with prefix length; empty for automatic ones on hosts and routers.
        mac: hardware address, empty for the kernel's choice.
        mtu_bytes: MTU; None for 1500.
        ospf_cost: cost of this interface for OSPF; None for the daemon's own.
        congestion_control: at a host, of TCP that leaves by this link: an attribute of the host's routes out of the
            interface, the connected ones and the default one, of IPv4 and IPv6 (but for link-local addresses). Empty
            for the host's. Nodes other than hosts have none.
        offloads: whether the interface keeps the kernel's segmentation and receive offloads (TSO, GSO, GRO), so that
            a packet may be of 64 kB until it is on a wire; None: only in a lab without any shaped link.
    """

    node: NodeName
    interface: InterfaceName = ""
    addresses: tuple[Address, ...] = ()
    mac: Annotated[str, Field(pattern=r"^([0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5})?$")] = ""
    mtu_bytes: Annotated[int, Field(ge=576, le=65_535)] | None = None
    ospf_cost: Annotated[int, Field(ge=1, le=65_535)] | None = None
    congestion_control: Short = ""
    offloads: bool | None = None

    @property
    def real_mtu_bytes(self) -> int:
        """The MTU that the interface has."""
        return self.mtu_bytes or USUAL_MTU_BYTES

    @property
    def frame_bytes(self) -> int:
        """The longest frame that leaves by the interface, with its Ethernet header."""
        return full_frame_bytes(self.real_mtu_bytes)


class Link(Value):
    """A link between two interfaces; several may join the same two nodes.

    Attributes:
        id: unique among the links ("l1").
        a, b: its ends. Which is which has no meaning but to name the directions.
        a_to_b, b_to_a: the shape of each direction.
        up: whether it has carrier at the start.
        speedup_mbit: MiniEdit's option "speedup": the rate at which a switch sends into it (`with_speedups`); None
            where it is not set.
        foreign: unknown keys of the file that it came from, as JSON text of an object; empty for none.
    """

    id: Annotated[str, Field(min_length=1, max_length=64, pattern=NO_PATH)]
    a: End
    b: End
    a_to_b: Shape = Shape()
    b_to_a: Shape = Shape()
    up: bool = True
    speedup_mbit: int | None = None
    foreign: ForeignKeys = ""

    @property
    def ends(self) -> tuple[End, End]:
        """Both ends, a first."""
        return (self.a, self.b)

    def other(self, node: str) -> End:
        """The end that is not at `node`."""
        return self.b if self.a.node == node else self.a

    @property
    def directions(self) -> tuple[tuple[End, End, Shape], tuple[End, End, Shape]]:
        """Each direction as (from, to, shape), a to b first."""
        return ((self.a, self.b, self.a_to_b), (self.b, self.a, self.b_to_a))

    @property
    def directions_with_reverse(self) -> tuple[tuple[End, Shape, Shape], tuple[End, Shape, Shape]]:
        """Each direction as (from, its shape, the shape of the way back), a to b first."""
        return ((self.a, self.a_to_b, self.b_to_a), (self.b, self.b_to_a, self.a_to_b))

    @property
    def is_shaped(self) -> bool:
        """Whether any direction is more than an ordinary cable."""
        return not (self.a_to_b.is_plain and self.b_to_a.is_plain)


def usual_burst_frames(rate_mbit: float, frame_bytes: int) -> int:
    """The number of full frames that a bucket holds at a rate, unless the drawing gives another one."""
    return max(USUAL_BURST_FRAMES, math.ceil(bdp_bytes(rate_mbit, USUAL_BURST_MS) / frame_bytes))


def bdp_bytes(rate_mbit: float, rtt_ms: float) -> float:
    """Bandwidth-delay product in bytes: what fills the path without a queue."""
    return rate_mbit * 1e6 / 8 * rtt_ms / 1e3


def queue_limit_bytes(shape: Shape, back: Shape, frame_bytes: int) -> int | None:
    """The queue limit of a direction in bytes, packets counted as full frames; None without a rate.

    Args:
        shape: the direction whose queue it is.
        back: the opposite direction, whose delay belongs to the round trip that `queue_bdp` speaks of.
        frame_bytes: a full frame of the sending interface (`End.frame_bytes`); the queue has room for at least one.
    """
    rate = shape.rate_mbit
    if rate is None:
        return None
    if shape.queue_packets is not None:
        return shape.queue_packets * frame_bytes
    if shape.queue_bytes is not None:
        return shape.queue_bytes
    if shape.queue_ms is not None:
        return max(frame_bytes, round(bdp_bytes(rate, shape.queue_ms)))
    if shape.queue_bdp is not None:
        rtt_ms = shape.delay_ms + back.delay_ms
        return max(frame_bytes, round(shape.queue_bdp * bdp_bytes(rate, rtt_ms)))
    return max(10 * frame_bytes, min(1000 * frame_bytes, round(bdp_bytes(rate, 100.0))))
