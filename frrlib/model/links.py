"""Links and their shape, per direction."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from frrlib.model.base import Address, ForeignKeys, InterfaceName, Milliseconds, NodeName, Percent, Value

#: What `tc` counts for a full frame of a 1500-byte MTU: the Ethernet header is in, preamble and checksum are not.
FULL_FRAME_BYTES = 1514

_QUEUE_FIELDS = ("queue_packets", "queue_bytes", "queue_ms", "queue_bdp")


class Shape(Value):
    """What one direction of a link does to packets.

    Attributes:
        rate_mbit: bottleneck rate in 10^6 bit/s, frames counted with their Ethernet header; None is unlimited.
        delay_ms: one-way propagation delay of this direction.
        jitter_ms: standard spread of the delay; packets may overtake each other.
        loss_percent: share of packets lost at random behind the queue, 0 to 100, fractions allowed.
        queue_packets: queue limit in packets.
        queue_bytes: queue limit in bytes.
        queue_ms: queue limit as the time that a full queue takes to drain at `rate_mbit`.
        queue_bdp: queue limit in multiples of the link's own bandwidth-delay product, that is of `rate_mbit` times the
            delay there and back.

    At most one of the four queue limits is given, and each needs a rate. Without one a shaped direction gets a queue of
    1000 full frames or 100 ms, whichever is less, but at least 10 frames (see `queue_limit_bytes`).
    """

    rate_mbit: Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)] | None = None
    delay_ms: Annotated[Milliseconds, Field(le=60_000)] = 0.0
    jitter_ms: Annotated[Milliseconds, Field(le=60_000)] = 0.0
    loss_percent: Percent = 0.0
    queue_packets: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    queue_bytes: Annotated[int, Field(ge=1, le=4_000_000_000)] | None = None
    queue_ms: Annotated[float, Field(gt=0, le=60_000)] | None = None
    queue_bdp: Annotated[float, Field(gt=0, le=10_000)] | None = None

    @model_validator(mode="after")
    def _one_queue_limit(self) -> Self:
        given = [name for name in _QUEUE_FIELDS if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} are given; give one of them")
        return self

    @property
    def is_plain(self) -> bool:
        """Whether this direction is an ordinary cable."""
        return self == Shape()

    @property
    def needs_cable_room(self) -> bool:
        """Whether this direction delays or loses packets."""
        return bool(self.delay_ms or self.jitter_ms or self.loss_percent)


class End(Value):
    """One end of a link: an interface of a node.

    Attributes:
        node: name of the node.
        interface: name of the interface; empty for the next free `NODE-ethN` (see `addressing.with_names`).
        addresses: addresses with prefix length; empty for automatic ones on hosts and routers.
        mac: hardware address, empty for the kernel's choice.
        mtu_bytes: MTU; None for 1500.
        ospf_cost: cost of this interface for OSPF; None for the daemon's own.
    """

    node: NodeName
    interface: InterfaceName = ""
    addresses: tuple[Address, ...] = ()
    mac: Annotated[str, Field(pattern=r"^([0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5})?$")] = ""
    mtu_bytes: Annotated[int, Field(ge=576, le=65_535)] | None = None
    ospf_cost: Annotated[int, Field(ge=1, le=65_535)] | None = None


class Link(Value):
    """A link between two interfaces; several may join the same two nodes.

    Attributes:
        id: unique among the links ("l1").
        a, b: its ends. Which is which has no meaning but to name the directions.
        a_to_b, b_to_a: the shape of each direction.
        up: whether it has carrier at the start.
        speedup: MiniEdit's option of that name: the rate in Mbit/s at which a switch sends into it (`with_speedups`);
            None where it is not set.
        foreign: unknown keys of the file that it came from, as JSON text of an object; empty for none.
    """

    id: Annotated[str, Field(min_length=1, max_length=64)]
    a: End
    b: End
    a_to_b: Shape = Shape()
    b_to_a: Shape = Shape()
    up: bool = True
    speedup: int | None = None
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
    def there_and_back(self) -> tuple[tuple[End, Shape, Shape], tuple[End, Shape, Shape]]:
        """Each direction as (from, its shape, the shape of the way back), a to b first."""
        return ((self.a, self.a_to_b, self.b_to_a), (self.b, self.b_to_a, self.a_to_b))

    @property
    def is_shaped(self) -> bool:
        """Whether any direction is more than an ordinary cable."""
        return not (self.a_to_b.is_plain and self.b_to_a.is_plain)


def bdp_bytes(rate_mbit: float, rtt_ms: float) -> float:
    """Bandwidth-delay product in bytes: what fills the path without a queue."""
    return rate_mbit * 1e6 / 8 * rtt_ms / 1e3


def queue_limit_bytes(shape: Shape, back: Shape) -> int | None:
    """The queue limit of a direction in bytes, packets counted as full frames; None without a rate.

    Args:
        shape: the direction whose queue it is.
        back: the opposite direction, whose delay belongs to the round trip that `queue_bdp` speaks of.
    """
    rate = shape.rate_mbit
    if rate is None:
        return None
    if shape.queue_packets is not None:
        return shape.queue_packets * FULL_FRAME_BYTES
    if shape.queue_bytes is not None:
        return shape.queue_bytes
    if shape.queue_ms is not None:
        return max(FULL_FRAME_BYTES, round(bdp_bytes(rate, shape.queue_ms)))
    if shape.queue_bdp is not None:
        rtt_ms = shape.delay_ms + back.delay_ms
        return max(FULL_FRAME_BYTES, round(shape.queue_bdp * bdp_bytes(rate, rtt_ms)))
    return max(10 * FULL_FRAME_BYTES, min(1000 * FULL_FRAME_BYTES, round(bdp_bytes(rate, 100.0))))
