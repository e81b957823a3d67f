"""Helpers that fill in dialogs with key events of the toolkit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from frrlib.picture.scene import Key
from tests import keyboard
from tests.window.widgets import buttons


def node(name: str) -> Key:
    return Key("node", name)


def link(name: str) -> Key:
    return Key("link", name)


class Filler:
    """Fills in one dialog."""

    def __init__(self, user: Any, dialog: Any) -> None:
        self.user, self.dialog, self.form = user, dialog, dialog.form
        user.wait(lambda: self.form.window.winfo_viewable())

    def input(self, path: str) -> Any:
        """The widget of a field, after its page is brought to the front."""
        assert self.form.focus_path(path), path
        self.user.editor.window.update()
        return self.form.inputs[path]

    def parts(self, attribute: str) -> Iterator[Any]:
        """The parts of pages that have an attribute."""
        for form in self.form.forms:
            yield from (part for part in form.winfo_children() if hasattr(part, attribute))

    def page(self, title: str) -> int:
        """The number of a page."""
        return [tab.title for tab in self.form.tabs].index(title)

    def press(self, sequence: str, on: Any = None) -> None:
        """Press a key at the focus, or in a widget."""
        keyboard.press(on or self.form.window.focus_lastfor() or self.form.window, sequence)

    def type(self, text: str, into: Any) -> None:
        """Overwrite the text of a field."""
        keyboard.press(into, "<Control-Key-slash>", "<Key-Delete>")  # Tk's own "select all"
        keyboard.write(into, text)

    def fill(self, path: str, text: str) -> None:
        """Go to a field and type."""
        self.type(text, self.input(path).focus)

    def cell(self, path: str, row: int, column: int) -> Any:
        """The widget of a table's cell."""
        return self.input(path).cell(row, column).focus

    def tick(self, path: str) -> None:
        """Flip a flag with the space bar."""
        self.press("<Key-space>", self.input(path).focus)

    def pick(self, path: str, text: str) -> None:
        """Select a value in the list of a field."""
        self.pick_in(self.input(path), text)

    def pick_in(self, widget: Any, text: str) -> None:
        """Select a value in the list of a widget."""
        assert text in widget.box.cget("values"), widget.box.cget("values")
        widget.box.set(text)
        widget.box.event_generate("<<ComboboxSelected>>")
        self.user.editor.window.update()

    def open_rest(self, table: Any, row: int) -> None:
        """Press "More" of a row with the space bar."""
        self.press("<Key-space>", details_button(table, row))

    def note(self, path: str) -> str:
        """The remark beside a field."""
        assert path in self.form.inputs, path
        return str(self.form.note_of(path))

    @property
    def can_ok(self) -> bool:
        return not self.form.ok_button.instate(["disabled"])


def details_button(table: Any, row: int) -> Any:
    """The button "More" of a row."""
    return buttons(table.widget, "More")[row]


def open_dialog(user: Any, *keys: Key) -> Filler:
    """Open the dialog of nodes, links or flows."""
    user.view.select(keys)
    return Filler(user, user.editor.dialogs.open_keys(keys, keys[0]))


@dataclass(frozen=True)
class _Refused:
    line_number: int
    line: str
    reason: str


def refusing(word: str) -> Callable[[str], list[_Refused]]:
    """A check that refuses all lines with a word."""
    return lambda text: [_Refused(number, line.strip(), "Unknown command")
                         for number, line in enumerate(text.splitlines(), start=1) if word in line]  # fmt: skip
