"""Icons as vector graphics, rendered to images of any size.

An icon is a list of strokes in a square from -24 to 24. It is painted at four times its size and scaled down, because
the canvas draws edges without smoothing. An icon is therefore sharp and smooth at every zoom and scaling, and a node is
one item on the canvas, however complex its icon is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageDraw

from frrlib.picture.colors import strong
from frrlib.picture.theme import Theme

_OVER = 4
#: Edge pixels fainter than this, of 255, show the background.
_FAINTEST = 64
#: Half the edge of the square in which icons are drawn.
HALF = 24.0


class Stroke(NamedTuple):
    """One part of an icon.

    Attributes:
        kind: "box" (left, top, right, bottom, radius), "oval" (left, top, right, bottom), "area" or "line" (x, y, ...).
        at: its coordinates.
        colour: "ground" is the icon's own color, "ink" that of strokes on it, "shade" a darker ground, "hole" that of
            the canvas.
        width: the width of a line; 0 to fill.
    """

    kind: str
    at: tuple[float, ...]
    colour: str = "ink"
    width: float = 0.0


def _arrow(x0: float, y0: float, x1: float, y1: float) -> tuple[Stroke, ...]:
    """An arrow along an axis or a diagonal, with a filled head."""
    size = max(abs(x1 - x0), abs(y1 - y0))
    ux, uy = (x1 - x0) / size, (y1 - y0) / size
    norm = (ux * ux + uy * uy) ** 0.5
    ux, uy = ux / norm, uy / norm
    back_x, back_y = x1 - ux * 6.5, y1 - uy * 6.5
    head = (x1, y1, back_x - uy * 4.6, back_y + ux * 4.6, back_x + uy * 4.6, back_y - ux * 4.6)
    return Stroke("line", (x0, y0, back_x, back_y), width=3.2), Stroke("area", head)


_BOX = Stroke("box", (-22, -15, 22, 15, 5), "ground")
_DISC = Stroke("oval", (-21, -21, 21, 21), "ground")
_CROSSROADS = (*_arrow(-4, -4, -14, -14), *_arrow(4, 4, 14, 14), *_arrow(14, -14, 3, -3), *_arrow(-14, 14, -3, 3))
_ICONS: dict[str, tuple[Stroke, ...]] = {
    "host": (
        Stroke("box", (-21, -19, 21, 11, 4), "ground"),
        Stroke("box", (-17, -15, 17, 7, 2), "hole"),
        Stroke("line", (-12, -9, -7, -4, -12, 1), "ground", 2.6),
        Stroke("line", (-4, 1, 4, 1), "ground", 2.6),
        Stroke("area", (-5, 11, 5, 11, 7, 17, -7, 17), "ground"),
        Stroke("box", (-13, 16, 13, 20, 2), "ground"),
    ),
    "switch": (_BOX, *_arrow(-15, -5, 16, -5), *_arrow(15, 6, -16, 6)),
    "bridge": (
        _BOX, Stroke("line", (-15, 5, 15, 5), width=3.2),
        *(Stroke("line", (x, 5, x, -7), width=3.2) for x in (-10, 0, 10)),
    ),
    "legacy-router": (_DISC, *_CROSSROADS),
    "router": (_DISC, Stroke("oval", (-18.5, -18.5, 18.5, 18.5), "ink", 1.8), *_CROSSROADS),
    "ospf-router": (_DISC, Stroke("oval", (-9, -11, 9, 11), "ink", 4.5)),
    "bgp-router": (
        _DISC, Stroke("line", (-6, -11, -6, 11), width=4.2),
        *(Stroke("line", (-7, y, 3, y), width=4.2) for y in (-10, 0, 10)),
        Stroke("line", (3, -10, 7, -7, 7, -3, 3, 0), width=4.2), Stroke("line", (3, 0, 8, 3, 8, 7, 3, 10), width=4.2),
    ),
    "controller": (
        Stroke("area", (-11, -21, 11, -21, 22, 0, 11, 21, -11, 21, -22, 0), "ground"),
        *(Stroke("line", (0, 0, x, y), width=2.8) for x, y in ((0, -12), (-11, 8), (11, 8))),
        *(Stroke("oval", (x - 4, y - 4, x + 4, y + 4)) for x, y in ((0, -12), (-11, 8), (11, 8))),
        Stroke("oval", (-5, -5, 5, 5)),
    ),
    "select": (Stroke("area", (-11, -19, -11, 15, -3, 8, 3, 20, 9, 17, 3, 6, 13, 5), "ground"),),
    "link": (
        Stroke("line", (-13, 13, 13, -13), "ground", 4),
        Stroke("oval", (-21, 5, -5, 21), "ground"),
        Stroke("oval", (5, -21, 21, -5), "ground"),
    ),
    "flow": (
        Stroke("line", (-18, 14, -15, 3, -9, -6, -1, -11, 7, -11, 12, -8), "ground", 4),
        Stroke("area", (21, 6, 7, -2, 16, -12), "ground"),
        Stroke("oval", (-22, 9, -12, 19), "ground"),
    ),
    "error": (Stroke("oval", (-22, -22, 22, 22), "ground"), Stroke("line", (0, -13, 0, 4), width=6),
              Stroke("oval", (-4, 9, 4, 17))),
    "warning": (Stroke("area", (0, -21, 23, 20, -23, 20), "ground"), Stroke("line", (0, -8, 0, 7), width=5),
                Stroke("oval", (-3.5, 10, 3.5, 17))),
    "starting": (Stroke("oval", (-22, -22, 22, 22), "hole"), Stroke("oval", (-19, -19, 19, 19), "ground"),
                 Stroke("line", (0, -11, 0, 1, 8, 6), width=5)),
    "up": (Stroke("oval", (-22, -22, 22, 22), "hole"), Stroke("oval", (-19, -19, 19, 19), "ground"),
           Stroke("line", (-9, 0, -2, 8, 10, -7), width=5)),
    "failed": (Stroke("oval", (-22, -22, 22, 22), "hole"), Stroke("oval", (-19, -19, 19, 19), "ground"),
               Stroke("line", (-8, -8, 8, 8), width=5), Stroke("line", (-8, 8, 8, -8), width=5)),
    "frozen": (Stroke("oval", (-22, -22, 22, 22), "hole"), Stroke("oval", (-19, -19, 19, 19), "ground"),
               Stroke("line", (-6, -9, -6, 9), width=5), Stroke("line", (6, -9, 6, 9), width=5)),
    "lossy": (Stroke("oval", (-22, -22, 22, 22), "hole"), Stroke("oval", (-19, -19, 19, 19), "ground"),
              *(Stroke("oval", (x - 3, -3, x + 3, 3)) for x in (-10, 0, 10))),
    "note": (
        Stroke("area", (-17, -19, 17, -19, 17, 9, 7, 19, -17, 19), "ground"),
        *(Stroke("line", (-10, y, 10, y), width=2.6) for y in (-11, -3)), Stroke("line", (-10, 5, 3, 5), width=2.6),
        Stroke("area", (17, 9, 7, 19, 7, 9)),
    ),
    "rectangle": (Stroke("box", (-20, -15, 20, 15, 3), "ground"), Stroke("box", (-16, -11, 16, 11, 1), "hole")),
    "ellipse": (Stroke("oval", (-21, -15, 21, 15), "ground"), Stroke("oval", (-17, -11, 17, 11), "hole")),
    "two-nodes": (
        Stroke("line", (-15, 9, -5, -9, 6, 8, 15, -10), "ground", 3.6),
        Stroke("oval", (-23, 2, -9, 16), "ground"),
        Stroke("oval", (9, -17, 23, -3), "ground"),
    ),
}  # fmt: skip

#: Edge of the icons that are badges on others, in units.
BADGES = {"error": 17, "warning": 17, "starting": 15, "up": 15, "failed": 15, "frozen": 15, "lossy": 15}
#: The names of all icons.
NAMES = tuple(_ICONS)


def _ground(name: str, theme: Theme) -> str:
    marks = {
        "error": theme.error, "warning": theme.warning,
        "starting": theme.starting, "up": theme.up, "failed": theme.error,
        "frozen": theme.note, "lossy": theme.warning,
    }  # fmt: skip
    return marks.get(name) or theme.icons.get(name) or theme.icons["tool"]


def strokes(name: str) -> tuple[Stroke, ...]:
    """The strokes of an icon."""
    return _ICONS[name]


def paints_of(name: str, theme: Theme, color: str = "") -> dict[str, str]:
    """The colors of an icon's strokes as #rrggbb; `color` is that of its body, empty for its default."""
    ink = theme.badge_ink if name in BADGES else theme.ink
    return {"ground": strong(color, theme) or _ground(name, theme), "ink": ink, "hole": theme.canvas}


@lru_cache(maxsize=512)
def image(name: str, size_px: int, theme_name: str, color: str = "") -> Image.Image:
    """An icon as an image with a transparent background.

    Args:
        name: one of NAMES.
        size_px: edge of the square in pixels, at least 1.
        theme_name: "light" or "dark".
        color: the user's color of its body; empty for its default.
    """
    from frrlib.picture.theme import THEMES

    theme = THEMES[theme_name]
    edge = max(1, size_px) * _OVER
    picture = Image.new("RGBA", (edge, edge), (0, 0, 0, 0))
    pen = ImageDraw.Draw(picture)
    paints = paints_of(name, theme, color)
    factor = edge / (2 * HALF)
    for stroke in _ICONS[name]:
        _PAINT[stroke.kind](pen, stroke, paints[stroke.colour], factor)
    return picture.resize((max(1, size_px),) * 2, Image.Resampling.LANCZOS)


def cut_out(picture: Image.Image, ground: str) -> Image.Image:
    """The picture blended with a background color, without partly transparent pixels: each is opaque or absent.

    Tk requests the background of every image with partly transparent pixels from the display, each time it draws it. A
    frame would wait for a thousand such replies. Edges stay smooth because they are blended with the background here.

    Args:
        picture: an image with a transparent background.
        ground: the color behind it, as #rrggbb.
    """
    opaque = Image.new("RGBA", picture.size, ground)
    opaque.alpha_composite(picture)
    opaque.putalpha(picture.getchannel("A").point(lambda alpha: 255 * (alpha >= _FAINTEST)))
    return opaque


def _points(stroke: Stroke, factor: float) -> list[float]:
    return [(coordinate + HALF) * factor for coordinate in stroke.at]


def _box(pen: ImageDraw.ImageDraw, stroke: Stroke, color: str, factor: float) -> None:
    *at, radius = stroke.at
    pen.rounded_rectangle([(coordinate + HALF) * factor for coordinate in at], radius * factor, fill=color)


def _oval(pen: ImageDraw.ImageDraw, stroke: Stroke, color: str, factor: float) -> None:
    if stroke.width:
        pen.ellipse(_points(stroke, factor), outline=color, width=round(stroke.width * factor))
    else:
        pen.ellipse(_points(stroke, factor), fill=color)


def _area(pen: ImageDraw.ImageDraw, stroke: Stroke, color: str, factor: float) -> None:
    pen.polygon(_points(stroke, factor), fill=color)


def _line(pen: ImageDraw.ImageDraw, stroke: Stroke, color: str, factor: float) -> None:
    pen.line(_points(stroke, factor), fill=color, width=max(1, round(stroke.width * factor)), joint="curve")


_PAINT: dict[str, Callable[[ImageDraw.ImageDraw, Stroke, str, float], None]] = {
    "box": _box,
    "oval": _oval,
    "area": _area,
    "line": _line,
}
