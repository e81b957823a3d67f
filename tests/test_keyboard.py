"""No test presses a key but by `tests.keyboard`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests import keyboard

TESTS = Path(__file__).parent
#: Events of Tk that are no keys.
_OTHERS = re.compile(r"<<|Button|Motion|Enter|Leave|MouseWheel|Configure|Map|Focus")


def _forbidden_calls(source: str) -> list[str]:
    """Calls that give the keyboard away, or that make a key."""
    calls = []
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            text = ast.unparse(call)
            name, first = call.func.attr, call.args[0] if call.args else None
            is_text = isinstance(first, ast.Constant | ast.JoinedStr)
            if name in ("focus_force", "focus_set") or (
                name == "event_generate" and is_text and not _OTHERS.search(ast.unparse(first))  # type: ignore[arg-type]
            ):
                calls.append(text)
    return calls


def test_keys_come_from_one_place() -> None:
    other_files = [path for path in TESTS.rglob("*.py") if path.name != "keyboard.py" and path != Path(__file__)]
    calls_by_file = {str(path.relative_to(TESTS)): _forbidden_calls(path.read_text()) for path in other_files}
    assert {name: calls for name, calls in calls_by_file.items() if calls} == {}


@pytest.mark.parametrize("line", ["x.event_generate('<Escape>')", "x.event_generate(f'<Key-{y}>')", "x.focus_force()"])
def test_another_way_would_be_found(line: str) -> None:
    assert _forbidden_calls(line) == [line]


@pytest.mark.gui
def test_what_is_typed_comes_to_the_widget_and_follows_the_keyboard(display: str) -> None:
    import tkinter as tk

    window = tk.Tk()
    try:
        first, second = tk.Entry(window), tk.Entry(window)
        first.pack()
        second.pack()
        let_go: list[str] = []
        first.bind("<KeyRelease>", lambda event: let_go.append(event.keysym))
        keyboard.write(first, "a-Z 1.5%", "<Tab>")
        assert (first.get(), let_go[0], let_go[-1]) == ("a-Z 1.5%", "a", "percent")
        keyboard.press(second, "<Key-b>")
        assert second.get() == "b"
        keyboard.press(first, "<Tab>", "<Key-c>")  # an entry that Tab comes to is selected, and so written anew
        assert (first.get(), second.get()) == ("a-Z 1.5%", "c")
    finally:
        window.destroy()


@pytest.mark.gui
def test_the_keyboard_comes_back_from_another_window(display: str) -> None:
    import tkinter as tk

    window = tk.Tk()
    try:
        entry = tk.Entry(window)
        entry.pack()
        above = tk.Toplevel(window)
        keyboard.press(above, "<Key-x>")
        keyboard.write(entry, "y")
        assert entry.get() == "y"
    finally:
        window.destroy()
