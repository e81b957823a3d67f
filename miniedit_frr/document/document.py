"""The one gate for edits of a topology.

A topology is a frozen value, so an edit consists of the old value and the new one, and undo restores the old one. No
edit needs an inverse of its own, so none can be forgotten. Views of the topology register as listeners. All edits pass
through `Document.apply`, except those that the running lab made itself (`Document.apply_from_lab`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from frrlib.errors import LabError, TopologyError
from frrlib.exchange import opening
from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.formats.jsontext import read_bytes
from frrlib.model.problem import Problem
from frrlib.model.topology import Topology

#: Called with the old and the new topology after each change; also after undo, redo and a new file.
Listener = Callable[[Topology, Topology], None]
#: Returns why the topology must not change from the first value to the second one now; empty if it may.
Restriction = Callable[[Topology, Topology], str]
#: The result of comparing a file with the content that this window last read from it or saved to it.
FileState = Literal["same", "changed", "deleted", "unreadable"]
#: The path of a file, its time of modification in ns, its size in bytes, its inode and the digest to compare with.
_State = tuple[str, int, int, int, str]


@dataclass(frozen=True)
class Edit:
    """One step that can be undone: its label in the menu, and the old and the new topology."""

    label: str
    old: Topology
    new: Topology


class Document:
    """A topology that is being edited: its value, its history, its file.

    Attributes:
        path: the file that it was read from or last saved to; None for a topology without a file.
        digest: SHA-256 of the file when it was last read or saved, hexadecimal; empty for a topology without a file.
        is_file_outdated: whether the topology counts as modified although it equals the saved one, since the file was
            deleted or holds another topology by now.
        warnings: the warnings of the file's reader.
        loaded: the topology as it was loaded into this window from a file or a draft; an empty one if it was begun in
            this window.
        commit_typed_text: makes the text of the field in use an edit, if there is such a field. It returns why it
            cannot; empty if all typed text is in the topology.
    """

    def __init__(self, topology: Topology | None = None) -> None:
        self._topology = topology or Topology()
        self._undo_steps: list[Edit] = []
        self._redo_steps: list[Edit] = []
        #: The topology in the file; None after a recovery, when only a draft holds it.
        self._saved: Topology | None = self._topology
        self._listeners: list[Listener] = []
        self.path: Path | None = None
        self.digest = ""
        self.is_file_outdated = False
        #: The state of the file at the last comparison of its content, and the result.
        self._compared: tuple[_State, FileState] | None = None
        self.warnings: tuple[Problem, ...] = ()
        self.loaded = Topology()
        self._restriction: Restriction = lambda old, new: ""
        self._further_restrictions: list[Restriction] = []
        self._on_refuse: Callable[[str], None] = lambda reason: None
        self.commit_typed_text: Callable[[], str] = lambda: ""

    @property
    def topology(self) -> Topology:
        """The present topology."""
        return self._topology

    @property
    def undo_labels(self) -> tuple[str, ...]:
        """The labels of all edits that can be undone, the oldest first."""
        return tuple(edit.label for edit in self._undo_steps)

    @property
    def is_saved(self) -> bool:
        """Whether the file holds the present topology; also after undo has led back to the saved one."""
        return not self.is_file_outdated and (self._topology is self._saved or self._topology == self._saved)

    @property
    def has_changed_outside(self) -> bool:
        """Whether the file's content differs from the content that was last read or saved.

        A deleted or unreadable file does not count: saving could destroy nothing in it.
        """
        return self._compare() == "changed"

    def compare_file(self) -> FileState:
        """Compare the file with the content that was last read or saved.

        The content is read only if the file's time, size or inode has changed since the last comparison. After its file
        was deleted the topology counts as modified, until the file exists again with the same content.
        """
        state = self._state()
        if self._compared is None or state is None or self._compared[0] != state:
            result = self._compare()
            self._compared = (state, result) if state is not None else None
        else:
            result = self._compared[1]
        if result in ("deleted", "same"):
            self._set_file_outdated(result == "deleted")
        return result

    def _state(self) -> _State | None:
        try:
            stat = self.path.stat() if self.path is not None else None
        except OSError:
            return None
        return None if stat is None else (str(self.path), stat.st_mtime_ns, stat.st_size, stat.st_ino, self.digest)

    def _set_file_outdated(self, is_file_outdated: bool) -> None:
        if is_file_outdated != self.is_file_outdated:
            self.is_file_outdated = is_file_outdated
            self._set(self._topology)  # listeners update the title and the draft

    def _compare(self) -> FileState:
        if self.path is None:
            return "same"
        try:
            return "same" if _digest(read_bytes(self.path)) == self.digest else "changed"
        except LabError:
            return "deleted" if _is_deleted(self.path) else "unreadable"

    @property
    def undo_label(self) -> str:
        """The label of the edit that `undo` would undo; empty if there is none to undo."""
        return self._undo_steps[-1].label if self._undo_steps else ""

    @property
    def redo_label(self) -> str:
        """The label of the edit that `redo` would redo; empty if there is none to redo."""
        return self._redo_steps[-1].label if self._redo_steps else ""

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after every change; returns a function that removes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def restrict(self, restriction: Restriction, on_refuse: Callable[[str], None] = lambda reason: None) -> None:
        """Set which edits are refused. A window calls this once, and its restriction decides by the state of the lab.

        `restrict_further` adds restrictions.

        Args:
            restriction: returns why the topology must not change from one value to another now; empty if it may.
            on_refuse: called with this reason when `apply`, `undo`, `redo` or `reload` refuses a change.
        """
        self._restriction, self._on_refuse = restriction, on_refuse

    def restrict_further(self, restriction: Restriction) -> None:
        """Also refuse the edits for which a further restriction returns a reason."""
        self._further_restrictions.append(restriction)

    def refusal(self, topology: Topology) -> str:
        """Why the present topology must not be replaced by `topology` now; empty if it may."""
        for restriction in (self._restriction, *self._further_restrictions):
            if reason := restriction(self._topology, topology):
                return reason
        return ""

    def apply(self, label: str, topology: Topology) -> None:
        """Make an edit. An equal topology is no edit, and a refused edit is not made.

        Args:
            label: the name of the edit in the menu ("Move h1").
            topology: the topology after the edit.
        """
        if topology != self._topology and self._may_become(topology):
            self._record(label, topology)

    def apply_from_lab(self, label: str, topology: Topology) -> None:
        """Make an edit that the running lab made itself, such as adding the lines that somebody has typed in vtysh.

        The restriction is skipped. It refuses edits that a running lab cannot follow, but this lab is already as the
        new topology describes it. All else is as in `apply`. Undo and redo of this edit can be refused, since the lab
        would have to follow them.

        Args:
            label: the name of the edit in the menu ("Take Over Configuration of r1").
            topology: the topology after the edit.
        """
        if topology != self._topology:
            self._record(label, topology)

    def _record(self, label: str, topology: Topology) -> None:
        self._undo_steps.append(Edit(label, self._topology, topology))
        self._redo_steps.clear()
        self._set(topology)

    def undo(self) -> bool:
        """Undo the last edit, after typed text became one; returns False if there is none, or if this is refused."""
        self.commit_typed_text()
        return self._step(self._undo_steps, self._redo_steps, lambda edit: edit.old)

    def redo(self) -> bool:
        """Redo the edit that was undone last; returns False if there is none, or if this is refused."""
        self.commit_typed_text()
        return self._step(self._redo_steps, self._undo_steps, lambda edit: edit.new)

    def new(self) -> None:
        """Begin with an empty topology, without a file or a history."""
        self._replace(Topology(), None, "", ())
        self.loaded = Topology()

    def begin(self, label: str, topology: Topology) -> None:
        """Begin with a ready topology that has no file. Undo leads back to an empty one.

        An unchanged topology need not be saved, since its source can make it again.

        Args:
            label: the name of this step in the menu ("Open CF5").
            topology: the ready topology.
        """
        self._replace(topology, None, "", ())
        self.loaded = Topology()
        self._undo_steps.append(Edit(label, Topology(), topology))

    def open(self, path: Path) -> None:
        """Read a file. A file that cannot be read changes nothing.

        The topology of another program's file has no file here, so that saving asks for one.

        Raises:
            TopologyError: the file holds no valid topology; the message has the line if it is known.
        """
        data = read_bytes(path)
        content = opening.loads(data, path)
        if opening.is_foreign(path):
            self._replace(content.topology, None, "", content.warnings)
        else:
            self._replace(content.topology, path, _digest(data), content.warnings)
        self.loaded = content.topology

    def reload(self) -> bool:
        """Read the file again, as an edit that can be undone; returns False if the change is refused.

        Raises:
            TopologyError: the file holds no valid topology; nothing is changed then.
            ValueError: the topology has no file.
        """
        if self.path is None:
            raise ValueError("the topology has no file")
        data = read_bytes(self.path)
        content = mn.loads(data, self.path.name)
        old, new = self._topology, content.topology
        if old != new and not self._may_become(new):
            return False
        if old != new:
            self._undo_steps.append(Edit(f"Reload {self.path.name}", old, new))
            self._redo_steps.clear()
        self.digest, self.warnings, self._saved, self.is_file_outdated = _digest(data), content.warnings, new, False
        self.loaded = new
        self._set(new)
        return True

    def mark_modified(self) -> None:
        """Count the topology as modified until it is saved, or the file has the same content again."""
        self._set_file_outdated(True)

    def detach(self) -> None:
        """Continue without the file. The next save needs a path."""
        self.path, self.digest, self.is_file_outdated = None, "", False
        self._set(self._topology)

    def recover(self, topology: Topology, path: Path | None, digest: str) -> None:
        """Continue with unsaved work of an earlier window.

        It counts as modified until it is saved. Undo does not lead back to the topology before the recovery.

        Args:
            topology: the unsaved work.
            path: the file of this work; None for work that was never saved.
            digest: SHA-256 of the file when the earlier window last read or saved it, hexadecimal; empty for no file.
        """
        self._undo_steps.clear()
        self._redo_steps.clear()
        self.path, self.digest, self.warnings, self._saved = path, digest, (), None
        self.is_file_outdated = False
        self.loaded = topology
        self._set(topology)

    def save(self, path: Path | None = None) -> None:
        """Write the topology to `path`, or to its own file. If this fails, the old file stays intact.

        Raises:
            ValueError: no path is given and the topology has no file.
            LabError: the file cannot be written, the format cannot express the topology, or the text of a field is
                invalid.
        """
        if fault := self.commit_typed_text():
            raise TopologyError(fault)
        self._write(path or self.path)

    def save_present(self) -> None:
        """Write the topology to its own file, without the text of a field that is in use.

        Raises:
            ValueError: the topology has no file.
            LabError: the file cannot be written, or the format cannot express the topology.
        """
        self._write(self.path)
        self._set(self._topology)  # listeners update the title and the draft

    def _write(self, target: Path | None) -> None:
        if target is None:
            raise ValueError("the topology has no file yet")
        data = mn.dumps(self._topology).encode("utf-8")
        replace_file(target, data)
        self.path, self.digest, self._saved, self.is_file_outdated = target, _digest(data), self._topology, False

    def _step(self, source: list[Edit], target: list[Edit], result: Callable[[Edit], Topology]) -> bool:
        if not source or not self._may_become(result(source[-1])):
            return False
        edit = source.pop()
        target.append(edit)
        self._set(result(edit))
        return True

    def _may_become(self, topology: Topology) -> bool:
        reason = self.refusal(topology)
        if reason:
            self._on_refuse(reason)
        return not reason

    def _replace(self, topology: Topology, path: Path | None, digest: str, warnings: tuple[Problem, ...]) -> None:
        self._undo_steps.clear()
        self._redo_steps.clear()
        self.path, self.digest, self.warnings, self._saved = path, digest, warnings, topology
        self.is_file_outdated = False
        self._set(topology)

    def _set(self, topology: Topology) -> None:
        """Replace the topology and call all listeners."""
        old, self._topology = self._topology, topology
        for listener in tuple(self._listeners):
            listener(old, topology)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _is_deleted(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
