"""The user's preferences in a window: their dialog, and the effects of changes."""

from __future__ import annotations

import dataclasses
import tkinter as tk
from collections.abc import Callable
from typing import Any

from frrlib.places import PlaceName
from miniedit_frr.canvas.view import View
from miniedit_frr.dialogs.dialog import FormDialog
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.kinds import (
    CONTROLS,
    USUAL_OR_CONGESTION_CONTROL,
    TextKind,
    choice,
    flag,
    quantity,
    words,
)  # fmt: skip
from miniedit_frr.dialogs.fields.quantities import Measure
from miniedit_frr.dialogs.opener import Dialogs
from miniedit_frr.dialogs.parts import FieldGroup, Tab
from miniedit_frr.user.preferences import Preferences, PreferenceStore
from miniedit_frr.widgets.screen_scale import scale_of
from miniedit_frr.widgets.worker import Worker
from miniedit_frr.window.desktop_theme import query_desktop_theme, theme_in_files
from miniedit_frr.window.terminals import available_terminals

_THEMES = {"system": "as the desktop", "light": "light", "dark": "dark"}
_SCALINGS = {"0": "as set by the screen"} | {str(percent): f"{percent} %" for percent in (100, 125, 150, 175, 200)}
_PLACES = {str(place): place.about if place is PlaceName.AUTO else f"{place}: {place.about}" for place in PlaceName}
_LIVE_PLOTS = {"panel": "in the panel below the drawing", "window": "in a separate window", "no": "not automatically"}


def _number_choice(options: dict[str, str]) -> TextKind:
    kind = choice(options)
    return dataclasses.replace(kind, read=lambda text: int(kind.read(text)))


_GRID = quantity(Measure("px", {}, "20", whole=True))
_RATE = quantity(Measure("1/s", {}, "100"))


def tabs(added_controls: Callable[[], tuple[str, ...]] = lambda: ()) -> tuple[Tab, ...]:
    """The pages of the dialog.

    Args:
        added_controls: returns the congestion controls that the user has added for all labs.
    """
    terminals = {"": "a tab, if xterm is installed", **{terminal: terminal for terminal in available_terminals()}}
    return (
        Tab("Window", (
            Field("theme", "Theme", choice(_THEMES)),
            Field("scaling_percent", "Size of texts and icons", _number_choice(_SCALINGS),
                  "Takes effect at the next start."),
            Field("grid_px", "Grid", _GRID,
                  "Distance of the grid lines in pixels, 5 to 200. The View menu shows it and turns snapping on."),
            Field("lab_timers", "Lab timers for new routing", flag(),
                  "Lost neighbors and new paths are detected within seconds. Off: FRR's default timers, for large "
                  "networks."),
            Field("autosave", "Keep unsaved changes", flag(),
                  "A copy is stored a few seconds after an edit and can be recovered after a crash."),
        )),
        Tab("Labs", (
            Field("place", "Place", choice(_PLACES), "Where labs run, unless the Place menu selects another place."),
            Field("terminal", "Terminal", choice(terminals),
                  "Program for terminal windows. Without a choice, a double click on a node of a lab opens a tab."),
            Field("apply_at_once", "Apply edits at once", flag(),
                  "A running lab gets each edit of the drawing. Off: edits wait for F5."),
            FieldGroup("Measurements", (
                Field("results_folder", "Results folder", dataclasses.replace(words(width=22), widget="folder"),
                      "Folder in which each run creates its own folder. Empty: miniedit-frr in your documents."),
                Field("sample_hz", "Samples", _RATE, "Samples per second of every flow and queue, 1 to 1000."),
                Field("live_plots", "Live plots", choice(_LIVE_PLOTS), "Where plots appear when flows run."),
                Field("congestion_control", "Congestion control", USUAL_OR_CONGESTION_CONTROL,
                      "Congestion control of new flows, such as cubic or bbr. Empty: cubic.",
                      offers=lambda context, root: [*added_controls(), *CONTROLS]),
            )),
        )),
    )  # fmt: skip


class PreferencesController:
    """Applies the preferences of the user to a window.

    Args:
        store: the preferences and their file.
        say: shows a message to the user.

    Attributes:
        dialog: the open dialog; None if it is closed.
        on_theme: called when the theme has changed.
    """

    def __init__(self, personal: PreferenceStore, say: Callable[[str], None]) -> None:
        self.store, self._say = personal, say
        self.dialog: FormDialog | None = None
        self.on_theme: Callable[[], None] = lambda: None
        self._desktop_theme = theme_in_files() or "light"
        self._window: tk.Tk | None = None
        self._added_controls: Callable[[], tuple[str, ...]] = lambda: ()
        personal.listen(self._changed)

    @property
    def now(self) -> Preferences:
        """The current preferences."""
        return self.store.now

    def uses_lab_timers(self) -> bool:
        """Whether new routing gets lab timers, else FRR's default timers."""
        return self.now.lab_timers

    @property
    def theme(self) -> str:
        """The effective theme: "light" or "dark"."""
        return self._desktop_theme if self.now.theme == "system" else self.now.theme

    def join(self, view: View, dialogs: Dialogs) -> None:
        """Apply the preferences to the canvas and the dialogs, now and after changes."""
        dialogs.congestion_control = lambda: self.now.congestion_control or "cubic"
        self._added_controls = lambda: dialogs.added_controls()
        dialogs.lab_timers = lambda: self.now.lab_timers
        self.store.listen(lambda old, new: view.snap_grid.set_pitch(new.grid_px))
        view.snap_grid.set_pitch(self.now.grid_px)

    @property
    def scaling(self) -> float | None:
        """The preferred pixels per point; None for the screen's own. The theme needs it from the start."""
        percent = self.now.scaling_percent
        return percent / 100 * 96 / 72 if percent >= 100 else None

    def scale(self, window: tk.Tk) -> float:
        """Use this window. Returns the scaling of everything that is not text, 1 for 96 dots per inch."""
        self._window = window
        return scale_of(window)

    def begin(self) -> None:
        """The window is complete: report errors of the file, and query the desktop for its theme."""
        for error in self.store.errors:
            self._say(error)
        if self.now.theme == "system" and self._window is not None:
            Worker(self._window).do("theme", lambda: query_desktop_theme(), self._use_desktop_theme)

    def close(self) -> None:
        """The window closes."""
        if self.dialog is not None:
            self.dialog.close()

    def switch_theme(self) -> None:
        """Switch between light and dark."""
        self.change(theme="light" if self.theme == "dark" else "dark")

    def change(self, **changes: Any) -> None:
        """Change some preferences."""
        self._take((Preferences.model_validate({**self.now.model_dump(), **changes}),))

    def open(self) -> None:
        """Open the dialog, or bring it to the front."""
        if self._window is None:
            return
        if self.dialog is not None:
            self.dialog.window.lift()
            return
        ui = scale_of(self._window)
        self.dialog = FormDialog(self._window, "Preferences", tabs(self._added_controls), (self.now,), ui, self._take)
        self.dialog.on_close = self._closed

    def _closed(self) -> None:
        self.dialog = None

    def _take(self, values: tuple[Any, ...]) -> str:
        failed = self.store.change(values[0])
        if failed:
            self._say(f"The preferences could not be saved and apply only until the window is closed: {failed}")
        return ""

    def _changed(self, previous: Preferences, current: Preferences) -> None:
        if self.dialog is not None:
            self.dialog.draft.rebase((current,))
        if previous.theme != current.theme:
            self.on_theme()

    def _use_desktop_theme(self, theme: str) -> None:
        """Use the theme that the desktop has reported; empty if it has none."""
        if theme and theme != self._desktop_theme:
            self._desktop_theme = theme
            if self.now.theme == "system":
                self.on_theme()
