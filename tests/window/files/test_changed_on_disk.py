"""One file, several programs: a second window on it is announced, and changes from outside are offered."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats import mn
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
from miniedit_frr.files import file_menu
from miniedit_frr.files.open_marks import OpenMarks
from tests.waiting import pause
from tests.window.hands_on_window import User, editor_on
from tests.window.widgets import of_class

pytestmark = pytest.mark.gui

OLD = Topology(nodes=(Host(name="old", x=50, y=50),))
NEW = Topology(nodes=(Host(name="new", x=50, y=50), Host(name="newer", x=150, y=50)))


class FileUser(User):
    """A user of a window that all tests of this module share. `answer` answers all questions."""

    answer: str | None = None
    questions: list[str]
    #: The file name typed in dialogs.
    name = ""

    @property
    def bar(self) -> Any:
        return self.editor.file_on_disk.bar

    @property
    def log_text(self) -> str:
        return str(self.editor.log.text.get("1.0", "end"))

    def names(self) -> set[str]:
        return {node.name for node in self.topology.nodes}

    def come_back(self) -> None:
        """Return to the window, as after work in another program."""
        self.editor.window.event_generate("<FocusIn>")
        self.editor.window.update()

    def press_answer(self, text: str) -> None:
        """Press a button of the bar with the pointer."""
        self.editor.window.update()
        button = self.bar.buttons[text]
        for event in ("<Enter>", "<ButtonPress-1>", "<ButtonRelease-1>"):
            button.event_generate(event, x=5, y=5)
        self.editor.window.update()


@pytest.fixture(scope="module")
def _shared_user(display: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FileUser]:
    with editor_on(Document(), tmp_path_factory.mktemp("window")) as editor:
        yield FileUser(editor)


@pytest.fixture
def user(_shared_user: FileUser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileUser:
    """At a window with lab.mn in it, which has one host."""
    _shared_user.answer, _shared_user.questions, _shared_user.name = None, [], ""

    def question(text: str, *_: Any, buttons: list[str], **__: Any) -> str | None:
        _shared_user.questions.append(text)
        assert _shared_user.answer is None or _shared_user.answer in [button.partition(":")[0] for button in buttons]
        return _shared_user.answer

    monkeypatch.setattr(file_menu.Messagebox, "show_question", question)
    monkeypatch.setattr(file_menu.Messagebox, "show_error", lambda text, *_, **__: _shared_user.questions.append(text))
    monkeypatch.setattr(file_menu.filedialog, "asksaveasfilename", lambda **_: _shared_user.name)
    mn.save(OLD, tmp_path / "lab.mn")
    _shared_user.document.new()
    _shared_user.editor.files.open(tmp_path / "lab.mn")
    _shared_user.editor.log.text.configure(state="normal")
    _shared_user.editor.log.text.delete("1.0", "end")
    assert not _shared_user.bar.is_shown
    return _shared_user


# --- changed outside ----------------------------------------------------------------------------------------------


def test_a_file_changed_outside_is_reloaded_and_undo_reverts_that(user: FileUser, tmp_path: Path) -> None:
    user.put("h", (300, 300))
    mine = user.topology
    mn.save(NEW, tmp_path / "lab.mn")
    user.come_back()
    assert "lab.mn was changed by another program" in user.bar.message.cget("text")
    assert "not in it" in user.bar.message.cget("text")
    user.press_answer("Reload")
    assert (user.topology, user.document.is_saved, user.bar.is_shown) == (NEW, True, False)
    assert user.document.undo_label == "Reload lab.mn"
    user.press_key("<Control-Key-z>")
    assert (user.topology, user.document.is_saved) == (mine, False)
    user.press_key("<Control-Key-s>")  # the user has seen the change
    assert user.questions == []
    assert mn.load(tmp_path / "lab.mn").topology == mine


def test_keep_mine_marks_the_topology_modified_and_saving_asks_once(user: FileUser, tmp_path: Path) -> None:
    mn.save(NEW, tmp_path / "lab.mn")
    user.come_back()
    user.press_answer("Keep Mine")
    user.come_back()
    assert (user.names(), user.bar.is_shown, user.document.is_saved) == ({"old"}, False, False)
    assert user.editor.window.title().startswith("*lab.mn")
    mn.save(Topology(), tmp_path / "lab.mn")
    user.come_back()
    assert user.bar.is_shown  # that is another change
    user.answer = "Overwrite"
    user.press_key("<Control-Key-s>")
    assert len(user.questions) == 1
    assert mn.load(tmp_path / "lab.mn").topology == OLD
    assert (user.bar.is_shown, user.document.is_saved) == (False, True)


def test_a_file_changed_and_restored_outside_needs_no_answer(user: FileUser, tmp_path: Path) -> None:
    """As when a branch is checked out and left again."""
    content = (tmp_path / "lab.mn").read_bytes()
    mn.save(NEW, tmp_path / "lab.mn")
    user.come_back()
    assert user.bar.is_shown
    (tmp_path / "lab.mn").write_bytes(content)
    user.come_back()
    assert not user.bar.is_shown
    (tmp_path / "lab.mn").touch()
    user.come_back()
    assert not user.bar.is_shown
    assert user.document.is_saved


def test_a_change_of_the_same_size_and_time_is_noticed_before_saving(user: FileUser, tmp_path: Path) -> None:
    path = tmp_path / "lab.mn"
    stat, content = path.stat(), path.read_bytes()
    user.come_back()
    path.write_bytes(content.replace(b"old", b"odd"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    user.put("h", (300, 300))
    user.answer = "Cancel"
    user.press_key("<Control-Key-s>")
    assert "changed by another program" in user.questions[0]
    assert b"odd" in path.read_bytes()


def test_saving_over_a_changed_file_offers_to_reload(user: FileUser, tmp_path: Path) -> None:
    user.put("h", (300, 300))
    mn.save(NEW, tmp_path / "lab.mn")
    user.answer = "Reload"
    user.press_key("<Control-Key-s>")
    assert user.topology == NEW
    assert mn.load(tmp_path / "lab.mn").topology == NEW


def test_a_broken_file_is_not_reloaded(user: FileUser, tmp_path: Path) -> None:
    (tmp_path / "lab.mn").write_text("<<<<<<< HEAD")
    user.come_back()
    user.press_answer("Reload")
    assert "cannot be opened" in user.questions[0]
    assert (user.topology, user.bar.is_shown) == (OLD, True)


# --- deleted outside ----------------------------------------------------------------------------------------------


def test_a_deleted_file_marks_the_topology_modified_and_can_be_saved_again(user: FileUser, tmp_path: Path) -> None:
    (tmp_path / "lab.mn").unlink()
    user.come_back()
    assert "deleted" in user.bar.message.cget("text")
    assert not user.document.is_saved
    user.press_answer("Save Again")
    assert mn.load(tmp_path / "lab.mn").topology == OLD
    assert (user.document.is_saved, user.bar.is_shown) == (True, False)


def test_closing_asks_after_the_file_was_deleted(user: FileUser, tmp_path: Path) -> None:
    """The window has not had the keyboard since."""
    (tmp_path / "lab.mn").unlink()
    user.answer = "Save"
    user.editor.files.new()
    assert "unsaved changes" in user.questions[0]
    assert mn.load(tmp_path / "lab.mn").topology == OLD


def test_a_signal_keeps_the_topology_of_a_deleted_file(user: FileUser, tmp_path: Path) -> None:
    (tmp_path / "lab.mn").unlink()
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(
            user.editor.lab_controller.departure, "end", lambda close: True
        )  # the window stays for other tests
        user.editor.close()
    (draft,) = user.editor.drafts_folder.glob("*.draft")
    assert mn.loads(draft.read_bytes().partition(b"\n")[2], draft.name).topology == OLD


def test_a_restored_file_marks_the_topology_saved(user: FileUser, tmp_path: Path) -> None:
    (tmp_path / "lab.mn").rename(tmp_path / "away.mn")
    user.come_back()
    user.press_answer("Not Now")
    assert not user.document.is_saved
    (tmp_path / "away.mn").rename(tmp_path / "lab.mn")
    user.come_back()
    assert user.document.is_saved


# --- two windows on one file --------------------------------------------------------------------------------------


@pytest.fixture
def other_file(user: FileUser, tmp_path: Path) -> Iterator[Path]:
    """A file that another window has open."""
    path = tmp_path / "shared.mn"
    mn.save(NEW, path)
    marks = OpenMarks(user.editor.drafts_folder.with_name("open"))
    marks.mark(path)
    yield path
    marks.close()


@pytest.mark.parametrize("answer", ["Cancel", None, "Open Anyway", "Open a Copy"])
def test_opening_a_file_of_another_window_asks_first(
    user: FileUser, other_file: Path, tmp_path: Path, answer: str | None
) -> None:
    user.answer = answer
    user.editor.files.open(other_file)
    assert f"Another window has shared.mn open: process {os.getpid()}, since today " in user.questions[0]
    if answer in ("Cancel", None):
        assert (user.topology, user.document.path) == (OLD, tmp_path / "lab.mn")
        return
    assert user.topology == NEW
    assert user.document.path == (other_file if answer == "Open Anyway" else None)
    assert [window.pid for window in user.editor.file_on_disk.marks.other_windows(other_file)] == [os.getpid()]
    if answer == "Open a Copy":
        assert OpenMarks(user.editor.drafts_folder.with_name("open")).other_windows(other_file)[1:] == []
        options: dict[str, Any] = {}
        user.put("h", (300, 300))
        with pytest.MonkeyPatch.context() as patches:
            patches.setattr(
                file_menu.filedialog,
                "asksaveasfilename",
                lambda **question_options: options.update(question_options) or "",
            )
            user.press_key("<Control-Key-s>")
        assert (options["initialfile"], options["initialdir"]) == ("shared-copy.mn", str(tmp_path))
        assert mn.load(other_file).topology == NEW


def test_saving_over_a_file_of_another_window_asks_first(user: FileUser, other_file: Path) -> None:
    user.name, user.answer = str(other_file), "Cancel"
    user.editor.files.save_as()
    assert "Another window has shared.mn open" in user.questions[0]
    assert mn.load(other_file).topology == NEW


def test_starting_with_a_file_of_another_window_can_close_at_once(
    user: FileUser, other_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[bool] = []
    monkeypatch.setattr(user.editor, "close", lambda: closed.append(True))
    for answer, path in (("Open a Copy", None), ("Open Anyway", other_file), ("Close This Window", other_file)):
        user.document.open(other_file)
        user.answer = answer
        user.editor.begin(other_file)
        assert (user.document.path, closed) == (path, [True] if answer == "Close This Window" else [])


def test_other_windows_see_the_file_of_this_window(user: FileUser, tmp_path: Path) -> None:
    other_marks = OpenMarks(user.editor.drafts_folder.with_name("open"))
    assert len(other_marks.other_windows(tmp_path / "lab.mn")) == 1
    user.name = str(tmp_path / "renamed.mn")
    user.editor.files.save_as()
    assert [len(other_marks.other_windows(tmp_path / name)) for name in ("lab.mn", "renamed.mn")] == [0, 1]
    user.editor.files.new()
    assert other_marks.other_windows(tmp_path / "renamed.mn") == []
    assert {file.name for file in tmp_path.iterdir()} == {"lab.mn", "renamed.mn"}


def test_an_open_question_delays_the_offer_to_reload(user: FileUser, tmp_path: Path) -> None:
    mn.save(NEW, tmp_path / "lab.mn")
    user.editor.find_bar.open()
    (entry,) = of_class(user.editor.find_bar, "TEntry")
    entry.grab_set()
    user.come_back()
    pause(0.05, user.editor.window.update)
    assert not user.bar.is_shown
    entry.grab_release()
    user.editor.find_bar.close()
    user.come_back()
    assert user.bar.is_shown
