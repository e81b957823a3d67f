"""A text field for source code, with line numbers and marked lines."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterable
from tkinter import font

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.widgets.deferred import DeferredCall

_ERROR = "error"
_TAB = " " * 8  # as the kernel's sources


class SourceText(ttk.Frame):
    """A text field with the number of each visible line at its left, and scroll bars.

    Attributes:
        field: the text field, with undo.
    """

    def __init__(self, parent: tk.Misc, theme: Theme) -> None:
        super().__init__(parent)
        fixed = font.nametofont("TkFixedFont")
        self._digit_px, self._numbering = fixed.measure("0"), DeferredCall(self, self._number)
        self._numbers = tk.Canvas(self, width=5 * self._digit_px, highlightthickness=0, borderwidth=0)
        self.field = tk.Text(
            self, font="TkFixedFont", wrap="none", undo=True, maxundo=-1, autoseparators=True, width=100, height=22,
            borderwidth=0, highlightthickness=0, padx=6, pady=4, tabs=(fixed.measure(_TAB),), tabstyle="wordprocessor",
        )  # fmt: skip
        self._down = ttk.Scrollbar(self, command=self.field.yview)
        right = ttk.Scrollbar(self, command=self.field.xview, orient="horizontal")
        self.field.configure(yscrollcommand=self._on_scroll, xscrollcommand=right.set)
        self._numbers.grid(row=0, column=0, sticky="ns")
        self.field.grid(row=0, column=1, sticky="nsew")
        self._down.grid(row=0, column=2, sticky="ns")
        right.grid(row=1, column=1, sticky="ew")
        self.columnconfigure(1, weight=1)
        self.rowconfigure(0, weight=1)
        self.field.bind("<Configure>", lambda event: self._number_soon(), add=True)
        self.set_theme(theme)

    @property
    def content(self) -> str:
        """The text; it ends with a line end."""
        return self.field.get("1.0", "end").rstrip("\n") + "\n"

    def fill(self, text: str) -> None:
        """Replace the text. Undo does not lead back to the old one."""
        self.field.delete("1.0", "end")
        self.field.insert("1.0", text.rstrip("\n"))
        self.field.edit_reset()
        self.field.edit_modified(False)
        self.field.mark_set("insert", "1.0")

    def mark_lines(self, lines: Iterable[int]) -> None:
        """Mark these lines, numbered from 1, and no others."""
        self.field.tag_remove(_ERROR, "1.0", "end")
        for line in lines:
            self.field.tag_add(_ERROR, f"{line}.0", f"{line + 1}.0")

    @property
    def marked_lines(self) -> list[int]:
        """The marked lines, numbered from 1."""
        ends = [int(str(index).partition(".")[0]) for index in self.field.tag_ranges(_ERROR)]
        return [line for begin, end in zip(ends[::2], ends[1::2], strict=True) for line in range(begin, end)]

    def go_to(self, line: int) -> None:
        """Move the cursor to the first character of a line, numbered from 1, that is no blank."""
        text = self.field.get(f"{line}.0", f"{line}.end")
        self.field.mark_set("insert", f"{line}.{len(text) - len(text.lstrip())}")
        self.field.see("insert")
        self.field.focus_set()

    def set_theme(self, theme: Theme) -> None:
        """Set the colors of the theme."""
        self.field.configure(background=theme.card, foreground=theme.text, insertbackground=theme.text)
        self.field.tag_configure(_ERROR, background=theme.error, foreground=theme.on_full)
        self.field.tag_raise("sel")
        self._numbers.configure(background=theme.hover)
        self._faint = theme.faint
        self._number_soon()

    def _on_scroll(self, first: float, last: float) -> None:
        self._down.set(first, last)
        self._number_soon()

    def _number_soon(self) -> None:
        self._numbering.soon()

    def _number(self) -> None:
        """Draw the numbers of the visible lines."""
        self._numbers.delete("all")
        index = self.field.index("@0,0 linestart")
        while (place := self.field.dlineinfo(index)) is not None:
            number = index.partition(".")[0]
            self._numbers.create_text(
                4 * self._digit_px + 2, place[1], anchor="ne", text=number, font="TkFixedFont", fill=self._faint
            )
            following = self.field.index(f"{index}+1line")
            if following == index or self.field.compare(following, "==", "end"):
                break
            index = following
