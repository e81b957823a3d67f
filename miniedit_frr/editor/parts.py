"""The parts of the window. The app makes them, and the features take single ones."""

from __future__ import annotations

from dataclasses import dataclass

import ttkbootstrap as ttk

from miniedit_frr.canvas.view import View
from miniedit_frr.dialogs.background_check import Checker
from miniedit_frr.dialogs.opener import Dialogs
from miniedit_frr.document.document import Document
from miniedit_frr.edit_commands.canvas import CanvasCommands
from miniedit_frr.edit_commands.routing_presets import RoutingCommands
from miniedit_frr.edit_commands.selection import EditCommands
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.editor.tool_set import ToolSet
from miniedit_frr.files.file_menu import FileMenu
from miniedit_frr.files.recovery import DraftRecovery
from miniedit_frr.panels.find import FindBar
from miniedit_frr.panels.log import LogPanel
from miniedit_frr.panels.problems import ProblemList
from miniedit_frr.panels.properties import Properties
from miniedit_frr.panels.status import StatusBar
from miniedit_frr.user.window_state import WindowStateStore
from miniedit_frr.window.panes import Panes
from miniedit_frr.window.preferences import PreferencesController


@dataclass(frozen=True)
class Parts:
    """The parts of a window, for the modules that put it together. All others take single parts in their constructors.

    Attributes:
        main: the Tk window with its appearance and its messages.
        document: the document with the topology.
        view, tools: the canvas, and its tools.
        edits, canvas_commands, routing: the edits of the menus.
        dialogs, properties: the forms, in windows of their own and beside the canvas.
        files, recovery: the File menu, and the recovery of unsaved work.
        panes, bottom: the panels around the canvas, and the notebook of lists below it.
        status, problems, log, find_bar: panels.
        checker: the thread that checks the topology.
        preferences: the preferences of the user.
        window_state: the state of the window that is kept between sessions.
    """

    main: MainWindow
    document: Document
    window_state: WindowStateStore
    preferences: PreferencesController
    view: View
    tools: ToolSet
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
