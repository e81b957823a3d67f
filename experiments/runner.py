"""Runs experiments: each run in its own process, several in parallel. Finished runs are kept.

OUT/NAME/cases.json              the cases, and the reasons why some were left out (`runs.open_runs` reads it)
OUT/NAME/runs/CASE_REPETITION/   a results folder for each run; RECORD in it is the outcome of the run
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from frrlib.results.layout import ResultsError, json_text
from frrlib.sweep.events import RunEnd, RunStart, Tally
from frrlib.sweep.job import Report
from frrlib.sweep.options import DEFAULT_OPTIONS, SweepOptions
from frrlib.sweep.storage import Record, lock_folder, read_record, refuse_links, remove_unfinished, store_results
from frrlib.system import atomic_files
from miniedit_frr.experiments.declaration import Experiment
from miniedit_frr.experiments.plan import (
    ExperimentOptions,
    PlannedRun,
    longest_first,
    missing_cases,
    planned_runs,
    supported_runs,
)
from miniedit_frr.experiments.runs import CASES, RUNS, read_cases

RECORD = "experiment-run.json"
#: Settings that all runs in a folder have in common, and their names in messages.
_COMMON_SETTINGS = {
    "seed": "first seed",
    "quick": "quick",
    "virtual_time": "virtual time",
    "place": "place",
    "kernel": "kernel",
}

#: Receives events: the start and end of each run, and tallies. It is called from several threads.
Listener = Callable[[RunStart[PlannedRun] | RunEnd[PlannedRun] | Tally], None]


@dataclass(frozen=True)
class ExperimentPlan:
    """The plan of all runs of some experiments.

    Attributes:
        experiments: the experiments.
        options: the options of their runs.
        runs: all of their runs that this machine supports.
        missing: the reasons why other cases are not supported, by "EXPERIMENT/CASE".
    """

    experiments: tuple[Experiment, ...]
    options: ExperimentOptions
    runs: tuple[PlannedRun, ...]
    missing: Mapping[str, str]


def make_plan(experiments: Iterable[Experiment], options: ExperimentOptions, remote: bool = False) -> ExperimentPlan:
    """Check all cases before the first run.

    Args:
        experiments: the experiments to run.
        options: the options of their runs.
        remote: whether other machines execute them, see `plan.supported_runs`.

    Raises:
        PlaceError: this machine supports none of the runs, see `plan.supported_runs`.
    """
    selected = tuple(experiments)
    runs = [run for experiment in selected for run in planned_runs(experiment, options)]
    supported, missing = supported_runs(runs, remote)
    return ExperimentPlan(selected, options, supported, missing)


def unfinished_runs(plan: ExperimentPlan, out: Path) -> list[PlannedRun]:
    """The runs without a finished run of the same topology, settings and program in the folder, longest first."""
    return longest_first(run for run in plan.runs if not _is_finished(out, run))


def carry_out(
    plan: ExperimentPlan,
    out: Path,
    sweep_options: SweepOptions = DEFAULT_OPTIONS,
    listener: Listener = lambda event: None,
    stop: threading.Event | None = None,
) -> Tally:
    """Execute the `unfinished_runs` of a plan.

    Args:
        plan: the result of `make_plan`.
        out: a folder of experiments, which may be new.
        sweep_options: see `SweepOptions`. Failed runs are always repeated.
        listener: is called with a first tally, and at the start and the end of each run.
        stop: an event that ends the runs as Ctrl-C does, but without an error.

    Raises:
        KeyboardInterrupt: the user pressed Ctrl-C. All finished runs are kept.
        ResultsError: the folder contains other files, or runs with other settings; or it cannot be written.
        PlaceError: no scheduler replies.
    """
    with lock_folder(out, "another command is running experiments in it"):
        for experiment in plan.experiments:
            _write_cases(out / experiment.name, experiment, plan)
        unfinished = unfinished_runs(plan, out)
        kept_count, failed_count = len(plan.runs) - len(unfinished), 0
        listener(Tally(0, 0, len(unfinished), kept_count))
        if unfinished:
            failed_count = _execute(unfinished, out, sweep_options, listener, stop or threading.Event())
        waiting_count = sum(_record(out, run) is None for run in unfinished)
        return Tally(len(plan.runs) - failed_count - waiting_count, failed_count, waiting_count, kept_count)


def _execute(
    unfinished: Sequence[PlannedRun], out: Path, sweep_options: SweepOptions, listener: Listener, stop: threading.Event
) -> int:
    """Execute runs by the queue of sweeps; return the number of failed runs."""
    from frrlib.sweep.job_queue import run_jobs  # Dask takes a second to import

    failed_count = 0

    def keep(run: PlannedRun, report: Report) -> Report:
        nonlocal failed_count
        run_facts = {"case": run.case.name, "repetition": run.repetition, "seed": run.settings.seed, "mark": run.mark}
        report = store_results(_run_folder(out, run), report, RECORD, run_facts)
        if run.case.may_fail and report.archive:
            report = replace(report, status="finished")
        failed_count += report.status != "finished"
        return report

    run_jobs(
        unfinished,
        lambda run: run.job(sweep_options.timeout_s, sweep_options.program),
        sweep_options,
        keep,
        listener,
        stop,
    )
    return failed_count


def _run_folder(out: Path, run: PlannedRun) -> Path:
    return out / run.experiment / RUNS / run.folder


def _record(out: Path, run: PlannedRun) -> Record | None:
    """The record of a run with this topology, these settings and this program; None if it has not ended."""
    stored = read_record(_run_folder(out, run), RECORD)
    return stored[0] if stored and stored[1].get("mark") == run.mark else None


def _is_finished(out: Path, run: PlannedRun) -> bool:
    record = _record(out, run)
    return record is not None and (record.status == "finished" or bool(run.case.may_fail and record.metrics))


def _write_cases(folder: Path, experiment: Experiment, plan: ExperimentPlan) -> None:
    """Write the cases of an experiment, or refuse a folder with runs that have other settings."""
    file, options = folder / CASES, plan.options
    refuse_links(folder)
    if file.exists():
        _refuse_others(folder, options)
    cases = [
        {"name": case.name, "setup": case.setup, "values": dict(case.values), "repeat": case.repeat,
         "may_fail": case.may_fail}
        for case in options.cases(experiment)
    ]  # fmt: skip
    missing = missing_cases(plan.missing, experiment.name)
    instead = {
        run.case.name: run.substitute for run in plan.runs if run.substitute and run.experiment == experiment.name
    }
    content = {
        "experiment": experiment.name,
        **options.comparable_settings,
        "cases": cases,
        "missing": missing,
        "instead": instead,
    }
    try:
        (folder / RUNS).mkdir(parents=True, exist_ok=True)
        remove_unfinished(folder / RUNS)
        atomic_files.replace(file, json_text(content))
    except OSError as error:
        raise ResultsError(folder, f"cannot be written: {error.strerror}", "give another folder") from error


def _refuse_others(folder: Path, options: ExperimentOptions) -> None:
    old = read_cases(folder).settings
    differences = [
        f"its {words} is {_setting_text(old[name])}, not {_setting_text(options.comparable_settings[name])}"
        for name, words in _COMMON_SETTINGS.items()
        if name in old and old[name] != options.comparable_settings[name]
    ]
    if differences:
        raise ResultsError(
            folder, f"was run with other settings: {', '.join(differences)}", "choose another folder (--out)"
        )


def _setting_text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) or "the usual one"
