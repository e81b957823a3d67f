"""The one gate for edits of a drawing.

A drawing is a frozen value, so an edit is the value before and the value after, and undoing it puts the one before
back: no edit needs an inverse of its own, and none can be forgotten. Whoever shows the drawing listens; nobody changes
it but through `apply`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from frrlib.errors import LabError, TopologyError
from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.formats.jsontext import read_bytes
from frrlib.model.problem import Problem
from frrlib.model.topology import Topology

#: Called with the drawing before and after a change; also after undo, redo and a new file.
Listener = Callable[[Topology, Topology], None]
#: A file compared with what this window last read from it or saved to it.
FileState = Literal["same", "changed", "deleted", "unreadable"]
#: The path of a file, its time of modification in ns, its size in bytes, its inode and the digest to compare with.
_State = tuple[str, int, int, int, str]


@dataclass(frozen=True)
class Edit:
    """One step that can be undone: what it is called in the menu, and the drawing before and after."""

    label: str
    before: Topology
    after: Topology


class Document:
    """A drawing that is being edited: its value, its history, its file.

    Attributes:
        path: the file it was read from or last saved to; None for a drawing without one.
        digest: SHA-256 of the file as it was read or saved last, hexadecimal; empty for a drawing without one.
        is_only_here: whether the topology counts as modified although it equals the saved one, since the file was
            deleted or holds another topology by now.
        warnings: what the reader of the file had to say.
        came: the drawing as it came into this window from elsewhere, a file or a draft; an empty one where it was begun
            here.
        guard: says why the drawing must not change from one value to another just now; empty where it may.
        on_refuse: called with that reason instead of making the edit.
        take_over: makes the text of the field in use an edit, where there is such a field; returns why it cannot,
            empty where all typed text is in the topology.
    """

    def __init__(self, topology: Topology | None = None) -> None:
        self._topology = topology or Topology()
        self._undo_steps: list[Edit] = []
        self._undone: list[Edit] = []
        #: The topology that the file holds; None after a recovery, when nothing but a draft holds it.
        self._saved: Topology | None = self._topology
        self._listeners: list[Listener] = []
        self.path: Path | None = None
        self.digest = ""
        self.is_file_outdated = False
        #: The file's state when its content was compared last, and the result.
        self._compared: tuple[_State, FileState] | None = None
        self.warnings: tuple[Problem, ...] = ()
        self.loaded = Topology()
        self.guard: Callable[[Topology, Topology], str] = lambda before, after: ""
        self.on_refuse: Callable[[str], None] = lambda why: None
        self.commit_typed_text: Callable[[], str] = lambda: ""

    @property
    def topology(self) -> Topology:
        """The drawing as it is now."""
        return self._topology

    @property
    def undo_labels(self) -> tuple[str, ...]:
        """The labels of all edits that can be undone, the oldest first."""
        return tuple(edit.label for edit in self._undo_steps)

    @property
    def is_saved(self) -> bool:
        """Whether the file holds the drawing as it is now; also after undoing back to what was saved."""
        return not self.is_file_outdated and (self._topology is self._saved or self._topology == self._saved)

    @property
    def has_changed_outside(self) -> bool:
        """Whether the file's content differs from what was last read from it or saved to it.

        A file that is gone, or cannot be read, holds nothing that saving could destroy.
        """
        return self._compare() == "changed"

    def compare_file(self) -> FileState:
        """Compare the file with what was last read from it or saved to it.

        The content is read only if the file's time, size or inode is another one than at the last comparison. A deleted
        file makes the topology count as modified, until the file is there again as it was.
        """
        state = self._state()
        if self._compared is None or state is None or self._compared[0] != state:
            result = self._compare()
            self._compared = (state, result) if state is not None else None
        else:
            result = self._compared[1]
        if result in ("deleted", "same"):
            self._set_only_here(result == "deleted")
        return result

    def _state(self) -> _State | None:
        try:
            stat = self.path.stat() if self.path is not None else None
        except OSError:
            return None
        return None if stat is None else (str(self.path), stat.st_mtime_ns, stat.st_size, stat.st_ino, self.digest)

    def _set_only_here(self, is_only_here: bool) -> None:
        if is_only_here != self.is_file_outdated:
            self.is_file_outdated = is_only_here
            self._show(self._topology)  # the title and the draft follow

    def _compare(self) -> FileState:
        if self.path is None:
            return "same"
        try:
            return "same" if _digest(read_bytes(self.path)) == self.digest else "changed"
        except LabError:
            return "deleted" if _is_gone(self.path) else "unreadable"

    @property
    def undo_label(self) -> str:
        """The edit that undo would undo; empty for nothing."""
        return self._undo_steps[-1].label if self._undo_steps else ""

    @property
    def redo_label(self) -> str:
        """The edit that redo would redo; empty for nothing."""
        return self._undone[-1].label if self._undone else ""

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tell `listener` of every change from now on; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def apply(self, label: str, topology: Topology) -> None:
        """Make an edit: the drawing is `topology` from now on. An edit that changes nothing is none, and one that the
        guard refuses is not made.

        Args:
            label: what it is called in the menu ("Move h1").
            topology: the drawing after it.
        """
        if topology != self._topology and self._may_become(topology):
            self._undo_steps.append(Edit(label, self._topology, topology))
            self._undone.clear()
            self._show(topology)

    def undo(self) -> bool:
        """Take the last edit back; False where there is none. Typed text becomes an edit first."""
        self.commit_typed_text()
        return self._step(self._undo_steps, self._undone, lambda edit: edit.before)

    def redo(self) -> bool:
        """Redo the edit that was undone last; False where there is none. Typed text becomes an edit first."""
        self.commit_typed_text()
        return self._step(self._undone, self._undo_steps, lambda edit: edit.after)

    def new(self) -> None:
        """Begin an empty drawing without a file or a history."""
        self._replace(Topology(), None, "", ())
        self.loaded = Topology()

    def begin(self, label: str, topology: Topology) -> None:
        """Begin with a ready drawing that has no file. Undo leads back to an empty one. Until it is changed there is
        nothing to save: it can be had again from its source.

        Args:
            label: what having it there is called in the menu ("Open CF5").
        """
        self._replace(topology, None, "", ())
        self.loaded = Topology()
        self._undo_steps.append(Edit(label, Topology(), topology))

    def open(self, path: Path) -> None:
        """Read a file. A file that cannot be read changes nothing.

        Raises:
            TopologyError: it is no drawing; the message has the line where that is known.
        """
        data = read_bytes(path)
        loaded = mn.loads(data, path.name)
        self._replace(loaded.topology, path, _digest(data), loaded.warnings)
        self.loaded = loaded.topology

    def reload(self) -> bool:
        """Read the own file again, as an edit that can be undone; returns False where the guard refuses the change.

        Raises:
            TopologyError: the file is no drawing; nothing is changed then.
            ValueError: the drawing has no file.
        """
        if self.path is None:
            raise ValueError("the drawing has no file")
        data = read_bytes(self.path)
        loaded = mn.loads(data, self.path.name)
        before, after = self._topology, loaded.topology
        if before != after and not self._may_become(after):
            return False
        if before != after:
            self._undo_steps.append(Edit(f"Reload {self.path.name}", before, after))
            self._undone.clear()
        self.digest, self.warnings, self._saved, self.is_file_outdated = _digest(data), loaded.warnings, after, False
        self.loaded = after
        self._show(after)
        return True

    def mark_modified(self) -> None:
        """Go on with the topology as it is here. It counts as modified until it is saved or equals the file again."""
        self._set_only_here(True)

    def detach(self) -> None:
        """Go on without the file; saving asks for one."""
        self.path, self.digest, self.is_file_outdated = None, "", False
        self._show(self._topology)

    def recover(self, topology: Topology, path: Path | None, digest: str) -> None:
        """Continue with unsaved work of an earlier window. It counts as modified until it is saved, and no undo step
        leads back to before it.

        Args:
            topology: the unsaved work.
            path: the file that it belongs to; None for work that was never saved.
            digest: SHA-256 of that file as the earlier window read or saved it last, hexadecimal; empty for none.
        """
        self._undo_steps.clear()
        self._undone.clear()
        self.path, self.digest, self.warnings, self._saved = path, digest, (), None
        self.is_file_outdated = False
        self.loaded = topology
        self._show(topology)

    def save(self, path: Path | None = None) -> None:
        """Write the drawing to `path`, or to its own file. The old file stays whole if that fails.

        Raises:
            ValueError: no path is given and the drawing has no file.
            LabError: the file cannot be written, a drawing like this cannot be kept, or the text of a field is invalid.
        """
        if fault := self.commit_typed_text():
            raise TopologyError(fault)
        target = path or self.path
        if target is None:
            raise ValueError("the drawing has no file yet")
        data = mn.dumps(self._topology).encode("utf-8")
        replace_file(target, data)
        self.path, self.digest, self._saved, self.is_file_outdated = target, _digest(data), self._topology, False

    def _step(self, source: list[Edit], target: list[Edit], side: Callable[[Edit], Topology]) -> bool:
        if not source or not self._may_become(side(source[-1])):
            return False
        edit = source.pop()
        target.append(edit)
        self._show(side(edit))
        return True

    def _may_become(self, topology: Topology) -> bool:
        why = self.guard(self._topology, topology)
        if why:
            self.on_refuse(why)
        return not why

    def _replace(self, topology: Topology, path: Path | None, digest: str, warnings: tuple[Problem, ...]) -> None:
        self._undo_steps.clear()
        self._undone.clear()
        self.path, self.digest, self.warnings, self._saved = path, digest, warnings, topology
        self.is_file_outdated = False
        self._show(topology)

    def _show(self, topology: Topology) -> None:
        before, self._topology = self._topology, topology
        for listener in tuple(self._listeners):
            listener(before, topology)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _is_gone(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
