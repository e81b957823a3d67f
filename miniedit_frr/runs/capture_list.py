"""The interfaces to capture in a run: all interfaces of the topology, each with a mark that a click toggles."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import ttkbootstrap as ttk

from miniedit_frr.widgets.data_table import Column, DataTable

_MARKS = {True: "☑", False: "☐"}


class CaptureInterface(NamedTuple):
    """An interface of the topology: its node, its name, and the node at its other end."""

    node: str
    name: str
    to: str = ""

    @property
    def full_name(self) -> str:
        """The interface's name in captures."""
        return f"{self.node}:{self.name}"


class CaptureList(ttk.Frame):
    """The interfaces; a click or the space bar toggles the selection of one.

    Args:
        interfaces: all interfaces.
        selected: full names of the selected interfaces; unknown names are ignored.
        on_change: called when the selection changes.
    """

    def __init__(
        self, parent: tk.Misc, interfaces: Sequence[CaptureInterface], selected: Collection[str],
        on_change: Callable[[], object], ui: float,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._interfaces, self._on_change = interfaces, on_change
        self._selected = {interface.full_name for interface in interfaces} & set(selected)
        columns = (Column("", 30), Column("Node", 110), Column("Interface", 130), Column("Connected to", 180))
        self.sheet = DataTable(self, columns, ui, height=min(6, max(2, len(interfaces))))
        self.sheet.pack(fill="both", expand=True)
        self.sheet.fill([self._row(interface) for interface in interfaces])
        tree = self.sheet.tree
        tree.bind("<ButtonRelease-1>", self._clicked)
        tree.bind("<space>", lambda event: self._toggle(tree.focus()))

    @property
    def chosen(self) -> tuple[str, ...]:
        """Full names of the selected interfaces, in the order of the topology."""
        return tuple(interface.full_name for interface in self._interfaces if interface.full_name in self._selected)

    def choose(self, *names: str) -> None:
        """Toggle the selection of interfaces, by their full names."""
        for index, interface in enumerate(self._interfaces):
            if interface.full_name in names:
                self._toggle(str(index))

    def _row(self, interface: CaptureInterface) -> tuple[str, ...]:
        return (_MARKS[interface.full_name in self._selected], *interface)

    def _clicked(self, event: tk.Event) -> None:
        if self.sheet.tree.identify_region(event.x, event.y) == "cell":
            self._toggle(self.sheet.tree.identify_row(event.y))

    def _toggle(self, item: str) -> None:
        if item:
            interface = self._interfaces[int(item)]
            self._selected ^= {interface.full_name}
            self.sheet.set(int(item), self._row(interface))
            self._on_change()
