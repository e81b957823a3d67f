"""Sweeps with a replacement for labs: their runs, their stored results, and their table."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from frrlib.errors import PlaceError
from frrlib.sweep.clusters import connected
from frrlib.sweep.events import RunEnd, RunStart, Tally
from frrlib.sweep.execution import run_sweep
from frrlib.sweep.job import job_of
from frrlib.sweep.options import SweepOptions
from frrlib.sweep.plan import SweepPlan, runs_of
from frrlib.sweep.worker import carry_out as carry_out_job
from tests.sweep.standin import STANDIN, started_pids
from tests.sweep.topologies import sweep_plan
from tests.waiting import pause, wait_for

ROOT = Path(__file__).resolve().parents[2]
RATE = "link:h1-h2.rate=10,20"
OPTIONS = SweepOptions(jobs=2, program=STANDIN)


def table(out: Path) -> list[dict[str, str]]:
    with (out / "table.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def run_plan(plan: SweepPlan, out: Path, options: SweepOptions = OPTIONS, **arguments: object) -> Tally:
    return run_sweep(plan, runs_of(plan), out, options, **arguments)  # type: ignore[arg-type]


def is_running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_every_run_is_in_the_table_with_its_values(tmp_path: Path, standin_log: Path) -> None:
    out, events = tmp_path / "out", []
    tally = run_plan(sweep_plan(RATE, repeat=2, seed=5), out, listener=events.append)
    assert tally == Tally(finished=4, failed=0, remaining=0, earlier=0)
    assert len(started_pids(standin_log)) == 4
    rows = table(out)
    # the flow of the replacement gets nine tenths of the rate
    assert [(row["link:h1-h2.rate_mbit"], row["repetition"], row["seed"], row["goodput_mbit"]) for row in rows] == [
        ("10.0", "1", "5", "9.0"), ("20.0", "1", "5", "18.0"), ("10.0", "2", "6", "9.0"), ("20.0", "2", "6", "18.0"),
    ]  # fmt: skip
    assert {row["status"] for row in rows} == {"finished"}
    assert {(out / "runs" / row["name"] / "logs" / "log.txt").read_text() for row in rows} == {"a log"}
    kinds = [type(event) for event in events]
    assert (kinds[0], kinds.count(RunStart), kinds.count(RunEnd)) == (Tally, 4, 4)


def test_parquet_and_csv_are_equal(tmp_path: Path, standin_log: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run_plan(sweep_plan(RATE), tmp_path / "out")
    parquet_rows = parquet.read_table(tmp_path / "out" / "table.parquet").to_pylist()
    rows = table(tmp_path / "out")
    assert [{name: "" if cell is None else str(cell) for name, cell in row.items()} for row in parquet_rows] == rows
    assert [row["link:h1-h2.rate_mbit"] for row in parquet_rows] == [10.0, 20.0]


def test_finished_runs_are_not_run_again(tmp_path: Path, standin_log: Path) -> None:
    out = tmp_path / "out"
    run_plan(sweep_plan(RATE), out)
    assert run_plan(sweep_plan(RATE), out) == Tally(finished=2, failed=0, remaining=0, earlier=2)
    assert len(started_pids(standin_log)) == 2
    assert run_plan(sweep_plan(RATE, repeat=2), out) == Tally(finished=4, failed=0, remaining=0, earlier=2)
    assert len(started_pids(standin_log)) == 4
    assert len(table(out)) == 4


def test_failed_runs_are_recorded_with_their_logs_and_retried_on_request(tmp_path: Path, standin_log: Path) -> None:
    out, plan = tmp_path / "out", sweep_plan("title=well,fail,die")
    assert run_plan(plan, out) == Tally(finished=1, failed=2, remaining=0, earlier=0)
    rows = {row["title"]: row for row in table(out)}
    assert rows["fail"]["failure"] == "r1 did not converge"
    assert rows["die"]["failure"] == "its process ended with status 7: output of the stand-in"
    assert rows["fail"]["goodput_mbit"] == "9.0" and rows["die"]["goodput_mbit"] == ""
    assert (out / "runs" / rows["fail"]["name"] / "logs" / "log.txt").is_file()
    assert (out / "runs" / rows["die"]["name"] / "output.txt").read_text() == "output of the stand-in\n"
    assert run_plan(plan, out) == Tally(finished=1, failed=2, remaining=0, earlier=1)
    assert len(started_pids(standin_log)) == 3
    assert run_plan(plan, out, SweepOptions(jobs=2, program=STANDIN, retry_failed=True)).failed == 2
    assert len(started_pids(standin_log)) == 5


def test_a_file_that_cannot_be_packed_is_left_out(tmp_path: Path, standin_log: Path) -> None:
    out = tmp_path / "out"
    events: list[object] = []
    assert run_plan(sweep_plan("title=names"), out, SweepOptions(program=STANDIN), listener=events.append).finished == 1
    (row,) = table(out)
    assert (row["status"], row["failure"]) == ("finished", "")
    (folder,) = (out / "runs").iterdir()
    assert (folder / "files/plain/kept").read_text() == "kept"
    assert (folder / "run.json").exists() and (folder / "summary.json").exists()
    (left_out,) = [event.report.left_out for event in events if isinstance(event, RunEnd)]
    assert left_out[0] == r"'files/a\udcff\udcfe': its name is not UTF-8"
    assert left_out[1].startswith("'files/ddd") and left_out[1].endswith("bytes, of 1000 at most")
    assert json.loads((folder / "sweep-run.json").read_text())["left_out"] == list(left_out)


def test_a_run_that_takes_too_long_is_ended_and_has_failed(tmp_path: Path, standin_log: Path) -> None:
    out = tmp_path / "out"
    assert run_plan(sweep_plan("title=wait 600"), out, SweepOptions(program=STANDIN, timeout_s=1)).failed == 1
    assert table(out)[0]["failure"] == "it took longer than 1 s and was ended"
    assert not any(is_running(pid) for pid in started_pids(standin_log))


def test_a_stopped_sweep_ends_its_runs(tmp_path: Path, standin_log: Path) -> None:
    out, stop, event_types = tmp_path / "out", threading.Event(), []
    plan = sweep_plan("title=one,two,wait 600")

    def listen(event: object) -> None:
        event_types.append(type(event))
        if (event_types.count(RunStart), event_types.count(RunEnd)) == (3, 2):
            stop.set()

    tally = run_plan(plan, out, SweepOptions(jobs=1, program=STANDIN), listener=listen, stop=stop)
    assert tally == Tally(finished=2, failed=0, remaining=1, earlier=0)
    assert not any(is_running(pid) for pid in started_pids(standin_log))
    assert [row["status"] for row in table(out)] == ["finished", "finished", "left"]


_KILLED = """
import sys
from pathlib import Path
from frrlib.sweep.plan import runs_of
from frrlib.sweep.options import SweepOptions
from frrlib.sweep.execution import run_sweep
from tests.sweep.topologies import sweep_plan
from tests.sweep.standin import STANDIN
plan = sweep_plan("flow:f1.start=1:6:1", "title=a,b,wait 600")
run_sweep(plan, runs_of(plan), Path(sys.argv[1]), SweepOptions(jobs=2, program=STANDIN))
"""


def test_a_killed_sweep_continues_with_the_remaining_runs(tmp_path: Path, standin_log: Path) -> None:
    out = tmp_path / "out"
    process = subprocess.Popen([sys.executable, "-c", _KILLED, str(out)], cwd=ROOT, env={**os.environ})
    plan = sweep_plan("flow:f1.start=1:6:1", "title=a,b,wait 600")
    runs = runs_of(plan)
    quick = [run for run in runs if run.cells["title"] != "wait 600"]
    try:
        # one of three runs waits, so both workers are soon occupied by waiting runs
        wait_for(lambda: process.poll() is not None or len(started_pids(standin_log)) >= 6, "six runs")
        assert process.poll() is None
        pause(1)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    finished = [run.name for run in quick if (out / "runs" / run.name / "sweep-run.json").is_file()]
    assert 0 < len(finished) < len(quick)
    pids = started_pids(standin_log)
    # the kernel has closed their standard input, which ends the runs
    wait_for(lambda: not any(map(is_running, pids)), "their end")

    stop, repeated_names = threading.Event(), []

    def listen(event: object) -> None:
        if isinstance(event, RunStart):
            repeated_names.append(event.run.name)
        if isinstance(event, RunEnd) and not set(quick_names) - {*finished, *repeated_names}:
            stop.set()

    quick_names = [run.name for run in quick]
    first = run_sweep(plan, runs, out, SweepOptions(jobs=8, program=STANDIN), listen, stop)
    assert first.earlier == len(finished)
    assert not set(repeated_names) & set(finished)
    assert set(quick_names) <= {*repeated_names, *finished}
    assert not any(is_running(pid) for pid in started_pids(standin_log))


def test_a_worker_with_another_version_refuses(standin_log: Path) -> None:
    plan = sweep_plan()
    job = job_of(runs_of(plan)[0], plan.settings, program=STANDIN)
    report = carry_out_job(type(job)(**{**vars(job), "version": "0.0.1"}))
    assert report.status == "failed"
    assert "the sweep is made with 0.0.1; install the same there" in report.failures[0]
    assert started_pids(standin_log) == []


def listening(pid: int) -> list[str]:
    """The addresses on which a process listens, in the kernel's notation."""
    sockets = {os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir() if path.exists()}
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return [row[1].partition(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]


def test_no_other_process_reaches_our_dask_cluster() -> None:
    addresses = listening(os.getpid())
    with connected("", 1):
        assert listening(os.getpid()) == addresses


def test_a_scheduler_without_a_reply_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frrlib.sweep.clusters.ANSWER_S", 1)
    with pytest.raises(PlaceError, match=r"no Dask scheduler replies at tcp://127\.0\.0\.1:9"):
        run_plan(sweep_plan(RATE), tmp_path / "out", SweepOptions(scheduler="tcp://127.0.0.1:9"))


def test_an_encrypted_scheduler_needs_a_certificate(tmp_path: Path) -> None:
    with pytest.raises(PlaceError, match=r"tls://127\.0\.0\.1:9: Dask's configuration names no certificate"):
        run_plan(sweep_plan(RATE), tmp_path / "out", SweepOptions(scheduler="tls://127.0.0.1:9"))
