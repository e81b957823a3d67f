"""Flows: their round trip at rest, their congestion control, their pacing, and whether they were sampled."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from frrlib.results.records import Results
from frrlib.results.series import FlowSamples, delivered, rest_rtt_ms, sending_span, series
from frrlib.results.verdict.finding import Finding, Severity

#: The excess of a round trip, as a share and in ms, beyond which a busy machine cannot be the cause.
RTT_SHARE_WRONG, RTT_WRONG_MS = 0.2, 5.0
#: The time from the start of a flow to its data from which it is reported as late. Usually it is a few round trips.
LATE_S = 0.5
#: The longest time between two samples of a flow that sends, in seconds, and in intervals of the requested sampling.
LONGEST_GAP_S, INTERVALS = 1.0, 2.5
#: The kernel's counters of HyStart: slow start ended by the train of ACKs, or by the delay.
_HYSTART = {"TCPHystartTrainDetect": "by the train of ACKs", "TCPHystartDelayDetect": "by the delay"}


def findings(results: Results, flows: Sequence[FlowSamples], *, calm: bool) -> Iterator[Finding]:
    """All findings about flows, in their order.

    Args:
        calm: whether the machine was not too busy, so that it delayed no packet.
    """
    yield from _at_rest(results, flows, calm)
    for flow in flows:
        yield from _start(flow)
        yield from _control(flow)
        yield from _delivery(results, flow)
        yield from _unlimited(results, flow)
        yield from _samples(results, flow)
        yield from _pacing(flow)
    yield from _hystart(results, flows)


def control_mismatch(flow: FlowSamples) -> str:
    """A sentence if a flow's sender did not have the expected congestion control; else empty.

    The most frequent one is compared: iperf3 sets it after connecting, and until then a socket has another one.
    """
    planned = flow.planned
    if planned.expected_control in ("", flow.congestion_control):
        return ""
    return (
        f"flow {flow.id} had the congestion control {flow.congestion_control}, expected was "
        f"{planned.expected_control}, by {planned.expected_by}"
    )


def _at_rest(results: Results, flows: Sequence[FlowSamples], calm: bool) -> Iterator[Finding]:
    """The least RTT of the pings before the flows, once for all flows between the same nodes."""
    pairs = {(flow.planned.source, flow.planned.address): flow.planned for flow in flows}
    for (source, address), planned in pairs.items():
        measured, configured = rest_rtt_ms(results, source, address), planned.drawn_rtt_ms
        if measured is None or configured is None:
            continue
        low, high = planned.rtt_low_ms, planned.rtt_high_ms
        severity: Severity = "ok" if low <= measured <= high else "doubt"
        message = advice = ""
        if severity == "doubt":
            gross = measured < low or (calm and measured > high * (1 + RTT_SHARE_WRONG) + RTT_WRONG_MS)
            severity = "wrong" if gross else "doubt"
            message = (
                f"pings from {source} to {planned.destination} took {measured:.4g} ms, "
                f"but {configured:.4g} ms is configured"
            )
            advice = "check the delays of the links between them with tc" if gross else "use a quieter machine"
        yield Finding(
            what="base RTT", subject=f"{source} - {planned.destination}", configured=configured, measured=measured,
            unit="ms", low=low, high=high, severity=severity, message=message, remedy=advice,
        )  # fmt: skip


def _control(flow: FlowSamples) -> Iterator[Finding]:
    planned = flow.planned
    if not planned.expected_control or not flow.sender["time_s"].size:
        return
    message = control_mismatch(flow)
    yield Finding(
        what="control", subject=flow.id, configured=planned.expected_control, measured=flow.congestion_control,
        severity="wrong" if message else "ok", message=message,
        remedy="look for a start command or a sysctl that sets it" if message else "",
    )  # fmt: skip


def late_by_s(flow: FlowSamples) -> float | None:
    """The time from the start of a flow to its first data in seconds if it is at least `LATE_S`, so that the flow does
    not follow the plan. None if it is shorter, and for a flow that failed."""
    span = sending_span(flow)
    if span is None or flow.failure or math.isnan(flow.start_s):
        return None
    late_s = span[0] - flow.start_s
    return late_s if late_s >= LATE_S else None


def _start(flow: FlowSamples) -> Iterator[Finding]:
    """A finding of severity "ok" about a late flow."""
    span, late_s = sending_span(flow), late_by_s(flow)
    if span is None or late_s is None:
        return
    message = (
        f"flow {flow.id} sent its first data {late_s:.2g} s after its start, and ends later by the same time: its "
        "connection was set up through full queues"
    )
    yield Finding(
        what="start", subject=flow.id, configured=flow.start_s, measured=span[0], unit="s", message=message,
        remedy="plan overlaps accordingly; our own sender exchanges fewer messages before the data than iperf3",
    )  # fmt: skip


def _delivery(results: Results, flow: FlowSamples) -> Iterator[Finding]:
    ended = not math.isnan(flow.end_s) or results.status != "running"
    if flow.failure:
        message = f"flow {flow.id} failed: {flow.failure}"
    elif ended and not _delivered_any(results, flow):
        message = f"flow {flow.id} delivered nothing"
    else:
        return
    arrived = delivered(flow)[1]
    measured = float(arrived.max()) if arrived.size else 0.0
    yield Finding(what="delivery", subject=flow.id, measured=measured, unit="bytes", severity="doubt", message=message)


def _unlimited(results: Results, flow: FlowSamples) -> Iterator[Finding]:
    """A finding about a flow in virtual time that neither a rate nor a delay limits."""
    path, is_virtual = flow.planned.path, results.info.settings.get("virtual_time") is True
    if not is_virtual or not flow.planned.is_sampled or path is None or path.base_rtt_ms != 0:
        return
    message = (
        f"no link on the path of flow {flow.id} has a rate or a delay, and virtual time does not pass while programs "
        "compute: its goodput and its window have no meaning"
    )
    yield Finding(
        what="limit", subject=flow.id, severity="doubt", message=message, remedy="set the rate of a link on its path",
    )  # fmt: skip


def _delivered_any(results: Results, flow: FlowSamples) -> bool:
    if flow.planned.is_sampled:
        return sending_span(flow) is not None
    if flow.planned.kind == "command":
        return True  # its effects are unknown
    tables = (results.app["outcome"] == "", results.datagram["received_bytes"] > 0,
              ~np.isnan(results.probe["rtt_ms"]) | ~np.isnan(results.probe["delay_ms"]))  # fmt: skip
    names = (results.app["flow"], results.datagram["flow"], results.probe["flow"])
    return any(bool((name[good] == flow.id).any()) for name, good in zip(names, tables, strict=True))


def _samples(results: Results, flow: FlowSamples) -> Iterator[Finding]:
    """A finding if the sender of a flow was not sampled while it sent."""
    span = sending_span(flow)
    if not flow.planned.is_sampled:
        return
    if flow.failure or (span is None and (math.isnan(flow.start_s) or math.isnan(flow.end_s))):
        return
    begin_s, end_s = span or (flow.start_s, flow.end_s)
    # The last byte may leave a large queue long after the sender has exited, and there is no socket to sample then.
    end_s = min(end_s, flow.end_s) if flow.end_s > begin_s else end_s
    times = np.sort(flow.sender["time_s"])
    times = times[(times >= begin_s) & (times <= end_s)]
    longest_s = float(np.diff(np.concatenate(([begin_s], times, [end_s]))).max())
    hz = results.info.settings.get("sample_hz")
    high_s = max(LONGEST_GAP_S, INTERVALS / hz if isinstance(hz, int | float) and hz > 0 else 0.0)
    if longest_s <= high_s:
        return
    if not times.size:
        message = f"flow {flow.id} has no samples of its sender"
        advice = "check that the kernel has CONFIG_INET_DIAG, and that the flow lasts long enough"
    else:
        message = f"flow {flow.id} was not sampled for {longest_s:.2g} s while it sent"
        advice = "use a quieter machine, or check in the flow's report whether it ended early"
    yield Finding(
        what="samples", subject=flow.id, measured=longest_s, unit="s", high=high_s, severity="doubt", message=message,
        remedy=advice,
    )  # fmt: skip


def _pacing(flow: FlowSamples) -> Iterator[Finding]:
    """Whether the kernel paced a flow's packets: those of BBR always, those of others if the topology has `fq`."""
    planned, control = flow.planned, flow.congestion_control
    has_state = not np.isnan(
        flow.sender["mss_bytes"]
    ).all()  # the socket's state was sampled, which includes its pacing rate
    if not has_state or not (control.startswith("bbr") or planned.paced_by):
        return
    pacer = "fq" if "fq" in planned.qdiscs else "TCP itself" if planned.qdiscs else ""
    paces = series(flow.sender, "pacing_rate_mbit")[1]
    paces = paces[paces > 0]
    message = ""
    if planned.paced_by and planned.interface and pacer != planned.paced_by:
        qdiscs = ", ".join(planned.qdiscs) or "nothing"
        message = (
            f"flow {flow.id} is configured to be paced by {planned.paced_by}, but {planned.interface} had {qdiscs}"
        )
    elif not paces.size:
        message = f"flow {flow.id} was not paced: its socket had no pacing rate"
    at = f" at {planned.interface}" if pacer == "fq" else ""
    yield Finding(
        what="pacing", subject=flow.id, configured=f"by {planned.paced_by}" if planned.paced_by else None,
        measured=float(np.median(paces)) if paces.size else None, unit="Mbit/s", severity="wrong" if message else "ok",
        message=message or (f"by {pacer}{at}" if pacer else ""),
        remedy="look at the qdiscs of the interface with tc" if message else "",
    )  # fmt: skip


def _hystart(results: Results, flows: Sequence[FlowSamples]) -> Iterator[Finding]:
    """The number of times that HyStart ended slow start, for nodes that sent with CUBIC; findings of severity "ok"."""
    nodes = dict.fromkeys(flow.planned.source for flow in flows if flow.congestion_control == "cubic")
    for node in nodes:
        counted = results.info.counters.get(node, {})
        if not set(_HYSTART) & set(counted):
            continue
        times = {cause: counted.get(name, 0) for name, cause in _HYSTART.items()}
        counts = ", ".join(f"{'once' if n == 1 else f'{n} times'} {cause}" for cause, n in times.items() if n)
        message = f"it ended slow start {counts}" if counts else "it ended no slow start"
        yield Finding(what="HyStart", subject=node, measured=float(sum(times.values())), message=message)
