"""The events of a sweep in progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from frrlib.sweep.job import Report
from frrlib.sweep.plan import SweepRun


class AnyRun(Protocol):
    """The common attributes of runs of sweeps and experiments.

    Attributes:
        name: unique among all runs.
        label: for people.
        repetition: from 1.
        planned_s: estimated duration, in seconds.
    """

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def repetition(self) -> int: ...
    @property
    def planned_s(self) -> float: ...


R = TypeVar("R", bound=AnyRun, covariant=True)


@dataclass(frozen=True)
class RunStart(Generic[R]):
    """A run has started on a host."""

    run: R
    host: str


@dataclass(frozen=True)
class RunEnd(Generic[R]):
    """A run has ended with a report, and its results are stored."""

    run: R
    report: Report


@dataclass(frozen=True)
class Tally:
    """The progress of a sweep.

    Attributes:
        finished, failed, remaining: numbers of runs.
        earlier: number of finished runs that were finished before this start of the sweep.
    """

    finished: int
    failed: int
    remaining: int
    earlier: int


Listener = Callable[[RunStart[SweepRun] | RunEnd[SweepRun] | Tally], None]
