"""The columns of a sweep's table, and their computation from a run's summary.

name, label         of the run: its folder below `runs`, and its values in words
link:l1.rate_mbit   a column for each field that varies; numbers have the unit of the field's name
repetition, seed, status, host, seconds
goodput_mbit, ...   metrics that compare runs, `frrlib.results.statistics.comparison.METRICS`
RUN                 further columns of the whole run
flow:ID.COLUMN      of each flow of the topology, all of its copies together
queue:LINK.COLUMN   of each sampled queue
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from frrlib.model.topology import Topology
from frrlib.results.statistics.summary import FlowSummary, QueueSummary, Summary, jain_index
from frrlib.variation.points import Cell

_Cell = Cell | None


def _sum(values: Iterable[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return sum(numbers) if numbers else None


def _mean(values: Iterable[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return fmean(numbers) if numbers else None


def _least(values: Iterable[float | None]) -> float | None:
    return min((value for value in values if value is not None), default=None)


def _fairness(flows: Sequence[FlowSummary]) -> float | None:
    shares = [flow.goodput_mbit for flow in flows if flow.goodput_mbit is not None]
    return jain_index(shares) if len(shares) > 1 else None


#: Columns of a run.
RUN: dict[str, Callable[[Summary], _Cell]] = {
    "verdict": lambda run: run.verdict,
}
#: Columns of the copies of one flow: the sum of rates and counts, the mean of times.
FLOW: dict[str, Callable[[Sequence[FlowSummary]], _Cell]] = {
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
#: Columns of a queue.
QUEUE: dict[str, Callable[[QueueSummary], _Cell]] = {
    "utilisation": lambda queue: queue.utilisation,
    "backlog_mean_bytes": lambda queue: queue.backlog_mean_bytes,
    "backlog_max_bytes": lambda queue: queue.backlog_max_bytes,
    "delay_max_ms": lambda queue: queue.delay_max_ms,
    "drops": lambda queue: queue.drops,
}


def statistics(summary: Summary, topology: Topology) -> dict[str, _Cell]:
    """The columns of a run that follow from its summary, in order; None for unknown values."""
    columns = {column: make(summary) for column, make in RUN.items()}
    for flow_config in topology.flows:
        copy_ids = re.compile(rf"{re.escape(flow_config.id)}(\.\d+)?")
        flows = [flow for flow in summary.flows if copy_ids.fullmatch(flow.flow)]
        columns |= {f"flow:{flow_config.id}.{column}": make(flows) if flows else None for column, make in FLOW.items()}
    for queue in summary.queues:
        columns |= {f"queue:{queue.direction}.{column}": make(queue) for column, make in QUEUE.items()}
    return columns
