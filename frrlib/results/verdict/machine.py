"""The machine: its load, and whether it stopped during the run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from frrlib.results.records import Results
from frrlib.results.series import Floats, FlowSamples, queue_directions, sending_span
from frrlib.results.verdict.finding import PROCESSORS, Finding
from frrlib.system.processor import busy_share

#: The name of the processors in messages, and the shares above which they are too busy to measure a network: of the
#: whole time, and of one second. A lab kernel runs nothing but the lab, so more of it may be in use. It counts ticks,
#: and misses them while it does not run, so its share of one second is not judged.
_BUSY = {"machine": ("this machine", 0.8, 0.95), "lab kernel": ("the lab kernel", 0.9, math.inf)}
#: The share of time that a hypervisor may take.
STEAL = 0.05
#: The shortest record that is judged, in seconds.
LEAST_S = 0.5
#: The longest time without a sample, in intervals and in seconds; the longer of the two holds.
INTERVALS, STALL_S = 10, 0.1

#: The states of a run whose folder is complete.
_ENDED = ("finished", "failed", "interrupted")

_RIGHT = "run it on a quieter machine, or with lower rates"


def findings(results: Results, flows: Sequence[FlowSamples]) -> Iterator[Finding]:
    """The findings about the machine while flows sent, and during the whole record where none did.

    In virtual time, processor load is not recorded because it cannot change a measurement. A row states this, so that
    such a run gets a verdict too.
    """
    spans = [span for flow in flows if (span := sending_span(flow))]
    if results.info.settings.get("virtual_time") is True and (spans or results.status in _ENDED):
        reason = "the clock stands still while processors work, so their load changes no measurement"
        yield Finding(what=PROCESSORS, subject="virtual time", message=reason)
    begin_s = min((begin for begin, _ in spans), default=-math.inf)
    end_s = max((end for _, end in spans), default=math.inf)
    for where in dict.fromkeys(results.cpu["where"].tolist()):
        yield from _busy(results, where, begin_s, end_s)
    if spans:
        yield from _stalls(results, flows, begin_s, end_s)


def _busy(results: Results, where: str, begin_s: float, end_s: float) -> Iterator[Finding]:
    rows = results.cpu["where"] == where
    times = results.cpu["time_s"][rows]
    spent = [
        (float(busy), float(idle), float(steal))
        for busy, idle, steal in zip(
            *(results.cpu[name][rows] for name in ("busy_s", "idle_s", "steal_s")), strict=True
        )
    ]
    if times.size < 2:
        return
    first, last = _around(times, begin_s, end_s)
    lasted_s = float(times[last] - times[first])
    mean, stolen = busy_share(spent[first], spent[last]), _stolen(spent[first], spent[last])
    if lasted_s < LEAST_S:  # the kernel counts in steps of 10 ms
        too_short = f"recorded for {lasted_s:.2g} s, which is too short to judge the load"
        yield Finding(what=PROCESSORS, subject=where, measured=100 * mean, unit="%", message=too_short)
        return
    fullest = max(
        (busy_share(spent[at], spent[at + 1]) for at in range(first, last) if times[at + 1] - times[at] >= LEAST_S),
        default=mean,
    )
    name, most_mean, most_second = _BUSY.get(where, (where, *_BUSY["machine"][1:]))
    causes = []
    if mean > most_mean:
        causes.append(f"{name} was {mean:.0%} busy")
    elif fullest > most_second:
        causes.append(f"{name} was {fullest:.0%} busy for a second")
    if stolen > STEAL:
        causes.append(f"its hypervisor took {stolen:.0%} of its time")
    message = f"{' and '.join(causes)}: the results may show its limits and not those of the network"
    yield Finding(
        what=PROCESSORS, subject=where, measured=100 * mean, unit="%", high=100 * most_mean,
        severity="doubt" if causes else "ok", message=message if causes else f"at most {fullest:.0%} in one second",
        remedy=_RIGHT if causes else "",
    )  # fmt: skip


def _around(times: Floats, begin_s: float, end_s: float) -> tuple[int, int]:
    """The first and the last row within a second of a time span, extended until they span `LEAST_S`."""
    inside = np.flatnonzero((times >= begin_s - 1.0) & (times <= end_s + 1.0))
    if inside.size:
        first, last = int(inside[0]), int(inside[-1])
    else:
        first = last = min(int(np.searchsorted(times, begin_s)), times.size - 1)
    while times[last] - times[first] < LEAST_S and (first > 0 or last < times.size - 1):
        first, last = max(0, first - 1), min(times.size - 1, last + 1)
    return first, last


def _stolen(start: tuple[float, float, float], end: tuple[float, float, float]) -> float:
    total = sum(end) - sum(start)
    return (end[2] - start[2]) / total if total > 0 else 0.0


def _stalls(results: Results, flows: Sequence[FlowSamples], begin_s: float, end_s: float) -> Iterator[Finding]:
    """The longest time between two samples."""
    hz = results.info.settings.get("sample_hz")
    if not isinstance(hz, int | float) or hz <= 0:
        return
    asked_s = 1 / hz
    series = [rows["time_s"] for rows in queue_directions(results).values()]
    series = series or [flow.sender["time_s"] for flow in flows]
    longest_s, at_s = 0.0, 0.0
    for times in series:
        in_span = np.sort(times[(times >= begin_s) & (times <= end_s)])
        if in_span.size > 1 and (gap := float(np.diff(in_span).max())) > longest_s:
            longest_s, at_s = gap, float(in_span[int(np.diff(in_span).argmax())])
    if not longest_s:
        return
    high_s = max(INTERVALS * asked_s, STALL_S)
    late = longest_s > high_s
    message = f"no sample was taken for {1000 * longest_s:.0f} ms at {at_s:.2f} s: the machine or the lab was stopped"
    yield Finding(
        what="stalls", subject="lab", configured=1000 * asked_s, measured=1000 * longest_s, unit="ms",
        high=1000 * high_s, severity="doubt" if late else "ok", message=message if late else "",
        remedy=_RIGHT if late else "",
    )  # fmt: skip
