"""The events of a sweep in progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from frrlib.sweep.job import Report
from frrlib.sweep.plan import SweepRun


class AnyRun(Protocol):
    """The common attributes of anything that runs.

    Attributes:
        name: unique among all.
        label: for people.
        repetition: from 1.
        planned_s: about how long it takes, in seconds.
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
    """A run has begun.

    Attributes:
        run: which.
        host: where.
    """

    run: R
    host: str


@dataclass(frozen=True)
class RunEnd(Generic[R]):
    """A run has ended, and its results are in their place.

    Attributes:
        run: which.
        report: what came of it.
    """

    run: R
    report: Report


@dataclass(frozen=True)
class Tally:
    """The progress of a sweep.

    Attributes:
        finished, failed, left: how many of its runs.
        kept: how many of the finished were finished before.
    """

    finished: int
    failed: int
    left: int
    kept: int


Listener = Callable[[RunStart[SweepRun] | RunEnd[SweepRun] | Tally], None]
