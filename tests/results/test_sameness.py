"""Comparison of two results folders: the first differing row of each file, without values that depend on the day."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from frrlib.results.sameness import conditions, differences
from tests.results.conftest import Make, receiver


def _change(folder: Path, **fields: Any) -> None:
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**record, **fields}))


def _two(make: Make, tmp_path: Path) -> tuple[Path, Path]:
    first = make([receiver(t / 10, "f", t * 1000) for t in range(5)])
    return first, Path(shutil.copytree(first, tmp_path / "copy"))


def test_values_that_depend_on_the_day_are_not_compared(make: Make, tmp_path: Path) -> None:
    first, second = _two(make, tmp_path)
    _change(second, started="2026-01-01T00:00:00+00:00", place_reason="another")
    (second / "log.txt").write_text("09:00 something")
    (second / "notes.txt").write_text("a note")
    assert differences(first, second) == []


def test_each_file_is_named_with_its_first_differing_row(make: Make, tmp_path: Path) -> None:
    first, second = _two(make, tmp_path)
    lines = (second / "samples/tcp.csv").read_text().splitlines(keepends=True)
    (second / "samples/tcp.csv").write_text("".join([*lines[:3], "changed\n", *lines[4:]]))
    (second / "samples/queue.csv").unlink()
    _change(second, zero_time_s=3.0)
    by_file = {difference.file: (difference.where, difference.now) for difference in differences(first, second)}
    assert by_file == {
        "run.json": ("zero_time_s", "3.0"),
        "samples/queue.csv": ("", "missing"),
        "samples/tcp.csv": ("row 4", "changed"),
    }


def test_conditions_that_differ_or_were_not_recorded(make: Make, tmp_path: Path) -> None:
    first, _ = _two(make, tmp_path)
    _change(first, facts={"kernel": "6.1.0"})
    differing, unknown = conditions(first, {"kernel": "6.12.1", "kernel_digest": "00", "frr": "8.4"})
    assert differing == ["kernel: recorded 6.1.0, now 6.12.1"]
    assert unknown == ["kernel file", "FRR"]
