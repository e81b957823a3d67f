"""The writer of results folders: contents, final status, and protection of existing files."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path

import msgspec
import pandas as pd
import pytest

from frrlib import wire
from frrlib.results.layout import QueueInfo, ResultsError, find_results
from frrlib.results.read import open_results
from frrlib.results.writer import Writer, default_folder
from frrlib.wire import plan

COLUMNS = len(wire.TABLES["tcp"])


def tcp_row(time_s: float, flow: str = "f", **values: object) -> list[object]:
    """A row of table tcp with the named values, all others unknown."""
    named = {"time_s": time_s, "flow": flow, "side": "sender", **values}
    return [named.get(column) for column in wire.TABLES["tcp"]]


def run_json(folder: Path) -> dict[str, object]:
    """The content of run.json."""
    return json.loads((folder / "run.json").read_text())  # type: ignore[no-any-return]


def test_everything_written_can_be_read(tmp_path: Path) -> None:
    text = '{"title": "später",\r\n "x": 1}'
    with Writer.create(tmp_path / "new" / "run", text, {"sample_hz": 50, "out": Path("x")}, title="T") as writer:
        writer.set_place("labkernel", "it has netem")
        writer.set_flows([plan.FlowPlan("bbr.1", "h1", "h2", "10.0.0.2", 5201, 40001, "bbr", 1.0, 8.0)])
        writer.set_queues({"l1:a-b": QueueInfo(rate_mbit=10, limit_bytes=30_000)})
        writer.add_ping({"source": "h1", "address": "10.0.0.2", "sent": 1, "received": 1, "ttl": [62], "rtt_ms": [4.5]})
        writer.add(wire.Ready(1, {"kernel": "6.1.0"}))
        writer.add(wire.StepEvent("routes", "start", 10.0))
        writer.add(wire.StepEvent("routes", "done", 12.5, "all there"))
        writer.add(wire.Samples("queue", [[0.5, "l1:a-b", 3000, 2, 9000, 6, 0, None, 1, 0]]))
        writer.add(wire.FlowEvent("bbr.1", "failed", 2.0, 'no\nroute, "none"'))
        writer.add(wire.RouteEvent("r1", "10.1.0.0/16", False, 14.0))
        writer.add(wire.DaemonExit("r1", "bgpd", -9, "line 1\nline 2\n", 15.0))
        writer.add(wire.Done(3))
        writer.set_zero_time(11.0)
        writer.add_flow_report("bbr.1", {"end": {"sum": 1}})
        (writer.lab_folder / "capture.pcap").write_bytes(b"\0")
        writer.log("hello")

    results = open_results(writer.folder)
    assert results.warnings == ()
    assert results.status == "finished"
    assert (writer.folder / "topology.mn").read_bytes() == text.encode()
    assert results.topology_text == text
    info = results.info
    assert info.settings == {"sample_hz": 50, "out": "x"}
    assert (info.title, info.place, info.place_reason) == ("T", "labkernel", "it has netem")
    assert info.facts["kernel"] == "6.1.0" and "python" in info.facts
    assert info.flows[0].congestion_control == "bbr" and info.flows[0].duration_s == 8.0
    assert info.queues["l1:a-b"].limit_bytes == 30_000
    assert info.pings[0].rtt_ms == (4.5,)
    assert [(step.name, step.state, step.seconds) for step in info.steps] == [("routes", "done", 2.5)]
    assert results.queue["backlog_bytes"].tolist() == [3000.0]
    assert results.flow_report("bbr.1") == {"end": {"sum": 1}}
    assert (writer.folder / "logs/r1-bgpd.died.log").read_text() == "line 1\nline 2\n"
    assert "hello" in (writer.folder / "log.txt").read_text()
    events = {(event.kind, event.subject, event.what): event for event in results.events}
    assert events["flow", "bbr.1", "failed"].text == 'no route, "none"'
    assert events["flow", "bbr.1", "failed"].time_s == 2.0
    assert events["route", "r1", "removed"].time_s == pytest.approx(14.0 - 11.0)
    assert math.isnan(events["step", "routes", "done"].time_s)
    assert events["step", "routes", "done"].lab_time_s == 12.5
    assert "-9" in events["daemon", "r1", "died"].text
    started, finished = (datetime.fromisoformat(str(run_json(writer.folder)[key])) for key in ("started", "finished"))
    assert started.tzinfo is not None
    assert started <= finished


def test_pandas_reads_the_samples(tmp_path: Path) -> None:
    with Writer.create(tmp_path, "{}", {}) as writer:
        rows = [
            tcp_row(0.01, cwnd_packets=10, srtt_ms=40.25, app_limited=True, congestion_control="bbr"),
            tcp_row(0.02, cwnd_packets=None, srtt_ms=41.5, app_limited=False, congestion_control="bbr"),
        ]
        writer.add(wire.Samples("tcp", rows))
    frame = pd.read_csv(tmp_path / "samples/tcp.csv")
    assert tuple(frame.columns) == wire.TABLES["tcp"]
    assert frame["srtt_ms"].tolist() == [40.25, 41.5]
    assert frame["cwnd_packets"].isna().tolist() == [False, True]
    assert frame["app_limited"].tolist() == [1, 0]
    assert tuple(pd.read_csv(tmp_path / "samples/queue.csv").columns) == wire.TABLES["queue"]


def test_rows_of_wrong_length_are_refused(tmp_path: Path) -> None:
    with Writer.create(tmp_path, "{}", {}) as writer:
        with pytest.raises(ValueError, match="2 values"):
            writer.add(wire.Samples("tcp", [[1.0, "f"]]))
        with pytest.raises(ValueError, match="udp"):
            writer.add(wire.Samples("udp", []))


@pytest.mark.parametrize(
    ("error", "status", "failures"),
    [
        (KeyboardInterrupt(), "interrupted", ()),
        (SystemExit(3), "interrupted", ()),
        (RuntimeError("r2 has no route"), "failed", ("r2 has no route",)),
    ],
)
def test_the_final_status_is_recorded(
    tmp_path: Path, error: BaseException, status: str, failures: tuple[str, ...]
) -> None:
    def go_wrong() -> None:
        with Writer.create(tmp_path, "{}", {}) as writer:
            writer.add(wire.Samples("tcp", [tcp_row(1.0)]))
            raise error

    with pytest.raises(type(error)):
        go_wrong()
    results = open_results(tmp_path)
    assert (results.status, results.info.failures) == (status, failures)
    assert results.tcp["time_s"].tolist() == [1.0]


def test_only_the_first_end_counts_and_later_messages_are_dropped(tmp_path: Path) -> None:
    with Writer.create(tmp_path, "{}", {}) as writer:
        writer.finish("failed", ["one", "two"])
        writer.add(wire.Samples("tcp", [tcp_row(1.0)]))
        writer.log("late")
    results = open_results(tmp_path)
    assert (results.status, results.info.failures) == ("failed", ("one", "two"))
    assert results.tcp["time_s"].size == 0


def test_a_running_run_can_be_opened(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path, "{}", {})
    writer.add(wire.Samples("tcp", [tcp_row(1.0)]))
    during = open_results(tmp_path)
    assert (during.status, during.warnings) == ("running", ())
    assert during.tcp["time_s"].tolist() == [1.0]
    writer.finish()
    assert open_results(tmp_path).status == "finished"


def test_many_threads_write_complete_lines(tmp_path: Path) -> None:
    def write(number: int) -> None:
        for i in range(200):
            writer.add(wire.Samples("tcp", [tcp_row(i, f"f{number}", cwnd_packets=number)]))
            if i % 50 == 0:
                writer.add_facts({f"t{number}.{i}": i})

    with Writer.create(tmp_path, "{}", {}) as writer:
        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    results = open_results(tmp_path)
    assert results.warnings == ()
    for number in range(4):
        assert results.tcp["time_s"][results.tcp["flow"] == f"f{number}"].tolist() == list(range(200))
    assert sum(key.startswith("t") for key in results.info.facts) == 16


# --- whose folder it is -----------------------------------------------------------------------------------------------


def test_foreign_files_are_never_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    for overwrite in (False, True):
        with pytest.raises(ResultsError, match=r"not empty"):
            Writer.create(tmp_path, "{}", {}, overwrite=overwrite)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_an_earlier_run_is_replaced_only_on_request_and_other_files_stay(tmp_path: Path) -> None:
    with Writer.create(tmp_path, "old", {}) as writer:
        writer.add(wire.Samples("tcp", [tcp_row(1.0)]))
        writer.add_flow_report("old", {})
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ResultsError, match="earlier run"):
        Writer.create(tmp_path, "new", {})
    assert open_results(tmp_path).topology_text == "old"
    Writer.create(tmp_path, "new", {}, overwrite=True).finish()
    results = open_results(tmp_path)
    assert results.topology_text == "new"
    assert results.tcp["time_s"].size == 0
    assert results.flow_report("old") is None
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_an_earlier_run_that_is_hard_to_remove_is_replaced(tmp_path: Path) -> None:
    with Writer.create(tmp_path, "old", {}) as writer:
        (writer.lab_folder / "closed/inner").mkdir(parents=True)
        (writer.lab_folder / "closed").chmod(0)
    Writer.create(tmp_path, "new", {}, overwrite=True).finish()
    assert open_results(tmp_path).topology_text == "new"
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".replaced")]


def test_an_earlier_run_stays_complete_if_it_cannot_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Writer.create(tmp_path, "old", {}) as writer:
        writer.add(wire.Samples("tcp", [tcp_row(1.0)]))
    rename = os.rename

    def stubborn(source: Path, target: Path) -> None:
        if Path(source).name == "files" and Path(source).parent == tmp_path:
            raise PermissionError(13, "Permission denied")
        rename(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "rename", stubborn)
        with pytest.raises(ResultsError, match="Permission denied"):
            Writer.create(tmp_path, "new", {}, overwrite=True)
    results = open_results(tmp_path)
    assert results.topology_text == "old" and results.tcp["time_s"].size == 1


def test_the_folder_of_a_running_run_is_closed_to_other_users(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    out.chmod(0o2775)
    with Writer.create(out, "{}", {}) as writer:
        writer.lab_folder.chmod(0o777)  # as a lab may
        assert stat.S_IMODE(out.stat().st_mode) == 0o700
    assert stat.S_IMODE(out.stat().st_mode) == 0o2775


def test_no_text_is_a_formula_of_a_spreadsheet(tmp_path: Path) -> None:
    odd = ["=cmd|' /C calc'!A0", "@SUM(1)", "+cmd|x", "-2+3+cmd|' /C calc'!A0", "-5", "+1.5e3", "-", "f=1"]
    with Writer.create(tmp_path, "{}", {}) as writer:
        writer.add(wire.Samples("tcp", [tcp_row(float(number), flow) for number, flow in enumerate(odd)]))
    cells = list(pd.read_csv(tmp_path / "samples/tcp.csv")["flow"])
    assert cells == [*(f"'{cell}" for cell in odd[:4]), *odd[4:]]
    assert list(open_results(tmp_path).tcp["flow"]) == odd  # our own reader takes the apostrophe away


def test_overwriting_follows_no_links(tmp_path: Path) -> None:
    Writer.create(tmp_path / "run", "{}", {}).finish()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("x")
    (tmp_path / "run/files").rmdir()
    (tmp_path / "run/files").symlink_to(elsewhere)
    Writer.create(tmp_path / "run", "{}", {}, overwrite=True).finish()
    assert (elsewhere / "precious").read_text() == "x"
    assert not (tmp_path / "run/files").is_symlink()


def test_a_running_run_is_never_overwritten(tmp_path: Path) -> None:
    with Writer.create(tmp_path, "{}", {}), pytest.raises(ResultsError, match="is writing to it"):
        Writer.create(tmp_path, "{}", {}, overwrite=True)


def test_a_file_at_the_path_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ResultsError) as raised:
            Writer.create(out, "{}", {})
        assert str(out) in str(raised.value)
    assert (tmp_path / "file").read_text() == "x"


def test_default_folders_are_new_and_legible(tmp_path: Path) -> None:
    now = datetime(2026, 3, 4, 5, 6, 7)
    first = default_folder("two AS/bgp", tmp_path, now)
    assert first == tmp_path / "two-AS-bgp-20260304-050607"
    first.mkdir()
    assert default_folder("two AS/bgp", tmp_path, now).name == "two-AS-bgp-20260304-050607-2"
    assert default_folder("..", tmp_path, now).name.startswith("run-")


def test_runs_below_a_folder_are_found(tmp_path: Path) -> None:
    for name in ("b/2", "a"):
        Writer.create(tmp_path / name, "{}", {}).finish()
    (tmp_path / "c").mkdir()
    (tmp_path / "c/run.json").write_text("[1]")
    assert find_results(tmp_path) == [tmp_path / "a", tmp_path / "b/2"]


# --- killed -----------------------------------------------------------------------------------------------------------

ENDLESS = """
import sys
from pathlib import Path
from frrlib import wire
from frrlib.results.writer import Writer

writer = Writer.create(Path(sys.argv[1]), "{}", {"why": "to be killed"})
width = len(wire.TABLES["tcp"])
i = 0
while True:
    i += 1
    writer.add(wire.Samples("tcp", [[float(i), "f", "sender", *[None] * (width - 3)]]))
    if i % 100 == 0:
        writer.add(wire.FlowEvent("f", "start", float(i)))
        writer.add_facts({"i": i})
        print(i, flush=True)
"""


def test_a_killed_run_keeps_all_written_data(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", ENDLESS, str(tmp_path / "run")]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    try:
        assert process.stdout is not None
        last_written = [int(process.stdout.readline()) for _ in range(20)][-1]
    finally:
        process.kill()
        remaining, _ = process.communicate()
    assert process.returncode == -signal.SIGKILL
    last_written = max([last_written, *map(int, remaining.split())])
    results = open_results(tmp_path / "run")
    assert results.status == "killed"
    assert any("killed" in warning for warning in results.warnings)
    times = results.tcp["time_s"].tolist()
    assert len(times) >= last_written
    assert times == [float(i + 1) for i in range(len(times))]
    assert results.info.settings == {"why": "to be killed"}
    assert int(results.info.facts["i"]) >= last_written
    assert len(results.events) >= last_written // 100


def test_every_message_of_the_wire_is_accepted(tmp_path: Path) -> None:
    examples = {
        wire.Ready: wire.Ready(1), wire.StepEvent: wire.StepEvent("s", "start", 0.0),
        wire.Samples: wire.Samples("tcp", []),
        wire.FlowEvent: wire.FlowEvent("f", "start", 0.0), wire.RouteEvent: wire.RouteEvent("r", "p", True, 0.0),
        wire.DaemonExit: wire.DaemonExit("r", "d", 1, "", 0.0), wire.Done: wire.Done(1),
        wire.Failed: wire.Failed(1, "lab", "why"), wire.WaitingFor: wire.WaitingFor({}, 0.0),
        wire.FaultEvent: wire.FaultEvent("loss", "l1", 0.0),
        wire.AdjacencyEvent: wire.AdjacencyEvent("r", "ospf", "n", "Full", True, 0.0),
        wire.RoutingNote: wire.RoutingNote("r", "ospf", "spf", "text", 0.0), wire.ClockEvent: wire.ClockEvent(0.0),
        wire.TopologyEvent: wire.TopologyEvent(),
    }  # fmt: skip
    assert set(examples) == set(wire.Message.__args__)  # type: ignore[attr-defined]
    with Writer.create(tmp_path, "{}", {}) as writer:
        for message in examples.values():
            writer.add(wire.decode_message(msgspec.json.encode(message)))


def test_the_files_of_an_ended_run_are_read_only(tmp_path: Path) -> None:
    with Writer.create(tmp_path / "run", "{}", {}) as writer:
        writer.add(wire.Samples("tcp", [tcp_row(0.5)]))
        writer.add_log("r1-zebra.log", "up\n")
    out = writer.folder
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    writer.add(wire.Samples("tcp", [tcp_row(0.1)]))
    writer.add(wire.FlowEvent("f", "start", 0.0))
    writer.add_log("r1-zebra.log", "again\n")
    writer.add_facts({"kernel": "another"})
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in before}
    assert set(modes.values()) == {0o444}
    (out / "notes.txt").write_text("mine")
    moved = out.rename(tmp_path / "renamed")
    assert open_results(moved).warnings == ()
    with Writer.create(moved, "{}", {}, overwrite=True):
        pass
    assert not open_results(moved).tcp["time_s"].size
    shutil.rmtree(moved)
