"""Writes a run as a `.flent.gz`, so that flent can plot it beside its own runs.

The file has format 4 of flent 2: JSON with "metadata", "x_values", a list for each series in "results", and the samples
themselves in "raw_values". A run becomes a `tcp_nup` test: a TCP upload for each flow.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from frrlib.results.records import Results
from frrlib.results.series import Floats, FlowSamples, flow_samples, sending_span, series
from frrlib.results.statistics.arrivals import arrived
from frrlib.results.statistics.statistics import run_name

FORMAT_VERSION = 4
#: Flent's default step.
STEP_S = 0.2
_FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"
#: Our columns and flent's names for them; both have the same units.
TCP_VALUES = {
    "srtt_ms": "tcp_rtt",
    "rttvar_ms": "tcp_rtt_var",
    "cwnd_packets": "tcp_cwnd",
    "pacing_rate_mbit": "tcp_pacing_rate",
    "delivery_rate_mbit": "tcp_delivery_rate",
}


def flent_bytes(results: Results) -> bytes:
    """A run as the content of a `.flent.gz`; the same run gives the same bytes."""
    text = json.dumps(flent_data(results), sort_keys=True, allow_nan=False)
    return gzip.compress(text.encode(), mtime=0)


def flent_data(results: Results) -> dict[str, Any]:
    """A run in flent's format; times in `x_values` count from the start of all flows."""
    flows = [(flow, span) for flow in flow_samples(results) if (span := sending_span(flow))]
    end_s = max((span[1] for _, span in flows), default=0.0)
    times = np.asarray(np.arange(1, max(1, math.ceil(end_s / STEP_S)) + 1) * STEP_S, dtype=np.float64)
    zero = _zero_time(results)
    value_lists: dict[str, list[float | None]] = {}
    raw: dict[str, list[dict[str, float]]] = {}
    meta: dict[str, dict[str, Any]] = {}
    rates = []
    for number, (flow, span) in enumerate(flows, 1):
        name = f"TCP upload::{number}"
        rate = _rates(flow, span, times)
        rates.append(rate)
        value_lists[name] = _as_list(rate)
        raw[name] = _raw(flow, times, rate, zero.timestamp())
        meta[name] = {"UNITS": "Mbits/s", "CONG_CONTROL": flow.congestion_control, "ID": flow.id,
                      "LENGTH": span[1] - span[0]}  # fmt: skip
        for column, theirs in TCP_VALUES.items():
            at, values = series(flow.sender, column)
            if at.size:
                value_lists[f"{name}::{theirs}"] = _as_list(np.interp(times, at, values, left=np.nan, right=np.nan))
    if rates:
        together = np.array(rates)
        sent = ~np.isnan(together)
        total = np.where(sent.any(axis=0), np.nansum(together, axis=0), np.nan)
        value_lists["TCP upload sum"] = _as_list(total)
        value_lists["TCP upload avg"] = _as_list(total / np.maximum(sent.sum(axis=0), 1))
    _add_probes(results, times, zero.timestamp(), value_lists, raw)
    return {
        "version": FORMAT_VERSION,
        "metadata": {**_metadata(results, zero, end_s, len(flows)), "SERIES_META": meta},
        "x_values": times.tolist(),
        "results": value_lists,
        "raw_values": raw,
    }


def _metadata(results: Results, zero: datetime, end_s: float, flows: int) -> dict[str, Any]:
    planned = results.info.flows
    return {
        "NAME": "tcp_nup",
        "TITLE": run_name(results),
        "NOTE": f"measured by miniedit-frr {results.info.facts.get('miniedit_frr', '')}".rstrip(),
        "TIME": zero.strftime(_FORMAT),
        "T0": zero.strftime(_FORMAT),
        "LENGTH": math.ceil(end_s),
        "TOTAL_LENGTH": math.ceil(end_s),
        "STEP_SIZE": STEP_S,
        "HOST": planned[0].destination if planned else "",
        "HOSTS": list(dict.fromkeys(flow.destination for flow in planned)),
        "LOCAL_HOST": planned[0].source if planned else "",
        "KERNEL_RELEASE": str(results.info.facts.get("kernel", "")),
        "IP_VERSION": 6 if planned and ":" in planned[0].address else 4,
        "TEST_PARAMETERS": {"upload_streams": str(flows)},
        "DATA_FILENAME": f"{results.folder.resolve().name}.flent.gz",
    }


def _zero_time(results: Results) -> datetime:
    """The start of all flows, estimated as the start of the run plus the duration of the steps before the flows."""
    try:
        started = datetime.fromisoformat(results.info.started)
    except ValueError:
        started = datetime.fromtimestamp(0, UTC)
    before_s = sum(step.seconds or 0.0 for step in results.info.steps if step.name not in ("flows", "figure"))
    try:
        return (started + timedelta(seconds=before_s)).astimezone(UTC)
    except OverflowError:  # a date outside of the calendar
        return datetime.fromtimestamp(0, UTC)


def _rates(flow: FlowSamples, span: tuple[float, float], times: Floats) -> Floats:
    """Mean goodput in Mbit/s over the step that ends at each time; NaN where the flow did not send."""
    edges = np.concatenate((times[:1] - STEP_S, times))
    rates = np.diff(np.interp(edges, *arrived(flow))) * 8e-6 / STEP_S
    rates[(times <= span[0]) | (edges[:-1] >= span[1])] = np.nan
    return rates


def _raw(flow: FlowSamples, times: Floats, rates: Floats, zero_s: float) -> list[dict[str, float]]:
    """Samples of a flow with flent's names: `val` is the goodput of a step, the others are the sender's samples."""
    steps = zip(times.tolist(), rates.tolist(), strict=True)
    rows = [{"t": zero_s + time_s, "val": rate} for time_s, rate in steps if not math.isnan(rate)]
    columns: Mapping[str, Floats] = {theirs: flow.sender[ours] for ours, theirs in TCP_VALUES.items()}
    for number, time in enumerate(flow.sender["time_s"].tolist()):
        sampled = {name: float(column[number]) for name, column in columns.items() if not np.isnan(column[number])}
        if sampled:
            rows.append({"t": zero_s + time, **sampled})
    return sorted(rows, key=lambda row: row["t"])


def _add_probes(
    results: Results,
    times: Floats,
    zero_s: float,
    value_lists: dict[str, list[float | None]],
    raw: dict[str, list[dict[str, float]]],
) -> None:
    """Add the first pings that ran beside the flows as flent's ping."""
    names = results.probe["flow"]
    for name in dict.fromkeys(names.tolist()):
        at, rtts = series({key: column[names == name] for key, column in results.probe.items()}, "rtt_ms")
        if at.size:
            value_lists["Ping (ms) ICMP"] = _as_list(np.interp(times, at, rtts, left=np.nan, right=np.nan))
            raw["Ping (ms) ICMP"] = [
                {"t": zero_s + t, "val": r} for t, r in zip(at.tolist(), rtts.tolist(), strict=True)
            ]
            return


def _as_list(values: Floats) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]
