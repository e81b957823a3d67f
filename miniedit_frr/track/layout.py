"""The positions on the track in pixels: the time axis, the rows, and the entry under the pointer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from frrlib.edits.schedule import ScheduleKey
from frrlib.picture.geometry import Box
from miniedit_frr.track.scene import Entry, Lane, Row, Scene

#: Sizes in units, which the scaling of the screen converts to pixels: the names at the left, the axis above, margin,
#: lines, rows of values, and padding.
NAMES_WIDTH, AXIS_HEIGHT, MARGIN = 232.0, 24.0, 16.0
_LINE, _VALUES, _PAD = 24.0, 58.0, 4.0
#: Space above the upper edge of values, and below 0 for the text of an entry.
_ABOVE, _BELOW = 8.0, 17.0
#: Maximum distance of the pointer from an end and from a level, and half the width of a moment.
_NEAR, _NEAR_LEVEL, _MARK = 5.0, 4.5, 8.0
#: Steps of the axis, in seconds.
_TICKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
_TICK_DISTANCE = 70.0
#: Steps that drags snap to, in seconds. A finer step is used if it is at least this many pixels wide.
_SNAPS, _SNAP_PX = (0.1, 0.01, 0.001), 4.0
_FINEST_S = 0.001
#: The minimum and maximum width of a second, in pixels.
MIN_SCALE, MAX_SCALE = 0.01, 20_000.0


@dataclass(frozen=True)
class Axis:
    """The time axis: converts between times and pixels.

    Attributes:
        left, right: the pixels at which the axis begins and ends.
        begin_s: the time at its left end.
        scale: pixels per second.
        ui: scaling of the screen.
    """

    left: float
    right: float
    begin_s: float
    scale: float
    ui: float

    @property
    def end_s(self) -> float:
        """The time at its right end."""
        return self.time_at(self.right)

    def x_of(self, time_s: float) -> float:
        """The pixel of a time, which may be outside the axis."""
        return self.left + (time_s - self.begin_s) * self.scale

    def time_at(self, x: float) -> float:
        """The time at a pixel."""
        return self.begin_s + (x - self.left) / self.scale

    @property
    def snap_s(self) -> float:
        """The step that drags snap to: 0.1 s, or less if that is many pixels."""
        wide_px = 10 * _SNAP_PX * self.ui
        return next((snap for snap in _SNAPS if snap * self.scale < wide_px), _SNAPS[-1])

    def snapped(self, time_s: float, free: bool = False) -> float:
        """The time for a drag to a pixel; `free` ignores the steps."""
        step = _FINEST_S if free else self.snap_s
        return round(round(time_s / step) * step, 6)

    def ticks(self) -> Iterator[float]:
        """The times of the labels at the axis."""
        room = max(1.0, (self.right - self.left) / (_TICK_DISTANCE * self.ui))
        visible_s = self.end_s - self.begin_s
        step = next((tick for tick in _TICKS if visible_s / tick <= room), 7200.0)
        number = math.ceil(self.begin_s / step - 1e-9)
        while number * step <= self.end_s + 1e-9:
            yield round(number * step, 6)
            number += 1

    def zoomed(self, ratio: float, x: float, until_s: float) -> Axis:
        """The axis with wider (`ratio` > 1) or narrower seconds. The time at `x` keeps its position if possible."""
        fixed_s = self.time_at(x)
        least = max(MIN_SCALE, (self.right - self.left) / max(until_s, _FINEST_S) * 0.5)
        scale = min(max(self.scale * ratio, least), MAX_SCALE)
        return self.from_time(fixed_s - (x - self.left) / scale, until_s, scale)

    def from_time(self, begin_s: float, until_s: float, scale: float = 0.0) -> Axis:
        """The axis that begins at another time, within the track."""
        scale = scale or self.scale
        visible_s = (self.right - self.left) / scale
        return Axis(self.left, self.right, max(0.0, min(begin_s, until_s - visible_s)), scale, self.ui)


def fitted(width: float, until_s: float, ui: float) -> Axis:
    """The axis that shows the whole track on a canvas of this width."""
    left = NAMES_WIDTH * ui
    right = max(left + 40 * ui, width - MARGIN * ui)
    return Axis(left, right, 0.0, (right - left) / max(until_s, _FINEST_S), ui)


@dataclass(frozen=True)
class Band:
    """A row and its position from `top` to `bottom`, in pixels below the axis, without scrolling."""

    lane: Lane
    row: Row
    top: float
    bottom: float
    number: int
    is_first: bool


@dataclass(frozen=True)
class Hit:
    """The entry under the pointer.

    Attributes:
        part: "body", "end", "period", or a level's name.
    """

    entry: Entry
    part: str
    band: Band


@dataclass(frozen=True)
class Layout:
    """A track on a canvas.

    Attributes:
        bands: the rows from top to bottom.
        height: the height of all rows, in pixels.
    """

    scene: Scene
    axis: Axis
    bands: tuple[Band, ...]
    height: float

    def band_at(self, y: float) -> Band | None:
        """The row at a height."""
        return next((band for band in self.bands if band.top <= y < band.bottom), None)

    def box(self, entry: Entry, band: Band) -> Box:
        """The rectangle of an entry. That of a moment is as wide as its mark."""
        ui, axis = self.axis.ui, self.axis
        left, right = axis.x_of(entry.from_s), axis.x_of(entry.until_s)
        if entry.form == "mark":
            left, right = left - _MARK * ui, left + _MARK * ui
        if band.row.has_values:
            return Box(left, band.top + _PAD * ui, right, band.bottom - _PAD * ui)
        top = band.top + (_PAD + entry.line * _LINE) * ui
        return Box(left, top, right, top + (_LINE - _PAD) * ui)

    def y_of(self, band: Band, value: float) -> float:
        """The height of a value in its row, limited to the upper edge."""
        zero, high = self._value_range(band)
        return zero - min(max(value / band.row.top, 0.0), 1.0) * high

    def _value_range(self, band: Band) -> tuple[float, float]:
        """The height of 0 in a row of values, and the distance from it to the upper edge."""
        zero = band.bottom - _BELOW * self.axis.ui
        return zero, max(1.0, zero - band.top - _ABOVE * self.axis.ui)

    def value_at(self, band: Band, y: float) -> float:
        """The value at a height, also above the upper edge."""
        zero, high = self._value_range(band)
        return band.row.top * (zero - y) / high

    def value_step(self, band: Band) -> float:
        """The step that values snap to: a round number of about one or two pixels."""
        pixel = band.row.top / self._value_range(band)[1]
        power = 10.0 ** math.floor(math.log10(pixel))
        return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= pixel)

    def hit(self, x: float, y: float) -> Hit | None:
        """The entry under the pointer. Its end has priority over its levels, and these over its body."""
        band = self.band_at(y)
        if band is None or x < self.axis.left - _MARK * self.axis.ui:
            return None
        near = _NEAR * self.axis.ui
        hits = []
        for number, entry in enumerate(band.row.entries):
            box = self.box(entry, band)
            if not (box.left - near <= x <= box.right + near and box.top <= y <= box.bottom):
                continue
            hits.append((*self._part(entry, band, box, x, y), number, entry))
        if not hits:
            return None
        _, part, _, entry = min(hits, key=lambda candidate: (candidate[0], -candidate[2]))
        return Hit(entry, part, band)

    def _part(self, entry: Entry, band: Band, box: Box, x: float, y: float) -> tuple[int, str]:
        """The priority of a hit, lowest first, and the part of the entry that it hits."""
        ui = self.axis.ui
        # The end of a short bar is narrower, since short bars are moved more often than stretched.
        reach = min(_NEAR * ui, (box.right - box.left) / 3 + ui)
        if entry.can_stretch and abs(x - box.right) <= reach:
            return 0, "end"
        first = self.axis.x_of(entry.from_s + entry.period_s)
        if (
            entry.period_s
            and first < box.right - reach
            and abs(x - first) <= min(reach, entry.period_s * self.axis.scale / 6)
        ):
            return 1, "period"
        distances = {name: abs(y - self.y_of(band, value)) for name, value in entry.levels.items()}
        if distances and min(distances.values()) <= _NEAR_LEVEL * ui and x <= box.right:
            return 2, min(distances, key=lambda name: distances[name])
        return (3, "body") if box.left <= x <= box.right else (4, "body")

    def within(self, frame: Box) -> frozenset[ScheduleKey]:
        """The entries that a frame overlaps."""
        return frozenset(
            entry.key for band in self.bands for entry in band.row.entries if _overlap(self.box(entry, band), frame)
        )


def _overlap(box: Box, frame: Box) -> bool:
    return box.left <= frame.right and frame.left <= box.right and box.top <= frame.bottom and frame.top <= box.bottom


def layout_of(scene: Scene, axis: Axis) -> Layout:
    """The layout of a scene's rows."""
    bands, top = [], 0.0
    for number, lane in enumerate(scene.lanes):
        for row in lane.rows:
            high = (_VALUES if row.has_values else row.lines * _LINE + _PAD) * axis.ui
            bands.append(Band(lane, row, top, top + high, number, row is lane.rows[0]))
            top += high
    return Layout(scene, axis, tuple(bands), top)
