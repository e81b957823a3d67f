"""Which runs an experiment asks for, and which of them this machine can carry out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

from experiments.declaration import Case, Experiment
from experiments.duration import expected_s
from frrlib import __version__
from frrlib.errors import PlaceError
from frrlib.formats import mn
from frrlib.lab.needs import needs_of
from frrlib.place.choice import Needs
from frrlib.run.run import RunSettings
from frrlib.sweep.job import Job

#: The substitute for a congestion control that is not there, as its successor.
SUBSTITUTES: Mapping[str, tuple[str, ...]] = {"bbr2": ("bbr3",)}
#: Congestion controls that no kernel of kernel.org has, and where to get them.
REMEDIES: Mapping[str, str] = {
    "bbr2": "Linux does not include it; a lab kernel of other sources does, see docs/lab-kernels.md",
}


@dataclass(frozen=True)
class ExperimentOptions:
    """How experiments are to be run.

    Attributes:
        quick: whether the shortened cases are run.
        repeat: runs of each case; None for as many as it declares.
        seed: of the first repetition; each further one has the next. All cases have the same seeds.
        settings: where, in which kernel, and in which time; seed and samples are each case's own.
    """

    quick: bool = False
    repeat: int | None = None
    seed: int = 1
    settings: RunSettings = field(default_factory=lambda: RunSettings(virtual_time=True))

    def cases(self, experiment: Experiment) -> tuple[Case, ...]:
        """The cases of an experiment, with as many repetitions as are wanted."""
        found = experiment.cases(self.quick)
        return found if self.repeat is None else tuple(replace(case, repeat=self.repeat) for case in found)

    @property
    def comparable_settings(self) -> dict[str, object]:
        """The parts of a plan that make runs comparable, as JSON has it."""
        settings = self.settings
        return {
            "quick": self.quick, "seed": self.seed, "virtual_time": settings.virtual_time, "place": settings.place,
            "kernel": str(settings.kernel or ""),
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class PlannedRun:
    """A run that is asked for.

    Attributes:
        experiment: the name of its experiment.
        case: its case.
        repetition: from 1.
        settings: all of them.
        instead: the congestion control that stands in for the one that its case needs; empty for none.
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
        """Unique among all runs: "CF5/bbr_1"."""
        return f"{self.experiment}/{self.folder}"

    @property
    def label(self) -> str:
        """For people."""
        return f"{self.experiment} {self.case.name}"

    @cached_property
    def planned_s(self) -> float:
        """About how long it takes, in seconds."""
        return expected_s(self.case.topology, self.settings.virtual_time)

    @cached_property
    def text(self) -> str:
        """Its drawing's file."""
        return mn.dumps(self.case.topology)

    @property
    def mark(self) -> str:
        """A word that is equal for runs with equal results: drawing, settings and program."""
        key = json.dumps([__version__, self.text, asdict(self.settings)], sort_keys=True, default=str)
        return hashlib.blake2b(key.encode(), digest_size=12).hexdigest()

    def job(self, timeout_s: float | None, program: str) -> Job:
        """The order to a worker."""
        return Job(self.name, self.text, asdict(self.settings), timeout_s, program=program)


def planned_runs(experiment: Experiment, order: ExperimentOptions) -> tuple[PlannedRun, ...]:
    """Every run of an experiment, in the order of its cases."""
    return tuple(
        PlannedRun(experiment.name, case, number, _settings(case, number, order))
        for case in order.cases(experiment)
        for number in range(1, case.repeat + 1)
    )


def longest_first(runs: Iterable[PlannedRun]) -> list[PlannedRun]:
    """In an order in which several at once end at about the same time."""
    return sorted(runs, key=lambda run: -run.planned_s)


def supported_runs(runs: Sequence[PlannedRun], remote: bool = False) -> tuple[tuple[PlannedRun, ...], dict[str, str]]:
    """The runs that this machine can carry out, and the obstacles to others: "EXPERIMENT/CASE" and a sentence.

    Args:
        runs: all that are asked for.
        elsewhere: whether they are carried out on other machines. This one is then asked for nothing but what few
            kernels have.

    Raises:
        PlaceError: nothing can be carried out, for a reason that has nothing to do with what an experiment needs:
            there is no kernel with virtual time, say.
    """
    can: list[PlannedRun] = []
    found: dict[str, str] = {}
    asked = _Asked()
    for run in runs:
        name = f"{run.experiment}/{run.case.name}"
        if run.case.real_time and run.settings.virtual_time:
            found[name] = f"{run.case.real_time}; --real-time shows it"
            continue
        error = None if remote and not run.case.needs else asked.refusal(run)
        if error is None:
            can.append(run)
        elif (other := next((each for each in _stand_ins(run) if asked.refusal(each) is None), None)) is not None:
            can.append(other)
        else:
            found[name] = _words(error, run.case.needs)
    if not can and (error := asked.first_plain()):
        raise error
    return tuple(can), found


class _Asked:
    """Earlier answers of this machine: many cases ask the same of it."""

    def __init__(self) -> None:
        self._known: dict[tuple[Needs, RunSettings], PlaceError | None] = {}

    def refusal(self, run: PlannedRun) -> PlaceError | None:
        """Why a run cannot be carried out; None where it can."""
        key = (needs_of(run.case.topology), replace(run.settings, seed=0, sample_hz=0.0, captures=()))
        if key not in self._known:
            try:
                run.settings.lab(run.case.topology)
                self._known[key] = None
            except PlaceError as error:
                self._known[key] = error
        return self._known[key]

    def first_plain(self) -> PlaceError | None:
        """The first refusal of a case that needs nothing that most kernels lack."""
        errors = (
            error for (needs, _), error in self._known.items() if not needs.congestion_controls & REMEDIES.keys()
        )
        return next(filter(None, errors), None)


def _stand_ins(run: PlannedRun) -> Iterator[PlannedRun]:
    """The run with a substitute for the congestion control that it needs."""
    for other in SUBSTITUTES.get(run.case.needs, ()):
        flows = tuple(
            flow.model_copy(update={"congestion_control": other}) if flow.congestion_control == run.case.needs else flow
            for flow in run.case.topology.flows
        )
        topology = run.case.topology.model_copy(update={"flows": flows})
        yield replace(run, case=replace(run.case, topology=topology), substitute=other)


def missing_cases(missing: Mapping[str, str], experiment: str) -> dict[str, str]:
    """Those of `able` that are of one experiment, by case."""
    return {name.partition("/")[2]: why for name, why in missing.items() if name.partition("/")[0] == experiment}


def _words(error: PlaceError, needs: str) -> str:
    how = REMEDIES.get(needs, error.remedy if not needs else "")
    return f"{error.missing}; {how}" if how else error.missing


def _settings(case: Case, repetition: int, order: ExperimentOptions) -> RunSettings:
    seed = order.seed + repetition - 1
    return replace(order.settings, seed=seed, sample_hz=case.sample_hz, captures=case.captures)
