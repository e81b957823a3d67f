"""The form of links: both directions side by side, both ends side by side."""

from __future__ import annotations

from collections.abc import Sequence

from frrlib.model.links import FULL_FRAME_BYTES, Link, Shape, bdp_bytes, queue_limit_bytes
from miniedit_frr.dialogs import kinds
from miniedit_frr.dialogs.fields import Field, Group, Lens, Pair, Tab
from miniedit_frr.dialogs.kinds import Kind
from miniedit_frr.dialogs.quantities import BDP, COUNT, PACKETS, PERCENT, RATE_MBIT, SIZE_BYTES, TIME_MS
from miniedit_frr.dialogs.sheets import Surroundings

_QUEUES = {"queue_packets": PACKETS, "queue_bytes": SIZE_BYTES, "queue_ms": TIME_MS, "queue_bdp": BDP}


def _queue(shape: Shape) -> tuple[str, float | int] | None:
    return next(((name, getattr(shape, name)) for name in _QUEUES if getattr(shape, name) is not None), None)


def _with_queue(shape: Shape, queue: tuple[str, float | int] | None) -> Shape:
    others = {name: getattr(shape, name) for name in Shape.model_fields if name not in _QUEUES}
    return Shape.model_validate({**others, **({queue[0]: queue[1]} if queue else {})})


QUEUE = Field(
    "queue", "Queue limit", kinds.measured(_QUEUES, none="usual"),
    "Packets, bytes, time to drain, or multiples of the link's bandwidth-delay product; needs a rate.",
    lens=Lens(_queue, _with_queue, tuple(_QUEUES)),
)  # fmt: skip


def equivalents(shape: Shape, back: Shape) -> str:
    """What a direction's queue limit is in bytes, packets, ms and bandwidth-delay products."""
    limit, rate = queue_limit_bytes(shape, back), shape.rate_mbit
    if limit is None or rate is None:
        return "no rate, no queue"
    parts = [f"{limit:,} bytes".replace(",", "\u202f"), f"{limit / FULL_FRAME_BYTES:.4g} full frames"]
    parts.append(f"{limit * 8 / rate / 1e3:.4g} ms")
    product = bdp_bytes(rate, shape.delay_ms + back.delay_ms)
    if product:
        parts.append(f"{limit / product:.3g} BDP")
    return "= " + "\n= ".join(parts)


def _direction_titles(links: Sequence[Link]) -> tuple[str, str]:
    if len(links) > 1:
        return "From first to second end", "From second to first end"
    return f"{links[0].a.node} → {links[0].b.node}", f"{links[0].b.node} → {links[0].a.node}"


def _end_titles(links: Sequence[Link]) -> tuple[str, str]:
    return (f"At {links[0].a.node}", f"At {links[0].b.node}") if len(links) == 1 else ("First end", "Second end")


DIRECTIONS = Pair(
    "a_to_b",
    "b_to_a",
    _direction_titles,
    (
        Field("rate_mbit", "Rate", kinds.quantity(RATE_MBIT, optional=True), "10mbit, 1.5 gbit; empty is unlimited.",
              hint="unlimited"),
        Field("delay_ms", "Delay", kinds.quantity(TIME_MS), "One way: the round trip has both directions' delays."),
        Field("jitter_ms", "Jitter", kinds.quantity(TIME_MS), "Spread of the delay; lets packets overtake each other."),
        Field("loss_percent", "Loss", kinds.quantity(PERCENT), "Share of packets lost at random, as in 0.5."),
        QUEUE,
    ),
    same="The same in both directions",
    told=equivalents,
)  # fmt: skip


def _neighbours(around: Surroundings) -> Kind:
    names = around.names("host", "router", "switch", "bridge")
    return kinds.choice({name: name for name in names})


def _automatic_name(around: Surroundings, value: Link, side: str) -> str:
    full = around.filled.link(value.id)
    return str(getattr(full, side).interface) if full is not None else "automatic"


def _automatic_addresses(around: Surroundings, value: Link, side: str) -> str:
    full = around.filled.link(value.id)
    found = getattr(full, side).addresses if full is not None else ()
    return ", ".join(str(each) for each in found) or "none"


ENDS = Pair(
    "a",
    "b",
    _end_titles,
    (
        Field("node", "Node", _neighbours, "What the link joins.", single=True),
        Field("interface", "Interface", kinds.INTERFACE_NAME, "Up to 15 characters; empty: the next free name.",
              single=True, hint=_automatic_name),
        Field("addresses", "Addresses", kinds.INTERFACES, "With prefix length; several with commas.", single=True,
              hint=_automatic_addresses),
        Field("mac", "MAC address", kinds.MAC, "Six pairs of hexadecimal digits.", single=True, hint="automatic"),
        Field("mtu_bytes", "MTU", kinds.quantity(COUNT, optional=True), "Bytes, the same at both ends.", hint="1500"),
        Field("ospf_cost", "OSPF cost", kinds.quantity(COUNT, optional=True), "Of this interface, at a router.",
              hint="by rate"),
    ),
)  # fmt: skip

LINK = (
    Tab(
        "Directions",
        (DIRECTIONS, Field("up", "Up at the start", kinds.flag(), "Off: no carrier until it is put up.")),
    ),
    Tab(
        "Ends",
        (
            ENDS,
            Group(
                "In the file",
                (
                    Field("id", "Link ID", kinds.NEEDED, "Unique among the links; names it in results.", single=True),
                    Field("speedup", "Speedup", kinds.quantity(COUNT, optional=True),
                          "MiniEdit's option; kept in the file, has no effect.", hint="not set"),
                ),
            ),
        ),
    ),
)  # fmt: skip
