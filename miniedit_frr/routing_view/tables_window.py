"""A window with the routing tables of all routers side by side, and their changes since a mark."""

from __future__ import annotations

import time
import tkinter as tk
from collections.abc import Callable
from pathlib import Path
from tkinter import filedialog

import ttkbootstrap as ttk

from frrlib.model.names import natural
from frrlib.picture.theme import Theme
from miniedit_frr.live.messages import MAIN_TABLE
from miniedit_frr.live.route_book import RouteBook, TableRoute, TableRow, as_csv, as_text
from miniedit_frr.widgets.aside import put_aside
from miniedit_frr.widgets.cells import CellContent, Cells
from miniedit_frr.widgets.deferred import DeferredCall

_ALL = "All protocols"
_PAUSE_MS = 200
#: Names of the kernel's protocols in this window.
_WORDS = {"kernel": "connected"}


class RoutingTables(ttk.Toplevel):
    """The tables: rows are prefixes, columns are routers.

    Args:
        book: returns the current tables; called at every refresh, since a new lab has new ones.
        name_of: returns the node of an address; empty if unknown.
        table_title: returns the title of a kernel table; empty for the main one.
        read: reads the tables from the kernels, and calls its argument with an error or an empty text.
        explain: opens an explanation why a router lacks a prefix.
    """

    def __init__(
        self, parent: tk.Misc, book: Callable[[], RouteBook], name_of: Callable[[str], str],
        table_title: Callable[[int], str], read: Callable[[Callable[[str], object]], object],
        explain: Callable[[str, str], object], ui: float, theme: Theme,
    ) -> None:  # fmt: skip
        super().__init__(title="Routing Tables", master=parent)
        put_aside(self, parent)
        self._book, self._name_of, self._table_title, self._read = book, name_of, table_title, read
        self._explain, self._missing = explain, ("", "")
        self._rows: list[TableRow] = []
        self._routers: list[str] = []
        self._state: tuple[object, ...] = ()
        self._refreshing, self._pause_ms = DeferredCall(self, self._tick), _PAUSE_MS
        self.only_changes = tk.BooleanVar(self, value=False)
        self.by_name = tk.BooleanVar(self, value=True)
        self._build_bar()
        self._build_foot()
        self.cells = Cells(self, self._cell, ui, theme)
        self.cells.on_pick = self._show_route
        self.cells.pack(fill="both", expand=True, padx=8)
        self.bind("<Escape>", lambda event: self.destroy())
        self.bind("<F5>", lambda event: self.again())
        self.again()
        self.refresh()

    def _build_bar(self) -> None:
        bar = ttk.Frame(self, padding=8)
        bar.pack(fill="x")
        ttk.Label(bar, text="Prefix:").pack(side="left", padx=(0, 4))
        self.filter = ttk.Entry(bar, width=18)
        self.filter.pack(side="left")
        self.filter.bind("<KeyRelease>", lambda event: self.refresh())
        ttk.Label(bar, text="Routers:").pack(side="left", padx=(10, 4))
        self.routers = ttk.Entry(bar, width=12)
        self.routers.pack(side="left")
        self.routers.bind("<KeyRelease>", lambda event: self.refresh())
        self.protocol_choice = ttk.Combobox(bar, values=[_ALL], state="readonly", width=13)
        self.protocol_choice.current(0)
        self.protocol_choice.bind("<<ComboboxSelected>>", lambda event: self.refresh())
        self.protocol_choice.pack(side="left", padx=(10, 0))
        self.mark_button = ttk.Button(bar, text="Set Mark", command=self.mark, bootstyle="secondary-outline")
        self.mark_button.pack(side="left", padx=(10, 0))
        self.unmark_button = ttk.Button(bar, text="Clear", command=self.unmark, bootstyle="secondary-outline")
        self.unmark_button.pack(side="left", padx=(6, 0))
        ttk.Checkbutton(
            bar, text="Changes only", variable=self.only_changes, command=self.refresh
        ).pack(side="left", padx=(10, 0))  # fmt: skip

    def _build_foot(self) -> None:
        foot = ttk.Frame(self, padding=8)
        foot.pack(side="bottom", fill="x")
        ttk.Button(foot, text="Refresh", command=self.again, bootstyle="secondary-outline").pack(side="left")
        ttk.Button(foot, text="Save…", command=self._save, bootstyle="secondary-outline").pack(side="left", padx=6)
        ttk.Checkbutton(
            foot, text="Name next hops", variable=self.by_name, command=lambda: self.refresh(anew=True)
        ).pack(side="left", padx=6)  # fmt: skip
        ttk.Button(foot, text="Close", command=self.destroy, bootstyle="secondary-outline").pack(side="right")
        self.why_button = ttk.Button(
            foot, text="Why?", command=lambda: self._explain(*self._missing), bootstyle="secondary-outline",
            state="disabled",
        )  # fmt: skip
        self.why_button.pack(side="right", padx=6)
        self.said = ttk.Label(foot, padding=(10, 0))
        self.said.pack(side="left", fill="x", expand=True)

    # --- contents ---

    def again(self) -> None:
        """Read the tables from the kernels."""
        self.said.configure(text="reading the kernel routing tables …")
        self._read(self._show_read)

    def _show_read(self, error: str) -> None:
        if self.winfo_exists():
            self.refresh(anew=True)
            if error:
                self.said.configure(text=error)

    def changed(self) -> None:
        """Refresh soon, since there may be changes."""
        if self.winfo_exists():
            self._refreshing.soon(self._pause_ms)

    def _tick(self) -> None:
        start = time.monotonic()
        self.refresh()
        # Refreshing the tables of a large converging lab takes long, so the pause grows with it.
        self._pause_ms = max(_PAUSE_MS, round(4e3 * (time.monotonic() - start)))

    def refresh(self, anew: bool = False) -> None:
        """Show the current tables. Without changes nothing is drawn."""
        book = self._book()
        query, protocol = self.routers.get(), self.protocol_choice.get()
        state = id(book), book.revision, self.filter.get(), query, protocol, self.only_changes.get()
        if state == self._state and not anew:
            return
        self._state = state
        self.protocol_choice.configure(values=[_ALL, *(_WORDS.get(used, used) for used in book.protocols())])
        kernel = next((name for name, word in _WORDS.items() if word == protocol), protocol)
        only = self.only_changes.get() and book.is_marked
        self._rows = book.rows(self.filter.get(), "" if protocol == _ALL else kernel, only)
        names = query.replace(",", " ").split()
        matches = (router for router in book.routers if not names or any(name in router for name in names))
        self._routers = sorted(matches, key=natural)
        self.cells.show([self._title(row) for row in self._rows], self._routers)
        self._show_summary(book)

    def _title(self, row: TableRow) -> str:
        table = self._table_title(row.table)
        return f"{row.prefix}  {table}".rstrip()

    def _cell(self, row: int, column: int) -> CellContent:
        route, change = self._book().cell(self._routers[column], self._rows[row])
        return CellContent(self._text(route) if route is not None else "", change)

    def _text(self, route: TableRoute) -> str:
        """A route as "r2, r5 · ospf"; a connected network has its interface instead of next hops."""
        hops = [self._hop(via) for via in route.via]
        # The kernel's metric is not the cost of the protocol: FRR gives all its routes the same metric.
        parts = [", ".join(hops), _WORDS.get(route.protocol, route.protocol)]
        return " · ".join(filter(None, parts))

    def _hop(self, via: str) -> str:
        address, _, interface = via.rpartition(" ")
        if not address:
            return via
        return (self._name_of(address) if self.by_name.get() else "") or (
            interface if address.startswith("fe80:") else address
        )

    def _show_summary(self, book: RouteBook) -> None:
        text = f"{len(self._rows)} prefixes on {len(self._routers)} routers"
        if book.is_marked:
            changes = book.changes()
            text += f"; since the mark: {changes['new']} new, {changes['changed']} changed, {changes['gone']} gone"
        self.said.configure(text=text)
        self.unmark_button.configure(state="normal" if book.is_marked else "disabled")

    def _show_route(self, row: int, column: int) -> None:
        router = self._routers[column]
        route, change = self._book().cell(router, self._rows[row])
        is_explained = route is None and self._rows[row].table == MAIN_TABLE
        self._missing = router, self._rows[row].prefix
        self.why_button.configure(state="normal" if is_explained else "disabled")
        if route is None:
            self.said.configure(text=f"{router} has no route to {self._title(self._rows[row])}")
            return
        hops = [f"{via} ({name})" if (name := self._name_of(via.split(" ")[0])) else via for via in route.via]
        word = f"{change}: " if change else ""
        metric = f", kernel metric {route.metric}" if route.metric else ""
        self.said.configure(
            text=f"{word}{router} to {self._title(self._rows[row])} via {', '.join(hops)}, {route.protocol}{metric}"
        )

    @property
    def prefixes(self) -> list[str]:
        """The prefixes of the listed rows."""
        return [row.prefix for row in self._rows]

    @property
    def router_names(self) -> list[str]:
        """The routers of the columns."""
        return list(self._routers)

    def content_of(self, prefix: str, router: str) -> CellContent:
        """The content of the cell of a listed prefix and a router."""
        return self._cell(self.prefixes.index(prefix), self._routers.index(router))

    # --- actions ---

    def mark(self) -> None:
        """Show changes from now on."""
        self._book().mark()
        self.refresh()

    def unmark(self) -> None:
        """Hide the changes."""
        self._book().unmark()
        self.only_changes.set(False)
        self.refresh()

    def _save(self) -> None:
        file = filedialog.asksaveasfilename(
            parent=self, defaultextension=".csv", filetypes=(("CSV", "*.csv"), ("Text", "*.txt")),
            initialfile="routes.csv", title="Save the routing tables",
        )  # fmt: skip
        if file:
            self.save(Path(file))

    def save(self, path: Path) -> None:
        """Write the visible tables as CSV, or as text if the file's suffix is .txt."""
        write = as_text if path.suffix == ".txt" else as_csv
        path.write_text(write(self._book(), self._rows, self._routers), encoding="utf-8")
