"""The file of the topology on the disk, which other windows and programs may open and change."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.editor.message_bar import MessageBar
from miniedit_frr.files.file_menu import FileMenu
from miniedit_frr.files.open_marks import OpenMarks, OtherWindow


class FileOnDisk:
    """Marks the file as open, and offers to reload it when another program has changed it.

    The file is compared with the topology whenever the window gets the keyboard, and before it is saved or closed.

    Args:
        folder: the folder with the marks of all windows.

    Attributes:
        bar: the line above the canvas that offers to reload the file.
        marks: the files that this window and others have open.
    """

    def __init__(self, main: MainWindow, document: Document, files: FileMenu, bar: MessageBar, folder: Path) -> None:
        self._main, self._document, self._files, self.bar = main, document, files, bar
        self.marks = OpenMarks(folder)
        #: The file and the state of it that the user was asked about last.
        self._asked_version: tuple[object, ...] = ()
        self._timer = ""
        files.describe_other_windows = self.describe_others
        files.on_saved.append(self._follow)
        self._forget: Callable[[], None] = document.listen(self._changed)
        main.root.bind("<FocusIn>", lambda event: self._soon(), add=True)
        self._follow()

    def close(self) -> None:
        """The window is closing."""
        if self._timer:
            self._main.root.after_cancel(self._timer)
            self._timer = ""
        self._forget()
        self._forget = lambda: None
        self.marks.close()

    def describe_others(self, path: Path) -> str:
        """Describe the other windows that have a file open; empty if there are none."""
        windows = self.marks.other_windows(path)
        if not windows:
            return ""
        have = "Another window has" if len(windows) == 1 else f"{len(windows)} other windows have"
        return f"{have} {path.name} open: {'; '.join(map(_describe, windows))}."

    def look(self) -> None:
        """Compare the file with the topology, and offer the possible actions."""
        document = self._document
        state = document.compare_file()
        path = document.path
        if path is None or state in ("same", "unreadable"):
            self._asked_version = ()
            self.bar.hide()
            return
        version = (path, state, document.digest, *_version(path))
        if version == self._asked_version:
            return
        self._asked_version = version
        if state == "deleted":
            message = f"{path.name} was deleted or moved by another program. The topology is in this window only."
            self.bar.show(message, [("Save Again", self._save), ("Save As…", self._save_as), ("Not Now", self._keep)])
        else:
            message = f"{path.name} was changed by another program or window."
            if not document.is_saved:
                message += " The changes in this window are not in it."
            self.bar.show(message, [("Reload", self._reload), ("Keep Mine", self._keep)])
        self._main.say(message)

    # --- answers ---

    def _reload(self) -> None:
        if self._files.reload():
            self.bar.hide()

    def _keep(self) -> None:
        self._document.mark_modified()
        self.bar.hide()

    def _save(self) -> None:
        self._files.save()

    def _save_as(self) -> None:
        self._files.save_as()

    # --- the window's own changes ---

    def _soon(self) -> None:
        """Compare once, when the window is idle. Every widget that gets the keyboard calls this."""
        if not self._timer:
            self._timer = self._main.root.after_idle(self._look_if_free)

    def _look_if_free(self) -> None:
        self._timer = ""
        # An open question must be answered first.
        if not self._main.root.tk.call("grab", "current", "."):
            self.look()

    def _changed(self, previous: Topology, current: Topology) -> None:
        if self._document.path != self._marked:
            self._follow()

    def _follow(self) -> None:
        """Mark the file after it was opened, saved or replaced by another one."""
        self._marked = self._document.path
        self.marks.mark(self._marked)
        self._asked_version = ()
        self.bar.hide()


def _version(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


def _describe(window: OtherWindow) -> str:
    opened = time.localtime(window.since_s)
    is_today = time.strftime("%x", opened) == time.strftime("%x")
    day = "today" if is_today else time.strftime("%d %b %Y", opened)
    return f"process {window.pid}, since {day} {time.strftime('%H:%M', opened)}"
