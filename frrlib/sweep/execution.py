"""Runs a sweep: finished runs stay, the others are submitted to Dask, and each result is stored on arrival."""

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
    """Run all remaining runs of a sweep, and write its table.

    Args:
        plan: the sweep; `out` must belong to it.
        runs: all of its runs (`plan.runs_of`).
        out: the sweep's folder, new or that of the same sweep.
        listener: called with the tally at the start, and with starts and ends of runs; in several threads.
        stop: setting it ends the sweep like Ctrl-C, but without an error.

    Raises:
        KeyboardInterrupt: Ctrl-C. Finished runs are stored, and the table is written.
        ResultsError: see `SweepFolder`; or the results cannot be written.
        PlaceError: no scheduler answers.
    """

    def job(run: SweepRun) -> Job:
        return job_of(run, plan.settings, how.timeout_s, figure=how.figures, program=how.program, folder=how.folder)

    with SweepFolder(out, plan) as folder:
        records = {run.name: folder.record(run.name) for run in runs}
        again = ("failed",) if how.retry_failed else ()
        todo = [run for run in runs if (record := records[run.name]) is None or record.status in again]
        finished_before = sum(record is not None and record.status == "finished" for record in records.values())
        listener(_tally(folder, runs, finished_before))

        def keep(run: SweepRun, report: Report) -> Report:
            return folder.keep(run, report)

        try:
            if todo:
                tick = _limit_rate(lambda: write_table(folder, runs))
                run_jobs(todo, job, how, keep, listener, stop or threading.Event(), tick)
        finally:
            write_table(folder, runs)
        return _tally(folder, runs, finished_before)


def _tally(folder: SweepFolder, runs: Sequence[SweepRun], finished_before: int) -> Tally:
    states = [record.status if (record := folder.record(run.name)) else "" for run in runs]
    return Tally(states.count("finished"), states.count("failed"), states.count(""), finished_before)


def _limit_rate(act: Callable[[], object]) -> Callable[[], None]:
    """A function that calls `act` at most once every `_TABLE_S`."""
    last_s = time.monotonic()

    def tick() -> None:
        nonlocal last_s
        if time.monotonic() - last_s > _TABLE_S:
            act()
            last_s = time.monotonic()

    return tick
