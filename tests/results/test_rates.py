"""A varying rate: queues, shares and delays use the rate in force, with values computed by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from frrlib.model.fault_words import limits_text, read_limits
from frrlib.results.layout import QueueInfo
from frrlib.results.queue_limits import limit_history
from frrlib.results.rates import RateHistory, rate_history
from frrlib.results.read import open_results
from frrlib.results.statistics.measures import samples
from frrlib.results.statistics.statistics import statistics
from frrlib.results.statistics.summary import summarize
from miniedit_frr.live import stored
from miniedit_frr.live.curves import TimeWindow
from miniedit_frr.live.loads import loads
from miniedit_frr.live.quantities import BY_KEY
from miniedit_frr.live.samples import LiveRun
from tests.results.conftest import Make, receiver, sender

DIRECTION = "l1:r1-h2"


def test_a_rate_holds_until_the_next_change() -> None:
    rate = RateHistory.of(10, [(2, 5), (6, 0), (8, 20)])
    at = rate.at(np.array([-1.0, 0, 1.9, 2, 5.9, 6, 7, 8, 99]))
    assert at.tolist()[:5] == [10, 10, 10, 5, 5] and np.isnan(at[5:7]).all() and at.tolist()[7:] == [20, 20]
    assert [rate.at_mbit(time_s) for time_s in (1, 3, 7)] == [10, 5, None]
    assert rate.mean_mbit(0, 6) == pytest.approx((2 * 10 + 4 * 5) / 6)
    assert rate.mean_mbit(1, 3) == pytest.approx(7.5)
    assert rate.mean_mbit(9, 11) == 20
    assert (rate.mean_mbit(5, 7), rate.mean_mbit(3, 3)) == (None, None)
    # 1000 bytes are 8000 bits: 0.8 ms at 10 Mbit/s, 1.6 ms at 5
    times, waits = rate.drain_ms((np.array([0.0, 3.0, 7.0, 9.0]), np.full(4, 1000.0)))
    assert (times.tolist(), waits.tolist()) == ([0, 3, 9], pytest.approx([0.8, 1.6, 0.4]))


@pytest.mark.parametrize("rate_mbit", [None, 0])
def test_without_a_rate_there_is_no_delay(rate_mbit: float | None) -> None:
    rate = RateHistory.of(rate_mbit)
    assert rate.is_steady and math.isnan(rate.at(np.array([1.0]))[0])
    assert rate.mean_mbit(0, 1) is None
    assert rate.drain_ms((np.array([1.0]), np.array([1000.0])))[0].size == 0


def _halved(make: Make) -> Path:
    """10 s of a flow over 8 Mbit/s, from 5 s on 2 Mbit/s; 1000 bytes wait all the time, and the link is always full."""
    info = {
        "flows": [{"id": "f", "source": "h1", "destination": "h2", "start_s": 0, "duration_s": 10}],
        "queues": {DIRECTION: {"rate_mbit": 8, "limit_bytes": 2000}},
    }
    seconds = range(11)
    sent = [1_000_000 * min(s, 5) + 250_000 * max(0, s - 5) for s in seconds]
    events = [
        (5, 5, "fault", "l1", "link-values", "rate=2mbit towards h2"),
        (7, 7, "fault", "l1", "link-values", "rate=1mbit towards r1"),
        (7, 7, "fault", "l2", "link-values", "rate=1mbit"),
    ]
    return make(
        [row for s in seconds for row in (sender(s, "f", 10, 20, 20, 0, "cubic"), receiver(s, "f", sent[s]))],
        [(s, DIRECTION, 1000, sent[s], 0) for s in seconds],
        events,
        **info,
    )


def test_delay_and_utilization_of_a_queue_use_the_rate_in_force(make: Make) -> None:
    results = open_results(_halved(make))
    assert rate_history(results, DIRECTION, 8).times_s.tolist() == [0, 5]
    queue = summarize(results).queue(DIRECTION)
    assert queue.utilisation == pytest.approx(1.0)
    assert queue.delay_max_ms == pytest.approx(4.0)  # 8000 bits at 2 Mbit/s; at 8 it was 1 ms
    assert queue.full_delay_ms == pytest.approx(8.0)
    (queue_statistics,) = statistics(results).queues
    assert queue_statistics.utilisation_percent == pytest.approx(100)
    assert queue_statistics.delay_ms is not None and queue_statistics.delay_ms.mean == pytest.approx(
        (5 * 1 + 6 * 4) / 11
    )
    (waited,) = samples([results], "queue")
    assert sorted(set(np.round(waited.values, 9))) == [1.0, 4.0]


def _shrunk(make: Make) -> Path:
    """10 s of a queue of 2000 bytes at 8 Mbit/s; from 5 s on of 500 bytes at 2 Mbit/s, from 8 s on of 4000 bytes."""
    queues = {DIRECTION: {"rate_mbit": 8, "limit_bytes": 2000}}
    folder = make((), [(s, DIRECTION, 500, 0, 0) for s in range(11)], (), queues=queues)
    rows = (
        'fault,l1,link-values,rate=2mbit,"queue limit 500 bytes towards h2, 900 bytes towards r1"',
        "fault,l2,link-values,rate=2mbit,queue limit 7 bytes towards h2",
        "fault,l1,link-values,queue=4000bytes towards h2,queue limit 4000 bytes towards h2",
    )
    text = "".join(f"{at_s},{at_s},{row}\n" for at_s, row in zip((5, 6, 8), rows, strict=True))
    (folder / "events.csv").write_text(f"time_s,lab_time_s,kind,subject,what,text,detail\n{text}")
    return folder


def test_numbers_and_live_curves_use_the_limit_in_force(make: Make) -> None:
    results = open_results(_shrunk(make))
    limit = limit_history(results, DIRECTION, 2000)
    assert limit.at(np.array([0.0, 4.9, 5.0, 7.9, 8.0])).tolist() == [2000, 2000, 500, 500, 4000]
    assert not limit.is_steady and limit.between(0, 6).tolist() == [2000, 500]
    queue = summarize(results).queue(DIRECTION)
    assert (queue.limit_bytes, queue.limit_least_bytes, queue.limit_most_bytes) == (2000, 500, 4000)
    # 16000 bits at 8 Mbit/s and 4000 at 2 take 2 ms, 32000 at 2 take 16 ms
    assert queue.full_delay_ms == pytest.approx(16.0)
    run = stored.run_of_results(results)
    lines = {key: [line.data for line in BY_KEY[key].lines(run, TimeWindow(0, 10, 0.1)) if line.style == "limit"]
             for key in ("queue_kb", "queue_ms")}  # fmt: skip
    # 4 kB are far above all that the queue held, and would press its curve to the ground
    assert [(times.tolist(), values.tolist()) for times, values in lines["queue_kb"]] == [([5, 8], [0.5, 0.5])]
    assert [(times.tolist(), values.tolist()) for times, values in lines["queue_ms"]] == [([5, 8], [2.0, 2.0])]
    assert loads(run, {})[DIRECTION].fill == pytest.approx(500 / 4000)


@pytest.mark.parametrize("limits", [{}, {"h2": 18_750}, {"h2": 18_750, "r1": None}, {"a-b_c.d": 1}])
def test_limits_are_parsed_from_their_text(limits: dict[str, int | None]) -> None:
    assert read_limits(limits_text(limits)) == limits


@pytest.mark.parametrize(
    "text", ["", "5 bytes towards h2", "queue limit", "queue limit -1 bytes to h2", "queue limit 1e9 bytes towards h2"]
)
def test_other_texts_have_no_limits(text: str) -> None:
    assert read_limits(text) == {}


def test_live_curves_and_loads_use_the_rate_in_force(make: Make) -> None:
    run = stored.run_of(_halved(make))
    (line, limit) = BY_KEY["queue_ms"].lines(run, TimeWindow(0, 10, 0.1))
    assert sorted(set(line.data[1].tolist())) == pytest.approx([1.0, 4.0])
    assert (limit.style, sorted(set(limit.data[1].tolist()))) == ("limit", pytest.approx([2.0, 8.0]))
    load = loads(run, {})[DIRECTION]
    assert (load.limit_mbit, load.delay_ms) == (2, pytest.approx(4.0))


def test_events_by_the_labs_clock_count_from_the_first_sample() -> None:
    run = LiveRun((), {DIRECTION: QueueInfo(rate_mbit=8)})
    run.add_rate("l1", (2, "h2"), 105.0, by_lab=True)
    assert run.course(DIRECTION).is_steady
    run.take("queue", [], 100.0)
    run.take("cpu", [(0.0, "machine", 0.0, 0.0, 0.0)], 100.0)
    assert [run.course(DIRECTION).at_mbit(time_s) for time_s in (4.9, 5.0)] == [8, 2]
