"""Space on buttons and boxes of every window, and letters in an open list."""

from __future__ import annotations

import tkinter as tk

import pytest
import ttkbootstrap as ttk

from tests import keyboard
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui, pytest.mark.timeout(120)]


def test_space_presses_and_letters_jump(user: User) -> None:
    pressed: list[str] = []
    page = ttk.Toplevel(master=user.editor.window)
    is_on = tk.BooleanVar(page, value=False)
    box = ttk.Checkbutton(page, text="Box", variable=is_on)
    choice = ttk.Combobox(page, values=["bbr", "cubic", "reno", "cdg"], state="readonly")
    button = ttk.Button(page, text="No", command=lambda: pressed.append("No"))
    button.pack()
    box.pack()
    choice.pack()
    keyboard.press(button, "<Key-space>")
    user.wait(lambda: pressed == ["No"])
    keyboard.press(box, "<Key-space>")
    assert is_on.get()
    picked = []
    for letters in ("r", "c", "cc"):
        choice.set("bbr")
        keyboard.press(choice, "<Key-Down>")
        for letter in letters:
            _type(choice, letter)
        _type(choice, "Return")
        picked.append(choice.get())
    assert picked == ["reno", "cubic", "cdg"]
    page.destroy()


def _type(choice: ttk.Combobox, key: str) -> None:
    """Press a key in the open list of a choice, which has the keyboard."""
    tcl = choice.tk
    tcl.call("event", "generate", f"{tcl.call('ttk::combobox::PopdownWindow', str(choice))}.f.l", f"<Key-{key}>")
    tcl.call("update")
