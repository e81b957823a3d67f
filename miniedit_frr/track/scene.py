"""The content of the track: lanes for the things of a plan, rows in them, and entries on a time axis; values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from frrlib.edits.schedule import ScheduleKey
from frrlib.picture.scene import Key

#: How an entry is drawn: a bar; one without a planned end; a moment; an interface that flaps; values over time.
Form = Literal["bar", "open", "mark", "teeth", "line"]


@dataclass(frozen=True)
class Entry:
    """A flow or a fault, as it is drawn in one row.

    Attributes:
        key: which; a fault that changes two values of a link is in two rows.
        form, style: how it is drawn, and what it is (a name in `looks.STYLES`).
        from_s, until_s: its begin and its end; where it has no planned end that of what puts it right, or of the track.
        text: what is written at it.
        about: what the pointer is told of it.
        colour: of a flow, as in figures; empty for the style's.
        can_stretch: whether its end can be dragged.
        points: of values over time: seconds and the value from then on.
        levels: values that can be dragged, by name as `planning.levelled` has them.
        severity, why: what `check` says of it: "error" or "warning", and in words; empty for nothing.
        place: of entries that overlap in time, the number of the line that it is on.
        times: how often an interface flaps.
        period_s: of a wave, or of an interface that flaps; 0 for none. The end of the first one can be dragged.
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
        key: what tells it from other rows of the lane: a value's field and direction, a daemon; empty for the thing.
        title: what stands at its left.
        entries: in the order of their times.
        lines: how many lines of entries it has; 1 for values.
        top: of values: what the upper rim of the row stands for, the lower one stands for 0; else 0.
        unit: of values.
        drawn: of values: seconds and the value from then on, of the whole track, with all that is planned.
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
        title: what it is called.
    """

    key: Key
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Scene:
    """A whole plan.

    Attributes:
        lanes: from top to bottom.
        until_s: the end of the track: when the last of the plan is over, or a little later.
        run_s: when the flows are over and a run ends; 0 where that is not known.
    """

    lanes: tuple[Lane, ...] = ()
    until_s: float = 0.0
    run_s: float = 0.0

    def keys(self) -> frozenset[ScheduleKey]:
        """All entries."""
        return frozenset(each.key for each in self.entries())

    def entries(self) -> tuple[Entry, ...]:
        """All entries as they are drawn, from top to bottom."""
        return tuple(entry for lane in self.lanes for row in lane.rows for entry in row.entries)

    def entry(self, key: ScheduleKey) -> Entry | None:
        """The first drawing of an entry."""
        return next((each for each in self.entries() if each.key == key), None)
