"""Snapshots of an editor: the plain values in its objects, what its widgets show, and the files in its folder."""

from __future__ import annotations

import enum
import re
import tkinter as tk
from collections.abc import Callable
from dataclasses import is_dataclass
from pathlib import PurePath
from typing import Any

from pydantic import BaseModel

#: Returns a row for each widget below a window: its path, class, bindings, options and content. The region of the
#: canvas is left out: it follows from the drawing.
_WIDGETS = """
proc widgets_below {w} {
    set class [winfo class $w]
    set row [list $w $class [winfo ismapped $w] [lsort [bind $w]]]
    foreach option [$w configure] {
        if {[lindex $option 0] ne {-scrollregion}} {lappend row [lindex $option 0] [lindex $option end]}
    }
    switch -- $class {
        TNotebook {lappend row [$w select] [$w tabs]}
        Treeview {lappend row [$w selection] [$w children {}]}
        Text {lappend row [$w get 1.0 end] [lsort [$w tag names]]}
        Entry - TEntry - TCombobox - TSpinbox {lappend row [$w get]}
        Canvas {lappend row [llength [$w find all]]}
    }
    set rows [list $row]
    foreach child [winfo children $w] {lappend rows {*}[widgets_below $child]}
    return $rows
}
"""
#: Numbers in the names of widgets, images, variables and callbacks, which differ from editor to editor.
_NUMBERS = re.compile(r"(?<=[a-z])\d+\b|\b\d+(?=<lambda>|[a-z_])|PY_VAR\d+")
#: Attributes of widgets that the window itself is asked for.
_OF_TKINTER = frozenset({"children", "_last_child_ids", "_tclCommands", "_w", "_name", "tk", "master", "widgetName"})
#: Attributes that do not influence what an editor does: caches, timers, moments, and the place of the pointer.
_IDLE = re.compile(
    r"\._(timer|pointer|images|fonts|region|zero_s|changed_at|write_by|times_shown|is_working|newest|dropped|scene_cache|widths|sizes|worker|query_number|compared|settled_s)\b"
)
#: Dialogs that have no effect once they are closed, since the editor opens a new one each time, and how to see that.
_IS_CLOSED: dict[str, Callable[[Any], bool]] = {
    "miniedit_frr.dialogs.dialog.FormDialog": lambda dialog: not dialog.is_open,
    "miniedit_frr.widgets.words_dialog.WordsDialog": lambda dialog: not dialog.winfo_exists(),
}


def _widgets(window: tk.Misc) -> dict[str, object]:
    """What the widgets of a window show, by their paths without numbers."""
    tcl = window.tk
    tcl.eval(_WIDGETS)
    shown: dict[str, list[str]] = {}
    for row in tcl.splitlist(tcl.call("widgets_below", ".")):
        name, *values = map(str, tcl.splitlist(row))
        shown.setdefault(_NUMBERS.sub("", name), []).append(_NUMBERS.sub("", " ".join(values)))
    return {name: sorted(values) for name, values in shown.items()}


def _attributes(value: object) -> dict[str, object]:
    names = list(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        names += [slots] if isinstance(slots, str) else list(slots)
    if isinstance(value, tk.Misc):
        names = [name for name in names if name not in _OF_TKINTER]
    return {f".{name}": getattr(value, name, None) for name in names}


def _parts(value: object) -> tuple[object, dict[str, object]]:
    """What is compared of a value, and the values in it by their names."""
    if value is None or isinstance(value, bool | int | float | str | bytes | enum.Enum | PurePath | BaseModel):
        return value, {}
    if isinstance(value, dict):
        return len(value), {f"[{key!r}]" if isinstance(key, str | int) else "[]": item for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return len(value), {f"[{number}]": item for number, item in enumerate(value)}
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    if name in _IS_CLOSED and _IS_CLOSED[name](value):
        return None, {}
    if is_dataclass(value) and type(value).__dataclass_params__.frozen:
        return value, {}
    return name, _attributes(value) if name.startswith(("miniedit_frr.", "frrlib.")) else {}


def _objects(editor: object) -> dict[str, object]:
    """The plain values, and the sizes of containers, in all objects of the program that an editor leads to."""
    compared: dict[str, object] = {}
    seen: set[int] = set()
    todo: list[tuple[str, object]] = [("editor", editor)]
    while todo:
        path, value = todo.pop()
        if id(value) in seen or _IDLE.search(path):
            continue
        compared[path], parts = _parts(value)
        if parts:
            seen.add(id(value))
            todo += [(path + name, part) for name, part in parts.items()]
    return compared


def snapshot(editor: Any) -> dict[str, object]:
    """The state of an editor: of its objects, its widgets and the files (not the folders) beside its drafts."""
    folder = editor.drafts_folder.parent
    files: dict[str, object] = {
        str(path.relative_to(folder)): None for path in folder.rglob("*") if not path.is_dir()
    }  # fmt: skip
    return {**_objects(editor), **_widgets(editor.window), **files}


def differences(before: dict[str, object], after: dict[str, object]) -> list[str]:
    """The names of what differs between two snapshots."""
    missing = object()
    return sorted(
        name for name in before.keys() | after.keys() if before.get(name, missing) != after.get(name, missing)
    )
