"""Live curves, compared with the stored results of the same run and with manual sums."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from frrlib import wire
from frrlib.results.binning import PIXELS, thinned
from frrlib.results.layout import FlowInfo, QueueInfo
from frrlib.results.palette import curve_styles
from frrlib.results.series import flow_samples, queue_directions, sending_span, series
from frrlib.results.statistics.arrivals import arrived_mbit
from miniedit_frr.live import stored
from miniedit_frr.live.curves import Curve, TimeWindow, time_window
from miniedit_frr.live.flows import LiveFlow
from miniedit_frr.live.loads import loads
from miniedit_frr.live.phases import PHASES, phase_of_gains, stretches
from miniedit_frr.live.quantities import BY_KEY, QUANTITIES, bands, fairness
from miniedit_frr.live.samples import LiveRun, Marker
from tests.live.replay import DATA, replay_run
from tests.results.conftest import make, two_flows  # noqa: F401  (fixtures)
from tests.results.test_arrivals import recovered  # noqa: F401  (a fixture)


def lines(run: LiveRun, key: str, view: TimeWindow, style: str = "main") -> dict[str, Curve]:
    return {line.subject: line for line in BY_KEY[key].lines(run, view) if line.style == style}


def same(line: Curve, data: tuple[np.ndarray, np.ndarray]) -> None:
    for mine, theirs in zip(line.data, data, strict=True):
        assert mine == pytest.approx(theirs, nan_ok=True)


@pytest.fixture(params=["results-v1", "results-v2", "two flows"])
def folder(request: pytest.FixtureRequest) -> Path:
    return request.getfixturevalue("two_flows") if request.param == "two flows" else DATA / request.param


def test_live_curves_equal_those_of_the_finished_run(folder: Path) -> None:
    run, results = replay_run(folder)
    view = TimeWindow(-1.0, run.newest_s + 1.0, 0.1)
    flows = [(flow, span) for flow in flow_samples(results) if (span := sending_span(flow))]
    assert flows
    for flow, (begin_s, end_s) in flows:
        assert run.flows[flow.id].span() == (begin_s, end_s)
        same(lines(run, "goodput", view)[flow.id], arrived_mbit(flow, begin_s, end_s, 0.1))
        for key, column, style in (
            ("cwnd", "cwnd_packets", "main"), ("cwnd", "ssthresh_packets", "aside"), ("rtt", "srtt_ms", "main"),
            ("rtt", "min_rtt_ms", "aside"), ("pacing", "pacing_rate_mbit", "main"),
            ("delivery", "delivery_rate_mbit", "main"),
        ):  # fmt: skip
            times, values = series(flow.sender, column)
            inside = (times >= begin_s) & (times <= end_s)
            if inside.any():
                same(lines(run, key, view, style)[flow.id], thinned((times[inside], values[inside])))
    for name, rows in queue_directions(results).items():
        times, held = series(rows, "backlog_bytes")
        if name in run.busy_queues():
            same(lines(run, "queue_kb", view)[name], thinned((times, held / 1000)))


def test_a_flow_looks_the_same_as_in_the_figure(folder: Path) -> None:
    run, results = replay_run(folder)
    flows = [flow for flow in flow_samples(results) if sending_span(flow)]
    expected = curve_styles([flow.congestion_control for flow in flows])
    assert [run.looks()[flow.id] for flow in flows] == expected


def test_a_stored_run_equals_the_live_run(folder: Path) -> None:
    live, _ = replay_run(folder)
    stored_run = stored.run_of(folder)
    view = time_window(stored_run, 0.0, stored_run.newest_s)
    assert view == time_window(live, 0.0, live.newest_s)
    for quantity in QUANTITIES:
        pairs = zip(quantity.lines(live, view), quantity.lines(stored_run, view), strict=True)
        for mine, theirs in pairs:
            assert (mine.subject, mine.of, mine.style) == (theirs.subject, theirs.of, theirs.style)
            same(mine, theirs.data)


def test_an_incomplete_bin_is_not_shown(two_flows: Path) -> None:  # noqa: F811
    run, _ = replay_run(two_flows, is_over=False)
    for flow in run.flows.values():
        flow.end_s = math.nan
    run.newest_s = 8.96
    times, rates = lines(run, "goodput", TimeWindow(0.0, 10.0, 0.1))["second"].data
    assert times[-1] == pytest.approx(8.85)
    assert rates == pytest.approx(np.full(rates.size, 8.0), rel=0.01)


def test_the_total_is_the_sum_of_all_flows(two_flows: Path) -> None:  # noqa: F811
    run, _ = replay_run(two_flows)
    times, rates = lines(run, "goodput", TimeWindow(0.0, 10.0, 0.1))["all flows"].data
    second = {round(float(t), 2): float(r) for t, r in zip(times, rates, strict=True)}
    assert second[0.55] == pytest.approx(2.0, rel=0.01)  # a quarter of a megabyte in the first second
    assert second[2.05] == pytest.approx(8.0, rel=0.01)
    assert second[4.55] == pytest.approx(0.0, abs=0.01)


# --- fairness, queues, phases, loads by hand --------------------------------------------------------------------------


def test_fairness_is_jains_index() -> None:
    def count(mbyte_s: float) -> tuple[np.ndarray, np.ndarray]:
        times = np.arange(0, 10, 0.01)
        return times, times * mbyte_s * 1e6

    spans = (0.0, 9.99)
    assert fairness([(count(1), spans), (count(1), spans)], 5.0) == pytest.approx(1.0)
    # (4 + 1 + 1)^2 / (3 (16 + 1 + 1))
    three = [(count(4), spans), (count(1), spans), (count(1), spans)]
    assert fairness(three, 5.0) == pytest.approx(36 / 54)
    # one that came within the second is not judged yet; one flow alone has nobody to share with
    late = [(count(4), spans), (count(1), spans), (count(1), (4.5, 9.9))]
    assert fairness(late, 5.0) == pytest.approx(25 / 34)
    assert fairness([(count(4), spans)], 5.0) is None


def queue_rows(direction: str, held: list[float], drops: list[int]) -> list[list[object]]:
    return [
        [index / 10, direction, bytes_, 0, 125_000 * index, 0, lost, 2 * lost, 0, 0]
        for index, (bytes_, lost) in enumerate(zip(held, drops, strict=True))
    ]


def test_a_queue_is_shown_in_milliseconds_with_its_drops_per_second() -> None:
    run = LiveRun(infos={"l1:a-b": QueueInfo(rate_mbit=10.0, limit_bytes=50_000)})
    run.take("queue", queue_rows("l1:a-b", [0, 12_500, 25_000, 50_000], [0, 0, 3, 5]))
    run.take("queue", queue_rows("l1:b-a", [0, 100, 100, 0], [0, 0, 0, 0]))
    run.is_over = True
    view = TimeWindow(0.0, 0.3, 0.1)
    # 12,500 bytes take 10 ms at 10 Mbit/s
    assert lines(run, "queue_ms", view)["l1:a-b"].data[1] == pytest.approx([0, 10, 20, 40])
    assert lines(run, "queue_kb", view, "limit")["l1:a-b"].data[1] == pytest.approx([50, 50])
    assert lines(run, "drops", view)["l1:a-b"].data[1] == pytest.approx([0, 30, 20])
    assert lines(run, "marks", view)["l1:a-b"].data[1] == pytest.approx([0, 60, 40])
    assert run.busy_queues() == ["l1:a-b"]  # the other never held a fiftieth of it


def test_the_load_of_a_link_is_computed() -> None:
    run = LiveRun(infos={"l1:a-b": QueueInfo(rate_mbit=20.0, limit_bytes=50_000)})
    run.take("queue", queue_rows("l1:a-b", [0, 0, 0, 0, 0, 25_000], [0, 0, 0, 0, 0, 10]))
    run.take("interface", [[t / 10, "b", "b-eth0", 0, 0, 0, 0, 250_000 * t, 0, 0, 0] for t in range(6)])
    link_loads = loads(run, {("b", "b-eth0"): "l1:b-a", ("c", "c-eth0"): "l2:c-b"})
    assert link_loads.keys() == {"l1:a-b", "l1:b-a"}
    load = link_loads["l1:a-b"]
    # 125 kB in a tenth of a second are 10 Mbit/s
    assert (load.rate_mbit, load.share, load.fill) == pytest.approx((10.0, 0.5, 0.5))
    assert (load.delay_ms, load.drops) == pytest.approx((10.0, 20.0))
    assert (link_loads["l1:b-a"].rate_mbit, link_loads["l1:b-a"].share) == (pytest.approx(20.0), None)


def test_phases_of_bbr_follow_from_the_gains_of_the_kernel() -> None:
    # 2/ln 2 = 2.885; the kernel's are fractions of 256
    pacing = np.array([2.88671875, 0.34375, 1.25, 0.75, 1.0, 1.0, math.nan])
    cwnd = np.array([2.88671875, 2.88671875, 2.0, 2.0, 2.0, 1.0, math.nan])
    phases = phase_of_gains(pacing, cwnd)
    named = [PHASES[int(phase)] if not math.isnan(phase) else "" for phase in phases]
    assert named == ["startup", "drain", "probe_bw", "probe_bw", "probe_bw", "probe_rtt", ""]


def test_a_phase_lasts_until_the_next() -> None:
    times, phases = np.arange(6.0), np.array([np.nan, 0.0, 0.0, 1.0, 2.0, 2.0])
    assert stretches(times, phases, math.nan) == [(1.0, 3.0, 0), (3.0, 4.0, 1), (4.0, 5.0, 2)]
    assert stretches(np.array([]), np.array([]), 1.0) == []


def test_a_reported_phase_takes_precedence_over_gains() -> None:
    run, _ = replay_run(DATA / "results-v2")
    (flow,) = {band.subject for band in bands(run, TimeWindow(0, 10, 0.1))}
    assert run.flows[flow].control == "bbr"
    phases = [PHASES[band.phase] for band in bands(run, TimeWindow(0, 10, 0.1))]
    assert phases[0] == "startup"
    assert "probe_bw" in phases


def test_events_on_the_labs_clock_are_placed_by_the_samples() -> None:
    run = LiveRun()
    run.mark_by_lab(107.0, "fault", "link l1 down")
    run.mark(Marker(1.0, "flow", "f1 starts"))
    assert [marker.text for marker in run.markers(-10, 10)] == ["f1 starts"]
    run.take("queue", queue_rows("l1:a-b", [0], [0]), zero_s=104.2)
    run.take("queue", queue_rows("l1:a-b", [0], [0]), zero_s=104.0)
    run.take("queue", queue_rows("l1:a-b", [0], [0]), zero_s=104.15)
    assert [(marker.time_s, marker.text) for marker in run.markers(-10, 10)] == [
        (1.0, "f1 starts"),
        (3.0, "link l1 down"),
    ]


def test_other_flows_than_tcp_have_curves() -> None:
    run = LiveRun()
    run.take("datagram", [[t / 10, "voice", t * 5, t * 5, 0, 0, 800 * t, 20.0 + t, 25.0, 0.5] for t in range(20)])
    run.take("probe", [[t / 10, "ping", t, None if t == 3 else 40.0, None] for t in range(20)])
    run.take("app", [[0.5, "page", "page", 1, 10_000, 350.0, ""]])
    run.take("nonsense", [[0.0]])
    view = TimeWindow(0.0, 2.0, 0.1)
    assert lines(run, "goodput", view)["voice"].data[1] == pytest.approx(np.full(18, 0.064))
    assert lines(run, "rtt", view, "dots")["ping"].data[0].size == 19
    assert lines(run, "delay", view)["voice"].data[1][-1] == 39.0
    assert lines(run, "waited", view, "dots")["page"].data[1].tolist() == [350.0]
    assert run.flows["voice"].look_of == "bulk"


def test_parallel_connections_belong_to_one_flow() -> None:
    run = LiveRun([FlowInfo(id="f1", congestion_control="cubic", streams=3)])
    places = {name: index for index, name in enumerate(wire.TABLES["tcp"])}
    for index in range(101):
        for stream in (1, 2, 3):
            for side in ("sender", "receiver"):
                row: list[object] = [None] * len(places)
                single = {"time_s": index / 100, "flow": f"f1/{stream}", "side": side, "cwnd_packets": 10 * stream,
                         "srtt_ms": 20.0 + stream, "in_flight_packets": 5, "congestion_control": "cubic",
                         "bytes_received": 1250 * stream * index}  # fmt: skip
                for name, value in single.items():
                    row[places[name]] = value
                run.take("tcp", [row])
    run.is_over = True
    assert [*run.flows] == ["f1"]
    view = TimeWindow(0.0, 1.0, 0.1)
    # 125, 250 and 375 kB a second are 6 Mbit/s
    assert lines(run, "goodput", view)["f1"].data[1] == pytest.approx(np.full(10, 6.0), rel=0.01)
    assert lines(run, "cwnd", view)["f1"].data[1][-20:] == pytest.approx(np.full(20, 60.0), rel=0.01)
    assert lines(run, "in_flight", view)["f1"].data[1][-1] == 15
    assert lines(run, "rtt", view)["f1"].data[1][-1] == 21.0


def test_a_flow_that_has_sent_nothing_has_no_span() -> None:
    run = LiveRun()
    run.add_flow_event("f1", "start", 0.0)
    assert run.flows["f1"].span() is None
    assert all(not list(quantity.lines(run, TimeWindow(0, 1, 0.1))) for quantity in QUANTITIES)
    assert isinstance(run.flows["f1"], LiveFlow)


def test_a_thinned_series_has_the_same_bins() -> None:
    """Against a loop over the bins, which is what thinning means."""
    dice = np.random.default_rng(5)
    times = np.sort(dice.uniform(0, 50, 7000))
    values = np.round(dice.normal(size=7000), 1)  # so that the least is often there twice
    bins = 300
    edges = np.linspace(times[0], times[-1], bins + 1)[1:-1]
    full = {0, 6999}
    for part in np.split(np.arange(7000), np.searchsorted(times, edges)):
        if part.size:
            full |= {int(part[np.argmin(values[part])]), int(part[np.argmax(values[part])])}
    thin_series = thinned((times, values), bins)
    assert np.array_equal(thin_series[0], times[sorted(full)])
    assert np.array_equal(thin_series[1], values[sorted(full)])
    assert thinned((times[:50], values[:50]), PIXELS)[0].size == 50


def test_the_payload_limit_belongs_to_the_slowest_link(two_flows: Path) -> None:  # noqa: F811
    run, _ = replay_run(two_flows)
    limit = lines(run, "goodput", TimeWindow(0.0, 10.0, 0.1), "limit")["payload limit"]
    assert limit.data[0].tolist() == [0.0, 10.0]
    assert limit.data[1] == pytest.approx(np.full(2, 10 * 1448 / 1514))
    run.add_rate("l1", (5.0, ""), 4.0)
    limit = lines(run, "goodput", TimeWindow(0.0, 10.0, 0.1), "limit")["payload limit"]
    assert limit.data[0].tolist() == [0.0, 4.0, 4.0, 10.0]
    assert limit.data[1] == pytest.approx(np.array([10, 10, 5, 5]) * 1448 / 1514)


def test_a_retransmission_causes_no_throughput_above_the_link_rate(recovered: Path) -> None:  # noqa: F811
    run, _ = replay_run(recovered)
    assert lines(run, "goodput", TimeWindow(0.0, 5.0, 0.2))["f"].data[1].max() < 10.0


def sender_rows(columns: dict[str, list[float]]) -> list[list[object]]:
    """Samples of the sender of flow "f", ten a second."""
    places = {name: index for index, name in enumerate(wire.TABLES["tcp"])}
    rows: list[list[object]] = []
    for index in range(len(next(iter(columns.values())))):
        row: list[object] = [None] * len(places)
        row[places["time_s"]], row[places["flow"]], row[places["side"]] = index / 10, "f", "sender"
        for name, values in columns.items():
            row[places[name]] = values[index]
        rows.append(row)
    return rows


def test_sequence_numbers_follow_from_the_counts_of_the_sender() -> None:
    """Three segments are sent, the second is lost, and sent again in the fourth sample."""
    counts: dict[str, list[float]] = {
        "bytes_sent": [0, 3000, 3000, 4000, 5000], "bytes_retrans": [0, 0, 0, 1000, 1000],
        "bytes_acked": [0, 0, 1000, 1000, 3000], "sacked_packets": [0, 0, 1, 1, 0], "mss_bytes": [1000] * 5,
    }  # fmt: skip
    run = LiveRun([FlowInfo(id="f", congestion_control="cubic")])
    run.take("tcp", sender_rows(counts))
    run.is_over = True

    def curve(style: str, from_s: float = 0.0) -> list[tuple[float, float]]:
        times, values = lines(run, "sequence", TimeWindow(from_s, 1.0, 0.1), style)["f"].data
        return [(round(float(at), 3), round(float(value), 3)) for at, value in zip(times, values, strict=True)]

    begin_s = run.flows["f"].span()
    assert begin_s is not None
    sent, acked, sacked = ({0.1: 3.0, 0.2: 3.0, 0.3: 3.0, 0.4: 4.0}, {0.1: 0.0, 0.2: 1.0, 0.3: 1.0, 0.4: 3.0},
                           {0.1: 0.0, 0.2: 2.0, 0.3: 2.0, 0.4: 3.0})  # fmt: skip
    for style, expected in (("main", sent), ("aside", acked), ("limit", sacked)):
        assert curve(style) == [(at, value) for at, value in expected.items() if at >= begin_s[0]]
    assert curve("resent") == [(0.3, 1.0)]
    # from the middle of the flow on, numbers count from the byte that was acknowledged there
    assert curve("main", 0.25) == [(0.3, 2.0), (0.4, 3.0)]
    assert curve("aside", 0.25) == [(0.3, 0.0), (0.4, 2.0)]


def test_samples_of_earlier_formats_have_no_sequence_numbers(two_flows: Path) -> None:  # noqa: F811
    run, _ = replay_run(two_flows)
    assert not list(BY_KEY["sequence"].lines(run, TimeWindow(0.0, 10.0, 0.1)))
