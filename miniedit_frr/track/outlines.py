"""Shapes of entries as points in pixels: hatches, teeth, values over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from frrlib.picture.geometry import Box, Point
from miniedit_frr.track.course import Steps
from miniedit_frr.track.layout import Axis, Band, Layout

#: Steps closer than this cannot be distinguished by eye.
_SAME_PX = 0.75


def arrow(box: Box, tip: float) -> list[float]:
    """A bar with a tip at the right, which means that it has no end."""
    tip = min(tip, (box.right - box.left) / 2)
    middle = (box.top + box.bottom) / 2
    edge = box.right - tip
    return [box.left, box.top, edge, box.top, box.right, middle, edge, box.bottom, box.left, box.bottom]


def hatch_lines(box: Box, pitch: float) -> Iterator[tuple[Point, Point]]:
    """Slanted lines that fill a rectangle, cut at its edges."""
    height = box.bottom - box.top
    x = box.left - height + pitch / 2
    while x < box.right:
        low, top = (x, box.bottom), (x + height, box.top)
        if low[0] < box.left:
            low = (box.left, box.bottom - (box.left - low[0]))
        if top[0] > box.right:
            top = (box.right, box.top + (top[0] - box.right))
        if low[0] < top[0]:
            yield low, top
        x += pitch


def teeth(box: Box, times: int, least: float) -> list[Box]:
    """The rectangles in which an interface that flaps is down: the first half of each period, or the whole time if
    the periods are too narrow."""
    period = (box.right - box.left) / times
    if period < least:
        return [box]
    return [
        Box(box.left + number * period, box.top, box.left + (number + 0.5) * period, box.bottom)
        for number in range(times)
    ]


def staircase(steps: Steps, until_s: float, layout: Layout, band: Band) -> list[float]:
    """The line of values over time, up to a moment, as x, y, x, y …; empty without values."""
    axis = layout.axis
    points: list[float] = []
    steps_in_view = visible_steps(steps, until_s, axis)
    for index, (time_s, value) in enumerate(steps_in_view):
        x, y = axis.x_of(time_s), layout.y_of(band, value)
        is_last = index == len(steps_in_view) - 1
        if points and x - points[-2] < _SAME_PX and not is_last:
            continue
        if points:
            points += [x, points[-1]]
        points += [x, y]
    if points:
        points += [max(points[-2], axis.x_of(min(until_s, axis.end_s))), points[-1]]
    return points


def visible_steps(steps: Steps, until_s: float, axis: Axis) -> Sequence[tuple[float, float]]:
    """The visible steps, the first of them cut at the left end of the axis."""
    earlier = [step for step in steps if step[0] < axis.begin_s]
    in_view = [step for step in steps if axis.begin_s <= step[0] <= min(until_s, axis.end_s)]
    if earlier and until_s > axis.begin_s:
        return [(axis.begin_s, earlier[-1][1]), *in_view]
    return in_view
