"""The menus of the track: for an entry, for a lane, and for the whole plan."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tkinter import filedialog
from typing import Protocol

from frrlib.edits import schedule
from frrlib.edits.schedule import ScheduleKey
from frrlib.model.fault_words import VERBS
from frrlib.model.faults import ENDED_BY, Fault
from frrlib.model.flows import Flow
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from frrlib.picture.theme import Theme
from miniedit_frr.track import texts
from miniedit_frr.track.commands import PlanEdits
from miniedit_frr.track.suggestions import Suggestion, run_end_s, suggestions
from miniedit_frr.widgets.popup import popup_menu
from miniedit_frr.widgets.words_dialog import WordsDialog

#: A course with more points is shown in the table of faults, not as a command.
_MOST_POINTS = 50
#: Maximum number of things in a menu.
_MOST_LISTED = 24
_FOR_S = 2.0


class PlanDialogs(Protocol):
    """The dialogs for a plan."""

    def flows(self) -> None:
        """Open the list of flows."""

    def faults(self) -> None:
        """Open the plan of faults."""

    def focus_field(self, name: str, field: str, reason: str = "") -> bool:
        """Open a dialog with the keyboard on a field."""


class PlanMenus:
    """Makes the menus, and opens their dialogs.

    Attributes:
        dialog: the last dialog for a fault as a command; None before the first.
        on_plan: called after an entry was planned.
    """

    def __init__(self, parent: tk.Misc, edits: PlanEdits, dialogs: PlanDialogs, theme: Callable[[], Theme]) -> None:
        self._parent, self._edits, self._dialogs, self._theme = parent, edits, dialogs, theme
        self.dialog: WordsDialog | None = None
        self.on_plan: Callable[[], object] = lambda: None

    @property
    def _topology(self) -> Topology:
        return self._edits.topology

    # --- menus ------------------------------------------------------------------------------------------------------

    def entry_menu(self, key: ScheduleKey, time_s: float) -> tk.Menu:
        """The menu for the selection, which includes this entry."""
        menu, edits, entry = popup_menu(self._parent, self._theme()), self._edits, schedule.entries(self._topology)[key]
        menu.add_command(label="Change…", accelerator="Return", command=partial(self.open, key))
        if isinstance(entry, Fault) and entry.kind in ENDED_BY:
            if entry.duration_s is None:
                menu.add_command(label=f"End after {_FOR_S:g} s", command=partial(edits.set_duration, _FOR_S))
            else:
                menu.add_command(label="Permanent", command=partial(edits.set_duration, None))
        menu.add_separator()
        menu.add_command(label="Copy", accelerator="Ctrl+C", command=edits.copy)
        self._add_paste(menu, time_s)
        menu.add_command(label="Duplicate", accelerator="Ctrl+D", command=edits.duplicate)
        name = texts.describe_entries(self._topology, edits.selection)
        menu.add_command(label=f"Delete {name}", accelerator="Delete", command=edits.delete)
        return menu

    def lane_menu(self, key: Key, time_s: float) -> tk.Menu:
        """The menu with the entries that can be planned for the thing of a lane at a time."""
        menu = popup_menu(self._parent, self._theme())
        menu.add_command(label=f"At {time_s:g} s", state="disabled")
        if key.kind == "flow":
            menu.add_command(
                label="Change Flow…", command=partial(self._dialogs.focus_field, key.name, "flows.start_s")
            )
        self.fill(menu, key, time_s)
        self._add_paste(menu, time_s)
        return menu

    def _add_paste(self, menu: tk.Menu, time_s: float) -> None:
        if self._edits.can_paste:
            menu.add_command(label="Paste Here", accelerator="Ctrl+V", command=partial(self._edits.paste, time_s))

    def plan_menu(self, selected: Sequence[Key], time_s: float) -> tk.Menu:
        """The menu with everything that can be planned: for the selection on the drawing, for all things, and flows."""
        menu, theme = popup_menu(self._parent, self._theme()), self._theme()
        menu.add_command(label="Add Flow…", command=self._dialogs.flows)
        menu.add_separator()
        topology = self._topology
        links = [(Key("link", link.id), f"{link.a.node} - {link.b.node}  {link.id}") for link in topology.links]
        nodes = [(Key("node", node.name), node.name) for node in topology.nodes if node.kind != "controller"]
        titles = dict([*links, *nodes])
        selected_keys = [key for key in selected if key in titles]
        for key in selected_keys[:3]:
            self._cascade(menu, titles[key], partial(self.fill, key=key, time_s=time_s), theme)
        if selected_keys:
            menu.add_separator()
        for title, things in (("Link", links), ("Node", nodes)):
            if things:
                self._cascade(menu, title, partial(self._list, things=things, time_s=time_s), theme)
        menu.add_separator()
        menu.add_command(label="In Words…", command=partial(self.ask_command, f"{time_s:g} "))
        menu.add_command(label="All Faults…", command=self._dialogs.faults)
        return menu

    def _cascade(self, menu: tk.Menu, title: str, fill: Callable[[tk.Menu], object], theme: Theme) -> None:
        submenu = popup_menu(menu, theme)
        fill(submenu)
        menu.add_cascade(label=title, menu=submenu)

    def _list(self, menu: tk.Menu, things: Sequence[tuple[Key, str]], time_s: float) -> None:
        for key, title in things[:_MOST_LISTED]:
            self._cascade(menu, title, partial(self.fill, key=key, time_s=time_s), self._theme())
        if len(things) > _MOST_LISTED:
            hint = f"{len(things) - _MOST_LISTED} more: select one on the drawing first"
            menu.add_command(label=hint, state="disabled")

    def fill(self, menu: tk.Menu, key: Key, time_s: float) -> None:
        """Add the faults that can be planned for a thing at a time to a menu."""
        until_s = run_end_s(self._topology)
        lines = suggestions(self._topology, key, time_s, until_s)
        self._fill(menu, lines, key, time_s)
        if lines:
            menu.add_separator()
            menu.add_command(label="In Words…", command=partial(self.ask_command, f"{time_s:g} "))

    def _fill(self, menu: tk.Menu, lines: Sequence[Suggestion], key: Key, time_s: float) -> None:
        for line in lines:
            if line.submenu:
                submenu = popup_menu(menu, self._theme())
                self._fill(submenu, line.submenu, key, time_s)
                menu.add_cascade(label=line.label, menu=submenu)
            elif line.action == "trace":
                menu.add_command(label=line.label, command=partial(self.ask_trace, key.name, time_s))
            elif not line.label:
                menu.add_separator()
            else:
                menu.add_command(label=line.label, command=partial(self.plan, line.words, time_s))

    # --- actions ---------------------------------------------------------------------------------------------------

    def plan(self, command: str, time_s: float) -> None:
        """Plan the fault of a command."""
        self._report(self._edits.plan(command, time_s))

    def ask_trace(self, link: str, time_s: float) -> None:
        """Ask for a file with a trace, and let a link follow it."""
        if not self._edits.may_edit():
            return
        path = filedialog.askopenfilename(
            parent=self._parent, title="A table of time_s, rate_mbit, delay_ms, loss_percent, or a mahimahi trace",
            filetypes=(("Traces", "*.csv *.txt *.trace *.up *.down *.com-UpTrace"), ("All files", "*")),
        )  # fmt: skip
        if path:
            self._report(self._edits.plan_trace(Path(path), link, time_s))

    def open(self, key: ScheduleKey) -> None:
        """Open the form of an entry: a flow in the list of flows, a fault as a command."""
        entry = schedule.entries(self._topology).get(key)
        if isinstance(entry, Flow):
            self._dialogs.focus_field(entry.id, "flows.start_s")
        elif entry is not None and entry.course is not None and len(entry.course.points) > _MOST_POINTS:
            self._dialogs.faults()
        elif entry is not None:
            self._ask(texts.planned_words(entry), partial(self._change, entry))

    def _change(self, fault: Fault, text: str) -> str:
        """Change the fault for which the dialog was opened. It may have another position in the plan now."""
        key = next((key for key, candidate in schedule.entries(self._topology).items() if candidate == fault), None)
        if key is None:
            return "The plan has changed. Close this window and open it again."
        return self._edits.change(key, text)

    def ask_command(self, text: str) -> None:
        """Ask for a fault as a command, with an initial text."""
        if self._edits.may_edit():
            self._ask(text, self._edits.plan_words)

    def _ask(self, text: str, accept: Callable[[str], str]) -> None:
        if self.dialog is not None and self.dialog.winfo_exists():
            self.dialog.destroy()
        lines = (f"{verb} {arguments}".rstrip() for verb, (_, arguments) in VERBS.items())
        usage = "\n".join(("seconds after the start of the flows, then one of", *lines))
        self.dialog = WordsDialog(self._parent, "Plan", text, usage, accept, "primary")

    def _report(self, reason: str) -> None:
        if reason:
            self._edits.say(reason)
            self._parent.bell()
        else:
            self.on_plan()
