"""Keeps a draft while the topology has unsaved changes. A worker writes it shortly after the last edit."""

from __future__ import annotations

import threading
import time
import tkinter as tk
from collections.abc import Callable

from frrlib.errors import LabError
from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
from miniedit_frr.files.drafts import Drafts

#: A draft is written this many seconds after the last edit, and in a series of edits at most this many after the first.
PAUSE_S = 2.0
MAX_WAIT_S = 10.0
_CHECK_MS = 500


class Autosave:
    """Keeps the drafts in step with a document.

    Args:
        root: a widget, for its timer.
        document: the document whose unsaved changes are kept.
        drafts: the drafts in the user's folder.
        say: called in the window's thread when a draft cannot be written; once for each reason.

    Attributes:
        is_enabled: whether drafts are written; see `set_enabled`.
    """

    def __init__(self, root: tk.Misc, document: Document, drafts: Drafts, say: Callable[[str], None]) -> None:
        self._root, self._document, self._drafts, self._say = root, document, drafts, say
        self.is_enabled = True
        self._timer = self._watch = ""
        self._changed_at = 0.0
        self._write_by = 0.0
        self._worker: threading.Thread | None = None
        self._failure = self._reported_failure = ""
        self._remove_listener: Callable[[], None] = document.listen(self._on_change)

    def set_enabled(self, is_enabled: bool) -> None:
        """Enable or disable the writing of drafts. The present draft is removed."""
        if is_enabled == self.is_enabled:
            return
        self.is_enabled = is_enabled
        self.discard_draft()
        if is_enabled and not self._document.is_saved:
            self._on_change()

    def discard_draft(self) -> None:
        """Remove the draft: the changes were saved or abandoned."""
        self._cancel_timer()
        self._drafts.drop()

    def flush(self) -> bool:
        """Write unsaved changes now, and wait until they are written.

        Returns:
            Whether a file or a draft holds the topology afterwards.
        """
        self._cancel_timer()
        if self.is_enabled and not self._document.is_saved:
            self._start()
        if self._worker is not None:
            self._worker.join(10)
        has_draft = self.is_enabled and self._worker is not None and not self._worker.is_alive() and not self._failure
        return self._document.is_saved or has_draft

    def close(self) -> None:
        """Stop writing drafts. The present draft stays."""
        self._cancel_timer()
        if self._watch:
            self._root.after_cancel(self._watch)
            self._watch = ""
        self._remove_listener()
        self._remove_listener = lambda: None
        self._drafts.close()

    def _on_change(self, *_: Topology) -> None:
        if self._document.is_saved:
            self.discard_draft()
        elif self.is_enabled:
            self._changed_at = time.time()
            now = time.monotonic()
            if not self._timer:
                self._write_by = now + MAX_WAIT_S
            self._cancel_timer()
            self._timer = self._root.after(
                round(1000 * max(0.0, min(PAUSE_S, self._write_by - now))), self._write_when_free
            )

    def _write_when_free(self) -> None:
        self._timer = ""
        if self._worker is not None and self._worker.is_alive():
            self._timer = self._root.after(round(1000 * PAUSE_S), self._write_when_free)
        elif not self._document.is_saved:
            self._start()

    def _start(self) -> None:
        document = self._document
        draft = (document.topology, document.path, document.digest, self._changed_at, self._drafts.next_turn())
        # Not a daemon: at its end Python waits until the draft is complete.
        self._worker = threading.Thread(target=self._write, args=draft, name="autosave")
        self._worker.start()
        if not self._watch:
            self._watch = self._root.after(_CHECK_MS, self._check_worker)

    def _check_worker(self) -> None:
        self._watch = ""
        if self._worker is not None and self._worker.is_alive():
            self._watch = self._root.after(_CHECK_MS, self._check_worker)
        elif self._failure != self._reported_failure:
            self._reported_failure = self._failure
            if self._reported_failure:
                self._say(f"Unsaved changes cannot be stored for recovery: {self._reported_failure}")

    def _write(self, *draft: object) -> None:
        try:
            self._drafts.keep(*draft)  # type: ignore[arg-type]
            self._failure = ""
        except (LabError, OSError) as error:
            self._failure = str(error)

    def _cancel_timer(self) -> None:
        if self._timer:
            self._root.after_cancel(self._timer)
            self._timer = ""
