"""Keeps a draft while the drawing has unsaved changes: a moment after the last edit, written by a worker."""

from __future__ import annotations

import threading
import time
import tkinter as tk
from collections.abc import Callable

from frrlib.errors import LabError
from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
from miniedit_frr.files.drafts import Drafts

#: A draft is written this long after the last edit, and during a series of edits this long after the first.
PAUSE_S = 2.0
MOST_S = 10.0
_LOOK_MS = 500


class Autosave:
    """Keeps the drafts in step with a document.

    Args:
        root: a widget, for its timer.
        document: whose unsaved changes are kept.
        drafts: where they are kept.
        say: called in the window's thread when a draft cannot be written; once for each reason.

    Attributes:
        is_on: whether drafts are kept; see `switch`.
    """

    def __init__(self, root: tk.Misc, document: Document, drafts: Drafts, say: Callable[[str], None]) -> None:
        self._root, self._document, self._drafts, self._say = root, document, drafts, say
        self.is_enabled = True
        self._timer = self._watch = ""
        self._changed_at = 0.0
        self._write_by = 0.0
        self._worker: threading.Thread | None = None
        self._failure = self._told = ""
        self._forget: Callable[[], None] = document.listen(self._changed)

    def set_enabled(self, on: bool) -> None:
        """Keep drafts from now on, or none any more; the present one is then removed."""
        if on == self.is_enabled:
            return
        self.is_enabled = on
        self.discard_draft()
        if on and not self._document.is_saved:
            self._changed()

    def discard_draft(self) -> None:
        """There is nothing to lose any more: the drawing was saved or given up."""
        self._stop()
        self._drafts.drop()

    def flush(self) -> bool:
        """Write unsaved changes now, and wait for it. Returns whether a file or a draft holds the topology then."""
        self._stop()
        if self.is_enabled and not self._document.is_saved:
            self._start()
        if self._worker is not None:
            self._worker.join(10)
        has_draft = self.is_enabled and self._worker is not None and not self._worker.is_alive() and not self._failure
        return self._document.is_saved or has_draft

    def close(self) -> None:
        """No more drafts; the present one stays."""
        self._stop()
        if self._watch:
            self._root.after_cancel(self._watch)
            self._watch = ""
        self._forget()
        self._forget = lambda: None
        self._drafts.close()

    def _changed(self, *_: Topology) -> None:
        if self._document.is_saved:
            self.discard_draft()
        elif self.is_enabled:
            self._changed_at = time.time()
            now = time.monotonic()
            if not self._timer:
                self._write_by = now + MOST_S
            self._stop()
            self._timer = self._root.after(round(1000 * max(0.0, min(PAUSE_S, self._write_by - now))), self._due)

    def _due(self) -> None:
        self._timer = ""
        if self._worker is not None and self._worker.is_alive():
            self._timer = self._root.after(round(1000 * PAUSE_S), self._due)
        elif not self._document.is_saved:
            self._start()

    def _start(self) -> None:
        document = self._document
        order = (document.topology, document.path, document.digest, self._changed_at, self._drafts.next_turn())
        # not a daemon: Python itself waits at its end until the draft is complete
        self._worker = threading.Thread(target=self._work, args=order, name="autosave")
        self._worker.start()
        if not self._watch:
            self._watch = self._root.after(_LOOK_MS, self._look)

    def _look(self) -> None:
        self._watch = ""
        if self._worker is not None and self._worker.is_alive():
            self._watch = self._root.after(_LOOK_MS, self._look)
        elif self._failure != self._told:
            self._told = self._failure
            if self._told:
                self._say(f"Unsaved changes cannot be stored for recovery: {self._told}")

    def _work(self, *order: object) -> None:
        try:
            self._drafts.keep(*order)  # type: ignore[arg-type]
            self._failure = ""
        except (LabError, OSError) as error:
            self._failure = str(error)

    def _stop(self) -> None:
        if self._timer:
            self._root.after_cancel(self._timer)
            self._timer = ""
