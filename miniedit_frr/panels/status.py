"""The status bar: a message, and present facts."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from tkinter import font as tkfont

import ttkbootstrap as ttk

from miniedit_frr.widgets.ellipsis import elide

#: How long a message stays while nothing is in progress: it tells of a recent event.
_LASTS_MS = 20_000
#: The facts at the right, in this order, with their text before anything is known.
FACTS = {"selection": "", "lab": "no lab is running", "place": "place: automatic", "kernel": "", "zoom": "100 %"}


class StatusBar(ttk.Frame):
    """One line at the bottom of the window."""

    def __init__(self, parent: tk.Misc) -> None:
        super().__init__(parent, padding=(8, 2))
        # Of a width that asks for nothing: the facts, at the right, have their room first.
        self._message = ttk.Label(self, anchor="w", width=1)
        self._message.pack(side="left", fill="x", expand=True)
        self._message.bind("<Configure>", lambda event: self._fit())
        self._told = ""
        #: Called when Cancel is pressed, which is there as long as something is in progress.
        self.on_cancel: Callable[[], object] = lambda: None
        self._going = ttk.Frame(self)
        self.bar = ttk.Progressbar(self._going, maximum=1.0, length=140)
        self.bar.pack(side="left", padx=(6, 4))
        self.cancel = ttk.Button(
            self._going,
            text="Cancel",
            bootstyle="link",
            padding=(4, 0),
            command=lambda: self.on_cancel(),
            takefocus=False,
        )
        self.cancel.pack(side="left")
        ttk.ToolTip(self.cancel, text="Stop the lab at once, without its stop commands  (Ctrl+Shift+F5)")
        # As high as with it, so that nothing above moves when it comes.
        self._going.update_idletasks()
        ttk.Frame(self, width=1, height=self._going.winfo_reqheight()).pack(side="left")
        self._timer = ""
        self.bind("<Destroy>", lambda event: self._cancel_timer() if event.widget is self else None)
        self._facts = {}
        for name, text in reversed(FACTS.items()):
            self._facts[name] = ttk.Label(self, text=text, padding=(10, 0))
            self._facts[name].pack(side="right")

    def tell(self, message: str) -> None:
        """Show a message, until the next one, or for a while if nothing is in progress: its first line, with the second
        where a colon announces it.
        """
        self._cancel_timer()
        self._timer = self.after(_LASTS_MS, self._forget)
        first, _, rest = message.partition("\n")
        self._told = f"{first} {rest.partition(chr(10))[0]}".rstrip() if first.endswith(":") else first
        self._fit()

    def _fit(self) -> None:
        """Show as much of the message as there is room for; an ellipsis says where there is more."""
        self._message.configure(text=elide(self._told, tkfont.nametofont("TkDefaultFont"), self._message.winfo_width()))

    def _forget(self) -> None:
        self._timer = ""
        if self._going.winfo_manager():
            self._timer = self.after(_LASTS_MS, self._forget)
        else:
            self._told = ""
            self._fit()

    def _cancel_timer(self) -> None:
        if self._timer:
            self.after_cancel(self._timer)
            self._timer = ""

    def progress(self, done: float | None) -> None:
        """Show progress, from 0 to 1, beside a button that cancels it; None for nothing."""
        if done is None:
            self._going.pack_forget()
        else:
            self.bar.configure(value=done)
            if not self._going.winfo_manager():
                self._going.pack(side="right")

    def set(self, fact: str, text: str) -> None:
        """Show a fact; `fact` is a key of FACTS."""
        self._facts[fact].configure(text=text)
