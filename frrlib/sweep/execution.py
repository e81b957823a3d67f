"""Carries a sweep out: finished runs stay, the others go to Dask, and each result to its place as it comes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from frrlib.sweep.events import Listener, Tally
from frrlib.sweep.folder import SweepFolder
from frrlib.sweep.job import Job, Report, job_of
from frrlib.sweep.job_queue import run_jobs
from frrlib.sweep.options import DEFAULT_OPTIONS, SweepOptions
from frrlib.sweep.plan import SweepPlan, SweepRun
from frrlib.sweep.table import write_table

#: How often the table is written while runs end, in seconds.
_TABLE_S = 10.0


def run_sweep(
    plan: SweepPlan,
    runs: Sequence[SweepRun],
    out: Path,
    how: SweepOptions = DEFAULT_OPTIONS,
    listener: Listener = lambda event: None,
    stop: threading.Event | None = None,
) -> Tally:
    """Run all of a sweep that is left to run, and write its table.

    Args:
        plan: the sweep, with which `out` must agree.
        runs: all of its runs (`plan.runs_of`).
        out: the sweep's folder, new or that of the same sweep.
        listener: is called with how far it is at the beginning, and with runs that begin and end; from several threads.
        stop: once it is set the sweep ends, as after Ctrl-C, but without an error.

    Raises:
        KeyboardInterrupt: Ctrl-C. All that has finished is kept, the table is written.
        ResultsError: see `SweepFolder`; or the results cannot be written.
        PlaceError: no scheduler answers.
    """

    def job(run: SweepRun) -> Job:
        return job_of(run, plan.settings, how.timeout_s, figure=how.figures, program=how.program, folder=how.folder)

    with SweepFolder(out, plan) as folder:
        records = {run.name: folder.record(run.name) for run in runs}
        again = ("failed",) if how.retry_failed else ()
        todo = [run for run in runs if (record := records[run.name]) is None or record.status in again]
        kept = sum(record is not None and record.status == "finished" for record in records.values())
        listener(_tally(folder, runs, kept))

        def keep(run: SweepRun, report: Report) -> Report:
            return folder.keep(run, report)

        try:
            if todo:
                tick = _seldom(lambda: write_table(folder, runs))
                run_jobs(todo, job, how, keep, listener, stop or threading.Event(), tick)
        finally:
            write_table(folder, runs)
        return _tally(folder, runs, kept)


def _tally(folder: SweepFolder, runs: Sequence[SweepRun], kept: int) -> Tally:
    states = [record.status if (record := folder.record(run.name)) else "" for run in runs]
    return Tally(states.count("finished"), states.count("failed"), states.count(""), kept)


def _seldom(act: Callable[[], object]) -> Callable[[], None]:
    """Something that is done every `_TABLE_S` however often it is called."""
    last_s = time.monotonic()

    def tick() -> None:
        nonlocal last_s
        if time.monotonic() - last_s > _TABLE_S:
            act()
            last_s = time.monotonic()

    return tick
