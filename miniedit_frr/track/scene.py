"""The content of the track as values: lanes for the things of a plan, rows in them, and entries on a time axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from frrlib.edits.schedule import ScheduleKey
from frrlib.picture.scene import Key

#: The form of an entry: a bar, a bar without an end, a moment, an interface that flaps, or values over time.
Form = Literal["bar", "open", "mark", "teeth", "line"]


@dataclass(frozen=True)
class Entry:
    """A flow or a fault in one row.

    Attributes:
        key: its position in the plan. A fault that changes two values of a link is in two rows.
        form, style: its form, and its kind (a name in `looks.STYLES`).
        from_s, until_s: its start and its end. Without a planned end, the fault that ends it, or the end of the track.
        text: the text beside it.
        tip: the text of the tip at the pointer.
        color: the color of a flow, as in figures; empty for that of the style.
        can_stretch: whether its end can be dragged.
        points: for values over time, the times in seconds with the value from then on.
        levels: the values that can be dragged, by the names of `schedule.levels`.
        severity, reason: "error" or "warning" from the check of the topology, with the reason; empty without a problem.
        line: the number of its line in the row, since entries can overlap in time.
        times: the number of times that an interface flaps.
        period_s: the period of a wave or of an interface that flaps; 0 for none. The end of the first can be dragged.
    """

    key: ScheduleKey
    form: Form
    style: str
    from_s: float
    until_s: float
    text: str
    tip: str = ""
    color: str = ""
    can_stretch: bool = False
    points: tuple[tuple[float, float], ...] = ()
    levels: Mapping[str, float] = field(default_factory=dict)
    severity: str = ""
    reason: str = ""
    line: int = 0
    times: int = 1
    period_s: float = 0.0


@dataclass(frozen=True)
class Row:
    """A row of a lane.

    Attributes:
        key: its name in the lane: the field and direction of a value, or a daemon; empty for events of the thing.
        title: the text at its left.
        entries: its entries in the order of their times.
        lines: the number of its lines; 1 for values.
        top: the value at the upper edge of a row of values, whose lower edge is 0; 0 for other rows.
        unit: the unit of its values.
        steps: the steps of its values during the whole plan, as times in seconds with the value from then on.
    """

    key: str
    title: str
    entries: tuple[Entry, ...]
    lines: int = 1
    top: float = 0.0
    unit: str = ""
    steps: tuple[tuple[float, float], ...] = ()

    @property
    def has_values(self) -> bool:
        """Whether it shows values over time."""
        return self.top > 0


@dataclass(frozen=True)
class Lane:
    """The plan for one thing.

    Attributes:
        key: the thing: a node or a link as on the canvas, ("flow", id), or ("partition", "").
        title: the name of the thing.
    """

    key: Key
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Scene:
    """A whole plan.

    Attributes:
        lanes: from top to bottom.
        until_s: the end of the track: that of the last entry, or a little later.
        run_s: the end of the flows and of the run; 0 if it is unknown.
    """

    lanes: tuple[Lane, ...] = ()
    until_s: float = 0.0
    run_s: float = 0.0

    def keys(self) -> frozenset[ScheduleKey]:
        """The keys of all entries."""
        return frozenset(entry.key for entry in self.entries())

    def entries(self) -> tuple[Entry, ...]:
        """All entries, from top to bottom."""
        return tuple(entry for lane in self.lanes for row in lane.rows for entry in row.entries)

    def entry(self, key: ScheduleKey) -> Entry | None:
        """The first entry with this key."""
        return next((entry for entry in self.entries() if entry.key == key), None)
