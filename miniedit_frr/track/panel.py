"""The panel with the track: its buttons, its keys and its menus."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import ttkbootstrap as ttk

from frrlib.edits import schedule
from frrlib.edits.schedule import ScheduleKey
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from frrlib.picture.theme import Theme
from miniedit_frr.document.document import Document
from miniedit_frr.track import builder
from miniedit_frr.track.builder import SceneContext
from miniedit_frr.track.canvas import RowTops, TrackCanvas
from miniedit_frr.track.commands import PlanEdits
from miniedit_frr.track.layout import AXIS_HEIGHT, Band, Hit
from miniedit_frr.track.menu import PlanDialogs, PlanMenus
from miniedit_frr.track.pointer import TrackPointer
from miniedit_frr.track.remarks import remarks_of
from miniedit_frr.track.suggestions import run_end_s
from miniedit_frr.widgets.bars import add_bars
from miniedit_frr.widgets.own_events import bind_own_event
from miniedit_frr.widgets.tip import Tip

_HINT = "No faults are planned. Click Add…, or right-click a link or a node of the drawing, to plan faults of a run."
_SHIFT = 0x1
#: The minimum and maximum height that the track requests, in units.
_MIN_HEIGHT, _MAX_HEIGHT = 130.0, 290.0


class TrackPanel(ttk.Frame):
    """The scenario of the document.

    Args:
        dialogs: the dialogs for the plan.
        choose_colors: returns a color for each flow, as in figures, given the congestion control of each.

    Attributes:
        edits, canvas, pointer, menus: its parts.
        read_selection: returns the keys of the selection on the drawing.
        on_lanes: called with the keys of lanes that were clicked.
        sash_height: the height that the user has set with the sash, in pixels of a screen without scaling; 0 for none.
        context: the information that is not in the topology. Its remarks are computed again each time.
    """

    def __init__(
        self, parent: tk.Misc, document: Document, ui: float, theme: Theme, dialogs: PlanDialogs,
        choose_colors: Callable[[Sequence[str]], Sequence[str]],
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.document, self.context = document, SceneContext({}, {}, choose_colors, {})
        self.read_selection: Callable[[], Sequence[Key]] = lambda: ()
        self.on_lanes: Callable[[Sequence[Key]], object] = lambda keys: None
        self._problems: tuple[Any, ...] = ()
        self.sash_height = 0
        self.edits = PlanEdits(document)
        self._add_bar(ui)
        self.canvas = TrackCanvas(self, ui, theme, self.edits, self._make_scene)
        self.canvas.pack(fill="both", expand=True)
        add_bars(self.canvas, self.canvas.on_scroll)
        self.menus = PlanMenus(self, self.edits, dialogs, lambda: self.canvas.theme)
        self.hint = tk.Label(self.canvas, text=_HINT, borderwidth=0, font="TkDefaultFont")
        self._tip = Tip(self.canvas, lambda: self.canvas.theme, ui)
        self._tip_key: ScheduleKey | None = None
        self._bind_events()
        self.set_theme(theme)
        self.show()

    def _add_bar(self, ui: float) -> None:
        bar = ttk.Frame(self, padding=(round(8 * ui), round(3 * ui)))
        bar.pack(fill="x")
        ttk.Label(bar, text="Scenario", font="TkHeadingFont").pack(side="left")
        self.add_button = ttk.Button(bar, text="Add…", command=self.open_add_menu, bootstyle="link", padding=(8, 0))
        self.add_button.pack(side="left", padx=(round(8 * ui), 0))
        self.lock_label = ttk.Label(bar, padding=(10, 0))
        self.lock_label.pack(side="left")
        for text, command in (
            ("Fit", lambda: self.canvas.fit()),
            ("+", lambda: self.canvas.zoom(1.4)),
            ("\N{MINUS SIGN}", lambda: self.canvas.zoom(1 / 1.4)),
        ):
            ttk.Button(bar, text=text, command=command, bootstyle="link", padding=(8, 0)).pack(side="right")

    def _bind_events(self) -> None:
        canvas, edits = self.canvas, self.edits
        bind_own_event(self, "<Destroy>", self.document.listen(self._changed))
        self.pointer = TrackPointer(canvas)
        self.pointer.on_lane = lambda key: self.on_lanes([key])
        self.pointer.on_open = self.menus.open
        self.pointer.on_context = self._context
        canvas.bind("<Motion>", self._update_tip, add=True)
        keys: dict[str, Callable[[tk.Event], object]] = {
            "<Delete>": lambda event: edits.delete(), "<BackSpace>": lambda event: edits.delete(),
            "<Left>": lambda event: self._arrow(event, -1), "<Right>": lambda event: self._arrow(event, 1),
            "<Up>": lambda event: self._step(-1), "<Down>": lambda event: self._step(1),
            "<Return>": lambda event: self._open(), "<Escape>": lambda event: self.escape(),
            "<Shift-F10>": lambda event: self._menu_key(), "<Menu>": lambda event: self._menu_key(),
            "<Insert>": lambda event: self.open_add_menu(),
        }  # fmt: skip
        for letter, command in self.commands().items():
            keys |= {f"<Control-Key-{key_name}>": lambda event, command=command: command()  # type: ignore[misc]
                     for key_name in (letter, letter.upper())}  # fmt: skip
        for sequence, handler in keys.items():
            canvas.bind(sequence, lambda event, handler=handler: handler(event) or "break")  # type: ignore[misc]

    def commands(self) -> Mapping[str, Callable[[], object]]:
        """The commands of keys with Ctrl, by letter."""
        edits = self.edits
        return {
            "c": edits.copy, "x": edits.cut, "v": edits.paste, "d": edits.duplicate,
            "a": lambda: edits.select(self.canvas.layout.scene.keys()),
        }  # fmt: skip

    # --- display ---------------------------------------------------------------------------------------------------

    def _make_scene(self, topology: Topology, tops: RowTops) -> Any:
        # Remarks that can be computed at once are shown during a drag.
        remarks = remarks_of(topology, self._problems)
        return builder.build_scene(topology, replace(self.context, remarks=remarks, tops=tops))

    def request_height(self) -> None:
        """Request the height of the plan, within limits, for the next time that the panel is shown."""
        ui = self.canvas.ui
        needed = self.canvas.layout.height / ui + AXIS_HEIGHT + 8
        self.canvas.configure(height=round(ui * (self.sash_height or min(max(needed, _MIN_HEIGHT), _MAX_HEIGHT))))

    def store_height(self) -> None:
        """Store the current height of the track, if it is visible."""
        if self.winfo_ismapped():
            self.sash_height = round(self.canvas.winfo_height() / self.canvas.ui)

    def show(self) -> None:
        """Show the plan of the document."""
        self.canvas.show()
        if self.canvas.layout.scene.lanes:
            self.hint.place_forget()
        else:
            self.hint.place(relx=0.5, rely=0.5, anchor="center")

    def show_findings(self, problems: Sequence[Any], controls: Mapping[str, str]) -> None:
        """Show the findings of a check.

        Args:
            controls: the congestion control of each flow that does not declare one, from its link or host.
        """
        self._problems, self.context = tuple(problems), replace(self.context, controls=controls)
        self.show()

    def _changed(self, previous: Topology, current: Topology) -> None:
        self.pointer.cancel()
        self._tip.hide()
        self.edits.follow(previous, current)
        self.show()

    def lock(self, reason: str) -> None:
        """Lock the plan, and show the reason; an empty reason unlocks it."""
        self.edits.lock_reason = lambda: reason
        self.lock_label.configure(text=reason)
        self.add_button.configure(state="disabled" if reason else "normal")
        if reason:
            self.pointer.cancel()

    def set_theme(self, theme: Theme) -> None:
        """Use the colors of a theme."""
        self.canvas.set_theme(theme)
        self.hint.configure(background=theme.canvas, foreground=theme.faint)

    # --- pointer and keys -------------------------------------------------------------------------------------------

    def _context(self, hit: Hit | None, band: Band | None, time_s: float, x: int, y: int) -> None:
        if hit is not None:
            menu = self.menus.entry_menu(hit.entry.key, time_s)
        elif band is not None and band.lane.key.kind != "partition":
            menu = self.menus.lane_menu(band.lane.key, time_s)
        else:
            menu = self.menus.plan_menu(self.read_selection(), time_s)
        menu.tk_popup(x, y)

    def next_start_s(self) -> float:
        """The default time of a new entry: a second after the last start, but before the end of the flows."""
        starts_s = [schedule.begins_s(fault) for fault in self.document.topology.faults]
        run_s = run_end_s(self.document.topology)
        after_s = 1.0 + max(starts_s, default=0.0)
        return round(after_s if not run_s or after_s < run_s else run_s / 2, 1)

    def open_add_menu(self) -> None:
        """Open the menu with everything that can be planned, below the button."""
        if self.edits.may_edit():
            button = self.add_button
            menu = self.menus.plan_menu(self.read_selection(), self.next_start_s())
            menu.tk_popup(button.winfo_rootx(), button.winfo_rooty() + button.winfo_height())

    def _update_tip(self, event: tk.Event) -> None:
        hit = self.canvas.hovered
        key = hit.entry.key if hit is not None and not self.pointer.is_dragging else None
        if key != self._tip_key or self.pointer.is_dragging:
            self._tip.hide()
            self._tip_key = key
            if hit is not None and key is not None:
                entry = hit.entry
                text = f"{entry.tip}\n{entry.reason}" if entry.reason else entry.tip
                self._tip.soon(lambda: text, event.x_root, event.y_root)

    def _arrow(self, event: tk.Event, direction: int) -> None:
        step_s = direction * self.canvas.layout.axis.snap_s
        if int(event.state) & _SHIFT:
            self.edits.stretch(step_s)
        else:
            self.edits.nudge(step_s)

    def _step(self, direction: int) -> None:
        """Select the entry after or before the selected one, from top to bottom."""
        keys = list(dict.fromkeys(entry.key for entry in self.canvas.layout.scene.entries()))
        if not keys:
            return
        selected = [index for index, key in enumerate(keys) if key in self.edits.selection]
        index = (selected[0] + direction) % len(keys) if selected else 0 if direction > 0 else -1
        self.edits.select([keys[index]])
        self.canvas.reveal(keys[index])

    def _open(self) -> None:
        if len(self.edits.selection) == 1:
            (key,) = self.edits.selection
            self.menus.open(key)

    def _menu_key(self) -> None:
        x, y = self.canvas.winfo_rootx(), self.canvas.winfo_rooty()
        for band in self.canvas.layout.bands:
            for entry in band.row.entries:
                if entry.key in self.edits.selection:
                    box = self.canvas.layout.box(entry, band)
                    self.menus.entry_menu(entry.key, entry.from_s).tk_popup(x + round(box.left), y + round(box.bottom))
                    return
        self.open_add_menu()

    def escape(self) -> None:
        """End a drag without an edit; without a drag, clear the selection."""
        if not self.pointer.cancel():
            self.edits.select(())
