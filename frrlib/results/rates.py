"""The course of links' rates while a run's faults changed them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from frrlib.model.fault_words import values_text
from frrlib.results.records import Event, Results
from frrlib.results.series import Floats, Series


def new_rate(event: Event) -> tuple[float, str] | None:
    """The rate that an event gives a link, in Mbit/s, and towards which node, empty for both; None where it gives none.

    What is no event of ours, in a folder that somebody else wrote, gives none either.
    """
    return rate_in(event.text) if (event.kind, event.what) == ("fault", "link-values") else None


def rate_in(text: str) -> tuple[float, str] | None:
    """The rate among a link's new values, as `new_rate` gives it; None if they leave it as it is."""
    try:
        values, towards = values_text(text)
    except ValueError:
        return None
    return (values["rate_mbit"], towards) if "rate_mbit" in values else None


def is_towards(direction: str, link: str, towards: str) -> bool:
    """Whether what was told of a link, towards a node or, where that is empty, both ways, is told of a direction
    ("l2:r1-h2")."""
    name, _, ends = direction.partition(":")
    return name == link and ends.endswith(f"-{towards}" if towards else "")


@dataclass(frozen=True, eq=False)
class Course:
    """The rate of a direction of a link, over a run.

    Attributes:
        times_s: since the start of all flows, ascending: from when on each rate holds; the first holds before, too.
        rates_mbit: as many; NaN for no limit, and for one that is not known.
    """

    times_s: Floats
    rates_mbit: Floats

    @classmethod
    def of(cls, rate_mbit: float | None, changes: Iterable[tuple[float, float]] = ()) -> Self:
        """A rate, None or 0 for no limit, and when in seconds it was changed to what, in order."""
        times, rates = np.array([(0.0, rate_mbit or 0.0), *changes], dtype=np.float64).T
        return cls(times, np.where(rates > 0, rates, np.nan))

    @property
    def is_steady(self) -> bool:
        """Whether it never changed."""
        return self.times_s.size == 1

    def at(self, times_s: Floats) -> Floats:
        """The rates in force at some times."""
        after = np.searchsorted(self.times_s, times_s, side="right")
        return self.rates_mbit[np.maximum(after - 1, 0)]

    def at_mbit(self, time_s: float) -> float | None:
        """The rate in force at one time; None for no limit."""
        rate_mbit = float(self.at(np.array([time_s]))[0])
        return None if np.isnan(rate_mbit) else rate_mbit

    def mean_mbit(self, begin_s: float, end_s: float) -> float | None:
        """The mean from one time to another; None where there is no limit at some time between them."""
        edges = np.unique(np.append(np.clip(self.times_s, begin_s, end_s), (begin_s, end_s)))
        mean = np.average(self.at(edges[:-1]), weights=np.diff(edges)) if edges.size > 1 else np.nan
        return None if np.isnan(mean) else float(mean)

    def least_mbit(self, begin_s: float, end_s: float) -> float | None:
        """The least from one time to another; None where there is never a limit."""
        between = (self.times_s > begin_s) & (self.times_s < end_s)
        rates = np.append(self.at(np.array([begin_s])), self.rates_mbit[between])
        return None if np.isnan(rates).all() else float(np.nanmin(rates))

    def drain_ms(self, backlog_bytes: Series) -> Series:
        """The time that a backlog takes to leave at the rate in force then; times without a limit are left out."""
        times, held = backlog_bytes
        waits = held * 8e-3 / self.at(times)
        known = ~np.isnan(waits)
        return times[known], waits[known]


def course(results: Results, direction: str, rate_mbit: float | None) -> Course:
    """The rate of a direction ("l2:r1-h2") as a run's faults changed it.

    Args:
        rate_mbit: with which it began; None for no limit.
    """
    told = ((event.time_s, event.subject, new) for event in results.events if (new := new_rate(event)))
    return Course.of(
        rate_mbit, ((time_s, new) for time_s, link, (new, towards) in told if is_towards(direction, link, towards))
    )
