"""Parts of short lists: a scroll bar that hides itself, and a remark in an empty list."""

from __future__ import annotations

import tkinter as tk
from typing import Any

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme


class AutoScrollbar(ttk.Scrollbar):
    """The scroll bar beside a list or a text. It is hidden while everything is visible.

    Args:
        parent: the parent of both widgets.
        scrolled: the list or text, already packed.
    """

    def __init__(self, parent: tk.Misc, scrolled: Any) -> None:
        super().__init__(parent, command=scrolled.yview)
        self._scrolled = scrolled
        scrolled.configure(yscrollcommand=self._on_scroll)

    def _on_scroll(self, first: str, last: str) -> None:
        self.set(first, last)
        if float(first) <= 0 and float(last) >= 1:
            self.pack_forget()
        elif not self.winfo_manager():
            self.pack(side="right", fill="y", before=self._scrolled)


class EmptyListNote(tk.Label):
    """A remark in the middle of an empty list."""

    def __init__(self, parent: tk.Misc, text: str) -> None:
        super().__init__(parent, text=text, borderwidth=0)

    def show(self, is_empty: bool) -> None:
        """Show or hide the remark."""
        if is_empty:
            self.place(relx=0.5, rely=0.55, anchor="center")
        else:
            self.place_forget()

    def set_theme(self, theme: Theme) -> None:
        """Set the colors of the theme."""
        ground = str(ttk.Style().lookup("Treeview", "fieldbackground") or theme.base_ground)
        self.configure(background=ground, foreground=theme.faint)
