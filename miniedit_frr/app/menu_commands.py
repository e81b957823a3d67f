"""What the lines of the menus do, when each can be done, and what it shows, by the names in the table of `menus`."""

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
from miniedit_frr.experiments_view.controller import ExperimentsController
from miniedit_frr.lab_control import run_menu
from miniedit_frr.lab_control.controller import LabController
from miniedit_frr.window import help_menu
from miniedit_frr.window.menus import MenuBar


@dataclass(frozen=True)
class MenuTargets:
    """Everything joined with the parts of a window to which menus lead.

    Attributes:
        switch_label: shows or hides one kind of text on the canvas.
        quit: closes the window, after a question where something is unsaved.
    """

    start_page: StartPageController
    scenario: ScenarioController
    config_folders: ConfigFolders
    flow_commands: FlowCommands
    experiments: ExperimentsController
    lab_controller: LabController
    toggle_label: Callable[[str], object]
    quit: Callable[[], object]


def make_menus(parts: Parts, joined: MenuTargets) -> MenuBar:
    """The menus of a window that is complete but for them."""
    document, on_canvas, running = parts.document, parts.canvas_commands, joined.lab_controller
    labels = {
        "undo": lambda: f"Undo {document.undo_label}".strip(),
        "redo": lambda: f"Redo {document.redo_label}".strip(),
        **run_menu.labels(running),
    }
    submenus = {
        "Open Recent": joined.start_page.recent, "Examples": joined.start_page.entries,
        "Import": joined.config_folders.entries, "Export": lambda: parts.files.exports,
        "Lay Out": on_canvas.layouts, "Add Flows": joined.flow_commands.entries,
        **run_menu.submenus(running),
    }  # fmt: skip
    return MenuBar(
        parts.window,
        {
            **_files(parts, joined),
            **_edits(parts, joined.scenario),
            **_looks(parts, joined),
            **run_menu.commands(running),
            **on_canvas.commands(),
            **parts.routing.commands(),
        },
        {**_enabled(parts, running), **run_menu.enabled(running)},
        {**_flags(parts), **on_canvas.flags(), **parts.routing.flags()},
        labels,
        submenus,
        PendingText(parts, always_allowed=(running.mode.buttons.stop,)).may_act,
    )


def _files(parts: Parts, joined: MenuTargets) -> dict[str, Callable[[], object]]:
    files = parts.files
    return {
        "new": files.new, "open": files.open, "save": files.save, "save_as": files.save_as, "revert": files.revert,
        "recover": parts.recovery.offer, "experiments": joined.experiments.open, "quit": joined.quit,
    }  # fmt: skip


def _step(parts: Parts, done: str, label: str, step: Callable[[], bool]) -> None:
    """Go a step back or forth in the history, and say which."""
    if step():
        parts.status.tell(f"{done}: {label}.")


def _edits(parts: Parts, scenario: ScenarioController) -> dict[str, Callable[[], object]]:
    document, edits, dialogs, view = parts.document, parts.edits, parts.dialogs, parts.view
    first = scenario.first
    commands: dict[str, Callable[[], object]] = {
        "undo": lambda: _step(parts, "Undone", document.undo_label, document.undo),
        "redo": lambda: _step(parts, "Done again", document.redo_label, document.redo),
        "cut": first("x", edits.cut), "copy": first("c", edits.copy), "paste": first("v", edits.paste),
        "duplicate": first("d", edits.duplicate), "delete": first("", edits.delete), "find": parts.find_bar.open,
        "select_all": first("a", lambda: view.select(view.scene.keys())),
        "snap": lambda: edits.arrange("Snap to grid", arrange.snap, parts.preferences.now.grid_px),
        "properties": dialogs.open_selection, "flows": dialogs.flows, "faults": dialogs.faults,
        "topology_preferences": dialogs.preferences,
    }  # fmt: skip
    for edge in ("left", "centre", "top", "middle"):
        commands[f"align_{edge}"] = partial(edits.arrange, f"Align {edge}", arrange.align, edge)
    for axis in ("horizontal", "vertical"):
        commands[f"distribute_{axis}"] = partial(edits.arrange, "Distribute", arrange.distribute, axis)
    return commands


def _looks(parts: Parts, joined: MenuTargets) -> dict[str, Callable[[], object]]:
    view = parts.view
    commands: dict[str, Callable[[], object]] = {
        "zoom_in": lambda: view.zoom_by(1.25), "zoom_out": lambda: view.zoom_by(0.8),
        "zoom_reset": lambda: view.zoom_to(1), "fit": view.fit,
        "theme": parts.preferences.switch_theme, "personal": parts.preferences.open,
        "keys": partial(help_menu.show_keys, parts.window), "about": partial(help_menu.show_about, parts.window),
    }  # fmt: skip
    commands |= {panel: partial(parts.panes.toggle, panel) for panel in parts.panes.visible}
    return commands | {f"label_{name}": partial(joined.toggle_label, name) for name in SWITCHES}


def _flags(parts: Parts) -> dict[str, Callable[[], bool]]:
    flags: dict[str, Callable[[], bool]] = {"dark": lambda: parts.preferences.theme == "dark"}
    flags |= {panel: partial(parts.panes.visible.__getitem__, panel) for panel in parts.panes.visible}
    return flags | {f"label_{name}": partial(_shows, parts, name) for name in SWITCHES}


def _shows(parts: Parts, name: str) -> bool:
    """Whether one kind of text is on the canvas."""
    return bool(getattr(parts.settings.labels, name))


def _enabled(parts: Parts, running: LabController) -> dict[str, Callable[[], bool]]:
    document, edits = parts.document, parts.edits
    return {
        "can_revert": lambda: document.path is not None and not running.is_alive,
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
