"""A window with the ping matrix: reachability between nodes, as colors and round-trip times."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from pathlib import Path
from tkinter import filedialog

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from frrlib.safe_text.spreadsheet import csv_text
from miniedit_frr.widgets.aside import add_heading, put_aside

#: Maximum number of listed names; for more names, their number is shown.
_MOST_NAMES = 3
_CELL_PX, _HEAD_PX = (68, 26), 92


class PingMatrixWindow(ttk.Toplevel):
    """The matrix: rows ping columns. It fills while the pings are in progress.

    Args:
        start: starts the pings.
        stop: stops them.
        unlinked: nodes without a link, which no ping reaches.
    """

    def __init__(
        self,
        parent: tk.Misc,
        names: Sequence[str],
        start: Callable[[PingMatrixWindow], object],
        stop: Callable[[], object],
        ui: float,
        theme: Theme,
        unlinked: Sequence[str] = (),
    ) -> None:
        super().__init__(title="Ping Matrix", master=parent)
        put_aside(self, parent)
        add_heading(self, "Ping Matrix")
        self._names, self._start, self._stop, self._ui, self._theme = list(names), start, stop, ui, theme
        self._unlinked = tuple(unlinked)
        self.rtts_ms: dict[tuple[str, str], float | None] = {}
        self._cells: dict[tuple[str, str], tuple[int, int]] = {}
        self._build_bar()
        self.grid_view = tk.Canvas(self, background=theme.canvas, highlightthickness=0)
        self._build_grid()
        if self._is_large():
            down = ttk.Scrollbar(self, command=self.grid_view.yview)
            across = ttk.Scrollbar(self, orient="horizontal", command=self.grid_view.xview)
            self.grid_view.configure(yscrollcommand=down.set, xscrollcommand=across.set)
            down.pack(side="right", fill="y")
            across.pack(side="bottom", fill="x")
        self.grid_view.pack(fill="both", expand=True, padx=8, pady=8)
        self.protocol("WM_DELETE_WINDOW", self.close)
        self.bind("<Escape>", lambda event: self.close())
        self.again()

    def _build_bar(self) -> None:
        bar = ttk.Frame(self, padding=(8, 6))
        bar.pack(side="bottom", fill="x")
        self.button = ttk.Button(bar, text="Cancel", command=self._press, bootstyle="secondary-outline")
        self.button.pack(side="left")
        self.export_button = ttk.Button(bar, text="Export CSV…", command=self._export, bootstyle="secondary-outline")
        self.export_button.pack(side="left", padx=6)
        ttk.Button(bar, text="Close", command=self.close, bootstyle="secondary-outline").pack(side="right")
        self.progress = ttk.Progressbar(bar, maximum=1.0, length=round(120 * self._ui))
        self.progress.pack(side="right", padx=10)
        self._said = ttk.Label(bar)
        self._said.pack(side="left", fill="x", expand=True)

    def _build_grid(self) -> None:
        width, height = (round(size * self._ui) for size in _CELL_PX)
        head, theme, view = round(_HEAD_PX * self._ui), self._theme, self.grid_view
        for index, name in enumerate(self._names):
            x, y = head + index * width, height + index * height
            view.create_text(x + width / 2, height / 2, text=name, fill=theme.text)
            view.create_text(head - 8, y + height / 2, text=name, fill=theme.text, anchor="e")
        for row, source in enumerate(self._names):
            for column, destination in enumerate(self._names):
                x, y = head + column * width, height + row * height
                background = theme.base_ground if source == destination else theme.hover
                box = view.create_rectangle(x + 1, y + 1, x + width - 1, y + height - 1, fill=background, width=0)
                mark = "·" if source == destination else ""
                text = view.create_text(x + width / 2, y + height / 2, text=mark, fill=theme.faint)
                self._cells[source, destination] = box, text
        grid_width, grid_height = head + len(self._names) * width + 8, height * (len(self._names) + 1) + 8
        view.configure(
            scrollregion=(0, 0, grid_width, grid_height), width=min(grid_width, 900), height=min(grid_height, 560)
        )

    def _is_large(self) -> bool:
        *_, grid_width, grid_height = map(float, str(self.grid_view.cget("scrollregion")).split())
        return grid_width > float(self.grid_view.cget("width")) or grid_height > float(self.grid_view.cget("height"))

    # --- results ---

    def set(self, source: str, destination: str, rtt_ms: float | None, done: int, total: int) -> None:
        """Show a ping's result: its round trip in ms, None without a reply."""
        if not self.winfo_exists():
            return
        self.rtts_ms[source, destination] = rtt_ms
        box, text = self._cells[source, destination]
        if source in self._unlinked or destination in self._unlinked:
            self.grid_view.itemconfigure(text, text="no link", fill=self._theme.faint)
        else:
            self.grid_view.itemconfigure(box, fill=self._theme.error if rtt_ms is None else self._theme.up)
            label = "lost" if rtt_ms is None else f"{rtt_ms:.2f}" if rtt_ms < 10 else f"{rtt_ms:.1f}"
            self.grid_view.itemconfigure(text, text=label, fill=self._theme.canvas)
        if not self.progress.winfo_manager():
            self.progress.pack(side="right", padx=10, before=self._said)
        self.progress.configure(value=done / total)
        self._said.configure(text=f"  {done} of {total}")

    def end(self, reason: str = "", awaited: Sequence[str] = ()) -> None:
        """Show the end of the pings: all results are known, or there is a reason.

        Args:
            awaited: routers with missing routes during the pings, so that lost pings may succeed later.
        """
        if self.winfo_exists():
            reached = sum(rtt_ms is not None for rtt_ms in self.rtts_ms.values())
            text = reason or f"{reached} of {len(self.rtts_ms)} pings were answered; round-trip times in ms"
            if awaited and not reason and reached < len(self.rtts_ms):
                text += (
                    f". Some routes are still missing at {_list_names(awaited)}; repeat when the network has converged"
                )
            if self._unlinked and not reason:
                noun = "has" if len(self._unlinked) == 1 else "have"
                text += f". {_list_names(self._unlinked)} {noun} no link"
            self._said.configure(text=f"  {text}")
            self.button.configure(text="Repeat")
            self.progress.configure(value=0)
            self.progress.pack_forget()

    def again(self) -> None:
        """Repeat the pings."""
        self.rtts_ms.clear()
        for (source, destination), (box, text) in self._cells.items():
            if source != destination:
                self.grid_view.itemconfigure(box, fill=self._theme.hover)
                self.grid_view.itemconfigure(text, text="")
        self.button.configure(text="Cancel")
        self._said.configure(text="")
        self._start(self)

    def close(self) -> None:
        """Stop the pings, and close."""
        self._stop()
        self.destroy()

    def _press(self) -> None:
        if str(self.button.cget("text")) == "Cancel":
            self._stop()
        else:
            self.again()

    def _export(self) -> None:
        file = filedialog.asksaveasfilename(
            parent=self, defaultextension=".csv", filetypes=(("Tables", "*.csv"),), initialfile="ping-matrix.csv"
        )
        if file:
            try:
                self.export(Path(file))
            except OSError as error:
                self._said.configure(text=f"  {error}")

    def export(self, path: Path) -> None:
        """Write the known results as a table: source, destination, rtt_ms (empty without a reply)."""
        rows = [(*pair, rtt_ms) for pair, rtt_ms in sorted(self.rtts_ms.items())]
        path.write_text(csv_text([("source", "destination", "rtt_ms"), *rows]), encoding="utf-8")


def _list_names(names: Sequence[str]) -> str:
    """Names, shortened ("r1, r2, r3 and 4 more")."""
    listed, remaining = ", ".join(names[:_MOST_NAMES]), len(names) - _MOST_NAMES
    return f"{listed} and {remaining} more" if remaining > 0 else listed
