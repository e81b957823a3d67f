"""The columns of a sweep's table, all in one place, and how each follows from a run's summary.

name, label         of the run: its folder below `runs`, and its values in words
link:l1.rate_mbit   a column for each field that varies, numbers in the unit of the field's name
repetition, seed, status, host, seconds
goodput_mbit, ...   what runs are compared by, `frrlib.results.statistics.comparison.METRICS`
RUN                 of the whole run beside that
flow:ID.COLUMN      of each flow that is drawn, all of its copies together
queue:LINK.COLUMN   of each queue that was sampled
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from frrlib.model.topology import Topology
from frrlib.results.statistics.summary import FlowSummary, QueueSummary, Summary, jain_index
from frrlib.variation.points import Cell

_Found = Cell | None


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _least(values: Iterable[float | None]) -> float | None:
    return min((value for value in values if value is not None), default=None)


def _fairness(flows: Sequence[FlowSummary]) -> float | None:
    shares = [flow.goodput_mbit for flow in flows if flow.goodput_mbit is not None]
    return jain_index(shares) if len(shares) > 1 else None


#: Of a run.
RUN: dict[str, Callable[[Summary], _Found]] = {
    "verdict": lambda run: run.verdict,
}
#: Of the copies of one flow: rates and counts together, times as the mean of the copies' own.
FLOW: dict[str, Callable[[Sequence[FlowSummary]], _Found]] = {
    "congestion_control": lambda flows: ", ".join(dict.fromkeys(flow.congestion_control for flow in flows)),
    "goodput_mbit": lambda flows: _sum(flow.goodput_mbit for flow in flows),
    "goodput_settled_mbit": lambda flows: _sum(flow.goodput_settled_mbit for flow in flows),
    "jain_index": _fairness,
    "rest_rtt_ms": lambda flows: _mean(flow.rest_rtt_ms for flow in flows),
    "min_rtt_ms": lambda flows: _least(flow.min_rtt_ms for flow in flows),
    "srtt_median_ms": lambda flows: _mean(flow.srtt_median_ms for flow in flows),
    "srtt_p95_ms": lambda flows: _mean(flow.srtt_p95_ms for flow in flows),
    "cwnd_median_packets": lambda flows: _mean(flow.cwnd_median_packets for flow in flows),
    "retransmits": lambda flows: _sum(flow.retransmits for flow in flows),
    "duplicate_packets": lambda flows: _sum(flow.duplicate_packets for flow in flows),
}
#: Of a queue.
QUEUE: dict[str, Callable[[QueueSummary], _Found]] = {
    "utilisation": lambda queue: queue.utilisation,
    "backlog_mean_bytes": lambda queue: queue.backlog_mean_bytes,
    "backlog_max_bytes": lambda queue: queue.backlog_max_bytes,
    "delay_max_ms": lambda queue: queue.delay_max_ms,
    "drops": lambda queue: queue.drops,
}


def statistics(summary: Summary, topology: Topology) -> dict[str, _Found]:
    """The columns of a run that its summary gives, in their order; None for unknown values."""
    found = {column: make(summary) for column, make in RUN.items()}
    for drawn in topology.flows:
        mine = re.compile(rf"{re.escape(drawn.id)}(\.\d+)?")
        flows = [flow for flow in summary.flows if mine.fullmatch(flow.flow)]
        found |= {f"flow:{drawn.id}.{column}": make(flows) if flows else None for column, make in FLOW.items()}
    for queue in summary.queues:
        found |= {f"queue:{queue.direction}.{column}": make(queue) for column, make in QUEUE.items()}
    return found
