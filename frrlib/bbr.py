"""The phase of a BBR flow, derived from the gains that the kernel reports.

The sampler in the lab uses it, and so do readers of old samples.

The gains are those of the kernel's tcp_bbr.c and of its later versions: start-up paces at 2.89 or 2.77 times the
estimated bandwidth, draining at less than half of it with a window as large as before; in ProbeBW
the pacing gain varies between 0.75 and 1.25; in ProbeRTT the window is a few packets and both gains are 1.
"""

from __future__ import annotations

#: All phases, in their order of time; later versions use the same numbers.
PHASES = ("startup", "drain", "probe_bw", "probe_rtt")
#: The phases within ProbeBW of versions 2 and 3, by the kernel's numbers: probe for bandwidth, drain the queue, cruise
#: below the bound, and refill the pipe before the next probe.
CYCLE_PHASES = {4: "up", 5: "down", 6: "cruise", 7: "refill"}
#: All states that a figure distinguishes, in their order of time: phases, with those within ProbeBW in its place.
STATES = ("startup", "drain", "refill", "up", "down", "cruise", "probe_bw", "probe_rtt")
#: ProbeBW paces this far above or below the estimated bandwidth while it probes or drains; version 3 drains at 0.9.
_PROBES_ABOVE, _DRAINS_BELOW = 1.05, 0.95
_STARTUP_ABOVE, _DRAIN_BELOW, _PROBE_RTT_CWND = 1.5, 0.6, 1.0


def phase(pacing_gain: float, cwnd_gain: float) -> str:
    """The phase with these gains, one of `PHASES`. Both gains are 0 before the first reply."""
    if pacing_gain > _STARTUP_ABOVE or not pacing_gain:
        return "startup"
    if pacing_gain < _DRAIN_BELOW:
        return "drain"
    return "probe_rtt" if cwnd_gain <= _PROBE_RTT_CWND else "probe_bw"


def cycle_phase(pacing_gain: float) -> str:
    """The phase within ProbeBW with this gain, for version 1, whose kernel reports none: "up", "down" or "cruise"."""
    if pacing_gain > _PROBES_ABOVE:
        return "up"
    return "down" if pacing_gain < _DRAINS_BELOW else "cruise"
