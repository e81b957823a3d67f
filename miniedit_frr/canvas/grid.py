"""The grid: lines on the canvas, and the crossings and neighbours that a drag snaps to."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor

from frrlib.picture.geometry import Point
from miniedit_frr.canvas.painter import Painter

#: Default distance of the grid's lines in world units; every fifth is stronger.
PITCH = 20.0
_STRONG = 5
#: Lines closer than this on the screen are left out, in pixels at a scaling of 1.
_CLOSEST_PX = 9.0


def nearest_crossing(point: Point, pitch: float = PITCH) -> Point:
    """The crossing nearest to a point."""
    return floor(point[0] / pitch + 0.5) * pitch, floor(point[1] / pitch + 0.5) * pitch


def align_point(point: Point, others: Iterable[Point], reach: float) -> tuple[Point, tuple[float | None, float | None]]:
    """A point aligned with others that it is nearly in line with.

    Args:
        point: where it would be.
        others: what it may stand below or beside.
        reach: how near it must come, in world units.

    Returns:
        The resulting place, and the x and the y that it shares with one of the others; None where it shares none.
    """
    near: list[tuple[float, float] | None] = [None, None]
    for other in others:
        for axis in (0, 1):
            apart = abs(other[axis] - point[axis])
            best = near[axis]
            if apart <= reach and (best is None or apart < best[0]):
                near[axis] = apart, other[axis]
    x, y = (hit[1] if hit else None for hit in near)
    return (point[0] if x is None else x, point[1] if y is None else y), (x, y)


class Grid:
    """How drags snap, and the lines that show it.

    Attributes:
        is_shown: whether its lines are drawn.
        snaps: whether drags go from crossing to crossing.
        guides: whether what is dragged holds on where it is in line with another node.
        pitch: distance of its lines in world units.
    """

    def __init__(self, view: Painter) -> None:
        self._view = view
        self.is_shown, self.snaps, self.guides = False, False, True
        self.pitch = PITCH
        self._lines: list[int] = []

    def set(self, is_shown: bool, snaps: bool, guides: bool) -> None:
        """Set all of it."""
        self.is_shown, self.snaps, self.guides = is_shown, snaps, guides
        self.refresh()

    def set_pitch(self, pitch: float) -> None:
        """Set the distance of the lines."""
        self.pitch = pitch
        self.refresh()

    def refresh(self) -> None:
        """Draw the lines of the visible part of the drawing."""
        wanted = list(self._wanted()) if self.is_shown else []
        view = self._view
        while len(self._lines) > len(wanted):
            view.delete(self._lines.pop())
        while len(self._lines) < len(wanted):
            line = view.create_line(0, 0, 0, 0, tags="grid")
            view.tag_lower(line)
            self._lines.append(line)
        for line, (at, is_strong) in zip(self._lines, wanted, strict=True):
            view.coords(line, *at)
            view.itemconfigure(line, fill=view.theme.edge if is_strong else view.theme.grid)

    def _wanted(self) -> Iterable[tuple[tuple[float, float, float, float], bool]]:
        view = self._view
        pitch = self.pitch
        while pitch * view.factor < _CLOSEST_PX * view.ui:
            pitch *= _STRONG
        left, top = view.canvasx(0), view.canvasy(0)
        right, bottom = left + view.winfo_width(), top + view.winfo_height()
        step = pitch * view.factor
        for number in range(floor(left / step), ceil(right / step) + 1):
            yield (number * step, top, number * step, bottom), number % _STRONG == 0
        for number in range(floor(top / step), ceil(bottom / step) + 1):
            yield (left, number * step, right, number * step), number % _STRONG == 0
