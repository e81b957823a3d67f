"""Checks that samples can be measurements: time never goes back, counters never fall, no rate is impossible.

Rows that cannot be a measurement are dropped and reported. Two kinds of falling counters are valid: a counter of 32
bits that wraps to 0, and the counters of a queue that a fault replaced. Both are continued as one rising count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from frrlib.results.rates import rate_history
from frrlib.results.records import Results
from frrlib.results.series import Floats, select
from frrlib.results.streams import stream_names
from frrlib.results.table_reader import Columns

#: The columns that identify the series of a row, by table.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "tcp": ("flow", "side"),
    "queue": ("direction",),
    "cable": ("direction",),
    "cpu": ("where",),
    "aqm": ("direction", "discipline", "statistic"),
    "interface": ("node", "interface"),
    "datagram": ("flow",),
    "app": ("flow", "what"),
    "probe": ("flow",),
}
#: Tables whose rows are numbered in a column "number", and not necessarily in the order of time.
_NUMBERED = ("app", "probe")
_OF_FLOWS = ("tcp", "datagram", *_NUMBERED)
_OF_QUEUES = ("sent_bytes", "sent_packets", "drops", "marks")
_OF_INTERFACES = tuple(f"{side}_{unit}" for side in ("rx", "tx") for unit in ("bytes", "packets", "drops", "errors"))
#: Counters that only rise, by table.
_COUNTERS: Mapping[str, tuple[str, ...]] = {
    "tcp": ("bytes_acked", "bytes_received", "bytes_sent", "bytes_retrans", "retransmits"),
    "queue": _OF_QUEUES,
    "cable": _OF_QUEUES,
    "cpu": ("busy_s", "idle_s"),
    "interface": _OF_INTERFACES,
    "datagram": ("sent_packets", "received_packets", "received_bytes"),
}
#: Tables whose counters restart when a fault replaces the queue or the interface.
_REPLACEABLE = frozenset(("queue", "cable", "interface"))
#: The maximum distance of a fault from its recorded time, in seconds: it is injected in steps.
_FAULT_S = 1.0
#: The tolerated fall of processor times, in seconds: the kernel estimates them, so idle time may fall by some ticks.
_SLACK: Mapping[str, float] = {"busy_s": 0.1, "idle_s": 0.1}
#: The maximum that a queue sends over a second or more: this multiple of its rate, and some bytes for a token bucket.
_RATE_FACTOR, _RATE_SPAN_S, _RATE_BYTES = 2.0, 1.0, 1e6
_32_BITS = 2.0**32
_DAMAGED = "the file was changed or is damaged"


@dataclass(frozen=True, eq=False)
class _Series:
    """The rows of one series of a table: their numbers in the table, from 0, in the order of the file."""

    name: str
    rows: npt.NDArray[np.intp]


def drop_impossible_rows(results: Results) -> Results:
    """The results without the rows that cannot be measurements; `damage` and `warnings` report them."""
    damage: list[str] = []
    tables: dict[str, Any] = {
        name: _without_later_run(results, name, damage) for name in _KEYS if name not in _NUMBERED
    }
    if damage:
        tables |= {name: _without_later_run(results, name, damage, "number") for name in _NUMBERED}
        tables |= {name: _of_planned_flows(results, tables[name]) for name in _OF_FLOWS}
    faults = np.array([event.time_s for event in results.events if event.kind == "fault"], dtype=np.float64)
    for name in _COUNTERS:
        tables[name] = _rising(results, name, tables[name], faults, damage)
    tables["queue"] = _without_impossible_rates(results, tables["queue"], damage)
    events = _without_second_start(results, damage) if damage else results.events
    changed = replace(results, **tables, events=events, damage=tuple(damage))
    return replace(changed, warnings=(*results.warnings, *damage)) if damage else changed


def _report(results: Results, table: str, row: int, message: str) -> str:
    return f"results folder {results.folder}, {table}.csv, row {row + 1}: {message}"


def _series_of(name: str, table: Columns) -> Iterator[_Series]:
    """The series of a table, in the order of their first rows."""
    keys = [table[column] for column in _KEYS[name]]
    if not keys[0].size:
        return
    codes = np.zeros(table["time_s"].size, dtype=np.intp)
    for key in keys:
        names, mine = np.unique(key, return_inverse=True)
        codes = codes * names.size + mine.reshape(-1)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order])) + 1
    for rows in np.split(order, starts):
        yield _Series(" ".join(str(key[rows[0]]) for key in keys), rows)


def _without_later_run(results: Results, name: str, damage: list[str], order: str = "time_s") -> Columns:
    """A table up to the first row at which a series goes back; the later rows are from another run."""
    table: Columns = getattr(results, name)
    values = table[order]
    first, previous = values.size, 0.0
    for series in _series_of(name, table):
        falls = np.flatnonzero(np.diff(values[series.rows]) < 0)
        if falls.size and series.rows[falls[0] + 1] < first:
            first, previous = int(series.rows[falls[0] + 1]), float(values[series.rows[falls[0]]])
    if first == values.size:
        return table
    message = (
        f"{order} goes back from {previous:g} to {values[first]:g}; {_DAMAGED}. The rows from there on are left out"
    )
    damage.append(_report(results, name, first, message))
    return {column: cells[:first] for column, cells in table.items()}


def _of_planned_flows(results: Results, table: Columns) -> Columns:
    """The rows of the planned flows of a run; the same lab may have sent others later."""
    planned = [name for flow in results.info.flows for name in (flow.id, *stream_names(flow.id, flow.streams))]
    return select(table, np.isin(table["flow"], planned)) if planned else table


def _rising(results: Results, name: str, table: Columns, faults: Floats, damage: list[str]) -> Columns:
    """The table with counters that only rise; rows in which one has fallen are dropped."""
    times = table["time_s"]
    left_out = np.zeros(times.size, dtype=np.bool_)
    changed: dict[str, Floats] = {}
    for series in _series_of(name, table):
        for column in _COUNTERS.get(name, ()):
            counts = changed.get(column, table[column])[series.rows]
            known_rows = series.rows[~np.isnan(counts)]
            counts = counts[~np.isnan(counts)]
            falls = np.flatnonzero(np.diff(counts) < -_SLACK.get(column, 0.0)) + 1
            if not falls.size:
                continue
            raised = _continued(counts, falls, times[known_rows], faults if name in _REPLACEABLE else faults[:0])
            wrong = raised < np.maximum.accumulate(raised) - _SLACK.get(column, 0.0)
            if wrong.any():
                at = int(np.argmax(wrong))
                message = f"{column} of {series.name} falls from {counts[at - 1]:g} to {counts[at]:g}; {_DAMAGED}"
                message = f"{message}. Its rows are left out until it has risen to that again"
                damage.append(_report(results, name, int(known_rows[at]), message))
                left_out[known_rows[wrong]] = True
            values = changed.setdefault(column, table[column].copy())
            values[known_rows] = raised
    for values in changed.values():
        values.flags.writeable = False
    table = {**table, **changed}
    return select(table, ~left_out) if left_out.any() else table


def _continued(counts: Floats, falls: npt.NDArray[np.intp], times: Floats, faults: Floats) -> Floats:
    """A counter as one rising count across its valid falls: an overflow of 32 bits, or a fault at that time."""
    raised = counts.copy()
    for at in falls:
        previous, now = counts[at - 1], counts[at]
        if previous - now > _32_BITS / 2 and previous < _32_BITS:
            raised[at:] += _32_BITS
        elif ((faults >= times[at - 1] - _FAULT_S) & (faults <= times[at] + _FAULT_S)).any():
            raised[at:] += previous
    return raised


def _without_impossible_rates(results: Results, table: Columns, damage: list[str]) -> Columns:
    """The table of queues without the rows after a queue sent more than a link of its rate can carry."""
    left_out = np.zeros(table["time_s"].size, dtype=np.bool_)
    for series in _series_of("queue", table):
        info = results.info.queues.get(series.name)
        known_rows = series.rows[~np.isnan(table["sent_bytes"][series.rows])]
        times, sent = table["time_s"][known_rows], table["sent_bytes"][known_rows]
        if info is None or not info.rate_mbit or times.size < 2:
            continue
        rate = rate_history(results, series.name, info.rate_mbit)
        ends = np.minimum(np.searchsorted(times, times + _RATE_SPAN_S), times.size - 1)
        for begin in np.flatnonzero((sent[ends] - sent) * 8e-6 > _RATE_FACTOR * np.nanmin(rate.rates_mbit)):
            end = int(ends[begin])
            could_mbit = rate.mean_mbit(float(times[begin]), float(times[end]))
            if could_mbit is None or end == begin:
                continue
            could_bytes = could_mbit * 125e3 * (times[end] - times[begin])
            if sent[end] - sent[begin] > _RATE_FACTOR * could_bytes + _RATE_BYTES:
                seconds = times[end] - times[begin]
                measured = (sent[end] - sent[begin]) * 8e-6 / seconds
                message = (
                    f"{series.name} sends {measured:.4g} Mbit/s for {seconds:.3g} s, and its rate is {could_mbit:.4g}"
                )
                message = f"{message}; its rate was changed by hand, or {_DAMAGED}. Its rows from there on are left out"
                damage.append(_report(results, "queue", int(known_rows[begin + 1]), message))
                left_out[series.rows[series.rows > known_rows[begin]]] = True
                break
    return select(table, ~left_out) if left_out.any() else table


def _without_second_start(results: Results, damage: list[str]) -> tuple[Any, ...]:
    """The events up to the second start of a flow, which belongs to another run."""
    started: set[str] = set()
    for number, event in enumerate(results.events):
        if (event.kind, event.what) != ("flow", "start"):
            continue
        if event.subject in started:
            message = (
                f"flow {event.subject} starts for the second time; {_DAMAGED}. The rows from there on are left out"
            )
            damage.append(_report(results, "events", number, message))
            return results.events[:number]
        started.add(event.subject)
    return results.events
