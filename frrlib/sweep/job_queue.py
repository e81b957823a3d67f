"""Submits jobs to Dask in their order, and stores each result when it arrives.

Sweeps and experiments call `run_jobs`.
"""

from __future__ import annotations

import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from distributed import Client, Future

from frrlib.sweep.clusters import connected
from frrlib.sweep.events import AnyRun, RunEnd, RunStart
from frrlib.sweep.job import Job, Report
from frrlib.sweep.options import SweepOptions
from frrlib.sweep.worker import BEGUN, END_S, work

#: Maximum number of jobs that are submitted to Dask at a time.
_AHEAD = 1000

_R = TypeVar("_R", bound=AnyRun)


def run_jobs(
    runs: Sequence[_R],
    job: Callable[[_R], Job],
    how: SweepOptions,
    keep: Callable[[_R, Report], Report],
    listener: Callable[[RunStart[_R] | RunEnd[_R]], None],
    stop: threading.Event,
    tick: Callable[[], None] = lambda: None,
) -> None:
    """Carry out runs in their order, on this machine or by the scheduler of `how`.

    Args:
        job: makes the job of a run when its turn comes.
        keep: stores the results of a run, and returns the report for the listener. An error of it ends all runs.
        listener: called with starts and ends of runs; in several threads.
        stop: setting it ends all runs.
        tick: as for `JobQueue`.

    Raises:
        KeyboardInterrupt: Ctrl-C; results that have arrived are stored.
        PlaceError: no scheduler answers.
    """
    names = {run.name: run for run in runs}

    def store(report: Report) -> None:
        run = names[report.name]
        listener(RunEnd(run, keep(run, report)))

    def report_start(name: str, host: str) -> None:
        listener(RunStart(names[name], host))

    with connected(how.scheduler, how.jobs) as client:
        JobQueue(client, not how.scheduler, store, report_start, tick).go(map(job, runs), stop)


class JobQueue:
    """The jobs that are submitted to Dask, and those that wait.

    Args:
        client: of the Dask cluster.
        is_ours: whether the cluster is in this process; then cancelled runs can be waited for.
        keep: called with each report, in this thread; an error of it ends all jobs.
        begun: called with the name of each run that has started, and its host; in another thread.
        tick: called regularly, in this thread.
    """

    def __init__(
        self,
        client: Client,
        is_ours: bool,
        keep: Callable[[Report], None],
        begun: Callable[[str, str], None],
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        self._client, self._is_ours, self._keep, self._tell_begun, self._tick = client, is_ours, keep, begun, tick
        self._retry: list[Job] = []
        self._submitted: dict[Future, Job] = {}
        self._done: queue.SimpleQueue[Future] = queue.SimpleQueue()
        # A scheduler may have keys of an earlier start of this sweep, or of another sweep.
        self._token = secrets.token_hex(4)
        self._number = 0

    def go(self, jobs: Iterable[Job], stop: threading.Event) -> None:
        """Run until all jobs have ended, or `stop` is set.

        Raises:
            KeyboardInterrupt: Ctrl-C; results that have arrived are stored.
        """
        topic, waiting = f"{BEGUN}-{self._token}", iter(jobs)
        self._client.subscribe_topic(topic, self._begun)
        try:
            while not stop.is_set():
                self._submit(waiting, topic)
                if not self._submitted:
                    return
                with suppress(queue.Empty):
                    self._take(self._done.get(timeout=0.2))
                self._tick()
        finally:
            self._cancel()

    def _submit(self, waiting: Iterator[Job], topic: str) -> None:
        while len(self._submitted) < _AHEAD:
            job = self._retry.pop() if self._retry else next(waiting, None)
            if job is None:
                return
            # Without a priority Dask starts jobs that are submitted at about the same time in the order of their names.
            self._number += 1
            future = self._client.submit(
                work, job, topic, key=f"{job.name}-{self._token}", pure=False, priority=-self._number
            )
            self._submitted[future] = job
            future.add_done_callback(self._done.put)

    def _take(self, future: Future) -> None:
        job = self._submitted.pop(future, None)
        if job is None:
            return
        try:
            report = future.result()
        except Exception as error:  # any error of a worker is a failure of its run
            report = Report(job.name, "failed", (f"its worker failed: {error or type(error).__name__}",))
        future.release()
        if report.status == "cancelled":  # by a worker that was shut down
            self._retry.append(job)
            return
        self._keep(report)

    def _cancel(self) -> None:
        """Store results that have arrived, cancel all submitted runs, and wait for those in this process."""
        while not self._done.empty():
            self._take(self._done.get())
        futures = list(self._submitted)
        if not futures:
            return
        self._client.cancel(futures, force=True)
        self._submitted.clear()
        if self._is_ours:
            until_s = time.monotonic() + END_S
            while time.monotonic() < until_s and _are_running(self._client):
                time.sleep(0.1)

    def _begun(self, event: Any) -> None:
        self._tell_begun(*event[1])


def _are_running(client: Client) -> bool:
    workers = client.cluster.workers.values() if client.cluster is not None else ()
    return any(worker.state.executing_count for worker in workers)
