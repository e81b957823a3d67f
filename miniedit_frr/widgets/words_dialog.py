"""A dialog with one line of input, and a list of the accepted inputs below it."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

import ttkbootstrap as ttk

from miniedit_frr.widgets.aside import put_in_middle


class WordsDialog(ttk.Toplevel):
    """A dialog for one line of words. It does not block the other windows.

    Args:
        words: the initial text.
        usage: the accepted inputs, one per line.
        take: called with the text; returns why it is refused. An empty result closes the dialog.
        style: style of the main button; "danger" for actions on a running lab.

    Attributes:
        words: the variable with the text.
        fault: the variable with the reason of a refusal.
    """

    def __init__(
        self, parent: tk.Misc, title: str, words: str, usage: str, take: Callable[[str], str], style: str = "danger"
    ) -> None:  # fmt: skip
        super().__init__(title=title, master=parent)
        put_in_middle(self, parent)
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
        """Pass the text on. Show the reason if it is refused, else close."""
        refusal = self._take(self.words.get())
        if refusal:
            self.fault.set(refusal)
            self.entry.focus_set()
        else:
            self.destroy()
