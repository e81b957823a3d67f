"""The form of links, with both directions and both ends side by side."""

from __future__ import annotations

from collections.abc import Sequence

from frrlib.model.links import Link
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.kinds import TextKind
from miniedit_frr.dialogs.fields.quantities import COUNT, PERCENT, RATE_MBIT, TIME_MS
from miniedit_frr.dialogs.forms import kernel_commands, link_preset_menu
from miniedit_frr.dialogs.forms.impairments import IMPAIRMENT_FIELDS, loss_summary
from miniedit_frr.dialogs.forms.own_commands import COMMANDS_FIELD, lock_replaced
from miniedit_frr.dialogs.forms.queue import (
    DISCIPLINE,
    DISCIPLINE_FIELDS,
    LIMIT,
    SHAPER,
    limit_summary,
    parameters_remark,
)
from miniedit_frr.dialogs.forms.shared import congestion_controls
from miniedit_frr.dialogs.parts import CustomWidget, FieldGroup, FieldPair, Tab
from miniedit_frr.dialogs.sheets import FormContext


def _direction_titles(links: Sequence[Link]) -> tuple[str, str]:
    if len(links) > 1:
        return "From first to second end", "From second to first end"
    return f"{links[0].a.node} → {links[0].b.node}", f"{links[0].b.node} → {links[0].a.node}"


def _queue_titles(links: Sequence[Link]) -> tuple[str, str]:
    forward, reverse = _direction_titles(links)
    if len(links) > 1:
        return forward, reverse
    return f"{forward}: {links[0].a_to_b.discipline.kind}", f"{reverse}: {links[0].b_to_a.discipline.kind}"


def _end_titles(links: Sequence[Link]) -> tuple[str, str]:
    return (f"At {links[0].a.node}", f"At {links[0].b.node}") if len(links) == 1 else ("First end", "Second end")


SAME = "The same in both directions"
_DIRECTIONS = FieldPair(
    "a_to_b",
    "b_to_a",
    _direction_titles,
    (
        Field("rate_mbit", "Rate", kinds.quantity(RATE_MBIT, optional=True),
              "Such as 10mbit or 1.5 gbit. Empty: unlimited.",
              hint="unlimited"),
        Field("delay_ms", "Delay", kinds.quantity(TIME_MS),
              "One-way delay. The round-trip time includes the delays of both directions."),
        Field("jitter_ms", "Jitter", kinds.quantity(TIME_MS),
              "Variation of the delay. Packets may overtake each other."),
        Field("loss_percent", "Loss", kinds.quantity(PERCENT), "Percentage of packets lost at random, such as 0.5."),
        DISCIPLINE,
        LIMIT,
    ),
    same=SAME,
    summary=limit_summary,
)  # fmt: skip
DIRECTIONS = lock_replaced(_DIRECTIONS)
QUEUE = lock_replaced(
    FieldPair("a_to_b", "b_to_a", _queue_titles, (*SHAPER, *DISCIPLINE_FIELDS), same=SAME, summary=parameters_remark)
)
IMPAIRMENTS = lock_replaced(
    FieldPair("a_to_b", "b_to_a", _direction_titles, IMPAIRMENT_FIELDS, same=SAME, summary=loss_summary)
)
COMMANDS = FieldPair("a_to_b", "b_to_a", _direction_titles, (COMMANDS_FIELD,), same=SAME)


def _attachable_nodes(context: FormContext) -> TextKind:
    names = context.names("host", "router", "switch", "bridge")
    return kinds.choice({name: name for name in names})


def _automatic_name(context: FormContext, value: Link, side: str) -> str:
    full = context.filled.link(value.id)
    return str(getattr(full, side).interface) if full is not None else "automatic"


def _automatic_addresses(context: FormContext, value: Link, side: str) -> str:
    full = context.filled.link(value.id)
    addresses = getattr(full, side).addresses if full is not None else ()
    return ", ".join(str(address) for address in addresses) or "none"


_OFFLOADS = {None: "automatic", True: "kernel's default", False: "off"}
ENDS = FieldPair(
    "a",
    "b",
    _end_titles,
    (
        Field("node", "Node", _attachable_nodes, "The node at this end of the link.", single=True),
        Field("interface", "Interface", kinds.INTERFACE_NAME, "Up to 15 characters. Empty: the next free name.",
              single=True, hint=_automatic_name),
        Field("addresses", "Addresses", kinds.INTERFACES, "With prefix length, separated by commas.", single=True,
              hint=_automatic_addresses),
        Field("mac", "MAC address", kinds.MAC, "Six pairs of hexadecimal digits.", single=True, hint="automatic"),
        Field("mtu_bytes", "MTU", kinds.quantity(COUNT, optional=True), "In bytes; the same at both ends.",
              hint="1500"),
        Field("ospf_cost", "OSPF cost", kinds.quantity(COUNT, optional=True),
              "OSPF cost of this interface, on routers.",
              hint="by rate"),
        Field("congestion_control", "Congestion control", kinds.USUAL_OR_CONGESTION_CONTROL,
              "On hosts: for TCP connections that use this link.", hint="the host's", offers=congestion_controls),
        Field("offloads", "Offloads", kinds.mapped(_OFFLOADS),
              "TSO, GSO and GRO: packets of up to 64 kB between hosts. Automatic: off if any link is shaped."),
    ),
)  # fmt: skip

#: The pages that the side panel also shows.
COMMON_PAGES = (
    Tab(
        "Directions",
        (
            CustomWidget("presets", link_preset_menu.PresetRow, label="Preset"),
            DIRECTIONS,
            Field("up", "Up at start", kinds.flag(), "Off: the link starts without carrier."),
        ),
    ),
    Tab(
        "Ends",
        (
            ENDS,
            FieldGroup(
                "File",
                (
                    Field("id", "Link ID", kinds.NEEDED, "Unique among the links. Identifies the link in results.",
                          single=True),
                    Field("speedup_mbit", "Speedup (Mbit/s)", kinds.quantity(COUNT, optional=True),
                          "MiniEdit's speedup option: a switch sends into the link at this rate instead of the link's "
                          "rate.",
                          hint="not set"),
                ),
            ),
        ),
    ),
)  # fmt: skip

LINK = (
    COMMON_PAGES[0],
    Tab("Queue", (QUEUE,)),
    Tab("Cable", (IMPAIRMENTS,)),
    Tab("Own commands", (COMMANDS,)),
    COMMON_PAGES[1],
    Tab("In the kernel", (CustomWidget("commands", kernel_commands.KernelPage),), single=True),
)
