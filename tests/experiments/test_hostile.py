"""A folder of an experiment from another person: its cases are checked before a path is made of them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from frrlib.results.layout import ResultsError
from miniedit_frr.experiments.runs import CASES, open_runs
from miniedit_frr.experiments.verdict import JSON, load_verdicts

pytestmark = pytest.mark.timeout(20)

_CASE = {"name": "one", "setup": "right", "values": {"cc": "bbr"}, "repeat": 1}


def test_recorded_cases_are_read(tmp_path: Path) -> None:
    (tmp_path / CASES).write_text(json.dumps({"experiment": "MB1", "quick": True, "cases": [_CASE], "unknown": 1}))
    runs = open_runs(tmp_path)
    assert (len(list(runs)), runs.missing, runs.is_quick) == (0, {"one": "it was not run"}, True)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"cases": [{**_CASE, "name": "../../other"}]}, "malformed value of cases.0.name"),
        ({"cases": [{**_CASE, "name": "/etc"}]}, "malformed value of cases.0.name"),
        ({"cases": [{**_CASE, "name": "a\x1b[2J"}]}, "contains no run"),
        ({"cases": [{**_CASE, "repeat": 10**12}]}, "malformed value of cases.0.repeat"),
        ({"cases": [{**_CASE, "values": [1]}]}, "malformed value of cases.0.values"),
        ({"cases": 5}, "malformed value of cases"), ({}, "malformed value of cases"), ([], "cannot be read"),
    ],
)  # fmt: skip
def test_malformed_cases_are_refused(tmp_path: Path, content: Any, reason: str) -> None:
    (tmp_path / CASES).write_text(json.dumps(content))
    if reason == "contains no run":  # control characters are removed from all texts
        assert list(open_runs(tmp_path).missing) == ["a�[2J"]
        return
    with pytest.raises(ResultsError, match=reason):
        open_runs(tmp_path)


@pytest.mark.parametrize("read", [open_runs, load_verdicts])
def test_pipes_deep_files_and_devices_are_refused(tmp_path: Path, read: Any) -> None:
    for name in (CASES, JSON):
        os.mkfifo(tmp_path / name)
    with pytest.raises(ResultsError):
        read(tmp_path)
    for name in (CASES, JSON):
        (tmp_path / name).unlink()
        (tmp_path / name).write_text("[" * 100_000)
    with pytest.raises(ResultsError):
        read(tmp_path)
    for name in (CASES, JSON):
        (tmp_path / name).unlink()
        (tmp_path / name).symlink_to("/dev/zero")
    with pytest.raises(ResultsError):
        read(tmp_path)
