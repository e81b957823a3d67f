"""Takes samples apart: which series belong to which flow and queue, and when a flow sent.

All functions are pure. A series is a pair of float arrays (time_s, value) of one length, times rising, without NaN.
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
from frrlib.results.tables import Columns

Floats = npt.NDArray[np.float64]
Series = tuple[Floats, Floats]

#: The sending tool opens its data connection with a few bytes of its own, at some time before the data.
_GREETING_BYTES = 64
_SIDES = ("sender", "receiver")


@dataclass(frozen=True, eq=False)
class FlowSamples:
    """A flow and its samples.

    Attributes:
        id: the flow's id.
        congestion_control: what the kernel said most often; what was planned where it said nothing.
        planned: what was planned; only the id for a flow that nobody planned.
        sender, receiver: the rows of each end.
        start_s, end_s: when the flow's events say that it started and ended; NaN where they do not.
        failure: why it failed; empty if it did not.
        arrived_bytes: how much arrived in all, as the sending tool reports; NaN where it does not.
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
    """Every flow of a run: the planned ones in their order, then any others as they appear."""
    planned = {flow.id: flow for flow in results.info.flows}
    seen, first = np.unique(results.tcp["flow"], return_index=True)
    streams = {name for flow in results.info.flows if flow.streams > 1 for name in stream_names(flow.id, flow.streams)}
    sampled = [str(flow) for flow in seen[np.argsort(first)] if flow and str(flow) not in streams]
    told = [event.subject for event in results.events if event.kind == "flow"]
    names = dict.fromkeys((*planned, *sampled, *told))
    return tuple(_one_flow(results, name, planned.get(name) or FlowInfo(id=name)) for name in names)


def series(rows: Columns, column: str) -> Series:
    """A column over time, where it is known."""
    times, values = rows["time_s"], rows[column]
    known = ~np.isnan(values)
    times, values = times[known], values[known]
    if times.size > 1 and (np.diff(times) < 0).any():
        order = np.argsort(times, kind="stable")
        times, values = times[order], values[order]
    return times, values


def within(data: Series, from_s: float, to_s: float) -> Floats:
    """The values of a series from one time to another, both included."""
    times, values = data
    return values[(times >= from_s) & (times <= to_s)]


def delivered(flow: FlowSamples) -> Series:
    """Bytes that had arrived in order, over time: counted by the receiver, or, where it was not sampled, those that the
    sender had acknowledged; of datagrams all that arrived. Empty where nothing is known.

    What came after the last sample, while the connection still stood, is there with the end of the flow.
    """
    data = series(flow.receiver, "bytes_received")
    data = data if data[0].size else series(flow.sender, "bytes_acked")
    times, counts = data
    if times.size < 2 or not flow.arrived_bytes > counts[-1] or not flow.end_s > times[-1]:
        return data
    end_s = min(flow.end_s, float(times[-1] + np.median(np.diff(times))))
    return np.append(times, end_s), np.append(counts, flow.arrived_bytes)


def bytes_between(data: Series, from_s: float, to_s: float) -> float:
    """The growth of a rising count from one time to another; between samples evenly, outside them none."""
    times, counts = data
    if not times.size:
        return 0.0
    begin, end = np.interp([from_s, to_s], times, counts)
    return float(end - begin)


def growth(data: Series) -> float | None:
    """The growth of a rising count from the first sample of a run to the last; None without samples.

    The first sample is taken before any flow starts, and the last one when all have ended: a kernel's counter grows by
    as much between the start and the end of the run.
    """
    counts = data[1]
    return float(counts[-1] - counts[0]) if counts.size else None


def rate_mbit(data: Series, from_s: float, to_s: float) -> float | None:
    """Mean growth of a count of bytes in Mbit/s from one time to another; None if that is no span of time."""
    if not data[0].size or not to_s > from_s:
        return None
    return bytes_between(data, from_s, to_s) * 8e-6 / (to_s - from_s)


def sending_span(flow: FlowSamples) -> tuple[float, float] | None:
    """From when to when a flow sent, in seconds; None for a flow that delivered nothing.

    It begins with the last sample before data arrived. It ends with the first sample that has the last byte, but for a
    flow of given length not before its length is over: a flow that a broken link silences still wanted to send.
    Connecting beforehand and reporting afterwards, which the flow's own events include, do not count.
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
    """The chosen rows of a table."""
    return {name: values[mask] for name, values in table.items()}


def rest_rtt_ms(results: Results, source: str, address: str) -> float | None:
    """The least round-trip time that pings from a node to an address took before the flows; None without an answer.

    The least, because the first ping of a pair also waits for the address to be resolved.
    """
    times = [
        rtt_ms
        for ping in results.info.pings
        if (ping.source, ping.address) == (source, address)
        for rtt_ms in ping.rtt_ms
    ]
    return min(times, default=None)


def _one_flow(results: Results, name: str, planned: FlowInfo) -> FlowSamples:
    streams = [select(results.tcp, results.tcp["flow"] == each) for each in stream_names(name, planned.streams)]
    sender, receiver = (merge_streams([select(each, each["side"] == side) for each in streams]) for side in _SIDES)
    if not receiver["time_s"].size:
        receiver = _datagrams(results, name, receiver)
    events = [event for event in results.events if (event.kind, event.subject) == ("flow", name)]
    moments = {event.what: event.time_s for event in events}
    failed = [event.text or "failed" for event in events if event.what == "failed"]
    return FlowSamples(
        id=name,
        congestion_control=_commonest(sender["congestion_control"]) or planned.control,
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
    """The arrivals of a flow of datagrams, as a TCP receiver's rows; all that only TCP has is not known."""
    mine = select(results.datagram, results.datagram["flow"] == name)
    count = mine["time_s"].size
    unknown = {key: np.full(count, "" if each.dtype.kind == "U" else math.nan) for key, each in columns.items()}
    return {**unknown, "time_s": mine["time_s"], "flow": mine["flow"], "bytes_received": mine["received_bytes"]}


def _commonest(words: npt.NDArray[np.str_]) -> str:
    said, counts = np.unique(words[words != ""], return_counts=True)
    return str(said[np.argmax(counts)]) if said.size else ""
