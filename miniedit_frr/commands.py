"""What the lines of the menus do, when each can be done, and what it shows, by the names in the table of `menus`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from frrlib.model.edits import arrange, presets
from miniedit_frr import helping
from miniedit_frr.canvas.labels import SWITCHES
from miniedit_frr.menus import MenuBar

if TYPE_CHECKING:
    from miniedit_frr.app import Editor


def make_menus(editor: Editor) -> MenuBar:
    """The menus of a window that is complete but for them."""
    document, drawing, running = editor.document, editor.drawing, editor.running
    labels = {
        "undo": lambda: f"Undo {document.undo_label}".strip(),
        "redo": lambda: f"Redo {document.redo_label}".strip(),
    }
    submenus = {
        "Open Recent": editor.recent, "Export": lambda: editor.files.exports, "Lay Out": drawing.layouts,
        **running.submenus(),
    }  # fmt: skip
    return MenuBar(
        editor.window,
        {**_files(editor), **_edits(editor), **_looks(editor), **running.commands(), **drawing.commands()},
        {**_enabled(editor), **running.enabled()},
        {**_flags(editor), **drawing.flags()},
        labels,
        submenus,
    )


def _files(editor: Editor) -> dict[str, Callable[[], object]]:
    files = editor.files
    return {
        "new": files.new, "open": files.open, "save": files.save, "save_as": files.save_as, "revert": files.revert,
        "recover": editor.keeping.offer, "quit": editor.quit,
    }  # fmt: skip


def _edits(editor: Editor) -> dict[str, Callable[[], object]]:
    document, edits, dialogs, view = editor.document, editor.edits, editor.dialogs, editor.view
    commands: dict[str, Callable[[], object]] = {
        "undo": document.undo, "redo": document.redo,
        "cut": edits.cut, "copy": edits.copy, "paste": edits.paste, "duplicate": edits.duplicate,
        "delete": edits.delete, "find": editor.find_bar.open,
        "select_all": lambda: view.select(view.scene.keys()),
        "snap": lambda: edits.arrange("Snap to grid", arrange.snap, editor.preferring.now.grid_px),
        "properties": dialogs.open_selection, "flows": dialogs.flows, "topology_preferences": dialogs.preferences,
        "ospf_everywhere": partial(edits.preset, "OSPF on all routers", presets.ospf_everywhere),
        "as_per_router": partial(edits.preset, "An AS per router", presets.as_per_router),
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
    commands |= {panel: partial(editor.toggle_panel, panel) for panel in editor.shown_panels}
    return commands | {f"label_{name}": partial(editor.switch_label, name) for name in SWITCHES}


def _flags(editor: Editor) -> dict[str, Callable[[], bool]]:
    flags: dict[str, Callable[[], bool]] = {"dark": lambda: editor.preferring.theme == "dark"}
    flags |= {panel: partial(editor.shown_panels.__getitem__, panel) for panel in editor.shown_panels}
    return flags | {f"label_{name}": partial(editor.shows_label, name) for name in SWITCHES}


def _enabled(editor: Editor) -> dict[str, Callable[[], bool]]:
    document, edits = editor.document, editor.edits
    return {
        "can_revert": lambda: document.path is not None and not editor.running.is_alive,
        "can_undo": lambda: bool(document.undo_label),
        "can_redo": lambda: bool(document.redo_label),
        "has_selection": lambda: bool(editor.view.selection),
        "can_copy": lambda: edits.can_copy,
        "has_nodes": lambda: bool(edits.names),
        "has_several": lambda: len(edits.names) > 1,
        "can_paste": lambda: edits.can_paste,
        "has_routers": lambda: bool(document.topology.routers),
    }
