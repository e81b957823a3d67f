"""The state of the window that is restored at the next start. It is stored per user, never with a topology."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from frrlib.picture.labels import Labels
from miniedit_frr.user.user_file import UserFile

S = TypeVar("S")
_RECENT = 10
#: The greatest height of the scenario that is stored, in pixels of a screen without scaling.
_HIGHEST = 2000
_GEOMETRY = re.compile(r"\d{2,5}x\d{2,5}([+-]-?\d{1,5}){2}")
_PLACE = re.compile(r"(?P<width>\d+)x(?P<height>\d+)(?P<sx>[+-])(?P<x>-?\d+)(?P<sy>[+-])(?P<y>-?\d+)")


@dataclass(frozen=True)
class SnapOptions:
    """Whether the grid is shown, and whether drags snap to the grid and to the rows and columns of other nodes."""

    grid: bool = False
    snap: bool = False
    guides: bool = True


#: The labels of these options in the menu.
SNAP_LABELS = {"grid": "Show Grid", "snap": "Snap to Grid While Dragging", "guides": "Alignment Guides"}


@dataclass(frozen=True)
class Panels:
    """The visible panels: the properties beside the canvas, and the scenario and the lists below it."""

    side: bool = True
    scenario: bool = False
    bottom: bool = True


@dataclass(frozen=True)
class WindowState:
    """The stored state. The names of the fields are those in the file.

    Attributes:
        recent: files that were opened or saved, newest first.
        geometry: size and place of the window, as Tk writes it; empty for the default.
        labels: the visible kinds of text on the canvas.
        holding: the grid, and how drags snap.
        panels: the visible panels.
        scenario_high: the height of the scenario, in pixels of a screen without scaling; 0 for the height it needs.
        plots: the quantities in live plots; empty for the default.
    """

    recent: tuple[str, ...] = ()
    geometry: str = ""
    labels: Labels = field(default_factory=Labels)
    holding: SnapOptions = field(default_factory=SnapOptions)
    panels: Panels = field(default_factory=Panels)
    scenario_high: int = 0
    plots: tuple[str, ...] = ()

    def with_recent(self, path: Path) -> WindowState:
        """The state with a file at the head of the recent ones."""
        newest = str(path.absolute())
        return replace(self, recent=(newest, *(file for file in self.recent if file != newest))[:_RECENT])


class WindowStateStore:
    """The present state of the window, and its file.

    Attributes:
        now: the present state. `save` writes it to the file.
    """

    def __init__(self, path: Path) -> None:
        self._path, self.now = path, load(path)

    def change(self, **fields: Any) -> None:
        """Change some fields of the `WindowState`."""
        self.now = replace(self.now, **fields)

    def note_file(self, path: Path) -> None:
        """Put a file at the head of the recent ones, and save the state."""
        self.now = self.now.with_recent(path)
        self.save()

    def save(self) -> None:
        """Write the file."""
        save(self.now, self._path)


def load(path: Path) -> WindowState:
    """The stored state. Missing and invalid values have their defaults."""
    data = UserFile(path).read()
    recent, geometry, height = data.get("recent"), data.get("geometry"), data.get("scenario_high")
    plots = data.get("plots")
    return WindowState(
        recent=tuple(file for file in recent if isinstance(file, str))[:_RECENT] if isinstance(recent, list) else (),
        geometry=geometry if isinstance(geometry, str) and _GEOMETRY.fullmatch(geometry) else "",
        labels=_read_switches(Labels, data.get("labels")),
        holding=_read_switches(SnapOptions, data.get("holding")),
        panels=_read_switches(Panels, data.get("panels")),
        scenario_high=height if isinstance(height, int) and 0 <= height <= _HIGHEST else 0,
        plots=tuple(quantity for quantity in plots if isinstance(quantity, str)) if isinstance(plots, list) else (),
    )


def fit_to_screen(geometry: str, width: int, height: int) -> str:
    """A stored geometry of the window, fitted to the present screen, which may be another one.

    Args:
        geometry: size and place as Tk writes them; empty for the default.
        width, height: the size of the screen, in pixels.
    """
    match = _PLACE.fullmatch(geometry)
    if match is None:
        return geometry
    window_width, window_height = min(int(match["width"]), width), min(int(match["height"]), height)
    x, y = (
        max(0, min(int(offset) if sign == "+" else room - int(offset), room))
        for sign, offset, room in (
            (match["sx"], match["x"], width - window_width),
            (match["sy"], match["y"], height - window_height),
        )
    )
    return f"{window_width}x{window_height}+{x}+{y}"


def _read_switches(kind: type[S], stored: object) -> S:
    """A value whose fields are all switches; missing and invalid ones have their defaults."""
    fields = kind.__dataclass_fields__  # type: ignore[attr-defined]
    pairs = stored.items() if isinstance(stored, dict) else ()
    return kind(**{name: value for name, value in pairs if name in fields and isinstance(value, bool)})


def save(state: WindowState, path: Path) -> None:
    """Store the state. A failure to write the file is not reported."""
    UserFile(path).write(asdict(state))
