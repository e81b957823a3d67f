"""The candidates of a new exercise as a tree with ticks and points, and their results in the two labs."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

import ttkbootstrap as ttk
from PIL import Image, ImageDraw, ImageTk

from frrlib.exercises.checks import Check
from frrlib.exercises.making.candidate import LINES, Candidate
from frrlib.exercises.making.verification import CandidateResult
from frrlib.picture.theme import Theme
from miniedit_frr.widgets.list_parts import AutoScrollbar

#: Columns besides that of the titles: key, heading and width in units.
_COLUMNS = (("points", "Points", 70), ("solution", "In the solution", 130), ("start", "At the start", 120))
_TITLE, _TICK = 470, 15
_GROUP = "group "
_MOST_POINTS = 1000
_HOLDS, _FAILS = "✓ holds", "✗ fails"


class CandidateTree(ttk.Frame):
    """The tree. A click on a box, or the space bar, ticks a candidate or a group; a double click or F2 edits points.

    Attributes:
        tree: the list; the ids of candidates are those of its rows.
        points_entry: the field in which points are being edited; None if none are.
        on_select: called when another row is selected.
        on_change: called when a tick has changed.
    """

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent)
        self.on_select: Callable[[], object] = lambda: None
        self.on_change: Callable[[], object] = lambda: None
        self.points_entry: ttk.Entry | None = None
        self._candidates: dict[str, Candidate] = {}
        self._ticked: set[str] = set()
        self._points: dict[str, int] = {}
        self._verified: dict[str, CandidateResult] = {}
        self._edited = ""
        self.tree = tree = ttk.Treeview(self, columns=[name for name, *_ in _COLUMNS], height=13, selectmode="browse")
        tree.heading("#0", text="Check", anchor="w")
        tree.column("#0", width=round(_TITLE * ui), stretch=True)
        for name, heading, width in _COLUMNS:
            tree.heading(name, text=heading, anchor="w")
            tree.column(name, width=round(width * ui), anchor="w", stretch=False)
        tree.pack(side="left", fill="both", expand=True)
        AutoScrollbar(self, tree)
        self._images = {state: _tick(round(_TICK * ui), state, theme, self) for state in ("all", "none", "some")}
        tree.tag_configure("problem", foreground=theme.warning)
        tree.tag_configure("useful", foreground=theme.text)
        tree.bind("<Button-1>", self._click)
        tree.bind("<space>", lambda event: self._toggle(tree.focus()))
        tree.bind("<Double-Button-1>", self._double_click)
        tree.bind("<F2>", lambda event: self.edit_points(tree.focus()))
        tree.bind("<<TreeviewSelect>>", lambda event: self.on_select())

    # --- contents ---

    def show(self, candidates: Sequence[Candidate]) -> None:
        """List candidates. Ticks and points of those that were listed before stay; results are forgotten."""
        known = self._candidates
        self._candidates = {candidate.check.id: candidate for candidate in candidates}
        proposed = {name for name, candidate in self._candidates.items() if candidate.is_proposed and name not in known}
        self._ticked = proposed | (self._ticked & self._candidates.keys())
        self._points = {
            name: self._points.get(name, candidate.check.points) for name, candidate in self._candidates.items()
        }
        self._verified = {}
        self._end_edit(keep=False)
        self.tree.delete(*self.tree.get_children())
        for group, members in groupby(candidates, key=lambda candidate: candidate.group):
            row = self.tree.insert("", "end", iid=_GROUP + group, text=f" {group}", open=group != LINES)
            for candidate in members:
                self.tree.insert(row, "end", iid=candidate.check.id, text=f" {candidate.check.title}")
        self._renew()

    def mark(self, verified: Iterable[CandidateResult]) -> None:
        """Show the results of the labs, and untick candidates that are not useful."""
        self._verified = {result.candidate.check.id: result for result in verified}
        self._ticked -= {name for name, result in self._verified.items() if not result.is_useful}
        self._renew()

    def set_ticks(self, ticks: Mapping[str, bool]) -> None:
        """Tick or untick candidates by their ids."""
        self._ticked |= {name for name, is_ticked in ticks.items() if is_ticked}
        self._ticked -= {name for name, is_ticked in ticks.items() if not is_ticked}
        self._renew()
        self.on_change()

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All candidates."""
        return tuple(self._candidates.values())

    @property
    def selected(self) -> Candidate | None:
        """The candidate of the selected row; None for a group, or if none is selected."""
        return self._candidates.get(next(iter(self.tree.selection()), ""))

    @property
    def ticked(self) -> list[Check]:
        """The ticked checks with their points, in order. A check that holds at the start may do so."""
        checks = []
        for name, candidate in self._candidates.items():
            if name in self._ticked:
                result = self._verified.get(name)
                holds_at_start = result is not None and result.at_start.holds
                update = {"points": self._points[name], "holds_at_start": holds_at_start}
                checks.append(candidate.check.model_copy(update=update))
        return checks

    def result(self, name: str) -> CandidateResult | None:
        """The result of a candidate in the labs; None if it was not tried."""
        return self._verified.get(name)

    # --- ticks ---

    def _members(self, row: str) -> tuple[str, ...]:
        return self.tree.get_children(row) if row.startswith(_GROUP) else (row,)

    def _state(self, row: str) -> str:
        members = self._members(row)
        count = len(self._ticked.intersection(members))
        return "all" if count == len(members) else "some" if count else "none"

    def _click(self, event: tk.Event) -> str | None:
        """Tick the row whose box is clicked. Clicks elsewhere select."""
        self._end_edit(keep=True)
        if self.tree.identify_element(event.x, event.y).endswith("image"):
            row = self.tree.identify_row(event.y)
            self.tree.focus_set()
            self.tree.focus(row)
            self.tree.selection_set(row)
            return self._toggle(row)
        return None

    def _toggle(self, row: str) -> str:
        if row:
            self.set_ticks(dict.fromkeys(self._members(row), self._state(row) != "all"))
        return "break"

    def _renew(self) -> None:
        """Show the present ticks, points and results."""
        for group in self.tree.get_children():
            self.tree.item(group, image=self._images[self._state(group)])
            for name in self.tree.get_children(group):
                result, points = self._verified.get(name), self._points[name]
                sides = (result.in_solution, result.at_start) if result is not None else ()
                words = [_HOLDS if side.holds else _FAILS for side in sides] or ["", ""]
                tag = "" if result is None else "useful" if result.is_useful else "problem"
                self.tree.item(
                    name, image=self._images[self._state(name)], values=(points, *words), tags=(tag,) if tag else ()
                )

    # --- points ---

    def _double_click(self, event: tk.Event) -> str | None:
        if self.tree.identify_column(event.x) == "#1" and self.tree.identify_region(event.x, event.y) == "cell":
            self.edit_points(self.tree.identify_row(event.y))
            return "break"
        return None

    def edit_points(self, name: str) -> None:
        """Edit the points of a candidate in place: Return and leaving the field take them, Escape does not."""
        self._end_edit(keep=True)
        if name not in self._candidates:
            return
        self.tree.see(name)
        box = self.tree.bbox(name, "points")
        if not box:
            return
        x, y, wide, high = box
        self.points_entry = entry = ttk.Entry(self.tree)
        entry.insert(0, str(self._points[name]))
        entry.selection_range(0, "end")
        entry.place(x=x, y=y - 3, width=wide, height=high + 6)
        entry.focus_set()
        self._edited = name
        for sequence, keep in (("<Return>", True), ("<KP_Enter>", True), ("<Escape>", False), ("<FocusOut>", True)):
            entry.bind(sequence, lambda event, keep=keep: self._end_edit(keep=keep))  # type: ignore[misc]

    def _end_edit(self, *, keep: bool) -> str:
        """Remove the field. A text that is no number of points changes nothing."""
        entry, self.points_entry = self.points_entry, None
        if entry is not None:
            text = entry.get().strip()
            if keep and text.isdecimal() and int(text) <= _MOST_POINTS:
                self._points[self._edited] = int(text)
            had_keyboard = entry.focus_get() is entry
            entry.destroy()
            self._renew()
            if had_keyboard:
                self.tree.focus_set()
            self.on_change()
        return "break"


def _tick(size: int, state: str, theme: Theme, master: tk.Misc) -> ImageTk.PhotoImage:
    """A box: ticked ("all"), empty ("none"), or with a bar ("some")."""
    fine = 4 * size
    image = Image.new("RGBA", (fine, fine), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    box, width = (fine * 0.06, fine * 0.06, fine * 0.94, fine * 0.94), round(fine * 0.1)
    filled = state != "none"
    draw.rounded_rectangle(
        box, fine * 0.16, fill=theme.accent if filled else None, outline=theme.accent if filled else theme.faint,
        width=round(fine * 0.07),
    )  # fmt: skip
    if state == "all":
        points = [(fine * 0.24, fine * 0.52), (fine * 0.43, fine * 0.7), (fine * 0.77, fine * 0.31)]
        draw.line(points, fill=theme.card, width=width, joint="curve")
    elif state == "some":
        draw.line([(fine * 0.27, fine * 0.5), (fine * 0.73, fine * 0.5)], fill=theme.card, width=width)
    return ImageTk.PhotoImage(image.resize((size, size), Image.Resampling.LANCZOS), master=master)
