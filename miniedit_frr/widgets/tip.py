"""A tip: a small text beside the pointer, shown after the pointer has rested for a moment."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

from frrlib.picture.theme import Theme
from miniedit_frr.widgets.focus import focused
from miniedit_frr.widgets.own_events import bind_own_event

_DELAY_MS = 350
#: Time between two updates of the text, because its subject may change.
_REFRESH_MS = 300


class Tip:
    """The tip of one widget.

    Args:
        theme: returns the current theme.
    """

    def __init__(self, widget: tk.Misc, theme: Callable[[], Theme], ui: float) -> None:
        self._widget, self._theme, self._ui = widget, theme, ui
        self._timer = ""
        self._window: tk.Toplevel | None = None
        for sequence in ("<Leave>", "<ButtonPress>", "<KeyPress>"):
            widget.bind(sequence, lambda event: self.hide(), add=True)
        bind_own_event(widget, "<Destroy>", self.hide)

    @property
    def is_shown(self) -> bool:
        """Whether the tip is visible."""
        return self._window is not None

    def soon(self, text: Callable[[], str], x: int, y: int) -> None:
        """Show a text at a position of the screen after a delay. The text is updated while it is visible."""
        self.hide()
        self._timer = self._widget.after(_DELAY_MS, self._show, text, x, y)

    def hide(self) -> None:
        """Hide the tip."""
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
        x_left = min(x, window.winfo_screenwidth() - label.winfo_reqwidth())
        # Without room below the pointer, the tip is placed above it, so that it is never under the pointer.
        above = y - label.winfo_reqheight() - round(20 * ui)
        top = y if y + label.winfo_reqheight() <= window.winfo_screenheight() else above
        window.wm_geometry(f"+{max(0, x_left)}+{max(0, top)}")
        self._timer = self._widget.after(_REFRESH_MS, self._refresh, text, label)

    def _is_behind(self) -> bool:
        """Whether another window of this program, such as a dialog, has the focus. The tip would cover it."""
        focus = focused(self._widget)
        return focus is not None and focus.winfo_toplevel() is not self._widget.winfo_toplevel()

    def _refresh(self, text: Callable[[], str], label: tk.Label) -> None:
        if self._is_behind():
            self.hide()
            return
        current = text()
        if current != label.cget("text"):
            label.configure(text=current)
        self._timer = self._widget.after(_REFRESH_MS, self._refresh, text, label)
