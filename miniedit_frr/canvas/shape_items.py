"""Notes and shapes as items of the canvas."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from frrlib.picture import colors
from frrlib.picture.geometry import Box, Point
from frrlib.picture.scene import ShapeSprite
from frrlib.picture.shapes import handles, note_outline, text_place
from frrlib.picture.text_sizes import NAME_SIZE, MeasureWidth, wrapped
from frrlib.picture.theme import Theme
from miniedit_frr.canvas.text_canvas import TextCanvas

#: Half the edge of a handle in pixels at a scaling of 1.
_HANDLE_PX = 4


class ShapeItems:
    """Notes and shapes on a canvas: they lie below everything else, and their handles above."""

    def __init__(self, view: TextCanvas, measure: MeasureWidth) -> None:
        self._view, self._measure = view, measure
        # Shapes are below this hidden line, which is below all other items.
        self._ceiling = view.create_line(0, 0, 0, 0, state="hidden")
        view.tag_lower(self._ceiling)

    def draw(self, sprite: ShapeSprite, is_selected: bool) -> list[int]:
        """The items of a shape, its handles last."""
        view, theme = self._view, self._view.theme
        color = theme.accent if is_selected else colors.strong(sprite.line, theme)
        items = list(self._draw_shape(sprite, colors.ground(sprite.fill, theme), color, theme))
        if sprite.text:
            place = text_place(sprite.kind, sprite.box)
            looks: dict[str, Any] = {
                "anchor": place.anchor,
                "justify": "center" if sprite.kind == "ellipse" else "left",
                "fill": colors.text_on(sprite.fill, theme),
                "state": "hidden" if view.hides_names else "normal",
            }
            text = wrapped(sprite.text, place.width, NAME_SIZE, self._measure)
            items.append(
                view.create_text(*self._pixels([place.at]), text=text, font=view.name_font, tags=("name",), **looks)
            )
        for item in items:
            view.tag_lower(item, self._ceiling)
        return items + (list(self._draw_handles(sprite.box)) if is_selected else [])

    def _draw_shape(self, sprite: ShapeSprite, background: str, outline: str, theme: Theme) -> Iterable[int]:
        view = self._view
        looks: dict[str, Any] = {"fill": background, "outline": outline, "width": view.line_width(1.5)}
        corners = [(sprite.box.left, sprite.box.top), (sprite.box.right, sprite.box.bottom)]
        if sprite.kind == "note":
            body, fold = note_outline(sprite.box)
            yield view.create_polygon(*self._pixels(body), **looks)
            yield view.create_polygon(*self._pixels(fold), fill=theme.edge, outline=outline, width=looks["width"])
        elif sprite.kind == "rectangle":
            yield view.create_rectangle(*self._pixels(corners), **looks)
        else:
            yield view.create_oval(*self._pixels(corners), **looks)

    def _draw_handles(self, box: Box) -> Iterable[int]:
        view, half = self._view, _HANDLE_PX * self._view.ui
        for at in handles(box).values():
            x, y = self._pixels([at])
            yield view.create_rectangle(
                x - half, y - half, x + half, y + half, fill=view.theme.canvas, outline=view.theme.accent,
                width=max(1, round(view.ui)), tags="handle",
            )  # fmt: skip

    def restack(self, items: Iterable[Iterable[int]]) -> None:
        """Stack the items of all shapes in this order, below everything else."""
        for item in chain.from_iterable(items):
            if "handle" not in self._view.gettags(item):
                self._view.tag_lower(item, self._ceiling)

    def _pixels(self, points: Iterable[Point]) -> list[float]:
        return [coordinate * self._view.factor for coordinate in chain.from_iterable(points)]
