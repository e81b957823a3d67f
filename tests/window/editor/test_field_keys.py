"""Keys that fields for text and the window both have: while a field is in use, a key does one thing or the other."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterator
from typing import Any

import pytest
import ttkbootstrap as ttk

from frrlib.picture.scene import Key
from miniedit_frr.document.document import Document
from miniedit_frr.window.field_keys import ENTRY_COMMANDS, TEXT_COMMANDS
from miniedit_frr.window.menus import MENUS, MenuLine, key_sequences
from tests import keyboard
from tests.window.hands_on_window import User, editor_on
from tests.window.topologies import TWO_ROUTERS

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS
LINES_WITH_KEYS = [item for _, items in MENUS for item in items if isinstance(item, MenuLine) and item.shortcut]
#: The line is in the middle, and the cursor is in its middle: every movement and every deletion shows.
LINES = "first\nsecond line\nthird"


def pressed_keys(item: MenuLine) -> list[str]:
    """The keys of a line of the menus, without and with Caps Lock."""
    names = [key_sequences(shortcut)[0] for shortcut in item.shortcuts]
    return [*names, *(name.replace("Key-", "Lock-Key-") for name in names if "Key-" in name)]


@pytest.fixture(scope="module")
def writer(display: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    """A user of a window that all tests of this module share, with a text in the clipboard."""
    with editor_on(Document(LAB), tmp_path_factory.mktemp("window")) as editor:
        editor.window.clipboard_clear()
        editor.window.clipboard_append("pasted")
        yield User(editor)


@pytest.fixture(params=["entry", "combobox", "spinbox", "entry on the canvas", "text"])
def field(writer: User, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A field of each class, in the editor's window."""
    make: Any = {
        "entry": ttk.Entry, "combobox": ttk.Combobox, "spinbox": ttk.Spinbox, "entry on the canvas": tk.Entry,
        "text": lambda parent: tk.Text(parent, height=4, undo=True),
    }[request.param]  # fmt: skip
    widget = make(writer.editor.window)
    widget.place(x=200, y=200, width=300)
    yield widget
    widget.destroy()


def fill(field: Any) -> None:
    """Have a text in a field, with the cursor in its middle and with an edit that can be undone."""
    if isinstance(field, tk.Text):
        field.delete("1.0", "end")
        field.insert("1.0", LINES)
        field.edit_separator()
        field.mark_set("insert", "2.5")
        field.insert("insert", "-")
        field.mark_set("insert", "2.4")
    else:
        field.delete(0, "end")
        field.insert(0, "second line")
        field.selection_clear()
        field.icursor(4)


def state(field: Any) -> tuple[object, ...]:
    """All that a key can change in a field: its text, its cursor and its selection."""
    if isinstance(field, tk.Text):
        return field.get("1.0", "end"), field.index("insert"), field.tag_ranges("sel")
    return field.get(), field.index("insert"), field.selection_present()


def test_a_key_edits_the_field_or_does_the_windows_command(
    writer: User, field: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    executed: list[str] = []
    monkeypatch.setattr(writer.editor.menus, "run", lambda item: executed.append(item.command))
    fields_own = TEXT_COMMANDS if isinstance(field, tk.Text) else ENTRY_COMMANDS
    for item in LINES_WITH_KEYS:
        for key in pressed_keys(item):
            executed.clear()
            fill(field)
            old_state = state(field)
            keyboard.press(field, key)
            assert executed == ([] if item.command in fields_own else [item.command]), key
            if item.command not in fields_own:
                assert state(field) == old_state, key
    fill(field)
    keyboard.press(field, "<Control-Key-v>")
    assert "pasted" in str(state(field)[0])


@pytest.mark.parametrize("key", ["<Control-Key-y>", "<Control-Lock-Key-y>"])
def test_ctrl_y_in_the_panel_redoes_and_pastes_nothing(writer: User, key: str) -> None:
    writer.document.apply("Draw", LAB)
    writer.view.select({Key("link", "l2")})
    writer.editor.window.update()
    entry = writer.editor.properties.form.inputs["a_to_b.delay_ms"].focus
    keyboard.press(entry, "<Control-Key-slash>", "<Key-Delete>")
    keyboard.write(entry, "7", "<Return>")
    keyboard.press(entry, "<Control-Key-z>")
    assert (entry.get(), writer.topology.link("l2").a_to_b.delay_ms) == ("0", 0)
    keyboard.press(entry, key)
    assert (entry.get(), writer.topology.link("l2").a_to_b.delay_ms) == ("7", 7)


def test_ctrl_y_in_a_text_of_several_lines_redoes_what_was_typed_there(writer: User) -> None:
    text = tk.Text(writer.editor.window, height=4, undo=True)
    text.place(x=200, y=200, width=300)
    keyboard.write(text, "typed")
    edits = writer.edits()
    keyboard.press(text, "<Control-Key-z>")
    assert text.get("1.0", "end-1c") == ""
    keyboard.press(text, "<Control-Key-y>")
    assert (text.get("1.0", "end-1c"), writer.edits()) == ("typed", edits)
    text.destroy()


def test_ctrl_z_undoes_with_caps_lock(writer: User) -> None:
    edits = writer.edits()
    writer.document.apply("Clear", LAB.model_copy(update={"links": ()}))
    assert writer.edits() == edits + 1
    keyboard.press(writer.view, "<Control-Lock-Key-z>")
    assert writer.edits() == edits
