"""Statistics for the comparison of runs: percentiles of RTT and queueing delay, losses, fairness, completion times.

`summary` has the results of one run; tables and figures over many runs are made from these statistics.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from frrlib.results.layout import QueueInfo
from frrlib.results.rates import rate_history
from frrlib.results.records import Results
from frrlib.results.series import (
    Floats,
    FlowSamples,
    delivered,
    flow_samples,
    growth,
    queue_directions,
    rate_mbit,
    rest_rtt_ms,
    sending_span,
    series,
    within,
)
from frrlib.results.statistics.bottleneck import bottleneck
from frrlib.results.statistics.fairness import convergence_s, shares
from frrlib.results.statistics.summary import SETTLING_S, jain_index

PERCENTS = (5, 25, 50, 75, 95, 99)


@dataclass(frozen=True)
class Spread:
    """The spread of values: their number, their mean, and percentiles (linear between values, as numpy has it)."""

    n: int
    mean: float
    p5: float
    p25: float
    p50: float
    p75: float
    p95: float
    p99: float


@dataclass(frozen=True)
class FlowStatistics:
    """Statistics of one flow over the time in which it sent (`series.sending_span`). None stands for an unknown value.

    Attributes:
        flow, congestion_control: its id, and the algorithm that the kernel reported.
        goodput_mbit, goodput_settled_mbit: as in `summary.FlowSummary`.
        share_percent: its part of the goodput of all flows while all of them sent.
        rtt_ms: of the sender's smoothed RTT.
        base_rtt_ms: the RTT of the path with empty queues: the least ping before the flows, or the least RTT of the
            flow itself.
        queueing_ms: RTT minus `base_rtt_ms`, not below 0.
        resent_percent: retransmitted bytes as a share of all sent bytes.
        lost_percent: for a flow of datagrams, the share of packets that did not arrive.
        completion_s: from the flow's start to its last byte; None for a flow of given duration, and for one that did
            not complete.
        waited_ms: the waiting times of an application for its requests, pages, chunks or bursts.
        ping_ms: the round-trip times of a flow of pings, of those that were answered.
    """

    flow: str
    congestion_control: str = ""
    goodput_mbit: float | None = None
    goodput_settled_mbit: float | None = None
    share_percent: float | None = None
    rtt_ms: Spread | None = None
    base_rtt_ms: float | None = None
    queueing_ms: Spread | None = None
    resent_percent: float | None = None
    lost_percent: float | None = None
    completion_s: float | None = None
    waited_ms: Spread | None = None
    ping_ms: Spread | None = None


@dataclass(frozen=True)
class QueueStatistics:
    """Statistics of one queue while flows sent. None stands for an unknown value.

    Attributes:
        direction, discipline, rate_mbit: its direction, and its configuration.
        delay_ms: the time to drain its backlog at the rate in force, for each sample.
        utilisation_percent: the bytes that it sent as a share of those that the rate in force allows.
        dropped_percent, marked_percent: dropped and marked packets of the whole run as shares of the arrived ones.
    """

    direction: str
    discipline: str = ""
    rate_mbit: float | None = None
    delay_ms: Spread | None = None
    utilisation_percent: float | None = None
    dropped_percent: float | None = None
    marked_percent: float | None = None


@dataclass(frozen=True)
class RunStatistics:
    """Statistics of one run.

    Attributes:
        name: its title, or its folder's name.
        folder: its results folder.
        status: its status.
        flows, queues: in their order.
        bottleneck: direction of the queue that limited the flows; empty if unknown.
        goodput_mbit: all flows together, from the first byte to the last.
        jain_index: of the goodputs of bulk flows while all flows sent; None for less than two.
        convergence_s: of the bulk flows, see `fairness.convergence_s`.
    """

    name: str
    folder: str
    status: str
    flows: tuple[FlowStatistics, ...]
    queues: tuple[QueueStatistics, ...]
    bottleneck: str = ""
    goodput_mbit: float | None = None
    jain_index: float | None = None
    convergence_s: float | None = None


def run_name(results: Results) -> str:
    """The label of a run: its title, or else the name of its folder."""
    return results.info.title or results.folder.resolve().name


def statistics(results: Results) -> RunStatistics:
    """The statistics of a run, from its samples."""
    flows = flow_samples(results)
    spans = {flow.id: span for flow in flows if (span := sending_span(flow))}
    begins, ends = [span[0] for span in spans.values()], [span[1] for span in spans.values()]
    hull = min(begins, default=0.0), max(ends, default=0.0)
    common = max(begins, default=0.0), min(ends, default=0.0)
    parts = {flow.id: rate_mbit(delivered(flow), *common) for flow in flows if flow.id in spans}
    total = sum(part for part in parts.values() if part is not None)
    greedy = [flow.id for flow in flows if flow.planned.kind == "bulk"]
    together = [part for flow in greedy if (part := parts.get(flow)) is not None]
    return RunStatistics(
        name=run_name(results),
        folder=str(results.folder),
        status=results.status,
        flows=tuple(_flow(results, flow, spans.get(flow.id), parts.get(flow.id), total) for flow in flows),
        queues=tuple(
            _queue(direction, results, hull if spans else (-math.inf, math.inf))
            for direction in queue_directions(results)
        ),
        bottleneck=bottleneck(results)[0],
        goodput_mbit=_goodput(flows, hull),
        jain_index=jain_index(together) if len(together) > 1 and len(together) == len(greedy) else None,
        convergence_s=convergence_s(shares(results, greedy=True)),
    )


def spread(values: Floats) -> Spread | None:
    """The spread of values; None without any."""
    if not values.size:
        return None
    return Spread(
        int(values.size), float(values.mean()), *(float(percentile) for percentile in np.percentile(values, PERCENTS))
    )


def base_rtt_ms(results: Results, flow: FlowSamples) -> float | None:
    """The RTT of a flow's path with empty queues; None if there are neither pings nor samples of the flow's RTT."""
    pinged = rest_rtt_ms(results, flow.planned.source, flow.planned.address)
    lowest = series(flow.sender, "min_rtt_ms")[1]
    lowest = lowest if lowest.size else series(flow.sender, "srtt_ms")[1]
    candidates = [rtt_ms for rtt_ms in (pinged, float(lowest.min()) if lowest.size else None) if rtt_ms is not None]
    return min(candidates, default=None)


def rtt_samples_ms(flow: FlowSamples) -> Floats:
    """The sender's smoothed RTT while the flow sent."""
    span = sending_span(flow)
    return within(series(flow.sender, "srtt_ms"), *span) if span else np.zeros(0)


def queueing_samples_ms(results: Results, flow: FlowSamples) -> Floats:
    """The sender's smoothed RTT minus the RTT of the path with empty queues, while the flow sent."""
    base = base_rtt_ms(results, flow)
    return np.maximum(rtt_samples_ms(flow) - base, 0.0) if base is not None else np.zeros(0)


def _flow(
    results: Results, flow: FlowSamples, span: tuple[float, float] | None, part: float | None, total: float
) -> FlowStatistics:
    mine = results.app["flow"] == flow.id
    waited = spread(series({name: column[mine] for name, column in results.app.items()}, "duration_ms")[1])
    lost = _lost_percent(results, flow.id)
    if span is None:
        return FlowStatistics(
            flow.id, flow.congestion_control, lost_percent=lost, waited_ms=waited, ping_ms=_ping_ms(results, flow.id)
        )
    data = delivered(flow)
    sent, resent = series(flow.sender, "bytes_sent")[1], series(flow.sender, "bytes_retrans")[1]
    return FlowStatistics(
        flow=flow.id,
        congestion_control=flow.congestion_control,
        goodput_mbit=rate_mbit(data, *span),
        goodput_settled_mbit=rate_mbit(data, span[0] + SETTLING_S, span[1]),
        share_percent=100 * part / total if part is not None and total else None,
        rtt_ms=spread(rtt_samples_ms(flow)),
        base_rtt_ms=base_rtt_ms(results, flow),
        queueing_ms=spread(queueing_samples_ms(results, flow)),
        resent_percent=100 * float(resent.max() / sent.max()) if resent.size and sent.size and sent.max() else None,
        lost_percent=lost,
        completion_s=_completion_s(flow, span),
        waited_ms=waited,
    )


def _completion_s(flow: FlowSamples, span: tuple[float, float]) -> float | None:
    size = flow.planned.size_bytes
    if not size or delivered(flow)[1].max() < size:
        return None
    return span[1] - (span[0] if math.isnan(flow.start_s) else flow.start_s)


def _ping_ms(results: Results, flow: str) -> Spread | None:
    mine = results.probe["flow"] == flow
    return spread(series({name: column[mine] for name, column in results.probe.items()}, "rtt_ms")[1])


def _lost_percent(results: Results, flow: str) -> float | None:
    mine = results.datagram["flow"] == flow
    sent, lost = (results.datagram[name][mine] for name in ("sent_packets", "lost_packets"))
    is_known = ~np.isnan(sent) & ~np.isnan(lost) & (sent > 0)
    return 100 * float(lost[is_known][-1] / sent[is_known][-1]) if is_known.any() else None


def _queue(direction: str, results: Results, span: tuple[float, float]) -> QueueStatistics:
    rows, info = queue_directions(results)[direction], results.info.queues.get(direction, QueueInfo())
    sent = series(rows, "sent_bytes")
    begin_s, end_s = (max(span[0], sent[0][0]), min(span[1], sent[0][-1])) if sent[0].size else (0.0, 0.0)
    used = rate_mbit(sent, begin_s, end_s)
    rate = rate_history(results, direction, info.rate_mbit)
    delays = within(rate.drain_ms(series(rows, "backlog_bytes")), *span)
    could = rate.mean_mbit(begin_s, end_s)
    came, dropped, marked = (growth(series(rows, name)) for name in ("sent_packets", "drops", "marks"))
    arrived = came + dropped if came is not None and dropped is not None else None
    return QueueStatistics(
        direction=direction,
        discipline=info.discipline,
        rate_mbit=info.rate_mbit,
        delay_ms=spread(delays) if delays.size else None,
        utilisation_percent=100 * used / could if used is not None and could else None,
        dropped_percent=100 * dropped / arrived if arrived and dropped is not None else None,
        marked_percent=100 * marked / arrived if arrived and marked is not None else None,
    )


def _goodput(flows: tuple[FlowSamples, ...], hull: tuple[float, float]) -> float | None:
    rates = [rate for flow in flows if (rate := rate_mbit(delivered(flow), *hull)) is not None]
    return sum(rates) if rates else None
