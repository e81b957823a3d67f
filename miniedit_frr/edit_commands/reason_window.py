"""The window that explains a problem."""

from __future__ import annotations

import math
import tkinter as tk
from collections.abc import Callable
from tkinter import font

import ttkbootstrap as ttk

from frrlib.checks.check import RUNNABLE
from frrlib.checks.explanations import REASONS, anchor
from frrlib.model.labels import place_of, remedy
from frrlib.model.problem import Problem
from frrlib.model.topology import Topology
from frrlib.picture.theme import Theme
from miniedit_frr.widgets.aside import put_aside
from miniedit_frr.widgets.deferred import DeferredCall

_MOST_LINES = 30


class ReasonWindow(ttk.Toplevel):
    """Shows a problem: its meaning, its effects, and the remedy. Another problem replaces it.

    Attributes:
        text: the whole text.
        fix: the button for the fix; visible only if there is one.
        on_fix: called with the problem when the button is pressed.
        intend: the button that lets the lab run with errors of this kind, or no longer; visible where that is possible.
        on_intend: called with the problem when that button is pressed.
    """

    def __init__(self, parent: tk.Misc, ui: float) -> None:
        super().__init__(title="Why?", master=parent)
        put_aside(self, parent)
        self._ui = ui
        self._problem: Problem | None = None
        self.on_fix: Callable[[Problem], object] = lambda problem: None
        self.on_intend: Callable[[Problem], object] = lambda problem: None
        bar = ttk.Frame(self, padding=(10, 6))
        bar.pack(side="bottom", fill="x")
        ttk.Button(bar, text="Close", bootstyle="secondary-outline", command=self.destroy).pack(side="right")
        self.fix = ttk.Button(bar, bootstyle="primary", command=self._request_fix)
        self.intend = ttk.Button(bar, bootstyle="secondary", command=self._request_intent)
        self.text = tk.Text(self, width=72, height=17, wrap="word", borderwidth=0, padx=round(14 * ui),
                            pady=round(10 * ui), font="TkDefaultFont", spacing3=round(3 * ui))  # fmt: skip
        self.text.pack(fill="both", expand=True, padx=8, pady=(8, 0))
        self.bind("<Escape>", lambda event: self.destroy())

    def show(self, problem: Problem, fix: str, theme: Theme, topology: Topology | None = None) -> None:
        """Explain this problem.

        Args:
            fix: the label of the fix; empty for none.
            topology: the topology, in which links are named by their ends.
        """
        self._problem = problem
        colors = {"error": theme.error, "warning": theme.warning, "note": theme.note}
        self.text.configure(background=theme.card, foreground=theme.text, highlightthickness=0, state="normal")
        self.text.tag_configure("kind", font="TkHeadingFont", foreground=colors[problem.severity.value])
        self.text.tag_configure("head", font="TkHeadingFont", spacing1=round(8 * self._ui))
        self.text.tag_configure("faint", foreground=theme.faint, spacing1=round(8 * self._ui))
        self.text.delete("1.0", "end")
        for text, tag in _paragraphs(problem, topology):
            self.text.insert("end", text + "\n", tag)
        self.text.configure(state="disabled")
        DeferredCall(self.text, self._fit).soon()
        self.title(f"Why? {problem.kind}")
        self.fix.configure(text=f"Fix: {fix}")
        if fix:
            self.fix.pack(side="left")
        else:
            self.fix.pack_forget()
        is_intended = topology is not None and problem.kind in topology.intended_problems
        self.intend.configure(text="No Longer Intended" if is_intended else "Run All the Same")
        if problem.kind in RUNNABLE and (problem.severity == "error" or is_intended):
            self.intend.pack(side="left", padx=(8 if fix else 0, 0))
        else:
            self.intend.pack_forget()
        self.lift()

    def _fit(self) -> None:
        """Make the window as high as the text, up to the height of a small screen."""
        self.text.update_idletasks()
        count = self.text.count("1.0", "end", "update", "ypixels")
        height_px = count[0] if isinstance(count, tuple) else count or 0
        line_px = font.nametofont("TkDefaultFont").metrics("linespace") + self.text.winfo_pixels(self.text["spacing3"])
        self.text.configure(height=min(_MOST_LINES, math.ceil(height_px / line_px)))

    def _request_fix(self) -> None:
        if self._problem is not None:
            self.on_fix(self._problem)
            self.destroy()

    def _request_intent(self) -> None:
        if self._problem is not None:
            self.on_intend(self._problem)
            self.destroy()


def _paragraphs(problem: Problem, topology: Topology | None) -> list[tuple[str, str]]:
    """The paragraphs and their styles."""
    place = place_of(problem, topology)
    parts = [
        (f"{problem.severity.value}: {problem.kind}", "kind"),
        (f"{place}: {problem.message}.", ""),
    ]
    if problem.remedy:
        parts.append((f"{remedy(problem.remedy)}.", ""))
    reason = REASONS.get(problem.kind)
    if reason is not None:
        parts += [("What it means", "head"), (reason.means, ""), ("Why it matters", "head"), (reason.matters, "")]
        parts += [("What to do", "head"), (reason.todo, ""), (anchor(problem.kind), "faint")]
    return parts
