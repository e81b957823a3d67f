"""The widget with the keyboard, also while a menu has it."""

from __future__ import annotations

from typing import Any

import pytest

from miniedit_frr.widgets.focus import focused, last_focused

pytestmark = pytest.mark.gui


def test_an_open_menu_is_no_widget_of_the_window(user: Any) -> None:
    """Tk puts a copy of the menu bar into the window. The copy gets the keyboard, and tkinter does not know it."""
    window = user.editor.window
    user.view.focus_force()
    user.wait(lambda: focused(window) is user.view)
    assert last_focused(window) is user.view
    (menu,) = (name for name in window.tk.splitlist(window.tk.call("winfo", "children", ".")) if "#" in str(name))
    window.tk.call("focus", "-force", menu)
    window.update()
    assert focused(window) is None
    assert last_focused(window) is None
    with pytest.raises(KeyError):
        window.focus_lastfor()
