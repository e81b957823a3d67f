"""Complete, truncated, older and newer results folders."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from frrlib import wire
from frrlib.results.cards import card
from frrlib.results.layout import FORMAT_VERSION, ResultsError
from frrlib.results.read import open_results
from frrlib.results.statistics.summary import summarize
from frrlib.results.table_reader import read_table
from frrlib.results.writer import Writer
from frrlib.wire.plan import FlowPlan

STORED = Path(__file__).parents[1] / "data" / "results-v1"


def test_the_stored_folder_of_version_1_opens(tmp_path: Path) -> None:
    """Made once and never again: whatever this program becomes, it reads this."""
    results = open_results(STORED)
    assert results.status == "finished"
    assert results.warnings == ()
    summary = summarize(results)
    assert [flow.congestion_control for flow in summary.flows] == ["bbr", "cubic"]
    assert summary.flow("bbr").goodput_mbit == pytest.approx(8.0, rel=0.01)
    assert summary.flow("cubic").goodput_mbit == pytest.approx(4.0, rel=0.01)
    assert summary.queue("l1:r1-r2").drops == 12
    assert summary.pings[0].ttl == 62
    assert results.flow_report("bbr") == {"end": {"sum_received": {"bytes": 2_000_000}}}
    assert [(event.kind, event.what) for event in results.events if event.kind != "step"] == [
        ("flow", "start"), ("flow", "start"), ("route", "added"), ("flow", "end"), ("flow", "end"),
    ]  # fmt: skip


def test_a_newer_format_is_refused(two_flows: Path) -> None:
    run_info = json.loads((two_flows / "run.json").read_text())
    (two_flows / "run.json").write_text(json.dumps({**run_info, "format_version": FORMAT_VERSION + 1}))
    with pytest.raises(ResultsError, match=r"format \d+.*up to \d+.*newer"):
        open_results(two_flows)


@pytest.mark.parametrize("version", ["1", None, 1.5, True and [1]])
def test_a_version_that_is_not_a_number_is_refused(two_flows: Path, version: object) -> None:
    (two_flows / "run.json").write_text(json.dumps({"format_version": version}))
    with pytest.raises(ResultsError, match="format"):
        open_results(two_flows)


def test_additions_of_a_later_version_are_ignored(two_flows: Path) -> None:
    run_info = json.loads((two_flows / "run.json").read_text())
    (two_flows / "run.json").write_text(json.dumps({**run_info, "weather": "fine"}))
    table = two_flows / "samples/queue.csv"
    head, *rows = table.read_text().splitlines()
    table.write_text("\n".join([head + ",ecn_ce", *(row + ",5" for row in rows)]) + "\n")
    results = open_results(two_flows)
    assert results.queue["ecn_ce"][0] == 5.0
    assert results.info.title == "One after the other"


def test_missing_columns_are_unknown_and_reported(two_flows: Path) -> None:
    results = open_results(two_flows)
    assert set(wire.TABLES["tcp"]) <= set(results.tcp)
    assert np.isnan(results.tcp["ssthresh_packets"]).all()
    assert len(results.tcp["ssthresh_packets"]) == len(results.tcp["time_s"])
    assert any("ssthresh_packets" in warning for warning in results.warnings)


@pytest.mark.parametrize("cut", [1, 5, 37, 400])
def test_a_table_truncated_anywhere_opens(two_flows: Path, cut: int) -> None:
    complete = open_results(two_flows).tcp
    path = two_flows / "samples/tcp.csv"
    data = path.read_bytes()[:-cut]
    path.write_bytes(data)
    results = open_results(two_flows)
    lines = data.count(b"\n") - 1
    assert results.tcp["time_s"].tolist() == complete["time_s"][:lines].tolist()
    assert any("tcp.csv ends in an incomplete line" in warning for warning in results.warnings)


def test_a_table_truncated_between_lines_has_no_warning(two_flows: Path) -> None:
    path = two_flows / "samples/tcp.csv"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:101]))
    results = open_results(two_flows)
    assert results.tcp["time_s"].size == 100
    assert not any("incomplete line" in warning for warning in results.warnings)


@pytest.mark.parametrize("content", [b"", b"\n", b"\n\n", b"\n\n\n1,2\n", b'""\n\n', b",\n,\n"])
def test_a_table_without_names_of_columns_has_no_rows(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "tcp.csv").write_bytes(content)
    warnings: list[str] = []
    table = read_table(tmp_path / "tcp.csv", ("time_s", "flow"), warnings)
    assert table["time_s"].size == table["flow"].size == 0
    assert any("has no column time_s, flow" in warning for warning in warnings)


def test_damaged_lines_are_skipped_and_counted(two_flows: Path) -> None:
    path = two_flows / "samples/queue.csv"
    lines = path.read_text().splitlines()
    lines[5:5] = ["0.4,l1:r1", "\0\0\0\0", "not a time,l1:r1-r2,1,2,3", "0.35,l1:r1-r2,many,200000,0"]
    path.write_text("\n".join(lines) + "\n")
    results = open_results(two_flows)
    assert results.queue["time_s"].size == 95 + 1
    assert np.isnan(results.queue["backlog_bytes"]).sum() == 1
    run_info = " ".join(results.warnings)
    assert "2 unreadable lines" in run_info and "1 rows without a time" in run_info


@pytest.mark.parametrize("name", ["samples/tcp.csv", "samples/queue.csv", "events.csv", "topology.mn", "run.json"])
def test_without_any_single_file_the_others_open(two_flows: Path, name: str) -> None:
    (two_flows / name).unlink()
    results = open_results(two_flows)
    assert any(name in warning and "missing" in warning for warning in results.warnings)
    summarize(results)


def test_a_truncated_run_json_does_not_affect_the_samples(two_flows: Path) -> None:
    path = two_flows / "run.json"
    path.write_text(path.read_text()[:100])
    results = open_results(two_flows)
    assert results.tcp["time_s"].size == 4 * 401
    assert any("run.json" in warning for warning in results.warnings)


def test_an_invalid_part_of_run_json_gets_its_default(two_flows: Path) -> None:
    run_info = json.loads((two_flows / "run.json").read_text())
    (two_flows / "run.json").write_text(json.dumps({**run_info, "flows": "none", "pings": [{"source": 3}]}))
    results = open_results(two_flows)
    assert (results.info.flows, results.info.pings) == ((), ())
    assert results.info.title == "One after the other"
    assert any("flows, pings" in warning for warning in results.warnings)


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path, message in ((tmp_path / "none", "exist"), (tmp_path / "file", "not a folder"), (tmp_path, "no results")):
        with pytest.raises(ResultsError, match=message):
            open_results(path)


def test_tables_that_were_read_are_read_only(two_flows: Path) -> None:
    results = open_results(two_flows)
    with pytest.raises(ValueError, match="read-only"):
        results.tcp["time_s"][0] = 1.0


def test_a_folder_may_be_moved(two_flows: Path, tmp_path: Path) -> None:
    moved = shutil.move(two_flows, tmp_path / "elsewhere")
    assert open_results(moved).status == "finished"


@given(data=st.binary(max_size=300))
@example(data=b"\r\x01\n0.5,a,1\n")
def test_no_file_breaks_the_reader(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("t", numbered=True) / "queue.csv"
    path.write_bytes(b"time_s,direction,drops\n" + data)
    table = read_table(path, wire.TABLES["queue"], [])
    assert len({len(values) for values in table.values()}) == 1


def test_long_tables_are_joined_in_order(tmp_path: Path) -> None:
    path = tmp_path / "queue.csv"
    path.write_text("time_s,direction,drops\n" + "".join(f"{i},d{i % 1000},{i}\n" for i in range(120_001)))
    table = read_table(path, ("time_s", "direction", "drops"), [])
    assert (table["time_s"] == np.arange(120_001)).all()
    assert table["direction"][120_000] == "d0" and table["direction"][999] == "d999"


def test_the_stored_folder_of_version_3_opens() -> None:
    """Made once and never again. Its tables of applications, datagrams, probes and disciplines have a few rows each."""
    results = open_results(STORED.with_name("results-v3"))
    assert (results.status, results.warnings) == ("finished", ())
    flows = {flow.flow: flow for flow in summarize(results).flows}
    assert list(flows) == ["bbr", "cubic"]
    assert sum(flow.goodput_mbit or 0.0 for flow in flows.values()) == pytest.approx(9.2, abs=0.5)
    assert results.app["outcome"].tolist() == ["", "timed out", ""]
    assert results.datagram["lost_packets"].tolist() == [1.0, 4.0]
    assert np.isnan(results.probe["rtt_ms"]).tolist() == [number == 4 for number in range(10)]
    assert set(results.aqm["statistic"]) == {"new_flow_count"} and results.interface["tx_bytes"][-1] == 6000
    assert [event.what for event in results.events if event.kind == "fault"] == ["link-down"]
    assert sum(event.kind == "route" for event in results.events) > 20


@pytest.mark.parametrize("table", ["aqm", "interface", "app", "datagram", "probe", "cable", "cpu"])
def test_every_later_table_opens_if_truncated(tmp_path: Path, table: str) -> None:
    folder = Path(shutil.copytree(STORED.with_name("results-v3"), tmp_path / "run"))
    path = folder / f"samples/{table}.csv"
    rows = len(getattr(open_results(folder), table)["time_s"])
    path.write_bytes(path.read_bytes()[:-2])
    results = open_results(folder)
    assert len(getattr(results, table)["time_s"]) == rows - 1
    assert results.warnings == (f"samples/{table}.csv ends in an incomplete line, which is skipped",)
    path.unlink()
    results = open_results(folder)
    assert len(getattr(results, table)["time_s"]) == 0
    summarize(results)


def test_later_columns_may_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = wire.TABLES["tcp"]
    monkeypatch.setitem(wire.TABLES, "tcp", (*columns, *({"rto_ms", "bbr_phase"} - set(columns))))
    results = open_results(STORED.with_name("results-v3"))
    assert results.warnings == () and len(results.tcp["rto_ms"]) == len(results.tcp["time_s"])


def test_foreign_names_are_plain_text(tmp_path: Path) -> None:
    """Figures and tables are made of them: matplotlib warns of a control character by printing it."""
    with Writer.create(tmp_path, "{}", {}, title="\x1b]0;OWNED\x07 \u202e €") as writer:
        writer.set_flows((FlowPlan("a\x1b[2J", "h1", "h2", "10.0.0.2", 5201, 40001, "cubic", 0.0, 1.0),))
    info = open_results(tmp_path).info
    assert (info.title, [flow.id for flow in info.flows]) == ("�]0;OWNED� � €", ["a�[2J"])
    assert (card(tmp_path).title, card(tmp_path).flows) == (info.title, ("a�[2J",))
