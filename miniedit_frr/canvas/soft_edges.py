"""Soft edges of slanting lines. Tk draws lines in steps, which look jagged beside icons with smooth edges.

Below each slanting line lies another line, a pixel wider, in a color between those of the line and the canvas.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from frrlib.picture.colors import mixed
from frrlib.picture.geometry import Point
from frrlib.picture.scene import Key
from miniedit_frr.canvas.batch import for_each
from miniedit_frr.canvas.looks import LineLook
from miniedit_frr.canvas.text_canvas import SPRITE, TextCanvas

#: The share of the line's color in the color of its edge, and the pixels by which the edge is wider than the line.
_SHARE, _WIDER_PX = 0.4, 1.0
#: A scene with more lines than this has no soft edges. They would cost a third more time in each zoom, and steps are
#: not visible in dense scenes.
MAX_LINES = 400
#: A line that is horizontal or vertical to within this many units has no visible steps.
_STRAIGHT = 0.5


class SoftEdges:
    """The soft edges on a canvas. The item of an edge is one of the items of its line, too.

    Attributes:
        are_drawn: whether new lines get soft edges.
    """

    def __init__(self, view: TextCanvas) -> None:
        self._view = view
        self._edges: dict[Key, int] = {}
        self.are_drawn = True
        # Edges are below this hidden line, which is below all other lines: where lines cross, no edge covers a line.
        self._ceiling = view.create_line(0, 0, 0, 0, state="hidden")
        view.tag_lower(self._ceiling)

    def draw(
        self, key: Key, path: Sequence[Point], line: int, look: LineLook, tags: tuple[str, str], **line_options: Any
    ) -> Iterable[int]:
        """Draw the edge of a slanting line; returns its item. The edge of a dashed line is hidden.

        Args:
            line: the item of the line.
            tags: the kind and style of the line, such as ("line", "plain").
            line_options: other options of the line, such as its arrow.
        """
        self._edges.pop(key, None)
        if self.are_drawn and slants(path):
            view = self._view
            edge = self._edges[key] = view.create_line(
                *view.coords(line), tags=(SPRITE, *map(_tag, tags)), **self._options(look), **line_options
            )
            view.tag_lower(edge, self._ceiling)
            yield edge

    def _options(self, look: LineLook) -> dict[str, Any]:
        view = self._view
        color = mixed(look.fill, view.theme.canvas, _SHARE)
        # The edge would fill the gaps of a dashed line.
        state = "hidden" if look.dash else "normal"
        return {"fill": color, "width": round(view.line_width(look.width)) + _WIDER_PX, "state": state}

    def set_all(self, look: LineLook, tags: str) -> None:
        """Give the edges of all lines with these tags, as passed to `draw`, the look of their lines."""
        self._view.itemconfigure("&&".join(map(_tag, tags.split("&&"))), **self._options(look))

    def set(self, look: LineLook, keys: Iterable[Key]) -> None:
        """Give the edges of some lines the look of their lines."""
        rows = [(self._edges[key],) for key in keys if key in self._edges]
        options = " ".join(f"-{name} {value}" for name, value in self._options(look).items())
        for_each(self._view, "edge", rows, f"$canvas itemconfigure $edge {options}")

    def resize(self, kind: str, width: float, **line_options: Any) -> None:
        """Give the edges of all lines of a kind the width of their lines, in pixels, and other options."""
        self._view.itemconfigure(_tag(kind), width=round(width) + _WIDER_PX, **line_options)

    def update(self, key: Key, line: int) -> None:
        """Give the edge of a line the present place and width of the line."""
        if key in self._edges:
            view = self._view
            view.coords(self._edges[key], *view.coords(line))
            view.itemconfigure(self._edges[key], width=round(float(view.itemcget(line, "width"))) + _WIDER_PX)

    def of(self, key: Key) -> int | None:
        """The item of a line's edge."""
        return self._edges.get(key)

    def forget(self, key: Key) -> None:
        """Forget the edge of a line whose items were deleted."""
        self._edges.pop(key, None)


def slants(path: Sequence[Point]) -> bool:
    """Whether a path is neither horizontal nor vertical."""
    (x0, y0), (x1, y1) = path[0], path[-1]
    return len(path) > 2 or min(abs(x1 - x0), abs(y1 - y0)) > _STRAIGHT


def _tag(tag: str) -> str:
    return f"{tag}-edge"
