"""The tasks of a chapter: the state of each, its result in words, its buttons, and a field for an answer."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from functools import partial

import ttkbootstrap as ttk
from ttkbootstrap.widgets import ScrolledFrame

from frrlib.picture.theme import Theme
from miniedit_frr.exercises_view.views import TaskView, points_text

#: Marks of tasks by their state.
_HOLDS, _FAILS, _NOT_MADE, _OPEN = "✓", "✗", "-", "○"


class TaskList(ScrolledFrame):
    """The tasks.

    Args:
        check: called with the id of a task to check.
        answer: called with the id of a question and its typed answer.
        pick: called with a task that was clicked.
        why: called with a task whose missing neighbor or route shall be explained.

    Attributes:
        rows: the row of each task, by id.
    """

    def __init__(
        self, parent: tk.Misc, check: Callable[[str], object], answer: Callable[[str, str], object],
        pick: Callable[[TaskView], object], why: Callable[[TaskView], object], ui: float,
    ) -> None:  # fmt: skip
        super().__init__(parent, auto_hide=False, width=round(358 * ui), height=round(120 * ui))
        self._check, self._answer, self._pick, self._why, self._ui = check, answer, pick, why, ui
        self.rows: dict[str, TaskRow] = {}
        self._theme: Theme | None = None
        self.container.bind("<Configure>", lambda event: self._wrap(), add=True)

    def show(self, tasks: tuple[TaskView, ...], can_check: bool) -> None:
        """Show these tasks. Text that is being typed into a field stays."""
        if tuple(self.rows) != tuple(task.id for task in tasks):
            for row in self.rows.values():
                row.destroy()
            self.rows = {}
            for task in tasks:
                check, answer = partial(self._check, task.id), partial(self._answer, task.id)
                self.rows[task.id] = TaskRow(self, check, answer, self._pick, self._why, self._ui)
            for row in self.rows.values():
                row.pack(fill="x", padx=(0, round(14 * self._ui)))
            self.yview_moveto(0.0)
        for task in tasks:
            self.rows[task.id].show(task, can_check, self._theme)
        self._wrap()

    def color(self, theme: Theme) -> None:
        """Show the tasks in a theme's colors."""
        self._theme = theme
        for row in self.rows.values():
            row.color(theme)

    def take_answers(self) -> None:
        """Pass on all answers that were typed and not passed on yet."""
        for row in self.rows.values():
            row.take_answer()

    def _wrap(self) -> None:
        width = self.container.winfo_width()
        for row in self.rows.values():
            row.wrap(width - round(186 * self._ui), width - round((128 if row.can_ask else 64) * self._ui))


class TaskRow(ttk.Frame):
    """One task.

    Attributes:
        task: the task.
        button: the Check button.
        why_button: the button that explains a missing neighbor or route; visible only where one is missing.
        entry: the field for an answer, which only questions show.
        title, remark: the labels with the task and the reason why it does not hold.
    """

    def __init__(
        self, parent: tk.Misc, check: Callable[[], object], answer: Callable[[str], object],
        pick: Callable[[TaskView], object], why: Callable[[TaskView], object], ui: float,
    ) -> None:  # fmt: skip
        super().__init__(parent, padding=(2, round(3 * ui)))
        self.task: TaskView | None = None
        self._answer, self._theme = answer, None
        self.columnconfigure(1, weight=1)
        self._mark = ttk.Label(self, width=2, font="TkHeadingFont", anchor="n")
        self._mark.grid(row=0, column=0, sticky="n")
        self.title = ttk.Label(self, justify="left")
        self.title.grid(row=0, column=1, sticky="w")
        self._points = ttk.Label(self, bootstyle="secondary")
        self._points.grid(row=0, column=2, sticky="ne", padx=6)
        self.button = ttk.Button(self, text="Check", command=check, bootstyle="link", padding=(4, 0))
        self.button.grid(row=0, column=3, sticky="ne")
        self.why_button = ttk.Button(
            self, text="Why?", bootstyle="link", padding=(4, 0),
            command=lambda: why(self.task) if self.task is not None else None,
        )  # fmt: skip
        self.entry = ttk.Entry(self, width=18)
        self.entry.bind("<Return>", lambda event: check())
        self.entry.bind("<FocusOut>", lambda event: self.take_answer())
        self.remark = ttk.Label(self, justify="left", bootstyle="danger")
        for part in (self._mark, self.title, self.remark):
            part.bind("<Button-1>", lambda event: pick(self.task) if self.task is not None else None)

    def show(self, task: TaskView, can_check: bool, theme: Theme | None) -> None:
        """Show a state of the task."""
        before, self.task = self.task, task
        self.title.configure(text=task.title)
        self._points.configure(text=points_text(task.points))
        self.button.configure(state="normal" if can_check else "disabled")
        self.entry.configure(state="normal" if can_check else "readonly")
        if task.answer is not None and (before is None or before.answer != task.answer):
            self.entry.configure(state="normal")
            self.entry.delete(0, "end")
            self.entry.insert(0, task.answer)
            self.entry.configure(state="normal" if can_check else "readonly")
            self.entry.grid(row=1, column=1, columnspan=3, sticky="w", pady=3)
        self.remark.configure(text=task.remark, cursor="hand2" if task.nodes else "")
        self.title.configure(cursor="hand2" if task.nodes and not task.holds else "")
        if task.remark:
            self.remark.grid(row=2, column=1, columnspan=2 if self.can_ask else 3, sticky="w")
        else:
            self.remark.grid_remove()
        if self.can_ask:
            self.why_button.grid(row=2, column=3, sticky="ne")
        else:
            self.why_button.grid_remove()
        if theme is not None:
            self.color(theme)

    @property
    def can_ask(self) -> bool:
        """Whether the reason for a missing neighbor or route can be asked for."""
        return self.task is not None and self.task.missing is not None

    def color(self, theme: Theme) -> None:
        """Show the mark in its color."""
        if self.task is None:
            return
        if self.task.holds:
            mark, color = _HOLDS, theme.up
        elif self.task.state == "fails":
            mark, color = _FAILS, theme.error
        else:
            mark, color = (_NOT_MADE if self.task.state else _OPEN), theme.faint
        self._mark.configure(text=mark, foreground=color)
        self.remark.configure(foreground=theme.error if self.task.state == "fails" else theme.faint)

    def take_answer(self) -> None:
        """Pass on the answer if another one was typed."""
        if self.task is None or self.task.answer is None:
            return
        text = self.entry.get().strip()
        if text != self.task.answer:
            self._answer(text)

    def wrap(self, title_px: int, remark_px: int) -> None:
        """Wrap the texts at these widths."""
        for label, width in ((self.title, title_px), (self.remark, remark_px)):
            if int(str(label.cget("wraplength") or 0)) != max(80, width):
                label.configure(wraplength=max(80, width))
