"""Gestures on the track: a gesture lasts from a press to its release, and ends in one edit of the plan, or in none."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from frrlib.edits import schedule
from frrlib.edits.schedule import ScheduleEdit, ScheduleKey
from frrlib.model.faults import Fault
from frrlib.model.topology import Topology
from frrlib.picture.geometry import Box
from frrlib.picture.scene import Key
from miniedit_frr.document.document import Document
from miniedit_frr.tools.base import Pointer
from miniedit_frr.track import texts
from miniedit_frr.track.course import VALUES, fields_of
from miniedit_frr.track.layout import Hit, Layout

#: A press that moves by at most this many pixels is a click.
_CLICK_PX = 3


class Surface(Protocol):
    """The context of gestures.

    Attributes:
        document: the document with the plan.
        layout: the visible scene with its positions; `Pointer.at` is in its coordinates.
    """

    document: Document
    layout: Layout

    @property
    def selection(self) -> frozenset[ScheduleKey]:
        """The selected entries."""

    def select(self, keys: Collection[ScheduleKey]) -> None:
        """Select these entries and no others."""

    def preview(self, topology: Topology, selected: Collection[ScheduleKey], text: str) -> None:
        """Show a changed plan, with a text beside the pointer.

        Args:
            selected: the selection in it.
        """

    def preview_frame(self, frame: Box) -> None:
        """Show the frame of a selection."""

    def end_preview(self) -> None:
        """Show the plan of the document."""

    def apply(self, label: str, change: ScheduleEdit) -> None:
        """Make an edit; the selection stays."""


@dataclass
class Drag:
    """Changes the plan as the pointer moves.

    Args:
        pressed: the key of the pressed entry.
        change: returns the changed plan at a position of the pointer.
        label: the label of the edit.
        describe: returns the text beside the pointer, given the changed topology and the key of the pressed entry.
        is_still: whether the pointer has not moved yet.
    """

    surface: Surface
    start: Pointer
    pressed: ScheduleKey
    change: Callable[[Pointer], ScheduleEdit]
    label: str
    describe: Callable[[Topology, ScheduleKey], str]
    is_still: bool = True

    def _moved(self, pointer: Pointer) -> bool:
        distance_px = max(abs(pointer.at[0] - self.start.at[0]), abs(pointer.at[1] - self.start.at[1]))
        self.is_still = self.is_still and distance_px <= _CLICK_PX * self.surface.layout.axis.ui
        return not self.is_still

    def move(self, pointer: Pointer) -> None:
        """Preview the plan."""
        if self._moved(pointer):
            edit = self.change(pointer)
            selected = [edit.now[key] for key in self.surface.selection if key in edit.now]
            self.surface.preview(edit.topology, selected, self.describe(edit.topology, edit.now[self.pressed]))

    def finish(self, pointer: Pointer) -> None:
        """Make the edit. A click without movement selects only the clicked entry."""
        has_moved = self._moved(pointer)
        self.surface.end_preview()
        if has_moved:
            self.surface.apply(self.label, self.change(pointer))
        elif not (pointer.shift or pointer.control):
            self.surface.select([self.pressed])

    def cancel(self) -> None:
        """Leave the plan as it is."""
        self.surface.end_preview()


@dataclass
class Frame:
    """Selects the entries that a frame overlaps."""

    surface: Surface
    start: Pointer
    kept_selection: frozenset[ScheduleKey]
    previous_selection: frozenset[ScheduleKey]

    def _frame(self, pointer: Pointer) -> Box:
        return Box.between(self.start.at, pointer.at)

    def move(self, pointer: Pointer) -> None:
        """Show the frame, and select its entries."""
        frame = self._frame(pointer)
        self.surface.preview_frame(frame)
        self.surface.select(self.kept_selection | self.surface.layout.within(frame))

    def finish(self, pointer: Pointer) -> None:
        """Select the entries of the frame. A click selects nothing."""
        frame = self._frame(pointer)
        self.surface.end_preview()
        is_click = max(frame.right - frame.left, frame.bottom - frame.top) <= _CLICK_PX
        self.surface.select(
            self.kept_selection if is_click else self.kept_selection | self.surface.layout.within(frame)
        )

    def cancel(self) -> None:
        """Restore the selection."""
        self.surface.end_preview()
        self.surface.select(self.previous_selection)


def begin(surface: Surface, pointer: Pointer, locked: bool = False) -> Drag | Frame | None:
    """The gesture that a press begins: a drag on an entry, elsewhere a frame.

    Args:
        locked: whether the plan must not change now. A press then only selects.
    """
    hit, adds = surface.layout.hit(*pointer.at), pointer.shift or pointer.control
    if hit is None:
        kept_selection = surface.selection if adds else frozenset()
        return Frame(surface, pointer, kept_selection, surface.selection)
    key = hit.entry.key
    if adds:
        surface.select(surface.selection ^ {key})
    elif key not in surface.selection:
        surface.select([key])
    if locked or key not in surface.selection:
        return None
    return drag_of(surface, pointer, hit)


def drag_of(surface: Surface, pointer: Pointer, hit: Hit) -> Drag:
    """The drag of a part of an entry."""
    topology, key = surface.document.topology, hit.entry.key
    selection, name = surface.selection, texts.describe_entries(topology, surface.selection)
    if hit.part == "end":
        change, verb, describe = _stretch(surface, pointer, hit, selection), "Length of", texts.time_span
    elif hit.part == "period":
        return Drag(
            surface, pointer, key, _pace(surface, pointer, hit), f"Period of {texts.describe_entries(topology, [key])}",
            texts.period_text,
        )  # fmt: skip
    elif hit.part != "body":
        return Drag(
            surface, pointer, key, _level(surface, pointer, hit), f"Level of {texts.describe_entries(topology, [key])}",
            _level_text(hit),
        )  # fmt: skip
    else:
        change, verb, describe = _shift(surface, pointer, hit, selection), "Move", texts.time_span
    return Drag(surface, pointer, key, change, f"{verb} {name}", describe)


def _moved_s(surface: Surface, start: Pointer, pointer: Pointer, from_s: float) -> float:
    """The distance by which the pointer has moved something from a time, rounded to the steps of the axis."""
    axis = surface.layout.axis
    distance_s = (pointer.at[0] - start.at[0]) / axis.scale
    return axis.snapped(from_s + distance_s, pointer.free or pointer.control) - from_s


def _shift(
    surface: Surface, start: Pointer, hit: Hit, selection: frozenset[ScheduleKey]
) -> Callable[[Pointer], ScheduleEdit]:
    topology = surface.document.topology
    return lambda pointer: schedule.shifted(topology, selection, _moved_s(surface, start, pointer, hit.entry.from_s))


def _stretch(
    surface: Surface, start: Pointer, hit: Hit, selection: frozenset[ScheduleKey]
) -> Callable[[Pointer], ScheduleEdit]:
    topology, entry = surface.document.topology, hit.entry
    # An entry keeps the length of one step when its end is dragged to its start or farther.
    least_s = surface.layout.axis.snap_s - (entry.until_s - entry.from_s)

    def changed(pointer: Pointer) -> ScheduleEdit:
        moved_s = _moved_s(surface, start, pointer, entry.until_s)
        return schedule.prolonged(topology, selection, max(moved_s, min(0.0, least_s)))

    return changed


def _pace(surface: Surface, start: Pointer, hit: Hit) -> Callable[[Pointer], ScheduleEdit]:
    topology, entry = surface.document.topology, hit.entry
    first_s = entry.from_s + entry.period_s

    def changed(pointer: Pointer) -> ScheduleEdit:
        period_s = entry.period_s + _moved_s(surface, start, pointer, first_s)
        return schedule.with_period(topology, entry.key, max(period_s, surface.layout.axis.snap_s))

    return changed


def _level(surface: Surface, start: Pointer, hit: Hit) -> Callable[[Pointer], ScheduleEdit]:
    # The scale of the row may change with the level. The scale at the press is used during the drag.
    topology, layout, level = surface.document.topology, surface.layout, hit.entry.levels[hit.part]
    offset_px = layout.y_of(hit.band, level) - start.at[1]
    step = layout.value_step(hit.band)

    def changed(pointer: Pointer) -> ScheduleEdit:
        value = layout.value_at(hit.band, pointer.at[1] + offset_px)
        if not (pointer.free or pointer.control):
            value = round(value / step) * step
        return schedule.with_level(topology, hit.entry.key, hit.part, float(f"{value:.4g}"))

    return changed


def _level_text(hit: Hit) -> Callable[[Topology, ScheduleKey], str]:
    field = hit.band.row.key.partition(">")[0]

    def words(topology: Topology, key: ScheduleKey) -> str:
        entry = schedule.entries(topology)[key]
        assert isinstance(entry, Fault) and field in fields_of(entry)
        part = f"{hit.part} " if hit.part in ("low", "high") else ""
        return f"{part}{schedule.levels(entry)[hit.part]:g} {VALUES[field][1]}"

    return words


def frozen_tops(layout: Layout) -> dict[tuple[Key, str], float]:
    """The current values at the upper edges of rows, which stay fixed during a drag."""
    return {(band.lane.key, band.row.key): band.row.top for band in layout.bands if band.row.has_values}
