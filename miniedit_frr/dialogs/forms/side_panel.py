"""The short forms of the side panel.

Those of nodes and links are derived from the forms of the dialogs, so that both have the same texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from frrlib.model.annotations import PALETTE
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field, Lens
from miniedit_frr.dialogs.fields.kinds import TextKind
from miniedit_frr.dialogs.fields.quantities import NUMBER
from miniedit_frr.dialogs.forms.link import COMMON_PAGES
from miniedit_frr.dialogs.forms.node import FORMS
from miniedit_frr.dialogs.forms.shared import color_fault
from miniedit_frr.dialogs.parts import FieldGroup, FieldPair, Part, Tab
from miniedit_frr.dialogs.routing_summary import routing_summary

#: Fields in dialogs only: positions, settings of the file, and settings that rarely change.
_ONLY_IN_DIALOGS = {
    "node.x", "node.y", "node.number", "node.original_name", "node.colour", "id", "speedup_mbit", "a.node", "b.node",
}  # fmt: skip
#: The fields of routing that a router's panel shows in addition to the summary.
_OF_ROUTING = {
    "node.ospf.router_id", "node.ospf.area", "node.ospf.hello_s", "node.ospf.dead_s", "node.isis.area",
    "node.isis.level", "node.bgp.asn", "node.bgp.router_id",
}  # fmt: skip
_ROUTING_PAGES = ("OSPF", "IS-IS", "BGP")
#: A page with long labels and rarely changed settings. In a panel its labels would leave no room for the fields.
_TUNING_PAGE = "TCP"
_WIDGETS = {"line", "choice", "open", "flag", "measured"}


def _shortened(parts: tuple[Part, ...]) -> Iterator[Part]:
    """The parts without tables and other widgets that are too wide for a panel."""
    for part in parts:
        if isinstance(part, Field):
            if part.path not in _ONLY_IN_DIALOGS and isinstance(part.kind, TextKind) and part.kind.widget in _WIDGETS:
                # Hints that depend on the topology are computed for dialogs only.
                yield part if isinstance(part.hint, str) else replace(part, hint="automatic")
        elif isinstance(part, FieldGroup):
            below = tuple(_shortened(part.parts))
            if below:
                yield replace(part, parts=below)
        elif isinstance(part, FieldPair):
            for number in range(2):
                fields_of_side = tuple(side[number + 1] for side in part.sides())
                fields = (*_shortened(fields_of_side), *_summary_field(part, number))
                yield FieldGroup(partial(_side, part.titles, number), fields)


def _side(titles: Callable[[Sequence[Any]], tuple[str, str]], number: int, values: Sequence[Any]) -> str:
    """The title of a pair's side, as in the dialog: "r1 → r2"."""
    return titles(values)[number]


def _summary_field(pair: FieldPair, number: int) -> Iterator[Field]:
    """A field with the results of one side, such as the size of a queue with the default limit."""
    if pair.summary is not None:
        tell, side = pair.summary, (pair.left, pair.right)[number]

        def summarize(value: Any) -> str:
            return tell(value, side)

        yield Field(f"summary_{side}", "", kinds.SUMMARY, lens=Lens(summarize, lambda value, new: value, ()))


def panel_parts(tabs: tuple[Tab, ...]) -> tuple[Part, ...]:
    """The parts of all pages of a form, without the parts that are too wide."""
    return tuple(part for tab in tabs for part in _shortened(tab.parts))


def _of_routing(parts: Iterable[Part]) -> Iterator[Part]:
    for part in parts:
        if isinstance(part, FieldGroup):
            below = tuple(_of_routing(part.parts))
            if below:
                yield replace(part, parts=below)
        elif isinstance(part, Field) and part.path in _OF_ROUTING:
            yield part


_SUMMARY = Field("node.routing", "", kinds.SUMMARY, lens=Lens(routing_summary, lambda node, new: node, ()))


def _router(tabs: tuple[Tab, ...]) -> tuple[Part, ...]:
    """The panel of a router: its properties, a summary of its routing, and the most common protocols."""
    plain = panel_parts(tuple(tab for tab in tabs if tab.section == "Router"))
    pages = [tab for tab in tabs if tab.title in _ROUTING_PAGES]
    return (
        *plain,
        FieldGroup("Routing", (_SUMMARY,)),
        *(part for tab in pages for part in _of_routing(panel_parts((tab,)))),
    )


NODE_PANELS: dict[str, tuple[Part, ...]] = {
    kind: _router(tabs) if kind == "router" else panel_parts(tuple(tab for tab in tabs if tab.title != _TUNING_PAGE))
    for kind, tabs in FORMS.items()
}
LINK_PANEL: tuple[Part, ...] = panel_parts(COMMON_PAGES)


_COLOR, _EDGE = kinds.suggestion(PALETTE, color_fault), kinds.quantity(NUMBER)
#: The form of a note or a shape. Its text is edited on the canvas.
ANNOTATION_PANEL: tuple[Part, ...] = (
    Field("fill", "Fill", _COLOR, "A color name, or #rrggbb.", hint="none"),
    Field("line", "Outline", _COLOR, "A color name, or #rrggbb.", hint="none"),
    Field("width", "Width", _EDGE, "In pixels at a zoom of 100 %."),
    Field("height", "Height", _EDGE, "In pixels at a zoom of 100 %."),
)
