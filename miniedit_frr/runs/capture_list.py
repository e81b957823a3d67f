"""Which interfaces of a run are captured: all of the drawing, each with a mark that a click sets."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import ttkbootstrap as ttk

from miniedit_frr.widgets.sheet import Column, Sheet

_MARKS = {True: "☑", False: "☐"}


class CaptureInterface(NamedTuple):
    """An interface of the drawing: its node, its name, and the node at its other end."""

    node: str
    name: str
    to: str = ""

    @property
    def full_name(self) -> str:
        """The name that a capture uses for it."""
        return f"{self.node}:{self.name}"


class CaptureList(ttk.Frame):
    """The interfaces; a click or the space bar chooses one or lets it go.

    Args:
        interfaces: all that there are.
        chosen: full names of those that are chosen; names that are no interface's are ignored.
        told: called when the choice changes.
    """

    def __init__(
        self, parent: tk.Misc, interfaces: Sequence[CaptureInterface], chosen: Collection[str],
        told: Callable[[], object], ui: float,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._interfaces, self._told = interfaces, told
        self._chosen = {each.full_name for each in interfaces} & set(chosen)
        columns = (Column("", 30), Column("Node", 110), Column("Interface", 130), Column("Connected to", 180))
        self.sheet = Sheet(self, columns, ui, height=min(6, max(2, len(interfaces))))
        self.sheet.pack(fill="both", expand=True)
        self.sheet.fill([self._row(each) for each in interfaces])
        tree = self.sheet.tree
        tree.bind("<ButtonRelease-1>", self._clicked)
        tree.bind("<space>", lambda event: self._toggle(tree.focus()))

    @property
    def chosen(self) -> tuple[str, ...]:
        """Full names of the interfaces that are chosen, in the drawing's order."""
        return tuple(each.full_name for each in self._interfaces if each.full_name in self._chosen)

    def choose(self, *names: str) -> None:
        """Choose interfaces by their full names, or let those go that were chosen."""
        for index, each in enumerate(self._interfaces):
            if each.full_name in names:
                self._toggle(str(index))

    def _row(self, each: CaptureInterface) -> tuple[str, ...]:
        return (_MARKS[each.full_name in self._chosen], *each)

    def _clicked(self, event: tk.Event) -> None:
        if self.sheet.tree.identify_region(event.x, event.y) == "cell":
            self._toggle(self.sheet.tree.identify_row(event.y))

    def _toggle(self, item: str) -> None:
        if item:
            each = self._interfaces[int(item)]
            self._chosen ^= {each.full_name}
            self.sheet.set(int(item), self._row(each))
            self._told()
