"""`miniedit-frr sweep` as a user calls it, without a lab."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from frrlib.formats import mn
from frrlib.sweep.events import RunEnd, RunStart, Tally
from frrlib.sweep.job import Report
from frrlib.sweep.pace import span_text
from frrlib.sweep.plan import runs_of
from miniedit_frr.terminal.sweep_progress import SweepProgress
from tests.cli.commands import invoke
from tests.sweep.topologies import sweep_plan, two_hosts

RATE = "link:h1-h2.rate=10,20"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.mn"
    path.write_text(mn.dumps(two_hosts()))
    return path


def test_a_dry_run_lists_the_runs(file: Path, tmp_path: Path) -> None:
    table = tmp_path / "runs.csv"
    table.write_text("wait.ping_count\n1\n2\n")
    zipped_fields = "flow:f1.cc=cubic,bbr; flow:f1.start=0,1"
    result = invoke("sweep", file, "--out", tmp_path / "out", "--set", RATE, "--zip", zipped_fields, "--list", table,
               "--repeat", 5, "--dry-run")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "8 combinations, 5 of each: 40 runs" in result.stdout
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["10", "cubic", "0", "1"] in rows and ["20", "bbr", "1", "2"] in rows
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("--set", "link:h1-h3.rate=10", "link:h1-h3: the link does not exist; did you mean h1-h2"),
        ("--set", "link:h1-h2.rate=10,-1", "'-1' must be greater than 0"),
        ("--zip", RATE, "has one field"),
        ("--list", "missing.csv", "missing.csv"),
    ],
)
def test_invalid_axes_are_refused_and_nothing_is_created(
    file: Path, tmp_path: Path, option: str, text: str, message: str
) -> None:
    result = invoke("sweep", file, "--out", tmp_path / "out", option, text)
    assert result.exit_code == 2
    assert message in result.output
    assert not (tmp_path / "out").exists()


def test_a_terminal_shows_progress_and_remaining_time() -> None:
    runs = runs_of(sweep_plan(RATE, "flow:f1.cc=cubic,bbr"))
    console = Console(force_terminal=True, width=100, file=io.StringIO(), record=True)
    progress = SweepProgress(console, runs, 2)
    assert progress._pace.left_s == 4 * (2 + 4) / 2  # each has 2 s of flows, and 4 s are taken for the rest
    progress.show(Tally(finished=0, failed=0, remaining=4, earlier=0))
    for run in runs[:3]:
        progress.show(RunStart(run, "there (7)"))
    progress.show(RunEnd(runs[0], Report(runs[0].name, "finished", seconds=12.0)))
    progress.show(RunEnd(runs[1], Report(runs[1].name, "failed", ("r1 did not converge",), seconds=12.0)))
    assert progress._pace.left_s == 2 * 12 / 2
    console.print(progress._render())
    text = console.export_text()
    assert "1 of 4 finished 1 failed 1 running 12 s left" in text
    assert "link:h1-h2.rate=20, flow:f1.cc=cubic there (7)" in text
    assert "failed: link:h1-h2.rate=10, flow:f1.cc=bbr, repetition 1: r1 did not converge" in text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min"), (12_000, "3 h 20 min")]
)
def test_time_spans(seconds: float, text: str) -> None:
    assert span_text(seconds) == text
