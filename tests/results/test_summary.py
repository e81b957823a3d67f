"""Numbers of a summary against values computed by hand."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from frrlib.results.layout import QueueInfo, ResultsError
from frrlib.results.read import open_results
from frrlib.results.series import flow_samples, sending_span
from frrlib.results.statistics.summary import goodput_mbit, jain_index, load_summary, save_summary, summarize
from frrlib.results.statistics.table import UNKNOWN, summary_tables, summary_text
from tests.results.conftest import Make, receiver, sender


def test_goodput_over_life_and_after_the_first_second(two_flows: Path) -> None:
    summary = summarize(open_results(two_flows))
    # 3.25 MB in 4 s; 3 MB in the last 3 s
    assert summary.flow("first").goodput_mbit == pytest.approx(3.25 * 8 / 4)
    assert summary.flow("first").goodput_settled_mbit == pytest.approx(8.0)
    assert summary.flow("second").goodput_mbit == pytest.approx(8.0)
    assert summary.flow("second").goodput_settled_mbit == pytest.approx(8.0)
    assert summary.flow("first").bytes_delivered == 3_250_037


def test_connection_and_report_are_not_part_of_a_flow(two_flows: Path) -> None:
    flow = summarize(open_results(two_flows)).flow("second")
    assert (flow.start_s, flow.end_s) == pytest.approx((5.0, 9.0))  # its events say 4.9 and 9.3


def test_rtt_and_window_of_the_sender(two_flows: Path) -> None:
    summary = summarize(open_results(two_flows))
    first, second = summary.flows
    assert (first.srtt_median_ms, first.srtt_max_ms, first.min_rtt_ms) == (41.0, 90.0, 40.5)
    values = [40 + i for i in range(401)]
    assert second.srtt_median_ms == statistics.median(values)
    assert second.srtt_p95_ms == pytest.approx(statistics.quantiles(values, n=20, method="inclusive")[-1])
    assert second.srtt_max_ms == 440.0
    assert (second.cwnd_median_packets, second.cwnd_max_packets) == (300.0, 500.0)
    assert (first.retransmits, second.retransmits) == (0, 4)
    assert first.rest_rtt_ms == 40.2
    assert (first.congestion_control, second.congestion_control) == ("bbr", "cubic")


def test_the_summary_of_a_queue(two_flows: Path) -> None:
    queue = summarize(open_results(two_flows)).queue("l1:r1-r2")
    assert queue.full_delay_ms == pytest.approx(100_000 * 8 / 10e6 * 1000)
    assert (queue.backlog_max_bytes, queue.delay_max_ms) == (100_000, pytest.approx(80.0))
    # samples at 0.0, 0.1, ... 9.0 s: 91, of which one is full
    assert queue.backlog_mean_bytes == pytest.approx((90 * 1000 + 100_000) / 91)
    assert queue.drops == 7
    assert queue.sent_bytes == pytest.approx(9 * 625_000)
    assert queue.utilisation == pytest.approx(0.5)


def test_rates_may_be_given(two_flows: Path) -> None:
    results = open_results(two_flows)
    queue = summarize(results, {"l1:r1-r2": QueueInfo(rate_mbit=5.0)}).queue("l1:r1-r2")
    assert queue.utilisation == pytest.approx(1.0)
    assert queue.full_delay_ms is None


def test_flows_one_after_the_other_have_no_fairness(two_flows: Path) -> None:
    assert summarize(open_results(two_flows)).jain_index is None


def test_fairness_covers_the_time_in_which_all_send(make: Make) -> None:
    rows = []
    for i in range(101):
        t = i / 10
        rows.append(receiver(t, "long", 1000 + 100_000 * i if i else 0))
        if 30 <= i <= 60:
            rows.append(receiver(t, "short", 1000 + 300_000 * (i - 30) if i > 30 else 0))
    summary = summarize(open_results(make(rows)))
    assert summary.jain_index == pytest.approx((1 + 3) ** 2 / (2 * (1 + 9)), rel=1e-3)
    assert jain_index([5.0]) == 1.0
    assert jain_index([]) is None and jain_index([0.0, 0.0]) is None


def test_goodput_of_any_time(two_flows: Path) -> None:
    results = open_results(two_flows)
    assert goodput_mbit(results, "first", 0.5, 1.5) == pytest.approx((0.125 + 0.5) * 8)
    assert goodput_mbit(results, "first", 6.0, 8.0) == 0.0
    assert goodput_mbit(results, "first", 2.0, 2.0) is None
    with pytest.raises(KeyError):
        goodput_mbit(results, "third", 0, 1)


def test_the_goodput_of_a_flow_includes_the_time_of_a_broken_link(make: Make) -> None:
    rows = [receiver(i / 10, "f", 37 + 100_000 * min(i, 40)) for i in range(101)]
    events = [(0.0, None, "flow", "f", "start", ""), (10.0, None, "flow", "f", "end", "")]
    timed = summarize(open_results(make(rows, (), events, "timed", flows=[{"id": "f", "duration_s": 10.0}])))
    assert timed.flow("f").goodput_mbit == pytest.approx(4_000_000 * 8e-6 / 10)
    sized = summarize(open_results(make(rows, (), events, "sized", flows=[{"id": "f", "size_bytes": 9_000_000}])))
    assert sized.flow("f").end_s == 10.0
    without_fault = summarize(
        open_results(make(rows, (), events, "whole", flows=[{"id": "f", "size_bytes": 4_000_000}]))
    )
    assert without_fault.flow("f").end_s == pytest.approx(4.0)


def test_a_killed_flow_counts_until_its_end(make: Make) -> None:
    rows = [receiver(i / 10, "f", 37 + 100_000 * i) for i in range(31)]
    flow = summarize(open_results(make(rows, flows=[{"id": "f", "duration_s": 10.0}]))).flow("f")
    assert (flow.end_s, flow.goodput_mbit) == pytest.approx((3.0, 8.0))


def test_flows_that_never_sent_are_named(make: Make) -> None:
    events = [(1.0, None, "flow", "f", "failed", "unable to connect")]
    planned = [{"id": "f", "congestion_control": "bbr"}, {"id": "g"}]
    summary = summarize(open_results(make((), (), events, flows=planned)))
    assert [flow.flow for flow in summary.flows] == ["f", "g"]
    assert (summary.flow("f").failure, summary.flow("f").goodput_mbit) == ("unable to connect", None)
    assert summary.flow("f").congestion_control == "bbr"
    assert "unable to connect" in summary_text(summary)


def test_without_the_receiver_acknowledged_bytes_count(tmp_path: Path) -> None:
    (tmp_path / "samples").mkdir()
    rows = "".join(f"{i / 10},f,sender,{125_000 * i}\n" for i in range(11))
    (tmp_path / "samples/tcp.csv").write_text("time_s,flow,side,bytes_acked\n" + rows)
    assert summarize(open_results(tmp_path)).flow("f").goodput_mbit == pytest.approx(10.0)


def test_the_order_of_rows_of_both_ends_does_not_matter(make: Make) -> None:
    rows = [row for i in range(50) for row in (receiver(i / 10, "f", 1e5 * i), sender(i / 10, "f", i, i, 1, 0, "bbr"))]
    orderly = summarize(open_results(make(rows, name="a")))
    assert summarize(open_results(make(rows[::2] + rows[1::2], name="b"))).flows == orderly.flows


def test_an_empty_run_has_an_empty_summary(make: Make) -> None:
    results = open_results(make())
    assert summarize(results).flows == ()
    assert flow_samples(results) == ()


def test_a_flow_with_only_control_data_did_not_send(make: Make) -> None:
    results = open_results(make([receiver(0.0, "f", 0), receiver(1.0, "f", 37)]))
    assert sending_span(flow_samples(results)[0]) is None


def test_a_summary_is_saved_and_loaded(two_flows: Path) -> None:
    summary = summarize(open_results(two_flows))
    with pytest.raises(ResultsError, match=r"summary\.json"):
        load_summary(two_flows)
    save_summary(summary, two_flows)
    assert load_summary(two_flows) == summary


def test_tables_for_people(two_flows: Path) -> None:
    pings, flows, queues = summary_tables(summarize(open_results(two_flows)))
    for table in (pings, flows, queues):
        assert all(len(row) == len(table.headings) == len(table.numeric) for row in table.rows)
    row = dict(zip(flows.headings, flows.rows[0], strict=True))
    assert (row["flow"], row["control"], row["Mbit/s"]) == ("first", "bbr", "6.50")
    assert dict(zip(queues.headings, queues.rows[0], strict=True))["max ms"] == "80.0"
    assert dict(zip(pings.headings, pings.rows[0], strict=True))["answered"] == "3/3"


def test_unknown_numbers_are_shown_as_such(make: Make) -> None:
    (table,) = summary_tables(summarize(open_results(make(flows=[{"id": "f"}]))))
    assert set(table.rows[0][1:]) == {UNKNOWN}


def test_a_wrong_congestion_control_is_reported(make: Make) -> None:
    tcp = [sender(i / 10, name, 10, 40, 40, 0, "reno" if i < 2 else "cubic") for i in range(20) for name in "abc"]
    flows = [
        {"id": "a", "expected_control": "bbr", "expected_by": "link l1 at h1"},
        {"id": "b", "expected_control": "cubic", "expected_by": "flow b"},  # until it is connected it has another
        {"id": "c"},
    ]
    summary = summarize(open_results(make(tcp=tcp, flows=flows)))
    message = "flow a had the congestion control cubic, expected was bbr, by link l1 at h1"
    assert summary.not_as_drawn == (message,)
    assert [flow.control_by for flow in summary.flows] == ["link l1 at h1", "flow b", ""]
    assert f"Not as drawn\n  {message}" in summary_text(summary)
