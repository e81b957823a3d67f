"""About how long a run takes, so that long ones come first and somebody knows how long all will take."""

from __future__ import annotations

import math

from experiments.theory import mathis_mbit
from frrlib.checks.facts import facts_of
from frrlib.model.topology import Topology
from frrlib.prediction.flow_paths import RoutedFlow

#: The cost in seconds of a second of flows in virtual time, and of a megabit that they send.
_PER_S, _PER_MBIT = 0.05, 0.0006
#: For a path whose rate is not drawn, or is in commands of its own.
_UNKNOWN_MBIT = 50.0
#: Algorithms that take each loss for a sign to send less; an empty one is the kernel's, which is such a one.
_LOSS_BASED = ("", "reno", "cubic")


def expected_s(topology: Topology, virtual_time: bool) -> float:
    """About how long the flows of a run take, in seconds: as long as is drawn, in virtual time by what they send."""
    sends_s = max((flow.ends_s or flow.last_start_s for flow in topology.flows), default=0.0)
    if not virtual_time:
        return sends_s
    sent: dict[tuple[str, str], float] = {}
    most: dict[tuple[str, str], float] = {}
    for way in facts_of(topology).flow_paths:
        step = way.bottleneck
        rate_mbit = (step.shape.rate_mbit if step else None) or _UNKNOWN_MBIT
        key = (step.link.id, step.side) if step else ("", way.flow.id)
        most[key] = rate_mbit * sends_s
        sent[key] = sent.get(key, 0.0) + _sends_mbit(way, rate_mbit)
    return sends_s * _PER_S + _PER_MBIT * sum(min(sent[key], most[key]) for key in sent)


def _sends_mbit(way: RoutedFlow, rate_mbit: float) -> float:
    """About how much a flow sends, in megabits."""
    flow = way.flow
    if not flow.duration_s:
        return (flow.size_bytes or 0) * 8e-6
    lost = 1 - math.prod(1 - step.shape.loss_percent / 100 for step in way.steps)
    if lost > 0 and way.rtt_ms > 0 and flow.congestion_control in _LOSS_BASED:
        rate_mbit = min(rate_mbit, mathis_mbit(lost, way.rtt_ms))
    return rate_mbit * flow.duration_s
