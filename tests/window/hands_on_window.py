"""An editor's window, and a user who operates it with Tk events."""

from __future__ import annotations

import gc
import tempfile
import tkinter as tk
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from frrlib.picture.scene import Key
from miniedit_frr.document.document import Document
from tests import keyboard
from tests.waiting import wait_for
from tests.window.snapshots import differences, snapshot

Point = tuple[float, float]


class User:
    """A user of an editor. Places are in world units."""

    def __init__(self, editor: Any) -> None:
        self.editor, self.document, self.view = editor, editor.document, editor.view

    @property
    def topology(self) -> Any:
        return self.document.topology

    def edits(self) -> int:
        """The number of edits that can be undone."""
        return len(self.document.undo_labels)

    def wait(self, until: Callable[[], object]) -> None:
        """Run the window's event loop until a condition is true."""
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
        """Press, drag along a path, and release at its end."""
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
        """Place a node with a tool, and return to the selection tool."""
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
        """The coordinates of the first item of a sprite, in world units."""
        return [coordinate / self.view.factor for coordinate in self.view.coords(self.view.items_of(key)[0])]


#: Closed editors, and their maximum number before they are freed.
_closed: list[Any] = []
_MOST_CLOSED = 4


def forget_closed_editors() -> None:
    """Free the objects of closed editors.

    Their images and variables call Tk when they are freed, so this must happen in the thread of their windows.
    """
    _closed.clear()
    gc.collect()


@contextmanager
def editor_on(document: Document, folder: Path, size: str = "1100x800") -> Iterator[Any]:
    """An editor of a document in a window of a size. Its files are in a folder. Callbacks that raise fail the test."""
    from miniedit_frr.app.app import Editor

    SPARE.close()  # a process has one window
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


def empty(editor: Any) -> None:
    """Bring an editor back to its beginning, as far as its own commands can."""
    for child in editor.window.winfo_children():
        if isinstance(child, tk.Toplevel):
            child.destroy()
    editor.canvas_commands.leave_writing()
    editor.properties.drop_faulty()
    editor.document.new()
    editor.files.on_open()
    keyboard.press(editor.view, "<Key-v>")
    User(editor).wait(lambda: not editor.checker.is_busy)
    editor.status.tell("")
    editor.log.text.configure(state="normal")
    editor.log.text.delete("1.0", "end")
    editor.log.text.configure(state="disabled")
    editor.window.update()


class SpareEditor:
    """An editor with an empty topology that several tests use, one after another.

    Opening an editor takes longer than most tests do in it. It is used again only if a snapshot of it equals that of
    the new editor; otherwise the next test gets a new one.
    """

    def __init__(self) -> None:
        self._opened = ExitStack()
        self._editor: Any = None
        self._new: dict[str, object] = {}

    @contextmanager
    def lend(self) -> Iterator[Any]:
        """An editor that is as new. Callbacks that raise fail the test."""
        if self._editor is None:
            self._open()
        raised: list[BaseException] = []
        self._editor.window.report_callback_exception = lambda kind, error, trace: raised.append(error)
        yield self._editor
        self._take_back()
        assert not raised, raised

    def _open(self) -> None:
        opened = ExitStack()
        folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="spare-editor-"))
        self._editor = opened.enter_context(editor_on(Document(), Path(folder)))
        self._opened = opened
        empty(self._editor)
        self._new = snapshot(self._editor)

    def _take_back(self) -> None:
        editor = self._editor
        if not editor.is_closed:
            with suppress(tk.TclError, AssertionError):  # what is wrong there closes with it
                empty(editor)
                if not differences(self._new, snapshot(editor)):
                    return
        self.close()

    def close(self) -> None:
        """Close the editor."""
        self._editor = None
        self._opened.close()


#: The spare editor of this process.
SPARE = SpareEditor()


def draw(user: User) -> None:
    """Draw h1 - r1 - h2 with the pointer."""
    for key, at in (("h", (100, 200)), ("h", (500, 200)), ("r", (300, 200))):
        user.tool(key)
        user.click(at)
    user.tool("l")
    user.sweep((100, 200), (200, 210), (300, 200))
    user.sweep((300, 200), (400, 190), (500, 200))
    user.tool("v")
