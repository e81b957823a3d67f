"""An editor's window, and hands that work it with the toolkit's own events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from miniedit_frr.canvas.scene import Key
from miniedit_frr.document import Document
from tests.desktop import Desktop, desktop

Point = tuple[float, float]


class User:
    """Somebody at an editor: places are in world units."""

    def __init__(self, editor: Any) -> None:
        self.editor, self.document, self.view = editor, editor.document, editor.view

    @property
    def topology(self) -> Any:
        return self.document.topology

    def wait(self, until: Callable[[], object], timeout_s: float = 20) -> None:
        """Let the window work until something is the case."""
        end = time.monotonic() + timeout_s
        while not until():
            assert time.monotonic() < end, "it did not happen"
            self.editor.window.update()
            time.sleep(0.005)

    def tool(self, key: str) -> None:
        self.view.focus_force()
        self.view.event_generate(f"<Key-{key}>")
        self.editor.window.update()

    def press_key(self, sequence: str) -> None:
        self.view.focus_force()
        self.view.event_generate(sequence)
        self.editor.window.update()

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

    def sweep(self, start: Point, *way: Point, state: int = 0) -> None:
        """Press, drag along the way, release at its end."""
        self.press(start, state)
        for at in way:
            self.drag(at, state)
        self.release(way[-1], state)

    def click(self, at: Point, state: int = 0) -> None:
        self.press(at, state)
        self.release(at, state)

    def at(self, name: str) -> Point:
        node = self.topology.node(name)
        return node.x, node.y

    def selected(self) -> set[str]:
        return {key.name for key in self.view.selection}

    def items_at(self, key: Key) -> list[float]:
        """Where the first item of a sprite is on the canvas, in world units."""
        return [each / self.view.factor for each in self.view.coords(self.view._items[key][0])]


@pytest.fixture(scope="session")
def hands() -> Iterator[Desktop]:
    """Hands on a private screen. It stays to the end: a toolkit that loses its screen ends the process."""
    with desktop() as there:
        yield there


@pytest.fixture
def user(display: str, tmp_path: Path) -> Iterator[User]:
    """Somebody at an editor with an empty drawing."""
    from miniedit_frr.app import Editor

    editor = Editor(Document(), tmp_path / "window.json")
    raised: list[BaseException] = []
    editor.window.report_callback_exception = lambda kind, error, trace: raised.append(error)  # type: ignore[assignment]
    editor.window.geometry("1100x800+0+0")
    user = User(editor)
    user.wait(lambda: editor.view.winfo_width() > 400)
    yield user
    editor.close()
    assert not raised, raised
