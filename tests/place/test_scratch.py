"""Scratch folders: held by a lock, removed when no process holds it; and results folders that come back harmless."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from frrlib.errors import PlaceError
from frrlib.place import temporary_folder
from frrlib.place.supervisor import ownership
from frrlib.place.temporary_folder import Scratch


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(temporary_folder, "candidates", lambda: [tmp_path])
    return tmp_path


def _age(path: Path) -> None:
    os.utime(path, (1, 1))


def test_only_abandoned_folders_are_removed(base: Path) -> None:
    held: Scratch = temporary_folder.take(temporary_folder.choose())
    remaining = temporary_folder.take(temporary_folder.choose())
    os.close(remaining.lock)
    never_locked = base / f"{temporary_folder.PREFIX}{os.getuid()}-xyz"
    never_locked.mkdir()
    foreign = base / "frrlab-other"
    foreign.mkdir()
    for path in (held.path, remaining.path, never_locked, foreign):
        _age(path)
    assert sorted(temporary_folder.remove_stale(base)) == sorted([remaining.path, never_locked])
    assert held.path.exists() and foreign.exists()
    os.close(held.lock)


def test_young_folders_stay(base: Path) -> None:
    remaining = temporary_folder.take(temporary_folder.choose())
    os.close(remaining.lock)
    assert temporary_folder.remove_stale(base) == []


def test_no_room_is_an_error_with_a_remedy(base: Path) -> None:
    with pytest.raises(PlaceError) as caught:
        temporary_folder.choose(room_mib=1 << 40)
    assert caught.value.remedy


def test_returned_results_contain_no_traps(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    (folder / "deep").mkdir(parents=True)
    folder.chmod(0o755)
    loan = ownership.lend(str(folder), None)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (folder / "plain").write_text("kept")
    (folder / "suid").write_text("")
    (folder / "suid").chmod(0o6755)
    links = {"absolute": "/etc/passwd", "deep/up": "../../secret", "within": "plain", "deep/back": "../plain"}
    for name, target in links.items():
        (folder / name).symlink_to(target)
    ownership.take_back(loan)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert stat.S_IMODE((folder / "suid").stat().st_mode) == 0o755
    remaining = {name for name in links if (folder / name).is_symlink()}
    assert remaining == {"within", "deep/back"}
    assert (folder / "plain").read_text() == "kept"
