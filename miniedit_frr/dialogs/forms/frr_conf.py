"""The page for frr.conf: the user's own lines, and a preview of the file that results from all settings."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from functools import partial
from tkinter import font as fonts
from typing import TYPE_CHECKING, Any

import ttkbootstrap as ttk

from miniedit_frr.dialogs.fields.lines import LinesInput
from miniedit_frr.dialogs.fields.slots import SMALL_FONT, Slot
from miniedit_frr.dialogs.forms.frr_conf_lines import ConfLine, compare, line_parts, own_line_numbers
from miniedit_frr.dialogs.sheets import FormContext, Refusal
from miniedit_frr.widgets.background_query import BackgroundQuery
from miniedit_frr.widgets.traces import on_write

if TYPE_CHECKING:
    from miniedit_frr.dialogs.form import Form

_PATH = "node.frr_conf"
#: The maximum number of refused lines that are described. All of them are marked.
_MOST_DESCRIBED = 3


class ConfPage(ttk.Frame):
    """The user's own lines, and below them the resulting configuration, which highlights their effect.

    Attributes:
        own_lines, preview: the two texts.
        status: the label with the result of FRR's check.
        find: the search in the preview.
    """

    def __init__(self, parent: Any, form: Form, make_configuration: Callable[..., tuple[str, str, str]]) -> None:
        super().__init__(parent)
        self._shown_values: tuple[Any, Any, Any] = (None, None, None)
        self._form, self._make_configuration, draft, gap = form, make_configuration, form.draft, round(4 * form.ui)
        self._is_single = len(draft.values) == 1
        self._text = ""
        self._refusals: tuple[Refusal, ...] = ()
        context = draft.context
        check = context.check_frr if isinstance(context, FormContext) and self._is_single else None
        self._query = BackgroundQuery[str, Sequence[Refusal]](self, check, self._show_refusals) if check else None
        self.columnconfigure(0, weight=1)
        self.rowconfigure(1, weight=1)
        self.rowconfigure(4, weight=3)
        head = ttk.Label(self, text="Lines of your own", font="TkHeadingFont")
        head.grid(row=0, column=0, sticky="w", pady=(0, gap))
        about = ttk.Label(self, text="Merged into the generated lines. no LINE removes LINE.", font=SMALL_FONT,
                          bootstyle="secondary")  # fmt: skip
        about.grid(row=0, column=0, sticky="e")

        def read() -> str | None:
            content = draft.content(_PATH)
            return content if isinstance(content, str) else None

        slot = Slot(draft.kind(_PATH), read, partial(draft.set, _PATH), fault=partial(draft.fault, _PATH))  # type: ignore[arg-type]
        self.own_lines = LinesInput(self, slot, form.ui, height=5)
        self.own_lines.widget.grid(row=1, column=0, sticky="nsew")
        self.inputs = {_PATH: self.own_lines}
        self.status = ttk.Label(self, font=SMALL_FONT, justify="left", wraplength=round(760 * form.ui))
        self.status.grid(row=2, column=0, sticky="w", pady=(gap, 0))
        self._running = ttk.Label(self, text="", font=SMALL_FONT, bootstyle="secondary")
        self.preview = LinesInput(self, None, form.ui, height=9, fixed=True)
        self.find = TextSearch(self, self.preview.text, form.ui)
        self._running.grid(row=3, column=0, sticky="w", pady=(2 * gap, gap))
        self.bind("<Map>", lambda event: self.refresh())
        self.bind("<<ThemeChanged>>", lambda event: self._paint(), add=True)
        if self._is_single:
            self.find.grid(row=3, column=0, sticky="e", pady=(gap, gap))
            self.preview.widget.grid(row=4, column=0, sticky="nsew")
            for text in (self.own_lines.text, self.preview.text):
                text.bind("<Control-f>", self.find.go)
        self._paint()

    def refresh(self) -> None:
        """Show the configuration for the current settings."""
        draft = self._form.draft
        if not self._is_single:
            text = "(several values)" if draft.content(_PATH) is None else ""
            self._running.configure(text=f"{text} Lines typed here are set for all of them.".strip())
            return
        # The configuration depends on the whole topology, so it is computed only while the page is visible.
        values = (draft.context, draft.original, draft.values[0])
        if not self.winfo_ismapped() or all(
            value is previous for value, previous in zip(values, self._shown_values, strict=True)
        ):
            return
        self._shown_values = values
        running, self._text, base = self._make_configuration(*values)
        self._running.configure(
            text=f"The complete frr.conf; daemons: {running}" if running else "The complete frr.conf"
        )
        self._show(compare(base, self._text))
        if self._query is not None and running:
            self._query.ask(self._text)
            self._show_status("secondary", "FRR checks the lines …")
        else:
            self._refusals = ()
            self._mark_refused()
            self._show_status("secondary", "")

    # --- the result of FRR's check ---

    def _show_refusals(self, text: str, refusals: Sequence[Refusal]) -> None:
        self._refusals = tuple(refusals)
        self._mark_refused()
        if not refusals:
            self._show_status("success", "FRR accepts all lines.")
            return
        numbers = own_line_numbers(self.own_lines.text.get("1.0", "end-1c"))
        lines = []
        for refusal in refusals[:_MOST_DESCRIBED]:
            number = numbers.get(" ".join(refusal.line.split()), 0)
            where = f"your line {number}" if number else f"line {refusal.line_number} below"
            lines.append(f"{where}, {refusal.line.strip()}: {refusal.reason}")
        rest_count = len(refusals) - _MOST_DESCRIBED
        self._show_status(
            "danger", "\n".join(("FRR rejects", *lines, *([f"and {rest_count} more"] if rest_count > 0 else [])))
        )

    def _show_status(self, style: str, text: str) -> None:
        self.status.configure(text=text, bootstyle=style)
        (self.status.grid if text else self.status.grid_remove)()

    def _mark_refused(self) -> None:
        for text in (self.own_lines.text, self.preview.text):
            text.tag_remove("refused", "1.0", "end")
        own_numbers = own_line_numbers(self.own_lines.text.get("1.0", "end-1c"))
        for refusal in self._refusals:
            number = own_numbers.get(" ".join(refusal.line.split()), 0)
            if number:
                self.own_lines.text.tag_add("refused", f"{number}.0", f"{number}.0 lineend")
        numbers = {
            number: shown_number for shown_number, number in enumerate(self.preview.numbers or (), start=1) if number
        }
        for refusal in self._refusals:
            if refusal.line_number in numbers:
                shown_number = numbers[refusal.line_number]
                self.preview.text.tag_add("refused", f"{shown_number}.0", f"{shown_number}.0 lineend")

    # --- the preview ---

    def _show(self, lines: Sequence[ConfLine]) -> None:
        _colorize(self.own_lines.text, self.own_lines.text.get("1.0", "end-1c").splitlines())
        text = self.preview.text
        self.preview.numbers = [line.number for line in lines]
        self.preview.show("\n".join(line.text for line in lines))
        _colorize(text, [line.text for line in lines])
        for number, line in enumerate(lines, start=1):
            if line.change:
                text.tag_add(line.change, f"{number}.0", f"{number}.0 lineend")
        self.find.look()

    def _paint(self) -> None:
        colors = ttk.Style().colors
        bold = fonts.nametofont("TkFixedFont").copy()
        bold.configure(weight="bold")
        self._bold = bold
        faint = str(ttk.Style().lookup("secondary.TLabel", "foreground"))
        for text in (self.own_lines.text, self.preview.text):
            text.tag_configure("comment", foreground=faint)
            text.tag_configure("section", font=bold)
            text.tag_configure("word", foreground=str(colors.danger))
            text.tag_configure("address", foreground=str(colors.primary))
            text.tag_configure("added", foreground=str(colors.success))
            text.tag_configure("removed", foreground=str(colors.danger), overstrike=True)
            text.tag_configure("refused", underline=True, foreground=str(colors.danger))
            text.tag_configure("found", background=str(colors.warning), foreground="#000000")
            text.tag_raise("refused")
            text.tag_raise("found")


def _colorize(text: tk.Text, lines: Sequence[str]) -> None:
    """Highlight the parts of each line."""
    for tag in text.tag_names():
        if tag != "sel":
            text.tag_remove(tag, "1.0", "end")
    for number, line in enumerate(lines, start=1):
        for name, first, last in line_parts(line):
            text.tag_add(name, f"{number}.{first}", f"{number}.{last}")


class TextSearch(ttk.Frame):
    """A search field for a text. Enter goes to the next match, Shift-Enter to the previous one."""

    def __init__(self, parent: tk.Misc, text: tk.Text, ui: float) -> None:
        super().__init__(parent)
        self._text = text
        self.words = tk.StringVar(self)
        self._places: list[str] = []
        self._at = 0
        ttk.Label(self, text="Find", font=SMALL_FONT, bootstyle="secondary").pack(side="left", padx=(0, round(6 * ui)))
        self.entry = ttk.Entry(self, textvariable=self.words, width=18)
        self.entry.pack(side="left")
        self.count = ttk.Label(self, font=SMALL_FONT, bootstyle="secondary", width=9)
        self.count.pack(side="left", padx=(round(6 * ui), 0))
        on_write(self.words, self.entry, self.look)
        for key, step in (("<Return>", 1), ("<Down>", 1), ("<Shift-Return>", -1), ("<Up>", -1)):
            self.entry.bind(key, partial(self._step, step))

    def go(self, event: tk.Event) -> str:
        """Move the focus to the search field."""
        self.entry.focus_set()
        self.entry.selection_range(0, "end")
        return "break"

    def look(self) -> None:
        """Mark all matches."""
        text, words = self._text, self.words.get()
        text.tag_remove("found", "1.0", "end")
        self._places, start = [], "1.0"
        while words and (place := text.search(words, start, "end", nocase=True)):
            start = f"{place}+{len(words)}c"
            text.tag_add("found", place, start)
            self._places.append(place)
        self._at = 0
        self._show_match()

    def _step(self, step: int, event: tk.Event) -> str:
        if self._places:
            self._at = (self._at + step) % len(self._places)
            self._show_match()
        return "break"

    def _show_match(self) -> None:
        count = len(self._places)
        nothing = "none" if self.words.get() else ""
        self.count.configure(text=f"{self._at + 1} of {count}" if count else nothing)
        if count:
            self._text.see(self._places[self._at])
