"""Divides the keys between the fields for text and the window: each key belongs to one of them, never to both.

Tk gives a key to the class of the focused field first, and to the window afterwards. On X11 the classes have the keys
of Emacs: Ctrl+Y pastes, Ctrl+D deletes a letter, Ctrl+O begins a line. The window has commands at the same keys, and
without this module Ctrl+Y would redo an edit and paste the clipboard into the field.
"""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterable

#: Commands that a field for one line carries out itself.
ENTRY_COMMANDS = frozenset({"cut", "copy", "paste", "delete", "select_all"})
#: Commands that a field for several lines carries out itself.
TEXT_COMMANDS = ENTRY_COMMANDS | {"undo", "redo"}
#: Tk's classes of fields for one line.
_ENTRIES = ("Entry", "TEntry", "TCombobox", "TSpinbox", "Spinbox")
#: Tcl's comment. Tk ignores a binding without a script; a comment takes the key and does nothing.
_NOTHING = "#"
#: Keys that move from one of Tk's virtual events to another. Ctrl+A is the start of the line on X11, as Home is.
_MOVED = (("a", "<<LineStart>>", "<<SelectAll>>"), ("y", "<<Paste>>", "<<Redo>>"))


def divide_keys(window: tk.Misc, keys: Iterable[tuple[str, str]]) -> None:
    """Keep the keys of the window's commands from fields, except for commands that fields carry out themselves.

    Args:
        window: any widget; the keys are divided in all windows of the program.
        keys: a command's name, and a key of it as Tk writes it.
    """
    for letter, before, after in _MOVED:
        for sequence in (f"<Control-Key-{letter}>", f"<Control-Lock-Key-{letter.upper()}>"):
            window.event_delete(before, sequence)
            window.event_add(after, sequence)
    for command, sequence in keys:
        if command not in ENTRY_COMMANDS:
            _take_from(window, _ENTRIES, sequence)
        if command not in TEXT_COMMANDS:
            _take_from(window, ("Text",), sequence)


def carries_out(field: object, command: str) -> bool:
    """Whether a widget is a field that carries out a command itself."""
    commands = TEXT_COMMANDS if isinstance(field, tk.Text) else ENTRY_COMMANDS
    return command in commands and isinstance(field, tk.Entry | tk.Text)


def _take_from(window: tk.Misc, classes: Iterable[str], sequence: str) -> None:
    # The binding of a key precedes those of virtual events at the same key.
    for name in classes:
        window.tk.call("bind", name, sequence, _NOTHING)
