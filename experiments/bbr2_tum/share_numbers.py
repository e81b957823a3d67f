"""The labs of TU-B and TU-F, and the numbers from their runs: the shares of CUBIC and BBR of one bottleneck."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Sequence

import numpy as np

from frrlib.model.flow_words import control_name
from frrlib.results.series import flow_samples
from miniedit_frr.experiments import measures
from miniedit_frr.experiments.bbr2_tum.lab import RATE_MBIT, Sender, bdp_bytes, dumbbell
from miniedit_frr.experiments.bbr2_tum.models import CUBIC_LOW, bbr_share, fairness
from miniedit_frr.experiments.declaration import Case, CheckResult, Setup
from miniedit_frr.experiments.runs import Run, Runs
from miniedit_frr.experiments.values import Values

RTT_MS = 50.0
BUFFERS_BDP = (0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0)
_QUICK_BUFFERS_BDP = (0.2, 1.0, 3.0, 10.0)
#: Sizes with switches between senders and queue. A few sizes show that the size has no effect there.
_SWITCHED_BDP = (0.5, 2.0, 10.0)
RTTS_MS = (10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
_QUICK_RTTS_MS = (10.0, 50.0, 500.0)
#: A buffer with a fixed time, and one that grows with the RTT. They are the same at 50 ms.
FIXED_MS, FIXED_BDP = 100.0, 2.0
PAIRS = (("cubic", "bbr"), ("cubic", "bbr2"), ("bbr", "bbr2"))
#: Shares are means over the second half of a run. With long RTTs they are not stable before.
_LASTS_S, _QUICK_LASTS_S = 120.0, 40.0
#: If both flows begin together, CUBIC fills a large buffer first, and BBR needs minutes to reach its share, as it does
#: with long RTTs.
_LARGE_BDP, _LONG_RTT_MS, _SLOW_LASTS_S = 20.0, 1000.0, 300.0
#: A low sampling rate suffices for means over the run.
_HZ = 10.0


def _case(
    kind: str,
    pair: Sequence[str],
    rtt_ms: float,
    buffer_bytes: float,
    quick: bool,
    *,
    setup: Setup = "right",
    fixed_in: str = "",
) -> Case:
    """The case of one pair of flows over one buffer.

    Args:
        kind: the varied value as a part of the case's name.
        fixed_in: the unit in which all buffers of a sweep of RTTs are the same; empty in other sweeps.
    """
    first, second = pair
    names = f"{control_name(first)} and {control_name(second)}"
    bdp = buffer_bytes / bdp_bytes(RATE_MBIT, rtt_ms)
    is_slow = bdp >= _LARGE_BDP or rtt_ms >= _LONG_RTT_MS
    lasts_s = _QUICK_LASTS_S if quick else _SLOW_LASTS_S if is_slow else _LASTS_S
    topology = dumbbell(
        f"{names}, {rtt_ms:g} ms, a buffer of {bdp:g} BDP",
        [Sender(first, rtt_ms), Sender(second, rtt_ms)],
        lasts_s,
        buffer_bytes,
        switched=setup == "published",
    )
    rare_control = next((cc for cc in pair if cc not in ("cubic", "bbr")), "")
    values: Values = {"pair": "-".join(pair), "rtt_ms": rtt_ms, "buffer_bdp": bdp}
    if fixed_in:
        values = {**values, "fixed_in": fixed_in}
    name = f"{setup}-{'-'.join(pair)}-{kind}"
    return Case(name, topology, setup, values, sample_hz=_HZ, needs=rare_control)


def buffer_cases(quick: bool) -> tuple[Case, ...]:
    """The cases of each pair with each size of the buffer."""
    bdp = bdp_bytes(RATE_MBIT, RTT_MS)
    sizes = _QUICK_BUFFERS_BDP if quick else BUFFERS_BDP
    right_cases = [_case(f"bdp-{size:g}", pair, RTT_MS, size * bdp, quick) for pair in PAIRS for size in sizes]
    switched = () if quick else _SWITCHED_BDP
    published_cases = [
        _case(f"bdp-{size:g}", PAIRS[0], RTT_MS, size * bdp, quick, setup="published") for size in switched
    ]
    return (*right_cases, *published_cases)


def rtt_cases(quick: bool) -> tuple[Case, ...]:
    """The cases of each pair with each RTT and both kinds of buffer."""
    cases = []
    for pair, rtt_ms in itertools.product(PAIRS, _QUICK_RTTS_MS if quick else RTTS_MS):
        fixed_bytes = bdp_bytes(RATE_MBIT, FIXED_MS)
        cases.append(_case(f"ms-rtt-{rtt_ms:g}", pair, rtt_ms, fixed_bytes, quick, fixed_in="ms"))
        cases.append(
            _case(f"bdp-rtt-{rtt_ms:g}", pair, rtt_ms, FIXED_BDP * bdp_bytes(RATE_MBIT, rtt_ms), quick, fixed_in="bdp")
        )
    return tuple(cases)


# --- numbers --------------------------------------------------------------------------------------------------------


def shares(run: Run) -> dict[str, float]:
    """The share of each flow in the second half of the run, in percent."""
    ends_s = max(flow.planned.duration_s for flow in flow_samples(run.results))
    rates = measures.goodputs_mbit(run.results, ends_s / 2, ends_s)
    total = sum(rates.values())
    return {name.rpartition("-")[0]: 100 * rate / total for name, rate in rates.items()} if total else {}


def _bbr(runs: Runs, setup: str = "right", **values: str | float) -> dict[float, float]:
    """BBR's share beside CUBIC, in percent, by the varied value: the buffer in BDP, or the RTT in ms."""
    value_name = "rtt_ms" if "fixed_in" in values else "buffer_bdp"
    shares_by_value = {
        float(run.values[value_name]): shares(run) for run in runs.select(setup, pair="cubic-bbr", **values)
    }
    return {value: run_shares["bbr"] for value, run_shares in sorted(shares_by_value.items()) if "bbr" in run_shares}


def _crossing_bdp(share_by_bdp: dict[float, float]) -> float | None:
    """The size at which BBR's share finally falls below a half, interpolated on the logarithmic axis of the figure."""
    for (below, share_below), (above, share_above) in itertools.pairwise(reversed(share_by_bdp.items())):
        if share_below < 50 <= share_above:
            fraction = (share_above - 50) / (share_above - share_below)
            return float(np.exp(np.log(above) + fraction * (np.log(below) - np.log(above))))
    return None


def share_in_small_buffers(runs: Runs) -> CheckResult:
    """BBR's share with buffers up to half a bandwidth-delay product."""
    share_by_name = {f"{bdp:g} BDP": share for bdp, share in _bbr(runs).items() if bdp <= 0.5}
    return share_by_name or None


def crossing_buffer(runs: Runs) -> CheckResult:
    """The buffer with equal shares."""
    bdp = _crossing_bdp(_bbr(runs))
    return None if bdp is None else {"BDP": bdp}


def share_in_large_buffers(runs: Runs) -> CheckResult:
    """BBR's share with buffers of ten bandwidth-delay products and more."""
    share_by_name = {f"{bdp:g} BDP": share for bdp, share in _bbr(runs).items() if bdp >= 10}
    return share_by_name or None


def distance_from_model(runs: Runs) -> CheckResult:
    """The median distance of BBR's share from the model, for buffers of more than a bandwidth-delay product."""
    distances = [
        abs(share - 100 * bbr_share(bdp, RATE_MBIT, RTT_MS, low=CUBIC_LOW))
        for bdp, share in _bbr(runs).items()
        if bdp >= 1.5
    ]
    return {"median": statistics.median(distances)} if distances else None


def share_range_with_switches(runs: Runs) -> CheckResult:
    """The range of BBR's share over all sizes with only switches between the senders and the queue."""
    share_by_bdp = _bbr(runs, "published")
    return {"BBR": max(share_by_bdp.values()) - min(share_by_bdp.values())} if len(share_by_bdp) > 1 else None


def share_at_rtts(least_ms: float, most_ms: float, unit: str) -> Callable[[Runs], CheckResult]:
    """The check of BBR's share with RTTs in this range, with buffers that are fixed in this unit."""

    def measure(runs: Runs) -> CheckResult:
        share_by_name = {
            f"{rtt_ms:g} ms": share
            for rtt_ms, share in _bbr(runs, fixed_in=unit).items()
            if least_ms <= rtt_ms <= most_ms
        }
        return share_by_name or None

    return measure


def share_drop_with_rtt(runs: Runs) -> CheckResult:
    """The drop of BBR's share from 50 ms to 500 ms, with a buffer that grows with the RTT."""
    share_by_rtt = _bbr(runs, fixed_in="bdp")
    return {"BBR": share_by_rtt[50.0] - share_by_rtt[500.0]} if {50.0, 500.0} <= share_by_rtt.keys() else None


def fairest_rtt(runs: Runs) -> CheckResult:
    """The RTT with the highest F_tp, with the buffer of 100 ms."""
    fairness_by_rtt = {rtt_ms: fairness(share / 100) for rtt_ms, share in _bbr(runs, fixed_in="ms").items()}
    return (
        {"ms": max(fairness_by_rtt, key=lambda rtt_ms: fairness_by_rtt[rtt_ms])} if len(fairness_by_rtt) > 2 else None
    )
