"""The File menu: new, open, save, revert, and the question before anything is lost."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tkinter import filedialog

from ttkbootstrap.dialogs import Messagebox

from frrlib.errors import LabError
from miniedit_frr.document import Document

_FILE_TYPES = (("Topologies", "*.mn"), ("All files", "*"))


class Files:
    """What the File menu does with a document.

    Attributes:
        on_file: called with a file that was opened or saved.
        on_open: called after another drawing has come into the window.
    """

    def __init__(self, window: tk.Tk, document: Document, say: Callable[[str], None]) -> None:
        self._window, self._document, self._say = window, document, say
        self.on_file: Callable[[Path], None] = lambda path: None
        self.on_open: Callable[[], None] = lambda: None

    def new(self) -> None:
        """Begin an empty drawing."""
        if self.may_leave():
            self._document.new()

    def open(self, path: Path | None = None) -> None:
        """Open a file; without one, ask which."""
        if not self.may_leave():
            return
        if path is None:
            asked = filedialog.askopenfilename(parent=self._window, filetypes=_FILE_TYPES, title="Open a topology")
            if not asked:
                return
            path = Path(asked)
        if self._try(partial(self._document.open, path), "The file cannot be opened"):
            self.on_file(path)
            for warning in self._document.warnings:
                self._say(str(warning))
            self.on_open()

    def begin_with(self, path: Path) -> None:
        """Open an example. It is a beginning: saving it asks for a place of the user's own."""
        if self._try(partial(self._document.open, path), "The example cannot be opened"):
            self._document.path = None
            self.on_open()

    def save(self) -> bool:
        """Save to the drawing's file, or ask for one; whether it is saved."""
        path = self._document.path
        return self.save_as() if path is None else self._save_to(path)

    def save_as(self) -> bool:
        """Ask for a file and save to it; whether it is saved."""
        asked = filedialog.asksaveasfilename(
            parent=self._window, filetypes=_FILE_TYPES, defaultextension=".mn", title="Save the topology"
        )
        return bool(asked) and self._save_to(Path(asked))

    def _save_to(self, path: Path) -> bool:
        if not self._try(partial(self._document.save, path), "The drawing cannot be saved"):
            return False
        self.on_file(path)
        self._say(f"Saved to {path}.")
        return True

    def revert(self) -> None:
        """Read the file again; what was changed since is lost, after a question."""
        path = self._document.path
        question = "Give up what was changed since the drawing was saved?"
        if path is not None and self._ask(question, "Revert", ["Cancel:secondary", "Revert:danger"]) == "Revert":
            self._try(partial(self._document.open, path), "The file cannot be opened")

    def may_leave(self) -> bool:
        """Whether the drawing may go: it is saved, or the user has said so."""
        if self._document.is_saved:
            return True
        name = self._document.path.name if self._document.path else "The drawing"
        buttons = ["Cancel:secondary", "Discard:danger", "Save:primary"]
        answer = self._ask(f"{name} has changes that are not saved.", "Unsaved changes", buttons)
        return self.save() if answer == "Save" else answer == "Discard"

    def _ask(self, question: str, title: str, buttons: list[str]) -> str | None:
        answer: str | None = Messagebox.show_question(question, title, parent=self._window, buttons=buttons)
        return answer

    def _try(self, action: Callable[[], object], failed: str) -> bool:
        try:
            action()
        except (LabError, OSError) as error:
            self._say(f"{failed}: {error}")
            Messagebox.show_error(f"{failed}.\n\n{error}", "MiniEdit-FRR", parent=self._window)
            return False
        return True
