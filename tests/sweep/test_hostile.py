"""A folder of a sweep from another person: nothing outside of it is read, and nothing is waited for."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from frrlib.results.layout import ResultsError
from frrlib.sweep.folder import RECORD, RUNS, SWEEP, TOPOLOGY, SweepFolder
from frrlib.sweep.plan import runs_of
from frrlib.sweep.table import rows_of
from tests.sweep.topologies import sweep_plan

pytestmark = pytest.mark.timeout(20)
RATE = "link:h1-h2.rate=10,20"


def _pipe(file: Path) -> None:
    file.unlink(missing_ok=True)
    os.mkfifo(file)  # opening it for reading waits for a writer


def _device(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.symlink_to("/dev/zero")


def _text(text: str) -> Callable[[Path], None]:
    return lambda file: file.write_text(text) and None


def _field(name: str, value: Any) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        file.write_text(json.dumps({**json.loads(file.read_text()), name: value}))

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_pipe, "cannot be read"), (_device, "holds the link"), (_text("[" * 100_000), "cannot be read"),
        (_text("[]"), "malformed value of the file"), (_field("repeat", "many"), "malformed value of repeat"),
        (_field("repeat", 10**400), "cannot be read"), (_field("axes", [{"paths": 5}]), "malformed value of axes.0"),
        (_field("settings", [1]), "malformed value of settings"), (_field("format_version", 99), "has format 99"),
        (_field("program", "\x1b]0;title\x07"), "made with miniedit-frr"),
    ],
)  # fmt: skip
def test_a_malformed_sweep_is_refused(tmp_path: Path, change: Callable[[Path], None], reason: str) -> None:
    with SweepFolder(tmp_path, sweep_plan(RATE)):
        pass
    change(tmp_path / SWEEP)
    with pytest.raises(ResultsError, match=reason) as caught:
        SweepFolder(tmp_path, sweep_plan(RATE))
    assert str(caught.value).isprintable()


def test_a_pipe_in_the_place_of_the_topology_is_refused(tmp_path: Path) -> None:
    with SweepFolder(tmp_path, sweep_plan(RATE)):
        pass
    _pipe(tmp_path / TOPOLOGY)
    with pytest.raises(ResultsError, match=f"{TOPOLOGY} cannot be read"):
        SweepFolder(tmp_path, sweep_plan(RATE))


@pytest.mark.parametrize(
    "change",
    [
        _pipe, _device, _text("[" * 100_000), _text("5"), _text("{}"),
        _text('{"status": [1], "failures": 5, "host": "", "seconds": 1, "metrics": {}}'),
        _text('{"status": "finished", "failures": [], "host": "", "seconds": "long", "metrics": {}}'),
        _text('{"status": "finished", "failures": [], "host": "", "seconds": 1, "metrics": {"goodput": "=cmd"}}'),
    ],
)  # fmt: skip
def test_a_malformed_record_counts_as_a_run_that_has_not_ended(tmp_path: Path, change: Callable[[Path], None]) -> None:
    plan = sweep_plan(RATE)
    runs = list(runs_of(plan))
    with SweepFolder(tmp_path, plan) as folder:
        place = tmp_path / RUNS / runs[0].name
        place.mkdir(parents=True)
        change(place / RECORD)
        assert folder.record(runs[0].name) is None
        assert rows_of(folder, runs)[0]["status"] == "left"
