"""Many runs side by side: a row for each experiment, with means and confidence intervals over its repetitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from frrlib.results.records import Results
from frrlib.results.statistics.differences import RunGroup, groups, heading, short_names, value_text
from frrlib.results.statistics.intervals import CONFIDENCE, Interval, Method, bounds_of, interval, quartiles
from frrlib.results.statistics.statistics import FlowStatistics, QueueStatistics, RunStatistics, Spread, statistics
from frrlib.results.statistics.table import UNKNOWN, TextTable
from frrlib.safe_text.spreadsheet import csv_text

_MOST_DECIMALS = 4


@dataclass(frozen=True)
class Metric:
    """A quantity with one number for a run.

    Attributes:
        name: its name in files and on the command line, with the unit.
        title: its name for people, with the unit.
        of: a function that returns it for a run; None if it is unknown.
    """

    name: str
    title: str
    of: Callable[[RunStatistics], float | None]

    @property
    def axis(self) -> str:
        """The label of its axis: "queueing (ms)"."""
        words, _, unit = self.title.rpartition(" ")
        return f"{words} ({unit})" if unit in ("Mbit/s", "ms", "s", "%") else self.title


def _bottleneck(run: RunStatistics) -> QueueStatistics:
    return next((queue for queue in run.queues if queue.direction == run.bottleneck), QueueStatistics(""))


def _of(values: Spread | None, name: str) -> float | None:
    """A number of a spread ("mean", "p95"); None without a spread."""
    return None if values is None else float(getattr(values, name))


def _mean(run: RunStatistics, of: Callable[[FlowStatistics], float | None]) -> float | None:
    values = [value for flow in run.flows if (value := of(flow)) is not None]
    return sum(values) / len(values) if values else None


#: The metrics by which runs can be compared. With several flows, RTT, delay and losses are means over the flows; queue,
#: drops and utilization are those of the bottleneck.
METRICS = {
    metric.name: metric
    for metric in (
        Metric("goodput_mbit", "goodput Mbit/s", lambda run: run.goodput_mbit),
        Metric("utilisation_percent", "used %", lambda run: _bottleneck(run).utilisation_percent),
        Metric("rtt_median_ms", "RTT median ms", lambda run: _mean(run, lambda f: _of(f.rtt_ms, "p50"))),
        Metric("rtt_p95_ms", "RTT 95 % ms", lambda run: _mean(run, lambda f: _of(f.rtt_ms, "p95"))),
        Metric(
            "queueing_ms", "queueing ms", lambda run: _mean(run, lambda f: _of(f.queueing_ms, "mean"))
        ),
        Metric("queue_ms", "queue ms", lambda run: _of(_bottleneck(run).delay_ms, "mean")),
        Metric("dropped_percent", "dropped %", lambda run: _bottleneck(run).dropped_percent),
        Metric("resent_percent", "resent %", lambda run: _mean(run, lambda f: f.resent_percent)),
        Metric("jain_index", "Jain", lambda run: run.jain_index),
        Metric("convergence_s", "converged s", lambda run: run.convergence_s),
        Metric("completion_s", "completion s", lambda run: _mean(run, lambda f: f.completion_s)),
        Metric("waited_ms", "waited ms", lambda run: _mean(run, lambda f: _of(f.waited_ms, "mean"))),
    )
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class GroupStatistics:
    """A group of repetitions with their statistics, one for each run."""

    group: RunGroup
    statistics: tuple[RunStatistics, ...]

    def metric(self, name: str, confidence: float = CONFIDENCE, method: Method = "student") -> Interval | None:
        """A metric over the repetitions that have it; None if none has it. Raises KeyError for an unknown metric."""
        return interval(self.values(name), confidence, method, bounds_of(name))

    def values(self, name: str) -> list[float]:
        """A metric of each repetition that has it. Raises KeyError for an unknown metric."""
        return [value for run in self.statistics if (value := METRICS[name].of(run)) is not None]

    def flow(self, flow: str, of: Callable[[FlowStatistics], float | None], name: str = "") -> Interval | None:
        """A number of one flow over the repetitions that have it; None if none has it.

        Args:
            name: the name of the number, from which its bounds follow.
        """
        same_flow = [candidate for run in self.statistics for candidate in run.flows if candidate.flow == flow]
        values = [value for candidate in same_flow if (value := of(candidate)) is not None]
        return interval(values, bounds=bounds_of(name))


def group_statistics(runs: Sequence[Results]) -> list[GroupStatistics]:
    """The runs in groups of repetitions, with their statistics."""
    return [GroupStatistics(group, tuple(statistics(run) for run in group.runs)) for group in groups(runs)]


# --- tables for people ------------------------------------------------------------------------------------------------


def comparison_table(
    rows: Sequence[GroupStatistics], method: Method = "student", *, medians: bool = False
) -> TextTable:
    """A row for each group: its varied values, the number of runs, and each metric that any of them has.

    Args:
        medians: whether cells are medians with quartiles instead of means with confidence intervals.
    """
    many = any(len(row.statistics) > 1 for row in rows)
    description = "medians (quartiles)" if medians else f"means with their {100 * CONFIDENCE:g} % confidence intervals"

    def cell(row: GroupStatistics, name: str) -> str:
        return _quartiles_text(row.values(name)) if medians else _interval_text(row.metric(name, method=method))

    return metric_table("Runs" + (f", {description}" if many else ""), rows, cell)


def metric_table(title: str, rows: Sequence[GroupStatistics], cell: Callable[[GroupStatistics, str], str]) -> TextTable:
    """A row for each group: its varied values, the number of runs, and a cell for each metric that any of them has.

    Args:
        cell: the text for a group and the name of a metric.
    """
    names = short_names(list(rows[0].group.values)) if rows else {}
    metrics = [metric for metric in METRICS.values() if any(row.values(metric.name) for row in rows)]
    first = tuple(heading(name) for name in names.values()) or ("run",)
    return TextTable(
        title=title,
        headings=(*first, "n", *(metric.title for metric in metrics)),
        rows=tuple(
            (
                *(tuple(value_text(value) for value in row.group.values.values()) or (row.group.label,)),
                str(len(row.statistics)),
                *(cell(row, metric.name) for metric in metrics),
            )
            for row in rows
        ),
        numeric=(*(False for _ in first), True, *(True for _ in metrics)),
    )


def run_table(run: RunStatistics) -> TextTable:
    """The known metrics of one run, a row for each."""
    rows = tuple(
        (metric.title, _text(value, 3)) for metric in METRICS.values() if (value := metric.of(run)) is not None
    )
    return TextTable(run.name, ("of the run", "value"), rows, (False, True))


_PERCENTILES = ("p5", "p25", "p50", "p75", "p95", "p99")


def flow_table(run: RunStatistics) -> TextTable:
    """A row for each flow of a run, with the percentiles of its RTT and the mean and 95th of its queueing delay."""
    rows = tuple(
        (
            flow.flow, flow.congestion_control or UNKNOWN, _text(flow.goodput_mbit, 2), _text(flow.share_percent),
            *(_text(_of(flow.rtt_ms, name)) for name in _PERCENTILES),
            _text(_of(flow.queueing_ms, "mean")), _text(_of(flow.queueing_ms, "p95")),
            _text(flow.resent_percent, 2), _text(flow.lost_percent, 2), _text(flow.completion_s, 2),
            _text(_of(flow.waited_ms, "mean")), _text(_of(flow.waited_ms, "p95")),
        )
        for flow in run.flows
    )  # fmt: skip
    headings = ("flow", "control", "Mbit/s", "share %", "RTT ms: 5 %", "25 %", "50 %", "75 %", "95 %", "99 %",
                "queueing ms", "95 %", "resent %", "lost %", "done s", "waited ms", "95 %")  # fmt: skip
    return _known(TextTable(f"Flows of {run.name}", headings, rows, (False, False, *(True for _ in headings[2:]))))


def queue_table(run: RunStatistics) -> TextTable:
    """A row for each queue of a run with a backlog or with drops."""
    busy = [queue for queue in run.queues if (queue.delay_ms and queue.delay_ms.p99 > 0) or queue.dropped_percent]
    rows = tuple(
        (
            queue.direction, queue.discipline or UNKNOWN, _text(queue.rate_mbit),
            *(_text(_of(queue.delay_ms, name)) for name in ("mean", "p50", "p95", "p99")),
            _text(queue.utilisation_percent), _text(queue.dropped_percent, 2), _text(queue.marked_percent, 2),
        )
        for queue in busy
    )  # fmt: skip
    headings = ("queue", "discipline", "rate Mbit/s", "delay ms: mean", "50 %", "95 %", "99 %", "used %",
                "dropped %", "marked %")  # fmt: skip
    return _known(TextTable(f"Queues of {run.name}", headings, rows, (False, False, *(True for _ in headings[2:]))))


def _known(table: TextTable) -> TextTable:
    """The table without columns that have only unknown values."""
    known_columns = [at for at in range(len(table.headings)) if any(row[at] != UNKNOWN for row in table.rows)]
    return TextTable(
        table.title,
        tuple(table.headings[at] for at in known_columns),
        tuple(tuple(row[at] for at in known_columns) for row in table.rows),
        tuple(table.numeric[at] for at in known_columns),
    )


def _text(value: float | None, digits: int = 1) -> str:
    return UNKNOWN if value is None else f"{value:.{digits}f}"


def _interval_text(interval: Interval | None) -> str:
    if interval is None:
        return UNKNOWN
    if interval.low is None or interval.high is None or interval.half is None:
        return f"{interval.mean:.4g}"
    digits = _interval_digits(interval.half) if interval.half > 0 else _digits(interval.mean)
    if interval.is_cut:
        return f"{interval.mean:.{digits}f} [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"
    return f"{interval.mean:.{digits}f} ± {interval.half:.{digits}f}"


def _interval_digits(half: float) -> int:
    """The decimals of an interval: two significant digits of half its width, which its mean then has, too."""
    return min(max(1 - math.floor(math.log10(half)), 0), _MOST_DECIMALS)


def _quartiles_text(values: Sequence[float]) -> str:
    summary = quartiles(values)
    if summary is None:
        return UNKNOWN
    digits = _digits(summary.median)
    spread = f" ({summary.low:.{digits}f} to {summary.high:.{digits}f})" if summary.n > 1 else ""
    return f"{summary.median:.{digits}f}{spread}"


def _digits(value: float) -> int:
    return 3 if abs(value) < 1.5 else 2 if abs(value) < 20 else 1


# --- for programs -----------------------------------------------------------------------------------------------------


def comparison_json(rows: Sequence[GroupStatistics]) -> list[dict[str, Any]]:
    """The values of its group and the statistics of every run; None for an unknown value."""
    return [
        {"varied": dict(row.group.values), "folder": run.folder, **asdict(run)}
        for row in rows
        for run in row.statistics
    ]


def comparison_csv(rows: Sequence[GroupStatistics]) -> str:
    """A line for each flow of each run, for pandas and R: the varied values, the run's metrics, and the flow's values.

    The values of a run are repeated on the lines of all its flows. An empty cell is an unknown value.
    """
    names = short_names(list(rows[0].group.values)) if rows else {}
    flow_columns = ("flow", "congestion_control", "goodput_mbit", "goodput_settled_mbit", "share_percent",
                    "base_rtt_ms", "resent_percent", "lost_percent", "completion_s")  # fmt: skip
    spreads = [(name, percentile) for name in ("rtt_ms", "queueing_ms") for percentile in ("mean", *_PERCENTILES)]
    lines: list[tuple[Any, ...]] = [
        ("folder", "run", *names.values(), *(f"run_{name}" for name in METRICS), *flow_columns,
         *(f"{name.removesuffix('_ms')}_{percentile}_ms" for name, percentile in spreads))
    ]  # fmt: skip
    for row in rows:
        for run in row.statistics:
            run_values = [metric.of(run) for metric in METRICS.values()]
            for flow in run.flows or (FlowStatistics(""),):
                parts = [getattr(getattr(flow, name), percentile, None) for name, percentile in spreads]
                flow_values = [getattr(flow, name) for name in flow_columns]
                lines.append((run.folder, run.name, *row.group.values.values(), *run_values, *flow_values, *parts))
    return csv_text(lines)
