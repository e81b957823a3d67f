"""Soft edges of slanting lines: Tk draws lines in steps, which look jagged beside icons that have smooth edges.

Below each such line lies another one, a pixel wider, in a colour between that of the line and that of the canvas.
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

#: How much of the line's colour is in its edge, and by how many pixels the edge is wider than the line.
_SHARE, _WIDER_PX = 0.4, 1.0
#: A drawing with more lines than this has none: they would cost a third more time in each zoom, and nobody sees steps
#: in a thicket.
MOST_LINES = 400
#: A line that is off level or upright by no more than this, in units, has no steps that could be seen.
_STRAIGHT = 0.5


class SoftEdges:
    """The edges on a canvas; each is one of the items of its line, too.

    Attributes:
        are_drawn: whether lines drawn from now on get one.
    """

    def __init__(self, view: TextCanvas) -> None:
        self._view = view
        self._edges: dict[Key, int] = {}
        self.are_drawn = True
        # Edges are below this line, which is below all lines: where lines cross, no edge lies on one of them.
        self._ceiling = view.create_line(0, 0, 0, 0, state="hidden")
        view.tag_lower(self._ceiling)

    def draw(
        self, key: Key, path: Sequence[Point], line: int, look: LineLook, tags: tuple[str, str], **more: Any
    ) -> Iterable[int]:
        """The edge of a line that slants; while the line is dashed it is hidden.

        Args:
            line: its item.
            tags: the kind and style of the line, such as ("line", "plain").
            more: other options of the line, such as its arrow.
        """
        self._edges.pop(key, None)
        if self.are_drawn and slants(path):
            view = self._view
            edge = self._edges[key] = view.create_line(
                *view.coords(line), tags=(SPRITE, *map(_tag, tags)), **self._options(look), **more
            )
            view.tag_lower(edge, self._ceiling)
            yield edge

    def _options(self, look: LineLook) -> dict[str, Any]:
        view = self._view
        colour = mixed(look.fill, view.theme.canvas, _SHARE)
        # A dashed line would not be dashed with an edge.
        state = "hidden" if look.dash else "normal"
        return {"fill": colour, "width": round(view.line_width(look.width)) + _WIDER_PX, "state": state}

    def set_all(self, look: LineLook, tags: str) -> None:
        """Bring the edges of all lines with these tags, of those that `draw` got, in line with a look of theirs."""
        self._view.itemconfigure("&&".join(map(_tag, tags.split("&&"))), **self._options(look))

    def set(self, look: LineLook, keys: Iterable[Key]) -> None:
        """Bring the edges of some lines in line with their look."""
        rows = [(self._edges[key],) for key in keys if key in self._edges]
        options = " ".join(f"-{name} {value}" for name, value in self._options(look).items())
        for_each(self._view, "edge", rows, f"$canvas itemconfigure $edge {options}")

    def resize(self, kind: str, width: float, **more: Any) -> None:
        """Bring the edges of all lines of a kind in line with their width, in pixels, and their other options."""
        self._view.itemconfigure(_tag(kind), width=round(width) + _WIDER_PX, **more)

    def follow(self, key: Key, line: int) -> None:
        """Put the edge of a line where the line is now, and as wide as it needs."""
        if key in self._edges:
            view = self._view
            view.coords(self._edges[key], *view.coords(line))
            view.itemconfigure(self._edges[key], width=round(float(view.itemcget(line, "width"))) + _WIDER_PX)

    def of(self, key: Key) -> int | None:
        """The item of a line's edge."""
        return self._edges.get(key)

    def forget(self, key: Key) -> None:
        """The items of a line are gone."""
        self._edges.pop(key, None)


def slants(path: Sequence[Point]) -> bool:
    """Whether a path is neither level nor upright."""
    (x0, y0), (x1, y1) = path[0], path[-1]
    return len(path) > 2 or min(abs(x1 - x0), abs(y1 - y0)) > _STRAIGHT


def _tag(tag: str) -> str:
    return f"{tag}-edge"
