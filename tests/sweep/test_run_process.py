"""Processes of runs are forked by a server, and look like processes that were started for them."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from frrlib.sweep.job import job_of
from frrlib.sweep.plan import runs_of
from frrlib.sweep.run_process import RunProcess
from tests.sweep.standin import STANDIN, started_pids
from tests.sweep.topologies import sweep_plan
from tests.waiting import PATIENCE_S, wait_for


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "started"
    monkeypatch.setenv("STANDIN_LOG", str(path))
    return path


def _start(folder: Path, title: str) -> RunProcess:
    plan = sweep_plan(f"title={title}")
    job = job_of(runs_of(plan)[0], plan.settings)
    folder.mkdir()
    line: dict[str, Any] = {"text": job.text, "settings": job.settings}
    line |= {"out": str(folder / "results"), "report": str(folder / "report.json")}
    return RunProcess(STANDIN, json.dumps(line, default=str), folder, folder / "output.txt")


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def test_a_run_has_a_session_a_folder_and_an_environment_of_its_own(tmp_path: Path, log: Path) -> None:
    process = _start(tmp_path / "run", "wait 600")
    pids = wait_for(lambda: log.exists() and started_pids(log), "the start of its program")
    assert pids == [process.pid]  # the log's name came with the request
    assert int(_stat(process.pid)[3]) == process.pid != os.getsid(0)  # see proc(5): state, parent, group, session
    assert os.readlink(f"/proc/{process.pid}/cwd") == str(tmp_path / "run")
    assert f"STANDIN_LOG={log}".encode() not in Path(f"/proc/{os.getpid()}/environ").read_bytes()
    assert not process.wait(0)
    process.end_input()  # as the kernel does when this process ends
    assert process.wait(PATIENCE_S) and process.exit_status == 130
    process.close()


@pytest.mark.parametrize(("title", "status"), [("die", 7), ("a", 0)])
def test_exit_status_and_output(title: str, status: int, tmp_path: Path, log: Path) -> None:
    process = _start(tmp_path / "run", title)
    assert process.wait(PATIENCE_S) and process.exit_status == status
    assert (tmp_path / "run" / "output.txt").read_text() == "output of the stand-in\n"
    process.close()


def test_a_killed_run_has_the_signal_as_its_status(tmp_path: Path, log: Path) -> None:
    process = _start(tmp_path / "run", "wait 600")
    process.kill_group()
    assert process.wait(PATIENCE_S) and process.exit_status == -signal.SIGKILL
    process.close()


def test_a_server_that_was_killed_is_replaced(tmp_path: Path, log: Path) -> None:
    first = _start(tmp_path / "first", "wait 600")
    wait_for(log.exists, "the start of its program")
    monitor = int(_stat(first.pid)[1])
    server = int(_stat(monitor)[1])
    os.kill(server, signal.SIGKILL)
    assert not first.wait(0.1)  # the run goes on
    second = _start(tmp_path / "second", "a")
    assert second.wait(PATIENCE_S) and second.exit_status == 0
    assert int(_stat(monitor)[1]) != server
    first.kill_group()
    assert first.wait(PATIENCE_S)
    for process in (first, second):
        process.close()
