"""The preferences of a user, for all topologies, stored in the user's configuration folder."""

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
        theme: "light", "dark", or "system" for the theme of the desktop.
        scaling_percent: size of texts and icons, 100 to 200; 0 for the scaling of the screen.
        terminal: program for terminal windows; empty for the first installed one.
        place: where labs run by default: "auto", "namespace", "labkernel" or "root".
        results_folder: folder in which every run gets a folder of its own; empty for `results` in the current folder.
        sample_hz: samples per second of each flow and queue, 1 to 1000.
        live_plots: where plots open automatically when flows run: "panel" (below the drawing), "window" or "no".
        congestion_control: the congestion control of new flows; empty for cubic.
        grid_px: distance of the grid's lines, 5 to 200 pixels at a zoom of 100 %.
        autosave: whether drafts of unsaved changes are written, for recovery after a crash.
        lab_timers: whether new routing protocols get short timers instead of FRR's defaults.
        apply_at_once: whether a running lab gets each edit of the drawing without a command.
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
    apply_at_once: bool = False

    def results_root(self) -> Path | None:
        """The folder for results; None for the default."""
        return Path(os.path.expanduser(self.results_folder)) if self.results_folder else None


def load(path: Path) -> tuple[Preferences, tuple[str, ...]]:
    """The preferences in a file, and the errors in it.

    An invalid value is replaced by its default. The other values are used.
    """
    file = UserFile(path)
    data = {key: value for key, value in file.read().items() if key in Preferences.model_fields}
    errors = [file.error] if file.error else []
    while True:
        try:
            return Preferences.model_validate(data), tuple(errors)
        except ValidationError as failure:
            error = failure.errors()[0]
            name = str(error["loc"][0])
            errors.append(f"{path.name}: {name} cannot be {str(data.pop(name))[:60]!r} ({error['msg']})")


class PreferenceStore:
    """The present preferences, their file, and the listeners to their changes.

    Args:
        path: the file.

    Attributes:
        now: the present preferences.
        errors: the errors that were found in the file.
    """

    def __init__(self, path: Path) -> None:
        self._file = UserFile(path)
        self.now, self.errors = load(path)
        self._listeners: list[Callable[[Preferences, Preferences], None]] = []

    @property
    def path(self) -> Path:
        """The file of the preferences."""
        return self._file.path

    def listen(self, listener: Callable[[Preferences, Preferences], None]) -> None:
        """Call `listener` after every change, with the old and the new preferences."""
        self._listeners.append(listener)

    def change(self, new: Preferences) -> str:
        """Use other preferences from now on; returns why they could not be written, empty for success."""
        old, self.now = self.now, new
        if new == old:
            return ""
        error = self._file.write(new.model_dump(mode="json"))
        for listener in tuple(self._listeners):
            listener(old, new)
        return error
