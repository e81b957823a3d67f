"""The window's memory between sessions: a small file of the user's, never of the drawing's."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from frrlib.picture.labels import Labels
from miniedit_frr.user.user_file import UserFile

S = TypeVar("S")
_RECENT = 10
#: The greatest height of the scenario that is remembered, in pixels of a screen without scaling.
_HIGHEST = 2000
_GEOMETRY = re.compile(r"\d{2,5}x\d{2,5}([+-]-?\d{1,5}){2}")
_PLACE = re.compile(r"(?P<wide>\d+)x(?P<high>\d+)(?P<sx>[+-])(?P<x>-?\d+)(?P<sy>[+-])(?P<y>-?\d+)")


@dataclass(frozen=True)
class SnapOptions:
    """Whether the grid is shown, and whether drags snap to it and to the rows and columns of other nodes."""

    grid: bool = False
    snap: bool = False
    guides: bool = True


#: The switches with their names in the menu.
SNAP_LABELS = {"grid": "Show Grid", "snap": "Snap to Grid While Dragging", "guides": "Alignment Guides"}


@dataclass(frozen=True)
class Panels:
    """Which panels are shown: properties beside the canvas, the scenario and the lists below it."""

    side: bool = True
    scenario: bool = False
    bottom: bool = True


@dataclass(frozen=True)
class WindowState:
    """The remembered settings.

    Attributes:
        recent: files that were opened or saved, newest first.
        geometry: size and place of the window as Tk writes it; empty for the default.
        labels: which texts are shown.
        holding: the grid and what drags snap to.
        panels: which of them are shown.
        scenario_high: how high the scenario is, in pixels of a screen without scaling; 0 for as it needs.
        plots: the quantities that live plots show; empty for the default.
    """

    recent: tuple[str, ...] = ()
    geometry: str = ""
    labels: Labels = field(default_factory=Labels)
    holding: SnapOptions = field(default_factory=SnapOptions)
    panels: Panels = field(default_factory=Panels)
    scenario_high: int = 0
    plots: tuple[str, ...] = ()

    def with_recent(self, path: Path) -> WindowState:
        """The settings with a file at the head of the recent ones."""
        newest = str(path.absolute())
        return replace(self, recent=(newest, *(each for each in self.recent if each != newest))[:_RECENT])


class WindowStateStore:
    """The settings that are remembered now, and their file.

    Attributes:
        now: the present ones; the file has them once they are saved.
    """

    def __init__(self, path: Path) -> None:
        self._path, self.now = path, load(path)

    def change(self, **fields: Any) -> None:
        """Have other values of some fields of `Settings`."""
        self.now = replace(self.now, **fields)

    def note_file(self, path: Path) -> None:
        """Put a file at the head of the recent ones, and save that."""
        self.now = self.now.with_recent(path)
        self.save()

    def save(self) -> None:
        """Write the file."""
        save(self.now, self._path)


def load(path: Path) -> WindowState:
    """The remembered settings; the defaults where the file is missing or cannot be understood."""
    data = UserFile(path).read()
    recent, geometry, high = data.get("recent"), data.get("geometry"), data.get("scenario_high")
    plots = data.get("plots")
    return WindowState(
        recent=tuple(each for each in recent if isinstance(each, str))[:_RECENT] if isinstance(recent, list) else (),
        geometry=geometry if isinstance(geometry, str) and _GEOMETRY.fullmatch(geometry) else "",
        labels=_switches(Labels, data.get("labels")),
        holding=_switches(SnapOptions, data.get("holding")),
        panels=_switches(Panels, data.get("panels")),
        scenario_high=high if isinstance(high, int) and 0 <= high <= _HIGHEST else 0,
        plots=tuple(each for each in plots if isinstance(each, str)) if isinstance(plots, list) else (),
    )


def fit_to_screen(geometry: str, width: int, height: int) -> str:
    """A remembered window position, moved onto the present screen: screens come and go.

    Args:
        geometry: size and place as Tk writes them; empty for the default.
        width, height: of the screen, in pixels.
    """
    found = _PLACE.fullmatch(geometry)
    if found is None:
        return geometry
    wide, high = min(int(found["wide"]), width), min(int(found["high"]), height)
    x, y = (
        max(0, min(int(at) if sign == "+" else room - int(at), room))
        for sign, at, room in ((found["sx"], found["x"], width - wide), (found["sy"], found["y"], height - high))
    )
    return f"{wide}x{high}+{x}+{y}"


def _switches(kind: type[S], kept: object) -> S:
    """A value of switches only; missing ones have their defaults."""
    known = kind.__dataclass_fields__  # type: ignore[attr-defined]
    pairs = kept.items() if isinstance(kept, dict) else ()
    return kind(**{name: value for name, value in pairs if name in known and isinstance(value, bool)})


def save(settings: WindowState, path: Path) -> None:
    """Remember; a failure to write is no reason to bother anyone."""
    UserFile(path).write(asdict(settings))
