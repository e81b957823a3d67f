"""The exercise beside its drawing: the text of a chapter, its tasks, the points, and the buttons for them."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from dataclasses import dataclass

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.exercises_view.markdown_text import MarkdownText
from miniedit_frr.exercises_view.task_list import TaskList
from miniedit_frr.exercises_view.views import PanelView, TaskView, points_text

#: Width of the panel at first, in units.
WIDTH = 370


@dataclass(frozen=True)
class PanelActions:
    """The actions of the panel's buttons.

    Attributes:
        check: makes the check of this id, or all checks if it is empty.
        cancel: ends the checks.
        answer: keeps a typed answer, given the id of its check.
        pick: shows a task's nodes on the canvas.
        why: explains the missing neighbor or route of a task.
        turn: shows another chapter: the previous one (-1) or the next one (1).
        hint, restore, hand_in: the actions of these buttons.
    """

    check: Callable[[str], object]
    cancel: Callable[[], object]
    answer: Callable[[str, str], object]
    pick: Callable[[TaskView], object]
    why: Callable[[TaskView], object]
    turn: Callable[[int], object]
    hint: Callable[[], object]
    restore: Callable[[], object]
    hand_in: Callable[[], object]


class ExercisePanel(ttk.Frame):
    """The panel.

    Attributes:
        view: its contents.
        text, tasks: the text and the tasks of the chapter.
        check_button, hint_button, restore_button, hand_in_button, back, forward: the buttons.
        status: the label with the last message.
        progress: the bar that shows the progress of checks; visible while they are made.
    """

    def __init__(self, parent: tk.Misc, actions: PanelActions, ui: float, theme: Theme) -> None:
        super().__init__(parent, padding=(round(8 * ui), round(6 * ui)), width=round(WIDTH * ui))
        self._actions, self._ui = actions, ui
        self.view: PanelView | None = None
        self._is_checking = False
        self._build_head()
        self._build_foot()
        halves = ttk.Panedwindow(self, orient="vertical")
        halves.pack(fill="both", expand=True, pady=4)
        above = ttk.Frame(halves)
        self.text = MarkdownText(above, ui)
        # It is always visible: a wrapped text would need it or not, depending on whether it is there.
        scrollbar = ttk.Scrollbar(above, command=self.text.yview)
        scrollbar.pack(side="right", fill="y")
        self.text.configure(yscrollcommand=scrollbar.set)
        self.text.pack(side="left", fill="both", expand=True)
        below = ttk.Frame(halves)
        ttk.Separator(below).pack(fill="x")
        self.tasks = TaskList(below, actions.check, actions.answer, actions.pick, actions.why, ui)
        self.tasks.pack(fill="both", expand=True)
        halves.add(above, weight=3)
        halves.add(below, weight=2)
        self.color(theme)
        self.bind("<Escape>", lambda event: actions.cancel())
        self.bind("<Configure>", lambda event: self._wrap(event.width))
        self._wrap(round(WIDTH * ui))

    def _wrap(self, width_px: int) -> None:
        """Wrap texts at a width of the panel, so that a long name does not make it wider."""
        for label, margin in ((self._title, 20), (self._chapter, 110), (self.status, 20)):
            label.configure(wraplength=max(80, width_px - round(margin * self._ui)))

    def _build_head(self) -> None:
        self._title = ttk.Label(self, font="TkHeadingFont", anchor="w", justify="left")
        self._title.pack(fill="x")
        points = ttk.Frame(self)
        points.pack(fill="x", pady=(2, 4))
        self._points = ttk.Label(points, bootstyle="secondary")
        self._points.pack(side="right", padx=(8, 0))
        self.bar = ttk.Progressbar(points, bootstyle="success")
        self.bar.pack(side="left", fill="x", expand=True)
        turning = ttk.Frame(self)
        turning.pack(fill="x")
        self.back = ttk.Button(
            turning, text="◂", width=2, bootstyle="secondary-outline", command=lambda: self._actions.turn(-1)
        )
        self.forward = ttk.Button(
            turning, text="▸", width=2, bootstyle="secondary-outline", command=lambda: self._actions.turn(1)
        )
        self.back.pack(side="left")
        self.forward.pack(side="right")
        self._chapter = ttk.Label(turning, anchor="center", justify="center")
        self._chapter.pack(fill="x", expand=True, padx=4, pady=4)

    def _build_foot(self) -> None:
        foot = ttk.Frame(self)
        foot.pack(side="bottom", fill="x")
        self.progress = ttk.Progressbar(foot, bootstyle="primary")
        self.status = ttk.Label(foot, justify="left")
        self.status.pack(side="top", fill="x", pady=(0, 4))
        buttons = ttk.Frame(foot)
        buttons.pack(side="bottom", fill="x")
        self.check_button = ttk.Button(buttons, text="Check All", bootstyle="primary", command=self._check_or_cancel)
        self.hint_button = ttk.Button(buttons, command=self._actions.hint, bootstyle="secondary-outline")
        self.restore_button = ttk.Button(
            buttons, text="Restore…", command=self._actions.restore, bootstyle="secondary-outline"
        )
        self.hand_in_button = ttk.Button(
            buttons, text="Hand In…", command=self._actions.hand_in, bootstyle="success-outline"
        )
        for column, button in enumerate(
            (self.check_button, self.hint_button, self.restore_button, self.hand_in_button)
        ):
            button.configure(padding=(5, 4))
            button.grid(row=0, column=column, sticky="ew", padx=(0 if column == 0 else 3, 0))
            buttons.columnconfigure(column, weight=1)

    def _check_or_cancel(self) -> None:
        if self._is_checking:
            self._actions.cancel()
        else:
            self._actions.check("")

    def show(self, view: PanelView) -> None:
        """Show these contents."""
        before, self.view = self.view, view
        self._title.configure(text=f"{view.title}  ·  {view.student}")
        self._points.configure(text=f"{view.points} of {points_text(view.possible)}")
        self.bar.configure(maximum=max(1, view.possible), value=view.points)
        self._chapter.configure(text=f"{view.chapter}  ·  {view.chapter_points}")
        if before is None or (before.text, before.folder) != (view.text, view.folder):
            is_longer = before is not None and before.chapter == view.chapter
            self.text.show(view.text, view.folder)
            if is_longer:
                self.text.see_end()
        self._show_buttons()

    def show_checking(self, done: int | None, total: int) -> None:
        """Show how many checks are made; None if none are made now."""
        self._is_checking = done is not None
        if done is None:
            self.progress.pack_forget()
        else:
            self.progress.configure(maximum=max(1, total), value=done)
            self.progress.pack(side="top", fill="x", before=self.status, pady=(0, 3))
        self._show_buttons()

    def say(self, text: str) -> None:
        """Show a message above the buttons."""
        self.status.configure(text=text)

    def color(self, theme: Theme) -> None:
        """Show the panel in a theme's colors."""
        self.text.color(theme)
        self.tasks.color(theme)

    def _show_buttons(self) -> None:
        view, is_free = self.view, not self._is_checking
        if view is None:
            return
        self.tasks.show(view.tasks, view.is_current and is_free)
        self.check_button.configure(text="Check All" if is_free else "Cancel")
        _switch(self.check_button, view.is_current or not is_free)
        price = view.hint_price
        self.hint_button.configure(text="Hint" if price is None else f"Hint (-{price})")
        _switch(self.hint_button, price is not None and is_free)
        _switch(self.restore_button, view.can_restore and is_free)
        _switch(self.hand_in_button, is_free)
        _switch(self.back, view.has_previous)
        _switch(self.forward, view.has_next)


def _switch(button: ttk.Button, is_on: bool) -> None:
    button.configure(state="normal" if is_on else "disabled")
