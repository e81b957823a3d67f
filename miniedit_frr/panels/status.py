"""The status bar: a message, and facts about the present state."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Collection
from tkinter import font as tkfont

import ttkbootstrap as ttk

from miniedit_frr.widgets.ellipsis import elide
from miniedit_frr.widgets.own_events import bind_own_event

#: Pixels for the padding of the bar.
_MARGIN = 24
#: Time for which a message stays while nothing is in progress. A message describes a recent event.
_LASTS_MS = 20_000
#: The facts at the right, in this order, with their initial texts.
FACTS = {"selection": "", "lab": "no lab is running", "place": "place: automatic", "kernel": "", "zoom": "100 %"}
#: Facts that make room for a long message, the first one first.
_YIELDING = ("kernel", "place")


class StatusBar(ttk.Frame):
    """One line at the bottom of the window."""

    def __init__(self, parent: tk.Misc) -> None:
        super().__init__(parent, padding=(8, 2))
        # The minimum width leaves the room to the facts at the right.
        self._message = ttk.Label(self, anchor="w", width=1)
        self._message.pack(side="left", fill="x", expand=True)
        self._message.bind("<Configure>", lambda event: self._fit())
        self._text = ""
        #: Called when Cancel is pressed. The button is visible while something is in progress.
        self.on_cancel: Callable[[], object] = lambda: None
        self._progress = ttk.Frame(self)
        self.bar = ttk.Progressbar(self._progress, maximum=1.0, length=140)
        self.bar.pack(side="left", padx=(6, 4))
        self.cancel = ttk.Button(
            self._progress,
            text="Cancel",
            bootstyle="link",
            padding=(4, 0),
            command=lambda: self.on_cancel(),
            takefocus=False,
        )
        self.cancel.pack(side="left")
        ttk.ToolTip(self.cancel, text="Stop the lab at once, without its stop commands  (Ctrl+Shift+F5)")
        # This frame keeps the height of the bar with the progress parts, so that nothing above moves when they appear.
        self._progress.update_idletasks()
        ttk.Frame(self, width=1, height=self._progress.winfo_reqheight()).pack(side="left")
        self._timer = ""
        bind_own_event(self, "<Destroy>", self._cancel_timer)
        # Facts come after this frame, so that they stay at the right of the progress when they appear again.
        self._edge = ttk.Frame(self, width=1)
        self._edge.pack(side="right")
        self._facts = {}
        for name, text in reversed(FACTS.items()):
            self._facts[name] = ttk.Label(self, text=text, padding=(10, 0))
            self._facts[name].pack(side="right")

    def tell(self, message: str) -> None:
        """Show the first line of a message, and the second line if the first one ends with a colon.

        The message stays until the next one. If nothing is in progress, it disappears after a while.
        """
        self._cancel_timer()
        self._timer = self.after(_LASTS_MS, self._forget)
        first, _, following = message.partition("\n")
        self._text = f"{first} {following.partition(chr(10))[0]}".rstrip() if first.endswith(":") else first
        self._fit()

    def withdraw(self, message: str) -> None:
        """Remove a message, if it is the present one."""
        if message and self._text == message:
            self.tell("")

    @property
    def shown_message(self) -> str:
        """The message as it is shown, with an ellipsis if it is cut."""
        return str(self._message.cget("text"))

    def fact(self, name: str) -> str:
        """The text of a fact, named by a key of `FACTS`."""
        return str(self._facts[name].cget("text"))

    def _fit(self) -> None:
        """Show as much of the message as fits, with an ellipsis if it is cut. A long one replaces less needed facts."""
        font = tkfont.nametofont("TkDefaultFont")
        used = sum(fact.winfo_reqwidth() for fact in self._facts.values()) + _MARGIN
        used += self._progress.winfo_reqwidth() if self._progress.winfo_manager() else 0
        width = self.winfo_width() - used
        hidden = []
        for name in _YIELDING:
            if font.measure(self._text) > width:
                hidden.append(name)
                width += self._facts[name].winfo_reqwidth()
        self._show_facts(hidden)
        self._message.configure(text=elide(self._text, font, max(width, 1)))

    def _show_facts(self, hidden: Collection[str]) -> None:
        """Show the facts at the right, except those that make room."""
        visible = [name for name in FACTS if name not in hidden]
        if visible != [name for name in FACTS if self._facts[name].winfo_manager()]:
            for name in FACTS:
                self._facts[name].pack_forget()
            for name in visible:
                self._facts[name].pack(side="right", after=self._edge)

    def _forget(self) -> None:
        self._timer = ""
        if self._progress.winfo_manager():
            self._timer = self.after(_LASTS_MS, self._forget)
        else:
            self._text = ""
            self._fit()

    def _cancel_timer(self) -> None:
        if self._timer:
            self.after_cancel(self._timer)
            self._timer = ""

    def progress(self, done: float | None) -> None:
        """Show progress from 0 to 1 beside a Cancel button. None hides both."""
        if done is None:
            self._progress.pack_forget()
        else:
            self.bar.configure(value=done)
            if not self._progress.winfo_manager():
                self._progress.pack(side="right")
        self._fit()

    def set(self, fact: str, text: str) -> None:
        """Show the text of a fact, named by a key of `FACTS`."""
        if self.fact(fact) != text:
            self._facts[fact].configure(text=text)
            self._fit()
