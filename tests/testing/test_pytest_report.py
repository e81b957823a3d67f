"""The report of a failed test: its logs and events, and the end of its traceback."""

from __future__ import annotations

import time
import traceback
from pathlib import Path

import pytest

from frrlib import wire
from frrlib.errors import LabFailed
from frrlib.expect.expectation import expect
from frrlib.testing.report import SHOWN_EVENTS, SHOWN_LOG_LINES, LabHistory, folded, recent, shorten

LOGGED = """==> /var/log/frr/ospfd.log <==
2024/05/17 09:59:58 OSPF: starting
2024/05/17 10:00:00.100000 OSPF: HelloInterval mismatch
2024/05/17 10:00:01.100000 OSPF: HelloInterval mismatch
2024/05/17 10:00:02.100000 OSPF: HelloInterval mismatch
2024/05/17 10:00:02.200000 OSPF: something else

==> /var/log/frr/zebra.log <==
2024/05/17 09:59:57 ZEBRA: starting
"""


def test_only_recent_lines_are_shown_and_repetitions_are_counted() -> None:
    assert recent(LOGGED, "2024/05/17 10:00:00") == [
        "ospfd:",
        "  2024/05/17 10:00:00.100000 OSPF: HelloInterval mismatch",
        "    and 2 times again",
        "  2024/05/17 10:00:02.200000 OSPF: something else",
    ]


def test_without_a_start_time_all_logs_are_shown() -> None:
    lines = recent(LOGGED, "")
    assert "zebra:" in lines
    assert "  2024/05/17 09:59:58 OSPF: starting" in lines


def test_of_a_long_log_the_end_is_shown_and_the_rest_counted() -> None:
    many = "\n".join(f"2024/05/17 10:00:00 OSPF: line {number}" for number in range(SHOWN_LOG_LINES + 7))
    lines = recent(f"==> ospfd.log <==\n{many}", "")
    assert lines[:2] == ["ospfd:", "  (7 lines before)"]
    assert lines[-1].endswith(f"line {SHOWN_LOG_LINES + 6}")
    assert len(lines) == SHOWN_LOG_LINES + 2


def test_lines_that_alternate_stay() -> None:
    assert folded(["a", "b", "a", "b"]) == ["a", "b", "a", "b"]


def test_output_that_is_not_a_log_is_shown() -> None:
    assert recent("not known: the lab has ended", "2024/05/17 10:00:00") == ["lab:", "  not known: the lab has ended"]


def test_the_history_of_a_test_begins_with_it() -> None:
    story = LabHistory()
    story.record(wire.FaultEvent("link-down", "l1", 1.0))
    begin_s = time.monotonic()
    story.record(wire.AdjacencyEvent("r1", "ospf", "r2", "gone", False, 2.0, "r1-eth0"))
    story.record(wire.DaemonExit("r2", "ospfd", -11, "", 2.0))
    story.record(wire.RoutingNote("r1", "ospf", "spf", "computed", 2.0))
    assert [line.partition(" s  ")[2] for line in story.since(begin_s)] == [
        "r1: ospf neighbor r2 on r1-eth0: gone",
        "r2: ospfd ended with signal 11",
    ]
    for _ in range(SHOWN_EVENTS):
        story.record(wire.FaultEvent("link-down", "l1", 3.0))
    assert story.since(begin_s)[0] == "(2 more before)"


def test_a_traceback_ends_in_the_test() -> None:
    with pytest.raises(LabFailed) as caught:
        expect(lambda: 1, 2, timeout_s=0)
    assert len(traceback.extract_tb(caught.value.__traceback__)) > 1
    shorten(caught.value, Path(__file__).parent)
    entries = traceback.extract_tb(caught.value.__traceback__)
    assert [entry.filename for entry in entries] == [__file__]


def test_a_traceback_without_a_test_is_unchanged() -> None:
    with pytest.raises(LabFailed) as caught:
        expect(lambda: 1, 2, timeout_s=0)
    before = len(traceback.extract_tb(caught.value.__traceback__))
    shorten(caught.value, Path("/nowhere"))
    assert len(traceback.extract_tb(caught.value.__traceback__)) == before
