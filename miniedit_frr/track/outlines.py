"""Shapes of entries as points in pixels: hatches, teeth, values over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from frrlib.picture.geometry import Box, Point
from miniedit_frr.track.course import Steps
from miniedit_frr.track.layout import Axis, Band, Layout

#: Steps closer than this cannot be told apart by eye.
_SAME_PX = 0.75


def arrow(box: Box, tip: float) -> list[float]:
    """A bar that goes on to the right."""
    tip = min(tip, (box.right - box.left) / 2)
    middle = (box.top + box.bottom) / 2
    edge = box.right - tip
    return [box.left, box.top, edge, box.top, box.right, middle, edge, box.bottom, box.left, box.bottom]


def hatch_lines(box: Box, pitch: float) -> Iterator[tuple[Point, Point]]:
    """Slanted lines that fill a rectangle, cut at its edges."""
    high = box.bottom - box.top
    x = box.left - high + pitch / 2
    while x < box.right:
        low, top = (x, box.bottom), (x + high, box.top)
        if low[0] < box.left:
            low = (box.left, box.bottom - (box.left - low[0]))
        if top[0] > box.right:
            top = (box.right, box.top + (top[0] - box.right))
        if low[0] < top[0]:
            yield low, top
        x += pitch


def teeth(box: Box, times: int, least: float) -> list[Box]:
    """Where an interface that flaps is down: the first half of each period; one bar where they are too narrow."""
    period = (box.right - box.left) / times
    if period < least:
        return [box]
    return [
        Box(box.left + number * period, box.top, box.left + (number + 0.5) * period, box.bottom)
        for number in range(times)
    ]


def staircase(steps: Steps, until_s: float, layout: Layout, band: Band) -> list[float]:
    """The line of values over time, up to a moment: x, y, x, y ... ; empty for no values."""
    axis = layout.axis
    found: list[float] = []
    seen = visible_steps(steps, until_s, axis)
    for place, (time_s, value) in enumerate(seen):
        x, y = axis.x_of(time_s), layout.y_of(band, value)
        is_last = place == len(seen) - 1
        if found and x - found[-2] < _SAME_PX and not is_last:
            continue
        if found:
            found += [x, found[-1]]
        found += [x, y]
    if found:
        found += [max(found[-2], axis.x_of(min(until_s, axis.end_s))), found[-1]]
    return found


def visible_steps(steps: Steps, until_s: float, axis: Axis) -> Sequence[tuple[float, float]]:
    """The visible steps, the first of them cut at the left end of the axis."""
    before = [step for step in steps if step[0] < axis.begin_s]
    inside = [step for step in steps if axis.begin_s <= step[0] <= min(until_s, axis.end_s)]
    if before and until_s > axis.begin_s:
        return [(axis.begin_s, before[-1][1]), *inside]
    return inside
