"""A user who runs labs from the real window, in namespaces of this machine."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from miniedit_frr.document.document import Document
from miniedit_frr.session import requests
from miniedit_frr.session.events import LabState
from miniedit_frr.session.pending import PendingRequest
from tests.window.hands_on_window import Point, User, editor_on
from tests.window.topologies import TWO_AS

AnyRunner = TypeVar("AnyRunner", bound="Runner")


class Runner(User):
    """A user who runs labs."""

    def __init__(self, editor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(editor)
        self.lab_controller = editor.lab_controller
        self.lab_controller.places.choose("namespace")
        self.menus: list[tk.Menu] = []
        self.log_begin = "1.0"
        # A posted menu would wait for the pointer. Tests invoke its entries instead.
        monkeypatch.setattr(tk.Menu, "tk_popup", lambda menu, *_, **__: self.menus.append(menu))

    def run(self) -> None:
        """Press F5, and wait until the lab is up."""
        self.press_key("<F5>")
        self.until(LabState.RUNNING)

    def converge(self) -> None:
        """Wait until all routers have converged."""
        self.wait(lambda: "converged after" in self.log())

    def execute(self, node: str, *argv: str) -> Any:
        """Run a command in a node; returns its output."""
        return self.answer(self.lab_controller.session.ask(partial(requests.execute, node=node, argv=argv)))

    def answer(self, request: PendingRequest[Any]) -> Any:
        """The result of a request to the lab."""
        results: list[Any] = []
        request.then(results.append)
        self.wait(lambda: results)
        return results[0]

    def until(self, *states: LabState) -> None:
        self.wait(lambda: self.lab_controller.state in states)

    def states(self) -> dict[str, str]:
        """The states of nodes and links on the canvas."""
        return {key.name: state for key, state in self.view.states.items()}

    def log(self) -> str:
        """The log since the start of the current test."""
        return str(self.editor.log.text.get(self.log_begin, "end"))

    def begin_again(self) -> None:
        """Close the windows of the previous test, and ensure a running lab: a new one unless all of it is up."""
        for window in self.editor.window.winfo_children():
            if isinstance(window, tk.Toplevel) and window.winfo_viewable():
                window.destroy()
        self.log_begin = self.editor.log.text.index("end-1c")
        if set(self.states().values()) == {"up"}:
            return
        if self.lab_controller.is_alive:
            self.lab_controller.stop()
            self.until(LabState.IDLE, LabState.FAILED)
        self.run()

    def right_click(self, at: Point) -> tk.Menu:
        x, y = self.view.to_widget(at)
        self.view.event_generate("<ButtonPress-3>", x=x, y=y)
        self.editor.window.update()
        return self.menus[-1]

    def middle(self, a: str, b: str) -> Point:
        (x0, y0), (x1, y1) = self.at(a), self.at(b)
        return (x0 + x1) / 2, (y0 + y1) / 2


def labels(menu: tk.Menu) -> list[str]:
    """The entries of a menu, without its separators."""
    return [
        str(menu.entrycget(index, "label"))
        for index in range((menu.index("end") or 0) + 1)
        if menu.type(index) != "separator"
    ]


def choose(menu: tk.Menu, *path: str) -> None:
    """Choose an entry by its text, through submenus."""
    for name in path[:-1]:
        menu = menu.nametowidget(menu.entrycget(menu.index(name), "menu"))
    menu.invoke(menu.index(path[-1]))


def two_as() -> Document:
    """A document with the example of two autonomous systems."""
    document = Document()
    document.open(TWO_AS)
    return document


@contextmanager
def at_a_window(
    kind: type[AnyRunner], document: Document, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[AnyRunner]:
    """A user of an editor's window. The lab ends with the window."""
    with editor_on(document, folder, "1200x850") as editor:
        user = kind(editor, monkeypatch)
        try:
            yield user
        finally:
            user.lab_controller.session.close()
            with suppress(tk.TclError):
                user.wait(lambda: not user.lab_controller.is_alive)
