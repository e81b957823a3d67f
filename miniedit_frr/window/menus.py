"""The table of the menus, and the code that makes menus and shortcuts from it."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from frrlib.picture.labels import SWITCHES
from miniedit_frr.user.window_state import SNAP_LABELS
from miniedit_frr.widgets.popup import SpacedMenu
from miniedit_frr.window.field_keys import carries_out, divide_keys


@dataclass(frozen=True)
class MenuLine:
    """A line of a menu.

    Attributes:
        label: its text; it ends with "…" if a question follows.
        command: the name of its command.
        shortcut: its keys as text ("Ctrl+Shift+Z"); empty for none.
        second_shortcut: other keys with the same effect; empty for none.
        enabled: the name of the condition under which it is enabled; empty for always.
        flag: the name of the switch that it shows and toggles; empty for none.
    """

    label: str
    command: str
    shortcut: str = ""
    enabled: str = ""
    flag: str = ""
    second_shortcut: str = ""

    @property
    def shortcuts(self) -> tuple[str, ...]:
        """All shortcuts."""
        return tuple(filter(None, (self.shortcut, self.second_shortcut)))


#: A menu: its title and its lines. None is a separator. A text is the name of a submenu that is filled when it opens.
Menu = tuple[str, tuple[MenuLine | str | None, ...]]
#: Lines of a submenu: the text of each, and its command or the lines of a submenu of its own.
Entries = Sequence[tuple[str, "Callable[[], object] | Entries"]]

MENUS: tuple[Menu, ...] = (
    (
        "File",
        (
            MenuLine("New", "new", "Ctrl+N"),
            MenuLine("Open…", "open", "Ctrl+O"),
            "Open Recent",
            "Examples",
            MenuLine("Exercises…", "exercises"),
            MenuLine("Make Exercise…", "make_exercise"),
            MenuLine("Experiments…", "experiments"),
            None,
            MenuLine("Save", "save", "Ctrl+S"),
            MenuLine("Save As…", "save_as", "Ctrl+Shift+S"),
            MenuLine("Revert to Saved", "revert", enabled="can_revert"),
            "Import",
            "Export",
            None,
            MenuLine("Recover Unsaved Work…", "recover"),
            None,
            MenuLine("Quit", "quit", "Ctrl+Q"),
        ),
    ),
    (
        "Edit",
        (
            MenuLine("Undo", "undo", "Ctrl+Z", "can_undo"),
            MenuLine("Redo", "redo", "Ctrl+Shift+Z", "can_redo", second_shortcut="Ctrl+Y"),
            None,
            MenuLine("Cut", "cut", "Ctrl+X", "can_copy"),
            MenuLine("Copy", "copy", "Ctrl+C", "can_copy"),
            MenuLine("Paste", "paste", "Ctrl+V", "can_paste"),
            MenuLine("Duplicate", "duplicate", "Ctrl+D", "can_duplicate"),
            MenuLine("Delete", "delete", "Delete", "has_selection"),
            MenuLine("Rename or Edit Text", "write", "F2", "has_selection"),
            None,
            MenuLine("Properties…", "properties", "Alt+Return"),
            MenuLine("Flows…", "flows", "Ctrl+L"),
            "Add Flows",
            "Congestion Control",
            MenuLine("Faults…", "faults"),
            MenuLine("Topology Preferences…", "topology_preferences"),
            None,
            MenuLine("Insert Topology…", "generate", "Ctrl+T"),
            MenuLine("Select All", "select_all", "Ctrl+A"),
            MenuLine("Find…", "find", "Ctrl+F"),
            None,
            MenuLine("Preferences…", "personal", "Ctrl+,"),
        ),
    ),
    (
        "View",
        (
            MenuLine("Zoom In", "zoom_in", "Ctrl++"),
            MenuLine("Zoom Out", "zoom_out", "Ctrl+-"),
            MenuLine("100 %", "zoom_reset", "Ctrl+0"),
            MenuLine("Fit Drawing", "fit", "Ctrl+9"),
            None,
            *(MenuLine(title, f"label_{name}", f"Ctrl+{index}", flag=f"label_{name}")
              for index, (name, title) in enumerate(SWITCHES.items(), start=1)),
            None,
            *(MenuLine(title, f"hold_{name}", "Ctrl+G" if name == "grid" else "", flag=f"hold_{name}")
              for name, title in SNAP_LABELS.items()),
            None,
            MenuLine("Dark Theme", "theme", "F9", flag="dark"),
            MenuLine("Properties Panel", "side", "F4", flag="side"),
            MenuLine("Scenario", "scenario", "Shift+F8", flag="scenario"),
            MenuLine("Bottom Panel", "bottom", "F8", flag="bottom"),
        ),
    ),
    (
        "Arrange",
        (
            MenuLine("Align Left", "align_left", enabled="has_several"),
            MenuLine("Align Center", "align_centre", enabled="has_several"),
            MenuLine("Align Top", "align_top", enabled="has_several"),
            MenuLine("Align Middle", "align_middle", enabled="has_several"),
            None,
            MenuLine("Distribute Horizontally", "distribute_horizontal", enabled="has_several"),
            MenuLine("Distribute Vertically", "distribute_vertical", enabled="has_several"),
            MenuLine("Snap to Grid", "snap", enabled="has_nodes"),
            "Lay Out",
        ),
    ),
    (
        "Routing",
        (
            MenuLine("OSPF Everywhere", "ospf_everywhere", enabled="has_routers"),
            MenuLine("IS-IS Everywhere", "isis_everywhere", enabled="has_routers"),
            MenuLine("RIP Everywhere", "rip_everywhere", enabled="has_routers"),
            None,
            MenuLine("BGP, One AS per Router", "as_per_router", enabled="has_routers"),
            MenuLine("BGP, Groups as ASes…", "groups_as_systems", enabled="has_routers"),
            None,
            MenuLine("Lab Timers", "lab_timers", flag="lab_timers"),
            MenuLine("FRR Default Timers", "frr_timers", flag="frr_timers"),
            None,
            MenuLine("Clear Routing", "clear_routing", enabled="has_routers"),
        ),
    ),
    (
        "Run",
        (
            MenuLine("Run", "run", "F5", "can_run"),
            MenuLine("Run with Flows", "run_flows", "Ctrl+F5", "can_run_flows"),
            MenuLine("Run with Options…", "run_options", "Alt+F5", "can_run_flows"),
            MenuLine("Compare Queues…", "compare_queues", enabled="can_sweep"),
            MenuLine("Compare Congestion Controls…", "compare_controls", enabled="can_sweep"),
            MenuLine("Sweep…", "sweep", enabled="can_sweep"),
            MenuLine("Stop", "stop", "Shift+F5", "lab_alive"),
            MenuLine("Stop at Once", "cancel", "Ctrl+Shift+F5", "lab_alive"),
            None,
            MenuLine("Apply Edits at Once", "apply_at_once", flag="apply_at_once"),
            "Place",
            "Join",
            None,
            MenuLine("Runs…", "run_browser", "Ctrl+Shift+R"),
            None,
            MenuLine("Ping Matrix…", "ping_matrix", "F6", "lab_runs"),
            MenuLine("Routing Tables…", "routing_tables", "F7", "lab_runs"),
            MenuLine("Routing Timeline…", "routing_timeline", "Shift+F7", "has_routing"),
            MenuLine("Live Plots", "live_plots", "Ctrl+P"),
            None,
            MenuLine("Configuration Changes…", "config_changes", "Ctrl+K", "lab_runs"),
            MenuLine("Configuration History…", "config_history"),
            None,
            MenuLine("Show OVS Summary", "ovs_summary", enabled="has_ovs"),
            MenuLine("Root Terminal", "root_terminal", enabled="lab_runs"),
            MenuLine("Close All Terminals", "close_terminals", enabled="has_terminals"),
        ),
    ),
    ("Help", (MenuLine("Keys and Mouse", "keys", "F1"), MenuLine("About MiniEdit-FRR", "about"))),
)  # fmt: skip


def key_sequences(shortcut: str) -> tuple[str, ...]:
    """Tk's names of a shortcut; the name of a letter's key depends on Caps Lock."""
    *modifiers, key = [*shortcut[:-2].split("+"), "+"] if shortcut.endswith("++") else shortcut.split("+")
    prefix = "".join("Control-" if modifier == "Ctrl" else f"{modifier}-" for modifier in modifiers)
    if len(key) > 1:
        return (f"<{prefix}{key}>", f"<{prefix}BackSpace>") if key == "Delete" else (f"<{prefix}{key}>",)
    if not key.isalpha():
        names = {"+": ("plus", "equal", "KP_Add"), "-": ("minus", "KP_Subtract"), ",": ("comma",)}.get(key, (key,))
        return tuple(f"<{prefix}Key-{name}>" for name in names)
    letter = key.upper() if "Shift" in modifiers else key.lower()
    # With Caps Lock, keyboards report either case.
    return f"<{prefix}Key-{letter}>", *(f"<{prefix}Lock-Key-{case}>" for case in (key.upper(), key.lower()))


#: Titles whose underlined letter is not their first: Run has the R.
_TITLE_MNEMONICS = {"Routing": "o"}


def mnemonics(labels: Sequence[str]) -> list[str]:
    """A different letter of each label, the initial of a word if possible; the first letter if all are taken.

    A label whose letters are taken gets one of them if the label that has it can change to another (Kuhn's matching).
    """
    owner: dict[str, int] = {}

    def assign(number: int, tried: set[str]) -> bool:
        letters = list(dict.fromkeys(letter.lower() for letter in _candidates(labels[number])))
        for letter in sorted(letters, key=lambda letter: letter in owner):
            if letter not in tried:
                tried.add(letter)
                if letter not in owner or assign(owner[letter], tried):
                    owner[letter] = number
                    return True
        return False

    for number in range(len(labels)):
        assign(number, set())
    letter_of = {number: letter for letter, number in owner.items()}
    return [
        next((letter for letter in _candidates(label) if letter.lower() == letter_of.get(number)), label[:1])
        for number, label in enumerate(labels)
    ]


def _candidates(label: str) -> list[str]:
    """The letters of a label, those that begin a word first."""
    return [letter for letter in (*(word[0] for word in label.split()), *label) if letter.isalnum()]


class MenuBar:
    """The menus of a window, made from the table.

    Args:
        window: the window that gets the menu bar.
        commands: the function of each command.
        enabled: the conditions, by name.
        flags: the states of the switches, by name.
        labels: texts that change ("Undo Move h1"), by command.
        submenus: the lines of each submenu when it opens.
        may_act: called before a command with its name, which is empty for a line of a submenu; False prevents it.
    """

    def __init__(
        self,
        window: tk.Tk | tk.Toplevel,
        commands: Mapping[str, Callable[[], object]],
        enabled: Mapping[str, Callable[[], bool]],
        flags: Mapping[str, Callable[[], bool]],
        labels: Mapping[str, Callable[[], str]],
        submenus: Mapping[str, Callable[[], Entries]],
        may_act: Callable[[str], bool] = lambda command: True,
    ) -> None:
        self._may_act = may_act
        self._commands, self._enabled, self._flags = commands, enabled, flags
        self._labels, self._submenus, self._window = labels, submenus, window
        self._variables = {name: tk.BooleanVar(window) for name in flags}
        lines = [item for _, items in MENUS for item in items if isinstance(item, MenuLine)]
        keys = [(item.command, key) for item in lines for shortcut in item.shortcuts for key in key_sequences(shortcut)]
        divide_keys(window, keys)
        bar = tk.Menu(window, tearoff=False)
        for title, items in MENUS:
            menu = SpacedMenu(bar)
            letters = iter(mnemonics([_label(item) for item in items if item is not None]))
            lines_and_letters = tuple((item, "" if item is None else next(letters)) for item in items)
            menu.configure(postcommand=partial(self._refresh, menu, lines_and_letters))
            for item, letter in lines_and_letters:
                self._add(menu, item, letter)
            bar.add_cascade(label=title, menu=menu, underline=title.find(_TITLE_MNEMONICS.get(title, title[0])))
        window.configure(menu=bar)

    def _add(self, menu: tk.Menu, item: MenuLine | str | None, letter: str) -> None:
        underline = _label(item).find(letter) if item is not None and letter else -1
        if item is None:
            menu.add_separator()
        elif isinstance(item, str):
            submenu = SpacedMenu(menu)
            submenu.configure(postcommand=partial(self._fill, submenu, item))
            menu.add_cascade(label=item, menu=submenu, underline=underline)
        else:
            command = partial(self.run, item)
            if item.flag:
                variable = self._variables[item.flag]
                menu.add_checkbutton(
                    label=item.label, accelerator=item.shortcut, variable=variable, command=command, underline=underline
                )
            else:
                menu.add_command(label=item.label, accelerator=item.shortcut, command=command, underline=underline)
            for shortcut in item.shortcuts:
                for sequence in key_sequences(shortcut):
                    self._window.bind(sequence, partial(self._pressed, item))

    def _pressed(self, item: MenuLine, event: tk.Event) -> str | None:
        if carries_out(event.widget, item.command):
            return None
        if getattr(event.widget, "winfo_toplevel", lambda: self._window)() is not self._window:
            return None
        self.run(item)
        return "break"

    def run(self, item: MenuLine) -> None:
        """Carry out a line's command, if it is enabled now."""
        # Typed text may be the only change that can be undone, so it is committed before the test.
        if self._may_act(item.command) and self._can(item):
            self._commands[item.command]()

    def _can(self, item: MenuLine) -> bool:
        return not item.enabled or self._enabled[item.enabled]()

    def _refresh(self, menu: tk.Menu, items: tuple[tuple[MenuLine | str | None, str], ...]) -> None:
        for index, (item, letter) in enumerate(items):
            if isinstance(item, MenuLine):
                label = self._labels[item.command]() if item.command in self._labels else item.label
                underline = label.find(letter) if letter else -1
                state = "normal" if self._can(item) else "disabled"
                menu.entryconfigure(index, label=label, state=state, underline=underline)
                if item.flag:
                    self._variables[item.flag].set(self._flags[item.flag]())

    def _fill(self, menu: tk.Menu, name: str) -> None:
        fill_menu(menu, _guarded(self._submenus[name](), self._may_act))


def _label(item: MenuLine | str) -> str:
    return item if isinstance(item, str) else item.label


def _guarded(entries: Entries, may_act: Callable[[str], bool]) -> Entries:
    """The lines of a submenu; each acts only if `may_act` allows it."""

    def act(action: Callable[[], object]) -> None:
        if may_act(""):
            action()

    return [
        (label, partial(act, action) if callable(action) else _guarded(action, may_act)) for label, action in entries
    ]


#: Options of appearance that a submenu inherits from its menu.
_INHERITED = ("background", "foreground", "activebackground", "activeforeground", "relief", "borderwidth")


def fill_menu(menu: tk.Menu, entries: Entries) -> None:
    """Replace the lines of a menu."""
    menu.delete(0, "end")
    for label, action in entries:
        if callable(action):
            menu.add_command(label=label, command=action)
        else:
            submenu = SpacedMenu(menu, **{option: menu.cget(option) for option in _INHERITED})
            fill_menu(submenu, action)
            menu.add_cascade(label=label, menu=submenu)
    if not entries:
        menu.add_command(label="none", state="disabled")
