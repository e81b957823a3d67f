"""The limits of queues over time, as faults of a run change them.

A limit in packets or bytes keeps its size when the rate of the link changes. A limit in milliseconds or in
bandwidth-delay products, and the default limit, follow the rate. The fault that changes the rate records the new limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from frrlib.model.fault_words import read_limits
from frrlib.results.rates import RateHistory, is_towards
from frrlib.results.records import Event, Results
from frrlib.results.series import Floats


@dataclass(frozen=True, eq=False)
class LimitHistory:
    """The limit of one queue over a run.

    Attributes:
        times_s: the times at which the limits take effect, since the start of all flows, ascending. The first limit
            also holds before.
        limits_bytes: the limits; NaN where a limit is unknown or the queue has none of its own.
    """

    times_s: Floats
    limits_bytes: Floats

    @classmethod
    def of(cls, limit_bytes: float | None, changes: Iterable[tuple[float, float | None]] = ()) -> Self:
        """A history from the first limit and from the times in seconds and values of its changes, in order."""
        rows = [(0.0, limit_bytes), *changes]
        limits = [np.nan if limit is None else limit for _, limit in rows]
        return cls(np.array([time_s for time_s, _ in rows], dtype=np.float64), np.array(limits, dtype=np.float64))

    @property
    def is_steady(self) -> bool:
        """Whether the limit has one value throughout."""
        return np.unique(self.limits_bytes).size == 1

    def at(self, times_s: Floats) -> Floats:
        """The limits in force at some times."""
        following = np.searchsorted(self.times_s, times_s, side="right")
        return self.limits_bytes[np.maximum(following - 1, 0)]

    def at_bytes(self, time_s: float) -> float | None:
        """The limit in force at one time; None if it is unknown."""
        limit = float(self.at(np.array([time_s]))[0])
        return None if np.isnan(limit) else limit

    def between(self, begin_s: float, end_s: float) -> Floats:
        """The known limits in force from one time to another, in order."""
        limits = self.at(self.edges(begin_s, end_s)[:-1])
        return limits[~np.isnan(limits)]

    def edges(self, begin_s: float, end_s: float, rate: RateHistory | None = None) -> Floats:
        """The times between two others at which the limit, or a rate, changes; these two are the first and the last."""
        changes = self.times_s if rate is None else np.union1d(self.times_s, rate.times_s)
        return np.concatenate(([begin_s], changes[(changes > begin_s) & (changes < end_s)], [end_s]))

    def longest_ms(self, rate: RateHistory, begin_s: float, end_s: float) -> float | None:
        """The longest time that a full queue takes to drain from one time to another.

        This is the maximum of the limit in force over the rate in force; None if they are never both known.
        """
        times = self.edges(begin_s, end_s, rate)[:-1]
        delays_ms = rate.drain_ms((times, self.at(times)))[1]
        return float(delays_ms.max()) if delays_ms.size else None


def new_limits(event: Event) -> dict[str, int | None]:
    """The queue limits in bytes that an event sets, by the node to which the direction leads; empty for none."""
    return read_limits(event.detail) if (event.kind, event.what) == ("fault", "link-values") else {}


def limit_history(results: Results, direction: str, limit_bytes: float | None) -> LimitHistory:
    """The limit of a direction's queue ("l2:r1-h2") over a run.

    Args:
        limit_bytes: the limit at the start; None if it is unknown.
    """
    return LimitHistory.of(
        limit_bytes,
        (
            (event.time_s, limit)
            for event in results.events
            for node, limit in new_limits(event).items()
            if is_towards(direction, event.subject, node) and not np.isnan(event.time_s)
        ),
    )
