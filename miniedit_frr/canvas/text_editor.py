"""Editing of text in place: a field on the canvas, over the text that is being changed."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from typing import TYPE_CHECKING

from frrlib.picture.geometry import Box, Point

if TYPE_CHECKING:
    from miniedit_frr.canvas.view import View

#: Height of the smallest letters in the field, in pixels at a scaling of 1.
_MIN_TEXT_PX = 11
#: Keys that accept a text of several lines; Return begins a new line there.
_ACCEPT_KEYS = ("<Control-Return>", "<Control-KP_Enter>")


class TextEditor:
    """A field for one text. It calls `done` if the text has changed, and closes silently otherwise.

    Return, Tab and a click elsewhere accept the text; Escape restores it. The field stays open while its text is
    invalid.

    Args:
        view: the canvas.
        text: the present text.
        done: called with the new text.
        fault: returns why a text is invalid, empty for a valid one. The reason is shown while the text is typed.
        tell: shows a message.
    """

    def __init__(
        self,
        view: View,
        text: str,
        done: Callable[[str], None],
        fault: Callable[[str], str] = lambda text: "",
        tell: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._view, self._original, self._done, self._fault, self._tell = view, text, done, fault, tell
        self.field: tk.Entry | tk.Text | None = None
        # Letters in the field stay readable even where names are too small.
        self._font = view.name_font.copy()
        self._font.configure(size=min(int(self._font.cget("size")), -round(_MIN_TEXT_PX * view.ui)))

    def edit_line(self, at: Point, width: float) -> None:
        """Open a field for one line.

        Args:
            at: the middle of its upper edge, in world units.
            width: its minimum width, in world units.
        """
        view, theme = self._view, self._view.theme
        field = tk.Entry(
            view, font=self._font, justify="center", foreground=theme.text, background=theme.card, relief="flat",
            insertbackground=theme.text, highlightthickness=max(1, round(view.ui)), highlightcolor=theme.accent,
            highlightbackground=theme.accent, width=1,
        )  # fmt: skip
        field.insert(0, self._original)
        field.selection_range(0, "end")
        field.icursor("end")
        for sequence in ("<Return>", "<KP_Enter>", "<Tab>"):
            field.bind(sequence, lambda event: self.accept() or "break")
        field.bind("<KeyRelease>", lambda event: self._check())
        x, y = view.to_widget(at)
        width_px = max(width * view.factor, 90 * view.ui)
        wide = round(width_px + 16 * view.ui)
        self._put(field, x - wide // 2, y, wide, field.winfo_reqheight())
        self._open(field)

    def edit_text(self, box: Box) -> None:
        """Open a field for several lines in a rectangle, in world units."""
        view, theme = self._view, self._view.theme
        field = tk.Text(
            view, font=self._font, wrap="word", foreground=theme.text, background=theme.card, relief="flat",
            insertbackground=theme.text, highlightthickness=max(1, round(view.ui)), highlightcolor=theme.accent,
            highlightbackground=theme.accent, padx=round(8 * view.ui), pady=round(5 * view.ui), undo=True,
            width=1, height=1,
        )  # fmt: skip
        field.insert("1.0", self._original)
        field.tag_add("sel", "1.0", "end-1c")
        for sequence in _ACCEPT_KEYS:
            field.bind(sequence, lambda event: self.accept())
        (x0, y0), (x1, y1) = view.to_widget((box.left, box.top)), view.to_widget((box.right, box.bottom))
        self._put(field, x0, y0, max(x1 - x0, round(120 * view.ui)), max(y1 - y0, round(40 * view.ui)))
        self._open(field)

    def _put(self, field: tk.Entry | tk.Text, left: int, top: int, width: int, height: int) -> None:
        """Place a field in pixels of the view, or as near to its place as the visible part allows."""
        left = max(0, min(left, self._view.winfo_width() - width))
        top = max(0, min(top, self._view.winfo_height() - height))
        field.place(x=left, y=top, width=width, height=height)

    def _open(self, field: tk.Entry | tk.Text) -> None:
        self.field = field
        field.bind("<Escape>", lambda event: self.cancel())
        field.bind("<FocusOut>", lambda event: self.accept())
        # A key of the menus acts on the topology, to which the typed text belongs.
        field.bind("<Control-Key-s>", lambda event: self.accept(), add=True)
        field.focus_set()

    def _typed_text(self) -> str:
        if isinstance(self.field, tk.Text):
            return self.field.get("1.0", "end-1c")
        return self.field.get() if self.field is not None else self._original

    @property
    def fault(self) -> str:
        """The reason why the text is invalid; empty for a valid one."""
        if self.field is None or self._typed_text() == self._original:
            return ""
        fault = self._fault(self._typed_text())
        return f"{self._typed_text()!r} {fault}" if fault else ""

    def _check(self) -> None:
        fault = self.fault
        if self.field is not None:
            theme = self._view.theme
            self.field.configure(highlightcolor=theme.error if fault else theme.accent)
        self._tell(f"{fault}." if fault else "Return accepts the name, Escape cancels.")

    def accept(self) -> bool:
        """Accept the text; returns False if it is invalid, and the field stays open then."""
        if self.fault:
            self._check()
            return False
        self.finish()
        return True

    def finish(self) -> None:
        """Close the field and pass a changed text to `done`, which rejects an invalid one with the reason."""
        if self.field is not None:
            text = self._typed_text()
            self._close()
            if text != self._original:
                self._done(text)

    def cancel(self) -> None:
        """Close the field and keep the former text."""
        if self.field is not None:
            self._close()

    def _close(self) -> None:
        # A destroyed field loses the focus, which would accept the text again.
        field, self.field = self.field, None
        had_focus = field is not None and str(field.tk.call("focus")) == str(field)
        if field is not None:
            field.destroy()
        if had_focus:
            self._view.focus_set()
