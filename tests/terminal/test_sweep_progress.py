"""The progress of many runs in a file, and the same progress as the window of an experiment reads it."""

from __future__ import annotations

import io
from dataclasses import dataclass

from rich.console import Console

from frrlib.sweep.events import RunEnd, Tally
from frrlib.sweep.job import Report
from miniedit_frr.experiments_view.process import RunProgress
from miniedit_frr.terminal.sweep_progress import SweepProgress


@dataclass(frozen=True)
class PlainRun:
    name: str
    label: str
    repetition: int = 1
    planned_s: float = 6.0


RUNS = tuple(PlainRun(f"CF5/{name}_1", f"CF5 {name}") for name in "abc")


def printed(*, prints_each_run: bool) -> list[str]:
    """The lines about two of three runs, one of which fails. Each takes twice as long as planned."""
    file = io.StringIO()
    progress = SweepProgress(Console(file=file), RUNS, 1, prints_each_run=prints_each_run)
    progress.show(Tally(0, 0, 3, 12))
    progress.show(RunEnd(RUNS[0], Report("CF5/a_1", "finished", seconds=20.0)))
    progress.show(RunEnd(RUNS[1], Report("CF5/b_1", "failed", ("r1: 2 of 3: lost; 9 s left",), seconds=20.0)))
    return file.getvalue().splitlines()


def test_experiments_print_numbers_of_runs_and_the_rest_of_the_time() -> None:
    # A run counts as its flows of 6 s and 4 s beside them, until the first one shows that it takes 20 s.
    lines = printed(prints_each_run=True)
    assert lines == [
        "12 runs were finished earlier",
        "0 of 3: no run has ended yet; 30 s left",
        "1 of 3: CF5 a, repetition 1, 20 s; 40 s left",
        "failed: CF5 b, repetition 1: r1: 2 of 3: lost; 9 s left",
    ]
    states = [RunProgress().after(lines[:count]) for count in range(5)]
    assert [(state.done, state.total, state.failed, state.left) for state in states] == [
        (0, None, 0, ""), (12, None, 0, ""), (12, 15, 0, "30 s"), (13, 15, 0, "40 s"), (14, 15, 1, "40 s"),
    ]  # fmt: skip


def test_sweeps_print_neither() -> None:
    assert printed(prints_each_run=False)[:2] == ["12 runs were finished earlier", "1 of 3: CF5 a, repetition 1"]
