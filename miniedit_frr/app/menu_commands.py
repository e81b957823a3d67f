"""The commands of the menus, their conditions and their check marks, by the names in the table of `menus`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from frrlib.edits import arrange
from frrlib.picture.labels import SWITCHES
from miniedit_frr.editor.config_folders import ConfigFolders
from miniedit_frr.editor.flows import FlowCommands
from miniedit_frr.editor.parts import Parts
from miniedit_frr.editor.pending_text import PendingText
from miniedit_frr.editor.scenario import ScenarioController
from miniedit_frr.editor.start_page_controller import StartPageController
from miniedit_frr.exercises_view.controller import ExercisesController
from miniedit_frr.experiments_view.controller import ExperimentsController
from miniedit_frr.lab_control import run_menu
from miniedit_frr.lab_control.controller import LabController
from miniedit_frr.modules_view.controller import ModulesController
from miniedit_frr.window import help_menu
from miniedit_frr.window.menus import MenuBar


@dataclass(frozen=True)
class MenuTargets:
    """The controllers, besides the parts of the window, whose commands are in the menus.

    Attributes:
        toggle_label: shows or hides one kind of text on the canvas.
        quit: closes the window, after a question if something is unsaved.
    """

    start_page: StartPageController
    scenario: ScenarioController
    config_folders: ConfigFolders
    flow_commands: FlowCommands
    experiments: ExperimentsController
    exercises: ExercisesController
    kernel_modules: ModulesController
    lab_controller: LabController
    toggle_label: Callable[[str], object]
    quit: Callable[[], object]


def make_menus(parts: Parts, targets: MenuTargets) -> MenuBar:
    """Make the menus of a window that is otherwise complete."""
    document, on_canvas, lab_controller = parts.document, parts.canvas_commands, targets.lab_controller
    labels = {
        "undo": lambda: f"Undo {document.undo_label}".strip(),
        "redo": lambda: f"Redo {document.redo_label}".strip(),
        **run_menu.labels(lab_controller),
    }
    submenus = {
        "Open Recent": targets.start_page.recent, "Examples": targets.start_page.entries,
        "Import": targets.config_folders.entries, "Export": lambda: parts.files.exports,
        "Lay Out": on_canvas.layouts, "Add Flows": targets.flow_commands.entries,
        "Congestion Control": targets.kernel_modules.entries,
        **run_menu.submenus(lab_controller),
    }  # fmt: skip
    return MenuBar(
        parts.main.root,
        {
            **_file_commands(parts, targets),
            **_edit_commands(parts, targets.scenario),
            **_view_commands(parts, targets),
            **run_menu.commands(lab_controller),
            **on_canvas.commands(),
            **parts.routing.commands(),
        },
        {**_enabled(parts, lab_controller), **run_menu.enabled(lab_controller)},
        {**_flags(parts), **on_canvas.flags(), **parts.routing.flags(), **run_menu.flags(lab_controller)},
        labels,
        submenus,
        PendingText(
            parts.main,
            document,
            parts.files,
            parts.properties,
            on_canvas,
            parts.find_bar,
            always_allowed=(parts.status, lab_controller.mode.buttons.stop),
        ).may_act,
    )


def _file_commands(parts: Parts, targets: MenuTargets) -> dict[str, Callable[[], object]]:
    files = parts.files
    return {
        "new": files.new, "open": files.open, "save": files.save, "save_as": files.save_as, "revert": files.revert,
        "recover": parts.recovery.offer, "experiments": targets.experiments.open,
        "exercises": targets.exercises.open, "make_exercise": targets.exercises.maker.open, "quit": targets.quit,
    }  # fmt: skip


def _step(parts: Parts, verb: str, label: str, step: Callable[[], bool]) -> None:
    """Undo or redo one edit, and report which."""
    if step():
        parts.status.tell(f"{verb}: {label}.")


def _edit_commands(parts: Parts, scenario: ScenarioController) -> dict[str, Callable[[], object]]:
    document, edits, dialogs, view = parts.document, parts.edits, parts.dialogs, parts.view
    or_track = scenario.or_track
    commands: dict[str, Callable[[], object]] = {
        "undo": lambda: _step(parts, "Undone", document.undo_label, document.undo),
        "redo": lambda: _step(parts, "Redone", document.redo_label, document.redo),
        "cut": or_track("x", edits.cut), "copy": or_track("c", edits.copy), "paste": or_track("v", edits.paste),
        "duplicate": or_track("d", edits.duplicate), "delete": or_track("", edits.delete), "find": parts.find_bar.open,
        "select_all": or_track("a", lambda: view.select(view.scene.keys())),
        "snap": lambda: edits.arrange("Snap to grid", arrange.snap, parts.preferences.now.grid_px),
        "properties": dialogs.open_selection, "flows": dialogs.flows, "faults": dialogs.faults,
        "topology_preferences": dialogs.preferences,
    }  # fmt: skip
    for edge in ("left", "centre", "top", "middle"):
        commands[f"align_{edge}"] = partial(edits.arrange, f"Align {edge}", arrange.align, edge)
    for axis in ("horizontal", "vertical"):
        commands[f"distribute_{axis}"] = partial(edits.arrange, "Distribute", arrange.distribute, axis)
    return commands


def _view_commands(parts: Parts, targets: MenuTargets) -> dict[str, Callable[[], object]]:
    view = parts.view
    commands: dict[str, Callable[[], object]] = {
        "zoom_in": lambda: view.zoom_by(1.25), "zoom_out": lambda: view.zoom_by(0.8),
        "zoom_reset": lambda: view.zoom_to(1), "fit": view.fit,
        "theme": parts.preferences.switch_theme, "personal": parts.preferences.open,
        "keys": partial(help_menu.show_keys, parts.main.root), "about": partial(help_menu.show_about, parts.main.root),
    }  # fmt: skip
    commands |= {panel: partial(parts.panes.toggle, panel) for panel in parts.panes.visible}
    return commands | {f"label_{name}": partial(targets.toggle_label, name) for name in SWITCHES}


def _flags(parts: Parts) -> dict[str, Callable[[], bool]]:
    flags: dict[str, Callable[[], bool]] = {"dark": lambda: parts.preferences.theme == "dark"}
    flags |= {panel: partial(parts.panes.visible.__getitem__, panel) for panel in parts.panes.visible}
    return flags | {f"label_{name}": partial(_is_label_visible, parts, name) for name in SWITCHES}


def _is_label_visible(parts: Parts, name: str) -> bool:
    """Whether one kind of text is shown on the canvas."""
    return bool(getattr(parts.window_state.now.labels, name))


def _enabled(parts: Parts, lab_controller: LabController) -> dict[str, Callable[[], bool]]:
    document, edits = parts.document, parts.edits
    return {
        "can_revert": lambda: document.path is not None and not lab_controller.is_alive,
        "can_undo": lambda: bool(document.undo_label),
        "can_redo": lambda: bool(document.redo_label),
        "has_selection": lambda: bool(parts.view.selection),
        "can_copy": lambda: edits.can_copy,
        "can_duplicate": lambda: edits.can_duplicate,
        "has_nodes": lambda: bool(edits.names),
        "has_several": lambda: len(edits.names) > 1,
        "can_paste": lambda: edits.can_paste,
        "has_routers": lambda: bool(document.topology.routers),
    }
