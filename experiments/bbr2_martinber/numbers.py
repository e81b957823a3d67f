"""The numbers that martinber's figures are compared by: taken at the sender, as they were."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from experiments import measures
from experiments.bbr2_martinber.lab import FLOW, SetupName
from experiments.declaration import CheckResult
from experiments.runs import Runs
from experiments.theory import window_mbit
from frrlib.model.flow_words import control_name
from frrlib.results.binning import binned_mbit
from frrlib.results.records import Results
from frrlib.results.series import Floats, Series
from frrlib.results.statistics.bbr import phases

#: From when on a mean counts, in seconds: behind the start of every congestion control.
SETTLED_S = 2.5
#: Bins of published throughput, in seconds.
BIN_S = 0.1
#: A window that falls by more than this many packets from sample to sample is being cut.
_CUT_PACKETS = 2
#: Cuts that are no further apart than this belong to one recovery.
_ONE_RECOVERY_S = 1.0
#: The rate behind a cut is that of this span of time: some round trips, in which the window hardly grows.
_BEHIND_S = 0.3

_SETUPS: tuple[SetupName, ...] = ("published", "right")
Measure = Callable[[Results], float | None]


def sent_bytes(results: Results) -> Series:
    """Bytes of payload that the sender has given to its interface, what it sent again included."""
    return measures.sender_series(results, FLOW, "bytes_sent")


def throughput(results: Results, bin_s: float) -> Series:
    """The sender's rate, in Mbit/s of payload over bins: before the bottleneck, so it may exceed its rate."""
    data = sent_bytes(results)
    return binned_mbit(data, float(data[0][0]), float(data[0][-1]), bin_s) if data[0].size else data


def throughput_mbit(from_s: float) -> Measure:
    """Takes the mean of that, from a time to the end of the flow."""

    def take(results: Results) -> float | None:
        data = sent_bytes(results)
        if not data[0].size or not data[0][-1] > from_s:
            return None
        grown = measures.growth(data, from_s, float(data[0][-1]))
        return None if grown is None else grown * 8e-6 / (float(data[0][-1]) - from_s)

    return take


def rtt_ms(how: Callable[[Floats], float], from_s: float = SETTLED_S) -> Measure:
    """Takes a number of the sender's smoothed round-trip times, such as their mean."""
    return lambda results: measures.statistic(measures.rtt_ms(results, FLOW), from_s, take=how)


def cwnd_packets(how: Callable[[Floats], float]) -> Measure:
    """Takes a number of the congestion windows after the start."""
    return lambda results: measures.statistic(measures.cwnd_packets(results, FLOW), SETTLED_S, take=how)


def queue_packets(how: Callable[[Floats], float]) -> Measure:
    """Takes a number of the packets that wait at the bottleneck after the start: frames, or what the kernel handles as
    one where offloads are on."""
    return lambda results: measures.statistic(measures.queue_series(results), SETTLED_S, take=how)


def rtt_probe_count(results: Results) -> float | None:
    """How often BBR went to look for the round trip at rest."""
    one = measures.find_flow(results, FLOW)
    return None if one is None else float(sum(phase == "probe_rtt" for _, _, phase in phases(one.sender)))


def window_cuts(results: Results) -> list[tuple[float, float]]:
    """When the window was cut after the start: from when to when each cut lasted."""
    times, windows = measures.cwnd_packets(results, FLOW)
    falls = np.flatnonzero(np.diff(windows) < -_CUT_PACKETS)
    falls = falls[times[falls] > SETTLED_S]
    if not falls.size:
        return []
    groups = np.split(falls, np.flatnonzero(np.diff(times[falls]) > _ONE_RECOVERY_S) + 1)
    return [(float(times[group[0]]), float(times[group[-1] + 1])) for group in groups]


def rate_after_cuts_mbit(results: Results) -> float | None:
    """The rate just after the window was cut; the median over all cuts, None for none."""
    data = sent_bytes(results)
    ends = [end_s for _, end_s in window_cuts(results) if end_s + _BEHIND_S < data[0][-1]]
    grown = [measures.growth(data, end_s, end_s + _BEHIND_S) or 0.0 for end_s in ends]
    rates = [each * 8e-6 / _BEHIND_S for each in grown]
    return float(np.median(rates)) if rates else None


def rate_by_period_mbit(results: Results) -> float | None:
    """The same by how long a cycle of Reno takes: its window grows by a packet in each round trip, from half to whole,
    so that half a window is as many packets as a cycle has round trips. None for less than two cuts."""
    begins = [begin_s for begin_s, _ in window_cuts(results)]
    mean_ms, least_ms = rtt_ms(np.mean)(results), rtt_ms(np.min)(results)
    if len(begins) < 2 or mean_ms is None or least_ms is None:
        return None
    packets = float(np.median(np.diff(begins))) * 1e3 / mean_ms
    return window_mbit(packets, least_ms)


def number_in_each_setup(take: Measure, *controls: str, over: str = "", **values: str | float) -> Callable[[Runs], CheckResult]:
    """Takes a number in each set-up; see `each_of`."""
    return numbers_in_each_setup({"": take}, *controls, over=over, **values)


def numbers_in_each_setup(
    takes: Mapping[str, Measure], *controls: str, over: str = "", **values: str | float
) -> Callable[[Runs], CheckResult]:
    """Takes numbers in each set-up and for each of some congestion controls; those of runs that are there.

    Args:
        takes: by what to call them, empty for nothing.
        controls: of runs.
        over: the name of a value, by which runs are told apart, too ("buffer_ms").
        values: of runs.
    """

    def of(runs: Runs) -> CheckResult:
        found: dict[str, float] = {}
        for setup in _SETUPS:
            for variant in [{over: each} for each in runs.values_of(over, setup)] if over else [{}]:
                for control in controls:
                    for name, take in takes.items():
                        number = runs.median(take, setup, cc=control, **values, **variant)
                        if number is not None:
                            kind = control_name(control) if len(controls) > 1 else ""
                            found[number_name(setup, kind, *_told(variant), name)] = number
        return found or None

    return of


def number_name(setup: str, *more: str) -> str:
    """The name of a number: its set-up, and anything else that tells it from others."""
    return ", ".join(each for each in ({"published": "as published", "right": "done right"}[setup], *more) if each)


def unless_quick(of: Callable[[Runs], CheckResult]) -> Callable[[Runs], CheckResult]:
    """Of a statement about the whole time of a scenario: not to be said of shortened runs."""
    return lambda runs: None if runs.is_quick else of(runs)


def _told(variant: Mapping[str, str | float]) -> list[str]:
    return [f"{value:g} ms" for value in variant.values() if isinstance(value, float | int)]
