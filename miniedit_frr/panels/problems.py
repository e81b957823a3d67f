"""The list of problems. A click goes to the place of a problem, applies its fix, or explains it."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from tkinter import font as tkfont

import ttkbootstrap as ttk

from frrlib.checks.fix_offers import is_fixed_unasked
from frrlib.model.labels import place_of, place_words, sentences
from frrlib.model.problem import Problem, Severity
from frrlib.model.topology import Topology
from frrlib.picture.theme import LIGHT, Theme
from miniedit_frr.widgets.ellipsis import elide
from miniedit_frr.widgets.list_parts import AutoScrollbar, EmptyListNote
from miniedit_frr.widgets.popup import popup_menu

_MARKS = {"error": "● error", "warning": "▲ warning", "note": "· note"}
#: Columns: name, title, width, and share of the remaining width.
_COLUMNS = (
    ("severity", "", 84, 0.0),
    ("where", "Where", 160, 0.0),
    ("why", "Problem", 120, 0.65),
    ("right", "Suggestion", 60, 0.35),
    ("fix", "", 54, 0.0),
    ("reason", "", 66, 0.0),
)
_ORDER = tuple(Severity)
_FIX, _WHY = "▸ Fix", "▸ Why?"
_HINT = "Click a problem to go to its place. Fix applies the suggested change. Why? explains the problem."


class ProblemList(ttk.Frame):
    """One line for every problem of the topology. The full text of the current line is shown below.

    Attributes:
        tree: the widget with the lines.
        fix_all: the button that fixes all problems except notes.
        on_pick: called with a problem whose line was clicked.
        on_fix, on_why: called with a problem whose Fix or Why? was clicked.
        on_fix_all: called when the button is pressed.
    """

    def __init__(self, parent: tk.Misc, ui: float) -> None:
        super().__init__(parent)
        self.on_pick: Callable[[Problem], object] = lambda problem: None
        self.on_fix: Callable[[Problem], object] = lambda problem: None
        self.on_why: Callable[[Problem], object] = lambda problem: None
        self.on_fix_all: Callable[[], object] = lambda: None
        self._problems: tuple[Problem, ...] = ()
        self._fixes: Mapping[Problem, str] = {}
        self._topology: Topology | None = None
        self._theme = LIGHT
        self._font, self._beside_px = tkfont.nametofont("TkDefaultFont"), 8
        self._strip(ui)
        self.tree = ttk.Treeview(self, columns=[name for name, *_ in _COLUMNS], show="headings", height=4)
        for column, title, width, _ in _COLUMNS:
            self.tree.heading(column, text=title, anchor="w")
            self.tree.column(column, width=round(width * ui), minwidth=round(40 * ui), stretch=False, anchor="w")
        self.tree.bind("<Configure>", lambda event: self._share_out(event.width / ui, ui))
        self.tree.pack(side="left", fill="both", expand=True)
        AutoScrollbar(self, self.tree)
        self._none = EmptyListNote(self.tree, "No problems.")
        self._none.show(True)
        self.tree.bind("<<TreeviewSelect>>", lambda event: self._pick())
        self.tree.bind("<Button-1>", self._press)
        self.tree.bind("<Button-3>", self._menu)
        self.tree.bind("<Motion>", self._point)
        self.tree.bind("<Leave>", lambda event: self._show_text(self._selected()))
        self._show_text(None)

    def _strip(self, ui: float) -> None:
        strip = ttk.Frame(self, padding=(round(6 * ui), round(2 * ui)))
        strip.pack(side="bottom", fill="x")
        self.fix_all = ttk.Button(strip, text="Fix All", bootstyle="secondary-outline", command=self._press_all)
        self.fix_all.configure(padding=(round(8 * ui), round(1 * ui)))
        self.fix_all.pack(side="right", padx=(round(12 * ui), 0))
        self._full_text = ttk.Label(strip, anchor="w", justify="left")
        self._full_text.pack(side="left", fill="x", expand=True)
        self._full_text.bind("<Configure>", lambda event: self._full_text.configure(wraplength=max(1, event.width - 4)))

    def _share_out(self, room: float, ui: float) -> None:
        """Divide the remaining width among the columns with long texts, so that Fix and Why? stay visible."""
        spare = max(0.0, room - 4 - sum(width for _, _, width, _ in _COLUMNS))
        for column, _, width, share in _COLUMNS:
            self.tree.column(column, width=round((width + share * spare) * ui))
        for index, problem in enumerate(self._problems):
            self.tree.item(str(index), values=self._row(problem))

    def _row(self, problem: Problem) -> tuple[str, ...]:
        """The cells of a problem's line, each cut to the width of its column. The full text is shown below the list."""
        fix = _FIX if problem in self._fixes else ""
        texts = (
            _MARKS[problem.severity],
            place_of(problem, self._topology),
            problem.message,
            problem.remedy,
            fix,
            _WHY,
        )
        widths = (int(self.tree.column(column, "width")) - self._beside_px for column, *_ in _COLUMNS)
        return tuple(elide(text, self._font, width) for text, width in zip(texts, widths, strict=True))

    def show(
        self,
        problems: Sequence[Problem],
        fixes: Mapping[Problem, str] | None = None,
        topology: Topology | None = None,
    ) -> None:
        """List these problems, errors first.

        Args:
            fixes: label of the fix of each problem that has one.
            topology: the topology, in which links are named by their ends.
        """
        self._problems = tuple(sorted(problems, key=lambda problem: _ORDER.index(problem.severity)))
        self._fixes, self._topology = fixes or {}, topology
        self._none.show(not problems)
        self.tree.delete(*self.tree.get_children())
        for index, problem in enumerate(self._problems):
            self.tree.insert("", "end", iid=str(index), values=self._row(problem), tags=(problem.severity.value,))
        count = sum(problem in self._fixes and is_fixed_unasked(problem) for problem in self._problems)
        self.fix_all.configure(text=f"Fix All ({count})" if count else "Fix All")
        self.fix_all.configure(state="normal" if count else "disabled")
        self._show_text(None)

    @property
    def listed(self) -> tuple[Problem, ...]:
        """The listed problems."""
        return self._problems

    def look_at(self, problem: Problem) -> None:
        """Scroll to a problem's line and show its full text."""
        self.tree.see(str(self._problems.index(problem)))
        self._show_text(problem)

    @property
    def full_text(self) -> str:
        """The text below the list."""
        return str(self._full_text.cget("text"))

    @property
    def errors(self) -> int:
        """The number of errors, which prevent a lab from starting."""
        return sum(problem.severity == "error" for problem in self._problems)

    def set_theme(self, theme: Theme) -> None:
        """Set the colors of errors, warnings and the remark in an empty list."""
        self._theme = theme
        self.tree.tag_configure("error", foreground=theme.error)
        self.tree.tag_configure("warning", foreground=theme.warning)
        self._full_text.configure(foreground=theme.faint)
        self._none.set_theme(theme)

    # --- clicks and the pointer ---

    def _selected(self) -> Problem | None:
        selected = self.tree.selection()
        return self._problems[int(selected[0])] if selected else None

    def _under_pointer(self, event: tk.Event) -> tuple[Problem | None, str]:
        """The problem under the pointer, and the column."""
        row, column = self.tree.identify_row(event.y), self.tree.identify_column(event.x)
        name = str(self.tree.column(column, "id")) if row and column else ""
        return (self._problems[int(row)] if row else None), name

    def _pick(self) -> None:
        problem = self._selected()
        self._show_text(problem)
        if problem is not None:
            self.on_pick(problem)

    def _press(self, event: tk.Event) -> str | None:
        problem, column = self._under_pointer(event)
        if problem is None or column not in ("fix", "reason"):
            return None
        if column == "reason":
            self.on_why(problem)
        elif problem in self._fixes:
            self.on_fix(problem)
        return "break"  # stops the default action, which would open the dialog

    def _press_all(self) -> None:
        self.on_fix_all()

    def _point(self, event: tk.Event) -> None:
        problem, column = self._under_pointer(event)
        can_press = column == "reason" or (column == "fix" and problem in self._fixes)
        self.tree.configure(cursor="hand2" if can_press and problem is not None else "")
        self._show_text(problem or self._selected())

    def _show_text(self, problem: Problem | None) -> None:
        """Show a line's full text, and the effect of its fix."""
        if problem is None:
            text = _HINT if self._problems else ""
        else:
            text = sentences(place_of(problem, self._topology), problem.message, problem.remedy)
            text += f"   [Fix: {self._fixes[problem]}]" if problem in self._fixes else ""
        if text != self._full_text.cget("text"):
            self._full_text.configure(text=text)

    def _subject(self, problem: Problem) -> str:
        return place_words(self._topology, problem.node, "", problem.about) or "This"

    def _menu(self, event: tk.Event) -> None:
        problem, _ = self._under_pointer(event)
        menu = popup_menu(self, self._theme)
        if problem is not None:
            menu.add_command(label=f"Go to {self._subject(problem)}", command=partial(self.on_pick, problem))
            if problem in self._fixes:
                menu.add_command(label=f"Fix: {self._fixes[problem]}", command=partial(self.on_fix, problem))
            menu.add_command(label="Why?", command=partial(self.on_why, problem))
            menu.add_separator()
        menu.add_command(label="Fix All", command=self._press_all, state=self.fix_all.cget("state"))
        menu.tk_popup(event.x_root, event.y_root)
