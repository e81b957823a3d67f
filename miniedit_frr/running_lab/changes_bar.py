"""The line below the canvas about edits that are not in the running lab."""

from __future__ import annotations

from collections.abc import Callable

import ttkbootstrap as ttk

from miniedit_frr.canvas.view import View
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.editor.message_bar import Answer, MessageBar
from miniedit_frr.running_lab.drawn_changes import Notice
from miniedit_frr.widgets.deferred import DeferredCall
from miniedit_frr.widgets.text_window import TextWindow

APPLY, DETAILS, REVERT = "Apply (F5)", "Details…", "Revert"
#: Time until a change shows that it is in progress; most changes are done by then.
_PATIENCE_MS = 1000


class ChangesBar:
    """Shows a notice with its commands.

    Attributes:
        bar: the line.
        progress: visible in the line while the lab is being changed for longer than a second.
        window: the last list of all changes; None before the first.
        on_apply, on_revert: called when the buttons are pressed.
    """

    def __init__(self, main: MainWindow, view: View) -> None:
        self._main, self._view = main, view
        self.bar = MessageBar(view.master, view, main.ui, "bottom")
        self.progress = ttk.Progressbar(self.bar, mode="indeterminate", length=round(140 * main.ui))
        self.window: TextWindow | None = None
        self.on_apply: Callable[[], object] = lambda: None
        self.on_revert: Callable[[], object] = lambda: None
        self._notice: Notice | None = None
        #: The notice of the last change that began.
        self._begun: Notice | None = None
        self._later = DeferredCall(self.bar, self._show_progress)

    def show(self, notice: Notice | None) -> None:
        """Show a notice; None hides the line."""
        self._notice = notice
        self.progress.stop()
        self.progress.place_forget()
        if notice is None:
            self.bar.hide()
            return
        answers: list[Answer] = [(APPLY, self.on_apply)] if notice.can_apply else []
        answers += [(DETAILS, self._show_details)] if notice.details else []
        answers += [(REVERT, self.on_revert)] if not notice.is_busy else []
        self.bar.show(notice.text, answers)
        if notice.is_busy:
            self._begun = notice
            self._later.soon(_PATIENCE_MS)
        if self.window is not None and self.window.winfo_exists():
            self.window.reload()

    def _show_progress(self) -> None:
        if self._begun is not None and self._notice is self._begun:
            self.progress.place(relx=1.0, rely=0.5, x=-round(10 * self._main.ui), anchor="e")
            self.progress.start(20)

    def _show_details(self) -> None:
        if self.window is not None and self.window.winfo_exists():
            self.window.lift()
            return
        self.window = TextWindow(
            self._main.root, "Changes for the Running Lab", "changes.txt", self._fill, self._main.ui, self._main.theme,
            lines=16,
        )  # fmt: skip

    def _fill(self, window: TextWindow) -> None:
        window.fill(self._notice.details if self._notice is not None else "")
