"""Contents of plots as values: curves, bands, and the visible span of time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from frrlib.results.series import Series
from miniedit_frr.live.samples import LiveRun

#: Averaging times of rates, in seconds. A bin has at least some round trips, since retransmitted data is acknowledged
#: all at once, and there are no more bins than pixels can show.
BINS_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0)
ROUND_TRIPS, MOST_BINS = 4, 400


@dataclass(frozen=True)
class TimeWindow:
    """The visible span of time, and the averaging time of rates, in seconds."""

    from_s: float
    to_s: float
    bin_s: float


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve.

    Attributes:
        subject: the flow, queue or processor of the curve.
        of: "flow", "queue", "cpu" or "run".
        data: times in seconds and values.
        style: "main" for the quantity itself, "aside" for a related one (a minimum, a threshold), "limit" for its upper
            limit, "dots" for single events, "resent" for those that are retransmissions.
    """

    subject: str
    of: str
    data: Series
    style: str = "main"


@dataclass(frozen=True)
class LiveQuantity:
    """A quantity that can be plotted over time.

    Attributes:
        key: its name in settings.
        title: its name for people.
        unit: the unit of its values; empty for none.
        note: its exact definition, or an explanation of the curves beside it; empty for none.
        lines: makes its curves.
        top: its maximum value; None for no maximum.
        share: the height of its panel, compared with others.
    """

    key: str
    title: str
    unit: str
    note: str
    lines: Callable[[LiveRun, TimeWindow], Iterator[Curve]]
    top: float | None = None
    share: float = 1.0


@dataclass(frozen=True)
class PhaseBand:
    """A span of time in which a flow was in one phase, by its index in `phases.PHASES`."""

    subject: str
    from_s: float
    to_s: float
    phase: int


def time_window(run: LiveRun, from_s: float, to_s: float, most_bins: int = MOST_BINS) -> TimeWindow:
    """The time window of a span, with the smallest fitting bins, up to `most_bins`."""
    least_s = (to_s - from_s) / most_bins
    for flow in run.flows.values():
        rtt_ms = flow.sender.last("min_rtt_ms")
        if not math.isnan(rtt_ms):
            least_s = max(least_s, ROUND_TRIPS * rtt_ms / 1000)
    return TimeWindow(from_s, to_s, next((bin_s for bin_s in BINS_S if bin_s >= least_s * 0.999), BINS_S[-1]))


def nice_above(value: float) -> float:
    """A value rounded up to 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times a power of ten.

    1 for values that cannot be shown: zero, less than a billionth, infinity.
    """
    if not 1e-9 <= value < math.inf:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    steps = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
    return next((step * power for step in steps if step * power >= value * (1 - 1e-9)), 10 * power)
