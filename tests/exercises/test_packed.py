"""Packed exercises: the same exercise again, and nothing outside of its folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.exercises import packed
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.exercise import load
from tests.exercises.samples import SHIPPED, two_as, zip_of


def test_a_packed_exercise_is_the_same_exercise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "two-as.mnx"
    packed.pack(SHIPPED / "two-as", path)
    first = path.read_bytes()
    exercise = load(path)
    assert (exercise.name, exercise.content, exercise.has_solution) == ("two-as", two_as().content, True)
    names = {file.relative_to(exercise.folder): file.read_bytes() for file in exercise.folder.rglob("*.*")}
    source = SHIPPED / "two-as"
    assert names == {file.relative_to(source): file.read_bytes() for file in source.rglob("*.*")}
    assert load(path).folder == exercise.folder
    packed.pack(exercise.folder, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("name", ["../outside", "/etc/x", "a/b/c", "a\\b", ".hidden", "solution/../../x"])
def test_an_entry_outside_of_the_folder_is_refused(name: str, tmp_path: Path) -> None:
    path = zip_of(tmp_path / "bad.mnx", {"exercise.toml": "", name: "x"})
    with pytest.raises(ExerciseError, match="belongs to no exercise"):
        packed.unpacked(path, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_large_and_broken_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zip_of(tmp_path / "large.mnx", {"exercise.toml": bytes(packed.MOST_ENTRY_BYTES + 1)})
    with pytest.raises(ExerciseError, match=r"is too large at exercise\.toml"):
        packed.unpacked(path, tmp_path)
    monkeypatch.setattr(packed, "MOST_ENTRIES", 1)
    with pytest.raises(ExerciseError, match="more than 1 files"):
        packed.unpacked(zip_of(path, {"a": "", "b": ""}), tmp_path)
    path.write_bytes(b"PK junk")
    with pytest.raises(ExerciseError, match="no readable zip file"):
        packed.unpacked(path, tmp_path)
