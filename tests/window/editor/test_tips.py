"""Tips are shown only for the window with the focus."""

from __future__ import annotations

import tkinter as tk

import pytest

from miniedit_frr.widgets.tip import Tip
from tests import keyboard
from tests.waiting import pause
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui]


def test_no_tip_covers_a_dialog(user: User) -> None:
    """The pointer crosses the canvas on its way to an open dialog."""
    tip = Tip(user.view, lambda: user.view.theme, user.view.ui)
    keyboard.give(user.view)
    tip.soon(lambda: "a host", 200, 200)
    user.wait(lambda: tip.is_shown)
    dialog = tk.Toplevel(user.editor.window)
    field = tk.Entry(dialog)
    field.pack()
    keyboard.give(field)
    user.wait(lambda: not tip.is_shown)
    tip.soon(lambda: "a host", 200, 200)
    for _ in range(10):
        pause(0.1)
        user.editor.window.update()
        assert not tip.is_shown
    dialog.destroy()
