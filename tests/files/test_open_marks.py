"""Marks of open files: another window that lives is found, a dead one is not, and nothing stays behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from miniedit_frr.files import drafts, open_marks
from miniedit_frr.files.open_marks import OpenMarks

ROOT = Path(__file__).resolve().parents[2]

#: Marks a file, reports it, and lives until its input ends or it is killed.
OTHER = """
import sys
from pathlib import Path
from miniedit_frr.files.open_marks import OpenMarks
marks = OpenMarks(Path(sys.argv[1]))
marks.mark(Path(sys.argv[2]))
print("marked", flush=True)
sys.stdin.read()
marks.close()
"""


def other_window(folder: Path, path: Path) -> subprocess.Popen[bytes]:
    """A window in another process that has a file open."""
    argv = [sys.executable, "-c", OTHER, str(folder), str(path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
    assert process.stdout is not None
    assert process.stdout.readline() == b"marked\n"
    return process


def test_a_running_window_is_found_and_a_killed_or_closed_one_is_not(tmp_path: Path) -> None:
    folder, path, before_s = tmp_path / "open", tmp_path / "labs" / "lab.mn", time.time()
    path.parent.mkdir()
    mine = OpenMarks(folder)
    assert mine.other_windows(path) == []
    mine.mark(path)
    processes = [other_window(folder, path) for _ in range(2)]
    (tmp_path / "same").symlink_to(path.parent)
    windows = mine.other_windows(tmp_path / "same" / "lab.mn")
    assert [window.pid for window in windows] == [process.pid for process in processes]
    assert before_s <= windows[0].since_s <= windows[1].since_s <= time.time()
    assert mine.other_windows(path.with_name("other.mn")) == []
    processes[0].kill()
    processes[0].communicate()
    assert [window.pid for window in mine.other_windows(path)] == [processes[1].pid]
    processes[1].communicate()  # its input ends, and it closes the file
    assert mine.other_windows(path) == []
    mine.close()
    assert list(folder.iterdir()) == []
    assert list(path.parent.iterdir()) == []


def test_a_mark_of_an_ended_window_is_removed_whatever_its_file_is(tmp_path: Path) -> None:
    process = other_window(tmp_path, Path("/labs/one.mn"))
    process.kill()
    process.communicate()
    assert len(list(tmp_path.iterdir())) == 1
    assert OpenMarks(tmp_path).other_windows(Path("/labs/two.mn")) == []
    assert list(tmp_path.iterdir()) == []


def test_a_window_is_running_if_its_mark_is_locked_or_its_process_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    path = Path("/labs/lab.mn")
    process = other_window(tmp_path, path)
    with monkeypatch.context() as patches:  # as from another container
        patches.setattr(drafts, "_start_ticks", lambda pid: 0)
        assert len(OpenMarks(tmp_path).other_windows(path)) == 1
    with monkeypatch.context() as patches:  # as on a file system without locks
        patches.setattr(open_marks.fcntl, "flock", refuse)
        assert len(OpenMarks(tmp_path).other_windows(path)) == 1
        process.kill()
        process.communicate()
        assert OpenMarks(tmp_path).other_windows(path) == []


def test_a_window_has_one_mark_that_follows_its_file(tmp_path: Path) -> None:
    marker, reader = OpenMarks(tmp_path), OpenMarks(tmp_path)
    for name in ("a.mn", "b.mn"):
        marker.mark(Path(name))
        assert len(reader.other_windows(Path(name))) == 1
    assert reader.other_windows(Path("a.mn")) == []
    marker.mark(None)
    assert reader.other_windows(Path("b.mn")) == []


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[1]", b"\xff", b'{"open": 2}', b'{"open": 1, "owner": 3}', b"[" * 60_000]
)
def test_a_mark_in_another_format_stays(tmp_path: Path, content: bytes) -> None:
    mark = tmp_path / "x.open"
    mark.write_bytes(content)
    assert OpenMarks(tmp_path).other_windows(Path("a.mn")) == []
    assert mark.read_bytes() == content


def test_a_folder_that_cannot_be_written_prevents_no_opening(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file in the place of the folder")
    marks = OpenMarks(tmp_path / "file")
    marks.mark(tmp_path / "lab.mn")
    assert marks.other_windows(tmp_path / "lab.mn") == []
    marks.close()


def test_half_written_marks_are_removed_when_they_are_old(tmp_path: Path) -> None:
    for name, age_s in (("old.new", 7200), ("young.new", 1)):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (time.time() - age_s,) * 2)
    OpenMarks(tmp_path).other_windows(Path("a.mn"))
    assert [file.name for file in tmp_path.iterdir()] == ["young.new"]
