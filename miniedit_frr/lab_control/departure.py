"""Ends or detaches a running lab before its topology leaves the window."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

from ttkbootstrap.dialogs import Messagebox

from miniedit_frr.configs_view.controller import ConfigController
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.session.events import LabState
from miniedit_frr.user.paths import command_line

_STOP, _KEEP = "Stop the Lab", "Keep Running"
_QUESTION = "A lab of this drawing is running."
#: Maximum time that closing the window waits for the end of a lab.
_PATIENCE_MS = 12_000


class LabDeparture:
    """Asks whether to stop or detach the lab, and does so."""

    def __init__(self, main: MainWindow, lab: LiveLab, configs: ConfigController) -> None:
        self._main, self._lab, self._configs = main, lab, configs
        self._then: list[Callable[[], object]] = []
        self._gave_up = False

    def may_leave(self) -> bool:
        """Whether the topology may leave the window. If a lab runs, asks first, and returns when the lab has ended."""
        if not self._lab.is_alive:
            return True
        # A lab that starts, or sends flows for stored results, needs this program.
        keep = [f"{_KEEP}:info"] if self._lab.can_leave else []
        answer = Messagebox.show_question(
            _QUESTION,
            "The lab",
            parent=self._main.root,
            buttons=["Cancel:secondary-outline", *keep, f"{_STOP}:danger"],
        )
        if answer == _KEEP:
            self._wait_after(self._leave)
        elif answer == _STOP:
            self._wait_after(self._lab.stop)
        return self._is_over()

    def _leave(self) -> None:
        """Detach the lab."""
        self._lab.is_left = True
        self._lab.session.leave().then(lambda _: None, self._not_left)

    def _not_left(self, reason: str) -> None:
        self._lab.is_left = False
        self._main.say(f"The lab cannot keep running: {reason}")
        self.ended()

    def _is_over(self) -> bool:
        """Whether no lab runs, and no configuration changes of its routers wait for a decision."""
        return not (self._lab.is_alive or self._configs.is_waiting)

    def _wait_after(self, depart: Callable[[], object]) -> None:
        """Detach or end the lab, and wait for that; the window stays responsive."""
        if self._lab.is_alive:
            ended = tk.BooleanVar(self._main.root, False)
            self._then.append(lambda: ended.set(True))
            depart()
            self._main.root.wait_variable(ended)

    def end(self, then: Callable[[], object]) -> bool:
        """End the lab at once. Returns whether one ran; then `then` is called when nothing of it is left.

        A joined lab is detached again.
        """
        if not self._lab.is_alive or self._gave_up:
            return False
        self._then.append(then)
        # A running lab is stopped in order, since its configurations are read then.
        end = self._lab.stop if self._lab.state is LabState.RUNNING else self._lab.cancel
        (self._leave if self._lab.is_joined else end)()
        self._main.root.withdraw()
        self._main.root.after(_PATIENCE_MS, self._give_up)
        return True

    def end_text(self, previous: LabState) -> str:
        """The message about a lab that has ended without a failure, from its previous state."""
        if self._lab.is_left:
            return f"The lab keeps running. Run > Join, or `{command_line('labs')}`, connects to it again."
        return "Cancelled." if previous is LabState.STARTING else "The lab has stopped."

    def _give_up(self) -> None:
        self._gave_up = True
        self.ended()

    def ended(self) -> None:
        """The lab has ended or is detached: call the functions that wait for that."""
        then, self._then = self._then, []
        for call in then:
            call()
