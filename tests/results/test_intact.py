"""Samples that cannot be measurements are reported as damage and dropped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from frrlib.results.read import open_results
from frrlib.results.statistics.summary import summarize
from tests.results.conftest import Make, receiver, sender

QUEUES = {"l1:a-b": {"rate_mbit": 10.0, "limit_bytes": 100_000}}


def queue(time_s: float, sent: float, drops: int = 0, direction: str = "l1:a-b") -> tuple[object, ...]:
    """A row of queue.csv."""
    return time_s, direction, 1000, sent, drops


def steady(seconds: int, mbit: float = 8.0) -> list[tuple[object, ...]]:
    """Rows of a queue that sends at this rate, ten a second."""
    return [queue(i / 10, i * mbit * 12_500) for i in range(10 * seconds)]


def test_rows_of_an_appended_run_are_dropped(two_flows: Path) -> None:
    before = summarize(open_results(two_flows))
    for name in ("tcp", "queue"):
        table = two_flows / f"samples/{name}.csv"
        header, *rows = table.read_text().splitlines(keepends=True)
        table.write_text("".join((header, *rows, *(row.replace("second", "other") for row in rows))))
    with (two_flows / "events.csv").open("a") as events:
        events.write("-0.1,,flow,first,start,\n0.5,,flow,first,end,\n")
    results = open_results(two_flows)
    assert [line.partition(": ")[2].partition(";")[0] for line in results.damage] == [
        "time_s goes back from 4 to 0",
        "time_s goes back from 9.4 to 0",
        "flow first starts for the second time",
    ]
    assert f"results folder {two_flows}, queue.csv, row 96: " in results.damage[1]
    after = summarize(results)
    assert (after.flows, after.queues, after.jain_index) == (before.flows, before.queues, before.jain_index)
    assert [finding.message for finding in after.findings if finding.what == "damage"] == list(results.damage)
    assert after.verdict == "doubtful"


def test_rows_of_several_nodes_may_come_in_any_order(make: Make) -> None:
    tcp = [sender(2 + i / 10, "f", 10, 40, 40, 0, "bbr") for i in range(20)]
    tcp += [receiver(1 + i / 10, "f", 1000 * i) for i in range(20)]
    assert open_results(make(tcp, steady(1))).damage == ()


def test_a_counter_that_falls_is_damage(make: Make) -> None:
    rows = [
        *steady(1),
        queue(1.0, 500_000),
        queue(1.1, 900_000),
        queue(0.0, 1, 0, "l2:b-c"),
        queue(0.1, 2, 0, "l2:b-c"),
    ]
    results = open_results(make((), rows, queues=QUEUES))
    assert len(results.damage) == 1
    assert "queue.csv, row 11: sent_bytes of l1:a-b falls from 900000 to 500000; the file" in results.damage[0]
    assert results.queue["sent_bytes"][results.queue["direction"] == "l1:a-b"].tolist()[-2:] == [900_000, 900_000]
    assert results.queue["direction"].tolist().count("l2:b-c") == 2


def test_counters_of_a_replaced_queue_are_continued(make: Make) -> None:
    rows = [*steady(1), queue(1.0, 0, 2), queue(1.1, 100_000, 5)]
    rows[9] = queue(0.9, 900_000, 7)
    fault = (0.95, None, "fault", "l1", "link-values", "")
    results = open_results(make((), rows, [fault], queues=QUEUES))
    assert results.damage == ()
    assert results.queue["sent_bytes"][-3:].tolist() == [900_000, 900_000, 1_000_000]
    assert results.queue["drops"][-3:].tolist() == [7, 9, 12]


def test_a_counter_of_32_bits_is_continued(make: Make) -> None:
    rows = [(0.0, "l1:a-b", 0, 0, 2**32 - 10), (0.1, "l1:a-b", 0, 1000, 5), (0.2, "l1:a-b", 0, 2000, 7)]
    results = open_results(make((), rows, queues=QUEUES))
    assert results.damage == ()
    assert np.diff(results.queue["drops"]).tolist() == [15, 2]


@pytest.mark.parametrize(("mbit", "is_possible"), [(10.0, True), (18.0, True), (45.0, False)])
def test_no_queue_sends_far_more_than_its_rate(make: Make, mbit: float, is_possible: bool) -> None:
    results = open_results(make((), steady(3, mbit), queues=QUEUES))
    assert (results.damage == ()) is is_possible
    if not is_possible:
        assert "l1:a-b sends 45 Mbit/s for 1 s, and its rate is 10" in results.damage[0]
        assert summarize(results).queue("l1:a-b").sent_bytes == 0


def test_a_rate_raised_by_a_fault_is_valid(make: Make) -> None:
    rows = [queue(i / 10, max(0, i - 10) * 45 * 12_500) for i in range(40)]
    fault = (1.0, None, "fault", "l1", "link-values", "rate=50mbit")
    results = open_results(make((), rows, [fault], queues=QUEUES))
    assert results.damage == ()
