"""Numbers for the comparison with martinber's figures. Like the published ones, they are measured at the sender."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from frrlib.model.flow_words import control_name
from frrlib.results.binning import binned_mbit
from frrlib.results.records import Results
from frrlib.results.series import Floats, Series
from frrlib.results.statistics.bbr import phases
from miniedit_frr.experiments import measures
from miniedit_frr.experiments.bbr2_martinber.lab import FLOW, SetupName
from miniedit_frr.experiments.declaration import CheckResult
from miniedit_frr.experiments.runs import Runs
from miniedit_frr.experiments.theory import window_mbit

#: The beginning of means, in seconds: after the start-up of every congestion control.
SETTLED_S = 2.5
#: Bins of published throughput, in seconds.
BIN_S = 0.1
#: A window that falls by more than this number of packets between two samples is cut.
_CUT_PACKETS = 2
#: Cuts within this time belong to one recovery.
_RECOVERY_S = 1.0
#: The rate after a cut is measured over this time: a few round trips, in which the window hardly grows.
_AFTER_CUT_S = 0.3

_SETUPS: tuple[SetupName, ...] = ("published", "right")
Measure = Callable[[Results], float | None]


def sent_bytes(results: Results) -> Series:
    """Bytes of payload that the sender has passed to its interface, including retransmissions."""
    return measures.sender_series(results, FLOW, "bytes_sent")


def throughput(results: Results, bin_s: float) -> Series:
    """The sender's rate, in Mbit/s of payload over bins. It may exceed the bottleneck's rate."""
    data = sent_bytes(results)
    return binned_mbit(data, float(data[0][0]), float(data[0][-1]), bin_s) if data[0].size else data


def throughput_mbit(from_s: float) -> Measure:
    """A measure of the mean throughput, from a time to the end of the flow."""

    def measure(results: Results) -> float | None:
        data = sent_bytes(results)
        if not data[0].size or not data[0][-1] > from_s:
            return None
        byte_count = measures.growth(data, from_s, float(data[0][-1]))
        return None if byte_count is None else byte_count * 8e-6 / (float(data[0][-1]) - from_s)

    return measure


def rtt_ms(function: Callable[[Floats], float], from_s: float = SETTLED_S) -> Measure:
    """A measure of the sender's smoothed round-trip times, such as their mean."""
    return lambda results: measures.statistic(measures.rtt_ms(results, FLOW), from_s, take=function)


def cwnd_packets(function: Callable[[Floats], float]) -> Measure:
    """A measure of the congestion windows after the start-up."""
    return lambda results: measures.statistic(measures.cwnd_packets(results, FLOW), SETTLED_S, take=function)


def queue_packets(function: Callable[[Floats], float]) -> Measure:
    """A measure of the packets that wait at the bottleneck after the start-up. With offloads a packet may have several
    frames."""
    return lambda results: measures.statistic(measures.queue_series(results), SETTLED_S, take=function)


def rtt_probe_count(results: Results) -> float | None:
    """The number of BBR's ProbeRTT phases."""
    samples = measures.find_flow(results, FLOW)
    return None if samples is None else float(sum(phase == "probe_rtt" for _, _, phase in phases(samples.sender)))


def window_cuts(results: Results) -> list[tuple[float, float]]:
    """The beginning and end of each cut of the window after the start-up, in seconds."""
    times, windows = measures.cwnd_packets(results, FLOW)
    falls = np.flatnonzero(np.diff(windows) < -_CUT_PACKETS)
    falls = falls[times[falls] > SETTLED_S]
    if not falls.size:
        return []
    groups = np.split(falls, np.flatnonzero(np.diff(times[falls]) > _RECOVERY_S) + 1)
    return [(float(times[group[0]]), float(times[group[-1] + 1])) for group in groups]


def rate_after_cuts_mbit(results: Results) -> float | None:
    """The rate just after a cut of the window; the median over all cuts, or None without cuts."""
    data = sent_bytes(results)
    ends = [end_s for _, end_s in window_cuts(results) if end_s + _AFTER_CUT_S < data[0][-1]]
    byte_counts = [measures.growth(data, end_s, end_s + _AFTER_CUT_S) or 0.0 for end_s in ends]
    rates = [byte_count * 8e-6 / _AFTER_CUT_S for byte_count in byte_counts]
    return float(np.median(rates)) if rates else None


def rate_by_period_mbit(results: Results) -> float | None:
    """The rate after a cut, computed from the length of Reno's cycle; None with less than two cuts.

    In each round trip the window grows by a packet, from half to full. So half a window has as many packets as a cycle
    has round trips.
    """
    begins = [begin_s for begin_s, _ in window_cuts(results)]
    mean_ms, least_ms = rtt_ms(np.mean)(results), rtt_ms(np.min)(results)
    if len(begins) < 2 or mean_ms is None or least_ms is None:
        return None
    packets = float(np.median(np.diff(begins))) * 1e3 / mean_ms
    return window_mbit(packets, least_ms)


def number_in_each_setup(
    measure: Measure, *controls: str, over: str = "", **values: str | float
) -> Callable[[Runs], CheckResult]:
    """The check of one number in each set-up; see `numbers_in_each_setup`."""
    return numbers_in_each_setup({"": measure}, *controls, over=over, **values)


def numbers_in_each_setup(
    measures_by_name: Mapping[str, Measure], *controls: str, over: str = "", **values: str | float
) -> Callable[[Runs], CheckResult]:
    """The check of numbers in each set-up for some congestion controls. Missing runs are omitted.

    Args:
        measures_by_name: the measures by their names in the result; an empty name is omitted.
        controls: the congestion controls of the runs.
        over: the name of a further value that distinguishes runs ("buffer_ms").
        values: further values of the runs.
    """

    def check(runs: Runs) -> CheckResult:
        numbers: dict[str, float] = {}
        for setup in _SETUPS:
            for variant in [{over: value} for value in runs.values_of(over, setup)] if over else [{}]:
                for control in controls:
                    for name, measure in measures_by_name.items():
                        number = runs.median(measure, setup, cc=control, **values, **variant)
                        if number is not None:
                            kind = control_name(control) if len(controls) > 1 else ""
                            numbers[number_name(setup, kind, *_variant_texts(variant), name)] = number
        return numbers or None

    return check


def number_name(setup: str, *details: str) -> str:
    """The name of a number: its set-up and other distinguishing details."""
    return ", ".join(part for part in ({"published": "as published", "right": "done right"}[setup], *details) if part)


def unless_quick(check: Callable[[Runs], CheckResult]) -> Callable[[Runs], CheckResult]:
    """A check about the whole time of a scenario, which shortened runs do not have."""
    return lambda runs: None if runs.is_quick else check(runs)


def _variant_texts(variant: Mapping[str, str | float]) -> list[str]:
    return [f"{value:g} ms" for value in variant.values() if isinstance(value, float | int)]
