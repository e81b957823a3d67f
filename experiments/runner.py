"""Carries experiments out: each run a process of its own, as many at once as is good, what is finished stays.

OUT/NAME/cases.json              what each case is, and which were left out and why (`runs.open_runs` reads it)
OUT/NAME/runs/CASE_REPETITION/   an ordinary results folder each; RECORD in it says how it ended
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from experiments.declaration import Experiment
from experiments.plan import ExperimentOptions, PlannedRun, supported_runs, missing_cases, longest_first, planned_runs
from experiments.runs import CASES, RUNS
from frrlib.results.layout import ResultsError, json_text
from frrlib.sweep.events import RunEnd, RunStart, Tally
from frrlib.sweep.job import Report
from frrlib.sweep.options import DEFAULT_OPTIONS, SweepOptions
from frrlib.sweep.storage import Record, lock_folder, read_record, refuse_links, remove_unfinished, store_results
from frrlib.system import atomic_files

RECORD = "experiment-run.json"
#: Settings of an order that make other runs of the same cases, for people.
_WAYS = {"seed": "first seed", "quick": "quick", "virtual_time": "virtual time", "place": "place", "kernel": "kernel"}

#: Hears of runs that begin and end, and how far all of them are; from several threads.
Listener = Callable[[RunStart[PlannedRun] | RunEnd[PlannedRun] | Tally], None]


@dataclass(frozen=True)
class ExperimentPlan:
    """An order to carry out experiments.

    Attributes:
        experiments: which.
        order: how.
        runs: all of their runs that this machine can carry out.
        missing: what it cannot: "EXPERIMENT/CASE" and why.
    """

    experiments: tuple[Experiment, ...]
    options: ExperimentOptions
    runs: tuple[PlannedRun, ...]
    missing: Mapping[str, str]


def make_plan(experiments: Iterable[Experiment], order: ExperimentOptions, remote: bool = False) -> ExperimentPlan:
    """Look at all cases before anything runs.

    Args:
        experiments: which.
        order: how.
        elsewhere: whether other machines carry them out, see `planning.able`.

    Raises:
        PlaceError: this machine can carry out none of them, see `planning.able`.
    """
    chosen = tuple(experiments)
    runs = [run for experiment in chosen for run in planned_runs(experiment, order)]
    can, missing = supported_runs(runs, remote)
    return ExperimentPlan(chosen, order, can, missing)


def unfinished_runs(course: ExperimentPlan, out: Path) -> list[PlannedRun]:
    """The runs that have not finished in a folder with the same drawing, settings and program, longest first."""
    return longest_first(run for run in course.runs if not _is_finished(out, run))


def carry_out(
    course: ExperimentPlan,
    out: Path,
    how: SweepOptions = DEFAULT_OPTIONS,
    listener: Listener = lambda event: None,
    stop: threading.Event | None = None,
) -> Tally:
    """Run what is `left`.

    Args:
        course: of `planned`.
        out: a folder of experiments, new or one in which some have been run.
        how: as of a sweep; runs that have failed before are run again in any case.
        listener: is called with how far it is at the beginning, and with runs that begin and end.
        stop: once it is set it ends, as after Ctrl-C, but without an error.

    Raises:
        KeyboardInterrupt: Ctrl-C. All that has finished is kept.
        ResultsError: the folder holds something else, or an experiment that was run in another way; or it cannot be
            written.
        PlaceError: no scheduler answers.
    """
    with lock_folder(out, "another command is running experiments in it"):
        for experiment in course.experiments:
            _begin(out / experiment.name, experiment, course)
        todo = unfinished_runs(course, out)
        kept, failed = len(course.runs) - len(todo), 0
        listener(Tally(0, 0, len(todo), kept))
        if todo:
            failed = _go(todo, out, how, listener, stop or threading.Event())
        waiting = sum(_record(out, run) is None for run in todo)
        return Tally(len(course.runs) - failed - waiting, failed, waiting, kept)


def _go(todo: Sequence[PlannedRun], out: Path, how: SweepOptions, listener: Listener, stop: threading.Event) -> int:
    """Have runs carried out; how many have failed."""
    from frrlib.sweep.job_queue import run_jobs  # Dask takes a second to import

    failed = 0

    def keep(run: PlannedRun, report: Report) -> Report:
        nonlocal failed
        said = {"case": run.case.name, "repetition": run.repetition, "seed": run.settings.seed, "mark": run.mark}
        report = store_results(_place(out, run), report, RECORD, said)
        if run.case.may_fail and report.archive:
            report = replace(report, status="finished")
        failed += report.status != "finished"
        return report

    run_jobs(todo, lambda run: run.job(how.timeout_s, how.program), how, keep, listener, stop)
    return failed


def _place(out: Path, run: PlannedRun) -> Path:
    return out / run.experiment / RUNS / run.folder


def _record(out: Path, run: PlannedRun) -> Record | None:
    """How a run with this drawing, these settings and this program ended; None for one that has not."""
    found = read_record(_place(out, run), RECORD)
    return found[0] if found and found[1].get("mark") == run.mark else None


def _is_finished(out: Path, run: PlannedRun) -> bool:
    record = _record(out, run)
    return record is not None and (record.status == "finished" or bool(run.case.may_fail and record.metrics))


def _begin(folder: Path, experiment: Experiment, course: ExperimentPlan) -> None:
    """Write the cases of an experiment, or refuse a folder where it was run otherwise."""
    file, order = folder / CASES, course.options
    refuse_links(folder)
    if file.exists():
        _refuse_others(folder, order)
    cases = [
        {"name": case.name, "setup": case.setup, "values": dict(case.values), "repeat": case.repeat,
         "may_fail": case.may_fail}
        for case in order.cases(experiment)
    ]  # fmt: skip
    missing = missing_cases(course.missing, experiment.name)
    instead = {run.case.name: run.substitute for run in course.runs if run.substitute and run.experiment == experiment.name}
    said = {"experiment": experiment.name, **order.comparable_settings, "cases": cases, "missing": missing, "instead": instead}
    try:
        (folder / RUNS).mkdir(parents=True, exist_ok=True)
        remove_unfinished(folder / RUNS)
        atomic_files.replace(file, json_text(said))
    except OSError as error:
        raise ResultsError(folder, f"cannot be written: {error.strerror}", "give another folder") from error


def _refuse_others(folder: Path, order: ExperimentOptions) -> None:
    try:
        old = json.loads((folder / CASES).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultsError(folder, f"{CASES} cannot be read", "give another folder") from error
    other = [
        f"its {words} is {_told(old[name])}, not {_told(order.comparable_settings[name])}"
        for name, words in _WAYS.items()
        if name in old and old[name] != order.comparable_settings[name]
    ]
    if other:
        raise ResultsError(folder, f"was run with other settings: {', '.join(other)}", "choose another folder (--out)")


def _told(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) or "the usual one"
