"""The findings that need the paths of flows: a real run with paths added by hand, and alterations of it."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from frrlib.results.statistics.summary import Summary
from tests.results.test_verdict import (
    FILLS,
    LOSES,
    STORED,
    add_fault,
    alter,
    change_run_info,
    finding_about,
    summary_of,
    unexpected_findings,
)

#: Round trips of the stored run's flows through empty queues: the delays, 1514 bytes there at the link's rate.
BASE_MS = {"fills": 20 + 1514 * 8 / 10_000, "loses": 10 + 1514 * 8 / 8_000}
PATHS = {
    "fills": {"forward": ["l1:h1-r1", FILLS], "reverse": ["l2:h2-r1", "l1:r1-h1"], "base_rtt_ms": BASE_MS["fills"]},
    "loses": {"forward": ["l1:h1-r1", LOSES], "reverse": ["l3:h3-r1", "l1:r1-h1"], "base_rtt_ms": BASE_MS["loses"]},
}
Rows = list[dict[str, str]]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The stored run with the paths of its flows."""
    folder = Path(shutil.copytree(STORED, tmp_path / "run"))
    change_run_info(folder, lambda run: [flow.update(path=PATHS[flow["id"]]) for flow in run["flows"]])
    return folder


def lengthen(folder: Path, flow: str, column: str, factor: float) -> None:
    """Multiply a column of a flow's sender."""

    def change(row: dict[str, Any]) -> None:
        if (row["flow"], row["side"]) == (flow, "sender") and row[column]:
            row[column] = factor * float(row[column])

    alter(folder, "tcp", change)


def multiply_data(folder: Path, flow: str, factor: float) -> None:
    """Let a flow have carried more."""

    def change(row: dict[str, Any]) -> None:
        if row["flow"] == flow:
            for column in ("bytes_received", "bytes_acked", "bytes_sent", "bytes_retrans"):
                row[column] = round(factor * float(row[column])) if row.get(column) else ""

    alter(folder, "tcp", change)


def rows(folder: Path, table: str, **keys: str) -> Rows:
    """The rows of a table with these values."""
    with (folder / "samples" / f"{table}.csv").open(newline="") as file:
        return [row for row in csv.DictReader(file) if all(row[name] == value for name, value in keys.items())]


def new_rows(summary: Summary) -> set[tuple[str, str]]:
    """The rows about round trips and rates on paths."""
    return {(row.what, row.subject) for row in summary.findings if row.what in ("RTT", "goodput", "sum")}


def test_a_correct_run_is_within_the_bounds_of_its_paths(copy: Path) -> None:
    summary = summary_of(copy)
    assert (summary.verdict, unexpected_findings(summary)) == ("trustworthy", set())
    assert new_rows(summary) == {(check, flow) for check in ("RTT", "goodput") for flow in PATHS}
    rtt, goodput = finding_about(summary, "RTT", "fills"), finding_about(summary, "goodput", "fills")
    longest_ms = max(float(row["srtt_ms"]) for row in rows(copy, "tcp", flow="fills", side="sender") if row["srtt_ms"])
    assert rtt.measured == pytest.approx(longest_ms)
    # Base RTT, 120 kB and a frame at 10 Mbit/s, and an allowance for the two ends and the machine.
    least_ms = BASE_MS["fills"] + (120_000 + 1514) * 8 / 10_000
    assert rtt.high is not None and least_ms < rtt.high <= least_ms + 2 + 200 + 5
    assert goodput.configured == pytest.approx(10 * 1448 / 1514, rel=0.001)
    assert 8 < float(goodput.measured or 0) < float(goodput.configured or 0)


def test_without_paths_there_are_no_findings(copy: Path) -> None:
    change_run_info(copy, lambda run: [flow.update(path=None) for flow in run["flows"]])
    assert new_rows(summary_of(copy)) == set()
    change_run_info(
        copy, lambda run: [flow.update(path={**PATHS[flow["id"]], "base_rtt_ms": None}) for flow in run["flows"]]
    )
    assert new_rows(summary_of(copy)) == {("goodput", flow) for flow in PATHS}


@pytest.mark.parametrize("column", ["srtt_ms", "min_rtt_ms"])
def test_a_round_trip_that_no_queue_explains_is_detected(copy: Path, column: str) -> None:
    lengthen(copy, "fills", column, 30 if column == "min_rtt_ms" else 5)
    summary = summary_of(copy)
    rtt = finding_about(summary, "RTT", "fills")
    assert unexpected_findings(summary) == {("RTT", "fills", "wrong")}
    assert ("smoothed" if column == "srtt_ms" else "least") in rtt.message and rtt.remedy


def test_a_ping_that_no_queue_explains_is_detected(copy: Path) -> None:
    def change(run: dict[str, Any]) -> None:
        ping = next(ping for ping in run["pings"] if ping["destination"] == "h2")
        ping["rtt_ms"][-1] = 300.0

    change_run_info(copy, change)
    assert unexpected_findings(summary_of(copy)) == {("RTT", "fills", "wrong")}


def test_the_cause_of_a_long_round_trip_is_named(copy: Path) -> None:
    lengthen(copy, "fills", "srtt_ms", 5)
    change_run_info(copy, lambda run: run.update(pings=[]))
    assert "hardware addresses" in finding_about(summary_of(copy), "RTT", "fills").message
    add_fault(copy, 4.2, "l2", "loss", "50 % of the packets are lost for 0.1 s")
    assert "the fault loss of l2" in finding_about(summary_of(copy), "RTT", "fills").message


def test_a_lower_rate_makes_longer_round_trips_possible(copy: Path) -> None:
    lengthen(copy, "fills", "srtt_ms", 5)
    add_fault(copy, 0.1, "l2", "link-values", "rate=1mbit towards h2")
    assert ("RTT", "fills") not in {(check, subject) for check, subject, _ in unexpected_findings(summary_of(copy))}


def test_a_limit_that_grows_with_the_rate_explains_a_longer_round_trip(copy: Path) -> None:
    """A limit in milliseconds grows with the rate; its packets leave slowly when the rate falls again."""
    add_fault(copy, 0.0, "l2", "link-values", "rate=40mbit towards h2", "queue limit 480000 bytes towards h2")
    add_fault(copy, 0.01, "l2", "link-values", "rate=10mbit towards h2", "queue limit 120000 bytes towards h2")
    high_ms = finding_about(summary_of(copy), "RTT", "fills").high
    least_ms = BASE_MS["fills"] + (480_000 + 4 * 1514) * 8 / 10_000
    assert high_ms is not None and least_ms <= high_ms <= least_ms + 2 + 200 + 5


@pytest.mark.parametrize("kind", ["link-down", "interface-down", "frozen", "daemon-killed"])
def test_a_path_is_not_judged_after_a_fault_that_may_change_it(copy: Path, kind: str) -> None:
    lengthen(copy, "fills", "srtt_ms", 5)
    multiply_data(copy, "fills", 2)
    add_fault(copy, 0.01, "l9", kind, "")
    checked = {(name, subject) for name, subject, _ in unexpected_findings(summary_of(copy))}
    assert not checked & {("RTT", "fills"), ("goodput", "fills")}


@pytest.mark.parametrize(("factor", "severity"), [(1.0, "ok"), (1.2, "wrong")])
def test_more_goodput_than_the_slowest_link_allows_is_detected(copy: Path, factor: float, severity: str) -> None:
    multiply_data(copy, "fills", factor)
    summary = summary_of(copy)
    goodput = finding_about(summary, "goodput", "fills")
    assert goodput.severity == severity
    assert (FILLS in goodput.message) == (severity != "ok")


def test_a_short_time_above_the_rate_is_detected(copy: Path) -> None:
    """A megabyte more within a second, in a run that is otherwise slower than its rate."""

    def change(row: dict[str, Any]) -> None:
        if row["flow"] == "fills":
            time_s = float(row["time_s"])
            share = 0.5 + 0.5 * min(1.0, max(0.0, time_s - 3.0))
            for column in ("bytes_received", "bytes_acked", "bytes_sent", "bytes_retrans"):
                row[column] = round(share * float(row[column])) if row.get(column) else ""

    alter(copy, "tcp", change)
    arrived = [int(row["bytes_received"] or 0) for row in rows(copy, "tcp", flow="fills", side="receiver")]
    assert max(arrived) * 8e-6 / 5 < 10
    assert finding_about(summary_of(copy), "goodput", "fills").severity == "wrong"


def test_flows_with_too_high_a_sum_are_detected(copy: Path) -> None:
    """Both at the link of 10 Mbit/s: each could pass, and both cannot."""
    change_run_info(copy, lambda run: run["flows"][1].update(path={**PATHS["fills"], "base_rtt_ms": None}))
    summary = summary_of(copy)
    assert ("sum", FILLS, "wrong") in unexpected_findings(summary)
    assert ("goodput", "loses", "wrong") not in unexpected_findings(summary)
    both = finding_about(summary, "sum", FILLS)
    assert both.configured == pytest.approx(10)
    assert "2 flows carried" in both.message
    change_run_info(copy, lambda run: run["queues"][FILLS].update(rate_mbit=30.0))
    assert finding_about(summary_of(copy), "sum", FILLS).severity == "ok"


def test_a_fault_of_the_rate_counts_for_the_sum(copy: Path) -> None:
    """The flow carried nearly 10 Mbit/s: too much for a link that had 2 Mbit/s for a second."""
    add_fault(copy, 2.0, "l2", "link-values", "rate=2mbit towards h2")
    add_fault(copy, 3.5, "l2", "link-values", "rate=10mbit towards h2")
    assert ("goodput", "fills", "wrong") in unexpected_findings(summary_of(copy))


def test_older_folders_are_read() -> None:
    stored: dict[str, Any] = json.loads((STORED / "run.json").read_text())
    assert all("path" not in flow for flow in stored["flows"])
    assert new_rows(summary_of(STORED)) == set()


@pytest.fixture
def counted(copy: Path) -> Path:
    """The stored run with the drops by the kernel's counters at its end."""
    last = {row["direction"]: int(row["drops"]) for row in rows(copy, "queue")}
    change_run_info(copy, lambda run: run.update(queue_drops={name: [count, count] for name, count in last.items()}))
    return copy


def test_the_drops_of_the_samples_are_those_of_the_kernel(counted: Path) -> None:
    drops = finding_about(summary_of(counted), "drops", FILLS)
    assert drops.severity == "ok" and float(drops.measured or 0) > 0
    assert drops.measured == drops.configured == int(rows(counted, "queue", direction=FILLS)[-1]["drops"])


def test_samples_without_drops_are_detected(counted: Path) -> None:
    alter(counted, "queue", lambda row: None, lambda row: float(row["time_s"]) > 1.5)
    summary = summary_of(counted)
    assert ("drops", FILLS, "doubt") in unexpected_findings(summary)
    drops = finding_about(summary, "drops", FILLS)
    assert f"{drops.measured:.0f} drops" in drops.message and f"counted {drops.configured:.0f}" in drops.message


def test_drops_between_both_readings_are_not_a_difference(counted: Path) -> None:
    change_run_info(counted, lambda run: [count.__setitem__(1, count[1] + 5) for count in run["queue_drops"].values()])
    assert unexpected_findings(summary_of(counted)) == set()


def test_a_queue_that_a_fault_replaced_is_not_compared(counted: Path) -> None:
    add_fault(counted, 4.9, "l2", "link-values", "queue=20packets towards h2")
    compared = {(row.what, row.subject) for row in summary_of(counted).findings if row.what == "drops"}
    assert compared == {("drops", LOSES)}


def test_a_flow_that_nothing_limits_in_virtual_time_is_doubtful(copy: Path) -> None:
    def change(run: dict[str, Any]) -> None:
        run["settings"].update(virtual_time=True)
        for flow in run["flows"]:
            flow["path"].update(forward=["l1:h1-r1"], reverse=["l1:r1-h1"], base_rtt_ms=0)

    change_run_info(copy, change)
    summary = summary_of(copy)
    assert {("limit", "fills", "doubt"), ("limit", "loses", "doubt")} <= unexpected_findings(summary)
    change_run_info(copy, lambda run: run["settings"].update(virtual_time=False))
    assert not [finding for finding in summary_of(copy).findings if finding.what == "limit"]
