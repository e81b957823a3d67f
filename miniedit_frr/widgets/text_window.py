"""A window with a text that a button refreshes, such as a configuration or the output of a daemon."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from pathlib import Path
from tkinter import filedialog

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.widgets.aside import add_heading, put_aside
from miniedit_frr.widgets.list_parts import AutoScrollbar


class TextWindow(ttk.Toplevel):
    """A window with a text. It requests the text when it opens, and when Refresh or F5 is pressed.

    Args:
        ask: requests the text; calls `fill` or `fail` with the result.
        name: the proposed file name for saving.
        lines: height of the text at first.
    """

    def __init__(
        self, parent: tk.Misc, title: str, name: str, ask: Callable[[TextWindow], object], ui: float, theme: Theme,
        lines: int = 26,
    ) -> None:  # fmt: skip
        super().__init__(title=title, master=parent)
        put_aside(self, parent)
        add_heading(self, title)
        self._ask, self._name, self._theme = ask, name, theme
        bar = ttk.Frame(self, padding=(8, 6))
        bar.pack(side="bottom", fill="x")
        self.refresh = ttk.Button(bar, text="Refresh", command=self.reload, bootstyle="secondary-outline")
        self.refresh.pack(side="left")
        ttk.Button(bar, text="Save…", command=self._save, bootstyle="secondary-outline").pack(side="left", padx=6)
        ttk.Label(bar, text="Find:").pack(side="left", padx=(10, 4))
        self.find = ttk.Entry(bar, width=14)
        self.find.pack(side="left")
        self.find.bind("<KeyRelease>", lambda event: self._search(step=event.keysym in ("Return", "KP_Enter")))
        ttk.Button(bar, text="Close", command=self.destroy, bootstyle="secondary-outline").pack(side="right")
        self.status = ttk.Label(bar, padding=(10, 0))
        self.status.pack(side="left", fill="x", expand=True)
        frame = ttk.Frame(self)
        frame.pack(fill="both", expand=True, padx=8, pady=(8, 0))
        self.text = tk.Text(
            frame, font="TkFixedFont", wrap="none", width=92, height=lines, borderwidth=0, state="disabled",
            background=theme.card, foreground=theme.text, padx=8, pady=6,
        )  # fmt: skip
        self.text.tag_configure("found", background=theme.pressed)
        self.text.tag_configure("here", background=theme.lit, foreground=theme.canvas)
        self.text.pack(side="left", fill="both", expand=True)
        AutoScrollbar(frame, self.text)
        self.bind("<F5>", lambda event: self.reload())
        self.bind("<Escape>", lambda event: self.destroy())
        self.bind("<Control-f>", lambda event: self.find.focus_set())
        self.reload()

    def reload(self) -> None:
        """Request the text again. The old text stays visible until the new one arrives."""
        self.refresh.configure(state="disabled")
        self.status.configure(text="asking …")
        self._ask(self)

    def fill(self, text: str) -> None:
        """Show the text. The scroll position stays."""
        if not self.winfo_exists():
            return
        top = self.text.yview()[0]
        self.text.configure(state="normal")
        self.text.delete("1.0", "end")
        self.text.insert("1.0", text.strip("\n") or "(nothing)")
        self.text.configure(state="disabled")
        self.text.yview_moveto(top)
        lines = len(text.strip().splitlines())
        self._end(f"{lines} {'line' if lines == 1 else 'lines'}")
        self._search()

    def fail(self, reason: str) -> None:
        """Show the reason for a failed request."""
        if self.winfo_exists():
            self._end(reason)

    def _end(self, status: str) -> None:
        self.status.configure(text=status)
        self.refresh.configure(state="normal")

    def _search(self, step: bool = False) -> None:
        """Mark all matches of the search text, and go to the first one, or with `step` to the next one."""
        text, words = self.text, self.find.get()
        current = text.tag_ranges("here")
        start = str(current[1]) if step and current else "1.0"
        for tag in ("found", "here"):
            text.tag_remove(tag, "1.0", "end")
        if not words:
            return
        at = text.search(words, "1.0", "end", nocase=True)
        while at:
            text.tag_add("found", at, f"{at}+{len(words)}c")
            at = text.search(words, f"{at}+{len(words)}c", "end", nocase=True)
        at = text.search(words, start, nocase=True)
        if at:
            text.tag_add("here", at, f"{at}+{len(words)}c")
            text.see(at)

    def _save(self) -> None:
        path = filedialog.asksaveasfilename(
            parent=self, defaultextension=".txt", initialfile=self._name, title="Save the text"
        )
        if path:
            Path(path).write_text(self.text.get("1.0", "end"), encoding="utf-8")
