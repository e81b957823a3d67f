"""The side panel's form of a note or a shape. Its text is edited on the canvas."""

from __future__ import annotations

from frrlib.model.annotations import PALETTE
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.quantities import NUMBER
from miniedit_frr.dialogs.forms.shared import color_fault
from miniedit_frr.dialogs.parts import Part

_COLOR, _EDGE = kinds.suggestion(PALETTE, color_fault), kinds.quantity(NUMBER)
ANNOTATION_PANEL: tuple[Part, ...] = (
    Field("fill", "Fill", _COLOR, "A color name, or #rrggbb.", hint="none"),
    Field("line", "Outline", _COLOR, "A color name, or #rrggbb.", hint="none"),
    Field("width", "Width", _EDGE, "In pixels at a zoom of 100 %."),
    Field("height", "Height", _EDGE, "In pixels at a zoom of 100 %."),
)
