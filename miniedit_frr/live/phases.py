"""BBR's phases, derived from the kernel's gains if they are not reported by name."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: The phases of BBR; their numbers are their indices here.
PHASES = ("startup", "drain", "probe_bw", "probe_rtt")
TITLES = ("startup", "drain", "probe bw", "probe RTT")

#: The gains of the first version (Cardwell et al., "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016,
#: and Linux' tcp_bbr.c): 2/ln 2 in startup, its inverse while draining, a window of 2 BDP while probing for bandwidth,
#: and of 1 while probing for the minimum round trip.
_HIGH_GAIN = 2 / np.log(2)


def phase_of_gains(pacing_gain: Floats, cwnd_gain: Floats) -> Floats:
    """The number of the phase for each pair of gains; NaN for unknown gains."""
    phases = np.full(pacing_gain.shape, 2.0)
    phases[cwnd_gain <= 1.0] = 3.0
    phases[cwnd_gain > 0.9 * _HIGH_GAIN] = 1.0
    phases[pacing_gain > 0.9 * _HIGH_GAIN] = 0.0
    phases[np.isnan(pacing_gain) | np.isnan(cwnd_gain)] = np.nan
    return phases


def stretches(times: Floats, phases: Floats, until_s: float) -> list[tuple[float, float, int]]:
    """The spans of time of the phases: one for consecutive rows of the same phase.

    Args:
        times: the times of the rows, in seconds, ascending.
        phases: the number of the phase in each row, NaN for none.
        until_s: the latest end of the last span.
    """
    if not times.size:
        return []
    same = np.where(np.isnan(phases), -1, phases).astype(int)
    begins = np.flatnonzero(np.append(True, np.diff(same) != 0))
    ends = np.append(times[begins[1:]], max(times[-1], until_s if np.isfinite(until_s) else times[-1]))
    return [
        (float(times[begin]), float(end), int(same[begin]))
        for begin, end in zip(begins, ends, strict=True)
        if same[begin] >= 0
    ]
