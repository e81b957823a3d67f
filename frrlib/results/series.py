"""Splits samples into series of flows and queues, and finds the time in which a flow sent.

All functions are pure. A series is a pair of float arrays (time_s, value) of equal length, with ascending times and
without NaN.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from frrlib.results.layout import FlowInfo
from frrlib.results.records import Results
from frrlib.results.streams import merge_streams, stream_names
from frrlib.results.table_reader import Columns

Floats = npt.NDArray[np.float64]
Series = tuple[Floats, Floats]

#: The sending tool opens its data connection with a few bytes of its own, some time before the data.
_GREETING_BYTES = 64
_SIDES = ("sender", "receiver")


@dataclass(frozen=True, eq=False)
class FlowSamples:
    """A flow and its samples.

    Attributes:
        id: the flow's id.
        congestion_control: the one that the kernel reported most often; the planned one if it reported none.
        planned: the planned flow; only the id for an unplanned flow.
        sender, receiver: the rows of each end.
        start_s, end_s: its start and its end by the events; NaN if unknown.
        failure: the reason of its failure; empty if it did not fail.
        arrived_bytes: the number of bytes that arrived, as the sending tool reports it; NaN if unknown.
    """

    id: str
    congestion_control: str
    planned: FlowInfo
    sender: Columns
    receiver: Columns
    start_s: float = math.nan
    end_s: float = math.nan
    failure: str = ""
    arrived_bytes: float = math.nan


def flow_samples(results: Results) -> tuple[FlowSamples, ...]:
    """Every flow of a run: the planned ones in their order, then all others in the order of their appearance."""
    planned = {flow.id: flow for flow in results.info.flows}
    ids, first = np.unique(results.tcp["flow"], return_index=True)
    streams = {name for flow in results.info.flows if flow.streams > 1 for name in stream_names(flow.id, flow.streams)}
    sampled = [str(flow) for flow in ids[np.argsort(first)] if flow and str(flow) not in streams]
    from_events = [event.subject for event in results.events if event.kind == "flow"]
    names = dict.fromkeys((*planned, *sampled, *from_events))
    return tuple(_one_flow(results, name, planned.get(name) or FlowInfo(id=name)) for name in names)


def series(rows: Columns, column: str) -> Series:
    """The known values of a column over time."""
    times, values = rows["time_s"], rows[column]
    is_known = ~np.isnan(values)
    times, values = times[is_known], values[is_known]
    if times.size > 1 and (np.diff(times) < 0).any():
        order = np.argsort(times, kind="stable")
        times, values = times[order], values[order]
    return times, values


def within(data: Series, from_s: float, to_s: float) -> Floats:
    """The values of a series from one time to another, both included."""
    times, values = data
    return values[(times >= from_s) & (times <= to_s)]


def delivered(flow: FlowSamples) -> Series:
    """Bytes that had arrived in order over time, counted by the receiver. Without samples of the receiver, these are
    the bytes acknowledged to the sender; for datagrams, all that arrived. Empty if nothing is known.

    Bytes that arrived after the last sample, before the connection closed, are counted at the end of the flow.
    """
    data = series(flow.receiver, "bytes_received")
    data = data if data[0].size else series(flow.sender, "bytes_acked")
    times, counts = data
    if times.size < 2 or not flow.arrived_bytes > counts[-1] or not flow.end_s > times[-1]:
        return data
    end_s = min(flow.end_s, float(times[-1] + np.median(np.diff(times))))
    return np.append(times, end_s), np.append(counts, flow.arrived_bytes)


def bytes_between(data: Series, from_s: float, to_s: float) -> float:
    """The growth of a rising count from one time to another: even between samples, 0 before the first and after the
    last."""
    times, counts = data
    if not times.size:
        return 0.0
    begin, end = np.interp([from_s, to_s], times, counts)
    return float(end - begin)


def growth(data: Series) -> float | None:
    """The growth of a rising count from the first sample of a run to the last; None without samples.

    The first sample is taken before any flow starts, and the last one after all have ended. The result is the growth of
    the kernel's counter in the whole run.
    """
    counts = data[1]
    return float(counts[-1] - counts[0]) if counts.size else None


def rate_mbit(data: Series, from_s: float, to_s: float) -> float | None:
    """Mean growth of a count of bytes in Mbit/s from one time to another; None for an empty span of time."""
    if not data[0].size or not to_s > from_s:
        return None
    return bytes_between(data, from_s, to_s) * 8e-6 / (to_s - from_s)


def sending_span(flow: FlowSamples) -> tuple[float, float] | None:
    """The start and the end of the time in which a flow sent, in seconds; None for a flow that delivered nothing.

    It begins with the last sample before data arrived. It ends with the first sample that has the last byte. A flow of
    given duration or size ends no earlier than planned, because a broken link may interrupt it. The connection set-up
    before and the report afterwards, which are part of the flow's events, do not count.
    """
    times, counts = delivered(flow)
    if not times.size or not counts[-1] > _GREETING_BYTES:
        return None
    arriving = int(np.argmax(counts > _GREETING_BYTES))
    begin_s = float(times[max(0, arriving - 1)])
    last_s = float(times[np.argmax(counts >= counts.max())])
    limit_s = flow.end_s if not math.isnan(flow.end_s) else float(times[-1])
    if flow.planned.duration_s:
        last_s = max(last_s, min(begin_s + flow.planned.duration_s, limit_s))
    elif counts.max() < flow.planned.size_bytes:
        last_s = max(last_s, limit_s)
    return begin_s, last_s


def queue_directions(results: Results) -> dict[str, Columns]:
    """The rows of each sampled queue, by direction, in the order of their appearance."""
    names, first = np.unique(results.queue["direction"], return_index=True)
    ordered = [str(name) for name in names[np.argsort(first)] if name]
    return {name: select(results.queue, results.queue["direction"] == name) for name in ordered}


def select(table: Columns, mask: npt.NDArray[np.bool_]) -> Columns:
    """The rows of a table that a mask selects."""
    return {name: values[mask] for name, values in table.items()}


def rest_rtt_ms(results: Results, source: str, address: str) -> float | None:
    """The least round-trip time of the pings from a node to an address before the flows; None without a reply.

    It is the least, because the first ping of a pair also waits for address resolution.
    """
    times = [
        rtt_ms
        for ping in results.info.pings
        if (ping.source, ping.address) == (source, address)
        for rtt_ms in ping.rtt_ms
    ]
    return min(times, default=None)


def _one_flow(results: Results, name: str, planned: FlowInfo) -> FlowSamples:
    names = stream_names(name, planned.streams)
    streams = [select(results.tcp, results.tcp["flow"] == stream) for stream in names]
    sender, receiver = (merge_streams([select(rows, rows["side"] == side) for rows in streams]) for side in _SIDES)
    if not receiver["time_s"].size:
        receiver = _datagrams(results, name, receiver)
    events = [event for event in results.events if (event.kind, event.subject) == ("flow", name)]
    moments = {event.what: event.time_s for event in events}
    failed = [event.text or "failed" for event in events if event.what == "failed"]
    return FlowSamples(
        id=name,
        congestion_control=_most_common(sender["congestion_control"]) or planned.control,
        planned=planned,
        sender=sender,
        receiver=receiver,
        start_s=moments.get("start", math.nan),
        end_s=moments.get("end", moments.get("failed", math.nan)),
        failure="; ".join(failed),
        arrived_bytes=_arrived_bytes(results.flow_report(name)),
    )


def _arrived_bytes(report: Mapping[str, Any] | None) -> float:
    try:
        return float((report or {})["end"]["sum_received"]["bytes"])
    except (KeyError, TypeError, ValueError):
        return math.nan


def _datagrams(results: Results, name: str, columns: Columns) -> Columns:
    """The arrivals of a flow of datagrams, as a TCP receiver's rows; columns that only TCP has are unknown."""
    mine = select(results.datagram, results.datagram["flow"] == name)
    count = mine["time_s"].size
    unknown = {key: np.full(count, "" if cells.dtype.kind == "U" else math.nan) for key, cells in columns.items()}
    return {**unknown, "time_s": mine["time_s"], "flow": mine["flow"], "bytes_received": mine["received_bytes"]}


def _most_common(words: npt.NDArray[np.str_]) -> str:
    distinct, counts = np.unique(words[words != ""], return_counts=True)
    return str(distinct[np.argmax(counts)]) if distinct.size else ""
