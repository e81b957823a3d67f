"""The parts of the window that others are joined with. They are made once, and know nothing of who takes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import ttkbootstrap as ttk

from frrlib.picture.theme import THEMES, Theme
from miniedit_frr.canvas.view import View
from miniedit_frr.dialogs.background_check import Checker
from miniedit_frr.dialogs.opener import Dialogs
from miniedit_frr.document.document import Document
from miniedit_frr.edit_commands.canvas import CanvasCommands
from miniedit_frr.edit_commands.routing_presets import RoutingCommands
from miniedit_frr.edit_commands.selection import EditCommands
from miniedit_frr.files.file_menu import FileMenu
from miniedit_frr.files.recovery import DraftRecovery
from miniedit_frr.panels.find import FindBar
from miniedit_frr.panels.log import LogPanel
from miniedit_frr.panels.problems import ProblemList
from miniedit_frr.panels.properties import Properties
from miniedit_frr.panels.status import StatusBar
from miniedit_frr.panels.toolbox import Toolbox
from miniedit_frr.tools.base import ToolContext
from miniedit_frr.tools.pointer import ToolController
from miniedit_frr.user.window_state import WindowState, WindowStateStore
from miniedit_frr.window.panes import Panes
from miniedit_frr.window.preferences import PreferencesController


@dataclass(frozen=True)
class Parts:
    """What a window consists of, for those who join something with it.

    Attributes:
        window: its Tk window.
        ui: how many pixels a unit is.
        document: the drawing in it.
        say: shows a message in the status bar and keeps it in the log.
        remembered: what the window remembers from one time to the next.
        preferring: what the person prefers.
        view, bench, hands, toolbox: the canvas, what tools work on, what the pointer does, and the column of tools.
        edits, canvas_commands, routing: the edits of the menus.
        dialogs, properties: the forms, each in a window of its own and beside the canvas.
        files, keeping: the File menu, and what is not saved yet.
        panes, bottom: the panels around the canvas; the notebook of lists below it.
        status, problems, log, find_bar: where something is shown.
        checker: the thread that looks for problems.
    """

    window: ttk.Window
    ui: float
    document: Document
    say: Callable[[str], None]
    window_state: WindowStateStore
    preferences: PreferencesController
    view: View
    bench: ToolContext
    tool_controller: ToolController
    toolbox: Toolbox
    edits: EditCommands
    canvas_commands: CanvasCommands
    routing: RoutingCommands
    dialogs: Dialogs
    properties: Properties
    files: FileMenu
    recovery: DraftRecovery
    panes: Panes
    bottom: ttk.Notebook
    status: StatusBar
    problems: ProblemList
    log: LogPanel
    find_bar: FindBar
    checker: Checker

    @property
    def theme(self) -> Theme:
        """The colours now."""
        return THEMES[self.preferences.theme]

    @property
    def settings(self) -> WindowState:
        """The settings that are remembered now."""
        return self.window_state.now
