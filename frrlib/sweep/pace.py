"""The remaining time of many runs, estimated from those that have ended."""

from __future__ import annotations

from collections.abc import Sequence

from frrlib.sweep.events import AnyRun, RunEnd, RunStart, Tally

#: Assumed duration of a run beyond the time of its flows, in seconds; used until a run has ended.
_BESIDE_S = 4.0


class Pace:
    """An estimate of the remaining time of a sweep, or of experiments, from their events.

    Args:
        runs: all runs.
        jobs: number of simultaneous runs; None to use the highest number so far.
    """

    def __init__(self, runs: Sequence[AnyRun], jobs: int | None) -> None:
        self._jobs, self._planned_s = jobs, {run.name: run.planned_s + _BESIDE_S for run in runs}
        self._all_s = self._left_s = sum(self._planned_s.values())
        self._took_s = self._took_planned_s = 0.0
        self._going: set[str] = set()
        self._most_at_once = 1

    def take(self, event: RunStart[AnyRun] | RunEnd[AnyRun] | Tally) -> None:
        """Take an event into account."""
        match event:
            case Tally():
                share = event.remaining / max(1, len(self._planned_s))
                self._left_s = self._all_s * share
            case RunStart(run=run):
                self._going.add(run.name)
                self._most_at_once = max(self._most_at_once, len(self._going))
            case RunEnd(run=run, report=report):
                self._going.discard(run.name)
                self._took_s += report.seconds
                self._took_planned_s += self._planned_s[run.name]
                self._left_s = max(0.0, self._left_s - self._planned_s[run.name])

    @property
    def left_s(self) -> float:
        """The remaining time in seconds; until a run has ended, real time is assumed."""
        pace = self._took_s / self._took_planned_s if self._took_planned_s else 1.0
        return self._left_s * pace / (self._jobs or self._most_at_once)

    @property
    def done(self) -> float:
        """The finished share of all runs, from 0 to 1, weighted by their planned durations."""
        return 1 - self._left_s / self._all_s if self._all_s else 1.0


def span_text(seconds: float) -> str:
    """A time span for people: "40 s", "12 min", "3 h 20 min"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"
