"""The keyboard focus: somebody has it, and the user sees who."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterator
from typing import Any

from tests.random_user.widget_boxes import Area, visible_area

#: A widget of which fewer pixels than this are in sight, in either direction, counts as hidden.
_LEAST_PX = 6


class FocusWatch:
    """Checks the focus of each step. A widget must be in sight when it gets the focus. Later it may be scrolled away.

    Args:
        editor: the editor.
    """

    def __init__(self, editor: Any) -> None:
        self._editor = editor
        self._previous = ""

    def violations(self) -> Iterator[str]:
        """The violated conditions. Must be called in the window's thread."""
        window: tk.Misc = self._editor.window
        name = str(window.tk.call("focus"))
        is_new = name != self._previous
        if not name:
            if not _has_menu(window) and _is_in_use(window):
                yield "no widget has the keyboard"
            return
        if "#" in name or not _exists(window, name):  # the copy of a menu bar
            return
        widget = _widget(window, name)
        if widget is None or not is_new:
            return
        area = visible_area(widget)
        if not _is_seen(area):
            yield f"{name} ({widget.winfo_class()}) of {widget.winfo_toplevel().title()} has the keyboard, out of sight"
        else:
            self._previous = name


def _is_seen(area: Area) -> bool:
    left, top, right, bottom = area
    return right - left >= _LEAST_PX and bottom - top >= _LEAST_PX


def _has_menu(window: tk.Misc) -> bool:
    return bool(str(window.tk.call("grab", "current")))


def _is_in_use(window: tk.Misc) -> bool:
    """Whether the X server's focus is at a window of the program, and none of its file dialogs is open."""
    return bool(window.winfo_viewable())


def _exists(window: tk.Misc, name: str) -> bool:
    return bool(int(window.tk.call("winfo", "exists", name)))


def _widget(window: tk.Misc, name: str) -> tk.Misc | None:
    try:
        widget: tk.Misc = window.nametowidget(name)
    except KeyError:  # made by Tcl, such as the list of a combobox
        return None
    return widget
