"""The one gate for edits: undo and redo restore the same values after any edits, and files hold the topology."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from frrlib.edits import changes
from frrlib.errors import LabError, PlaceError, TopologyError
from frrlib.formats import files, mn
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from miniedit_frr.document import document as module
from miniedit_frr.document.document import Document
from tests.conftest import OrdinaryUser
from tests.example_counts import examples
from tests.random_edits import EDITS, changed, edited
from tests.strategies import topologies as strategies


class DocumentMachine(RuleBasedStateMachine):
    """A document, compared with a simple model of its history: a list of values and a position in it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "drawing.mn"
        self.broken = Path(self.folder.name) / "broken.mn"
        self.broken.write_text('{"version": "2", "hosts": [', encoding="utf-8")
        self.notifications: list[tuple[Topology, Topology]] = []

    @initialize(start=st.just(Topology()) | strategies.topologies())
    def begin(self, start: Topology) -> None:
        self.document = Document(start)
        self.document.listen(lambda old, new: self.notifications.append((old, new)))
        self.values, self.position = [start], 0
        self.labels: list[str] = []
        self.saved = start
        self.on_disk: Topology | None = None

    def teardown(self) -> None:
        if hasattr(self, "values"):
            self.undo_all_and_redo_all()
        self.folder.cleanup()

    def expect_notification(self, old: Topology, new: Topology) -> None:
        assert self.notifications == [(old, new)]
        self.notifications.clear()

    @rule(edit=st.sampled_from(sorted(EDITS)), seed=st.integers(0, 999))
    def apply(self, edit: str, seed: int) -> None:
        old = self.values[self.position]
        new = edited(old, edit, seed)
        self.document.apply(edit, new)
        if new == old:
            assert self.notifications == []
            return
        self.expect_notification(old, new)
        self.values[self.position + 1 :], self.labels[self.position :] = [new], [edit]
        self.position += 1

    @rule()
    def undo(self) -> None:
        old = self.values[self.position]
        assert self.document.undo() == (self.position > 0)
        if self.position:
            self.position -= 1
            self.expect_notification(old, self.values[self.position])

    @rule()
    def redo(self) -> None:
        old = self.values[self.position]
        can_redo = self.position + 1 < len(self.values)
        assert self.document.redo() == can_redo
        if can_redo:
            self.position += 1
            self.expect_notification(old, self.values[self.position])

    @rule()
    def save(self) -> None:
        self.document.save(self.path)
        self.saved = self.on_disk = self.values[self.position]
        assert self.document.path == self.path

    @precondition(lambda self: self.on_disk is not None)
    @rule()
    def open(self) -> None:
        old = self.values[self.position]
        self.document.open(self.path)
        assert self.on_disk is not None
        self.expect_notification(old, self.on_disk)
        self.values, self.labels, self.position, self.saved = [self.on_disk], [], 0, self.on_disk

    @rule(missing=st.booleans())
    def open_an_unreadable_file(self, missing: bool) -> None:
        path, warnings = self.document.path, self.document.warnings
        with pytest.raises(TopologyError):
            self.document.open(self.broken.with_name("nothing.mn") if missing else self.broken)
        assert (self.document.path, self.document.warnings) == (path, warnings)
        assert self.notifications == []

    @rule()
    def save_into_a_missing_folder(self) -> None:
        path = self.document.path
        with pytest.raises(LabError):
            self.document.save(self.path.parent / "no such folder" / "drawing.mn")
        assert self.document.path == path

    @rule()
    def undo_all_and_redo_all(self) -> None:
        """Undo to the beginning, redo to the end, and return to the present position."""
        for index in reversed(range(self.position)):
            assert self.document.undo()
            assert self.document.topology == self.values[index]
        assert not self.document.undo()
        for value in self.values[1:]:
            assert self.document.redo()
            assert self.document.topology == value
        assert not self.document.redo()
        for _ in range(len(self.values) - 1 - self.position):
            assert self.document.undo()
        self.notifications.clear()

    @invariant()
    def agrees_with_the_list(self) -> None:
        if not hasattr(self, "values"):
            return
        now = self.values[self.position]
        assert self.document.topology == now
        assert self.document.is_saved == (now == self.saved)
        assert self.document.undo_label == (self.labels[self.position - 1] if self.position else "")
        assert self.document.redo_label == (self.labels[self.position] if self.position < len(self.labels) else "")

    @invariant()
    def any_state_survives_its_file(self) -> None:
        if hasattr(self, "values"):
            now = self.values[self.position]
            assert mn.loads(mn.dumps(now)).topology == now


TestDocument = DocumentMachine.TestCase
TestDocument.settings = settings(max_examples=examples(40), stateful_step_count=30, deadline=None)


class LongHistory(RuleBasedStateMachine):
    """Many edits of an empty topology, each of which changes something; then all are undone, and all are redone."""

    def __init__(self) -> None:
        super().__init__()
        self.document = Document()
        self.values = [Topology()]

    @rule(edit=st.sampled_from(sorted(EDITS)), seed=st.integers(0, 999))
    def apply(self, edit: str, seed: int) -> None:
        label, new = changed(self.values[-1], edit, seed)
        self.document.apply(label, new)
        self.values.append(new)
        assert self.document.topology == new
        assert self.document.undo_label == label

    def teardown(self) -> None:
        for value in reversed(self.values[:-1]):
            assert self.document.undo()
            assert self.document.topology == value
        assert not self.document.undo() and self.document.topology == Topology()
        for value in self.values[1:]:
            assert self.document.redo()
            assert self.document.topology == value
        assert not self.document.redo()


TestLongHistory = LongHistory.TestCase
TestLongHistory.settings = settings(
    max_examples=examples(20), stateful_step_count=200, deadline=None, suppress_health_check=list(HealthCheck)
)


def test_two_hundred_edits_and_back(tmp_path: Path) -> None:
    chance = random.Random(1)
    document = Document()
    values = [document.topology]
    counts = dict.fromkeys(EDITS, 0)
    for _ in range(5000):
        if len(values) > 200 and all(counts.values()):
            break
        edit = chance.choice(sorted(EDITS))
        new = edited(document.topology, edit, chance.randrange(10**6))
        document.apply(edit, new)
        if new != values[-1]:
            values.append(new)
            counts[edit] += 1
    assert all(counts.values()), f"an edit that is never counts tests nothing: {counts}"
    document.save(tmp_path / "many.mn")
    assert document.is_saved
    for value in reversed(values[:-1]):
        assert document.undo()
        assert document.topology == value
    assert not document.undo() and document.topology == Topology() and not document.is_saved
    for value in values[1:]:
        assert document.redo()
        assert document.topology == value
    assert not document.redo() and document.is_saved
    reopened = Document()
    reopened.open(tmp_path / "many.mn")
    assert reopened.topology == values[-1]


def test_a_new_edit_clears_the_undone_ones() -> None:
    document = Document()
    with_host, _ = changes.add_node(Topology(), "host", 0, 0)
    with_switch, _ = changes.add_node(Topology(), "switch", 0, 0)
    document.apply("one", with_host)
    document.undo()
    document.apply("two", with_switch)
    assert not document.redo()
    assert (document.undo_label, document.redo_label) == ("two", "")


def test_new_begins_without_file_or_history(tmp_path: Path) -> None:
    document = Document()
    document.apply("node", changes.add_node(Topology(), "host", 0, 0)[0])
    document.save(tmp_path / "a.mn")
    notifications = []
    document.listen(lambda old, new: notifications.append(len(old.nodes) - len(new.nodes)))
    document.new()
    assert (document.topology, document.path, document.is_saved) == (Topology(), None, True)
    assert not document.undo()
    assert notifications == [1]
    with pytest.raises(ValueError, match="no file"):
        document.save()


def test_a_removed_listener_is_not_called_again() -> None:
    document = Document()
    of_removed: list[Topology] = []
    of_remover: list[Topology] = []
    of_last: list[Topology] = []
    remove = document.listen(lambda old, new: of_removed.append(new))

    def remove_once(old: Topology, new: Topology) -> None:
        if not of_remover:
            remove()  # while the listeners are being called
        of_remover.append(new)

    document.listen(remove_once)
    document.listen(lambda old, new: of_last.append(new))
    with_host, _ = changes.add_node(Topology(), "host", 0, 0)
    document.apply("one", with_host)
    document.undo()
    assert of_removed == [with_host]
    assert of_remover == of_last == [with_host, Topology()]


def test_a_failed_save_keeps_the_old_file_and_stays_unsaved(tmp_path: Path) -> None:
    document = Document()
    document.save(tmp_path / "a.mn")
    old = (tmp_path / "a.mn").read_bytes()
    twice = Topology(nodes=(Host(name="h1"), Host(name="h1")))
    document.apply("break", twice)
    with pytest.raises(TopologyError, match="h1"):
        document.save()
    assert (tmp_path / "a.mn").read_bytes() == old
    assert not document.is_saved
    document.apply("mend", Topology(title="x"))
    with pytest.raises(PlaceError):
        document.save(tmp_path)
    assert document.path == tmp_path / "a.mn"


# --- the file, and what happens to it outside -----------------------------------------------------------------------

ONE = Topology(nodes=(Host(name="h1"),))
TWO = Topology(nodes=(Host(name="h1"), Host(name="h2")))


def opened(path: Path) -> Document:
    """A document with a file that has one host."""
    mn.save(ONE, path)
    document = Document()
    document.open(path)
    return document


def test_the_file_is_compared_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "a.mn"
    document, content = opened(path), path.read_bytes()
    assert document.compare_file() == "same"
    path.touch()
    assert document.compare_file() == "same"
    mn.save(TWO, path)
    assert (document.compare_file(), document.has_changed_outside, document.is_saved) == ("changed", True, True)
    path.unlink()
    assert (document.compare_file(), document.has_changed_outside, document.is_saved) == ("deleted", False, False)
    path.mkdir()
    assert document.compare_file() == "unreadable"
    path.rmdir()
    path.write_bytes(content)
    assert (document.compare_file(), document.is_saved) == ("same", True)


def test_a_file_is_read_again_only_if_it_looks_different(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[Path] = []
    document = opened(tmp_path / "a.mn")
    read_bytes = module.read_bytes
    monkeypatch.setattr(module, "read_bytes", lambda path: reads.append(path) or read_bytes(path))
    for _ in range(3):
        document.compare_file()
    assert len(reads) == 1
    mn.save(TWO, tmp_path / "a.mn")
    document.compare_file()
    assert len(reads) == 2
    document.save()
    assert document.compare_file() == "same"


def test_reloading_is_an_edit_and_the_file_counts_as_read(tmp_path: Path) -> None:
    document = opened(tmp_path / "a.mn")
    mine = Topology(title="mine")
    document.apply("Title", mine)
    mn.save(TWO, tmp_path / "a.mn")
    assert document.reload()
    assert (document.topology, document.is_saved, document.loaded) == (TWO, True, TWO)
    assert document.compare_file() == "same"
    document.undo()
    assert (document.topology, document.is_saved, document.undo_label) == (mine, False, "Title")
    document.redo()
    assert document.is_saved
    document.restrict(lambda old, new: "A lab runs.")
    mn.save(ONE, tmp_path / "a.mn")
    assert not document.reload()
    assert (document.topology, document.has_changed_outside) == (TWO, True)


def locked(reason: str = "A lab runs.") -> tuple[Document, list[str]]:
    """A document whose restriction refuses every change, and the reasons that it has reported."""
    document, reasons = Document(ONE), list[str]()
    document.restrict(lambda old, new: reason, on_refuse=reasons.append)
    return document, reasons


def test_a_refused_edit_changes_nothing_and_the_reason_is_reported() -> None:
    document, reasons = locked()
    document.apply("Add h2", TWO)
    assert (document.topology, document.undo_label, reasons) == (ONE, "", ["A lab runs."])


def test_a_refusal_can_be_read_without_an_edit() -> None:
    document, reasons = locked()
    assert document.refusal(TWO) == "A lab runs."
    assert (document.topology, reasons) == (ONE, [])
    document.restrict(lambda old, new: "h1 is missing" if new == Topology() else "")
    assert (document.refusal(TWO), document.refusal(Topology())) == ("", "h1 is missing")


def test_the_restriction_gets_the_old_and_the_new_topology() -> None:
    document, pairs = Document(ONE), list[tuple[Topology, Topology]]()
    document.restrict(lambda old, new: pairs.append((old, new)) or "")
    document.apply("Add h2", TWO)
    document.undo()
    assert pairs == [(ONE, TWO), (TWO, ONE)]


def test_an_edit_from_the_lab_is_made_although_edits_are_refused() -> None:
    document, reasons = locked()
    notified: list[tuple[Topology, Topology]] = []
    document.listen(lambda old, new: notified.append((old, new)))
    document.apply_from_lab("Take Over", TWO)
    assert (document.topology, document.undo_label, document.is_saved) == (TWO, "Take Over", False)
    assert (notified, reasons) == ([(ONE, TWO)], [])


def test_after_an_edit_from_the_lab_other_edits_are_still_refused() -> None:
    document, reasons = locked()
    document.apply_from_lab("Take Over", TWO)
    document.apply("Delete", Topology())
    assert not document.undo()
    assert (document.topology, reasons) == (TWO, ["A lab runs.", "A lab runs."])
    document.restrict(lambda old, new: "")
    assert document.undo()
    assert document.topology == ONE


def test_an_edit_from_the_lab_is_one_step_like_any_other() -> None:
    document = Document(ONE)
    document.apply("Add h2", TWO)
    document.undo()
    document.apply_from_lab("Nothing", ONE)
    assert document.redo_label == "Add h2"  # an equal topology is no edit
    document.apply_from_lab("Take Over", Topology(title="typed"))
    assert (document.undo_label, document.redo_label) == ("Take Over", "")


def test_a_detached_drawing_has_no_file_and_nothing_to_lose(tmp_path: Path) -> None:
    document = opened(tmp_path / "a.mn")
    document.detach()
    assert (document.path, document.topology, document.is_saved, document.compare_file()) == (None, ONE, True, "same")
    with pytest.raises(ValueError, match="no file"):
        document.reload()


def test_a_save_is_on_the_disk_before_it_takes_the_old_ones_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power failure the name leads to the old content or to the whole new one, also if the disk wrote late."""
    path = tmp_path / "a.mn"
    document = opened(path)
    document.apply("Add", TWO)
    synced: list[tuple[str, bytes]] = []
    fsync = files.os.fsync

    def note(descriptor: int) -> None:
        name = os.readlink(f"/proc/self/fd/{descriptor}")
        synced.append((name, b"" if os.path.isdir(name) else Path(name).read_bytes()))
        assert (mn.load(path).topology == TWO) == os.path.isdir(name)  # the folder is written after the renaming
        fsync(descriptor)

    monkeypatch.setattr(files.os, "fsync", note)
    document.save()
    (_, content), (folder, _) = synced
    assert content == path.read_bytes()
    assert folder == str(tmp_path)


#: Saves in one child process after another; each is killed at another of the calls that a save makes.
KILLED = """
import os, sys
from pathlib import Path
from frrlib.formats import files, mn
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
CALLS = ("open", "fchmod", "fsync", "replace", "open", "fsync")
path = Path(sys.argv[1])
old, new = (Topology(nodes=tuple(Host(name=f"h{n}") for n in range(count))) for count in (1, 300))

def save(last):
    count = 0
    for name in set(CALLS):
        def call(*args, call=getattr(os, name), **kwargs):
            nonlocal count
            count += 1
            if count > last:
                os._exit(9)
            return call(*args, **kwargs)
        setattr(files.os, name, call)
    mn.save(new, path)

for last in range(len(CALLS)):
    mn.save(old, path)
    child = os.fork()
    if not child:
        save(last)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 9 << 8, last
    topology = mn.load(path).topology
    print("new" if topology == new else "old" if topology == old else "broken")
"""


def test_a_save_that_is_killed_at_any_step_leaves_a_whole_file(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", KILLED, str(tmp_path / "a.mn")]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    assert done.stdout.split() == ["old"] * 4 + ["new"] * 2


READ_ONLY = """
import os
from pathlib import Path
from frrlib.errors import PlaceError
from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
folder = Path("labs")
folder.mkdir()
document = Document()
document.save(folder / "a.mn")
old = (folder / "a.mn").read_bytes()
document.apply("Title", Topology(title="new"))
for protected, mode in ((folder, 0o555), (folder / "a.mn", 0o444)):
    usual = protected.stat().st_mode
    protected.chmod(mode)
    try:
        document.save()
    except PlaceError as error:
        print(error)
    assert (folder / "a.mn").read_bytes() == old and os.listdir(folder) == ["a.mn"]
    assert not document.is_saved and document.compare_file() == "same"
    protected.chmod(usual)
document.save()
"""


def test_a_read_only_folder_and_a_write_protected_file_stay_as_they_are(ordinary_user: OrdinaryUser) -> None:
    done = ordinary_user.run([ordinary_user.python, "-c", READ_ONLY])
    assert done.returncode == 0, done.stderr
    first, second = (line for line in done.stdout.splitlines() if "cannot be written" in line)
    assert "Permission denied" in first
    assert "write-protected" in second
