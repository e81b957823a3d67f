"""A question that is answered in a few words, with the possible answers below."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

import ttkbootstrap as ttk

from miniedit_frr.widgets.aside import put_aside


class WordsDialog(ttk.Toplevel):
    """Asks; the window behind it works on.

    Args:
        words: the initial text of the line.
        usage: the possible answers, a line each.
        take: called with the words; says why they mean nothing, or nothing, which closes this window.
        style: of the button that does it; "danger" for what hits a running lab.

    Attributes:
        words: the text of the line.
        fault: why it was refused.
    """

    def __init__(
        self, parent: tk.Misc, title: str, words: str, usage: str, take: Callable[[str], str], style: str = "danger"
    ) -> None:  # fmt: skip
        super().__init__(title=title, master=parent)
        put_aside(self, parent)
        self._take = take
        self.words, self.fault = tk.StringVar(self, words), tk.StringVar(self)
        form = ttk.Frame(self, padding=12)
        form.pack(fill="both", expand=True)
        self.entry = ttk.Entry(form, textvariable=self.words, width=58)
        self.entry.pack(fill="x")
        ttk.Label(form, textvariable=self.fault, bootstyle="danger", wraplength=520, justify="left").pack(
            anchor="w", pady=(4, 4)
        )
        ttk.Label(form, text=usage, font="TkFixedFont", bootstyle="secondary", justify="left").pack(anchor="w")
        bar = ttk.Frame(self, padding=(12, 0, 12, 12))
        bar.pack(fill="x")
        self.ok = ttk.Button(bar, text=title, bootstyle=style, command=self.accept)
        self.ok.pack(side="right")
        ttk.Button(bar, text="Cancel", bootstyle="secondary-outline", command=self.destroy).pack(side="right", padx=6)
        self.bind("<Return>", lambda event: self.accept())
        self.bind("<Escape>", lambda event: self.destroy())
        self.entry.focus_set()
        self.entry.icursor("end")

    def accept(self) -> None:
        """Carry out the words, or say what is wrong with them."""
        why = self._take(self.words.get())
        if why:
            self.fault.set(why)
            self.entry.focus_set()
        else:
            self.destroy()
