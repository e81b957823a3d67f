"""Labs of TU-B and TU-F, and the numbers taken from their runs: how CUBIC and BBR share a bottleneck."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Sequence

import numpy as np

from experiments import measures
from experiments.bbr2_tum.lab import RATE_MBIT, Sender, bdp_bytes, dumbbell
from experiments.bbr2_tum.models import CUBIC_LOW, bbr_share, fairness
from experiments.declaration import Case, CheckResult, Setup
from experiments.runs import Run, Runs
from experiments.values import Values
from frrlib.model.flow_words import control_name
from frrlib.results.series import flow_samples

RTT_MS = 50.0
BUFFERS_BDP = (0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0)
_QUICK_BUFFERS_BDP = (0.2, 1.0, 3.0, 10.0)
#: Where switches stand between senders and queue, some are enough to see that the buffer's size does nothing.
_SWITCHED_BDP = (0.5, 2.0, 10.0)
RTTS_MS = (10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
_QUICK_RTTS_MS = (10.0, 50.0, 500.0)
#: A buffer that is fixed in time, and one that grows with the round trip; they are the same at 50 ms.
FIXED_MS, FIXED_BDP = 100.0, 2.0
PAIRS = (("cubic", "bbr"), ("cubic", "bbr2"), ("bbr", "bbr2"))
#: Shares are means over the second half; with long round trips flows need the first one to find them.
_LASTS_S, _QUICK_LASTS_S = 120.0, 40.0
#: Where both begin together CUBIC fills a large buffer first, and BBR needs minutes to win its share; so it does with
#: long round trips.
_LARGE_BDP, _LONG_RTT_MS, _SLOW_LASTS_S = 20.0, 1000.0, 300.0
#: Means over the run are all that is wanted.
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
    """One pair of flows over one buffer.

    Args:
        kind: the value that varies, as part of the case's name.
        fixed_in: the unit in which all buffers of a sweep of round trips are the same; empty in other sweeps.
    """
    first, second = pair
    named = f"{control_name(first)} and {control_name(second)}"
    bdp = buffer_bytes / bdp_bytes(RATE_MBIT, rtt_ms)
    is_slow = bdp >= _LARGE_BDP or rtt_ms >= _LONG_RTT_MS
    lasts_s = _QUICK_LASTS_S if quick else _SLOW_LASTS_S if is_slow else _LASTS_S
    topology = dumbbell(
        f"{named}, {rtt_ms:g} ms, a buffer of {bdp:g} BDP",
        [Sender(first, rtt_ms), Sender(second, rtt_ms)],
        lasts_s,
        buffer_bytes,
        switched=setup == "published",
    )
    new = next((cc for cc in pair if cc not in ("cubic", "bbr")), "")
    values: Values = {"pair": "-".join(pair), "rtt_ms": rtt_ms, "buffer_bdp": bdp}
    if fixed_in:
        values = {**values, "fixed_in": fixed_in}
    name = f"{setup}-{'-'.join(pair)}-{kind}"
    return Case(name, topology, setup, values, sample_hz=_HZ, needs=new)


def buffer_cases(quick: bool) -> tuple[Case, ...]:
    """Each pair at each size of the buffer."""
    bdp = bdp_bytes(RATE_MBIT, RTT_MS)
    sizes = _QUICK_BUFFERS_BDP if quick else BUFFERS_BDP
    right = [_case(f"bdp-{size:g}", pair, RTT_MS, size * bdp, quick) for pair in PAIRS for size in sizes]
    switched = () if quick else _SWITCHED_BDP
    as_published = [_case(f"bdp-{size:g}", PAIRS[0], RTT_MS, size * bdp, quick, setup="published") for size in switched]
    return (*right, *as_published)


def rtt_cases(quick: bool) -> tuple[Case, ...]:
    """Each pair at each round trip, with either buffer."""
    found = []
    for pair, rtt_ms in itertools.product(PAIRS, _QUICK_RTTS_MS if quick else RTTS_MS):
        fixed = bdp_bytes(RATE_MBIT, FIXED_MS)
        found.append(_case(f"ms-rtt-{rtt_ms:g}", pair, rtt_ms, fixed, quick, fixed_in="ms"))
        found.append(
            _case(f"bdp-rtt-{rtt_ms:g}", pair, rtt_ms, FIXED_BDP * bdp_bytes(RATE_MBIT, rtt_ms), quick, fixed_in="bdp")
        )
    return tuple(found)


# --- numbers --------------------------------------------------------------------------------------------------------


def shares(run: Run) -> dict[str, float]:
    """Each flow's part of their total in the second half of the run, in percent."""
    ends_s = max(flow.planned.duration_s for flow in flow_samples(run.results))
    rates = measures.goodputs_mbit(run.results, ends_s / 2, ends_s)
    total = sum(rates.values())
    return {name.rpartition("-")[0]: 100 * rate / total for name, rate in rates.items()} if total else {}


def _bbr(runs: Runs, setup: str = "right", **values: str | float) -> dict[float, float]:
    """BBR's share beside CUBIC, in percent, by the varied value: the buffer in BDP, or the round trip in ms."""
    by = "rtt_ms" if "fixed_in" in values else "buffer_bdp"
    found = {float(run.values[by]): shares(run) for run in runs.select(setup, pair="cubic-bbr", **values)}
    return {at: each["bbr"] for at, each in sorted(found.items()) if "bbr" in each}


def _crossing_bdp(found: dict[float, float]) -> float | None:
    """The size at which BBR's share falls below a half for good: between two sizes as on the figure's axis."""
    for (below, more), (above, less) in itertools.pairwise(reversed(found.items())):
        if more < 50 <= less:
            part = (less - 50) / (less - more)
            return float(np.exp(np.log(above) + part * (np.log(below) - np.log(above))))
    return None


def share_in_small_buffers(runs: Runs) -> CheckResult:
    """BBR's share where the buffer is at most half a bandwidth-delay product."""
    found = {f"{at:g} BDP": share for at, share in _bbr(runs).items() if at <= 0.5}
    return found or None


def crossing_buffer(runs: Runs) -> CheckResult:
    """The buffer at which both get the same."""
    at = _crossing_bdp(_bbr(runs))
    return None if at is None else {"BDP": at}


def share_in_large_buffers(runs: Runs) -> CheckResult:
    """BBR's share over ten bandwidth-delay products and more."""
    found = {f"{at:g} BDP": share for at, share in _bbr(runs).items() if at >= 10}
    return found or None


def distance_from_model(runs: Runs) -> CheckResult:
    """The median distance from the model, over buffers of more than a bandwidth-delay product."""
    off = [
        abs(share - 100 * bbr_share(at, RATE_MBIT, RTT_MS, low=CUBIC_LOW))
        for at, share in _bbr(runs).items()
        if at >= 1.5
    ]
    return {"median": statistics.median(off)} if off else None


def share_range_with_switches(runs: Runs) -> CheckResult:
    """How much BBR's share moves over all sizes where nothing but switches is between the senders and the queue."""
    found = _bbr(runs, "published")
    return {"BBR": max(found.values()) - min(found.values())} if len(found) > 1 else None


def share_at_rtts(at_least: float, at_most: float, unit: str) -> Callable[[Runs], CheckResult]:
    """BBR's share at round trips from one to another, in ms, over buffers that are fixed in that unit."""

    def take(runs: Runs) -> CheckResult:
        found = {f"{at:g} ms": share for at, share in _bbr(runs, fixed_in=unit).items() if at_least <= at <= at_most}
        return found or None

    return take


def share_drop_with_rtt(runs: Runs) -> CheckResult:
    """By how much BBR's share is lower at 500 ms than at 50 ms, where the buffer grows with the round trip."""
    found = _bbr(runs, fixed_in="bdp")
    return {"BBR": found[50.0] - found[500.0]} if {50.0, 500.0} <= found.keys() else None


def fairest_rtt(runs: Runs) -> CheckResult:
    """The round trip at which F_tp is highest, with the buffer of 100 ms."""
    found = {at: fairness(share / 100) for at, share in _bbr(runs, fixed_in="ms").items()}
    return {"ms": max(found, key=lambda at: found[at])} if len(found) > 2 else None
