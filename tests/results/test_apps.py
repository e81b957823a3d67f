"""Waiting times of flows against values computed by hand, and the E-model against its published values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from frrlib import wire
from frrlib.agent.traffic.datagrams import quantile
from frrlib.results.read import open_results
from frrlib.results.statistics.emodel import opinion, rating
from frrlib.results.statistics.summary import summarize
from frrlib.results.statistics.table import summary_text
from frrlib.results.streams import merge_streams
from frrlib.results.writer import Writer
from frrlib.wire import plan as wire_plan


def test_the_e_model_at_its_defaults() -> None:
    # ITU-T G.107: all parameters at their default values give R = 93.2, and G.109 MOS 4.41.
    assert rating("G.711", 0, 0) == pytest.approx(93.2, abs=0.05)
    assert opinion("G.711", 0, 0) == pytest.approx(4.41, abs=0.005)
    assert rating("Opus", 0, 0) is opinion("Opus", 0, 0) is None


@pytest.mark.parametrize("count", [1, 2, 3, 20, 101])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.95, 1.0])
def test_quantiles_of_the_receiver_are_those_of_numpy(count: int, share: float) -> None:
    values = np.random.default_rng(count).exponential(20.0, count)
    assert quantile(values.tolist(), share) == pytest.approx(np.quantile(values, share))


@pytest.mark.parametrize("delay_ms", [25, 50, 100, 150, 200, 300])
def test_the_e_models_delay_is_near_the_approximation_of_cole_and_rosenbluth(delay_ms: float) -> None:
    """R. Cole, J. Rosenbluth: Voice over IP performance monitoring, 2001, figure 1: two straight lines."""
    lines = 0.024 * delay_ms + 0.11 * max(0.0, delay_ms - 177.3)
    result = rating("G.711", delay_ms, 0)
    assert result is not None and 93.2 - result == pytest.approx(lines, abs=1.5)


def test_lost_packets_count_by_the_codecs_robustness() -> None:
    # 95 * 1 / (1 + 25.1) and 11 + 84 * 1 / (1 + 19).
    quiet = rating("G.711", 0, 0)
    assert quiet is not None
    assert quiet - (rating("G.711", 0, 1) or 0) == pytest.approx(3.64, abs=0.01)
    assert quiet - (rating("G.729", 0, 1) or 0) == pytest.approx(15.2, abs=0.01)


def test_parallel_streams_are_summed_at_the_times_of_the_first() -> None:
    first = {"time_s": np.array([0.0, 1.0, 2.0]), "srtt_ms": np.array([5.0, 6.0, 7.0])}
    second = {"time_s": np.array([0.5, 1.0]), "srtt_ms": np.array([9.0, 9.0])}
    added = ("cwnd_packets", "unacked_packets", "pacing_rate_mbit", "delivery_rate_mbit", "bytes_acked",
             "bytes_received", "bytes_sent", "bytes_retrans", "retransmits", "lost_packets",
             "duplicate_packets", "out_of_order_packets")  # fmt: skip
    for name in added:
        first[name], second[name] = np.array([1.0, 2.0, 3.0]), np.array([10.0, np.nan])
    both = merge_streams([first, second])
    assert both["bytes_received"].tolist() == [1.0, 12.0, 13.0]
    assert both["srtt_ms"].tolist() == [5.0, 6.0, 7.0]
    assert merge_streams([first])["bytes_received"].tolist() == [1.0, 2.0, 3.0]


def plan(name: str, kind: str, transport: str = "tcp", **settings: object) -> wire_plan.FlowPlan:
    return wire_plan.FlowPlan(
        name, "h1", "h2", "10.0.0.2", 5201, 40001, "", 0.0, 10.0, kind=kind, transport=transport, settings=settings
    )  # fmt: skip


def test_every_kind_of_flow_has_a_summary(tmp_path: Path) -> None:
    call = {"codec": "G.711", "packet_ms": 20, "playout_ms": 60.0}
    with Writer.create(tmp_path / "run", "{}", {}) as writer:
        writer.set_flows([
            plan("web", "web-page"), plan("film", "video", chunk_s=2.0), plan("ping", "ping", "icmp"),
            plan("call", "voip", "udp", **call), plan("odd", "command", ""), plan("silent", "request-response"),
        ])  # fmt: skip
        pages = [[1.0 * n, "web", "page", n, 1000, 100.0 * (n + 1), "" if n < 4 else "unfinished"] for n in range(5)]
        film = [[0.0, "film", "chunk", 0, 250_000, 50.0, ""], [2.0, "film", "chunk", 1, 750_000, 2500.0, ""],
                [4.0, "film", "stall", 1, 0, 500.0, ""]]  # fmt: skip
        writer.add(wire.Samples("app", [*pages, *film, [1.0, "web", "object", 0, 10, 5.0, ""],
                                        [1.0, "odd", "score", 1, None, 7.0, ""]]))  # fmt: skip
        writer.add(wire.Samples("probe", [[0.0, "ping", 0, 40.0, None], [0.2, "ping", 1, None, None]]))
        writer.add(wire.Samples("datagram", [[0.1, "call", 5, 5, 0, 0, 860, 20.0, 25.0, 1.0],
                                             [0.2, "call", 100, 98, 2, 1, 16_856, 30.0, 45.0, 2.0]]))  # fmt: skip
        report = {"kind": "voip", "end": {"sum_sent": {"packets": 100}, "sum_received": {"packets": 98}},
                  "late_packets": 1, "delay_min_ms": 20.0, "duplicate_packets": 7}  # fmt: skip
        writer.add_flow_report("call", report)
        for name in ("web", "film", "ping", "call", "odd", "silent"):
            writer.add(wire.FlowEvent(name, "start", 0.0))
            writer.add(wire.FlowEvent(name, "end", 10.0))
    assert (tmp_path / "run" / "flows" / "call.json").exists()
    results = open_results(tmp_path / "run")
    summary = summarize(results)
    apps = {app.flow: app for app in summary.apps}
    web = apps["web"]
    assert (web.what, web.count, web.failed, web.median_ms, web.max_ms) == ("page", 5, 1, 250.0, 400.0)
    film_ = apps["film"]
    assert (film_.count, film_.stalls, film_.stalled_s, film_.quality_mbit) == (2, 1, 0.5, 2.0)
    assert (apps["ping"].count, apps["ping"].failed, apps["ping"].median_ms) == (2, 1, 40.0)
    assert (apps["call"].count, apps["call"].failed, apps["call"].max_ms) == (100, 2, 45.0)
    # From mouth to ear 20 + 60 + 20 ms; 3 of 100 packets are not played.
    assert apps["call"].opinion == opinion("G.711", 100.0, 3.0)
    assert (apps["odd"].what, apps["odd"].count) == ("score", 1)
    text = summary_text(summary)
    assert (apps["call"].duplicates, apps["ping"].duplicates) == (7, None)
    assert "7 duplicates, median and 95 % of 0.1 s means" in text
    # A receiver that reports percentiles of all its packets replaces those of the means.
    (tmp_path / "run" / "flows" / "call.json").unlink()
    (tmp_path / "run" / "flows" / "call.json").write_text(
        json.dumps(report | {"delay_median_ms": 22.5, "delay_p95_ms": 41.0})
    )
    (call_,) = (app for app in summarize(open_results(tmp_path / "run")).apps if app.flow == "call")
    assert (call_.median_ms, call_.p95_ms, call_.max_ms, call_.are_means) == (22.5, 41.0, 45.0, False)
    assert "means" not in call_.remark
    assert "Waiting times of flows" in text and "MOS" in text
    # A flow that brought nothing is told; one whose connections cannot be sampled is not missed there.
    assert {finding.subject for finding in summary.findings if finding.what in ("delivery", "samples")} == {
        "silent",
        "film",
    }
