"""A sweep on workers in separate processes, with a replacement for labs."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from frrlib.sweep.events import RunEnd, RunStart
from frrlib.sweep.execution import run_sweep
from frrlib.sweep.options import SweepOptions
from frrlib.sweep.plan import runs_of
from tests.sweep.cluster import running_process, running_scheduler, worker_command
from tests.sweep.standin import STANDIN, started_pids
from tests.sweep.test_running import is_running
from tests.sweep.topologies import sweep_plan
from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.lab
def test_two_workers_share_a_sweep_and_one_takes_over_lost_runs(tmp_path: Path) -> None:
    log, pid_file = tmp_path / "dask.log", tmp_path / "started.log"
    pid_file.touch()
    variables = {"PYTHONPATH": str(ROOT), "STANDIN_LOG": str(pid_file)}
    plan = sweep_plan("flow:f1.start=1:6:1", "title=wait 0.3")
    runs = runs_of(plan)
    hosts: dict[str, list[str]] = {run.name: [] for run in runs}
    both_used, stop = threading.Event(), threading.Event()

    def listen(event: object) -> None:
        if isinstance(event, RunStart):
            hosts[event.run.name].append(event.host)
            if len({host for run_hosts in hosts.values() for host in run_hosts}) == 2:
                both_used.set()

    with (
        running_scheduler(log, **variables) as address,
        running_process(log, *worker_command(address), **variables) as first,
        running_process(log, *worker_command(address), **variables),
    ):
        options = SweepOptions(scheduler=address, program=STANDIN)
        results = []
        sweep = threading.Thread(
            target=lambda: results.append(run_sweep(plan, runs, tmp_path / "out", options, listen))
        )
        sweep.start()
        assert both_used.wait(60), log.read_text()
        first.kill()
        sweep.join(60)
        assert [(tally.finished, tally.failed) for tally in results] == [(6, 0)]
        # the runs of a stopped sweep end on the other machine, too
        endless = sweep_plan("title=wait 600")
        start_count = len(started_pids(pid_file))

        def listen_to_that(event: object) -> None:
            assert not isinstance(event, RunEnd)
            if isinstance(event, RunStart):  # a run that is stopped earlier never starts its program
                wait_for(lambda: len(started_pids(pid_file)) > start_count, "a run")
                stop.set()

        run_sweep(endless, runs_of(endless), tmp_path / "endless", options, listen_to_that, stop)
        wait_for(lambda: not any(map(is_running, started_pids(pid_file))), "the end of all runs")
