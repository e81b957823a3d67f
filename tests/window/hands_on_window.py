"""An editor's window, and hands that work it with the toolkit's own events."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from frrlib.picture.scene import Key
from miniedit_frr.document.document import Document
from tests import keyboard
from tests.waiting import wait_for

Point = tuple[float, float]


class User:
    """Somebody at an editor: places are in world units."""

    def __init__(self, editor: Any) -> None:
        self.editor, self.document, self.view = editor, editor.document, editor.view

    @property
    def topology(self) -> Any:
        return self.document.topology

    def edits(self) -> int:
        """How many edits can be undone."""
        return len(self.document.undo_labels)

    def wait(self, until: Callable[[], object]) -> None:
        """Let the window work until something is the case."""
        wait_for(until, lambda: self.editor.log.text.get("1.0", "end"), self.editor.window.update)

    def tool(self, key: str) -> None:
        keyboard.press(self.view, f"<Key-{key}>")

    def press_key(self, sequence: str, on: Any = None) -> None:
        """Press a key on the canvas, or on another widget."""
        keyboard.press(on or self.view, sequence)

    def _event(self, name: str, at: Point, state: int) -> None:
        x, y = self.view.to_widget(at)
        self.view.event_generate(name, x=x, y=y, state=state)
        self.editor.window.update()

    def press(self, at: Point, state: int = 0) -> None:
        self._event("<ButtonPress-1>", at, state)

    def drag(self, at: Point, state: int = 0) -> None:
        self._event("<B1-Motion>", at, state | 0x100)

    def release(self, at: Point, state: int = 0) -> None:
        self._event("<ButtonRelease-1>", at, state | 0x100)

    def sweep(self, start: Point, *path: Point, state: int = 0) -> None:
        """Press, drag along the way, release at its end."""
        self.press(start, state)
        for at in path:
            self.drag(at, state)
        self.release(path[-1], state)

    def click(self, at: Point, state: int = 0) -> None:
        self.press(at, state)
        self.release(at, state)

    def double_click(self, at: Point) -> None:
        self.click(at)
        self.click(at)

    def put(self, tool: str, at: Point) -> None:
        """Place something with its tool, and lay the tool down."""
        self.tool(tool)
        self.click(at)
        self.tool("v")

    def write(self, text: str, end: str = "") -> None:
        """Type into the field in place, and press a key that ends it."""
        keyboard.write(self.editor.canvas_commands.writing.field, text, *([end] if end else []))

    def at(self, name: str) -> Point:
        node = self.topology.node(name)
        return node.x, node.y

    def selected(self) -> set[str]:
        return {key.name for key in self.view.selection}

    def items_at(self, key: Key) -> list[float]:
        """Where the first item of a sprite is on the canvas, in world units."""
        return [coordinate / self.view.factor for coordinate in self.view.coords(self.view.items_of(key)[0])]


#: Editors that are closed, and how many of them may be there before they are forgotten.
_closed: list[Any] = []
_MOST_CLOSED = 4


def forget_closed_editors() -> None:
    """Free the objects of closed editors. That belongs to the thread of their windows, since images and variables call
    Tk when they go; so they are kept until this thread frees them.
    """
    _closed.clear()
    gc.collect()


@contextmanager
def editor_on(document: Document, folder: Path, size: str = "1100x800") -> Iterator[Any]:
    """An editor on a drawing, shown in that size; it keeps its files in a folder, and no callback may have raised."""
    from miniedit_frr.app.app import Editor

    if len(_closed) >= _MOST_CLOSED:
        forget_closed_editors()
    editor = Editor(document, folder / "window.json")
    raised: list[BaseException] = []
    editor.window.report_callback_exception = lambda kind, error, trace: raised.append(error)  # type: ignore[assignment]
    editor.window.geometry(f"{size}+0+0")
    try:
        User(editor).wait(lambda: editor.view.winfo_width() > 400)
        keyboard.give(editor.view)
        yield editor
    finally:
        if not editor.is_closed:
            editor.close()
        _closed.append(editor)
    assert not raised, raised


def draw(user: User) -> None:
    """h1 - r1 - h2, drawn by hand."""
    for key, at in (("h", (100, 200)), ("h", (500, 200)), ("r", (300, 200))):
        user.tool(key)
        user.click(at)
    user.tool("l")
    user.sweep((100, 200), (200, 210), (300, 200))
    user.sweep((300, 200), (400, 190), (500, 200))
    user.tool("v")
