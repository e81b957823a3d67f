"""Shared parts of the forms of nodes: names, commands, interfaces, lists.

Paths are relative to the sheet ("node.default_route"), which is the node with its interfaces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from frrlib.model.annotations import PALETTE
from frrlib.model.names import node_name_fault
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.fields import kinds, spelling
from miniedit_frr.dialogs.fields.fields import Field, Lens
from miniedit_frr.dialogs.fields.kinds import TextKind
from miniedit_frr.dialogs.fields.lists import TableKind
from miniedit_frr.dialogs.fields.quantities import COUNT, NUMBER
from miniedit_frr.dialogs.parts import FieldGroup, Tab
from miniedit_frr.dialogs.sheets import FormContext, InterfaceRow


def _name_fault(text: str) -> str:
    fault = node_name_fault(text)
    advice = "; use letters, digits, _ and -" if " in it" in fault else ""
    return fault.replace("' ' in it", "a space in it") + advice


def name_field(label: str = "Name") -> Field:
    """The field for a node's name. The edit of the topology refuses a name of another node."""
    return Field(
        "node.name",
        label,
        kinds.words(_name_fault),
        "Letters, digits, _ and -. Must be unique.",
        single=True,
    )


def color_fault(text: str) -> str:
    """The error of a text that is not a color; empty for a color."""
    ok = not text or text in PALETTE or re.fullmatch("#[0-9a-fA-F]{6}", text)
    return "" if ok else f"must be one of {', '.join(PALETTE)}, or red, green and blue as in #c92a2a"


_LABEL = Field("node.label", "Label", kinds.TEXT, "Shown on the drawing instead of the name.")
_NUMBER = Field(
    "node.number", "Number", kinds.quantity(COUNT, optional=True),
    "MiniEdit's number of the node. Automatic addresses of hosts contain it.", single=True,
)  # fmt: skip
_ORIGINAL_NAME = Field(
    "node.original_name", "Original name", kinds.TEXT,
    "Name before the node was renamed. Automatic addresses and datapath IDs derive from it, so that they stay. "
    "If it is empty, they derive from the hostname.",
    single=True,
)  # fmt: skip
_POSITION = (
    Field(
        "node.x",
        "Position, from left",
        kinds.quantity(replace(NUMBER, unit="px")),
        "Position on the canvas.",
        single=True,
    ),
    Field("node.y", "from top", kinds.quantity(replace(NUMBER, unit="px")), single=True),
)
#: The commands that a node runs when the lab starts and stops.
COMMANDS = FieldGroup(
    "Commands",
    (
        Field(
            "node.start_command", "At the start", kinds.TEXT, "Shell command that runs in the node when the lab starts."
        ),
        Field(
            "node.stop_command", "At the end", kinds.TEXT, "Shell command that runs in the node before the lab stops."
        ),
    ),
)
_COLOR = Field(
    "node.colour",
    "Color",
    kinds.suggestion(PALETTE, color_fault),
    "A color name, or #rrggbb.",
    hint="default of this kind",
)
#: The appearance and position of a node.
APPEARANCE = FieldGroup("On the drawing", (_LABEL, _COLOR, *_POSITION, _NUMBER, _ORIGINAL_NAME))


# --- interfaces ---------------------------------------------------------------------------------------------------


def _of_end(name: str) -> Lens:
    """Access to a field of the link's end, for a row of interfaces."""
    return Lens(
        lambda row: getattr(row.end, name),
        lambda row, new: InterfaceRow.model_validate(
            {**dict(row), "end": type(row.end).model_validate({**dict(row.end), name: new})}
        ),
        (f"end.{name}",),
    )


def _row_field(name: str, label: str, kind: TextKind, help: str = "", **options: Any) -> Field:
    return Field(name, label, kind, help, lens=_of_end(name), **options)


def congestion_controls(context: FormContext, root: Any) -> list[str]:
    """The congestion controls to choose from: of the drawing's kernel modules, added for all labs, and of kernels."""
    return control_names(context.topology, context.added_controls)


def control_names(topology: Topology, added_controls: Sequence[str]) -> list[str]:
    """The names of congestion controls, each once: a topology's own ones, the user's own ones, and those of kernels."""
    return list(dict.fromkeys((*topology.own_controls, *added_controls, *kinds.CONTROLS)))


#: A read-only column: the other end of an interface's link.
FAR_END = Field("far", "To", kinds.FIXED)
_NAME = _row_field("interface", "Name", kinds.INTERFACE_NAME, hint=lambda context, row: row.called)
_ADDRESSES = _row_field(
    "addresses", "Addresses", kinds.INTERFACES,
    hint=lambda context, row: ", ".join(map(str, row.automatic)) or "automatic",
)  # fmt: skip
_MAC = _row_field("mac", "MAC address", kinds.MAC, hint="automatic")
_MTU = _row_field("mtu_bytes", "MTU", replace(kinds.quantity(COUNT, optional=True), width=7), hint="1500")
COST = _row_field("ospf_cost", "OSPF cost", replace(kinds.quantity(COUNT, optional=True), width=8), hint="by rate")
_CONTROL = _row_field(
    "congestion_control",
    "Congestion control",
    replace(kinds.USUAL_OR_CONGESTION_CONTROL, width=10),
    hint="the host's",
    offers=congestion_controls,
)


def is_on_link(row: InterfaceRow) -> bool:
    """Whether a row is an interface of a link, and not the loopback."""
    return bool(row.link)


def _interfaces(*columns: Field, weights: tuple[int, ...]) -> Tab:
    help = "Empty fields are automatic; the automatic value is shown in gray. Separate addresses by commas."
    table = TableKind(columns, None, None, "interface", is_on_link, "This node has no links yet.", weights)
    return Tab("Interfaces", (Field("interfaces", "", table, help, single=True),), single=True)


#: The pages of interfaces. Hosts and routers have addresses. Routers also have OSPF costs, hosts congestion controls.
ROUTER_INTERFACES = _interfaces(_NAME, FAR_END, _ADDRESSES, _MAC, _MTU, COST, weights=(4, 5, 9, 6, 2, 2))
HOST_INTERFACES = _interfaces(_NAME, FAR_END, _ADDRESSES, _MAC, _MTU, _CONTROL, weights=(4, 5, 9, 6, 2, 4))
SWITCH_INTERFACES = _interfaces(_NAME, FAR_END, _MAC, _MTU, weights=(4, 6, 6, 3))


# --- lists --------------------------------------------------------------------------------------------------------


def _blank(context: FormContext, value: Any, rows: Any) -> tuple[str, ...]:
    return ("",)


def single_column_table(
    path: str, column: str, kind: TextKind, row_name: str, empty: str, help: str = "", new: Callable[..., Any] = _blank,
    fill: str = "",
) -> Field:  # fmt: skip
    """A field with a table of one column. Its rows are plain values."""
    lens = Lens(lambda row: row, lambda row, value: value, ("",))
    field = Field("value", column, kind, lens=lens)
    return Field(path, "", TableKind((field,), lambda value: value, new, row_name, empty=empty, fill=fill), help)


EXTERNAL = single_column_table(
    "node.external_interfaces", "Interface of this machine", kinds.words(spelling.needed_interface_fault),
    "external interface",
    "No external interfaces.", "Interfaces of this machine that move into the node. They need a lab with root (sudo).",
)  # fmt: skip
