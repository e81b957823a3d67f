"""Keys, pressed as somebody presses them: the window comes to the front, the widget has the keyboard, then they come.

Tk gives a key to whatever has the keyboard, and for a moment after a window has come up nobody has it. So no test
presses a key in another way; `tests/test_keyboard.py` holds them to that.
"""

from __future__ import annotations

import tkinter as tk
from contextlib import suppress

from tests.waiting import wait_for

#: Tk's name for the key of a letter, where that is not the letter.
_NAMES = {
    " ": "space", "\n": "Return", "\t": "Tab", ".": "period", ",": "comma", "/": "slash", "-": "minus", ":": "colon",
    "%": "percent", "*": "asterisk", "(": "parenleft", ")": "parenright", "=": "equal", "_": "underscore",
    "<": "less", ">": "greater", "#": "numbersign", "+": "plus", "'": "apostrophe", '"': "quotedbl", "|": "bar",
    "&": "ampersand", "!": "exclam", "$": "dollar", ";": "semicolon", "@": "at", "\\": "backslash", "~": "asciitilde",
    "^": "asciicircum", "{": "braceleft", "}": "braceright", "[": "bracketleft", "]": "bracketright", "?": "question",
}  # fmt: skip


def holder(widget: tk.Misc) -> str:
    """The path of the widget with the keyboard in this widget's program; empty where another program or none has it."""
    return str(widget.tk.call("focus", "-displayof", str(widget)))


def give(widget: tk.Misc) -> None:
    """Give a widget the keyboard, its window in front; returns when it has it. A window gives it to one of its own."""
    window = widget.winfo_toplevel()
    # a window that gets the keyboard may pass it on to a widget in it
    mine = (str(widget),) if widget is not window else (str(window), f"{str(window).rstrip('.')}.")

    def is_seen() -> bool:
        window.update()
        return bool(widget.winfo_viewable())

    def has() -> bool:
        window.update()
        if holder(widget) == str(widget) or (widget is window and holder(widget).startswith(mine)):
            return True
        widget.focus_force()
        return False

    wait_for(is_seen, f"{widget} to be seen")
    window.lift()
    wait_for(has, f"the keyboard to come to {widget}")


def press(widget: tk.Misc, *sequences: str) -> None:
    """Press keys with the keyboard at a widget; later ones come to where earlier ones moved it.

    Args:
        sequences: in Tk's words, such as "<Control-Key-z>".
    """
    give(widget)
    tcl, name = widget.tk, str(widget)
    for sequence in sequences:
        for event in (sequence, _release(sequence)):
            with suppress(tk.TclError):  # the key may have closed the window, or the program
                tcl.call("event", "generate", str(tcl.call("focus")) or name, event)
                tcl.call("update")


def _release(sequence: str) -> str:
    """The event of letting a key go, of that of pressing it."""
    *modifiers, key = sequence.strip("<>").split("-")
    return f"<{'-'.join([*(modifier for modifier in modifiers if not modifier.startswith('Key')), 'KeyRelease', key])}>"


def write(widget: tk.Misc, text: str, *ends: str) -> None:
    """Type a text at a widget, and then press keys that end it."""
    press(widget, *(f"<Key-{_NAMES.get(letter, letter)}>" for letter in text), *ends)
