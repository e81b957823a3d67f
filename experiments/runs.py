"""The finished runs of an experiment, for checks and figures.

FOLDER/runs/CASE_REPETITION/    a results folder for each run
FOLDER/cases.json               the cases
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from frrlib.results.layout import RUN, ResultsError, read_json
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.statistics.summary import Summary, load_summary
from frrlib.results.verdict.finding import PROCESSORS
from miniedit_frr.experiments.values import Values

RUNS, CASES = "runs", "cases.json"
#: A name that is no path, because the folder may be another person's.
_Name = Annotated[str, Field(pattern=r"^[^./\x00-\x1f][^/\x00-\x1f]{0,199}$")]
#: Findings of a run about its machine, rather than about its lab.
_OF_MACHINE = (PROCESSORS, "stalls", "samples")


class RecordedCase(BaseModel):
    """A case in the file `CASES`; see `declaration.Case`."""

    name: _Name
    setup: str
    values: dict[str, int | float | str]
    repeat: int = Field(ge=1, le=1000)
    may_fail: str | bool = ""


class RecordedCases(BaseModel):
    """The file `CASES` in the folder of an experiment.

    Attributes:
        experiment: the name of the experiment; empty in files of early versions.
        quick: whether shortened cases were run.
        cases: the cases that were to be run.
        missing, instead: by case, the reason why it was not run, and what was run in its place.
        settings: the settings that runs of one folder have in common, by their names.
    """

    experiment: str = ""
    quick: bool = False
    cases: tuple[RecordedCase, ...] = Field(max_length=10_000)
    missing: dict[str, str] = {}
    instead: dict[str, str] = {}
    settings: dict[str, Any] = {}


def read_cases(folder: Path) -> RecordedCases:
    """Read the cases of an experiment. The folder may be another person's.

    Raises:
        ResultsError: the folder has no such file, or the file is malformed.
    """
    try:
        content = read_json(folder / CASES, plain=True)
        return RecordedCases.model_validate({**content, "settings": content})
    except ValidationError as error:
        field = ".".join(map(str, error.errors()[0]["loc"]))
        raise ResultsError(folder, f"{CASES} has a malformed value of {field}", "give another folder") from None
    except (OSError, ValueError, TypeError) as error:
        raise ResultsError(folder, f"contains no experiment: {CASES} cannot be read", "give another folder") from error


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
    recorded = read_cases(folder)
    runs, missing = [], dict(recorded.missing)
    for case in recorded.cases:
        reason = "it was not run"
        for number in range(1, case.repeat + 1):
            run_folder = folder / RUNS / f"{case.name}_{number}"
            failure = _failure(run_folder, bool(case.may_fail))
            if failure is None:
                runs.append(Run(case.name, case.setup, case.values, number, run_folder))
            else:
                reason = failure or reason
        if not runs or runs[-1].case != case.name:
            missing.setdefault(case.name, reason)
    return Runs(folder, tuple(runs), missing, recorded.quick, recorded.experiment, recorded.instead)


def _failure(run_folder: Path, may_fail: bool) -> str | None:
    """The reason why a run cannot be used: a sentence, or an empty text if it does not exist; None if it can be
    used."""
    try:
        info = read_json(run_folder / RUN, plain=True)
        status, failures = info["status"], list(map(str, info.get("failures", [])))
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    if status == "finished" or (may_fail and status == "failed"):
        return None
    return f"its run {'failed' if status == 'failed' else 'did not end'}: {'; '.join(failures) or status}"
