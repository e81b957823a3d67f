"""What the lines of the menus do, when each can be done, and what it shows, by the names in the table of `menus`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from frrlib.model.edits import arrange
from miniedit_frr.canvas.labels import SWITCHES
from miniedit_frr.running import run_menu
from miniedit_frr.window import helping
from miniedit_frr.window.menus import MenuBar

if TYPE_CHECKING:
    from miniedit_frr.app import Editor


def make_menus(editor: Editor) -> MenuBar:
    """The menus of a window that is complete but for them."""
    document, drawing = editor.document, editor.drawing
    labels = {
        "undo": lambda: f"Undo {document.undo_label}".strip(),
        "redo": lambda: f"Redo {document.redo_label}".strip(),
        **run_menu.labels(editor),
    }
    submenus = {
        "Open Recent": editor.recent, "Examples": editor.first_page.entries,
        "Import": editor.config_folders.entries, "Export": lambda: editor.files.exports,
        "Lay Out": drawing.layouts, "Add Flows": editor.flowing.entries,
        **run_menu.submenus(editor),
    }  # fmt: skip
    return MenuBar(
        editor.window,
        {
            **_files(editor),
            **_edits(editor),
            **_looks(editor),
            **run_menu.commands(editor),
            **drawing.commands(),
            **editor.routing.commands(),
        },
        {**_enabled(editor), **run_menu.enabled(editor)},
        {**_flags(editor), **drawing.flags(), **editor.routing.flags()},
        labels,
        submenus,
    )


def _files(editor: Editor) -> dict[str, Callable[[], object]]:
    files = editor.files
    return {
        "new": files.new, "open": files.open, "save": files.save, "save_as": files.save_as, "revert": files.revert,
        "recover": editor.keeping.offer, "experiments": editor.published.open, "quit": editor.quit,
    }  # fmt: skip


def _step(editor: Editor, done: str, label: str, step: Callable[[], bool]) -> None:
    """Go a step back or forth in the history, and say which."""
    if step():
        editor.status.tell(f"{done}: {label}.")


def _edits(editor: Editor) -> dict[str, Callable[[], object]]:
    document, edits, dialogs, view = editor.document, editor.edits, editor.dialogs, editor.view
    first = editor.scenario.first
    commands: dict[str, Callable[[], object]] = {
        "undo": lambda: _step(editor, "Undone", document.undo_label, document.undo),
        "redo": lambda: _step(editor, "Done again", document.redo_label, document.redo),
        "cut": first("x", edits.cut), "copy": first("c", edits.copy), "paste": first("v", edits.paste),
        "duplicate": first("d", edits.duplicate), "delete": first("", edits.delete), "find": editor.find_bar.open,
        "select_all": first("a", lambda: view.select(view.scene.keys())),
        "snap": lambda: edits.arrange("Snap to grid", arrange.snap, editor.preferring.now.grid_px),
        "properties": dialogs.open_selection, "flows": dialogs.flows, "faults": dialogs.faults,
        "topology_preferences": dialogs.preferences,
    }  # fmt: skip
    for edge in ("left", "centre", "top", "middle"):
        commands[f"align_{edge}"] = partial(edits.arrange, f"Align {edge}", arrange.align, edge)
    for axis in ("horizontal", "vertical"):
        commands[f"distribute_{axis}"] = partial(edits.arrange, "Distribute", arrange.distribute, axis)
    return commands


def _looks(editor: Editor) -> dict[str, Callable[[], object]]:
    view = editor.view
    commands: dict[str, Callable[[], object]] = {
        "zoom_in": lambda: view.zoom_by(1.25), "zoom_out": lambda: view.zoom_by(0.8),
        "zoom_reset": lambda: view.zoom_to(1), "fit": view.fit,
        "theme": editor.preferring.switch_theme, "personal": editor.preferring.open,
        "keys": partial(helping.show_keys, editor.window), "about": partial(helping.show_about, editor.window),
    }  # fmt: skip
    commands |= {panel: partial(editor.panes.toggle, panel) for panel in editor.panes.shown}
    return commands | {f"label_{name}": partial(editor.switch_label, name) for name in SWITCHES}


def _flags(editor: Editor) -> dict[str, Callable[[], bool]]:
    flags: dict[str, Callable[[], bool]] = {"dark": lambda: editor.preferring.theme == "dark"}
    flags |= {panel: partial(editor.panes.shown.__getitem__, panel) for panel in editor.panes.shown}
    return flags | {f"label_{name}": partial(editor.shows_label, name) for name in SWITCHES}


def _enabled(editor: Editor) -> dict[str, Callable[[], bool]]:
    document, edits = editor.document, editor.edits
    return {
        "can_revert": lambda: document.path is not None and not editor.running.is_alive,
        "can_undo": lambda: bool(document.undo_label),
        "can_redo": lambda: bool(document.redo_label),
        "has_selection": lambda: bool(editor.view.selection),
        "can_copy": lambda: edits.can_copy,
        "can_duplicate": lambda: edits.can_duplicate,
        "has_nodes": lambda: bool(edits.names),
        "has_several": lambda: len(edits.names) > 1,
        "can_paste": lambda: edits.can_paste,
        "has_routers": lambda: bool(document.topology.routers),
    }
