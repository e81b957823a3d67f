"""A window with all runs: thumbnails, search, notes, and several side by side. It does not know results folders."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import ttkbootstrap as ttk
from PIL import Image, ImageTk

from frrlib.picture.theme import Theme
from miniedit_frr.widgets.aside import put_aside
from miniedit_frr.widgets.column_texts import ColumnTexts
from miniedit_frr.widgets.deferred import DeferredCall
from miniedit_frr.widgets.list_parts import AutoScrollbar
from miniedit_frr.widgets.popup import popup_menu

#: Size of a thumbnail in the list, and of the figure beside it, in units.
SMALL, LARGE = (130, 40), (320, 270)
_COLUMNS = (("when", "When", 146), ("flows", "Flows", 132), ("goodput", "Mbit/s", 64), ("outcome", "Outcome", 164))
_PAUSE_MS = 700
#: The number of selected runs that are shown beside each other.
_MOST_COMPARED = 4
#: Approximate space before the picture of a row and beside it, in units.
_INDENT = 14


@dataclass(frozen=True)
class RunEntry:
    """A run in the list, identified by its folder.

    Attributes:
        title, when, flows, goodput, outcome: the texts of the columns.
        facts: further lines.
        notes: the user's text.
        wrong: missing or truncated parts, one sentence each.
        tone: "bad", "doubtful" or "", for the color of its row.
        differences: the values that distinguish it from other runs of the same title; empty for a single run.
    """

    folder: str
    title: str
    when: str = ""
    flows: str = ""
    goodput: str = ""
    outcome: str = ""
    facts: tuple[str, ...] = ()
    notes: str = ""
    wrong: tuple[str, ...] = ()
    tone: str = ""
    differences: str = ""


def _nothing(*_: object) -> None:
    return None


@dataclass
class RunActions:
    """Callbacks of the window; each gets the selected folders.

    Attributes:
        search: called with the words of the search; the matching runs are passed to `RunBrowser.show`.
        choose_folder: asks for the folder to search for runs.
        again: searches for runs again.
        keep_notes: called with a folder and its notes.
        figure, replay, verdict, drawing, open_folder, forget: the actions of the buttons for one folder.
        report: the action of the button for one folder or several.
        compare: called with a kind of figure and the folders.
        kinds: kinds of figures of several runs, and of one: names and titles.
    """

    search: Callable[[str], object] = _nothing
    choose_folder: Callable[[], object] = _nothing
    again: Callable[[], object] = _nothing
    keep_notes: Callable[[str, str], object] = _nothing
    figure: Callable[[str], object] = _nothing
    verdict: Callable[[str], object] = _nothing
    drawing: Callable[[str], object] = _nothing
    open_folder: Callable[[str], object] = _nothing
    forget: Callable[[str], object] = _nothing
    replay: Callable[[str], object] = _nothing
    report: Callable[[Sequence[str]], object] = _nothing
    compare: Callable[[str, Sequence[str]], object] = _nothing
    kinds: dict[str, str] = field(default_factory=dict)


def _name(entry: RunEntry) -> str:
    """The title, and below it the values that distinguish the run from others of this title, or its folder."""
    return f"  {entry.title}\n  {entry.differences or entry.folder.rpartition('/')[2]}"


class RunBrowser(ttk.Toplevel):
    """Runs, newest first; beside them the figure, facts and notes of the selected ones.

    Attributes:
        canvas, facts: the figures of the selected runs, and their facts.
    """

    def __init__(self, parent: tk.Misc, actions: RunActions, ui: float, theme: Theme) -> None:
        super().__init__(title="Runs", master=parent)
        put_aside(self, parent)
        self._do, self._ui, self._theme = actions, ui, theme
        self._entries: dict[str, RunEntry] = {}
        self._images: dict[str, Any] = {}
        self._large: dict[str, Image.Image] = {}
        self._notes_of = ""
        self._shown_large: list[ImageTk.PhotoImage] = []
        self._searching = DeferredCall(self, lambda: self._do.search(self.query.get()))
        self._noting = DeferredCall(self, self.keep_notes)
        self._build_top()
        self._build_foot()
        halves = ttk.Panedwindow(self, orient="horizontal")
        halves.pack(fill="both", expand=True, padx=8)
        self._build_list(halves)
        self._build_side(halves)
        self.bind("<Escape>", lambda event: self.close())
        self.bind("<F5>", lambda event: self._do.again())
        self.bind("<Control-f>", lambda event: self.search_for.focus_set())
        self.protocol("WM_DELETE_WINDOW", self.close)
        self.colour(theme)
        self._buttons()
        self.search_for.focus_set()

    # --- parts ---

    def _build_top(self) -> None:
        bar = ttk.Frame(self, padding=8)
        bar.pack(fill="x")
        self.query = tk.StringVar(self)
        ttk.Label(bar, text="Search").pack(side="left", padx=(0, 8))
        self.search_for = ttk.Entry(bar, textvariable=self.query, width=30)
        self.search_for.pack(side="left")
        self.query.trace_add("write", lambda *_: self._searching.soon(120))
        self.progress = ttk.Label(bar, padding=(10, 0))
        self.progress.pack(side="left", fill="x", expand=True)
        ttk.Button(bar, text="Folder…", command=self._do.choose_folder, bootstyle="secondary-outline").pack(
            side="right"
        )

    def _build_foot(self) -> None:
        bar = ttk.Frame(self, padding=8)
        bar.pack(side="bottom", fill="x")
        self.buttons: dict[str, ttk.Button] = {}
        for name, text, action in (
            ("figure", "Figure", self._single_action(lambda folder: self._do.figure(folder))),
            ("compare", "Compare ▾", self._post_kinds),
            ("report", "Report…", lambda: self._do.report(self.chosen)),
            ("replay", "Replay…", self._single_action(lambda folder: self._do.replay(folder))),
            ("worth", "Verdict", self._single_action(lambda folder: self._do.verdict(folder))),
            ("drawing", "Open Drawing", self._single_action(lambda folder: self._do.drawing(folder))),
            ("folder", "Open Folder", self._single_action(lambda folder: self._do.open_folder(folder))),
            ("forget", "Forget", self._single_action(lambda folder: self._do.forget(folder))),
        ):
            self.buttons[name] = ttk.Button(bar, text=text, command=action, bootstyle="secondary-outline")
            self.buttons[name].pack(side="left", padx=(0, 6))
        close = ttk.Button(bar, text="Close", command=self.close, bootstyle="secondary-outline")
        close.pack(side="right", before=self.buttons["figure"])  # in a narrow window it is not cut

    def _build_list(self, halves: ttk.Panedwindow) -> None:
        frame = ttk.Frame(halves)
        # The height of rows belongs to the style, and other tables have another one.
        ttk.Style().configure("Runs.Treeview", rowheight=round((SMALL[1] + 8) * self._ui))
        names = [name for name, _, _ in _COLUMNS]
        self.tree = ttk.Treeview(frame, columns=names, height=11, selectmode="extended", style="Runs.Treeview")
        self.tree.heading("#0", text="Run", anchor="w")
        self.tree.column("#0", width=round(395 * self._ui), minwidth=round(220 * self._ui))
        for name, title, width in _COLUMNS:
            anchor: Any = "e" if name == "goodput" else "w"
            self.tree.heading(name, text=title, anchor=anchor)
            self.tree.column(name, width=round(width * self._ui), anchor=anchor, stretch=False)
        self._fitting = ColumnTexts(self.tree, self._ui, round((SMALL[0] + 2 * _INDENT) * self._ui))
        self.tree.pack(side="left", fill="both", expand=True)
        AutoScrollbar(frame, self.tree)
        self.tree.bind("<<TreeviewSelect>>", lambda event: self._selected())
        self.tree.bind("<Double-Button-1>", lambda event: self.buttons["figure"].invoke())
        self.tree.bind("<Return>", lambda event: self.buttons["figure"].invoke())
        halves.add(frame, weight=3)

    def _build_side(self, halves: ttk.Panedwindow) -> None:
        side = ttk.Frame(halves, padding=(10, 0, 0, 0))
        wide, high = (round(size * self._ui) for size in LARGE)
        # The widget that is packed first keeps its size in a low window, so that there is always space for notes.
        self.notes = tk.Text(side, height=4, width=30, wrap="word", undo=True, borderwidth=1, relief="solid")
        self.notes.pack(side="bottom", fill="x")
        ttk.Label(side, text="Notes (words with # are tags)", padding=(0, 6, 0, 2)).pack(side="bottom", anchor="w")
        self.canvas = tk.Canvas(side, width=wide, height=high, highlightthickness=0, borderwidth=0)
        self.canvas.pack(fill="x")
        self.canvas.bind("<ButtonRelease-1>", lambda event: self.buttons["figure"].invoke())
        self.facts = ttk.Label(side, justify="left", wraplength=wide, padding=(0, 6))
        self.facts.pack(fill="x")
        self._wrong = ttk.Label(side, justify="left", wraplength=wide)
        self._wrong.pack(fill="x")
        self.notes.bind("<KeyRelease>", lambda event: self._noting.soon(_PAUSE_MS))
        self.notes.bind("<FocusOut>", lambda event: self.keep_notes())
        halves.add(side, weight=1)

    # --- contents ---

    def show(self, entries: Sequence[RunEntry], summary: str) -> None:
        """List these runs. Selected runs that still exist stay selected."""
        selection = [folder for folder in self.chosen if any(entry.folder == folder for entry in entries)]
        self._entries = {entry.folder: entry for entry in entries}
        self.tree.delete(*self.tree.get_children())
        for entry in entries:
            self._insert(entry)
        self.progress.configure(text=summary)
        self.tree.selection_set(selection or [entry.folder for entry in entries[:1]])
        self._selected()

    def update_entry(self, entry: RunEntry) -> None:
        """Update a run's row."""
        if entry.folder in self._entries:
            self._entries[entry.folder] = entry
            self.tree.item(entry.folder, tags=(entry.tone,))
            self._fitting.put(entry.folder, self._cells(entry), _name(entry))

    def picture(self, folder: str, small: Image.Image, large: Image.Image) -> None:
        """Show the scaled figure of a run."""
        self._images[folder] = ImageTk.PhotoImage(small, master=self)
        self._large[folder] = large
        if self.tree.exists(folder):
            self.tree.item(folder, image=self._images[folder])
        if folder in self.chosen[:_MOST_COMPARED]:
            self._show_large()

    def say(self, text: str) -> None:
        """Show progress beside the search."""
        self.progress.configure(text=text)

    @property
    def chosen(self) -> list[str]:
        """The folders of the selected runs, in the order of the list."""
        selected = set(self.tree.selection())
        return [str(folder) for folder in self.tree.get_children() if folder in selected]

    def colour(self, theme: Theme) -> None:
        """Show the window in a theme's colors."""
        self._theme = theme
        self.tree.tag_configure("bad", foreground=theme.error)
        self.tree.tag_configure("doubtful", foreground=theme.warning)
        self._wrong.configure(foreground=theme.warning)
        self.canvas.configure(background=theme.card)
        self.notes.configure(background=theme.card, foreground=theme.text, insertbackground=theme.text)

    def close(self) -> None:
        """Store the notes, and close the window."""
        self.keep_notes()
        self.destroy()

    def keep_notes(self) -> None:
        """Store the notes if they have changed."""
        if not self._notes_of or self._notes_of not in self._entries:
            return
        text = self.notes.get("1.0", "end").rstrip()
        if text != self._entries[self._notes_of].notes.rstrip():
            self._do.keep_notes(self._notes_of, text)

    def _insert(self, entry: RunEntry) -> None:
        image = self._images.get(entry.folder)
        options: dict[str, Any] = {"image": image} if image is not None else {}
        self.tree.insert("", "end", iid=entry.folder, tags=(entry.tone,), **options)
        self._fitting.put(entry.folder, self._cells(entry), _name(entry))

    def _cells(self, entry: RunEntry) -> tuple[str, ...]:
        return entry.when, entry.flows, entry.goodput, entry.outcome

    def _selected(self) -> None:
        self._buttons()
        first = next(iter(self.chosen), "")
        if first != self._notes_of:
            self.keep_notes()
            self._notes_of = first
            entry = self._entries.get(first, RunEntry("", ""))
            self.notes.configure(state="normal")
            self.notes.delete("1.0", "end")
            self.notes.insert("1.0", entry.notes)
            self.notes.edit_reset()
            if not first:
                self.notes.configure(state="disabled")
        entries = [self._entries[folder] for folder in self.chosen]
        many = len(entries) > 1
        compared = entries[:_MOST_COMPARED]
        lines = [_comparison_line(entry) for entry in compared]
        facts = lines if many else [fact for entry in compared for fact in entry.facts]
        facts += [f"… and {len(entries) - len(compared)} more"] if len(compared) < len(entries) else []
        self.facts.configure(text="\n".join(facts))
        self._wrong.configure(text="" if many else "\n".join(wrong for entry in entries for wrong in entry.wrong))
        self._show_large()

    def _show_large(self) -> None:
        """Show the figure of the selected run, or those of several runs beside each other, as many as have room."""
        self.canvas.delete("all")
        self._shown_large = []
        chosen = self.chosen[:_MOST_COMPARED]
        columns = 1 if len(chosen) < 2 else 2
        rows = max(1, -(-len(chosen) // columns))
        wide, high = (round(size * self._ui / count) for size, count in zip(LARGE, (columns, rows), strict=True))
        for number, folder in enumerate(chosen or [""]):
            x, y = wide * (number % columns) + wide // 2, high * (number // columns) + high // 2
            image = self._large.get(folder)
            if image is None:
                words = "no figure" if folder else "no run is selected"
                self.canvas.create_text(x, y, text=words, fill=self._theme.faint)
                continue
            part = image.copy()
            part.thumbnail((wide - 2 * (columns > 1), high - 2 * (columns > 1)))
            self._shown_large.append(ImageTk.PhotoImage(part, master=self))
            self.canvas.create_image(x, y, image=self._shown_large[-1])

    def _buttons(self) -> None:
        many = len(self.chosen)
        for name, button in self.buttons.items():
            usable = many >= 1 if name in ("report", "compare") else many == 1
            button.configure(state="normal" if usable else "disabled")

    def _single_action(self, action: Callable[[str], object]) -> Callable[[], None]:
        def act() -> None:
            if len(self.chosen) == 1:
                action(self.chosen[0])

        return act

    def _post_kinds(self) -> None:
        menu = popup_menu(self, self._theme)
        for kind, title in self._do.kinds.items():
            menu.add_command(label=title, command=partial(self._do.compare, kind, self.chosen))
        button = self.buttons["compare"]
        menu.tk_popup(button.winfo_rootx(), button.winfo_rooty())


def _comparison_line(entry: RunEntry) -> str:
    """The line about one of several selected runs: what is special about it, its goodput and its outcome."""
    name = entry.differences or Path(entry.folder).name
    goodput = f"{entry.goodput} Mbit/s" if entry.goodput else "no goodput"
    return f"{name}: {goodput}, {entry.outcome}"
