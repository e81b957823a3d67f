"""Faults that the random user found: the keyboard in an open menu, a cut button, and a source that is gone."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.edits.changes import delete
from miniedit_frr.widgets.focus import focused, last_focused
from tests import keyboard
from tests.window.widgets import of_class

pytestmark = pytest.mark.gui


def test_an_open_menu_is_no_widget_of_the_window(user: Any) -> None:
    """Tk puts a copy of the menu bar into the window. The copy gets the keyboard, and tkinter does not know it."""
    window = user.editor.window
    keyboard.give(user.view)
    assert focused(window) is user.view
    assert last_focused(window) is user.view
    (menu,) = (name for name in window.tk.splitlist(window.tk.call("winfo", "children", ".")) if "#" in str(name))
    window.tk.call("focus", "-force", menu)
    user.wait(lambda: str(window.tk.call("focus")) == menu)
    assert focused(window) is None
    assert last_focused(window) is None
    with pytest.raises(KeyError):
        window.focus_lastfor()


def test_the_button_of_the_find_bar_is_whole_in_a_narrow_window(user: Any) -> None:
    user.editor.window.geometry("600x500")
    user.editor.find_bar.open()
    user.wait(lambda: user.editor.find_bar.winfo_ismapped())
    user.editor.window.update()
    (button,) = of_class(user.editor.find_bar, "TButton")
    assert button.winfo_width() >= button.winfo_reqwidth()


def test_a_source_that_is_gone_is_forgotten(user: Any) -> None:
    for at in ((100, 100), (300, 100), (300, 300)):
        user.put("h", at)
    user.tool("f")
    user.click((100, 100))
    user.document.apply("Delete", delete(user.topology, ["h1"]))
    user.sweep((300, 100), (300, 200), (300, 300))
    assert [(flow.source, flow.destination) for flow in user.topology.flows] == [("h2", "h3")]
