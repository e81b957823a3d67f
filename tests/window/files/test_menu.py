"""The File menu of the window: it asks before work is lost, and a failure keeps the topology."""

from __future__ import annotations

import json
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats import mn
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from miniedit_frr.files import file_menu
from miniedit_frr.files.file_menu import with_suffix

pytestmark = pytest.mark.gui

OLD = Topology(nodes=(Host(name="old", x=50, y=50),))


class Answers:
    """The answers to questions, in their order, and a record of the questions.

    Attributes:
        questions: the questions so far; `files` answers those for files, `buttons` the others.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.questions: list[str] = []
        self.options: list[dict[str, Any]] = []
        self.buttons: list[str | None] = []
        self.files: list[str] = []
        monkeypatch.setattr(file_menu.Messagebox, "show_question", self._button)
        monkeypatch.setattr(file_menu.Messagebox, "show_error", lambda text, *_, **__: self.questions.append(text))
        monkeypatch.setattr(file_menu.filedialog, "askopenfilename", self._file)
        monkeypatch.setattr(file_menu.filedialog, "asksaveasfilename", self._file)

    def _button(self, text: str, *_: Any, buttons: list[str], **__: Any) -> str | None:
        self.questions.append(text)
        answer = self.buttons.pop(0)
        assert answer is None or any(button.partition(":")[0] == answer for button in buttons)
        return answer

    def _file(self, **options: Any) -> str:
        self.options.append(options)
        return self.files.pop(0)


@pytest.fixture
def answers(user: Any, monkeypatch: pytest.MonkeyPatch) -> Answers:
    return Answers(monkeypatch)


@pytest.fixture
def at_file(user: Any, tmp_path: Path) -> Path:
    """A file with one host that is open, and changed in the window."""
    path = tmp_path / "lab.mn"
    mn.save(OLD, path)
    user.editor.files.open(path)
    place(user)
    return path


def place(user: Any) -> None:
    """One host more."""
    count = len(user.topology.nodes)
    user.put("h", (150 + 60 * count, 260))
    assert len(user.topology.nodes) == count + 1


@pytest.mark.parametrize(
    ("name", "any_name", "path"),
    [
        ("lab", False, "lab.mn"), ("lab.mn", False, "lab.mn"), ("LAB.MN", False, "LAB.MN"),
        ("lab.v2", False, "lab.v2.mn"), ("lab.v2", True, "lab.v2"), ("lab", True, "lab.mn"), (".mn", False, ".mn"),
    ],
)  # fmt: skip
def test_saved_files_get_the_suffix_mn(name: str, any_name: bool, path: str) -> None:
    assert with_suffix(Path("/labs") / name, ".mn", any_name) == Path("/labs") / path


def test_save_as_appends_the_extension_and_asks_before_it_replaces(user: Any, tmp_path: Path, answers: Answers) -> None:
    existing = tmp_path / "lab.mn"
    mn.save(OLD, existing)
    place(user)
    answers.files, answers.buttons = [str(tmp_path / "lab")], ["Cancel"]
    user.press_key("<Control-Shift-Key-S>")
    assert "lab.mn already exists in this folder" in answers.questions[0]
    assert mn.load(existing).topology == OLD
    assert not user.document.is_saved
    answers.files, answers.buttons = [str(tmp_path / "lab")], ["Replace"]
    user.press_key("<Control-Shift-Key-S>")
    assert mn.load(existing).topology == user.topology
    assert (user.document.path, user.document.is_saved) == (existing, True)
    answers.files = [str(tmp_path / "other")]
    user.press_key("<Control-Shift-Key-S>")
    assert answers.options[-1]["initialfile"] == "lab.mn"
    assert answers.options[-1]["initialdir"] == str(tmp_path)
    assert user.document.path == tmp_path / "other.mn"


def test_saving_proposes_a_name_and_a_folder(
    user: Any, tmp_path: Path, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is not that of the program, which is the current folder of a user who starts a checkout."""
    monkeypatch.chdir(Path(__file__).resolve().parents[3])
    monkeypatch.setenv("HOME", str(tmp_path))
    place(user)
    answers.files = [""]
    user.press_key("<Control-Key-s>")
    assert answers.options[-1]["initialfile"] == "untitled.mn"
    assert answers.options[-1]["initialdir"] == str(tmp_path)
    user.document.apply("Title", user.topology.model_copy(update={"title": "Two AS / BGP"}))
    (tmp_path / "labs").mkdir()
    monkeypatch.chdir(tmp_path / "labs")
    answers.files = [str(tmp_path / "first")]
    user.press_key("<Control-Key-s>")
    assert answers.options[-1]["initialfile"] == "Two-AS-BGP.mn"
    assert answers.options[-1]["initialdir"] == str(tmp_path / "labs")
    user.document.new()
    place(user)
    answers.files = [""]
    user.press_key("<Control-Key-s>")
    assert answers.options[-1]["initialdir"] == str(tmp_path)  # where the last one is


def test_opening_a_file_clears_the_selection(user: Any, tmp_path: Path, answers: Answers) -> None:
    for name in ("one.mn", "other.mn"):
        mn.save(OLD, tmp_path / name)
    user.editor.files.open(tmp_path / "one.mn")
    user.click((50, 50))
    assert user.selected() == {"old"}
    user.editor.files.open(tmp_path / "other.mn")
    user.editor.window.update()
    assert user.selected() == set()


def test_closing_the_question_saves_nothing(user: Any, tmp_path: Path, answers: Answers) -> None:
    place(user)
    answers.files = [""]
    user.press_key("<Control-Key-s>")
    assert not user.document.is_saved
    answers.buttons = [None]
    user.press_key("<Control-Key-n>")
    assert len(user.topology.nodes) == 1


@pytest.mark.parametrize(
    ("action", "topology"), [("<Control-Key-n>", Topology()), ("<Control-Key-o>", OLD), ("quit", None)]
)
def test_unsaved_changes_are_asked_about(
    user: Any, tmp_path: Path, answers: Answers, action: str, topology: Topology | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    mn.save(OLD, tmp_path / "old.mn")
    closed: list[bool] = []
    monkeypatch.setattr(user.editor, "close", lambda: closed.append(True))
    place(user)
    unsaved = user.topology
    act: Callable[[], object] = user.editor.quit if action == "quit" else lambda: user.press_key(action)
    for answer in ("Cancel", None):
        answers.buttons = [answer]
        act()
        assert user.topology == unsaved and not closed
    answers.buttons = ["Save"]
    answers.files = ["" if action == "quit" else str(tmp_path / "kept"), str(tmp_path / "old.mn")]
    act()
    if action == "quit":
        assert not closed  # no file was named, so nothing is saved, so the window stays
        answers.buttons = ["Discard"]
        act()
        assert closed
    else:
        assert mn.load(tmp_path / "kept.mn").topology == unsaved
        assert user.topology == topology
    monkeypatch.undo()


def test_saving_over_a_changed_file_asks_first(user: Any, at_file: Path, answers: Answers) -> None:
    mn.save(Topology(nodes=(Host(name="foreign"),)), at_file)
    foreign = at_file.read_bytes()
    answers.buttons = ["Cancel"]
    user.press_key("<Control-Key-s>")
    assert "changed by another program" in answers.questions[0]
    assert at_file.read_bytes() == foreign
    assert not user.document.is_saved
    answers.buttons, answers.files = ["Save As…"], [str(at_file.with_name("mine"))]
    user.press_key("<Control-Key-s>")
    assert at_file.read_bytes() == foreign
    assert user.document.path == at_file.with_name("mine.mn")
    place(user)
    user.press_key("<Control-Key-s>")  # nobody else wrote this one
    assert user.document.is_saved


def test_a_changed_file_can_be_overwritten(user: Any, at_file: Path, answers: Answers) -> None:
    at_file.write_text("something else")
    answers.buttons = ["Overwrite"]
    user.press_key("<Control-Key-s>")
    assert mn.load(at_file).topology == user.topology
    place(user)
    user.press_key("<Control-Key-s>")
    assert len(answers.questions) == 1


def test_saving_does_not_ask_about_a_touched_or_deleted_file(user: Any, at_file: Path, answers: Answers) -> None:
    at_file.touch()
    user.press_key("<Control-Key-s>")
    place(user)
    at_file.unlink()
    user.press_key("<Control-Key-s>")
    assert mn.load(at_file).topology == user.topology
    assert answers.questions == []


@pytest.mark.parametrize("where", ["/proc/lab.mn", "nowhere/lab.mn", "folder.mn"])
def test_a_failed_save_is_reported_and_loses_nothing(user: Any, at_file: Path, answers: Answers, where: str) -> None:
    (at_file.parent / "folder.mn").mkdir()
    content, topology = at_file.read_bytes(), user.topology
    answers.files, answers.buttons = [str(at_file.parent / where)], ["Replace"]
    user.press_key("<Control-Shift-Key-S>")
    assert "cannot be saved" in answers.questions[-1]
    assert "Remedy" in answers.questions[-1]
    assert (user.document.path, user.document.is_saved) == (at_file, False)
    assert (user.topology, at_file.read_bytes()) == (topology, content)
    assert not list(at_file.parent.glob(".*"))


def test_a_full_disk_keeps_the_old_file_and_the_modified_state(user: Any, at_file: Path, answers: Answers) -> None:
    """The kernel stops the file after 100 bytes, in the middle of writing, as a full disk does."""
    content, topology = at_file.read_bytes(), user.topology
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        user.editor.files.save()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "cannot be saved" in answers.questions[-1]
    assert (user.document.path, user.document.is_saved) == (at_file, False)
    assert (user.topology, at_file.read_bytes()) == (topology, content)
    assert not list(at_file.parent.glob(".*"))


HOSTILE = [
    b"", b"{", b"null", b"[]", b"\x00" * 1000, b"\xff" * 50, b'{"hosts": 3}',
    b'{"version": "2", "links": [{"src": [], "dest": {}}]}', b"[" * 100_000, b'{"version": 1e999}',
    b'__import__("os").system("touch /tmp/never")',
]  # fmt: skip


@pytest.mark.parametrize("content", HOSTILE)
def test_opening_a_broken_file_keeps_the_topology(user: Any, at_file: Path, answers: Answers, content: bytes) -> None:
    bad, topology = at_file.with_name("bad.mn"), user.topology
    bad.write_bytes(content)
    answers.buttons = ["Discard"]
    user.editor.files.open(bad)
    assert "cannot be opened" in answers.questions[-1]
    assert (user.topology, user.document.path, user.document.is_saved) == (topology, at_file, False)
    assert user.document.undo_label
    assert user.editor.settings.recent[0] == str(at_file)


def test_revert_reads_the_file_again(user: Any, at_file: Path, answers: Answers) -> None:
    answers.buttons = ["Cancel"]
    user.editor.files.revert()
    assert len(user.topology.nodes) == 2
    newer = Topology(nodes=(Host(name="newer"),))
    mn.save(newer, at_file)
    answers.buttons = ["Revert"]
    user.editor.files.revert()
    assert user.topology == newer
    mn.save(OLD, at_file)
    user.editor.files.revert()  # without unsaved changes there is no question
    assert user.topology == OLD
    at_file.write_text("broken")
    user.editor.files.revert()
    assert user.topology == OLD


def test_recent_files_are_listed_while_they_exist(user: Any, at_file: Path, answers: Answers) -> None:
    user.press_key("<Control-Key-s>")
    entries = dict(user.editor.start_page.recent())
    assert list(entries) == [str(at_file)]
    user.press_key("<Control-Key-n>")
    entries[str(at_file)]()
    assert user.document.path == at_file
    at_file.unlink()
    assert user.editor.start_page.recent() == []


def test_the_exported_script_runs(user: Any, at_file: Path, answers: Answers, tmp_path: Path) -> None:
    answers.files = [str(tmp_path / "run-it")]
    dict(user.editor.files.exports)["Python Script…"]()
    out = tmp_path / "run-it.py"
    assert answers.options[-1]["initialfile"] == "lab.py"
    done = subprocess.run([sys.executable, "-P", out, "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert not user.document.is_saved  # an export is no save
    words = shlex.split(user.editor.log.text.get("1.0", "end").rpartition("Run it with: ")[2])
    assert words[1:] == ["script", str(out)]
    assert shutil.which(words[0])  # the printed command can be run
    answers.files, answers.buttons = [str(out)], ["Cancel"]
    out.write_text("# mine")
    user.editor.files.export_script()
    assert out.read_text() == "# mine"


def test_unknown_values_of_a_file_are_reported_in_sentences(user: Any, tmp_path: Path) -> None:
    at = {"x": "50", "y": "50"}
    hosts = [{"number": "1", **at, "opts": {"hostname": "h1", "nodeNum": 1, "ip": "nowhere"}}]
    path = tmp_path / "odd.mn"
    path.write_text(json.dumps({"version": "2", "hosts": hosts, "switches": [], "links": [], "controllers": []}))
    user.editor.files.open(path)
    log = user.editor.log.text.get("1.0", "end")
    assert "h1, ip: " in log and ". It is kept and not used." in log
