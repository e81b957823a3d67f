"""The finished runs of an experiment, for checks and figures.

FOLDER/runs/CASE_REPETITION/    a results folder for each run
FOLDER/cases.json               the cases
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from frrlib.results.layout import RUN, ResultsError
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.statistics.summary import Summary, load_summary
from frrlib.results.verdict.finding import PROCESSORS
from miniedit_frr.experiments.values import Values

RUNS, CASES = "runs", "cases.json"
#: Findings of a run about its machine, rather than about its lab.
_OF_MACHINE = (PROCESSORS, "stalls", "samples")


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a case.

    Attributes:
        case: the name of the case.
        setup: see `declaration.Case`.
        values: see `declaration.Case`.
        repetition: its number, from 1.
        folder: its results folder.
    """

    case: str
    setup: str
    values: Values
    repetition: int
    folder: Path

    @cached_property
    def results(self) -> Results:
        """The measurements."""
        return open_results(self.folder)

    @cached_property
    def summary(self) -> Summary:
        """Statistics of its flows and queues."""
        return load_summary(self.folder)


@dataclass(frozen=True, eq=False)
class Runs:
    """All finished runs of an experiment.

    Attributes:
        folder: the folder of the experiment.
        runs: the runs, in the order of its cases.
        missing: cases without a finished run, with the reasons.
        is_quick: whether these are the shortened cases.
        experiment: the name of the experiment.
        substitutes: cases in which another congestion control replaces the one that they need, with its name.
    """

    folder: Path
    runs: tuple[Run, ...]
    missing: dict[str, str] = field(default_factory=dict)
    is_quick: bool = False
    experiment: str = ""
    substitutes: dict[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    @cached_property
    def doubts(self) -> dict[str, str]:
        """The runs that their machine has disturbed: a sentence by the name of the run's folder; none in virtual
        time."""
        reason_by_folder: dict[str, str] = {}
        for run in self.runs:
            for finding in run.summary.findings:
                if finding.severity == "doubt" and finding.what in _OF_MACHINE:
                    reason_by_folder.setdefault(run.folder.name, finding.message)
        return reason_by_folder

    @property
    def doubts_text(self) -> str:
        """A sentence about the disturbed runs; empty without `doubts`."""
        if not self.doubts:
            return ""
        name, reason = next(iter(self.doubts.items()))
        return f"{len(self.doubts)} of {len(self.runs)} runs are doubtful, and so are their numbers; {name}: {reason}"

    def select(self, setup: str | None = None, **values: str | float) -> list[Run]:
        """The runs of a set-up with these values, with all repetitions."""
        return [
            run
            for run in self.runs
            if setup in (None, run.setup) and all(run.values.get(name) == value for name, value in values.items())
        ]

    def first(self, setup: str | None = None, **values: str | float) -> Run | None:
        """The first run of a set-up with these values; None if it is missing."""
        return next(iter(self.select(setup, **values)), None)

    def median(
        self, measure: Callable[[Results], float | None], setup: str | None = None, **values: str | float
    ) -> float | None:
        """The median of a number over the runs of a set-up with these values; None if no run has it."""
        numbers = [number for run in self.select(setup, **values) if (number := measure(run.results)) is not None]
        return statistics.median(numbers) if numbers else None

    def values_of(self, name: str, setup: str | None = None) -> Sequence[str | float]:
        """The different values of this name in all runs, sorted."""
        values = {run.values[name] for run in self.select(setup) if name in run.values}
        return sorted(values, key=lambda value: (isinstance(value, str), value))


def experiment_folders(folder: Path) -> list[Path]:
    """The folders of experiments in a folder, or the folder itself if it belongs to one experiment.

    Raises:
        ResultsError: the folder contains no experiment.
    """
    if (folder / CASES).exists():
        return [folder]
    folders = sorted(path.parent for path in folder.glob(f"*/{CASES}"))
    if not folders:
        raise ResultsError(
            folder, "contains no experiment", "create one with miniedit-frr experiment run NAME --out DIR"
        )
    return folders


def open_runs(folder: Path) -> Runs:
    """Read the finished runs of an experiment.

    Args:
        folder: the folder of the experiment, which `runner.py` has made.

    Raises:
        ResultsError: the folder contains no experiment.
    """
    try:
        content = json.loads((folder / CASES).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultsError(folder, f"contains no experiment: {CASES} cannot be read") from error
    runs, missing = [], dict(content.get("missing", {}))
    for case in content["cases"]:
        reason = "it was not run"
        for number in range(1, case["repeat"] + 1):
            run_folder = folder / RUNS / f"{case['name']}_{number}"
            failure = _failure(run_folder, bool(case.get("may_fail")))
            if failure is None:
                runs.append(Run(case["name"], case["setup"], case["values"], number, run_folder))
            else:
                reason = failure or reason
        if not runs or runs[-1].case != case["name"]:
            missing.setdefault(case["name"], reason)
    return Runs(
        folder,
        tuple(runs),
        missing,
        bool(content.get("quick")),
        str(content.get("experiment", "")),
        dict(content.get("instead", {})),
    )


def _failure(run_folder: Path, may_fail: bool) -> str | None:
    """The reason why a run cannot be used: a sentence, or an empty text if it does not exist; None if it can be
    used."""
    try:
        info = json.loads((run_folder / RUN).read_text(encoding="utf-8"))
        status, failures = info["status"], info.get("failures", [])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    if status == "finished" or (may_fail and status == "failed"):
        return None
    return f"its run {'failed' if status == 'failed' else 'did not end'}: {'; '.join(failures) or status}"
