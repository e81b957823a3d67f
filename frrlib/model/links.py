"""Links, and the shape of each of their directions."""

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

#: Full frames that a shaper's bucket holds. All but the first can pass at line rate after an idle period. A bucket of
#: one frame would lose rate whenever the kernel's timer fires late.
USUAL_BURST_FRAMES = 3
#: At high rates these frames are sent before the timer of a busy machine fires. There the bucket holds the amount that
#: the link carries in this time.
USUAL_BURST_MS = 1.0
#: Default number of full frames in tbf's bucket for its peak rate. With one frame, each late timer would cost rate.
USUAL_PEAK_FRAMES = 2

#: The fields for a queue's limit; at most one is set.
QUEUE_LIMITS = ("queue_packets", "queue_bytes", "queue_ms", "queue_bdp")
QueuePackets = Annotated[int, Field(ge=1, le=10_000_000)]
QueueBytes = Annotated[int, Field(ge=1, le=4_000_000_000)]
QueueMs = Annotated[float, Field(gt=0, le=60_000)]
QueueBdp = Annotated[float, Field(gt=0, le=10_000)]


class OneQueueLimit(Value):
    """A value with fields for all limits of a queue; at most one is set."""

    @model_validator(mode="after")
    def _one_queue_limit(self) -> Self:
        limits = [name for name in QUEUE_LIMITS if getattr(self, name) is not None]
        if len(limits) > 1:
            raise ValueError(f"{' and '.join(limits)} are set together; keep one of them")
        return self


class Shape(OneQueueLimit):
    """The treatment of packets in one direction of a link.

    Attributes:
        rate_mbit: bottleneck rate in 10^6 bit/s, frames counted with their Ethernet header; None is unlimited.
        delay_ms: one-way propagation delay of this direction.
        jitter_ms: spread of the delay; packets may overtake each other.
        loss_percent: share of packets lost at random after the queue, 0 to 100; fractions are allowed.
        queue_packets: queue limit in packets.
        queue_bytes: queue limit in bytes.
        queue_ms: queue limit as the time that a full queue takes to drain at `rate_mbit`. It follows a rate that
            changes while the lab runs.
        queue_bdp: queue limit in multiples of the link's own bandwidth-delay product, which is `rate_mbit` times the
            sum of both directions' delays. It follows a rate or a delay that changes while the lab runs.
        queue: the queueing discipline; None for first in, first out, counted in the unit of the limit.
        shaper: the qdisc that enforces the rate. cake enforces it itself and ignores this field.
        burst_frames: full frames that may pass at line rate after an idle period; None for `usual_burst_frames`.
        peak_rate_mbit: maximum rate at which tbf's bucket empties, in 10^6 bit/s, above `rate_mbit`; None for line
            rate. Other shapers ignore it.
        peak_frames: full frames that may pass at line rate nevertheless, tbf's `mtu`; None for `USUAL_PEAK_FRAMES`.
        impairments: further impairments of packets.
        qdiscs: custom `tc` commands (`own_commands`), executed unchanged at the sending interface. They exclude all
            other fields of the shape, whose meaning beside them would be undefined. Empty for none.

    At most one of the four queue limits is set, and each needs a rate. Without a limit a shaped direction gets a queue
    of 1000 full frames or 100 ms, whichever is less, but at least 10 frames (see `queue_limit_bytes`).
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
    peak_rate_mbit: Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)] | None = None
    peak_frames: Annotated[int, Field(ge=1, le=10_000)] | None = None
    impairments: Impairments = Impairments()
    qdiscs: OwnCommands = ()

    @model_validator(mode="after")
    def _own_commands_alone(self) -> Self:
        fields = type(self).model_fields
        extra = [name for name in fields if name != "qdiscs" and getattr(self, name) != fields[name].default]
        if self.qdiscs and extra:
            raise ValueError(
                f"qdiscs and {', '.join(extra)} are given; a direction with tc commands of its own does what these "
                "say and nothing else, so put it into them, or draw it without them"
            )
        return self

    @property
    def is_plain(self) -> bool:
        """Whether this direction is unshaped and unimpaired."""
        return self == Shape()

    @property
    def needs_link_namespace(self) -> bool:
        """Whether this direction delays, loses or otherwise impairs packets, which the link namespace does."""
        return bool(self.delay_ms or self.jitter_ms or self.loss_percent) or self.impairments.are_any

    def bucket_frames(self, frame_bytes: int) -> int:
        """The number of full frames that may pass at line rate after an idle period.

        Args:
            frame_bytes: a full frame of the sending interface (`End.frame_bytes`).
        """
        return self.burst_frames or usual_burst_frames(self.rate_mbit or 0.0, frame_bytes)

    @property
    def effective_peak_mbit(self) -> float | None:
        """The peak rate that tbf enforces; None if there is no peak rate above the rate."""
        rate_mbit, peak_mbit = self.rate_mbit, self.peak_rate_mbit
        is_used = self.shaper == "tbf" and not isinstance(self.queue, Cake) and rate_mbit is not None
        return peak_mbit if is_used and peak_mbit is not None and peak_mbit > (rate_mbit or 0.0) else None

    @property
    def accounting(self) -> FrameSizeRules:
        """The rules by which its shaper counts frames."""
        return self.queue.accounting if isinstance(self.queue, Cake) else PLAIN

    @property
    def qdisc_kinds(self) -> tuple[str, ...]:
        """The kinds of qdisc that it needs from the kernel: shaper, discipline, and netem for delay or loss."""
        if self.qdiscs:
            return kinds(self.qdiscs)
        shaper = () if isinstance(self.queue, Cake) else (self.shaper,)
        queue = (*shaper, self.discipline.kind) if self.rate_mbit is not None else ()
        return (*queue, "netem") if self.needs_link_namespace else queue

    @property
    def mean_loss_percent(self) -> float:
        """The share of packets that are lost in the long run."""
        bursts = self.impairments.gilbert_elliott or self.impairments.four_states
        return bursts.mean_loss_percent if bursts is not None else self.loss_percent

    @property
    def discipline(self) -> AnyDiscipline:
        """The queueing discipline; by default first in, first out, counted in the unit of the limit."""
        if self.queue is not None:
            return self.queue
        return Bfifo() if self.queue_packets is None else Pfifo()

    @property
    def has_queue_limit(self) -> bool:
        """Whether a queue limit is set."""
        return any(getattr(self, name) is not None for name in QUEUE_LIMITS)

    def stated_limit_bytes(self, reverse: Shape, frame_bytes: int) -> int | None:
        """The queue limit that a lab sets (`queue_limit_bytes`); None if the discipline keeps its own limit."""
        if not self.has_queue_limit and self.discipline.has_own_limit:
            return None
        return queue_limit_bytes(self, reverse, frame_bytes)


class End(Value):
    """One end of a link: an interface of a node.

    Attributes:
        node: name of the node.
        interface: name of the interface; empty for the next free `NODE-ethN` (see `with_names`).
        addresses: addresses with prefix length; empty for automatic ones on hosts and routers.
        mac: hardware address, empty for the kernel's choice.
        mtu_bytes: MTU; None for 1500.
        ospf_cost: OSPF cost of this interface; None for the daemon's default.
        congestion_control: at a host, the congestion control of TCP over this link. It is set on the host's routes
            through the interface, connected and default, IPv4 and IPv6 (except link-local ones). Empty for the host's
            setting. Nodes other than hosts have none.
        offloads: whether the interface keeps the kernel's segmentation and receive offloads (TSO, GSO, GRO), with which
            packets inside the kernel may have up to 64 kB; None for yes only in a lab without any shaped link.
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
        """The effective MTU of the interface."""
        return self.mtu_bytes or USUAL_MTU_BYTES

    @property
    def frame_bytes(self) -> int:
        """The longest frame that leaves by the interface, with its Ethernet header."""
        return full_frame_bytes(self.real_mtu_bytes)


class Link(Value):
    """A link between two interfaces; several may join the same two nodes.

    Attributes:
        id: unique among the links ("l1").
        a, b: its ends. Their order only names the directions.
        a_to_b, b_to_a: the shape of each direction.
        up: whether it has carrier at the start.
        speedup_mbit: MiniEdit's option "speedup": the rate at which a switch sends into it (`with_speedups`); None if
            it is not set.
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
        """Each direction as (sending end, its shape, shape of the reverse direction), a to b first."""
        return ((self.a, self.a_to_b, self.b_to_a), (self.b, self.b_to_a, self.a_to_b))

    @property
    def is_shaped(self) -> bool:
        """Whether any direction has a shape."""
        return not (self.a_to_b.is_plain and self.b_to_a.is_plain)


def usual_burst_frames(rate_mbit: float, frame_bytes: int) -> int:
    """The default number of full frames in a shaper's bucket at a rate."""
    return max(USUAL_BURST_FRAMES, math.ceil(bdp_bytes(rate_mbit, USUAL_BURST_MS) / frame_bytes))


def bdp_bytes(rate_mbit: float, rtt_ms: float) -> float:
    """Bandwidth-delay product in bytes: the data in flight that fills a path without a queue."""
    return rate_mbit * 1e6 / 8 * rtt_ms / 1e3


def queue_limit_bytes(shape: Shape, reverse: Shape, frame_bytes: int) -> int | None:
    """The queue limit of a direction in bytes, packets counted as full frames; None without a rate.

    Args:
        shape: the direction whose queue it is.
        reverse: the reverse direction, whose delay is part of the round trip in `queue_bdp`.
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
        rtt_ms = shape.delay_ms + reverse.delay_ms
        return max(frame_bytes, round(shape.queue_bdp * bdp_bytes(rate, rtt_ms)))
    return max(10 * frame_bytes, min(1000 * frame_bytes, round(bdp_bytes(rate, 100.0))))
