"""A window with published experiments by family: a description of each, its cases, and a picture of the selected
one."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import ttkbootstrap as ttk
from PIL import Image, ImageTk

from frrlib.picture.theme import Theme
from miniedit_frr.widgets.aside import put_aside
from miniedit_frr.widgets.column_texts import ColumnTexts
from miniedit_frr.widgets.list_parts import AutoScrollbar

#: Size of the picture, and of the list of experiments, in units.
_PICTURE, _LIST = (470, 150), 470
_NAME = 125
#: Indentation of rows below another row, in units.
_INDENT = 20


@dataclass(frozen=True)
class CaseRow:
    """A case: its name, its setup, and a text with the values that vary between cases."""

    name: str
    setup: str
    varies: str


@dataclass(frozen=True)
class ExperimentRow:
    """An experiment in the list.

    Attributes:
        name: the name of the experiment.
        family, family_title: the prefix and the title of its group of experiments.
        title: a short description.
        source: the publication.
        about: the published setup and its results, in paragraphs of plain text.
        cases: its cases, at least one.
        quick_count, full_count: the number of runs with shortened cases, and with all cases.
    """

    name: str
    family: str
    family_title: str
    title: str
    source: str
    about: str
    cases: tuple[CaseRow, ...]
    quick_count: int
    full_count: int


class ExperimentList(ttk.Toplevel):
    """The list of experiments. It is independent of their topologies and of their source.

    Args:
        picture: makes a picture of a case, given the names of experiment and case, width and height.
        choose: opens a case, given the names of experiment and case; returns whether it was opened.
        run: runs an experiment, given its name, whether the cases are shortened, and whether in virtual time.

    Attributes:
        tree, cases: the lists of experiments and of the selected one's cases.
        virtual: whether runs are in virtual time.
    """

    def __init__(
        self, parent: tk.Misc, picture: Callable[[str, str, int, int], Image.Image],
        choose: Callable[[str, str], bool], run: Callable[[str, bool, bool], object], ui: float, theme: Theme,
    ) -> None:  # fmt: skip
        super().__init__(title="Experiments", master=parent)
        put_aside(self, parent)
        self._picture, self._choose, self._run, self._ui, self._theme = picture, choose, run, ui, theme
        self.virtual = tk.BooleanVar(self, True)
        self._wide_px, self._high_px = (round(size * ui) for size in _PICTURE)
        self._rows: dict[str, ExperimentRow] = {}
        self._shown: ImageTk.PhotoImage | None = None
        self._build_foot()
        halves = ttk.Frame(self, padding=(8, 8, 8, 0))
        halves.pack(fill="both", expand=True)
        self._build_list(halves)
        self._build_side(halves)
        self.bind("<Escape>", lambda event: self.destroy())
        self.color(theme)
        self.say("searching for experiments …")

    # --- parts ---

    def _build_foot(self) -> None:
        bar = ttk.Frame(self, padding=8)
        bar.pack(side="bottom", fill="x")
        ttk.Button(bar, text="Close", command=self.destroy, bootstyle="secondary-outline").pack(side="right")
        self.button = ttk.Button(bar, text="Open", command=self.choose, bootstyle="primary", state="disabled")
        self.button.pack(side="right", padx=8)
        self.full_button = ttk.Button(bar, text="Run in Full", command=partial(self._start, False))
        self.quick_button = ttk.Button(bar, text="Run Quickly", command=partial(self._start, True))
        for button in (self.full_button, self.quick_button):
            button.configure(bootstyle="success-outline", state="disabled")
            button.pack(side="right", padx=(8, 0))
        self.virtual_switch = ttk.Checkbutton(bar, text="Virtual time", variable=self.virtual)
        self.virtual_switch.pack(side="right", padx=8)
        self._message = ttk.Label(bar, bootstyle="secondary")
        self._message.pack(side="left", fill="x", expand=True)

    def _build_list(self, parent: tk.Misc) -> None:
        frame = ttk.Frame(parent)
        frame.pack(side="left", fill="y")
        self.tree = ttk.Treeview(frame, columns=("title",), height=23, selectmode="browse")
        self.tree.heading("#0", text="Experiment", anchor="w")
        self.tree.heading("title", text="About", anchor="w")
        self.tree.column("#0", width=round(_NAME * self._ui), stretch=False)
        self.tree.column("title", width=round((_LIST - _NAME) * self._ui))
        self.tree.pack(side="left", fill="both", expand=True)
        self._titles = ColumnTexts(self.tree, self._ui, round(_INDENT * self._ui))
        self._listen(self.tree, self._selected)

    def _build_side(self, parent: tk.Misc) -> None:
        wide, high = self._wide_px, self._high_px
        side = ttk.Frame(parent, padding=(12, 0, 0, 0), width=wide)
        side.pack(side="left", fill="both", expand=True)
        self._canvas = tk.Canvas(side, width=wide, height=high, highlightthickness=0, borderwidth=0)
        self._canvas.pack(fill="x")
        self._title = ttk.Label(side, font=("TkDefaultFont", 11, "bold"), wraplength=wide, padding=(0, 8, 0, 2))
        self._title.pack(fill="x")
        self._source = ttk.Label(side, bootstyle="secondary", wraplength=wide, justify="left")
        self._source.pack(fill="x")
        self.cases = self._build_cases(side)
        frame = ttk.Frame(side)
        frame.pack(fill="both", expand=True, pady=(6, 0))
        self.about = tk.Text(
            frame, wrap="word", width=40, height=6, borderwidth=0, highlightthickness=0, state="disabled", cursor=""
        )
        self.about.pack(side="left", fill="both", expand=True)
        AutoScrollbar(frame, self.about)

    def _build_cases(self, side: tk.Misc) -> Any:
        frame = ttk.Frame(side)
        # It is packed first at the bottom and so keeps its size in a low window; the text above scrolls.
        frame.pack(side="bottom", fill="x", pady=(8, 0))
        tree = ttk.Treeview(frame, columns=("setup", "varies"), height=6, selectmode="browse")
        for name, title, width in (("#0", "Case", 190), ("setup", "Setup", 100), ("varies", "Varied", 180)):
            tree.heading(name, text=title, anchor="w")
            tree.column(name, width=round(width * self._ui), anchor="w", stretch=name == "varies")
        tree.pack(side="left", fill="x", expand=True)
        self._setups = ColumnTexts(tree, self._ui)
        self._listen(tree, self._draw)
        return tree

    def _listen(self, tree: Any, selected: Callable[[], None]) -> None:
        """Add a scrollbar to a list, and handlers for selecting and opening."""
        AutoScrollbar(tree.master, tree)
        tree.bind("<<TreeviewSelect>>", lambda event: selected())
        tree.bind("<Double-Button-1>", lambda event: self.choose())
        tree.bind("<Return>", lambda event: self.choose())

    # --- contents ---

    def say(self, text: str) -> None:
        """Show a message beside the buttons."""
        self._message.configure(text=text)

    def show(self, rows: Sequence[ExperimentRow]) -> None:
        """List these experiments by family, and select the first."""
        self._rows = {row.name: row for row in rows}
        self.tree.delete(*self.tree.get_children())
        for family, title in {row.family: row.family_title for row in rows}.items():
            iid = f"family {family}"
            self.tree.insert("", "end", iid=iid, open=True, tags=("family",))
            self._titles.put(iid, (title,), family)
        for row in rows:
            self.tree.insert(f"family {row.family}", "end", iid=row.name)
            self._titles.put(row.name, (row.title,), row.name)
        self.say(f"{len(rows)} experiments")
        if rows:
            self.tree.selection_set(rows[0].name)
            self.tree.focus(rows[0].name)
            self.tree.focus_set()

    def color(self, theme: Theme) -> None:
        """Show the window in a theme's colors."""
        self._theme = theme
        self._canvas.configure(background=theme.card)
        self.about.configure(background=theme.base_ground, foreground=theme.text)
        self.tree.tag_configure("family", foreground=theme.faint)
        self._draw()

    def allow_virtual(self, obstacle: str) -> None:
        """Offer virtual time, unless an obstacle is given: the reason why this machine does not have it."""
        self.virtual.set(not obstacle)
        self.virtual_switch.configure(state="disabled" if obstacle else "normal")
        if obstacle:
            ttk.ToolTip(self.virtual_switch, text=obstacle)

    @property
    def chosen(self) -> tuple[str, str] | None:
        """The names of the selected experiment and case; None without a selection, or if a family is selected."""
        name, case = next(iter(self.tree.selection()), ""), next(iter(self.cases.selection()), "")
        return (str(name), str(case)) if name in self._rows and case else None

    def choose(self) -> None:
        """Open the selected case, and close the window if that succeeded."""
        if self.chosen is not None and self._choose(*self.chosen):
            self.destroy()

    def _start(self, is_quick: bool) -> None:
        """Run the selected experiment. The list stays open."""
        if self.chosen is not None:
            self._run(self.chosen[0], is_quick, self.virtual.get())

    def _show_runs(self) -> None:
        """Show the number of runs of the selected experiment."""
        row = self._rows.get(next(iter(self.tree.selection()), ""))
        for button in (self.quick_button, self.full_button):
            button.configure(state="normal" if row else "disabled")
        if row is not None:
            self.say(f"{_count(row.quick_count)} quickly, {row.full_count} in full")
        elif self._rows:
            self.say(f"{len(self._rows)} experiments")

    def _selected(self) -> None:
        row = self._rows.get(next(iter(self.tree.selection()), ""))
        self.cases.delete(*self.cases.get_children())
        for case in row.cases if row else ():
            self.cases.insert("", "end", iid=case.name)
            self._setups.put(case.name, (case.setup, case.varies), case.name)
        if row:
            self.cases.selection_set(row.cases[0].name)
        self._show_runs()
        self._title.configure(text=f"{row.name}: {row.title}" if row else "")
        self._source.configure(text=row.source if row else "")
        self.about.configure(state="normal")
        self.about.delete("1.0", "end")
        self.about.insert("1.0", row.about if row else "")
        self.about.configure(state="disabled")
        if row is None:
            self._draw()

    def _draw(self) -> None:
        """Show the selected case, and whether it can be opened."""
        self._canvas.delete("all")
        self.button.configure(state="normal" if self.chosen else "disabled")
        if self.chosen is None:
            return
        picture = self._picture(*self.chosen, self._wide_px, self._high_px)
        self._shown = ImageTk.PhotoImage(picture, master=self)
        self._canvas.create_image(0, 0, image=self._shown, anchor="nw")


def _count(count: int) -> str:
    return f"{count} {'run' if count == 1 else 'runs'}"
