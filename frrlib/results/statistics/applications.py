"""Waiting times of flows other than plain bulk: requests, pages, film, calls, probes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from frrlib.results.layout import FlowInfo
from frrlib.results.records import Results
from frrlib.results.series import select
from frrlib.results.statistics.emodel import opinion
from frrlib.results.tables import Columns

Floats = npt.NDArray[np.float64]

#: What of the table "app" a kind is judged by.
JUDGED_BY = {"request-response": "request", "web-page": "page", "video": "chunk", "on-off": "burst", "bulk": "transfer"}


class AppSummary(BaseModel):
    """The waiting times of one flow. None stands for "not known", or for values that such a flow does not have.

    Times are of those that went well: of requests, pages, chunks, bursts and transfers how long each took, of echoes
    the round trip, of datagrams one way.

    Attributes:
        flow, kind, source, destination: as planned.
        congestion_control: as planned, of TCP.
        what: what is counted: "request", "page", "chunk", "burst", "transfer", "ping", "packet"; of a command its word.
        count: how many there were; of packets and echoes how many were sent.
        failed: how many of them went wrong, or were lost.
        median_ms, p95_ms, max_ms: of their times, each packet counted once.
        duplicates: of datagrams and echoes, how many arrived again although they had arrived already; they count
            neither as received nor as lost.
        are_means: whether median and 95 % are those of means over a tenth of a second, not of single packets: of
            datagrams in folders whose receiver did not report them.
        jitter_ms: of datagrams, at the end (RFC 3550, section 6.4.1).
        opinion: of a call: mean opinion score by the E-model; see `emodel`.
        stalls, stalled_s: of film: how often it stood still once it played, and for how long in all.
        quality_mbit: of film: mean rate of its chunks.
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
        said = [self.congestion_control] if self.congestion_control else []
        if self.opinion is not None:
            said.append(f"MOS {self.opinion:.2f}")
        if self.jitter_ms is not None:
            said.append(f"jitter {self.jitter_ms:.2f} ms")
        if self.duplicates:
            said.append(f"{self.duplicates} duplicate{'' if self.duplicates == 1 else 's'}")
        if self.are_means:
            said.append("median and 95 % of 0.1 s means")
        if self.quality_mbit is not None:
            said.append(f"{self.quality_mbit:.2f} Mbit/s")
        if self.stalls:
            said.append(f"stalled {self.stalls} x, {self.stalled_s:.1f} s")
        return ", ".join(said)


def app_summaries(results: Results) -> tuple[AppSummary, ...]:
    """A summary of each flow that tells more than its connections do, in the order of the plan."""
    found = (_one(results, flow) for flow in results.info.flows)
    return tuple(each for each in found if each is not None)


def _one(results: Results, flow: FlowInfo) -> AppSummary | None:
    whole = AppSummary(
        flow=flow.id, kind=flow.kind, source=flow.source, destination=flow.destination, congestion_control=flow.control
    )
    if flow.transport != "tcp" and flow.kind != "command":
        return whole.model_copy(update=_probes(results, flow) if _is_probe(flow) else _packets(results, flow))
    rows = _rows(results.app, flow)
    what = JUDGED_BY.get(flow.kind, "")
    mine = select(rows, rows["what"] == what) if what else rows
    if not mine["time_s"].size:
        return whole if flow.kind not in ("bulk", "on-off") else None
    fine = mine["duration_ms"][mine["outcome"] == ""]
    more = _film(rows, mine, flow) if flow.kind == "video" else {}
    count = int(mine["time_s"].size)
    said = what or str(mine["what"][0])
    return whole.model_copy(update={"what": said, "count": count, "failed": count - fine.size, **_times(fine), **more})


def _duplicates(results: Results, flow: FlowInfo) -> int | None:
    """How many datagrams or echoes arrived again, as their receiver reports; None where it does not."""
    counted = (results.flow_report(flow.id) or {}).get("duplicate_packets")
    return counted if isinstance(counted, int) else None


def _packet_quantiles(results: Results, flow: FlowInfo) -> dict[str, float]:
    """Median and 95 % of the delays of single packets, as the receiver reports; nothing where it does not."""
    report = results.flow_report(flow.id) or {}
    values = {"median_ms": report.get("delay_median_ms"), "p95_ms": report.get("delay_p95_ms")}
    known = {name: float(value) for name, value in values.items() if isinstance(value, int | float)}
    return known if len(known) == len(values) else {}


def _is_probe(flow: FlowInfo) -> bool:
    return flow.kind in ("ping", "one-way-delay")


def _rows(table: Columns, flow: FlowInfo) -> Columns:
    return select(table, table["flow"] == flow.id)


def _times(values: Floats) -> dict[str, float | None]:
    known = values[~np.isnan(values)]
    quantiles = {"median_ms": 50, "p95_ms": 95, "max_ms": 100}
    return {name: float(np.percentile(known, each)) if known.size else None for name, each in quantiles.items()}


def _probes(results: Results, flow: FlowInfo) -> dict[str, Any]:
    rows = _rows(results.probe, flow)
    values = rows["rtt_ms" if flow.kind == "ping" else "delay_ms"]
    lost = int(np.isnan(values).sum())
    what = "ping" if flow.kind == "ping" else "packet"
    twice = _duplicates(results, flow)
    return {"what": what, "count": int(values.size), "failed": lost, "duplicates": twice, **_times(values)}


def _packets(results: Results, flow: FlowInfo) -> dict[str, Any]:
    rows = _rows(results.datagram, flow)
    if not rows["time_s"].size:
        return {"what": "packet"}
    last = {name: rows[name][-1] for name in ("sent_packets", "lost_packets", "jitter_ms")}
    found: dict[str, Any] = {
        "what": "packet", "count": int(last["sent_packets"]), "failed": int(last["lost_packets"]),
        **_times(rows["delay_ms"]), "jitter_ms": float(last["jitter_ms"]),
        "duplicates": _duplicates(results, flow),
    }  # fmt: skip
    worst = rows["delay_max_ms"][~np.isnan(rows["delay_max_ms"])]
    found["max_ms"] = float(worst.max()) if worst.size else None
    quantiles = _packet_quantiles(results, flow)
    found |= quantiles or {"are_means": True}
    return found | ({"opinion": _heard(results, flow)} if flow.kind == "voip" else {})


def _heard(results: Results, flow: FlowInfo) -> float | None:
    """The opinion score of a call, from what its receiver reported when it was over."""
    report = results.flow_report(flow.id) or {}
    try:
        sent, received = (report["end"][side]["packets"] for side in ("sum_sent", "sum_received"))
        played = received - report["late_packets"]
        waits_ms = float(report["delay_min_ms"]) + flow.settings["playout_ms"] + flow.settings["packet_ms"]
        return opinion(flow.settings["codec"], waits_ms, 100.0 * (sent - played) / sent)
    except (KeyError, TypeError, ZeroDivisionError):
        return None


def _film(rows: Columns, chunks: Columns, flow: FlowInfo) -> dict[str, Any]:
    stalls = select(rows, rows["what"] == "stall")
    chunk_s = flow.settings.get("chunk_s") or 0.0
    mean_bytes = float(chunks["size_bytes"].mean())
    return {
        "stalls": int(stalls["time_s"].size),
        "stalled_s": float(np.nansum(stalls["duration_ms"])) / 1e3,
        "quality_mbit": mean_bytes * 8e-6 / chunk_s if chunk_s else None,
    }
