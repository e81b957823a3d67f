"""The find bar: finds nodes, links, flows and notes by their texts."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

import ttkbootstrap as ttk

from frrlib.picture.scene import Key, Scene
from miniedit_frr.canvas.view import View

#: The text of the button that closes the bar, its sign in a narrow bar, and the width in units of such a bar.
_CLOSE, _CLOSE_SIGN = "Close", "\N{MULTIPLICATION SIGN}"
_NARROW = 300


def matches(scene: Scene, words: str) -> list[Key]:
    """The keys of things with the words in their name, id or texts. Nodes come first; case is ignored."""
    text = words.strip().casefold()
    if not text:
        return []
    nodes = [key for key, node in scene.nodes.items() if text in f"{key.name}\n{node.text}".casefold()]
    lines = [key for key, line in scene.lines.items() if text in "\n".join((key.name, *line.texts)).casefold()]
    flows = [key for key, flow in scene.flows.items() if text in f"{key.name}\n{flow.text}".casefold()]
    shapes = [key for key, shape in scene.shapes.items() if text in shape.text.casefold()]
    # An exact name comes first.
    return sorted(nodes, key=lambda key: key.name.casefold() != text) + lines + flows + shapes


class FindBar(ttk.Frame):
    """A bar above the canvas. Return goes to the next hit, Escape closes the bar.

    Attributes:
        may_select: whether a hit may be selected now.
        words: the search text.
    """

    def __init__(self, parent: tk.Misc, view: View, ui: float) -> None:
        super().__init__(parent, padding=(8, 4))
        self._view, self._at = view, -1
        self.may_select: Callable[[], bool] = lambda: True
        self.words = tk.StringVar(self)
        # In a narrow window the field is cut, and not the button or the number of hits, which are packed first.
        self._close_button = ttk.Button(self, text=_CLOSE, command=self.close)
        self._close_button.pack(side="right")
        self._count = ttk.Label(self)
        self._count.pack(side="right", padx=8)
        self._title = ttk.Label(self, text="Find")
        self._title.pack(side="left", padx=(0, 8))
        self._entry = ttk.Entry(self, textvariable=self.words, width=28)
        self._entry.pack(side="left")
        self._close_button.lift()  # the last one that the Tab key reaches
        self._narrow_px = round(_NARROW * ui)
        self.bind("<Configure>", lambda event: self._fit(event.width))
        self.words.trace_add("write", lambda *_: self._search())
        self._entry.bind("<Return>", lambda event: self._step(1))
        self._entry.bind("<Shift-Return>", lambda event: self._step(-1))
        self._entry.bind("<Escape>", lambda event: self.close())

    def open(self) -> None:
        """Show the bar, with the keyboard on it. A drawing that was fully visible is fitted into the remaining room."""
        was_whole = not self.winfo_ismapped() and self._shows_all()
        self.pack(side="top", fill="x", before=self._view)
        if was_whole:
            self.update_idletasks()
            if not self._shows_all():
                self._view.fit()
        self._entry.focus_set()
        self._entry.selection_range(0, "end")

    def _fit(self, width_px: int) -> None:
        """Leave room for the field in a narrow window: without the title, and with a sign on the button."""
        is_narrow = width_px < self._narrow_px
        self._close_button.configure(text=_CLOSE_SIGN if is_narrow else _CLOSE)
        if is_narrow:
            self._title.pack_forget()
        elif not self._title.winfo_manager():
            self._title.pack(side="left", padx=(0, 8), before=self._entry)

    def _shows_all(self) -> bool:
        view, box = self._view, self._view.scene.bounds()
        if box is None:
            return False
        corners = view.to_widget((box.left, box.top)), view.to_widget((box.right, box.bottom))
        return all(0 <= x <= view.winfo_width() and 0 <= y <= view.winfo_height() for x, y in corners)

    def close(self) -> None:
        """Hide the bar; the hit stays selected."""
        self.pack_forget()
        self._view.focus_set()

    def _search(self) -> None:
        self._at = -1
        self._step(1)

    def _step(self, step: int) -> None:
        hits = matches(self._view.scene, self.words.get())
        if not hits:
            self._count.configure(text="no matches" if self.words.get().strip() else "")
            return
        if not self.may_select():
            return
        self._at = (self._at + step) % len(hits)
        self._count.configure(text=f"{self._at + 1} of {len(hits)}")
        self._view.select({hits[self._at]})
        self._view.reveal(hits[self._at])
