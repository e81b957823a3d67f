"""A text widget with line numbers."""

from __future__ import annotations

import tkinter as tk
from tkinter import font as tkfont

import ttkbootstrap as ttk

from miniedit_frr.dialogs.fields.slots import Slot, field_colors


class LinesInput:
    """An editor of lines, with the members of an `Input`.

    Args:
        parent: its parent.
        slot: source and target of the text.
        ui: scaling of the screen.
        height: height in lines.
        fixed: whether the text is read-only.
        width: minimum width in characters. A narrow editor wraps long lines.

    Attributes:
        numbers: the number of each line, 0 for a line without a number; None to count the lines.
    """

    #: The default width in characters.
    WIDTH = 48

    def __init__(
        self, parent: tk.Misc, slot: Slot | None, ui: float, height: int = 8, fixed: bool = False, width: int = WIDTH
    ) -> None:
        self._slot, self._ui = slot, ui
        self.numbers: list[int] | None = None
        self.widget = ttk.Frame(parent)
        self._numbers = tk.Canvas(self.widget, width=round(34 * ui), height=1, highlightthickness=0, borderwidth=0)
        self.text = tk.Text(
            self.widget, height=height, width=width, font="TkFixedFont", wrap="word" if width < self.WIDTH else "none",
            undo=not fixed, borderwidth=0, highlightthickness=1, padx=round(6 * ui), pady=round(4 * ui),
        )  # fmt: skip
        bar = ttk.Scrollbar(self.widget, command=self._scroll)
        self.text.configure(yscrollcommand=lambda first, last: self._on_scroll(bar, first, last))
        self._numbers.pack(side="left", fill="y")
        self.text.pack(side="left", fill="both", expand=True)
        bar.pack(side="right", fill="y")
        self.focus: tk.Widget = self.text
        self.text.bind("<<Modified>>", self._on_modified)
        self.text.bind("<Configure>", lambda event: self._draw_numbers(), add=True)
        # Tab moves to the next field, because lines of frr.conf begin with a space.
        self.text.bind("<Tab>", lambda event: self._leave(event.widget.tk_focusNext()))
        self.text.bind(
            "<Control-Tab>", lambda event: None
        )  # overrides the binding of Tab, so that Control-Tab turns the page
        self.text.bind("<Shift-Tab>", lambda event: self._leave(event.widget.tk_focusPrev()))
        self.text.bind("<<ThemeChanged>>", lambda event: self._paint(), add=True)
        self._paint()
        if fixed:
            self.text.configure(state="disabled")

    def _leave(self, to: tk.Misc | None) -> str:
        if to is not None:
            to.focus_set()
        return "break"

    def _on_scroll(self, bar: ttk.Scrollbar, first: float, last: float) -> None:
        bar.set(first, last)
        self._draw_numbers()

    def _scroll(self, *args: str) -> None:
        self.text.yview(*args)

    def refresh(self) -> None:
        """Show the text of the slot."""
        if self._slot is not None:
            self.show(self._slot.read() or "")

    def show(self, text: str) -> None:
        """Show a text. The scroll position stays."""
        if self.text.get("1.0", "end-1c") == text:
            return
        is_fixed, top = str(self.text.cget("state")) == "disabled", self.text.yview()[0]
        self.text.configure(state="normal")
        self.text.replace("1.0", "end-1c", text)
        self.text.edit_modified(False)
        self.text.configure(state="disabled" if is_fixed else "normal")
        self.text.yview_moveto(top)
        self._draw_numbers()

    def enable(self, is_on: bool) -> None:
        """Enable or disable the editor."""
        self.text.configure(state="normal" if is_on else "disabled")

    def _on_modified(self, event: tk.Event) -> None:
        if self.text.edit_modified():
            self.text.edit_modified(False)
            if self._slot is not None and str(self.text.cget("state")) == "normal":
                text = self.text.get("1.0", "end-1c")
                if text != (self._slot.read() or ""):
                    self._slot.write(text)
            self._draw_numbers()

    def _paint(self) -> None:
        ground, text, faint = field_colors()
        edge = str(ttk.Style().lookup("TEntry", "bordercolor") or faint)
        self.text.configure(
            background=ground, foreground=text, insertbackground=text, highlightbackground=edge, highlightcolor=text
        )
        self._draw_numbers()

    def _line_px(self) -> int:
        return int(tkfont.nametofont("TkFixedFont").metrics("linespace"))

    def _draw_numbers(self) -> None:
        """Draw the numbers of the visible lines."""
        faint = field_colors()[2]
        self._numbers.configure(background=str(ttk.Style().lookup("TFrame", "background")))
        self._numbers.delete("all")
        edge = self._numbers.winfo_reqwidth() - round(6 * self._ui)
        high, bottom = self._line_px(), self.text.winfo_height()
        first, last = (int(self.text.index(place).partition(".")[0]) for place in ("@0,0", "@0,100000"))
        for number in range(first, last + 1):
            # A line that begins above the visible part, or is cut at the bottom, needs no number.
            if (box := self.text.dlineinfo(f"{number}.0")) is not None and box[1] + high <= bottom:
                label = self.numbers[number - 1] if self.numbers and number <= len(self.numbers) else number
                self._numbers.create_text(edge, box[1] + box[3] / 2, text=str(label or "-"), anchor="e",
                                          font="TkSmallCaptionFont", fill=faint)  # fmt: skip
