"""Files that are written in one step: old or new, never a part, and no other file remains."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from frrlib.system import atomic_files


def test_a_file_is_replaced_by_the_whole_of_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    atomic_files.replace(path, "one\r\nfür alle\n")
    assert path.read_bytes() == "one\r\nfür alle\n".encode()
    atomic_files.replace(path, b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"
    assert os.listdir(tmp_path) == ["card.json"]


def _break_off(path: Path) -> None:
    with atomic_files.replaced(path) as beside:
        beside.write_text("ne")
        raise KeyboardInterrupt


def test_a_failed_write_leaves_only_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "table"
    atomic_files.replace(path, "old")
    with pytest.raises(KeyboardInterrupt):
        _break_off(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["table"]


def test_a_new_file_has_the_mode_of_others(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("")
    atomic_files.replace(tmp_path / "new", "")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_concurrent_writes_leave_one_complete_file(tmp_path: Path) -> None:
    path, contents = tmp_path / "choice", [str(digit) * 100_000 for digit in range(8)]
    threads = [threading.Thread(target=atomic_files.replace, args=(path, content)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() in contents
    assert os.listdir(tmp_path) == ["choice"]


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        atomic_files.replace(tmp_path / "gone" / "file", "")
