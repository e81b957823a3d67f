"""Summarizes a run in few numbers, each with its definition.

`summarize` is a pure function of an opened folder, so a summary can be made again at any time.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict

from frrlib.results import layout
from frrlib.results.layout import QueueInfo, ResultsError
from frrlib.results.queue_limits import limit_history
from frrlib.results.rates import rate_history
from frrlib.results.records import Results
from frrlib.results.series import (
    Floats,
    FlowSamples,
    bytes_between,
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
from frrlib.results.statistics.applications import AppSummary, app_summaries
from frrlib.results.table_reader import Columns
from frrlib.results.verdict.finding import Finding, Verdict, verdict
from frrlib.results.verdict.flows import control_mismatch
from frrlib.results.verdict.judge import findings
from frrlib.system import atomic_files

#: The time at a flow's start that `goodput_settled_mbit` excludes.
SETTLING_S = 1.0

_T = TypeVar("_T")


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class FlowSummary(_Record):
    """The results of one flow. None stands for an unknown value.

    Statistics are over the time in which the flow sent (see `series.sending_span`), each sample with the same weight.

    Attributes:
        flow: the flow's id.
        source, destination: names of nodes; empty if unknown.
        congestion_control: the one that the kernel reported most often.
        control_by: the part of the topology that sets it ("flow f1", "link l1 at h1", "host h1"); empty for the
            kernel's default, or if unknown.
        start_s, end_s: the times of the first and the last byte of data, from the start of all flows.
        bytes_delivered: application bytes that arrived.
        goodput_mbit: bytes delivered from `start_s` to `end_s`, times 8, over that time.
        goodput_settled_mbit: the same without the first second: bytes delivered from `start_s` + 1 s to `end_s`; None
            for a flow that sent for one second or less.
        srtt_median_ms, srtt_p95_ms, srtt_max_ms: of the sender's smoothed RTT as the kernel keeps it (each measurement
            counts 1/8), so a spike shorter than some round trips is flattened.
        min_rtt_ms: the least of the kernel's windowed minimum RTT, from single measurements.
        rest_rtt_ms: the least RTT of pings over this path before any flow.
        cwnd_median_packets, cwnd_max_packets: of the sender's congestion window.
        retransmits: retransmitted segments, from the kernel's running count.
        duplicate_packets: segments that arrived at the receiver again, as it reported by D-SACK (RFC 2883): duplicated
            on the path, or retransmitted without need.
        out_of_order_packets: segments that arrived before an earlier one.
        failure: the reason of its failure; empty if it did not fail.
    """

    flow: str
    source: str = ""
    destination: str = ""
    congestion_control: str = ""
    control_by: str = ""
    start_s: float | None = None
    end_s: float | None = None
    bytes_delivered: int = 0
    goodput_mbit: float | None = None
    goodput_settled_mbit: float | None = None
    srtt_median_ms: float | None = None
    srtt_p95_ms: float | None = None
    srtt_max_ms: float | None = None
    min_rtt_ms: float | None = None
    rest_rtt_ms: float | None = None
    cwnd_median_packets: float | None = None
    cwnd_max_packets: float | None = None
    retransmits: int | None = None
    duplicate_packets: int | None = None
    out_of_order_packets: int | None = None
    failure: str = ""


class QueueSummary(_Record):
    """The results of one queue from the start of the first flow to the end of the last. None stands for an unknown
    value.

    Attributes:
        direction: the direction of a link ("l1:r1-r2").
        rate_mbit, limit_bytes: as configured, at the start.
        limit_least_bytes, limit_most_bytes: the least and the largest limit in force in that time.
        full_delay_ms: the time to drain a full queue: the limit in force times 8 over the rate in force, the largest
            value in that time.
        backlog_mean_bytes, backlog_max_bytes: of the sampled backlog.
        delay_max_ms: the longest time to drain a sampled backlog: its bytes times 8 over the rate in force.
        sent_bytes: bytes that left it in that time, link headers included.
        utilisation: `sent_bytes` times 8 over the bits that the rate in force allows in that time; 1 is full.
        drops: packets dropped in the whole run (see `series.growth`), as the kernel counts them ("dropped" of
            `tc -s qdisc`), also before the first byte arrived and after the last.
    """

    direction: str
    rate_mbit: float | None = None
    limit_bytes: float | None = None
    limit_least_bytes: float | None = None
    limit_most_bytes: float | None = None
    full_delay_ms: float | None = None
    backlog_mean_bytes: float | None = None
    backlog_max_bytes: float | None = None
    delay_max_ms: float | None = None
    sent_bytes: int | None = None
    utilisation: float | None = None
    drops: int | None = None


class PingSummary(_Record):
    """Pings before the flows.

    Attributes:
        source, destination, address: the pinging node, the pinged node, and its address.
        sent, received: the numbers of requests, and of requests with a reply.
        duplicates: further replies to the same request.
        ttl: the TTL of the replies; None if there was no reply, or they differed.
        rtt_min_ms, rtt_median_ms: of the replies' round-trip times.
    """

    source: str
    destination: str = ""
    address: str = ""
    sent: int = 0
    received: int = 0
    duplicates: int | None = None
    ttl: int | None = None
    rtt_min_ms: float | None = None
    rtt_median_ms: float | None = None


class Summary(_Record):
    """A run in few numbers.

    Attributes:
        title, status, started: as in `layout.RunInfo`; status may be "killed".
        flows, queues, pings: in the order of the plan; flows and queues that were not sampled are left out.
        apps: the waiting times of flows with measurements of their applications.
        jain_index: Jain's fairness index of the goodputs of flows of bulk data, (sum x)^2 / (n sum x^2), over the time
            in which all of them sent; 1 is fair, 1/n is one flow alone. None for less than two flows, or no such time.
        failures: the failures of the run, one sentence each.
        warnings: the missing parts of the folder, one sentence each.
        not_as_drawn: flows with another congestion control than in the topology; one sentence each.
        findings: comparisons of measured with configured values, and the state of the machine.
        verdict: "trustworthy", "doubtful" or "not as drawn", by the findings; empty if too little was recorded.
    """

    title: str = ""
    status: str = ""
    started: str = ""
    flows: tuple[FlowSummary, ...] = ()
    queues: tuple[QueueSummary, ...] = ()
    pings: tuple[PingSummary, ...] = ()
    apps: tuple[AppSummary, ...] = ()
    jain_index: float | None = None
    failures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    not_as_drawn: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    verdict: Verdict = ""

    def flow(self, name: str) -> FlowSummary:
        """The flow of that id. Raises KeyError if there is none."""
        return _named(self.flows, "flow", name)

    def queue(self, direction: str) -> QueueSummary:
        """The queue of that direction. Raises KeyError if there is none."""
        return _named(self.queues, "direction", direction)


def summarize(results: Results, queues: Mapping[str, QueueInfo] | None = None) -> Summary:
    """The summary of a run.

    Args:
        results: the opened folder.
        queues: rate and limit of queues by direction; None for those in the folder.
    """
    flows = flow_samples(results)
    spans = [span for flow in flows if (span := sending_span(flow))]
    queue_infos = results.info.queues if queues is None else queues
    all_findings = findings(results, flows)
    return Summary(
        title=results.info.title,
        status=results.status,
        started=results.info.started,
        flows=tuple(_flow(results, flow) for flow in flows if flow.planned.is_sampled),
        queues=tuple(
            _queue(direction, rows, info, results, _hull(spans))
            for direction, rows in queue_directions(results).items()
            for info in (queue_infos.get(direction, QueueInfo()),)
        ),
        pings=_pings(results),
        apps=app_summaries(results),
        jain_index=_fairness(flows),
        failures=results.info.failures,
        warnings=results.warnings,
        not_as_drawn=tuple(filter(None, map(control_mismatch, flows))),
        findings=all_findings,
        verdict=verdict(all_findings),
    )


def goodput_mbit(results: Results, flow: str, from_s: float, to_s: float) -> float | None:
    """A flow's goodput in Mbit/s from one time to another, both counted from the start of all flows.

    Returns:
        None if the flow was not sampled, or the span is empty.

    Raises:
        KeyError: there is no such flow.
    """
    return rate_mbit(delivered(_named(flow_samples(results), "id", flow)), from_s, to_s)


def jain_index(values: Collection[float]) -> float | None:
    """Jain's fairness index of shares, (sum x)^2 / (n sum x^2): 1 is even, 1/n is all for one.

    Jain, Chiu, Hawe: A Quantitative Measure of Fairness and Discrimination for Resource Allocation in Shared Computer
    Systems, DEC-TR-301, 1984.

    Returns:
        None if there are none or all are zero.
    """
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else None


def save_summary(summary: Summary, folder: Path) -> Path:
    """Write `summary.json` into a results folder; its path."""
    path = folder / layout.SUMMARY
    atomic_files.replace(path, layout.json_text(summary))
    return path


def load_summary(folder: Path) -> Summary:
    """Read `summary.json`: quicker than the samples where many runs are compared.

    Raises:
        ResultsError: it is missing, or not to be understood.
    """
    try:
        return Summary.model_validate(layout.read_json(folder / layout.SUMMARY))
    except (OSError, ValueError) as error:
        raise ResultsError(folder, f"{layout.SUMMARY} is missing or cannot be read", "summarize its samples") from error


def _flow(results: Results, flow: FlowSamples) -> FlowSummary:
    planned, span = flow.planned, sending_span(flow)
    summary = FlowSummary(
        flow=flow.id,
        source=planned.source,
        destination=planned.destination,
        congestion_control=flow.congestion_control,
        control_by=planned.expected_by,
        rest_rtt_ms=rest_rtt_ms(results, planned.source, planned.address),
        failure=flow.failure,
    )
    if span is None:
        return summary
    data = delivered(flow)
    begin_s, end_s = span
    srtt_ms = within(series(flow.sender, "srtt_ms"), begin_s, end_s)
    cwnd = within(series(flow.sender, "cwnd_packets"), begin_s, end_s)
    return summary.model_copy(
        update={
            "start_s": begin_s,
            "end_s": end_s,
            "bytes_delivered": round(float(data[1].max())),
            "goodput_mbit": rate_mbit(data, begin_s, end_s),
            "goodput_settled_mbit": rate_mbit(data, begin_s + SETTLING_S, end_s),
            "srtt_median_ms": _quantile(srtt_ms, 50),
            "srtt_p95_ms": _quantile(srtt_ms, 95),
            "srtt_max_ms": _quantile(srtt_ms, 100),
            "min_rtt_ms": _quantile(series(flow.sender, "min_rtt_ms")[1], 0),
            "cwnd_median_packets": _quantile(cwnd, 50),
            "cwnd_max_packets": _quantile(cwnd, 100),
            "retransmits": _count(_quantile(series(flow.sender, "retransmits")[1], 100)),
            "duplicate_packets": _count(_quantile(series(flow.sender, "duplicate_packets")[1], 100)),
            "out_of_order_packets": _count(_quantile(series(flow.receiver, "out_of_order_packets")[1], 100)),
        }
    )


def _queue(direction: str, rows: Columns, info: QueueInfo, results: Results, span: tuple[float, float]) -> QueueSummary:
    rate = rate_history(results, direction, info.rate_mbit)
    limit = limit_history(results, direction, info.limit_bytes)
    begin_s, end_s = span
    held = series(rows, "backlog_bytes")
    backlog, delays = within(held, *span), within(rate.drain_ms(held), *span)
    sent, drops = series(rows, "sent_bytes"), series(rows, "drops")
    # Without flows, the span is that of the samples.
    begin_s, end_s = (max(begin_s, sent[0][0]), min(end_s, sent[0][-1])) if sent[0].size else (0.0, 0.0)
    used, could = rate_mbit(sent, begin_s, end_s), rate.mean_mbit(begin_s, end_s)
    limits = limit.between(begin_s, end_s)
    return QueueSummary(
        direction=direction,
        rate_mbit=info.rate_mbit,
        limit_bytes=info.limit_bytes,
        limit_least_bytes=_quantile(limits, 0),
        limit_most_bytes=_quantile(limits, 100),
        full_delay_ms=limit.longest_ms(rate, begin_s, end_s),
        backlog_mean_bytes=float(backlog.mean()) if backlog.size else None,
        backlog_max_bytes=_quantile(backlog, 100),
        delay_max_ms=_quantile(delays, 100),
        sent_bytes=round(bytes_between(sent, begin_s, end_s)) if sent[0].size else None,
        utilisation=used / could if used is not None and could else None,
        drops=_count(growth(drops)),
    )


def _pings(results: Results) -> tuple[PingSummary, ...]:
    return tuple(
        PingSummary(
            source=ping.source,
            destination=ping.destination,
            address=ping.address,
            sent=ping.sent,
            received=ping.received,
            duplicates=ping.duplicates,
            ttl=ping.ttl[0] if len(set(ping.ttl)) == 1 else None,
            rtt_min_ms=_quantile(np.array(ping.rtt_ms, dtype=np.float64), 0),
            rtt_median_ms=_quantile(np.array(ping.rtt_ms, dtype=np.float64), 50),
        )
        for ping in results.info.pings
    )


def _fairness(flows: Sequence[FlowSamples]) -> float | None:
    flows = [flow for flow in flows if flow.planned.kind == "bulk"]
    spans = [sending_span(flow) for flow in flows]
    sending_spans = [span for span in spans if span]
    if len(sending_spans) < 2 or len(sending_spans) < len(spans):
        return None
    begin_s, end_s = max(begin for begin, _ in sending_spans), min(end for _, end in sending_spans)
    shares = [share for flow in flows if (share := rate_mbit(delivered(flow), begin_s, end_s)) is not None]
    return jain_index(shares) if len(shares) == len(flows) else None


def drain_ms(size_bytes: float | None, rate_mbit: float | None) -> float | None:
    """The time that a backlog takes to drain at a rate; None if either is unknown."""
    return size_bytes * 8e-3 / rate_mbit if size_bytes is not None and rate_mbit else None


def _hull(spans: Sequence[tuple[float, float]]) -> tuple[float, float]:
    if not spans:
        return -math.inf, math.inf
    return min(begin for begin, _ in spans), max(end for _, end in spans)


def _quantile(values: Floats, percent: float) -> float | None:
    return float(np.percentile(values, percent)) if values.size else None


def _count(value: float | None) -> int | None:
    return None if value is None else round(value)


def _named(items: Sequence[_T], attribute: str, name: str) -> _T:
    for item in items:
        if getattr(item, attribute) == name:
            return item
    raise KeyError(name)
