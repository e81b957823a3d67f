"""The pointer on the track: a gesture is one press, up to its release; its end is one edit of the plan, or none."""

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

#: A press that moves less than this many pixels is a click.
_STILL_PX = 3


class Surface(Protocol):
    """The context of gestures.

    Attributes:
        document: where edits go.
        layout: the track as it is drawn; `Pointer.at` is in its pixels.
    """

    document: Document
    layout: Layout

    @property
    def selection(self) -> frozenset[ScheduleKey]:
        """The entries that are selected."""

    def select(self, chosen: Collection[ScheduleKey]) -> None:
        """Select these entries and no others."""

    def preview(self, topology: Topology, chosen: Collection[ScheduleKey], words: str) -> None:
        """Preview the plan, with words beside the pointer.

        Args:
            chosen: the selection in it.
        """

    def preview_frame(self, frame: Box) -> None:
        """Show a frame."""

    def end_preview(self) -> None:
        """Show the plan as it is."""

    def apply(self, label: str, change: ScheduleEdit) -> None:
        """Make an edit; the selection stays."""


@dataclass
class Drag:
    """Changes the plan as the pointer moves.

    Args:
        change: the plan after it, from the pointer; None while it changes nothing.
        label: of the edit.
        about: the entry that words are said of.
        words: said beside the pointer, from the drawing as it would be.
    """

    surface: Surface
    start: Pointer
    pressed: ScheduleKey
    change: Callable[[Pointer], ScheduleEdit]
    label: str
    words: Callable[[Topology, ScheduleKey], str]
    is_still: bool = True

    def _moved(self, pointer: Pointer) -> bool:
        away = max(abs(pointer.at[0] - self.start.at[0]), abs(pointer.at[1] - self.start.at[1]))
        self.is_still = self.is_still and away <= _STILL_PX * self.surface.layout.axis.ui
        return not self.is_still

    def move(self, pointer: Pointer) -> None:
        """Preview the plan."""
        if self._moved(pointer):
            after = self.change(pointer)
            chosen = [after.now[key] for key in self.surface.selection if key in after.now]
            self.surface.preview(after.topology, chosen, self.words(after.topology, after.now[self.pressed]))

    def finish(self, pointer: Pointer) -> None:
        """Make the edit; a click without movement selects only the entry that was clicked."""
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
    """Selects the entries that a frame touches."""

    surface: Surface
    start: Pointer
    kept: frozenset[ScheduleKey]
    before: frozenset[ScheduleKey]

    def _found(self, pointer: Pointer) -> Box:
        return Box.between(self.start.at, pointer.at)

    def move(self, pointer: Pointer) -> None:
        """Show the frame, and its selection."""
        frame = self._found(pointer)
        self.surface.preview_frame(frame)
        self.surface.select(self.kept | self.surface.layout.within(frame))

    def finish(self, pointer: Pointer) -> None:
        """Select the entries; a click selects nothing."""
        frame = self._found(pointer)
        self.surface.end_preview()
        is_click = max(frame.right - frame.left, frame.bottom - frame.top) <= _STILL_PX
        self.surface.select(self.kept if is_click else self.kept | self.surface.layout.within(frame))

    def cancel(self) -> None:
        """Restore the selection."""
        self.surface.end_preview()
        self.surface.select(self.before)


def begin(surface: Surface, pointer: Pointer, locked: bool = False) -> Drag | Frame | None:
    """The gesture that a press begins: on an entry a drag of it, elsewhere a frame.

    Args:
        locked: whether the plan must not change now: then a press selects, and no more.
    """
    hit, adds = surface.layout.hit(*pointer.at), pointer.shift or pointer.control
    if hit is None:
        kept = surface.selection if adds else frozenset()
        return Frame(surface, pointer, kept, surface.selection)
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
    chosen, name = surface.selection, texts.describe_entries(topology, surface.selection)
    if hit.part == "end":
        change, verb, words = _stretch(surface, pointer, hit, chosen), "Length of", texts.time_span
    elif hit.part == "period":
        return Drag(
            surface, pointer, key, _pace(surface, pointer, hit), f"Period of {texts.describe_entries(topology, [key])}",
            texts.period_text,
        )  # fmt: skip
    elif hit.part != "body":
        return Drag(
            surface, pointer, key, _level(surface, pointer, hit), f"Level of {texts.describe_entries(topology, [key])}",
            _level_words(hit),
        )  # fmt: skip
    else:
        change, verb, words = _shift(surface, pointer, hit, chosen), "Move", texts.time_span
    return Drag(surface, pointer, key, change, f"{verb} {name}", words)


def _gone_s(surface: Surface, start: Pointer, pointer: Pointer, from_s: float) -> float:
    """How far something that was at a time has gone with the pointer, rounded to the steps of the axis."""
    axis = surface.layout.axis
    way_s = (pointer.at[0] - start.at[0]) / axis.scale
    return axis.snapped(from_s + way_s, pointer.free or pointer.control) - from_s


def _shift(
    surface: Surface, start: Pointer, hit: Hit, chosen: frozenset[ScheduleKey]
) -> Callable[[Pointer], ScheduleEdit]:
    before = surface.document.topology
    return lambda pointer: schedule.shifted(before, chosen, _gone_s(surface, start, pointer, hit.entry.from_s))


def _stretch(
    surface: Surface, start: Pointer, hit: Hit, chosen: frozenset[ScheduleKey]
) -> Callable[[Pointer], ScheduleEdit]:
    before, entry = surface.document.topology, hit.entry
    # Dragged to its begin, or before it, an entry is as short as one step.
    least_s = surface.layout.axis.snap_s - (entry.until_s - entry.from_s)

    def changed(pointer: Pointer) -> ScheduleEdit:
        gone_s = _gone_s(surface, start, pointer, entry.until_s)
        return schedule.prolonged(before, chosen, max(gone_s, min(0.0, least_s)))

    return changed


def _pace(surface: Surface, start: Pointer, hit: Hit) -> Callable[[Pointer], ScheduleEdit]:
    before, entry = surface.document.topology, hit.entry
    first_s = entry.from_s + entry.period_s

    def changed(pointer: Pointer) -> ScheduleEdit:
        period_s = entry.period_s + _gone_s(surface, start, pointer, first_s)
        return schedule.with_period(before, entry.key, max(period_s, surface.layout.axis.snap_s))

    return changed


def _level(surface: Surface, start: Pointer, hit: Hit) -> Callable[[Pointer], ScheduleEdit]:
    # The row's scale may change with the level: the pointer keeps the one at the press.
    before, layout, level = surface.document.topology, surface.layout, hit.entry.levels[hit.part]
    lift = layout.y_of(hit.band, level) - start.at[1]
    step = layout.value_step(hit.band)

    def changed(pointer: Pointer) -> ScheduleEdit:
        value = layout.value_at(hit.band, pointer.at[1] + lift)
        if not (pointer.free or pointer.control):
            value = round(value / step) * step
        return schedule.with_level(before, hit.entry.key, hit.part, float(f"{value:.4g}"))

    return changed


def _level_words(hit: Hit) -> Callable[[Topology, ScheduleKey], str]:
    field = hit.band.row.key.partition(">")[0]

    def words(topology: Topology, key: ScheduleKey) -> str:
        entry = schedule.entries(topology)[key]
        assert isinstance(entry, Fault) and field in fields_of(entry)
        part = f"{hit.part} " if hit.part in ("low", "high") else ""
        return f"{part}{schedule.levels(entry)[hit.part]:g} {VALUES[field][1]}"

    return words


def frozen_tops(layout: Layout) -> dict[tuple[Key, str], float]:
    """The present values at the rims of rows: while a level is dragged they stay."""
    return {(band.lane.key, band.row.key): band.row.top for band in layout.bands if band.row.has_values}
