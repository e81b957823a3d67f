"""The file of the topology on the disk, which other windows and other programs may have open and change."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from frrlib.model.topology import Topology
from miniedit_frr.editor.file_bar import FileBar
from miniedit_frr.editor.parts import Parts
from miniedit_frr.files.open_marks import OpenMarks, OtherWindow


class FileOnDisk:
    """Marks the file as open, and offers to reload it when another program has changed it.

    The file is looked at whenever the window gets the keyboard, and before it is saved or closed.

    Args:
        parts: the window.
        folder: the marks of all windows.

    Attributes:
        bar: the line above the canvas with the offer.
        marks: the files that this window and others have open.
    """

    def __init__(self, parts: Parts, folder: Path) -> None:
        self._parts = parts
        self.marks = OpenMarks(folder)
        self.bar = FileBar(parts.panes.middle, parts.view, parts.ui)
        #: The file and its state about which the user has answered, or is being asked.
        self._answered: tuple[object, ...] = ()
        self._timer = ""
        parts.files.describe_other_windows = self.describe_others
        parts.files.on_saved.append(self._follow)
        self._forget: Callable[[], None] = parts.document.listen(self._changed)
        parts.window.bind("<FocusIn>", lambda event: self._soon(), add=True)
        self._follow()

    def close(self) -> None:
        """The window is closing."""
        if self._timer:
            self._parts.window.after_cancel(self._timer)
            self._timer = ""
        self._forget()
        self._forget = lambda: None
        self.marks.close()

    def describe_others(self, path: Path) -> str:
        """Describe the other windows that have a file open; empty for no window."""
        windows = self.marks.other_windows(path)
        if not windows:
            return ""
        have = "Another window has" if len(windows) == 1 else f"{len(windows)} other windows have"
        return f"{have} {path.name} open: {'; '.join(map(_described, windows))}."

    def look(self) -> None:
        """Compare the file with the topology's own state, and offer what can be done."""
        document = self._parts.document
        state = document.compare_file()
        path = document.path
        if path is None or state in ("same", "unreadable"):
            self._answered = ()
            self.bar.hide()
            return
        seen = (path, state, document.digest, *_version(path))
        if seen == self._answered:
            return
        self._answered = seen
        if state == "deleted":
            message = f"{path.name} was deleted or moved by another program. The topology is in this window only."
            self.bar.show(message, [("Save Again", self._save), ("Save As…", self._save_as), ("Not Now", self._keep)])
        else:
            message = f"{path.name} was changed by another program or window."
            if not document.is_saved:
                message += " The changes in this window are not in it."
            self.bar.show(message, [("Reload", self._reload), ("Keep Mine", self._keep)])
        self._parts.say(message)

    # --- answers ---

    def _reload(self) -> None:
        if self._parts.files.reload():
            self.bar.hide()

    def _keep(self) -> None:
        self._parts.document.mark_modified()
        self.bar.hide()

    def _save(self) -> None:
        self._parts.files.save()

    def _save_as(self) -> None:
        self._parts.files.save_as()

    # --- the window's own changes ---

    def _soon(self) -> None:
        """Look once, when the window has nothing else to do: every widget that gets the keyboard calls this."""
        if not self._timer:
            self._timer = self._parts.window.after_idle(self._look_if_free)

    def _look_if_free(self) -> None:
        self._timer = ""
        # While a question is open, its answer comes first.
        if not self._parts.window.tk.call("grab", "current", "."):
            self.look()

    def _changed(self, before: Topology, after: Topology) -> None:
        if self._parts.document.path != self._marked:
            self._follow()

    def _follow(self) -> None:
        """The file was opened, saved, or is another one now."""
        self._marked = self._parts.document.path
        self.marks.mark(self._marked)
        self._answered = ()
        self.bar.hide()


def _version(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


def _described(window: OtherWindow) -> str:
    then = time.localtime(window.since_s)
    is_today = time.strftime("%x", then) == time.strftime("%x")
    day = "today" if is_today else time.strftime("%d %b %Y", then)
    return f"process {window.pid}, since {day} {time.strftime('%H:%M', then)}"
