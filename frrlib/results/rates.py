"""The rates of links over time, as the faults of a run change them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from frrlib.model.fault_words import values_text
from frrlib.results.records import Event, Results
from frrlib.results.series import Floats, Series


def new_rate(event: Event) -> tuple[float, str] | None:
    """The rate in Mbit/s that an event sets on a link, and the node to which it applies, empty for both directions.

    Returns:
        None for an event that sets no rate, and for one in a format that this program does not write.
    """
    return rate_in(event.text) if (event.kind, event.what) == ("fault", "link-values") else None


def rate_in(text: str) -> tuple[float, str] | None:
    """The rate among a link's new values, as `new_rate` returns it; None if they do not change it."""
    try:
        values, towards = values_text(text)
    except ValueError:
        return None
    return (values["rate_mbit"], towards) if "rate_mbit" in values else None


def is_towards(direction: str, link: str, towards: str) -> bool:
    """Whether an event on a link, towards a node or (if `towards` is empty) in both directions, concerns a direction
    ("l2:r1-h2")."""
    name, _, ends = direction.partition(":")
    return name == link and ends.endswith(f"-{towards}" if towards else "")


@dataclass(frozen=True, eq=False)
class RateHistory:
    """The rate of a direction of a link over a run.

    Attributes:
        times_s: the times at which the rates take effect, since the start of all flows, ascending. The first rate also
            holds before.
        rates_mbit: the rates; NaN for an unlimited or unknown one.
    """

    times_s: Floats
    rates_mbit: Floats

    @classmethod
    def of(cls, rate_mbit: float | None, changes: Iterable[tuple[float, float]] = ()) -> Self:
        """A history from the first rate (None or 0 for no limit) and from the times in seconds and values of its
        changes, in order."""
        times, rates = np.array([(0.0, rate_mbit or 0.0), *changes], dtype=np.float64).T
        return cls(times, np.where(rates > 0, rates, np.nan))

    @property
    def is_steady(self) -> bool:
        """Whether the rate never changed."""
        return self.times_s.size == 1

    def at(self, times_s: Floats) -> Floats:
        """The rates in force at some times."""
        following = np.searchsorted(self.times_s, times_s, side="right")
        return self.rates_mbit[np.maximum(following - 1, 0)]

    def at_mbit(self, time_s: float) -> float | None:
        """The rate in force at one time; None for no limit."""
        rate_mbit = float(self.at(np.array([time_s]))[0])
        return None if np.isnan(rate_mbit) else rate_mbit

    def mean_mbit(self, begin_s: float, end_s: float) -> float | None:
        """The mean rate from one time to another; None if it was unlimited at some time between them."""
        edges = np.unique(np.append(np.clip(self.times_s, begin_s, end_s), (begin_s, end_s)))
        mean = np.average(self.at(edges[:-1]), weights=np.diff(edges)) if edges.size > 1 else np.nan
        return None if np.isnan(mean) else float(mean)

    def least_mbit(self, begin_s: float, end_s: float) -> float | None:
        """The least rate from one time to another; None if it was never limited."""
        between = (self.times_s > begin_s) & (self.times_s < end_s)
        rates = np.append(self.at(np.array([begin_s])), self.rates_mbit[between])
        return None if np.isnan(rates).all() else float(np.nanmin(rates))

    def drain_ms(self, backlog_bytes: Series) -> Series:
        """The time that a backlog takes to drain at the rate in force; times without a limit are left out."""
        times, held = backlog_bytes
        waits = held * 8e-3 / self.at(times)
        is_known = ~np.isnan(waits)
        return times[is_known], waits[is_known]


def rate_history(results: Results, direction: str, rate_mbit: float | None) -> RateHistory:
    """The rate of a direction ("l2:r1-h2") as a run's faults changed it.

    Args:
        rate_mbit: the rate at the start; None for no limit.
    """
    changes = ((event.time_s, event.subject, new) for event in results.events if (new := new_rate(event)))
    return RateHistory.of(
        rate_mbit, ((time_s, new) for time_s, link, (new, towards) in changes if is_towards(direction, link, towards))
    )
