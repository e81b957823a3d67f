"""A user's preferences, for all drawings: kept in the user's configuration folder."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationError

from frrlib.model.base import Value
from frrlib.model.names import CONGESTION_CONTROL
from frrlib.places import PlaceName
from miniedit_frr.user.user_file import UserFile


def _congestion_control(text: str) -> str:
    if text and not re.fullmatch(CONGESTION_CONTROL, text):
        raise ValueError("must be the kernel's name in lowercase, as in cubic or bbr")
    return text


def _absolute(text: str) -> str:
    if text and not os.path.expanduser(text).startswith("/"):
        raise ValueError("must start with / or ~")
    return text


class Preferences(Value):
    """The preferences of a user.

    Attributes:
        theme: "light", "dark", or "system" for what the desktop has.
        scaling_percent: size of texts and icons, 100 to 200; 0 for what the screen says.
        terminal: program for terminal windows; empty for the first that is there.
        place: where labs run where nothing else is said: "auto", "namespace", "labkernel" or "root".
        results_folder: folder in which every run gets a folder of its own; empty for `results` in the current folder.
        sample_hz: samples a second of every flow and queue, 1 to 1000.
        live_plots: where plots open by themselves when flows run: "panel" (below the drawing), "window" or "no".
        congestion_control: of new flows; empty for cubic.
        grid_px: distance of the grid's lines, 5 to 200 pixels of the drawing.
        autosave: whether unsaved changes are kept for a crash.
        lab_timers: whether routing that is set up anew reacts at once, instead of with FRR's own timers.
    """

    theme: Literal["light", "dark", "system"] = "system"
    scaling_percent: Annotated[int, Field(ge=0, le=200)] = 0
    terminal: Annotated[str, Field(max_length=200)] = ""
    place: PlaceName = PlaceName.AUTO
    results_folder: Annotated[str, Field(max_length=4000), AfterValidator(_absolute)] = ""
    sample_hz: Annotated[float, Field(ge=1, le=1000)] = 100.0
    live_plots: Literal["panel", "window", "no"] = "panel"
    congestion_control: Annotated[str, AfterValidator(_congestion_control)] = ""
    grid_px: Annotated[int, Field(ge=5, le=200)] = 20
    autosave: bool = True
    lab_timers: bool = True

    def results_root(self) -> Path | None:
        """The folder for results; None for the default."""
        return Path(os.path.expanduser(self.results_folder)) if self.results_folder else None


def load(path: Path) -> tuple[Preferences, tuple[str, ...]]:
    """The preferences in a file, and its errors.

    An invalid value is replaced by its default; the others hold.
    """
    file = UserFile(path)
    data = {key: value for key, value in file.read().items() if key in Preferences.model_fields}
    complaints = [file.error] if file.error else []
    while True:
        try:
            return Preferences.model_validate(data), tuple(complaints)
        except ValidationError as problem:
            error = problem.errors()[0]
            name = str(error["loc"][0])
            complaints.append(f"{path.name}: {name} cannot be {str(data.pop(name))[:60]!r} ({error['msg']})")


class PreferenceStore:
    """The preferences in force, and the listeners to their changes.

    Args:
        path: their file.

    Attributes:
        now: the preferences.
        complaints: what was wrong with their file.
    """

    def __init__(self, path: Path) -> None:
        self._file = UserFile(path)
        self.now, self.errors = load(path)
        self._listeners: list[Callable[[Preferences, Preferences], None]] = []

    @property
    def path(self) -> Path:
        """Their file."""
        return self._file.path

    def listen(self, listener: Callable[[Preferences, Preferences], None]) -> None:
        """Tell `listener` of every change, with the preferences before and after it."""
        self._listeners.append(listener)

    def change(self, after: Preferences) -> str:
        """Put these in force; returns why they could not be written, empty where they were."""
        before, self.now = self.now, after
        if after == before:
            return ""
        failed = self._file.write(after.model_dump(mode="json"))
        for listener in tuple(self._listeners):
            listener(before, after)
        return failed
