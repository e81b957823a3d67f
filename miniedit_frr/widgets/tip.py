"""A small text beside the pointer, after it has rested for a moment."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

from frrlib.picture.theme import Theme

_DELAY_MS = 350
#: The tip is refreshed this often, as its subject changes meanwhile.
_REFRESH_MS = 300


class Tip:
    """The text beside the pointer over one widget.

    Args:
        theme: the colours now.
    """

    def __init__(self, widget: tk.Misc, theme: Callable[[], Theme], ui: float) -> None:
        self._widget, self._theme, self._ui = widget, theme, ui
        self._timer = ""
        self._window: tk.Toplevel | None = None
        for sequence in ("<Leave>", "<ButtonPress>", "<KeyPress>"):
            widget.bind(sequence, lambda event: self.hide(), add=True)

    @property
    def is_shown(self) -> bool:
        """Whether it is there."""
        return self._window is not None

    def soon(self, text: Callable[[], str], x: int, y: int) -> None:
        """Show a text at a place of the screen, unless the pointer moves on; it is asked for anew while it is there."""
        self.hide()
        self._timer = self._widget.after(_DELAY_MS, self._show, text, x, y)

    def hide(self) -> None:
        """Show nothing."""
        if self._timer:
            self._widget.after_cancel(self._timer)
            self._timer = ""
        if self._window is not None:
            self._window.destroy()
            self._window = None

    def _show(self, text: Callable[[], str], x: int, y: int) -> None:
        self._timer = ""
        if self._is_behind():
            return
        theme, ui = self._theme(), self._ui
        window = self._window = tk.Toplevel(self._widget)
        window.wm_overrideredirect(True)
        label = tk.Label(
            window, text=text(), justify="left", background=theme.card, foreground=theme.text,
            wraplength=round(460 * ui), padx=8, pady=5, highlightthickness=1, highlightbackground=theme.edge,
        )  # fmt: skip
        label.pack()
        x, y = x + round(14 * ui), y + round(10 * ui)
        left = min(x, window.winfo_screenwidth() - label.winfo_reqwidth())
        # Where there is no room below the pointer it stands above, so that it is never under it.
        above = y - label.winfo_reqheight() - round(20 * ui)
        top = y if y + label.winfo_reqheight() <= window.winfo_screenheight() else above
        window.wm_geometry(f"+{max(0, left)}+{max(0, top)}")
        self._timer = self._widget.after(_REFRESH_MS, self._refresh, text, label)

    def _is_behind(self) -> bool:
        """Whether somebody works in another window of this program, such as a dialog, which it would cover."""
        focus = self._widget.focus_displayof()
        return focus is not None and focus.winfo_toplevel() is not self._widget.winfo_toplevel()

    def _refresh(self, text: Callable[[], str], label: tk.Label) -> None:
        if self._is_behind():
            self.hide()
            return
        said = text()
        if said != label.cget("text"):
            label.configure(text=said)
        self._timer = self._widget.after(_REFRESH_MS, self._refresh, text, label)
