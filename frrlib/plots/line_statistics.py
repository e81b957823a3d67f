"""The statistics that lines can show: one number for each congestion control of a run, or for the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from frrlib.plots.spread import FLOW_METRICS
from frrlib.results.statistics.comparison import METRICS
from frrlib.results.statistics.statistics import FlowStatistics, QueueStatistics, RunStatistics

#: The congestion controls of the flows that a number describes, in alphabetical order.
Controls = tuple[str, ...]


@dataclass(frozen=True)
class Statistic:
    """A quantity of runs, in its unit.

    Attributes:
        name: its name on the command line, with the unit.
        label: the label of its axis.
        of_run: its number for a whole run; None if only flows have it.
        of_flow: its number for one flow; None if only runs have it.
        is_sum: whether flows of one congestion control are added. Otherwise their mean is used.
    """

    name: str
    label: str
    of_run: Callable[[RunStatistics], float | None] | None = None
    of_flow: Callable[[FlowStatistics], float | None] | None = None
    is_sum: bool = False

    def numbers(self, run: RunStatistics) -> dict[Controls, float]:
        """The known numbers of a run, one for each congestion control, or one for all of them together.

        In a run with a single congestion control it is the number of the run, as `stats` prints it.
        """
        controls = tuple(sorted({flow.congestion_control for flow in run.flows}))
        if self.of_run is not None and (len(controls) < 2 or self.of_flow is None):
            value = self.of_run(run)
            return {} if value is None else {controls: value}
        numbers: dict[Controls, float] = {}
        for control in controls:
            flows = [flow for flow in run.flows if flow.congestion_control == control]
            values = [value for flow in flows if self.of_flow and (value := self.of_flow(flow)) is not None]
            if values:
                numbers[(control,)] = sum(values) if self.is_sum else sum(values) / len(values)
        return numbers


#: The labels of the axes of metrics.
_LABELS = {
    "goodput_mbit": "Goodput (Mbit/s)",
    "utilisation_percent": "Utilization (%)",
    "rtt_median_ms": "Median RTT (ms)",
    "rtt_p95_ms": "RTT, 95th percentile (ms)",
    "queueing_ms": "Queueing delay (ms)",
    "queue_ms": "Delay of the queue (ms)",
    "dropped_percent": "Dropped packets (%)",
    "resent_percent": "Retransmitted bytes (%)",
    "jain_index": "Jain's index",
    "convergence_s": "Convergence time (s)",
    "completion_s": "Completion time (s)",
    "waited_ms": "Waiting time (ms)",
    "share_percent": "Share of the goodput (%)",
}
_SUMS = ("goodput_mbit", "share_percent")
_SPREADS = {"rtt": "RTT", "queueing": "Queueing delay", "waited": "Waiting time"}
_PERCENTILES = {"mean": "mean"} | {f"p{percent}": f"{percent}th percentile" for percent in (5, 25, 50, 75, 95, 99)}


def _metric(name: str) -> Statistic:
    metric, of_flow = METRICS.get(name), FLOW_METRICS.get(name)
    return Statistic(name, _LABELS.get(name, name), metric.of if metric else None, of_flow, name in _SUMS)


def _percentile_of_flows(stem: str, part: str) -> Statistic:
    def of_flow(flow: FlowStatistics) -> float | None:
        spread = getattr(flow, f"{stem}_ms")
        return None if spread is None else float(getattr(spread, part))

    return Statistic(f"{stem}_{part}_ms", f"{_SPREADS[stem]}, {_PERCENTILES[part]} (ms)", None, of_flow)


def _percentile_of_queue(part: str) -> Statistic:
    def of_run(run: RunStatistics) -> float | None:
        spread = _bottleneck(run).delay_ms
        return None if spread is None else float(getattr(spread, part))

    return Statistic(f"queue_{part}_ms", f"Delay of the queue, {_PERCENTILES[part]} (ms)", of_run)


def _bottleneck(run: RunStatistics) -> QueueStatistics:
    return next((queue for queue in run.queues if queue.direction == run.bottleneck), QueueStatistics(""))


def _all_statistics() -> Sequence[Statistic]:
    metrics = [_metric(name) for name in dict.fromkeys((*METRICS, *FLOW_METRICS))]
    return (
        *metrics,
        Statistic("goodput_settled_mbit", "Goodput after the start (Mbit/s)", None,
                  lambda flow: flow.goodput_settled_mbit, is_sum=True),
        Statistic("base_rtt_ms", "Base RTT (ms)", None, lambda flow: flow.base_rtt_ms),
        Statistic("lost_percent", "Lost packets (%)", None, lambda flow: flow.lost_percent),
        Statistic("marked_percent", "Marked packets (%)", lambda run: _bottleneck(run).marked_percent),
        *(_percentile_of_flows(stem, part) for stem in _SPREADS for part in _PERCENTILES),
        *(_percentile_of_queue(part) for part in _PERCENTILES),
    )  # fmt: skip


#: The statistics by their names on the command line. The metrics of `stats` are first.
STATISTICS: dict[str, Statistic] = {}
for _statistic in _all_statistics():
    STATISTICS.setdefault(_statistic.name, _statistic)
