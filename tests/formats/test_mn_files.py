"""Saving replaces a file completely or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from frrlib.errors import PlaceError, TopologyError
from frrlib.formats import files, mn
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology

SMALL = Topology(nodes=(Host(name="h1", number=1),))


def test_a_new_file_and_an_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.mn"
    mask = os.umask(0o027)
    try:
        mn.save(SMALL, path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(mask)
    path.chmod(0o604)
    mn.save(Topology(title="new"), path)
    assert mn.load(path).topology.title == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    assert os.listdir(tmp_path) == ["a.mn"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    real, link = tmp_path / "deep" / "real.mn", tmp_path / "link.mn"
    real.write_text("old")
    link.symlink_to(Path("deep") / "real.mn")
    mn.save(SMALL, link)
    assert link.is_symlink()
    assert mn.load(real).topology == SMALL


def test_a_failure_leaves_only_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.mn"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(PlaceError, match="No space left"):
        mn.save(SMALL, path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.mn"]


def test_inexpressible_topologies_are_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.mn"
    path.write_text("old")
    with pytest.raises(TopologyError, match="2 nodes have this name"):
        mn.save(Topology(nodes=(Host(name="h1"), Host(name="h1"))), path)
    assert path.read_text() == "old"


def test_irregular_files_are_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", tmp_path, tmp_path / "none" / "a.mn"):
        with pytest.raises(PlaceError, match="cannot be written"):
            mn.save(SMALL, path)
    assert os.listdir(tmp_path) == ["fifo"]
