"""Terminals in tabs below the drawing: their size, the keyboard, and their end. xdotool reads X's state."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from tkinter import filedialog

import pytest
from PIL import ImageGrab

from frrlib.picture.theme import THEMES
from miniedit_frr.running_lab import terminal_tabs
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui, pytest.mark.timeout(120)]


def _xdotool(user: User, *words: str) -> str:
    """Run commands on the window that has X's keyboard focus."""
    environment = {"DISPLAY": str(user.view.winfo_screen()), "PATH": "/usr/bin:/bin"}
    argv = ["xdotool", "getwindowfocus", "-f", *words]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False, timeout=30).stdout


def _focused_size(user: User) -> tuple[int, int]:
    """The size of the window that has X's keyboard focus; zeros for none."""
    output = _xdotool(user, "getwindowgeometry", "--shell")
    values = dict(line.split("=") for line in output.split() if "=" in line)
    return int(values.get("WIDTH", 0)), int(values.get("HEIGHT", 0))


def _has_keyboard(user: User, tab: terminal_tabs.TerminalTab) -> bool:
    """Whether a terminal has the keyboard and fills its tab at its present size, which may still change."""
    return _focused_size(user) == (tab.screen.winfo_width(), tab.screen.winfo_height())


def _color_at_corner(user: User, tab: terminal_tabs.TerminalTab) -> str:
    """The color of a pixel in the lower right corner of a terminal, where it has no text."""
    x, y = tab.screen.winfo_rootx() + tab.screen.winfo_width(), tab.screen.winfo_rooty() + tab.screen.winfo_height()
    picture = ImageGrab.grab((x - 9, y - 9, x - 8, y - 8), xdisplay=str(user.view.winfo_screen()))
    return "#{:02x}{:02x}{:02x}".format(*picture.convert("RGB").getpixel((0, 0)))


def test_a_terminal_fills_its_tab_and_gives_the_keyboard_back(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    tabs = user.editor.lab_controller.windows.tabs
    if shutil.which("xterm") is None or shutil.which("xdotool") is None:
        pytest.skip("xterm or xdotool is not installed")
    assert tabs.is_available
    asked: list[str] = []
    tabs.open("r1 vtysh", ["sleep", "1000"], lambda: asked.append("window"))
    tab = tabs.tabs["r1 vtysh"]
    user.wait(lambda: _has_keyboard(user, tab))
    size = tab.screen.winfo_width(), tab.screen.winfo_height()
    assert size[0] > 700  # more than the 80 columns that xterm has by itself
    # A larger window gives the terminal more columns.
    user.editor.window.geometry("1250x800")
    user.wait(lambda: tab.screen.winfo_width() > size[0])
    user.wait(lambda: _has_keyboard(user, tab))
    # A terminal that takes another size, as xterm may while it starts, gets that of its tab again.
    for width, height in ((200, 100), (300, 90), (1600, 400)):
        _xdotool(user, "windowsize", str(width), str(height))
        user.wait(lambda: _has_keyboard(user, tab))
    user.click((30, 30))
    user.wait(lambda: not _has_keyboard(user, tab))
    assert user.view.focus_get() is user.view
    assert tabs.show("r1 vtysh")  # the second double click
    assert list(tabs.tabs) == ["r1 vtysh"]
    user.wait(lambda: _has_keyboard(user, tab))
    for name in ("dark", "light"):
        preferences = user.editor.preferences
        preferences.store.change(preferences.now.model_copy(update={"theme": name}))
        user.wait(lambda name=name: _color_at_corner(user, tab) == THEMES[name].card)
    tab.window_button.invoke()
    user.wait(lambda: not tabs.tabs)
    assert asked == ["window"]
    assert "r1 vtysh" not in [user.editor.bottom.tab(name, "text") for name in user.editor.bottom.tabs()]
    # A closed tab makes room for the terminal beside it, and the last one for the tab from before the terminals.
    user.editor.bottom.select(user.editor.log)
    for title in ("r1", "r2", "r3"):
        tabs.open(title, ["sleep", "1000"], lambda: None)
    user.editor.bottom.select(tabs.tabs["r2"])
    for title, following in (("r2", tabs.tabs["r3"]), ("r3", tabs.tabs["r1"]), ("r1", user.editor.log)):
        tabs.tabs[title].close_button.invoke()
        user.wait(lambda title=title: title not in tabs.tabs)
        assert user.editor.bottom.select() == str(following)
    monkeypatch.setattr(terminal_tabs.shutil, "which", lambda program: None)
    assert not tabs.is_available


@pytest.mark.parametrize("ask", [filedialog.asksaveasfilename, filedialog.askdirectory])
def test_a_file_dialog_beside_a_terminal_gets_the_keyboard(user: User, ask: Callable[..., object]) -> None:
    """A press takes the keyboard back from the terminal twice; the second time, the file dialog must keep it."""
    tabs, window = user.editor.lab_controller.windows.tabs, user.editor.window
    if shutil.which("xterm") is None or shutil.which("xdotool") is None:
        pytest.skip("xterm or xdotool is not installed")
    tabs.open("r1 vtysh", ["sleep", "1000"], lambda: None)
    tab = tabs.tabs["r1 vtysh"]
    user.wait(lambda: _has_keyboard(user, tab))
    holders: list[str] = []

    def look() -> None:
        """Close the dialog by a key of the X server, which comes to the window with the keyboard."""
        holders.append(str(window.tk.call("focus")))
        _xdotool(user, "key", "Escape")
        escapes.append(window.after(3_000, lambda: window.tk.call("set", "::tk::Priv(selectFilePath)", "not closed")))

    escapes: list[str] = []
    window.after(800, look)
    user.press((30, 30))
    assert not ask(parent=window)
    for escape in escapes:
        window.after_cancel(escape)
    assert [holder.rpartition(".")[2] for holder in holders] == ["ent"]
    tab.close_button.invoke()
    user.wait(lambda: not tabs.tabs)
