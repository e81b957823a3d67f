"""The window of File > Make Exercise: the two topologies, the checks to choose from, and the new folder."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from dataclasses import dataclass

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.exercises_view.candidate_tree import CandidateTree
from miniedit_frr.widgets.aside import put_in_middle

#: Text of the field of the solution for the drawing that is open.
DRAWING = "the open drawing"
_ENTRY, _WRAP = 70, 800
_FIELDS = (("title", "Title"), ("start", "Start"), ("solution", "Solution"), ("folder", "New folder"))


@dataclass(frozen=True)
class MakeActions:
    """The actions of the window.

    Attributes:
        choose: asks for the file or folder of a field, given its name.
        read: reads the two topologies, if they have changed.
        attempt: tries the candidates in labs.
        make: writes the exercise.
        leave: ends the labs if they run; returns whether the window may close.
    """

    choose: Callable[[str], object]
    read: Callable[[], object]
    attempt: Callable[[], object]
    make: Callable[[], object]
    leave: Callable[[], bool]


class MakeExerciseWindow(ttk.Toplevel):
    """The window. It reads and writes no files.

    Attributes:
        fields: the variable of each field, by name.
        entries: the entry of each field, by name.
        candidates: the tree of checks.
        fault, detail: the variables with the reason why nothing was made, and with details of the selected check.
        attempt_button, make_button: the buttons Try and Make.
    """

    def __init__(self, parent: tk.Misc, actions: MakeActions, ui: float, theme: Theme) -> None:
        super().__init__(title="Make Exercise", master=parent)
        put_in_middle(self, parent)
        self._actions, self._ui = actions, ui
        self.fields = {name: tk.StringVar(self) for name, _ in _FIELDS}
        self.entries: dict[str, ttk.Entry] = {}
        self.fault, self._said = tk.StringVar(self), tk.StringVar(self)
        self._build_form()
        self._build_foot()
        self.detail = tk.StringVar(self)
        ttk.Label(
            self, textvariable=self.detail, bootstyle="secondary", padding=(14, 2), wraplength=round(_WRAP * ui),
            justify="left",
        ).pack(side="bottom", fill="x")  # fmt: skip
        self.candidates = CandidateTree(self, ui, theme)
        self.candidates.pack(fill="both", expand=True, padx=12)
        self.candidates.on_select = self._show_detail
        self.candidates.on_change = self.show_points
        self.bind("<Escape>", lambda event: self.leave())
        self.protocol("WM_DELETE_WINDOW", self.leave)
        self._show_detail()
        self.entries["start"].focus_set()

    def _build_form(self) -> None:
        form = ttk.Frame(self, padding=(12, 12, 12, 4))
        form.pack(fill="x")
        form.columnconfigure(1, weight=1)
        for row, (name, label) in enumerate(_FIELDS):
            ttk.Label(form, text=label).grid(row=row, column=0, sticky="w", padx=(0, 10), pady=3)
            entry = self.entries[name] = ttk.Entry(form, textvariable=self.fields[name], width=_ENTRY)
            entry.grid(row=row, column=1, sticky="ew", pady=3)
            if name != "title":
                button = ttk.Button(
                    form, text="Choose…", bootstyle="secondary-outline",
                    command=lambda name=name: self._actions.choose(name),
                )  # fmt: skip
                button.grid(row=row, column=2, padx=(6, 0))
            if name in ("start", "solution"):
                entry.bind("<Return>", lambda event: self._actions.read())
                entry.bind("<FocusOut>", lambda event: self._actions.read())
        ttk.Label(
            self, textvariable=self.fault, bootstyle="danger", padding=(14, 0), wraplength=round(_WRAP * self._ui),
            justify="left",
        ).pack(fill="x")  # fmt: skip

    def _build_foot(self) -> None:
        foot = ttk.Frame(self, padding=12)
        foot.pack(side="bottom", fill="x")
        self.make_button = ttk.Button(foot, text="Make", bootstyle="primary", command=self._actions.make)
        self.make_button.pack(side="right")
        self.attempt_button = ttk.Button(foot, text="Try", bootstyle="primary-outline", command=self._actions.attempt)
        self.attempt_button.pack(side="right", padx=6)
        ttk.Button(foot, text="Close", bootstyle="secondary-outline", command=self.leave).pack(side="right")
        self._bar = ttk.Progressbar(foot, bootstyle="success", length=round(140 * self._ui))
        ttk.Label(foot, textvariable=self._said, bootstyle="secondary").pack(side="left")

    # --- shown by the controller ---

    def say(self, text: str) -> None:
        """Show a sentence beside the buttons."""
        self._said.set(text)

    def refuse(self, text: str) -> None:
        """Show why nothing was done; empty for no reason."""
        self.fault.set(text)

    def show_trying(self, done: int | None, total: int) -> None:
        """Show the progress of the labs; None if they are over."""
        self.make_button.configure(state="disabled" if done is not None else "normal")
        self.attempt_button.configure(text="Try" if done is None else "Cancel")
        if done is None:
            self._bar.pack_forget()
            return
        self._bar.configure(maximum=max(1, total), value=done)
        if not self._bar.winfo_manager():
            self._bar.pack(side="left", padx=(0, 10), before=self._bar.master.winfo_children()[-1])

    def show_points(self, remark: str = "") -> None:
        """Show the number of ticked checks and their points, and a sentence."""
        checks = self.candidates.ticked
        points = sum(check.points for check in checks)
        self.say(f"{len(checks)} {'check' if len(checks) == 1 else 'checks'}, {points} points. {remark}".rstrip())

    def leave(self) -> str:
        """Close the window, or only end the labs."""
        if self._actions.leave():
            self.destroy()
        return "break"

    def _show_detail(self) -> None:
        candidate = self.candidates.selected
        if candidate is None:
            self.detail.set(
                "Space or a click on a box ticks a check. F2 or a double click changes its points.\n"
                "Try shows in two labs which checks hold in the solution and fail at the start."
            )
            return
        result = self.candidates.result(candidate.check.id)
        lines = [f"If it fails, students read: {candidate.check.message}"]
        if result is not None:
            lines.append(f"Seen in the solution: {result.in_solution.seen}. At the start: {result.at_start.seen}.")
        elif candidate.better:
            titles = {other.check.id: other.check.title for other in self.candidates.candidates}
            lines.append(f"Better: {'; '.join(titles[name] for name in candidate.better[:3])}.")
        else:
            lines.append("")
        self.detail.set("\n".join(lines))
