"""The File menu: new, open, save, revert, export, and the questions before changes are lost."""

from __future__ import annotations

import os
import re
import tkinter as tk
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from tkinter import filedialog

from ttkbootstrap.dialogs import Messagebox

from frrlib.errors import LabError
from frrlib.exchange import opening
from frrlib.formats import script
from frrlib.model.labels import place_of, sentences
from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
from miniedit_frr.files.file_dialogs import follow_theme
from miniedit_frr.user.paths import command_line

_FILE_TYPES = (("Topologies", "*.mn"), ("All files", "*"))
#: The types of files that can be opened; those of other programs are saved as a `.mn` file.
_OPENED_TYPES: tuple[tuple[str, str | tuple[str, ...]], ...] = (
    ("Topologies and exercises", (*opening.PATTERNS, "*.mnx")),
    *((f"Files of {other.name}", other.patterns) for other in opening.FORMATS),
    ("All files", "*"),
)
#: The folder of the program, in a checkout.
_PROGRAM_FOLDER = Path(__file__).resolve().parents[2]
#: Answers to the question how to open a file that another window has open.
_CANCEL, _ANYWAY, _COPY = "Cancel", "Open Anyway", "Open a Copy"
_SCRIPT_TYPES = (("Python scripts", "*.py"), ("All files", "*"))


class FileMenu:
    """The File menu's commands on a document.

    Attributes:
        document: the document in the window.
        on_file: called with a file that was opened or saved.
        on_open: called after another topology was opened.
        on_saved: called when the file holds the present topology, after a save or a reload.
        before_leaving: commits typed text before the topology is closed; returns False if the user wants to correct it.
        may_close: called last, to ask about reasons against closing the topology that others have: a lab runs from it.
        describe_other_windows: describes the other windows that have a file open; returns "" if there are none.
        advice_about: returns what to do instead of opening a file, such as the start of an exercise; empty for others.
        openers: functions that open files which are no topologies, by the suffix of their names.
        recent: returns the recent files, the newest first.
        exports: the lines of the Export menu, as (label, command).
    """

    def __init__(self, window: tk.Tk, document: Document, say: Callable[[str], None]) -> None:
        self._window, self.document, self._say = window, document, say
        follow_theme(window)
        self.on_file: Callable[[Path], None] = lambda path: None
        self.on_open: Callable[[], None] = lambda: None
        self.before_leaving: Callable[[], bool] = lambda: True
        self.may_close: Callable[[], bool] = lambda: True
        self.on_saved: list[Callable[[], None]] = []
        self.describe_other_windows: Callable[[Path], str] = lambda path: ""
        self.advice_about: Callable[[Path], str] = lambda path: ""
        self.openers: dict[str, Callable[[Path], object]] = {}
        #: The file of the last copy, and the topology that came from it.
        self._copied: tuple[Path, Topology] | None = None
        self.recent: Callable[[], Iterable[Path]] = lambda: ()
        self.exports: list[tuple[str, Callable[[], object]]] = [("Python Script…", self.export_script)]

    # --- another topology ---

    def new(self) -> None:
        """Begin with an empty topology."""
        if self.may_leave():
            self.document.new()
            self.on_open()

    def open(self, path: Path | None = None) -> None:
        """Open a file, or ask for one. If it cannot be opened, the present topology stays."""
        if self._open_otherwise(path) or not self.may_leave():
            return
        if path is None:
            answer = filedialog.askopenfilename(
                parent=self._window, filetypes=_OPENED_TYPES, initialdir=self._folder(), title="Open a topology"
            )
            if not answer:
                return
            path = Path(answer)
            if self._open_otherwise(path):
                return
        path = opening.file_of(path)
        button = self._ask_how_to_open(path)
        advice = self.advice_about(path)
        failure = f"The file cannot be opened. {advice}".removesuffix(". ").removesuffix(".")
        if button == _CANCEL or not self._try(partial(self.document.open, path), failure):
            return
        if advice:
            self._say(advice)
        if button == _COPY or opening.is_foreign(path):
            self._make_copy(path)
        else:
            self.on_file(path)
        self._report_warnings()
        self.on_open()

    def _open_otherwise(self, path: Path | None) -> bool:
        """Open a file that is no topology, and return whether it is one."""
        if path is None or path.suffix.lower() not in self.openers:
            return False
        self.openers[path.suffix.lower()](path)
        return True

    def _ask_how_to_open(self, path: Path, leave: str = "Cancel") -> str:
        """Ask how to open a file that another window has open; returns the button, empty if there is no such window.

        Args:
            path: the file.
            leave: the button that does not open the file.
        """
        if not (windows := self.describe_other_windows(path)):
            return ""
        question = (
            f"{windows}\n\nTwo windows can overwrite each other's changes to one file; saving asks before that. "
            "A copy has no file until it is saved under another name."
        )
        title = "The file is open in another window"
        answer = self._ask(question, title, leave, f"{_ANYWAY}:danger", f"{_COPY}:primary")
        return answer if answer in (_ANYWAY, _COPY) else _CANCEL

    def _make_copy(self, path: Path) -> None:
        """Continue without the file; saving asks for another name beside it."""
        self.document.detach()
        self._copied = path, self.document.loaded
        kind = "was read from" if opening.is_foreign(path) else "is a copy of"
        self._say(f"This {kind} {path.name}. Saving it asks for a name.")

    def accept_start_file(self, path: Path) -> bool:
        """Accept the file that the window was started with; returns False if the user wants no second window for it."""
        if self._open_otherwise(path):
            return True
        answer = self._ask_how_to_open(path, leave="Close This Window")
        if answer == _COPY or (answer != _CANCEL and opening.is_foreign(path)):
            self._make_copy(path)
        elif answer != _CANCEL:
            self.on_file(path)
        return answer != _CANCEL

    def open_dropped(self, paths: list[Path]) -> None:
        """Open the first of the topologies that were dropped on the window, since a window has only one."""
        topologies = [path for path in paths if self._is_offered(path)] or paths
        if topologies:
            self.open(topologies[0])
        for path in topologies[1:]:
            self._say(f"{path.name} was not opened: a window shows one topology.")

    def _is_offered(self, path: Path) -> bool:
        """Whether a file has the name of a topology or of something else that the window opens."""
        return path.suffix.lower() in (".mn", *self.openers) or opening.is_foreign(path)

    def open_example(self, path: Path) -> None:
        """Open an example. Saving it asks for a file of the user's own."""
        if self.may_leave() and self._try(partial(self.document.open, path), "The example cannot be opened"):
            self.document.detach()
            self.document.loaded = Topology()  # our examples count as begun in this window
            self.on_open()

    def begin(self, label: str, topology: Topology) -> bool:
        """Begin with a ready topology; returns False if the present one may not be closed."""
        if not self.may_leave():
            return False
        self.document.begin(label, topology)
        self.on_open()
        return True

    def revert(self) -> None:
        """Read the file again. Changes since then are lost, after a question."""
        document = self.document
        if document.path is None:
            return
        question = "Discard the changes since the topology was saved?"
        if not document.is_saved and self._ask(question, "Revert", "Cancel", "Revert:danger") != "Revert":
            return
        if self._try(partial(document.open, document.path), "The file cannot be opened"):
            self._report_warnings()
            self._say(f"Reverted to {document.path}.")

    def reload(self) -> bool:
        """Read the file again, as an edit that can be undone; returns whether its content is shown."""
        path = self.document.path
        try:
            is_shown = path is not None and self.document.reload()
        except (LabError, OSError) as error:
            self.report_failure("The file cannot be opened", error)
            return False
        if is_shown:
            self._notify_saved()
            self._report_warnings()
            self._say(f"Reloaded {path}. Undo leads back to the topology before.")
        return is_shown

    # --- saving and exporting ---

    def save(self) -> bool:
        """Save to the topology's file, or ask for one; returns whether the topology was saved.

        A file that another program has changed is replaced only after a question.
        """
        path = self.document.path
        if path is None:
            return self.save_as()
        if self.document.has_changed_outside:
            question = (
                f"{path.name} was changed by another program or window since it was opened or saved here.\n\n"
                "Overwrite replaces those changes. Reload shows them here; Undo leads back to the present topology."
            )
            answer = self._ask(
                question, "The file has changed", "Cancel", "Overwrite:danger", "Reload", "Save As…:primary"
            )
            if answer == "Reload":
                self.reload()
            if answer != "Overwrite":
                return answer == "Save As…" and self.save_as()
        return self._save_to(path)

    def save_as(self) -> bool:
        """Ask for a file and save to it; returns whether the topology was saved."""
        path = self._ask_target("Save the topology", _FILE_TYPES, ".mn")
        return path is not None and self._save_to(path)

    def export_script(self) -> None:
        """Ask for a file, and write a Python script that runs the topology."""
        path = self._ask_target("Export a Python script", _SCRIPT_TYPES, ".py")
        if path is not None and self._try(
            partial(script.save, self.document.topology, path), "The script cannot be exported"
        ):
            self._say(f"Exported to {path}. Run it with: {command_line('script', str(path))}")

    def _save_to(self, path: Path) -> bool:
        if not self._try(partial(self.document.save, path), "The topology cannot be saved"):
            return False
        self._notify_saved()
        self.on_file(path)
        self._say(f"Saved to {path}.")
        return True

    def _notify_saved(self) -> None:
        for listener in self.on_saved:
            listener()

    def _ask_target(self, title: str, types: tuple[tuple[str, str], ...], suffix: str) -> Path | None:
        """Ask for a file to write. The name gets its suffix, and an existing file is replaced only after a question."""
        kind = tk.StringVar(self._window)
        name = self._stem()
        answer = filedialog.asksaveasfilename(
            parent=self._window, filetypes=types, typevariable=kind, initialdir=self._folder(),
            initialfile=f"{name}{suffix}", confirmoverwrite=False, title=title,
        )  # fmt: skip
        if not answer:
            return None
        path = with_suffix(Path(answer), suffix, any_name=kind.get() == types[-1][0])
        if not os.path.lexists(path):
            return path
        windows = self.describe_other_windows(path)
        question = f"{path.name} already exists in this folder. {windows + ' ' if windows else ''}Replace it?"
        return path if self._ask(question, "Replace a file", "Cancel", "Replace:danger") == "Replace" else None

    def _stem(self) -> str:
        """The proposed name of a file, without its suffix."""
        if self.document.path is not None:
            return self.document.path.stem
        origin = self._origin()
        if origin is not None:
            return opening.name_of(origin).split(".")[0] if opening.is_foreign(origin) else f"{origin.stem}-copy"
        return _file_name(self.document.topology.title)

    def _origin(self) -> Path | None:
        """The file of which the topology is a copy; None if it is no copy."""
        is_copy = self._copied is not None and self._copied[1] is self.document.loaded
        return self._copied[0] if is_copy and self._copied is not None else None

    def _folder(self) -> str:
        """The folder in which file dialogs begin.

        It is the folder of the topology's file, or of the last recent file, or the current folder. The program's own
        folder does not count as the current one: nobody keeps topologies there.
        """
        files = [path for path in (self.document.path, self._origin(), *self.recent()) if path is not None]
        folders = [
            *(path.absolute().parent for path in files),
            *([] if Path.cwd() == _PROGRAM_FOLDER else [Path.cwd()]),
        ]
        return str(next((folder for folder in folders if folder.is_dir()), Path.home()))

    # --- questions and errors ---

    def may_leave(self) -> bool:
        """Whether the topology may be closed. If it has unsaved changes, the user is asked."""
        if not self.before_leaving():
            return False
        self.document.compare_file()  # if it was deleted, the topology counts as unsaved
        return (self.document.is_saved or self._may_lose_changes()) and self.may_close()

    def confirm_text_loss(self, fault: str) -> bool:
        """Ask whether the invalid text of a field may be lost.

        Args:
            fault: the field, the error in its text, and the remedy.
        """
        question = f"{fault}.\n\nThis text is not part of the topology."
        return self._ask(question, "Invalid text", "Back to the Field:primary", "Drop the Text:danger") == (
            "Drop the Text"
        )

    def _may_lose_changes(self) -> bool:
        name = self.document.path.name if self.document.path else "The topology"
        answer = self._ask(
            f"{name} has unsaved changes.", "Unsaved changes", "Cancel", "Discard:danger", "Save:primary"
        )
        return self.save() if answer == "Save" else answer == "Discard"

    def report_failure(self, failure: str, error: Exception) -> None:
        """Report a failed action and its error, in the status bar and in a dialog.

        Args:
            failure: a sentence without its full stop, such as "The file cannot be opened".
            error: the reason.
        """
        self._say(f"{failure}: {error}")
        Messagebox.show_error(f"{failure}.\n\n{error}", "MiniEdit-FRR", parent=self._window)

    def _ask(self, question: str, title: str, *buttons: str) -> str | None:
        styled = [button if ":" in button else f"{button}:secondary-outline" for button in buttons]
        answer: str | None = Messagebox.show_question(question, title, parent=self._window, buttons=styled)
        return answer

    def _report_warnings(self) -> None:
        for warning in self.document.warnings:
            place = place_of(warning, self.document.topology)
            self._say(sentences(place, warning.message, warning.remedy))

    def _try(self, action: Callable[[], object], failure: str) -> bool:
        try:
            action()
        except (LabError, OSError) as error:
            self.report_failure(failure, error)
            return False
        return True


def _file_name(title: str) -> str:
    """A file name without a suffix, made from a topology's title; "untitled" for an empty title."""
    return "-".join(re.findall(r"[\w.]+", title)).strip(".")[:60] or "untitled"


def with_suffix(path: Path, suffix: str, any_name: bool = False) -> Path:
    """The path with a suffix: "lab" and "lab.v2" become "lab.mn" and "lab.v2.mn".

    Args:
        path: the path as the user has typed it.
        suffix: the suffix of the file type, with its dot; case does not matter.
        any_name: whether a name with another suffix is left unchanged.
    """
    if path.name.lower().endswith(suffix) or (any_name and path.suffix):
        return path
    return path.with_name(path.name + suffix)
