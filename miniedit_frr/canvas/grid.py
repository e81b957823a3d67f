"""The grid: lines on the canvas, and the crossings and neighbors that a drag snaps to."""

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


def align_point(
    point: Point, neighbors: Iterable[Point], reach: float
) -> tuple[Point, tuple[float | None, float | None]]:
    """A point, aligned with those of its neighbors that are nearly in line with it.

    Args:
        point: the point before the alignment.
        neighbors: the points that it can be aligned with.
        reach: the greatest distance that is corrected, per axis, in world units.

    Returns:
        The aligned point, and the x and the y that it shares with a neighbor; None for an axis without one.
    """
    nearest: list[tuple[float, float] | None] = [None, None]
    for neighbor in neighbors:
        for axis in (0, 1):
            distance = abs(neighbor[axis] - point[axis])
            closest = nearest[axis]
            if distance <= reach and (closest is None or distance < closest[0]):
                nearest[axis] = distance, neighbor[axis]
    x, y = (alignment[1] if alignment else None for alignment in nearest)
    return (point[0] if x is None else x, point[1] if y is None else y), (x, y)


class Grid:
    """The grid: its lines, and how drags snap.

    Attributes:
        is_shown: whether the lines are drawn.
        snaps: whether drags go from crossing to crossing.
        guides: whether a dragged node stops where it is in line with another node.
        pitch: distance of the lines in world units.
    """

    def __init__(self, view: Painter) -> None:
        self._view = view
        self.is_shown, self.snaps, self.guides = False, False, True
        self.pitch = PITCH
        self._lines: list[int] = []

    def set(self, is_shown: bool, snaps: bool, guides: bool) -> None:
        """Set all switches."""
        self.is_shown, self.snaps, self.guides = is_shown, snaps, guides
        self.refresh()

    def set_pitch(self, pitch: float) -> None:
        """Set the distance of the lines."""
        self.pitch = pitch
        self.refresh()

    def refresh(self) -> None:
        """Draw the lines in the visible part of the drawing."""
        lines = list(self._visible_lines()) if self.is_shown else []
        view = self._view
        while len(self._lines) > len(lines):
            view.delete(self._lines.pop())
        while len(self._lines) < len(lines):
            line = view.create_line(0, 0, 0, 0, tags="grid")
            view.tag_lower(line)
            self._lines.append(line)
        for line, (coordinates, is_strong) in zip(self._lines, lines, strict=True):
            view.coords(line, *coordinates)
            view.itemconfigure(line, fill=view.theme.edge if is_strong else view.theme.grid)

    def _visible_lines(self) -> Iterable[tuple[tuple[float, float, float, float], bool]]:
        """The ends of each visible line on the canvas, and whether the line is a strong one."""
        view = self._view
        pitch = self.pitch
        while pitch * view.factor < _CLOSEST_PX * view.ui:
            pitch *= _STRONG
        x_min, y_min = view.canvasx(0), view.canvasy(0)
        x_max, y_max = x_min + view.winfo_width(), y_min + view.winfo_height()
        step = pitch * view.factor
        for number in range(floor(x_min / step), ceil(x_max / step) + 1):
            yield (number * step, y_min, number * step, y_max), number % _STRONG == 0
        for number in range(floor(y_min / step), ceil(y_max / step) + 1):
            yield (x_min, number * step, x_max, number * step), number % _STRONG == 0
