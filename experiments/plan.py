"""The runs of an experiment, and whether this machine supports them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

from frrlib import __version__
from frrlib.errors import PlaceError
from frrlib.formats import mn
from frrlib.lab.needs import needs_of
from frrlib.place.choice import Needs
from frrlib.run.run import RunSettings
from frrlib.sweep.job import Job
from miniedit_frr.experiments.declaration import Case, Experiment
from miniedit_frr.experiments.duration import expected_s

#: Substitutes for a congestion control that the kernel lacks: its successors.
SUBSTITUTES: Mapping[str, tuple[str, ...]] = {"bbr2": ("bbr3",)}
#: Congestion controls that Linux lacks, and how to get them.
REMEDIES: Mapping[str, str] = {"bbr2": "Linux does not include it; build a lab kernel: miniedit-frr kernel build"}


@dataclass(frozen=True)
class ExperimentOptions:
    """Options for running experiments.

    Attributes:
        quick: whether the shortened cases are run.
        repeat: the number of runs of each case; None for the number that the case declares.
        seed: the seed of the first repetition; each further one adds 1. All cases have the same seeds.
        settings: the place, the kernel and the kind of time. The case determines its samples and captures.
    """

    quick: bool = False
    repeat: int | None = None
    seed: int = 1
    settings: RunSettings = field(default_factory=lambda: RunSettings(virtual_time=True))

    def cases(self, experiment: Experiment) -> tuple[Case, ...]:
        """The cases of an experiment, with `repeat` repetitions if it is set."""
        cases = experiment.cases(self.quick)
        return cases if self.repeat is None else tuple(replace(case, repeat=self.repeat) for case in cases)

    @property
    def comparable_settings(self) -> dict[str, object]:
        """The settings that runs in one folder have in common, in the form of `cases.json`."""
        settings = self.settings
        return {
            "quick": self.quick, "seed": self.seed, "virtual_time": settings.virtual_time, "place": settings.place,
            "kernel": str(settings.kernel or ""),
        }  # fmt: skip


def folder_name(is_quick: bool, virtual_time: bool, seed: int = 1) -> str:
    """The name of the usual output folder: one for each mode of running, since a folder has runs of one mode."""
    suffixes = ["quick"] * is_quick + ["real-time"] * (not virtual_time) + [f"seed-{seed}"] * (seed != 1)
    return "-".join(("experiments", *suffixes))


@dataclass(frozen=True, eq=False)
class PlannedRun:
    """A planned run of a case.

    Attributes:
        experiment: the name of its experiment.
        case: its case.
        repetition: its number, from 1.
        settings: its complete settings.
        substitute: the congestion control that is used instead of the one that its case needs; empty for none.
    """

    experiment: str
    case: Case
    repetition: int
    settings: RunSettings
    substitute: str = ""

    @property
    def folder(self) -> str:
        """The name of its results folder."""
        return f"{self.case.name}_{self.repetition}"

    @property
    def name(self) -> str:
        """A name that is unique among all runs: "CF5/bbr_1"."""
        return f"{self.experiment}/{self.folder}"

    @property
    def label(self) -> str:
        """The name of the run in messages."""
        return f"{self.experiment} {self.case.name}"

    @cached_property
    def planned_s(self) -> float:
        """Its estimated duration, in seconds."""
        return expected_s(self.case.topology, self.settings.virtual_time)

    @cached_property
    def text(self) -> str:
        """Its topology as the text of a `.mn` file."""
        return mn.dumps(self.case.topology)

    @property
    def mark(self) -> str:
        """A hash of the topology, the settings and the program's version: runs with the same mark are the same."""
        key = json.dumps([__version__, self.text, asdict(self.settings)], sort_keys=True, default=str)
        return hashlib.blake2b(key.encode(), digest_size=12).hexdigest()

    def job(self, timeout_s: float | None, program: str) -> Job:
        """The job for a worker of a sweep."""
        return Job(self.name, self.text, asdict(self.settings), timeout_s, program=program)


def planned_runs(experiment: Experiment, options: ExperimentOptions) -> tuple[PlannedRun, ...]:
    """Every run of an experiment, in the order of its cases."""
    return tuple(
        PlannedRun(experiment.name, case, number, _settings(case, number, options))
        for case in options.cases(experiment)
        for number in range(1, case.repeat + 1)
    )


def longest_first(runs: Iterable[PlannedRun]) -> list[PlannedRun]:
    """Sort runs so that parallel workers finish at about the same time."""
    return sorted(runs, key=lambda run: -run.planned_s)


def supported_runs(runs: Sequence[PlannedRun], remote: bool = False) -> tuple[tuple[PlannedRun, ...], dict[str, str]]:
    """The runs that this machine supports, and obstacles to the others: a sentence for each "EXPERIMENT/CASE".

    Args:
        runs: all planned runs.
        remote: whether other machines execute them. Then only rare congestion controls are checked on this machine.

    Raises:
        PlaceError: no run is supported, for a reason that does not depend on the experiment: the machine has no kernel
            with virtual time, say.
    """
    supported: list[PlannedRun] = []
    obstacles: dict[str, str] = {}
    refusals = _RefusalCache()
    for run in runs:
        name = f"{run.experiment}/{run.case.name}"
        if run.case.real_time and run.settings.virtual_time:
            obstacles[name] = f"{run.case.real_time}; --real-time shows it"
            continue
        error = None if remote and not run.case.needs else refusals.refusal(run)
        if error is None:
            supported.append(run)
        elif alternatives := [candidate for candidate in _substitute_runs(run) if refusals.refusal(candidate) is None]:
            supported.append(alternatives[0])
        else:
            obstacles[name] = _obstacle(error, run.case.needs)
    if not supported and (error := refusals.first_general()):
        raise error
    return tuple(supported), obstacles


class _RefusalCache:
    """Errors of places by the needs of a run: many cases have the same needs."""

    def __init__(self) -> None:
        self._errors: dict[tuple[Needs, RunSettings], PlaceError | None] = {}

    def refusal(self, run: PlannedRun) -> PlaceError | None:
        """The error that prevents a run; None if this machine supports it."""
        key = (needs_of(run.case.topology), replace(run.settings, seed=0, sample_hz=0.0, captures=()))
        if key not in self._errors:
            try:
                run.settings.lab(run.case.topology)
                self._errors[key] = None
            except PlaceError as error:
                self._errors[key] = error
        return self._errors[key]

    def first_general(self) -> PlaceError | None:
        """The first error of a run that needs no rare congestion control."""
        errors = (
            error for (needs, _), error in self._errors.items() if not needs.congestion_controls & REMEDIES.keys()
        )
        return next(filter(None, errors), None)


def _substitute_runs(run: PlannedRun) -> Iterator[PlannedRun]:
    """The run with each substitute for the congestion control that it needs."""
    for control in SUBSTITUTES.get(run.case.needs, ()):
        flows = tuple(
            flow.model_copy(update={"congestion_control": control})
            if flow.congestion_control == run.case.needs
            else flow
            for flow in run.case.topology.flows
        )
        topology = run.case.topology.model_copy(update={"flows": flows})
        yield replace(run, case=replace(run.case, topology=topology), substitute=control)


def missing_cases(missing: Mapping[str, str], experiment: str) -> dict[str, str]:
    """The obstacles of one experiment by case, from those of `supported_runs`."""
    return {name.partition("/")[2]: reason for name, reason in missing.items() if name.partition("/")[0] == experiment}


def _obstacle(error: PlaceError, needs: str) -> str:
    remedy = REMEDIES.get(needs, error.remedy if not needs else "")
    return f"{error.missing}; {remedy}" if remedy else error.missing


def _settings(case: Case, repetition: int, options: ExperimentOptions) -> RunSettings:
    seed = options.seed + repetition - 1
    return replace(options.settings, seed=seed, sample_hz=case.sample_hz, captures=case.captures)
