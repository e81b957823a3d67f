"""Estimates of the duration of runs. Long runs start first, and the total time is shown to the user."""

from __future__ import annotations

import math

from frrlib.checks.facts import facts_of
from frrlib.model.topology import Topology
from frrlib.prediction.flow_paths import RoutedFlow
from miniedit_frr.experiments.theory import mathis_mbit

#: In virtual time: the real seconds for each second of flows, and for each megabit that they send.
_PER_S, _PER_MBIT = 0.05, 0.0006
#: The assumed rate of a path if the topology sets none, or sets it in its own `tc` commands.
_UNKNOWN_MBIT = 50.0
#: Algorithms that reduce their rate after each loss. An empty name is the kernel's default, which does so, too.
_LOSS_BASED = ("", "reno", "cubic")


def expected_s(topology: Topology, virtual_time: bool) -> float:
    """The estimated duration of a run's flows, in seconds. In virtual time it depends on the amount of data."""
    sends_s = max((flow.ends_s or flow.last_start_s for flow in topology.flows), default=0.0)
    if not virtual_time:
        return sends_s
    megabits_by_link: dict[tuple[str, str], float] = {}
    capacity_by_link: dict[tuple[str, str], float] = {}
    for path in facts_of(topology).flow_paths:
        step = path.bottleneck
        rate_mbit = (step.shape.rate_mbit if step else None) or _UNKNOWN_MBIT
        key = (step.link.id, step.side) if step else ("", path.flow.id)
        capacity_by_link[key] = rate_mbit * sends_s
        megabits_by_link[key] = megabits_by_link.get(key, 0.0) + _sends_mbit(path, rate_mbit)
    return sends_s * _PER_S + _PER_MBIT * sum(
        min(megabits_by_link[key], capacity_by_link[key]) for key in megabits_by_link
    )


def _sends_mbit(path: RoutedFlow, rate_mbit: float) -> float:
    """The estimated amount of data of a flow, in megabits."""
    flow = path.flow
    if not flow.duration_s:
        return (flow.size_bytes or 0) * 8e-6
    loss = 1 - math.prod(1 - step.shape.loss_percent / 100 for step in path.steps)
    if loss > 0 and path.rtt_ms > 0 and flow.congestion_control in _LOSS_BASED:
        rate_mbit = min(rate_mbit, mathis_mbit(loss, path.rtt_ms))
    return rate_mbit * flow.duration_s
