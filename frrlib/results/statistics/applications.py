"""Waiting times of flows other than plain bulk: requests, pages, video, calls, probes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from frrlib.results.layout import FlowInfo
from frrlib.results.records import Results
from frrlib.results.series import select
from frrlib.results.statistics.emodel import opinion
from frrlib.results.table_reader import Columns

Floats = npt.NDArray[np.float64]

#: The rows of the table "app" that are summarized, by kind of flow.
JUDGED_BY = {"request-response": "request", "web-page": "page", "video": "chunk", "on-off": "burst", "bulk": "transfer"}


class AppSummary(BaseModel):
    """The waiting times of one flow. None stands for an unknown value, or for one that such a flow does not have.

    Times are those of successful units: the duration of requests, pages, chunks, bursts and transfers, the round trip
    of pings, and the one-way delay of datagrams.

    Attributes:
        flow, kind, source, destination: as planned.
        congestion_control: the planned one of a TCP flow.
        what: the counted unit: "request", "page", "chunk", "burst", "transfer", "ping", "packet"; for a command its
            own word.
        count: the number of units; for packets and pings, the number that was sent.
        failed: the number of units that failed or were lost.
        median_ms, p95_ms, max_ms: of their times, each packet counted once.
        duplicates: the number of datagrams or pings that arrived again. They count neither as received nor as lost.
        are_means: whether median and 95 % are those of means over a tenth of a second, not of single packets. This is
            so for datagrams in folders whose receiver did not report them.
        jitter_ms: of datagrams, at the end (RFC 3550, section 6.4.1).
        opinion: of a call: mean opinion score by the E-model; see `emodel`.
        stalls, stalled_s: of a video: the number of stalls during playback, and their total duration.
        quality_mbit: of a video: mean rate of its chunks.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    flow: str
    kind: str = ""
    source: str = ""
    destination: str = ""
    congestion_control: str = ""
    what: str = ""
    count: int = 0
    failed: int = 0
    median_ms: float | None = None
    p95_ms: float | None = None
    max_ms: float | None = None
    duplicates: int | None = None
    are_means: bool = False
    jitter_ms: float | None = None
    opinion: float | None = None
    stalls: int | None = None
    stalled_s: float | None = None
    quality_mbit: float | None = None

    @property
    def remark(self) -> str:
        """Its congestion control, and the peculiarities of its kind, for people."""
        words = [self.congestion_control] if self.congestion_control else []
        if self.opinion is not None:
            words.append(f"MOS {self.opinion:.2f}")
        if self.jitter_ms is not None:
            words.append(f"jitter {self.jitter_ms:.2f} ms")
        if self.duplicates:
            words.append(f"{self.duplicates} duplicate{'' if self.duplicates == 1 else 's'}")
        if self.are_means:
            words.append("median and 95 % of 0.1 s means")
        if self.quality_mbit is not None:
            words.append(f"{self.quality_mbit:.2f} Mbit/s")
        if self.stalls:
            words.append(f"stalled {self.stalls} x, {self.stalled_s:.1f} s")
        return ", ".join(words)


def app_summaries(results: Results) -> tuple[AppSummary, ...]:
    """A summary of each flow with measurements of its application, in the order of the plan."""
    summaries = (_summary(results, flow) for flow in results.info.flows)
    return tuple(summary for summary in summaries if summary is not None)


def _summary(results: Results, flow: FlowInfo) -> AppSummary | None:
    summary = AppSummary(
        flow=flow.id, kind=flow.kind, source=flow.source, destination=flow.destination, congestion_control=flow.control
    )
    if flow.transport != "tcp" and flow.kind != "command":
        return summary.model_copy(update=_probes(results, flow) if _is_probe(flow) else _packets(results, flow))
    rows = _rows(results.app, flow)
    judged_by = JUDGED_BY.get(flow.kind, "")
    mine = select(rows, rows["what"] == judged_by) if judged_by else rows
    if not mine["time_s"].size:
        return summary if flow.kind not in ("bulk", "on-off") else None
    durations = mine["duration_ms"][mine["outcome"] == ""]
    video_values = _video_values(rows, mine, flow) if flow.kind == "video" else {}
    count = int(mine["time_s"].size)
    unit = judged_by or str(mine["what"][0])
    return summary.model_copy(
        update={"what": unit, "count": count, "failed": count - durations.size, **_times(durations), **video_values}
    )


def _duplicates(results: Results, flow: FlowInfo) -> int | None:
    """The number of duplicate datagrams or pings by the receiver's report; None if it has no such number."""
    counted = (results.flow_report(flow.id) or {}).get("duplicate_packets")
    return counted if isinstance(counted, int) else None


def _packet_quantiles(results: Results, flow: FlowInfo) -> dict[str, float]:
    """Median and 95 % of the delays of single packets by the receiver's report; empty if it does not have both."""
    report = results.flow_report(flow.id) or {}
    values = {"median_ms": report.get("delay_median_ms"), "p95_ms": report.get("delay_p95_ms")}
    reported = {name: float(value) for name, value in values.items() if isinstance(value, int | float)}
    return reported if len(reported) == len(values) else {}


def _is_probe(flow: FlowInfo) -> bool:
    return flow.kind in ("ping", "one-way-delay")


def _rows(table: Columns, flow: FlowInfo) -> Columns:
    return select(table, table["flow"] == flow.id)


def _times(values: Floats) -> dict[str, float | None]:
    durations = values[~np.isnan(values)]
    quantiles = {"median_ms": 50, "p95_ms": 95, "max_ms": 100}
    return {
        name: float(np.percentile(durations, percent)) if durations.size else None
        for name, percent in quantiles.items()
    }


def _probes(results: Results, flow: FlowInfo) -> dict[str, Any]:
    rows = _rows(results.probe, flow)
    values = rows["rtt_ms" if flow.kind == "ping" else "delay_ms"]
    lost = int(np.isnan(values).sum())
    unit = "ping" if flow.kind == "ping" else "packet"
    duplicates = _duplicates(results, flow)
    return {"what": unit, "count": int(values.size), "failed": lost, "duplicates": duplicates, **_times(values)}


def _packets(results: Results, flow: FlowInfo) -> dict[str, Any]:
    rows = _rows(results.datagram, flow)
    if not rows["time_s"].size:
        return {"what": "packet"}
    last = {name: rows[name][-1] for name in ("sent_packets", "lost_packets", "jitter_ms")}
    summary: dict[str, Any] = {
        "what": "packet", "count": int(last["sent_packets"]), "failed": int(last["lost_packets"]),
        **_times(rows["delay_ms"]), "jitter_ms": float(last["jitter_ms"]),
        "duplicates": _duplicates(results, flow),
    }  # fmt: skip
    worst = rows["delay_max_ms"][~np.isnan(rows["delay_max_ms"])]
    summary["max_ms"] = float(worst.max()) if worst.size else None
    quantiles = _packet_quantiles(results, flow)
    summary |= quantiles or {"are_means": True}
    return summary | ({"opinion": _opinion(results, flow)} if flow.kind == "voip" else {})


def _opinion(results: Results, flow: FlowInfo) -> float | None:
    """The opinion score of a call, from the final report of its receiver."""
    report = results.flow_report(flow.id) or {}
    try:
        sent, received = (report["end"][side]["packets"] for side in ("sum_sent", "sum_received"))
        played = received - report["late_packets"]
        waits_ms = float(report["delay_min_ms"]) + flow.settings["playout_ms"] + flow.settings["packet_ms"]
        return opinion(flow.settings["codec"], waits_ms, 100.0 * (sent - played) / sent)
    except (KeyError, TypeError, ZeroDivisionError):
        return None


def _video_values(rows: Columns, chunks: Columns, flow: FlowInfo) -> dict[str, Any]:
    stalls = select(rows, rows["what"] == "stall")
    chunk_s = flow.settings.get("chunk_s") or 0.0
    mean_bytes = float(chunks["size_bytes"].mean())
    return {
        "stalls": int(stalls["time_s"].size),
        "stalled_s": float(np.nansum(stalls["duration_ms"])) / 1e3,
        "quality_mbit": mean_bytes * 8e-6 / chunk_s if chunk_s else None,
    }
