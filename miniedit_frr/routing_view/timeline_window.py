"""A window with the events of a lab's routing: lanes over time above, a list below."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from pathlib import Path
from tkinter import filedialog

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.live.messages import protocol_title
from miniedit_frr.live.timeline import KINDS, RoutingTimeline, TimelineItem, as_csv
from miniedit_frr.routing_view.lanes import TimelineLanes, lane_colors
from miniedit_frr.widgets.aside import add_heading, put_aside
from miniedit_frr.widgets.data_table import Column, DataTable
from miniedit_frr.widgets.deferred import DeferredCall

#: Widgets to which Space means something else than a pause.
_SPACE_WIDGETS = (tk.Entry, ttk.Button, ttk.Checkbutton, ttk.Menubutton)
_COLUMNS = (
    Column("Time", 90, True), Column("Event", 150), Column("Where", 90), Column("Protocol", 80), Column("Details", 420),
)  # fmt: skip
_ALL = "Everything"
_SPANS = {"All": 0.0, "Last second": 1.0, "Last 10 s": 10.0, "Last minute": 60.0, "Last 10 minutes": 600.0}
_LANES = {"Lanes by node": "where", "Lanes by protocol": "protocol"}
#: Maximum number of rows of the list, and minimum time between two refreshes.
_MOST_ROWS, _PAUSE_MS = 1000, 200
#: Marks of the kinds in the list, so that they differ not only by color.
_MARKS = {
    "adjacency-up": "▲", "adjacency-change": "●", "adjacency-down": "▼", "routes": "▬", "fault": "ϟ", "cleared": "✓",
    "daemon": "■", "note": "|",
}  # fmt: skip


class TimelineWindow(ttk.Toplevel):
    """A timeline of a running lab or of a finished run.

    Attributes:
        on_pick: called with the node or link of a selected item.
        is_paused: whether new events are not shown.

    Args:
        timeline: returns the current timeline; called at every refresh, since a new lab has a new one.
        zero_s: returns the zero of the times.
        name_of: returns the title of a node or link.
    """

    def __init__(
        self, parent: tk.Misc, title: str, timeline: Callable[[], RoutingTimeline], zero_s: Callable[[], float],
        ui: float, theme: Theme, name_of: Callable[[str], str] = lambda where: where,
    ) -> None:  # fmt: skip
        super().__init__(title=title, master=parent)
        self._name_of = name_of
        put_aside(self, parent)
        add_heading(self, title)
        self._timeline, self._zero_s, self._ui, self._theme = timeline, zero_s, ui, theme
        self.on_pick: Callable[[str], None] = lambda where: None
        self.is_paused = False
        self._shown: list[TimelineItem] = []
        self._state: tuple[object, ...] = ()
        self._refreshing = DeferredCall(self, self._tick)
        self._build_bar()
        split = ttk.Panedwindow(self, orient="vertical")
        split.pack(fill="both", expand=True, padx=8, pady=(0, 8))
        self.lanes = TimelineLanes(split, ui, theme)
        self.lanes.on_pick, self.lanes.name_of = self._pick_number, name_of
        self.sheet = DataTable(split, _COLUMNS, ui, height=11)
        for index in range(len(_COLUMNS)):
            self.sheet.tree.heading(index, command="")
        for kind, color in lane_colors(theme).items():
            if kind not in ("note", "routes"):
                self.sheet.color(kind, color)
        self.sheet.tree.bind("<<TreeviewSelect>>", lambda event: self._select_item())
        split.add(self.lanes, weight=1)
        split.add(self.sheet, weight=1)
        self.bind("<Escape>", lambda event: self.destroy())
        self.bind("<space>", lambda event: None if isinstance(event.widget, _SPACE_WIDGETS) else self.pause())
        self.refresh()

    def _build_bar(self) -> None:
        bar = ttk.Frame(self, padding=8)
        bar.pack(fill="x")
        save = ttk.Button(bar, text="Save CSV…", command=self._save, bootstyle="secondary-outline")
        save.pack(side="right")
        self.said = ttk.Label(bar, padding=(10, 0))
        self.said.pack(side="right")
        self.pause_button = ttk.Button(bar, text="Pause", width=9, command=self.pause, bootstyle="secondary-outline")
        self.pause_button.pack(side="left")
        self.lane_choice = self._choice(bar, _LANES, 16)
        self.span = self._choice(bar, _SPANS, 15)
        self.kind = self._choice(bar, [_ALL, *KINDS.values()], 17)
        ttk.Label(bar, text="Filter:").pack(side="left", padx=(10, 4))
        self.filter = ttk.Entry(bar, width=14)
        self.filter.pack(side="left")
        self.filter.bind("<KeyRelease>", lambda event: self.refresh())

    def _choice(self, bar: tk.Misc, words: Sequence[str] | dict[str, object] | dict[str, str] | dict[str, float],
                width: int) -> ttk.Combobox:  # fmt: skip
        choice = ttk.Combobox(bar, values=[*words], state="readonly", width=width)
        choice.current(0)
        choice.bind("<<ComboboxSelected>>", lambda event: self.refresh())
        choice.pack(side="left", padx=(6, 0))
        return choice

    # --- contents ---

    def changed(self) -> None:
        """Refresh soon, since there may be events."""
        if self.winfo_exists() and not self.is_paused:
            self._refreshing.soon(_PAUSE_MS)

    def _tick(self) -> None:
        if not self.is_paused:
            self.refresh()

    def refresh(self) -> None:
        """Show the current events. Without changes nothing is drawn."""
        timeline = self._timeline()
        text, kind = self.filter.get(), self.kind.get()
        kinds = [name for name, title in KINDS.items() if title == kind]
        state = (id(timeline), timeline.revision, text, kind, self.lane_choice.get(), self.span.get())
        if state == self._state:
            return
        self._state = state
        items = timeline.items(text, kinds)
        self._list(items[-_MOST_ROWS:])
        if _SPANS[self.span.get()] != self.lanes.span_s:
            self.lanes.show_last(_SPANS[self.span.get()])
        self._show_lanes(items)
        dropped = f", {timeline.dropped} older events dropped" if timeline.dropped else ""
        self.said.configure(text=f"{len(items)} of {len(timeline)}{dropped}")

    def _show_lanes(self, items: Sequence[TimelineItem]) -> None:
        selection = self.sheet.tree.selection()
        self.lanes.show(items, _LANES[self.lane_choice.get()], self._zero_s(), int(selection[0]) if selection else 0)
        self._items = items

    def _list(self, items: list[TimelineItem]) -> None:
        """Update the list. Existing rows are kept, so that selection and scrolling stay."""
        tree, previous = self.sheet.tree, self._shown
        at_end = tree.yview()[1] >= 0.999
        start = next((i for i, item in enumerate(previous) if items and item.number == items[0].number), len(previous))
        remaining = previous[start:]
        if [item.number for item in remaining] != [item.number for item in items[: len(remaining)]]:
            start, remaining = len(previous), []
        tree.delete(*(str(item.number) for item in previous[:start]))
        for old, new in zip(remaining, items, strict=False):
            if old != new:
                self.sheet.put(str(new.number), self._row(new), (new.kind,))
        for item in items[len(remaining) :]:
            self.sheet.put(str(item.number), self._row(item), (item.kind,))
        self._shown = items
        if at_end and items and not tree.selection():
            tree.see(str(items[-1].number))

    def _row(self, item: TimelineItem) -> tuple[str, ...]:
        title = f"{_MARKS[item.kind]} {KINDS[item.kind]}"
        lasted = f" in {(item.until_s - item.time_s) * 1e3:.0f} ms" if item.until_s - item.time_s > 5e-4 else ""
        time = f"{item.time_s - self._zero_s():.3f} s"
        return time, title, self._name_of(item.where), protocol_title(item.protocol), f"{item.text}{lasted}"

    @property
    def listed(self) -> list[TimelineItem]:
        """The items of the list, the oldest first."""
        return list(self._shown)

    # --- actions ---

    def pause(self) -> None:
        """Stop showing new events, or show them again."""
        self.is_paused = not self.is_paused
        self.pause_button.configure(text="Resume" if self.is_paused else "Pause")
        if not self.is_paused:
            self.refresh()

    def _pick_number(self, number: int) -> None:
        if self.sheet.tree.exists(str(number)):
            self.sheet.tree.selection_set(str(number))
            self.sheet.tree.see(str(number))

    def _select_item(self) -> None:
        selection = self.sheet.tree.selection()
        item = next(
            (shown_item for shown_item in self._shown if selection and str(shown_item.number) == selection[0]), None
        )
        if item is not None:
            self._show_lanes(self._items)
            self.on_pick(item.where)

    def _save(self) -> None:
        file = filedialog.asksaveasfilename(
            parent=self, defaultextension=".csv", filetypes=(("CSV", "*.csv"),), initialfile="timeline.csv",
            title="Save the timeline",
        )  # fmt: skip
        if file:
            self.save(Path(file))

    def save(self, path: Path) -> None:
        """Write the visible events as CSV."""
        path.write_text(as_csv(self._items, self._zero_s()), encoding="utf-8")
