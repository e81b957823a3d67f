"""The editor: joins document, canvas, tools, panels and menus in one window. Nothing else knows all of them."""

from __future__ import annotations

import platform
import signal
import sys
import tkinter as tk
import traceback
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import platformdirs
import ttkbootstrap as ttk

from frrlib.errors import PlaceError
from frrlib.model.problem import Problem
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key, SceneCache, scene_of
from frrlib.picture.theme import THEMES, Theme
from frrlib.place.checker import frr_check
from miniedit_frr.app.menu_commands import MenuTargets, make_menus
from miniedit_frr.canvas.view import View
from miniedit_frr.dialogs.background_check import Checker, Findings
from miniedit_frr.dialogs.forms.interfaces import panel_sheet
from miniedit_frr.dialogs.opener import Dialogs
from miniedit_frr.dialogs.sheets import FormContext
from miniedit_frr.document.document import Document
from miniedit_frr.edit_commands.canvas import CanvasCommands
from miniedit_frr.edit_commands.fixes import ProblemFixer
from miniedit_frr.edit_commands.routing_presets import RoutingCommands
from miniedit_frr.edit_commands.selection import EditCommands
from miniedit_frr.editor.config_folders import ConfigFolders
from miniedit_frr.editor.file_on_disk import FileOnDisk
from miniedit_frr.editor.flows import FlowCommands
from miniedit_frr.editor.parts import Parts
from miniedit_frr.editor.scenario import ScenarioController
from miniedit_frr.editor.start_page_controller import StartPageController
from miniedit_frr.experiments_view.controller import ExperimentsController
from miniedit_frr.files.file_menu import FileMenu
from miniedit_frr.files.recovery import DraftRecovery
from miniedit_frr.lab_control.controller import LabController
from miniedit_frr.panels.find import FindBar
from miniedit_frr.panels.log import LogPanel
from miniedit_frr.panels.problems import ProblemList
from miniedit_frr.panels.properties import Properties
from miniedit_frr.panels.status import StatusBar
from miniedit_frr.panels.toolbox import Toolbox
from miniedit_frr.tools import chosen
from miniedit_frr.tools.base import ToolContext
from miniedit_frr.tools.pointer import ANNOTATE_TOOLS, TOOLS, ToolController
from miniedit_frr.user import window_state
from miniedit_frr.user.preferences import PreferenceStore
from miniedit_frr.user.window_state import WindowState, WindowStateStore
from miniedit_frr.widgets.bars import add_bars
from miniedit_frr.widgets.popup import popup_menu
from miniedit_frr.widgets.styles import apply_styles
from miniedit_frr.window import emblem, help_menu
from miniedit_frr.window.file_drop import accept_files
from miniedit_frr.window.garbage import Collector, release
from miniedit_frr.window.panes import Panes
from miniedit_frr.window.preferences import PreferencesController


def window_state_path() -> Path:
    """The file in which the window remembers."""
    return Path(platformdirs.user_config_dir("miniedit-frr")) / "window.json"


def drafts_path() -> Path:
    """The folder with the unsaved work of all windows."""
    return Path(platformdirs.user_state_dir("miniedit-frr")) / "unsaved"


class Editor:
    """The window.

    Attributes:
        window: its Tk window.
        document: the drawing in it.
        parts: the widgets and what goes with them, for those who join something with the window.
        view, hands, bench: the canvas, what the pointer does on it, and what tools work on.
        first_page: what is on the canvas while it is empty.
        scenario: the plan of a run on a time axis.
        file_on_disk: the file as other programs and windows see it.
        addressed: the drawing of the last check, with names and addresses; None before.
        panes: the panels around the canvas, and which of them are shown.
        drafts_folder: the folder with the drafts of this window's unsaved work.
    """

    def __init__(self, document: Document, memory: Path | None = None) -> None:
        self._memory = memory or window_state_path()
        self.drafts_folder = memory.parent / "unsaved" if memory else drafts_path()
        self.window_state = WindowStateStore(self._memory)
        self.preferences = PreferencesController(PreferenceStore(self._memory.with_name("preferences.json")), self.say)
        self.document = document
        # The checks are a thread: whenever the window wants to go on, it shall not wait longer than this.
        sys.setswitchinterval(0.0005)
        self.window = ttk.Window("MiniEdit-FRR", self.theme.base, scaling=self.preferences.scaling)
        self.ui = self.preferences.scale(self.window)
        self.window.report_callback_exception = self._unexpected
        self._collector = Collector(self.window)
        self._is_closed = False
        self.resolved: Topology | None = None
        self._kept = SceneCache()
        parts = self.parts = self._build()
        self.start_page = StartPageController(parts)
        self._join()
        self.config_folders = ConfigFolders(parts)
        self.file_on_disk = FileOnDisk(parts, self.drafts_folder.with_name("open"))
        self.flow_commands = FlowCommands(parts, lambda: self.resolved)
        self.experiments = ExperimentsController(parts)
        runs, history = self._memory.with_name("runs.json"), self.drafts_folder.with_name("configurations")
        self.lab_controller = LabController(parts, self.scenario, runs, history)
        self.menus = make_menus(parts, MenuTargets(
            self.start_page, self.scenario, self.config_folders, self.flow_commands, self.experiments, self.lab_controller,
            self.toggle_label, self.quit,
        ))  # fmt: skip
        self._show_theme()
        self._changed(Topology(), document.topology)
        self.preferences.begin()
        accept_files(self.window, self.files.open_dropped)
        emblem.set_icon(self.window)
        self._unfitted = self.view.bind("<Configure>", self._first_fit, add=True)
        self.view.focus_set()  # letters choose tools from the first moment on

    def _first_fit(self, event: tk.Event) -> None:
        """The canvas has its size from its first layout on; what follows is the user's own zoom."""
        if event.width > 400:
            self.view.unbind("<Configure>", self._unfitted)
            self.view.fit()

    @property
    def theme(self) -> Theme:
        """The colours now."""
        return THEMES[self.preferences.theme]

    @property
    def settings(self) -> WindowState:
        """The settings that are remembered now."""
        return self.window_state.now

    # --- the window's parts ---

    def _build(self) -> Parts:
        window, ui = self.window, self.ui
        wide, high = min(1280 * ui, window.winfo_screenwidth()), min(820 * ui, window.winfo_screenheight() * 0.92)
        kept = window_state.fit_to_screen(
            self.settings.geometry, window.winfo_screenwidth(), window.winfo_screenheight()
        )
        window.geometry(kept or f"{round(wide)}x{round(high)}")
        window.minsize(round(560 * ui), round(380 * ui))
        self.status = StatusBar(window)
        self.status.pack(side="bottom", fill="x")
        ttk.Separator(window).pack(side="bottom", fill="x")
        panes = self.panes = Panes(window, self.settings.panels)
        self.view = View(panes.middle, ui, self.theme)
        bench = self.bench = ToolContext(self.document, self.view, self.status.tell)
        self.tool_controller = ToolController(bench)
        self.edits = EditCommands(bench, self.say)
        self.canvas_commands = CanvasCommands(
            bench, self.edits, self.tool_controller, self.settings.holding, lambda: self.settings.labels
        )
        self.routing = RoutingCommands(bench, self.edits, self.preferences, ui)
        self.canvas_commands.with_timers = self.routing.with_timers_of_new
        self.dialogs = Dialogs(window, self.document, ui, lambda: self.view.selection)
        self.files = FileMenu(window, self.document, self.say)
        self.recovery = DraftRecovery(window, self.files, self.drafts_folder, self.say, lambda: (self.theme, self.ui))
        self.recovery.follow_preferences(self.preferences.store)
        self.toolbox = Toolbox(window, TOOLS, self.tool_controller.choose, ui)
        self.toolbox.add_row(ANNOTATE_TOOLS)
        self.toolbox.pack(side="left", fill="y")
        panes.split.pack(side="left", fill="both", expand=True)
        self.find_bar = FindBar(panes.middle, self.view, ui)
        add_bars(self.view, self.view.on_scroll)
        self.view.pack(side="bottom", fill="both", expand=True)
        self.properties = Properties(panes.across, ui)
        self.bottom = ttk.Notebook(panes.split)
        self.problems, self.log = ProblemList(self.bottom, ui), LogPanel(self.bottom)
        self.bottom.add(self.problems, text="Problems")
        self.bottom.add(self.log, text="Log")
        self.problem_fixer = ProblemFixer(window, self.document, self.problems, self.say, lambda: (self.theme, self.ui))
        self.checker = Checker(window, self._found)
        self.status.set("kernel", f"{platform.system()} {platform.release()}")
        parts = Parts(
            window=window, ui=ui, document=self.document, say=self.say, window_state=self.window_state,
            preferences=self.preferences, view=self.view, bench=bench, toolbox=self.toolbox,
            tool_controller=self.tool_controller,
            edits=self.edits, canvas_commands=self.canvas_commands, routing=self.routing, dialogs=self.dialogs,
            properties=self.properties, files=self.files, recovery=self.recovery, panes=panes, bottom=self.bottom,
            status=self.status, problems=self.problems, log=self.log, find_bar=self.find_bar, checker=self.checker,
        )  # fmt: skip
        self.scenario = ScenarioController(parts, panes.split)
        self.scenario.panel.sash_height = self.settings.scenario_high
        panes.put(self.properties, self.scenario.panel, self.bottom)
        return parts

    def _join(self) -> None:
        self.document.listen(self._changed)
        self.view.on_select.append(self._selected)
        self.view.on_zoom.append(lambda: self.status.set("zoom", f"{self.view.zoom:.0%}".replace("%", " %")))
        self.tool_controller.on_tool.append(lambda: self.toolbox.show(self.tool_controller.tool))
        self.tool_controller.on_tool.append(self.start_page.show)
        self.tool_controller.on_open.append(self._open)
        self.tool_controller.on_context.append(self._context)
        self.problems.on_pick = self._go_to
        self.properties.on_change = self.edits.replace_value
        self.properties.on_fault = self.say
        self.properties.form_context = self._around
        self.properties.sheet_of = lambda node: panel_sheet(self.document.topology, self.resolved, node)
        self.properties.on_edit = self.dialogs.open_selection
        self.files.exports.append(("Picture…", self.canvas_commands.export_picture))
        self.files.on_file = self.note_file
        self.files.on_open = self._opened
        self.files.recent = lambda: map(Path, self.settings.recent)
        self.preferences.on_theme = self._show_theme
        self.preferences.join(self.view, self.dialogs)
        self.dialogs.check_frr = frr_check.refused_lines if frr_check.can_check() else None
        self.dialogs.lacking = lambda kinds: self.lab_controller.places.lacking(kinds)
        self.window.protocol("WM_DELETE_WINDOW", self.quit)
        for key, (x, y) in {"Left": (-1, 0), "Right": (1, 0), "Up": (0, -1), "Down": (0, 1)}.items():
            self.view.bind(f"<{key}>", partial(self._nudge, 10 * x, 10 * y))
            self.view.bind(f"<Shift-{key}>", partial(self._nudge, x, y))

    # --- the drawing has changed, or is looked at in another way ---

    def _changed(self, before: Topology, after: Topology) -> None:
        self._show()
        self.checker.ask(after)
        self._show_title()
        self.start_page.show()
        self._selected()

    def _around(self) -> FormContext:
        """What the panel's fields may know: nothing in it asks for automatic addresses."""
        topology = self.document.topology
        return FormContext(topology, topology, lab_timers=self.preferences.now.lab_timers)

    def _show(self) -> None:
        self.view.show(scene_of(self.document.topology, self.settings.labels, self.resolved, self._kept))

    def _found(self, findings: Findings) -> None:
        self.resolved, labels = findings.resolved, self.settings.labels
        if labels.interfaces or labels.addresses or not all(f.congestion_control for f in findings.resolved.flows):
            self._show()
        self.scenario.found(findings)
        problems = (*self.document.warnings, *findings.problems)
        self.problems.show(problems, findings.fixes, findings.topology)
        self.properties.show_problems(problems)
        self.problem_fixer.found(findings.fixes)
        marks: dict[Key, str] = {}
        for problem in problems:
            key = self.view.scene.key_of(problem.node)
            if key is not None and problem.severity != "note" and marks.get(key) != "error":
                marks[key] = problem.severity.value
        self.view.mark(marks)
        serious = sum(problem.severity != "note" for problem in problems)
        self.bottom.tab(self.problems, text=f"Problems ({serious})" if serious else "Problems")

    def _show_title(self) -> None:
        path = self.document.path
        name = path.name if path else "untitled"
        star = "" if self.document.is_saved else "*"
        self.window.title(f"{star}{name} - MiniEdit-FRR")

    def _selected(self) -> None:
        keys = self.view.selection
        self.status.set("selection", f"{len(keys)} selected" if keys else "")
        kinds = {tool.icon: tool.title for tool in TOOLS}
        title, value = chosen.title_and_value(self.document.topology, self.view.scene, keys, kinds)
        hint = "Edit… changes all of a kind at once." if keys else help_menu.HINT
        self.properties.show(title, value, hint, can_edit=self.dialogs.has_dialog(keys))

    def _go_to(self, problem: Problem) -> None:
        key = self.view.scene.key_of(problem.node)
        found = self.dialogs.focus_field(problem.node, problem.field, problem.why)
        if key is None:
            if found:
                return
            self.say(
                "This problem concerns the whole drawing." if not problem.node else f"{problem.node} is not drawn."
            )
            return
        self.view.select({key})
        self.view.reveal(key)

    def say(self, message: str) -> None:
        """Show a message in the status bar, and keep it in the log; nothing once the window has gone."""
        if self._is_closed:
            return
        self.status.tell(message)
        self.log.add(message)

    def begin(self, path: Path | None) -> None:
        """Go on with the file that the window was started with, if there is one, and offer what earlier windows left.

        The window closes where the file is open in another window and the user wants no second one.
        """
        if path is not None and not self.files.accept_start_file(path):
            self.close()
            return
        self.recovery.offer(quiet=True)

    # --- its end ---

    def quit(self) -> None:
        """Close the window, after a question where something is unsaved."""
        if self.files.may_leave():
            self.recovery.abandon_changes()
            self.close()

    def close(self) -> None:
        """Close the window without a question; unsaved work is kept for the next time, a lab that runs ends first."""
        self.document.commit_typed_text()
        self.document.compare_file()  # a topology whose file was deleted needs a draft
        self.recovery.autosave.flush()
        if self.lab_controller.departure.end(self.close):
            return
        self.recovery.close()
        self.file_on_disk.close()
        self.preferences.close()
        self.scenario.close()
        self.window_state.change(
            geometry=self.window.geometry(), holding=self.canvas_commands.holding,
            panels=window_state.Panels(**self.panes.visible), scenario_high=self.scenario.panel.sash_height,
        )  # fmt: skip
        self.window_state.save()
        self.checker.close()
        self._collector.close()
        self._is_closed = True
        self.window.destroy()
        release(self.window)

    @property
    def is_closed(self) -> bool:
        """Whether the window has gone."""
        return self._is_closed

    def note_file(self, path: Path) -> None:
        """Remember a file that was opened or saved."""
        self.window_state.note_file(path)
        self._show_title()

    def _opened(self) -> None:
        self.view.select(())  # a node of the drawing before may have been called as one of this
        self._show_title()
        self.view.fit()

    # --- View ---

    def toggle_label(self, name: str) -> None:
        """Show or hide one kind of text."""
        labels = self.settings.labels
        self.window_state.change(labels=replace(labels, **{name: not getattr(labels, name)}))
        self._show()
        self.lab_controller.show_switched()

    def _show_theme(self) -> None:
        theme = self.theme
        apply_styles(self.window, theme, self.ui)
        self.view.set_theme(theme)
        self.toolbox.set_theme(theme)
        self.scenario.panel.set_theme(theme)
        self.problems.set_theme(theme)
        self.lab_controller.set_theme(theme)
        self.experiments.set_theme()
        self.log.text.configure(background=theme.card, foreground=theme.text)
        self.start_page.renew()

    # --- other ---

    def _nudge(self, dx: float, dy: float, event: tk.Event) -> None:
        self.edits.nudge(dx, dy)

    def _unexpected(self, kind: type[BaseException], error: BaseException, trace: Any) -> None:
        """A defect of the editor itself: say so, go on, and leave the traceback where it can be reported from."""
        if self._is_closed and isinstance(error, tk.TclError):
            return  # a question that was open when the window was closed from outside finds itself without one
        traceback.print_exception(kind, error, trace)
        self.say(f"Internal error: {kind.__name__}: {error}. The terminal shows where it occurred.")

    def _open(self, key: Key) -> bool:
        self.dialogs.open_key(key)
        return True

    def _context(self, key: Key | None, x: int, y: int) -> bool:
        menu = popup_menu(self.window, self.theme)
        if key is not None:
            if self.dialogs.has_dialog({key}):
                open_it = partial(self.dialogs.open_key, key)
                menu.add_command(label="Properties…", accelerator="Alt+Return", command=open_it)
            menu.add_command(label=f"Delete {chosen.selection_name(self.view.selection)}", command=self.edits.delete)
        else:
            menu.add_command(label="Select All", command=lambda: self.view.select(self.view.scene.keys()))
            menu.add_command(label="Fit Drawing", command=self.view.fit)
        if self.edits.can_paste:
            menu.add_command(label="Paste", command=self.edits.paste)
        self.canvas_commands.context(menu, key)
        self.flow_commands.context(menu, key)
        self.scenario.context(menu, key)
        self.lab_controller.node_commands.context(menu, key)
        menu.tk_popup(x, y)
        return True


def edit(path: Path | None = None, topology: Topology | None = None) -> None:
    """Open the editor's window, and return when it is closed.

    Args:
        path: the file to begin with.
        topology: the drawing to begin with where no file is named.

    Raises:
        TopologyError: the file is no drawing.
        PlaceError: there is no display.
    """
    document = Document(topology)
    if path is not None:
        document.open(path)
    try:
        editor = Editor(document)
    except tk.TclError as error:
        raise PlaceError(
            f"the editor's window cannot be opened: {error}",
            "start it on a desktop or with `ssh -X`; `miniedit-frr run FILE` needs no display",
        ) from None
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: editor.window.after(0, editor.close))
    editor.window.after(300, partial(editor.begin, path))
    editor.window.mainloop()
    editor.lab_controller.close()
