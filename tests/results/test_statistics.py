"""Statistics of runs against values computed by hand, published tables and numpy."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from frrlib.results.read import open_results
from frrlib.results.statistics.bottleneck import bottleneck
from frrlib.results.statistics.comparison import flow_table
from frrlib.results.statistics.fairness import Shares, convergence_s, shares
from frrlib.results.statistics.intervals import interval, student_t
from frrlib.results.statistics.statistics import spread, statistics
from frrlib.results.statistics.summary import jain_index
from tests.results.conftest import Make, receiver, sender

#: Two-sided quantiles of Student's distribution, from any textbook's table: degrees of freedom, 95 %, 99 %.
STUDENT = [(1, 12.706, 63.657), (2, 4.303, 9.925), (3, 3.182, 5.841), (7, 2.365, 3.499), (10, 2.228, 3.169),
           (30, 2.042, 2.750), (120, 1.980, 2.617)]  # fmt: skip


@pytest.mark.parametrize(("degrees", "t95", "t99"), STUDENT)
def test_students_t_agrees_with_published_tables(degrees: int, t95: float, t99: float) -> None:
    assert student_t(0.95, degrees) == pytest.approx(t95, abs=6e-4)
    assert student_t(0.99, degrees) == pytest.approx(t99, abs=6e-4)


def test_an_interval_computed_by_hand() -> None:
    result = interval([9.0, 10.0, 11.0])
    assert result is not None and result.half is not None
    # s = 1, so the half is 4.303 / sqrt(3)
    assert (result.n, result.mean) == (3, 10.0) and result.half == pytest.approx(4.303 / math.sqrt(3), abs=1e-3)
    alone = interval([5.0])
    assert alone is not None and (alone.n, alone.mean, alone.half) == (1, 5.0, None)
    assert interval([]) is None
    with pytest.raises(ValueError, match="not between 0 and 1"):
        interval([1.0, 2.0], confidence=95)


def test_intervals_cover_the_true_mean_with_their_confidence() -> None:
    random = np.random.default_rng(7)
    covered = {"student": 0, "bootstrap": 0}
    for _ in range(300):
        values = random.normal(100.0, 8.0, 12)
        for method in covered:
            result = interval(list(values), method=method)  # type: ignore[arg-type]
            assert result is not None and result.low is not None and result.high is not None
            covered[method] += result.low <= 100.0 <= result.high
    # 95 % of 300 are 285; five standard deviations are 19. A bootstrap of twelve values covers a bit less.
    assert 266 <= covered["student"] <= 300
    assert 255 <= covered["bootstrap"] <= 300


def test_a_spread_is_numpys(two_flows: Path) -> None:
    values = np.random.default_rng(1).gamma(2.0, 10.0, 500)
    result = spread(values)
    assert result is not None and result.n == 500 and result.mean == pytest.approx(values.mean())
    assert [result.p5, result.p50, result.p99] == pytest.approx(np.quantile(values, [0.05, 0.5, 0.99]))
    assert spread(np.zeros(0)) is None


def test_statistics_of_a_run_computed_by_hand(two_flows: Path) -> None:
    run = statistics(open_results(two_flows))
    first, second = run.flows
    # the least of a ping at rest, and of the flow's own least
    assert (first.base_rtt_ms, second.base_rtt_ms) == (40.2, 40.0)
    # CUBIC's RTT rises from 40 ms by 1 ms a sample to 440 ms over a path of 40 ms: 200 ms of queue in the middle
    assert second.queueing_ms is not None and second.queueing_ms.p50 == pytest.approx(200, abs=1)
    assert second.queueing_ms.p95 == pytest.approx(380, abs=1)
    assert first.goodput_mbit == pytest.approx(6.5, rel=0.01) and first.goodput_settled_mbit == pytest.approx(8.0)
    # 3.25 MB and 4 MB from the first byte to the last, 9 s later
    assert run.goodput_mbit == pytest.approx((3.25 + 4.0) * 8 / 9, rel=0.01)
    (queue,) = run.queues
    assert run.bottleneck == queue.direction == "l1:r1-r2" and bottleneck(open_results(two_flows)) == ("l1:r1-r2", 10.0)
    # 1 kB at 10 Mbit/s takes 0.8 ms; the queue sent 62.5 kB each 0.1 s, half its rate
    assert queue.delay_ms is not None and queue.delay_ms.p50 == pytest.approx(0.8)
    assert queue.utilisation_percent == pytest.approx(50, rel=0.01)
    # they never send at once
    assert run.jain_index is None and run.convergence_s is None


def test_bytes_after_the_last_sample_count(make: Make) -> None:
    # 1 MB a second for 10 s, looked at once a second; the connection is gone before the last look
    flow = {"id": "bulk", "duration_s": 10.0}
    folder = make(
        [receiver(float(t), "bulk", 1e6 * t) for t in range(10)],
        events=[(0.0, None, "flow", "bulk", "start", ""), (10.1, None, "flow", "bulk", "end", "")],
        flows=[flow],
    )
    (before,) = statistics(open_results(folder)).flows
    assert before.goodput_mbit == pytest.approx(7.2, rel=0.01)  # nothing tells of the last MB
    (folder / "flows").mkdir()
    (folder / "flows/bulk.json").write_text(json.dumps({"end": {"sum_received": {"bytes": 10_000_000}}}))
    (after,) = statistics(open_results(folder)).flows
    assert after.goodput_mbit == pytest.approx(8.0, rel=0.01)


def test_statistics_of_only_some_flows(make: Make) -> None:
    rows = [receiver(t / 10, "file", min(2e6, 1e5 * t)) for t in range(40)]
    folder = make(
        rows, events=[(0.0, None, "flow", "file", "start", ""), (3.0, None, "flow", "file", "end", "")],
        flows=[{"id": "file", "size_bytes": 2_000_000}, {"id": "voice"}, {"id": "page"}, {"id": "ping"}],
    )  # fmt: skip
    (folder / "samples/probe.csv").write_text(
        "time_s,flow,number,rtt_ms,delay_ms\n0,ping,0,40,\n1,ping,1,,\n2,ping,2,50,\n3,other,0,900,\n"
    )
    (folder / "samples/datagram.csv").write_text(
        "time_s,flow,sent_packets,received_packets,lost_packets\n1,voice,50,49,1\n2,voice,100,95,5\n"
    )
    (folder / "samples/app.csv").write_text(
        "time_s,flow,what,number,size_bytes,duration_ms,outcome\n0,page,request,1,9,40,\n1,page,request,2,9,60,\n"
        "2,page,request,3,9,,timed out\n"
    )
    run = statistics(open_results(folder))
    file, voice, page, ping = run.flows
    # an unanswered ping and those of another flow do not count
    assert ping.ping_ms is not None and (ping.ping_ms.n, ping.ping_ms.mean) == (2, 45.0)
    assert ping.rtt_ms is None and page.ping_ms is None
    assert file.completion_s == pytest.approx(2.0) and file.lost_percent is None
    assert voice.lost_percent == pytest.approx(5.0) and voice.completion_s is None
    assert page.waited_ms is not None and (page.waited_ms.n, page.waited_ms.mean) == (2, 50.0)
    # a table has the columns of which anything is known
    table = flow_table(run)
    assert table.headings == ("flow", "Mbit/s", "share %", "lost %", "done s", "waited ms", "95 %")
    assert table.rows[2] == ("page", "-", "-", "-", "-", "50.0", "59.0")


def test_datagrams_have_goodput_but_no_fair_share(make: Make) -> None:
    rows = [receiver(t / 10, flow, 125_000 * t) for t in range(51) for flow in ("a", "b")]
    flows = [{"id": "a"}, {"id": "b"}, {"id": "call", "kind": "constant-rate", "transport": "udp"}]
    folder = make(rows, flows=flows)
    lines = [f"{t / 10},call,{10 * t},{10 * t},0,{25_000 * t}\n" for t in range(51)]
    (folder / "samples/datagram.csv").write_text(
        "time_s,flow,sent_packets,received_packets,lost_packets,received_bytes\n" + "".join(lines)
    )
    run = statistics(open_results(folder))
    assert [flow.goodput_mbit for flow in run.flows] == pytest.approx([10.0, 10.0, 2.0], rel=0.01)
    assert [flow.share_percent for flow in run.flows] == pytest.approx([1000 / 22, 1000 / 22, 200 / 22], rel=0.01)
    assert run.jain_index == pytest.approx(1.0) and run.convergence_s == 0.0
    assert run.goodput_mbit == pytest.approx(22.0, rel=0.01)


# --- fairness ---------------------------------------------------------------------------------------------------------


def two(first: list[float], second: list[float], alone_bins: int = 0) -> Shares:
    """Shares of two flows over bins of half a second; in the first few the second does not send."""
    rates = np.array([first, second])
    sending = np.ones_like(rates, dtype=bool)
    sending[1, :alone_bins] = False
    return Shares(("a", "b"), np.arange(len(first)) * 0.5 + 0.25, 0.5, rates, sending)


def test_convergence_begins_when_both_flows_send_and_must_last() -> None:
    even = [5.0] * 6
    # alone for 4 bins, unfair for 3, even for 3, unfair for 1, even for good
    first = [10.0] * 4 + [9.0] * 3 + [5.0] * 3 + [9.0] + even
    second = [0.0] * 4 + [1.0] * 3 + [5.0] * 3 + [1.0] + even
    result = two(first, second, alone_bins=4)
    assert convergence_s(result, tolerance=0.1, hold_s=2.0) == pytest.approx(7 * 0.5)
    assert convergence_s(result, tolerance=0.1, hold_s=1.5) == pytest.approx(3 * 0.5)
    assert convergence_s(result, tolerance=0.85, hold_s=2.0) == 0.0
    assert convergence_s(result, tolerance=0.1, hold_s=20.0) is None


def test_jains_index_over_time_includes_only_sending_flows() -> None:
    result = two([10.0, 9.0, 5.0], [0.0, 1.0, 5.0], alone_bins=1)
    assert math.isnan(result.jain[0])
    assert result.jain[1:] == pytest.approx([jain_index([9.0, 1.0]), 1.0])
    assert result.parts[:, 1] == pytest.approx([0.9, 0.1])


def test_shares_include_all_delivered_bytes(make: Make) -> None:
    rows = [receiver(t / 10, flow, rate * t / 10) for t in range(101) for flow, rate in (("a", 1e6), ("b", 2.5e5))]
    rows += [sender(t / 10, "a", 10, 20, 20, 0, "cubic") for t in range(101)]
    result = shares(open_results(make(rows)))
    assert result.flows == ("a", "b")
    assert (result.rates_mbit.sum() * result.bin_s / 8) == pytest.approx(10 * 1.25, rel=0.02)
    assert result.jain[5] == pytest.approx(jain_index([4.0, 1.0]))
