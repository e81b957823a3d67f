"""Submissions: written from a work, and read from strangers without harm."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from pathlib import Path

import pytest

from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.grading import grade_file, submissions_in
from frrlib.exercises.submissions import MOST_ENTRIES, hand_in, read_submission
from tests.exercises.samples import begun, entries_of, pretended_labs, two_as, zip_of


@pytest.fixture
def good(tmp_path: Path) -> dict[str, bytes]:
    """The entries of a submission of a work that was just started."""
    work = begun(tmp_path)
    hand_in(work, tmp_path / "good.zip")
    return entries_of(tmp_path / "good.zip")


def test_a_submission_is_read_as_it_was_written(tmp_path: Path) -> None:
    work = begun(tmp_path)
    work, chapter, _ = work.restore()
    (work.folder / "private.txt").write_text("mine")
    work = hand_in(work, tmp_path / "in.zip")
    submission = read_submission(tmp_path / "in.zip")
    assert submission.state == work.state.model_copy(update={"exercise_folder": ""})
    assert submission.topology == work.topology()
    assert submission.chapters == {"session": work.exercise.reference(chapter)}
    assert set(entries_of(tmp_path / "in.zip")) == {"work.json", "topology.mn", "chapters/session.mn"}
    assert str(tmp_path).encode() not in b"".join(entries_of(tmp_path / "in.zip").values())


def test_a_link_in_the_work_is_not_handed_in(tmp_path: Path) -> None:
    work = begun(tmp_path)
    (tmp_path / "secret").write_text("mine")
    (work.folder / "configurations").mkdir()
    (work.folder / "configurations" / "r1.conf").symlink_to(tmp_path / "secret")
    with pytest.raises(ExerciseError, match="cannot be handed in"):
        hand_in(work, tmp_path / "in.zip")
    assert not (tmp_path / "in.zip").exists()


def _bomb() -> bytes:
    """An entry of 50 MB of zeros, a few kB when compressed."""
    return b"\0" * 50_000_000


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("../../etc/passwd", b"x", "belongs to no work"),
        ("/etc/passwd", b"x", "belongs to no work"),
        ("chapters/../../x.mn", b"x", "belongs to no work"),
        ("chapters\\x.mn", b"x", "belongs to no work"),
        ("configurations/\x1b[31m.conf", b"x", "belongs to no work"),
        ("start.sh", b"x", "belongs to no work"),
        ("chapters/session.mn", b"{", "session.mn"),
        ("chapters/session.mn", b"[" * 100_000, "session.mn"),
        ("topology.mn", b"\xff\xfe\x00", "topology.mn"),
        ("topology.mn", b"[]", "topology.mn"),
        ("work.json", b"nonsense", "not readable"),
        ("work.json", b'{"exercise": "two-as", "student": "../x"}', "student"),
        ("work.json", json.dumps({"exercise": "x", "student": "1", "name": "a\x1b[2J"}).encode(), "name"),
        ("work.json", json.dumps({"exercise": "x", "student": "1", "answers": {"q": "x" * 500}}).encode(), "answers"),
        ("work.json", _bomb(), "too large at work.json"),
        ("configurations/r1.conf", _bomb(), "too large at configurations/r1.conf"),
    ],
)
def test_a_hostile_entry_is_refused(
    tmp_path: Path, good: dict[str, bytes], name: str, content: bytes, reason: str
) -> None:
    path = zip_of(tmp_path / "bad.zip", {**good, name: content})
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ExerciseError, match=reason):
        read_submission(path)
    assert sorted(tmp_path.rglob("*")) == before


def test_links_in_a_zip_file_are_not_followed(tmp_path: Path, good: dict[str, bytes]) -> None:
    path = tmp_path / "link.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in good.items():
            info = zipfile.ZipInfo(name)
            if name == "topology.mn":
                info.external_attr, content = 0o120777 << 16, b"/etc/passwd"
            archive.writestr(info, content)
    with pytest.raises(ExerciseError, match=r"topology\.mn"):
        read_submission(path)


def test_missing_double_and_too_many_entries_are_refused(tmp_path: Path, good: dict[str, bytes]) -> None:
    for name in ("work.json", "topology.mn"):
        path = zip_of(tmp_path / "bad.zip", {key: value for key, value in good.items() if key != name})
        with pytest.raises(ExerciseError, match=f"has no {name}"):
            read_submission(path)
    doubled = zip_of(tmp_path / "two.zip", {**good, "work.jsox": good["work.json"]})
    doubled.write_bytes(doubled.read_bytes().replace(b"work.jsox", b"work.json"))
    with pytest.raises(ExerciseError, match=r"two files work\.json"):
        read_submission(tmp_path / "two.zip")
    many = {f"configurations/r{number}.conf": b"" for number in range(MOST_ENTRIES)}
    with pytest.raises(ExerciseError, match="more than"):
        read_submission(zip_of(tmp_path / "many.zip", {**good, **many}))


def test_a_header_that_lies_about_the_size_does_not_help(tmp_path: Path, good: dict[str, bytes]) -> None:
    path = zip_of(tmp_path / "lie.zip", {**good, "configurations/r1.conf": _bomb()})
    data = path.read_bytes().replace(struct.pack("<L", 50_000_000), struct.pack("<L", 10))
    path.write_bytes(data)
    with pytest.raises(ExerciseError):
        read_submission(path)


def test_broken_files_are_refused(tmp_path: Path, good: dict[str, bytes]) -> None:
    whole = zip_of(tmp_path / "whole.zip", good).read_bytes()
    for cut in range(0, len(whole), max(1, len(whole) // 60)):
        (tmp_path / "cut.zip").write_bytes(whole[:cut])
        with pytest.raises(ExerciseError):
            read_submission(tmp_path / "cut.zip")
    for position in range(0, len(whole), 37):
        changed = bytearray(whole)
        changed[position] ^= 0xFF
        (tmp_path / "changed.zip").write_bytes(changed)
        try:  # some changes are in parts that nobody reads
            read_submission(tmp_path / "changed.zip")
        except ExerciseError:
            continue


def test_pipes_links_and_sparse_files_are_refused(tmp_path: Path, good: dict[str, bytes]) -> None:
    os.mkfifo(tmp_path / "pipe.zip")
    (tmp_path / "link.zip").symlink_to(zip_of(tmp_path / "target.zip", good))
    with open(tmp_path / "sparse.zip", "wb") as file:
        file.truncate(10**12)
    (tmp_path / "folder.zip").mkdir()
    for name in ("pipe", "link", "sparse", "folder", "missing"):
        with pytest.raises(ExerciseError):
            read_submission(tmp_path / f"{name}.zip")


def test_a_bad_file_costs_only_itself(tmp_path: Path, good: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frrlib.exercises.evaluation._INTERVAL_S", 0.0)
    folder = tmp_path / "in"
    folder.mkdir()
    zip_of(folder / "a.zip", good)
    (folder / "b.zip").write_bytes(io.BytesIO(b"PK\x03\x04" * 50).getvalue())
    zip_of(folder / "c\x1b[31m.zip", {**good, "../evil": b""})
    zip_of(folder / "d.zip", {**good, "work.json": good["work.json"].replace(b'"two-as"', b'"other"')})
    os.mkfifo(folder / "e.zip")
    grades = [grade_file(two_as(), path, pretended_labs({})) for path in submissions_in(folder)]
    assert len(grades) == 5
    errors = {grade.file[0]: grade.error for grade in grades}
    assert errors["a"] == ""
    assert all(errors[name] for name in "bcde")
    assert "\x1b" not in "".join(f"{grade.file}{grade.error}" for grade in grades)
    assert errors["b"].startswith("is no readable zip file")
    assert "belongs to the exercise other" in errors["d"]
