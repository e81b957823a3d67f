"""The machine: how busy it was, and whether it stood still."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from frrlib.processor import busy_share
from frrlib.results.records import Results
from frrlib.results.series import FlowSamples, queue_directions, sending_span
from frrlib.results.trust.finding import PROCESSORS, Finding

#: What is said of processors, and from which shares on they are too busy for a network to be told from them: on the
#: whole, and in one second. A lab kernel has nothing to do but the lab, so more of it may be in use; and it counts in
#: ticks that it misses while it does not run, so that of one second it says little.
_BUSY = {"machine": ("this machine", 0.8, 0.95), "lab kernel": ("the lab kernel", 0.9, math.inf)}
#: Which share a hypervisor may take away.
STEAL = 0.05
#: A span between two samples that is shorter than this says nothing of a second.
LEAST_S = 0.5
#: So many intervals between samples, or so long, may pass without one.
INTERVALS, STALL_S = 10, 0.1

_RIGHT = "run it on a quieter machine, or with lower rates"


def findings(results: Results, flows: Sequence[FlowSamples]) -> Iterator[Finding]:
    """The findings about the machine while flows sent.

    In virtual time, processor load is not recorded because it cannot change a measurement. A row states this, so that
    such a run gets a verdict too.
    """
    spans = [span for flow in flows if (span := sending_span(flow))]
    if results.info.settings.get("virtual_time") is True and (spans or results.status == "finished"):
        reason = "the clock stands still while processors work, so their load changes no measurement"
        yield Finding(what=PROCESSORS, subject="virtual time", why=reason)
    if not spans:
        return
    begin_s, end_s = min(begin for begin, _ in spans), max(end for _, end in spans)
    for where in dict.fromkeys(results.cpu["where"].tolist()):
        yield from _busy(results, where, begin_s, end_s)
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
    inside = np.flatnonzero((times >= begin_s - 1.0) & (times <= end_s + 1.0))
    if inside.size < 2 or times[inside[-1]] - times[inside[0]] < LEAST_S:
        return
    first, last = int(inside[0]), int(inside[-1])
    mean = busy_share(spent[first], spent[last])
    stolen = _stolen(spent[first], spent[last])
    fullest = max(
        (busy_share(spent[at], spent[at + 1]) for at in range(first, last) if times[at + 1] - times[at] >= LEAST_S),
        default=mean,
    )
    name, most_mean, most_second = _BUSY.get(where, (where, *_BUSY["machine"][1:]))
    whys = []
    if mean > most_mean:
        whys.append(f"{name} was {mean:.0%} busy")
    elif fullest > most_second:
        whys.append(f"{name} was {fullest:.0%} busy for a second")
    if stolen > STEAL:
        whys.append(f"its hypervisor took {stolen:.0%} of its time away")
    why = f"{' and '.join(whys)}: results may tell of it rather than of the network" if whys else ""
    yield Finding(
        what=PROCESSORS, subject=where, measured=100 * mean, unit="%", high=100 * most_mean,
        severity="doubt" if whys else "ok", why=why or f"at most {fullest:.0%} in one second",
        right=_RIGHT if whys else "",
    )  # fmt: skip


def _stolen(before: tuple[float, float, float], after: tuple[float, float, float]) -> float:
    whole = sum(after) - sum(before)
    return (after[2] - before[2]) / whole if whole > 0 else 0.0


def _stalls(results: Results, flows: Sequence[FlowSamples], begin_s: float, end_s: float) -> Iterator[Finding]:
    """The longest time in which the sampler, which wants a moment of each interval, did not get one."""
    hz = results.info.settings.get("sample_hz")
    if not isinstance(hz, int | float) or hz <= 0:
        return
    asked_s = 1 / hz
    series = [rows["time_s"] for rows in queue_directions(results).values()]
    series = series or [flow.sender["time_s"] for flow in flows]
    longest_s, at_s = 0.0, 0.0
    for times in series:
        seen = np.sort(times[(times >= begin_s) & (times <= end_s)])
        if seen.size > 1 and (gap := float(np.diff(seen).max())) > longest_s:
            longest_s, at_s = gap, float(seen[int(np.diff(seen).argmax())])
    if not longest_s:
        return
    high_s = max(INTERVALS * asked_s, STALL_S)
    late = longest_s > high_s
    why = f"nothing was sampled for {1000 * longest_s:.0f} ms at {at_s:.2f} s: the machine, or the lab, stood still"
    yield Finding(
        what="stalls", subject="lab", configured=1000 * asked_s, measured=1000 * longest_s, unit="ms",
        high=1000 * high_s, severity="doubt" if late else "ok", why=why if late else "", right=_RIGHT if late else "",
    )  # fmt: skip
