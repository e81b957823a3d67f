"""The side panel's form of a note or a shape. Its text is written on the drawing."""

from __future__ import annotations

from frrlib.model.annotations import PALETTE
from miniedit_frr.dialogs import kinds
from miniedit_frr.dialogs.fields import Field
from miniedit_frr.dialogs.forms_shared import colour_fault
from miniedit_frr.dialogs.parts import Part
from miniedit_frr.dialogs.quantities import NUMBER

_COLOUR, _EDGE = kinds.suggestion(PALETTE, colour_fault), kinds.quantity(NUMBER)
ANNOTATION_PANEL: tuple[Part, ...] = (
    Field("fill", "Fill", _COLOUR, "A color name, or #rrggbb.", hint="none"),
    Field("line", "Outline", _COLOUR, "A color name, or #rrggbb.", hint="none"),
    Field("width", "Width", _EDGE, "In pixels at a zoom of 100 %."),
    Field("height", "Height", _EDGE, "In pixels at a zoom of 100 %."),
)
