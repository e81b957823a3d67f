"""Edits while the lab runs: connects the line below the canvas with the lab and with all parts that show the lab."""

from __future__ import annotations

from collections.abc import Callable

from frrlib.model.topology import Topology
from miniedit_frr.canvas.view import View
from miniedit_frr.document.document import Document
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.lab_control.convergence import report_convergence
from miniedit_frr.lab_control.mode import LabMode
from miniedit_frr.running_lab.changes_bar import ChangesBar
from miniedit_frr.running_lab.consent import Consent
from miniedit_frr.running_lab.display import LabDisplay
from miniedit_frr.running_lab.drawn_changes import DrawnChanges, Notice
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.session.changing import ChangedLab
from miniedit_frr.session.events import OtherTopology
from miniedit_frr.user.preferences import Preferences, PreferenceStore
from miniedit_frr.widgets.deferred import DeferredCall


class LabChanges:
    """The changes of the running lab by edits.

    Attributes:
        drawn: the differences between the drawing and the lab.
        bar: the line that shows them.
        on_change: called with the new topology of the lab, after the display has its nodes and links.
    """

    def __init__(
        self, main: MainWindow, document: Document, view: View, lab: LiveLab, display: LabDisplay, consent: Consent,
        preferences: PreferenceStore,
    ) -> None:  # fmt: skip
        self._main, self._lab, self._display, self._preferences = main, lab, display, preferences
        self.bar = ChangesBar(main, view)
        self.on_change: list[Callable[[Topology], object]] = []
        self._show_buttons: Callable[[], object] = lambda: None
        self.drawn = DrawnChanges(
            document, lab, main.say, lambda function: DeferredCall(main.root, function).soon, self._show,
            lambda topology: consent.may_run(topology, lab.file),
        )  # fmt: skip
        self.bar.on_apply, self.bar.on_revert = self.drawn.apply, self.drawn.revert
        self.drawn.on_applied.append(self._applied)
        self.drawn.applies_at_once = lambda: preferences.now.apply_at_once
        preferences.listen(self._follow_preferences)

    def _show(self, notice: Notice | None) -> None:
        self.bar.show(notice)
        self._show_buttons()

    def show_in(self, mode: LabMode) -> None:
        """Have the buttons of the window show whether there are changes to apply."""
        mode.can_apply, self._show_buttons = lambda: self.drawn.can_apply, mode.show_buttons

    def toggle_at_once(self) -> None:
        """From now on the lab gets each edit at once, or edits wait for a command again."""
        now = self._preferences.now
        if error := self._preferences.change(now.model_copy(update={"apply_at_once": not now.apply_at_once})):
            self._main.say(error)

    def _follow_preferences(self, old: Preferences, new: Preferences) -> None:
        if new.apply_at_once != old.apply_at_once:
            self.drawn.follow()

    def take_over(self, event: OtherTopology) -> None:
        """Another program has changed the running lab: show its new state, and compare it with the drawing."""
        self.drawn.take_over(event.drawn)

    def _applied(self, changed: ChangedLab) -> None:
        self._display.adopt(self._lab.topology, changed)
        for listener in self.on_change:
            listener(self._lab.topology)
        for name, text in (*changed.warnings, *changed.failed_commands):
            self._main.say(f"{name}: {text}" if name else text)
        report_convergence(self._main, self._lab)
