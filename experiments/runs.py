"""The existing runs of an experiment, for code that takes numbers from them or draws them.

FOLDER/runs/CASE_REPETITION/    an ordinary results folder each
FOLDER/cases.json               what each case is
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from experiments.values import Values
from frrlib.results.layout import RUN, ResultsError
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.statistics.summary import Summary, load_summary
from frrlib.results.verdict.finding import PROCESSORS

RUNS, CASES = "runs", "cases.json"
#: Findings of a run that are about the machine which it was on, not about the lab.
_OF_MACHINE = (PROCESSORS, "stalls", "samples")


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a case.

    Attributes:
        case: its name.
        setup: see `declare.Case`.
        values: see `declare.Case`.
        repetition: from 1.
        folder: its results.
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
    """All runs of an experiment that have finished.

    Attributes:
        folder: of the experiment.
        runs: in the order of its cases.
        missing: names of cases of which there is no finished run, and why.
        is_quick: whether these are the shortened cases.
        experiment: the name of the experiment.
        instead: names of cases in which another congestion control stands in for the one that they need, and which.
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
        """Names of the folders of runs disturbed by their machine, and how, a sentence; none in virtual time."""
        found: dict[str, str] = {}
        for run in self.runs:
            for finding in run.summary.findings:
                if finding.severity == "doubt" and finding.what in _OF_MACHINE:
                    found.setdefault(run.folder.name, finding.why)
        return found

    @property
    def doubts_text(self) -> str:
        """The same in a sentence for people; empty where there is no doubt."""
        if not self.doubts:
            return ""
        name, why = next(iter(self.doubts.items()))
        return f"{len(self.doubts)} of {len(self.runs)} runs are doubtful, and so are their numbers; {name}: {why}"

    def select(self, setup: str | None = None, **values: str | float) -> list[Run]:
        """Those of a set-up, and with these values; all of their repetitions."""
        return [
            run
            for run in self.runs
            if setup in (None, run.setup) and all(run.values.get(name) == value for name, value in values.items())
        ]

    def first(self, setup: str | None = None, **values: str | float) -> Run | None:
        """The first of `of`; None for none."""
        return next(iter(self.select(setup, **values)), None)

    def median(
        self, take: Callable[[Results], float | None], setup: str | None = None, **values: str | float
    ) -> float | None:
        """The median over repetitions of a number that is taken from each run; None where no run has it."""
        found = [number for run in self.select(setup, **values) if (number := take(run.results)) is not None]
        return statistics.median(found) if found else None

    def values_of(self, name: str, setup: str | None = None) -> Sequence[str | float]:
        """The values that runs have under a name, each once, in order."""
        found = {run.values[name] for run in self.select(setup) if name in run.values}
        return sorted(found, key=lambda value: (isinstance(value, str), value))


def experiment_folders(folder: Path) -> list[Path]:
    """The folders of experiments in a folder, or the folder itself if it is one's.

    Raises:
        ResultsError: there are none.
    """
    if (folder / CASES).exists():
        return [folder]
    found = sorted(path.parent for path in folder.glob(f"*/{CASES}"))
    if not found:
        raise ResultsError(
            folder, "contains no experiment", "create one with miniedit-frr experiment run NAME --out DIR"
        )
    return found


def open_runs(folder: Path) -> Runs:
    """The runs of an experiment.

    Args:
        folder: its own, which `running.py` has made.

    Raises:
        ResultsError: it holds none.
    """
    try:
        said = json.loads((folder / CASES).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultsError(folder, f"contains no experiment: {CASES} cannot be read") from error
    runs, missing = [], dict(said.get("missing", {}))
    for case in said["cases"]:
        why = "it was not run"
        for number in range(1, case["repeat"] + 1):
            place = folder / RUNS / f"{case['name']}_{number}"
            failure = _failure(place, bool(case.get("may_fail")))
            if failure is None:
                runs.append(Run(case["name"], case["setup"], case["values"], number, place))
            else:
                why = failure or why
        if not runs or runs[-1].case != case["name"]:
            missing.setdefault(case["name"], why)
    return Runs(
        folder,
        tuple(runs),
        missing,
        bool(said.get("quick")),
        str(said.get("experiment", "")),
        dict(said.get("instead", {})),
    )


def _failure(place: Path, may_fail: bool) -> str | None:
    """Why a run cannot be used: a sentence, empty where there is none; None where it can."""
    try:
        info = json.loads((place / RUN).read_text(encoding="utf-8"))
        status, failures = info["status"], info.get("failures", [])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    if status == "finished" or (may_fail and status == "failed"):
        return None
    return f"its run {'failed' if status == 'failed' else 'did not end'}: {'; '.join(failures) or status}"
