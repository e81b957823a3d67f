"""Annotations: shapes and texts for people, drawn behind the nodes. Labs ignore them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from frrlib.model.base import Value

#: Names of colors; each theme has its own shade of each.
PALETTE = ("grey", "red", "orange", "yellow", "green", "cyan", "blue", "purple")
#: A color: a name of PALETTE, "#rrggbb", or empty for none.
Colour = Annotated[str, StringConstraints(pattern=rf"^({'|'.join(PALETTE)}|#[0-9a-fA-F]{{6}})?$")]
#: An edge in pixels of the canvas.
Edge = Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)]
#: The largest distance from the origin. Beyond it, a picture would be too large to be painted.
FAR_PX = 1e6
Place = Annotated[float, Field(ge=-FAR_PX, le=FAR_PX, allow_inf_nan=False)]


def on_canvas(px: float) -> float:
    """The nearest valid coordinate; the number must be finite."""
    return min(max(float(px), -FAR_PX), FAR_PX)


Kind = Literal["note", "rectangle", "ellipse"]


class Annotation(Value):
    """A note or a shape on the canvas.

    Annotations are drawn in the order of the topology: the last one is on top.

    Attributes:
        id: unique among the annotations ("a1").
        kind: "note" (text on a colored background), "rectangle" or "ellipse".
        x, y: its left and its top in pixels of the canvas, y downwards.
        width, height: its size in pixels of the canvas.
        text: the text of a note, or the title of a shape. Lines are also broken at its width.
        fill: color of its background; empty for none.
        line: color of its outline; empty for none.
    """

    id: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    kind: Kind = "note"
    x: Place = 0.0
    y: Place = 0.0
    width: Edge = 160.0
    height: Edge = 60.0
    text: Annotated[str, StringConstraints(max_length=10_000)] = ""
    fill: Colour = ""
    line: Colour = ""
