"""The verdict on a run: a real run is trustworthy, and each alteration of it is detected."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from frrlib.plots.run import figure
from frrlib.results.read import open_results
from frrlib.results.statistics.summary import Summary, summarize
from frrlib.results.statistics.table import findings_rows, findings_table, problem_lists, summary_text
from frrlib.results.verdict.finding import Finding, reasons, verdict

STORED = Path(__file__).parents[1] / "data" / "results-v2"
#: Of the stored run: a queue of 120 kB at 10 Mbit/s that CUBIC fills, and a cable that loses 2 % of what BBR sends.
FILLS, LOSES = "l2:r1-h2", "l3:r1-h3"

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The stored run, to be altered."""
    return Path(shutil.copytree(STORED, tmp_path / "run"))


def change_run_info(folder: Path, change: Change) -> None:
    """Alter what run.json says."""
    path = folder / "run.json"
    info = json.loads(path.read_text())
    change(info)
    path.write_text(json.dumps(info))


def alter(folder: Path, table: str, change: Change, drop: Callable[[dict[str, Any]], bool] = lambda row: False) -> None:
    """Alter every row of a table, or leave rows out."""
    path = folder / "samples" / f"{table}.csv"
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        rows, names = list(reader), list(reader.fieldnames or ())
    for row in rows:
        change(row)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(row for row in rows if not drop(row))


def add_fault(folder: Path, time_s: float, target: str, kind: str, text: str, detail: str = "") -> None:
    """Add a fault to events.csv."""
    zero_s = json.loads((folder / "run.json").read_text())["zero_time_s"]
    with (folder / "events.csv").open("a", newline="") as file:
        csv.writer(file).writerow(["", zero_s + time_s, "fault", target, kind, text, detail])


def summary_of(folder: Path) -> Summary:
    """The summary of a folder."""
    return summarize(open_results(folder))


def finding_about(summary: Summary, check: str, subject: str) -> Finding:
    """The one finding of that kind about that subject."""
    (finding,) = (row for row in summary.findings if (row.what, row.subject) == (check, subject))
    return finding


def unexpected_findings(summary: Summary) -> set[tuple[str, str, str]]:
    """Findings that are not "ok": the check, its subject, and its severity."""
    return {
        (finding.what, finding.subject, finding.severity) for finding in summary.findings if finding.severity != "ok"
    }


def test_a_run_on_a_quiet_machine_is_trustworthy() -> None:
    summary = summary_of(STORED)
    assert (summary.verdict, unexpected_findings(summary), summary.not_as_drawn) == ("trustworthy", set(), ())
    assert {finding.what for finding in summary.findings} == {
        "base RTT", "control", "pacing", "HyStart", "rate", "queue", "loss", "processors", "stalls",
    }  # fmt: skip
    assert "Verdict: trustworthy" in summary_text(summary)


def test_findings_have_the_numbers_of_the_files() -> None:
    """Each worked out again with nothing but the files: no code of the judge's."""
    summary = summary_of(STORED)
    finding = json.loads((STORED / "run.json").read_text())
    pings = next(ping for ping in finding["pings"] if ping["destination"] == "h2")
    base_rtt = finding_about(summary, "base RTT", "h1 - h2")
    assert (base_rtt.measured, base_rtt.configured) == (min(pings["rtt_ms"]), 10 + 10)
    with (STORED / "samples/cable.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["direction"] == LOSES]
    sent, lost, held = (
        int(rows[-1][name]) - int(rows[0][name]) for name in ("sent_packets", "drops", "backlog_packets")
    )
    loss = finding_about(summary, "loss", LOSES)
    assert loss.measured == pytest.approx(100 * lost / (sent + lost + held))
    with (STORED / "samples/queue.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["direction"] == FILLS]
    assert finding_about(summary, "queue", FILLS).measured == max(int(row["backlog_bytes"]) for row in rows)
    # A second in which it always held more than leaves from sample to sample.
    full = [row for row in rows if 2 <= float(row["time_s"]) <= 4 and int(row["backlog_bytes"]) > 60_000]
    took_s = float(full[-1]["time_s"]) - float(full[0]["time_s"])
    mbit = (int(full[-1]["sent_bytes"]) - int(full[0]["sent_bytes"])) * 8e-6 / took_s
    assert took_s > 1 and finding_about(summary, "rate", FILLS).measured == pytest.approx(mbit, rel=0.01)


@pytest.mark.parametrize(
    ("change", "check", "subject", "severity"),
    [
        (lambda info: info["queues"][FILLS].update(limit_bytes=80_000), "queue", FILLS, "wrong"),
        (lambda info: info["queues"][FILLS].update(limit_bytes=200_000), "queue", FILLS, "wrong"),
        (lambda info: info["queues"][FILLS].update(rate_mbit=8.0), "rate", FILLS, "wrong"),
        (lambda info: info["queues"][FILLS].update(rate_mbit=9.7), "rate", FILLS, "doubt"),
        (lambda info: info["cables"][LOSES].update(loss_percent=0.5), "loss", LOSES, "wrong"),
        (lambda info: info["cables"][LOSES].update(loss_percent=4.0), "loss", LOSES, "wrong"),
        (lambda info: info["cables"][LOSES].update(loss_percent=0.0), "loss", LOSES, "wrong"),
        (lambda info: info["flows"][0].update(drawn_rtt_ms=30, rtt_low_ms=29.9, rtt_high_ms=31), "base RTT", "h1 - h2",
         "wrong"),
        (lambda info: info["flows"][0].update(drawn_rtt_ms=19, rtt_low_ms=18.9, rtt_high_ms=20), "base RTT", "h1 - h2",
         "doubt"),
        (lambda info: info["flows"][0].update(expected_control="reno", expected_by="flow fills"), "control", "fills",
         "wrong"),
        (lambda info: info["flows"][1].update(paced_by="fq"), "pacing", "loses", "wrong"),
    ],
)  # fmt: skip
def test_a_different_configuration_is_detected(
    copy: Path, change: Change, check: str, subject: str, severity: str
) -> None:
    change_run_info(copy, change)
    summary = summary_of(copy)
    assert unexpected_findings(summary) == {(check, subject, severity)}
    assert summary.verdict == ("not as drawn" if severity == "wrong" else "doubtful")
    finding = finding_about(summary, check, subject)
    assert finding.message and finding.remedy
    assert finding.message in summary_text(summary)


def test_a_shaper_with_overhead_carries_less_than_its_rate(copy: Path) -> None:
    """The stored queue emptied at 10 Mbit/s: right for 11.2 Mbit/s of which each frame takes 1696 bytes for 1514."""

    def drawn(rate_mbit: float, accounting: dict[str, Any]) -> Finding:
        fields = {"rate_mbit": rate_mbit, "accounting": accounting}
        change_run_info(copy, lambda info: info["queues"][FILLS].update(fields))
        return finding_about(summary_of(copy), "rate", FILLS)

    cells = {"overhead_bytes": 10, "replaces_ethernet": True, "link_layer": "atm"}
    assert drawn(10 * 1696 / 1514, cells).severity == "ok"
    assert drawn(10 * 1696 / 1514, {}).severity != "ok"
    assert drawn(10, cells).severity != "ok"


def test_losses_in_bursts_have_wider_bounds(copy: Path) -> None:
    change_run_info(copy, lambda info: info["cables"][LOSES].update(loss_percent=4.0, likeness=0.95))
    assert summary_of(copy).verdict == "trustworthy"


def test_a_busy_machine_makes_a_run_doubtful(copy: Path) -> None:
    def work(row: dict[str, Any]) -> None:  # what was idle works instead, but for the share that is left
        if row["where"] == "machine":
            idle_s = float(row["idle_s"])
            row.update(busy_s=float(row["busy_s"]) + 0.9 * idle_s, idle_s=0.1 * idle_s)

    alter(copy, "cpu", work)
    summary = summary_of(copy)
    assert unexpected_findings(summary) == {("processors", "machine", "doubt")}
    assert "this machine was 9" in finding_about(summary, "processors", "machine").message


def test_slow_queues_on_a_busy_machine_are_only_doubtful(copy: Path) -> None:
    alter(copy, "cpu", lambda row: row.update(idle_s=0))
    for rate_mbit, severity in ((12.5, "doubt"), (8.0, "wrong")):  # it left at 10 Mbit/s
        change_run_info(copy, lambda info, rate_mbit=rate_mbit: info["queues"][FILLS].update(rate_mbit=rate_mbit))  # type: ignore[misc]
        assert finding_about(summary_of(copy), "rate", FILLS).severity == severity
    calm = Path(shutil.copytree(STORED, copy.parent / "calm"))
    change_run_info(calm, lambda info: info["queues"][FILLS].update(rate_mbit=12.5))
    assert finding_about(summary_of(calm), "rate", FILLS).severity == "wrong"


@pytest.mark.parametrize(("where", "from_s", "severity"), [("machine", 2.52, "doubt"), ("lab kernel", 2.0, "ok")])
def test_a_single_second_at_full_load_counts(copy: Path, where: str, from_s: float, severity: str) -> None:
    def stand(row: dict[str, Any]) -> None:  # from one sample to the next nothing was idle, and else nothing worked
        if row["where"] == where:
            at_s = float(row["time_s"])
            idle_s = at_s + 10 - min(1.0, max(0.0, at_s - from_s))
            row.update(busy_s=at_s + 10 - idle_s, idle_s=idle_s, steal_s=0)

    alter(copy, "cpu", stand)
    finding = finding_about(summary_of(copy), "processors", where)
    assert finding.severity == severity
    assert finding.measured == pytest.approx(100 / 5, rel=0.2)
    assert ("% busy for a second" if severity == "doubt" else "100% in one second") in finding.message


def test_time_taken_by_a_hypervisor_is_reported(copy: Path) -> None:
    alter(copy, "cpu", lambda row: row.update(steal_s=0.2 * (float(row["time_s"]) + 10)))
    assert "hypervisor took" in finding_about(summary_of(copy), "processors", "machine").message


def test_a_stopped_lab_is_reported(copy: Path) -> None:
    # 25 samples a second: 40 ms from one to the next, and 10 of them are let pass
    alter(copy, "queue", lambda row: None, lambda row: 2 < float(row["time_s"]) < 2.7)
    finding = finding_about(summary_of(copy), "stalls", "lab")
    assert finding.severity == "doubt" and 700 <= float(finding.measured or 0) < 800


def test_a_flow_without_samples_is_reported(copy: Path) -> None:
    alter(copy, "tcp", lambda row: None, lambda row: row["side"] == "sender" and 1 < float(row["time_s"]) < 2.5)
    assert ("samples", "fills", "doubt") in unexpected_findings(summary_of(copy))
    alter(copy, "tcp", lambda row: None, lambda row: row["side"] == "sender" and row["flow"] == "fills")
    finding = finding_about(summary_of(copy), "samples", "fills")
    assert "no samples" in finding.message and "INET_DIAG" in finding.remedy


def test_a_flow_is_sampled_as_often_as_requested(copy: Path) -> None:
    seen_seconds: set[tuple[str, str, int]] = set()

    def is_late(row: dict[str, str]) -> bool:
        """Keep one row a second of each end."""
        key = (row["flow"], row["side"], int(float(row["time_s"]) + 100))
        return key in seen_seconds or bool(seen_seconds.add(key))

    alter(copy, "tcp", lambda row: None, is_late)
    assert ("samples", "fills", "doubt") in unexpected_findings(summary_of(copy))
    run = copy / "run.json"
    finding = json.loads(run.read_text())
    run.write_text(json.dumps({**finding, "settings": {**finding["settings"], "sample_hz": 1.0}}))
    assert ("samples", "fills", "doubt") not in unexpected_findings(summary_of(copy))


def test_arrivals_after_the_senders_end_are_not_a_gap(copy: Path) -> None:
    alter(copy, "tcp", lambda row: None, lambda row: row["side"] == "sender" and float(row["time_s"]) > 3)
    assert ("samples", "fills", "doubt") in unexpected_findings(summary_of(copy))
    events = copy / "events.csv"
    events.write_text(events.read_text().replace("5.454154,,flow,fills,end", "3.05,,flow,fills,end"))
    assert ("samples", "fills", "doubt") not in unexpected_findings(summary_of(copy))


def test_bbr_without_pacing_is_wrong(copy: Path) -> None:
    alter(copy, "tcp", lambda row: row.update(pacing_rate_mbit=""))
    assert unexpected_findings(summary_of(copy)) == {("pacing", "loses", "wrong")}


def test_a_flow_that_delivered_nothing_counts(copy: Path) -> None:
    alter(copy, "tcp", lambda row: None, lambda row: row["flow"] == "loses")
    summary = summary_of(copy)
    assert finding_about(summary, "delivery", "loses").message == "flow loses delivered nothing"
    assert summary.verdict == "doubtful"


def test_effects_of_a_planned_fault_are_not_deviations(copy: Path) -> None:
    """Half of the packets are lost for a second by a fault, and after 3 s the queue is emptied at half its rate."""
    with (STORED / "samples/queue.csv").open(newline="") as file:
        at_3 = next(int(r["sent_bytes"]) for r in csv.DictReader(file) if r["direction"] == FILLS and r["time_s"] > "3")

    def lose(row: dict[str, Any]) -> None:
        if row["direction"] == LOSES and float(row["time_s"]) > 1.5:
            row["drops"] = int(row["drops"]) + 400

    def slow(row: dict[str, Any]) -> None:
        sent = int(row["sent_bytes"])
        if row["direction"] == FILLS and sent > at_3:
            row["sent_bytes"] = at_3 + (sent - at_3) // 2

    alter(copy, "cable", lose)
    alter(copy, "queue", slow)
    assert {(check, severity) for check, _, severity in unexpected_findings(summary_of(copy))} == {
        ("loss", "wrong"),
        ("rate", "wrong"),
    }
    add_fault(copy, 1.2, "l3", "loss", "50 % of the packets are lost for 0.6 s")
    add_fault(copy, 1.8, "l3", "loss-over", "loses no more packets than before")
    add_fault(copy, 3.0, "l2", "link-values", "rate=5mbit towards h2")
    assert unexpected_findings(summary_of(copy)) == set()


def test_older_folders_are_not_called_trustworthy(copy: Path) -> None:
    """They open without a word, and nothing speaks against them; how busy the machine was they do not say."""
    for table in ("cable", "cpu"):
        (copy / "samples" / f"{table}.csv").unlink()
    results = open_results(copy)
    assert results.warnings == ()
    assert (summarize(results).verdict, unexpected_findings(summarize(results))) == ("", set())


def test_a_run_in_virtual_time_gets_a_verdict_without_a_record_of_the_processors(copy: Path) -> None:
    (copy / "samples" / "cpu.csv").unlink()
    change_run_info(copy, lambda run: run["settings"].update(virtual_time=True))
    summary = summary_of(copy)
    assert (summary.verdict, unexpected_findings(summary)) == ("trustworthy", set())
    assert finding_about(summary, "processors", "virtual time").measured is None
    assert "Verdict: trustworthy" in summary_text(summary)
    change_run_info(copy, lambda run: run["queues"][FILLS].update(rate_mbit=8.0))
    assert summary_of(copy).verdict == "not as drawn"


def test_a_run_in_virtual_time_without_flows_gets_a_verdict(copy: Path) -> None:
    change_run_info(copy, lambda run: run.update(flows=[], settings={"virtual_time": True}))
    alter(copy, "tcp", lambda row: None, lambda row: True)
    (copy / "samples" / "cpu.csv").unlink()
    (copy / "events.csv").unlink()
    assert summary_of(copy).verdict == "trustworthy"


def without_flows(folder: Path) -> None:
    """Let the run have had no flows: what remains of its samples is the record of the processors."""
    change_run_info(folder, lambda run: run.update(flows=[], pings=[]))
    for table in ("tcp", "queue", "cable"):
        alter(folder, table, lambda row: None, lambda row: True)
    (folder / "events.csv").unlink()


@pytest.mark.parametrize("status", ["finished", "failed"])
def test_a_run_without_flows_is_judged_by_the_load_of_the_machine(copy: Path, status: str) -> None:
    without_flows(copy)
    change_run_info(copy, lambda run: run.update(status=status))
    assert summary_of(copy).verdict == "trustworthy"
    alter(copy, "cpu", lambda row: row.update(idle_s=0))
    assert ("processors", "machine", "doubt") in unexpected_findings(summary_of(copy))


def test_a_short_record_does_not_raise_doubt(copy: Path) -> None:
    without_flows(copy)
    first = float("inf")

    def is_late(row: dict[str, Any]) -> bool:
        nonlocal first
        first = min(first, float(row["time_s"]))
        return row["where"] != "machine" or float(row["time_s"]) > first + 0.3

    def shorten(row: dict[str, Any]) -> None:
        row.update(time_s=0.2 * float(row["time_s"]), idle_s=0)

    alter(copy, "cpu", shorten, is_late)
    summary = summary_of(copy)
    assert (summary.verdict, unexpected_findings(summary)) == ("trustworthy", set())
    assert "too short" in finding_about(summary, "processors", "machine").message


@pytest.mark.parametrize("status", ["running", "failed"])
def test_a_run_in_virtual_time_that_delivered_nothing_is_doubtful(copy: Path, status: str) -> None:
    change_run_info(copy, lambda run: run.update(status=status, settings={"virtual_time": True}))
    alter(copy, "tcp", lambda row: None, lambda row: True)
    (copy / "samples" / "cpu.csv").unlink()
    assert summary_of(copy).verdict == "doubtful"


def test_older_summaries_are_read() -> None:
    old = Summary.model_validate_json('{"title": "x", "not_as_drawn": ["flow a had another one"]}')
    assert (old.verdict, old.findings) == ("", ())
    assert findings_table(old) is None
    assert problem_lists(old) == (("Not as drawn", ("flow a had another one",)),)


def test_the_most_severe_finding_determines_the_verdict() -> None:
    ok = Finding(what="processors", subject="machine")
    doubt = Finding(what="stalls", subject="lab", severity="doubt", message="it stood still")
    wrong = Finding(what="rate", subject="l1", severity="wrong", message="it is another one")
    assert [verdict(findings) for findings in ([], [ok], [ok, doubt], [doubt, wrong])] == [
        "", "trustworthy", "doubtful", "not as drawn",
    ]  # fmt: skip
    assert reasons([doubt, ok, wrong], "wrong", "doubt") == ["it is another one", "it stood still"]


def test_only_relevant_findings_of_many_are_listed() -> None:
    ok = [Finding(what="rate", subject=f"l{n}") for n in range(30)]
    doubt = Finding(what="stalls", subject="lab", severity="doubt", message="it stood still", remedy="wait")
    summary = Summary(findings=(*ok, doubt))
    table = findings_table(summary)
    assert table is not None and "30 more" in table.title and [row[0] for row in table.rows] == ["stalls"]
    every = findings_rows(summary)
    assert len(every) == 31 and every[0][-1] == "It stood still; wait"


def test_a_doubtful_figure_has_a_banner_at_the_top(copy: Path) -> None:
    calm = figure(open_results(copy))
    assert len(calm.subfigs) == 0
    change_run_info(copy, lambda info: info["queues"][FILLS].update(rate_mbit=8.0))
    fig = figure(open_results(copy))
    strip, panels = fig.subfigs
    (text,) = strip.texts
    assert text.get_text().startswith(f"Not as drawn: {FILLS} carried")
    fig.draw_without_rendering()
    boxes = [panel.get_tightbbox() for panel in panels.axes] + [panels.legends[0].get_window_extent()]
    assert all(box is not None and box.y1 < strip.bbox.y0 for box in boxes)
    assert text.get_window_extent().x1 < strip.bbox.x1


def test_a_flow_that_connects_through_a_full_queue_is_reported_late(copy: Path) -> None:
    """Its start is much earlier than its first data. Nothing is doubtful, but the flow does not follow the plan."""
    path = copy / "events.csv"
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        rows, names = list(reader), list(reader.fieldnames or ())
    (start,) = [row for row in rows if (row["kind"], row["subject"], row["what"]) == ("flow", "fills", "start")]
    start["time_s"] = str(float(start["time_s"]) - 0.9)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
    summary = summary_of(copy)
    late = finding_about(summary, "start", "fills")
    assert late.configured is not None and isinstance(late.measured, float)
    assert 0.9 <= late.measured - float(late.configured) <= 1.3  # what iperf3 took there, besides
    assert "s after its start" in late.message
    (row,) = [row for row in findings_rows(summary) if row[:2] == ("start", "fills")]
    assert row[5] == "remark"  # the times differ and have no bounds
    assert summary.verdict == "trustworthy"


def test_findings_of_earlier_summaries_are_read() -> None:
    earlier = Finding.model_validate({"what": "rate", "subject": "l1", "why": "is 9 Mbit/s", "right": "look with tc"})
    assert (earlier.message, earlier.remedy) == ("is 9 Mbit/s", "look with tc")
    assert Finding.model_validate(earlier.model_dump()) == earlier
