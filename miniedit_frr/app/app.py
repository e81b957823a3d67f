"""The editor: connects document, canvas, tools, panels and menus in one window. No other module uses all of them."""

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

import ttkbootstrap as ttk

from frrlib.errors import PlaceError
from frrlib.model.problem import Problem
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key, SceneCache, scene_of
from frrlib.picture.theme import THEMES, Theme
from frrlib.place.checker import frr_check
from frrlib.place.module_compiler import modules
from miniedit_frr.app.menu_commands import MenuTargets, make_menus
from miniedit_frr.app.window_fit import WindowFit
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
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.editor.message_bar import MessageBar
from miniedit_frr.editor.parts import Parts
from miniedit_frr.editor.scenario import ScenarioController
from miniedit_frr.editor.start_page_controller import StartPageController
from miniedit_frr.editor.tool_set import ToolSet
from miniedit_frr.exercises_view.controller import PACKED, ExercisesController
from miniedit_frr.experiments_view.controller import ExperimentsController
from miniedit_frr.files.file_menu import FileMenu
from miniedit_frr.files.recovery import DraftRecovery
from miniedit_frr.lab_control.controller import LabController
from miniedit_frr.modules_view.controller import ModulesController
from miniedit_frr.panels.find import FindBar
from miniedit_frr.panels.log import LogPanel
from miniedit_frr.panels.problems import ProblemList
from miniedit_frr.panels.properties import Properties
from miniedit_frr.panels.status import StatusBar
from miniedit_frr.panels.toolbox import Toolbox
from miniedit_frr.tools import chosen
from miniedit_frr.tools.base import ToolContext
from miniedit_frr.tools.pointer import ANNOTATE_TOOLS, ROUTING_TOOLS, TOOLS, ToolController
from miniedit_frr.user import window_state
from miniedit_frr.user.paths import drafts_path, exercises_path, window_state_path
from miniedit_frr.user.preferences import PreferenceStore
from miniedit_frr.user.window_state import WindowState, WindowStateStore
from miniedit_frr.widgets.bars import add_bars
from miniedit_frr.widgets.popup import popup_menu
from miniedit_frr.widgets.styles import apply_styles
from miniedit_frr.window import help_menu
from miniedit_frr.window.file_drop import accept_files
from miniedit_frr.window.garbage import Collector, release
from miniedit_frr.window.panes import Panes
from miniedit_frr.window.preferences import PreferencesController
from miniedit_frr.window.root import open_root


class Editor:
    """The editor's window, with everything in it.

    Args:
        document: the document to edit.
        state_file: the file with the state of the window, beside other files of the user; the user's own by default.

    Attributes:
        window: the Tk window.
        document: the document in it.
        parts: the parts of the window, for the modules that put it together.
        view, tool_controller, bench: the canvas, the tools on it, and the objects that tools work on.
        start_page: the page on an empty canvas.
        scenario: the plan of a run on a time axis.
        file_on_disk: notices changes of the document's file by other programs and windows.
        resolved: the topology of the last check, with names and addresses filled in; None before the first check.
        panes: the panels around the canvas, and which of them are visible.
        drafts_folder: the folder with the drafts of this window's unsaved work.
    """

    def __init__(self, document: Document, state_file: Path | None = None) -> None:
        self._state_file = state_file or window_state_path()
        self.drafts_folder = state_file.parent / "unsaved" if state_file else drafts_path()
        self.window_state = WindowStateStore(self._state_file)
        self.preferences = PreferencesController(
            PreferenceStore(self._state_file.with_name("preferences.json")), self.say
        )
        self.document = document
        # The checks run in a thread. This limits the time in which the window waits for the interpreter lock.
        sys.setswitchinterval(0.0005)
        self.window = open_root(self.theme.base, self.preferences.scaling)
        self.ui = self.preferences.scale(self.window)
        self.window.report_callback_exception = self._unexpected
        self._collector = Collector(self.window)
        self._is_closed = False
        self.resolved: Topology | None = None
        self._scene_cache = SceneCache()
        parts = self.parts = self._build()
        main = parts.main
        self.start_page = StartPageController(main, parts.tools, self.files, self.canvas_commands.ask_topology)
        self._connect()
        self.config_folders = ConfigFolders(main, document, self.files)
        bar = MessageBar(self.panes.canvas_frame, self.view, self.ui)
        self.file_on_disk = FileOnDisk(main, document, self.files, bar, self.drafts_folder.with_name("open"))
        self.flow_commands = FlowCommands(main, parts.tools, self.edits, self.dialogs, lambda: self.resolved)
        self.kernel_modules = ModulesController(main, document, self.files)
        runs, history = self._state_file.with_name("runs.json"), self.drafts_folder.with_name("configurations")
        self.lab_controller = LabController(parts, self.scenario, runs, history)
        self.experiments = ExperimentsController(main, self.files.begin, self.lab_controller.runs)
        self.exercises = ExercisesController(parts, self.lab_controller, exercises_path(state_file))
        self.lab_controller.changes.on_change.append(lambda topology: self.checker.ask(document.topology))
        self.menus = make_menus(parts, MenuTargets(
            self.start_page, self.scenario, self.config_folders, self.flow_commands, self.experiments,
            self.exercises, self.kernel_modules, self.lab_controller, self.toggle_label, self.quit,
        ))  # fmt: skip
        self._show_theme()
        self._on_change(Topology(), document.topology)
        self.preferences.begin()
        accept_files(self.window, self.files.open_dropped)
        window_fit = WindowFit(self.view, self.canvas_commands.finish_writing)
        self.lab_controller.live.on_enlarge = window_fit.fit_again
        self.view.focus_set()  # letters choose tools from the beginning

    @property
    def theme(self) -> Theme:
        """The present colors."""
        return THEMES[self.preferences.theme]

    @property
    def settings(self) -> WindowState:
        """The present state of the window, as it will be stored."""
        return self.window_state.now

    # --- the window's parts ---

    def _build(self) -> Parts:
        window, ui = self.window, self.ui
        screen_width, screen_height = window.winfo_screenwidth(), window.winfo_screenheight()
        width, height = min(1280 * ui, screen_width), min(820 * ui, screen_height * 0.92)
        geometry = window_state.fit_to_screen(self.settings.geometry, screen_width, screen_height)
        window.geometry(geometry or f"{round(width)}x{round(height)}")
        window.minsize(round(560 * ui), round(380 * ui))
        self.status = StatusBar(window)
        self.status.pack(side="bottom", fill="x")
        ttk.Separator(window).pack(side="bottom", fill="x")
        panes = self.panes = Panes(window, self.settings.panels)
        self.view = View(panes.canvas_frame, ui, self.theme)
        bench = self.bench = ToolContext(self.document, self.view, self.status.tell, self.preferences.uses_lab_timers)
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
        self.toolbox = Toolbox(window, TOOLS, self.tool_controller.choose, ui, {"router": ROUTING_TOOLS})
        self.toolbox.add_row(ANNOTATE_TOOLS)
        self.toolbox.pack(side="left", fill="y")
        panes.outer.pack(side="left", fill="both", expand=True)
        self.find_bar = FindBar(panes.canvas_frame, self.view, ui)
        add_bars(self.view, self.view.on_scroll)
        self.view.pack(side="bottom", fill="both", expand=True)
        self.properties = Properties(panes.columns, ui)
        self.bottom = ttk.Notebook(panes.rows)
        self.problems, self.log = ProblemList(self.bottom, ui), LogPanel(self.bottom)
        self.bottom.add(self.problems, text="Problems")
        self.bottom.add(self.log, text="Log")
        self.problem_fixer = ProblemFixer(window, self.document, self.problems, self.say, lambda: (self.theme, self.ui))
        self.checker = Checker(window, self._show_findings)
        self.status.set("kernel", f"{platform.system()} {platform.release()}")
        parts = Parts(
            main=MainWindow(window, ui, lambda: self.theme, self.say), document=self.document,
            window_state=self.window_state, preferences=self.preferences, view=self.view,
            tools=ToolSet(bench, self.tool_controller, self.toolbox), edits=self.edits,
            canvas_commands=self.canvas_commands, routing=self.routing, dialogs=self.dialogs,
            properties=self.properties, files=self.files, recovery=self.recovery, panes=panes, bottom=self.bottom,
            status=self.status, problems=self.problems, log=self.log, find_bar=self.find_bar, checker=self.checker,
        )  # fmt: skip
        self.scenario = ScenarioController(parts.main, self.document, self.view, self.dialogs, panes, panes.rows)
        self.scenario.panel.sash_height = self.settings.scenario_high
        panes.add_panels(self.properties, self.scenario.panel, self.bottom)
        return parts

    def _connect(self) -> None:
        self.document.listen(self._on_change)
        self.view.on_select.append(self._on_selection)
        self.view.on_zoom.append(lambda: self.status.set("zoom", f"{self.view.zoom:.0%}".replace("%", " %")))
        self.tool_controller.on_tool.append(lambda: self.toolbox.show(self.tool_controller.tool))
        self.tool_controller.on_tool.append(self.start_page.show)
        self.tool_controller.on_open.append(self._open_dialog)
        self.tool_controller.on_context.append(self._show_context_menu)
        self.tool_controller.on_nudge, self.tool_controller.on_return = self.edits.nudge, self.dialogs.open_selection
        self.problems.on_pick = self._go_to
        self.properties.on_change = self.edits.replace_value
        self.properties.on_fault = self.say
        self.properties.form_context = self._form_context
        self.properties.sheet_of = lambda node: panel_sheet(self.document.topology, self.resolved, node)
        self.properties.on_edit = self.dialogs.open_selection
        self.files.exports.append(("Picture…", self.canvas_commands.export_picture))
        self.files.on_file = self.note_file
        self.files.on_open = self._on_open
        self.files.recent = lambda: map(Path, self.settings.recent)
        self.preferences.on_theme = self._show_theme
        self.preferences.join(self.view, self.dialogs)
        self.dialogs.check_frr = frr_check.refused_lines if frr_check.can_check() else None
        self.dialogs.added_controls = modules.added_controls
        self.dialogs.lacking = lambda kinds: self.lab_controller.places.lacking(kinds)
        self.window.protocol("WM_DELETE_WINDOW", self.quit)

    # --- changes of the topology and of the selection ---

    def _on_change(self, old: Topology, new: Topology) -> None:
        self._show()
        self.checker.ask(new)
        self._show_title()
        self.start_page.show()
        self._on_selection()
        self.status.withdraw(self.properties.outdated_fault(new))

    def _form_context(self) -> FormContext:
        """The context of the panel's fields. They show no automatic addresses, so no resolved topology is needed."""
        topology, lab_timers = self.document.topology, self.preferences.now.lab_timers
        return FormContext(topology, topology, lab_timers=lab_timers, added_controls=modules.added_controls())

    def _show(self) -> None:
        self.view.show(scene_of(self.document.topology, self.settings.labels, self.resolved, self._scene_cache))

    def _show_findings(self, findings: Findings) -> None:
        self.resolved = self.lab_controller.lab.with_names_of_lab(findings.resolved)
        labels = self.settings.labels
        if labels.interfaces or labels.addresses or not all(f.congestion_control for f in findings.resolved.flows):
            self._show()
        self.scenario.show_findings(findings)
        findings = findings.with_file_problems(self.document.warnings)
        problems = findings.problems
        self.problems.show(problems, findings.fixes, findings.topology)
        self.properties.show_problems(problems)
        self.problem_fixer.set_fixes(findings.fixes)
        marks: dict[Key, str] = {}
        for problem in problems:
            key = self.view.scene.key_of(problem.node, problem.about)
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

    def _on_selection(self) -> None:
        keys = self.view.selection
        kinds = {tool.icon: tool.title for tool in TOOLS}
        title, value = chosen.title_and_value(self.document.topology, self.view.scene, keys, kinds)
        self.status.set("selection", chosen.announcement(title, len(keys)))
        hint = "Edit… changes all things of one kind at once." if keys else help_menu.HINT
        self.properties.show(title, value, hint, can_edit=self.dialogs.has_dialog(keys))

    def _go_to(self, problem: Problem) -> None:
        key = self.view.scene.key_of(problem.node, problem.about)
        is_focused = self.dialogs.focus_field(problem.node, problem.field, problem.message, problem.about)
        if key is None:
            if not is_focused:
                self.say(
                    "This problem concerns the whole topology." if not problem.node else f"{problem.node} is not drawn."
                )
            return
        self.view.select({key})
        self.view.reveal(key)

    def say(self, message: str) -> None:
        """Show a message in the status bar, and add it to the log. Nothing happens after the window was closed."""
        if not self._is_closed:
            self.status.tell(message)
            self.log.add(message)

    def begin(self, path: Path | None) -> None:
        """Accept the file that the window was started with, if there is one, and offer drafts of earlier windows.

        The window closes if the file is open in another window and the user wants no second one.
        """
        if path is not None and not self.files.accept_start_file(path):
            self.close()
            return
        self.recovery.offer(quiet=True)

    def quit(self) -> None:
        """Close the window, after a question if something is unsaved."""
        if self.kernel_modules.may_close() and self.files.may_leave():
            self.recovery.abandon_changes()
            self.close()

    def close(self) -> None:
        """Close the window without a question. A running lab ends first. Unsaved work is kept in a draft."""
        self.document.commit_typed_text()
        self.exercises.close()
        self.document.compare_file()  # a topology whose file was deleted gets a draft
        self.recovery.autosave.flush()
        if self.lab_controller.departure.end(self.close):
            return
        self.recovery.close()
        self.file_on_disk.close()
        self.preferences.close()
        self.scenario.close()
        self.window_state.change(
            geometry=self.window.geometry(), holding=self.canvas_commands.snap_options,
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

    def _on_open(self) -> None:
        self.tool_controller.put_away()
        self.view.select(())  # the former topology may have had nodes of the same names
        self.lab_controller.display.forget()
        self._show_title()
        self.bottom.select(self.problems)
        self.view.reset()

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
        for show in (self.view.set_theme, self.toolbox.set_theme, self.scenario.panel.set_theme,
                     self.problems.set_theme, self.lab_controller.set_theme):  # fmt: skip
            show(theme)
        for listing in (self.experiments, self.exercises, self.kernel_modules):
            listing.set_theme()
        self.log.text.configure(background=theme.card, foreground=theme.text)
        self.start_page.renew()

    # --- other ---

    def _unexpected(self, kind: type[BaseException], error: BaseException, trace: Any) -> None:
        """Report an exception that nothing has handled, which is a defect of the editor, and continue.

        The traceback goes to the terminal, from where it can be copied into a report.
        """
        if self._is_closed and isinstance(error, tk.TclError):
            return  # a question was open when the window was closed from outside
        traceback.print_exception(kind, error, trace)
        self.say(f"Internal error: {kind.__name__}: {error}. The terminal shows where it occurred.")

    def _open_dialog(self, key: Key) -> bool:
        self.dialogs.open_key(key)
        return True

    def _show_context_menu(self, key: Key | None, x: int, y: int) -> bool:
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
        lab = self.lab_controller
        for part in (self.canvas_commands, self.flow_commands, lab.comparisons, self.scenario, lab.node_commands):
            part.fill_context_menu(menu, key)
        menu.tk_popup(x, y)
        return True


def edit(path: Path | None = None, topology: Topology | None = None) -> None:
    """Open the editor's window, and return when it is closed.

    Args:
        path: a topology, or a packed exercise, to begin with.
        topology: the topology to begin with if there is no file.

    Raises:
        TopologyError: the file holds no valid topology.
        PlaceError: no display is available.
    """
    document = Document(topology)
    if path is not None and path.suffix.lower() != PACKED:
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
