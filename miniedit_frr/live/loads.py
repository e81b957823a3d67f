"""The current load of each direction of a link, and the fill of its queue."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from frrlib.results.series import Series, series
from frrlib.results.statistics.summary import drain_ms
from miniedit_frr.live.ring import Ring
from miniedit_frr.live.samples import LiveRun

#: The averaging time of loads, in seconds.
OVER_S = 0.5


@dataclass(frozen=True)
class LinkLoad:
    """The load of a direction of a link.

    Attributes:
        rate_mbit: the sent rate, averaged over the last `OVER_S`.
        limit_mbit: the current rate limit; None for no limit.
        backlog_bytes: bytes in its queue; None if the queue is not sampled.
        fill: fill of the queue, 0 to 1; None without a known limit.
        delay_ms: time to drain the queue at the current rate; None if unknown.
        drops: packets per second dropped by the queue.
    """

    rate_mbit: float
    limit_mbit: float | None = None
    backlog_bytes: float | None = None
    fill: float | None = None
    delay_ms: float | None = None
    drops: float = 0.0

    @property
    def share(self) -> float | None:
        """The used part of its rate; None without a limit."""
        return self.rate_mbit / self.limit_mbit if self.limit_mbit else None


def loads(run: LiveRun, directions: Mapping[tuple[str, str], str]) -> dict[str, LinkLoad]:
    """The load of every sampled direction.

    Args:
        directions: node and interface to the direction of its packets, for directions whose queue is not sampled.
    """
    of_interfaces = {
        name: _of_interface(ring, run.newest_s)
        for end, ring in run.interfaces.items()
        if (name := directions.get(end)) is not None
    }
    return of_interfaces | {name: _of_queue(run, name, ring) for name, ring in run.queues.items()}


def _of_interface(ring: Ring, now_s: float) -> LinkLoad:
    rows = ring.columns_between(now_s - OVER_S, now_s)
    return LinkLoad(_growth(series(rows, "tx_bytes"), now_s) * 8e-6, drops=_growth(series(rows, "tx_drops"), now_s))


def _of_queue(run: LiveRun, name: str, ring: Ring) -> LinkLoad:
    rows = ring.columns_between(run.newest_s - OVER_S, run.newest_s)
    limit_bytes = run.limit_course(name).at_bytes(run.newest_s)
    held = ring.last("backlog_bytes")
    backlog = None if math.isnan(held) else held
    limit_mbit = run.course(name).at_mbit(run.newest_s)
    return LinkLoad(
        rate_mbit=_growth(series(rows, "sent_bytes"), run.newest_s) * 8e-6,
        limit_mbit=limit_mbit,
        backlog_bytes=backlog,
        fill=min(1.0, backlog / limit_bytes) if limit_bytes and backlog is not None else None,
        delay_ms=drain_ms(backlog, limit_mbit) if backlog is not None and limit_mbit else None,
        drops=_growth(series(rows, "drops"), run.newest_s),
    )


def _growth(data: Series, now_s: float) -> float:
    """The growth rate of a count, per second; 0 without recent samples."""
    times, counts = data
    if times.size < 2 or times[-1] < now_s - 2 * OVER_S:
        return 0.0
    return float(counts[-1] - counts[0]) / float(times[-1] - times[0])
