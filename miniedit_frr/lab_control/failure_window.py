"""A window with the reason why a lab failed. It does not block the window behind it."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from functools import partial

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.widgets.aside import put_aside


class FailureWindow(ttk.Toplevel):
    """A headline, the reason as text that can be copied, and buttons that show the nodes concerned.

    Args:
        nodes: names of the nodes in the reason.
        pick: shows a node.
    """

    def __init__(
        self, parent: tk.Misc, headline: str, reason: str, nodes: list[str], pick: Callable[[str], object], theme: Theme
    ) -> None:
        super().__init__(title="The lab failed", master=parent)
        put_aside(self, parent)
        ttk.Label(self, text=headline, font="TkHeadingFont", padding=(10, 10, 10, 4)).pack(fill="x")
        bar = ttk.Frame(self, padding=(10, 6))
        bar.pack(side="bottom", fill="x")
        lines = min(18, max(3, reason.count("\n") + 1 + len(reason) // 90))
        self.text = tk.Text(self, width=90, height=lines, wrap="word", borderwidth=0, padx=10, pady=6)
        self.text.configure(background=theme.card, foreground=theme.text, highlightthickness=0)
        self.text.insert("1.0", reason)
        self.text.configure(state="disabled")
        self.text.pack(fill="both", expand=True, padx=10)
        for name in nodes[:4]:
            show = ttk.Button(bar, text=f"Show {name}", bootstyle="secondary-outline", command=partial(pick, name))
            show.pack(side="left", padx=(0, 6))
        ttk.Button(bar, text="Copy", bootstyle="secondary-outline", command=lambda: self._copy(reason)).pack(
            side="left"
        )
        ttk.Button(bar, text="Close", bootstyle="primary", command=self.destroy).pack(side="right")
        self.bind("<Escape>", lambda event: self.destroy())

    def _copy(self, text: str) -> None:
        self.clipboard_clear()
        self.clipboard_append(text)
