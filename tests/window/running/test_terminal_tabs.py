"""Terminals in tabs below the drawing: their size, the keyboard, and their end. xdotool reads X's state."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from miniedit_frr.running_lab import terminal_tabs
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui, pytest.mark.timeout(120)]


def _focused_size(user: User) -> tuple[int, int]:
    """The size of the window that has X's keyboard focus; zeros for none."""
    screen = user.view.winfo_screen()
    environment = {"DISPLAY": str(screen), "PATH": "/usr/bin:/bin"}
    output = subprocess.run(
        ["xdotool", "getwindowfocus", "-f", "getwindowgeometry", "--shell"], env=environment, capture_output=True,
        text=True, check=False,
    ).stdout  # fmt: skip
    values = dict(line.split("=") for line in output.split() if "=" in line)
    return int(values.get("WIDTH", 0)), int(values.get("HEIGHT", 0))


def test_a_terminal_fills_its_tab_and_gives_the_keyboard_back(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    tabs = user.editor.lab_controller.windows.tabs
    if shutil.which("xterm") is None or shutil.which("xdotool") is None:
        pytest.skip("xterm or xdotool is not installed")
    assert tabs.is_available
    asked: list[str] = []
    tabs.open("r1 vtysh", ["sleep", "1000"], lambda: asked.append("window"))
    tab = tabs.tabs["r1 vtysh"]
    size = tab.screen.winfo_width(), tab.screen.winfo_height()
    assert size[0] > 700  # more than the 80 columns that xterm has by itself
    user.wait(lambda: _focused_size(user) == size)
    # A larger window gives the terminal more columns.
    user.editor.window.geometry("1250x800")
    user.wait(lambda: tab.screen.winfo_width() > size[0])
    user.wait(lambda: _focused_size(user) == (tab.screen.winfo_width(), tab.screen.winfo_height()))
    user.click((30, 30))
    user.wait(lambda: _focused_size(user) != (tab.screen.winfo_width(), tab.screen.winfo_height()))
    assert user.view.focus_get() is user.view
    assert tabs.show("r1 vtysh")  # the second double click
    assert list(tabs.tabs) == ["r1 vtysh"]
    user.wait(lambda: _focused_size(user) == (tab.screen.winfo_width(), tab.screen.winfo_height()))
    tab.window_button.invoke()
    user.wait(lambda: not tabs.tabs)
    assert asked == ["window"]
    assert "r1 vtysh" not in [user.editor.bottom.tab(name, "text") for name in user.editor.bottom.tabs()]
    monkeypatch.setattr(terminal_tabs.shutil, "which", lambda program: None)
    assert not tabs.is_available
