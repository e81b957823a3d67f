"""Jobs on their way: they are handed to Dask in their order, and each result is kept as it comes.

Code with runs to carry out, for a sweep or experiments, calls `run_jobs`.
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

#: So many jobs are handed to Dask at once; further ones as these end.
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
    """Have runs carried out in their order, on this machine or where `how` says.

    Args:
        job: makes the job of a run when its turn comes.
        keep: puts what came of a run in its place; what is told of it. An error of it ends all.
        listener: is told of runs that begin and end; from several threads.
        stop: once it is set, what goes on is ended.
        tick: as of `JobQueue`.

    Raises:
        KeyboardInterrupt: Ctrl-C; what has come in is kept.
        PlaceError: no scheduler answers.
    """
    names = {run.name: run for run in runs}

    def kept(report: Report) -> None:
        run = names[report.name]
        listener(RunEnd(run, keep(run, report)))

    def begun(name: str, host: str) -> None:
        listener(RunStart(names[name], host))

    with connected(how.scheduler, how.jobs) as client:
        JobQueue(client, not how.scheduler, kept, begun, tick).go(map(job, runs), stop)


class JobQueue:
    """The jobs that are with Dask, and those that wait for it.

    Args:
        client: of that Dask.
        is_ours: whether it is in this process, so that runs can be waited for that end early.
        keep: is given each report, in this thread; an error of it ends the course.
        begun: is called with the name of each run that has begun, and where; from another thread.
        tick: is called now and then, in this thread.
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
        self._again: list[Job] = []
        self._given: dict[Future, Job] = {}
        self._done: queue.SimpleQueue[Future] = queue.SimpleQueue()
        # A scheduler may know keys of an earlier try, or of another sweep.
        self._token = secrets.token_hex(4)
        self._number = 0

    def go(self, jobs: Iterable[Job], stop: threading.Event) -> None:
        """Until all have ended, or somebody stops it.

        Raises:
            KeyboardInterrupt: Ctrl-C; what has come in is kept.
        """
        topic, waiting = f"{BEGUN}-{self._token}", iter(jobs)
        self._client.subscribe_topic(topic, self._begun)
        try:
            while not stop.is_set():
                self._give(waiting, topic)
                if not self._given:
                    return
                with suppress(queue.Empty):
                    self._take(self._done.get(timeout=0.2))
                self._tick()
        finally:
            self._cancel()

    def _give(self, waiting: Iterator[Job], topic: str) -> None:
        while len(self._given) < _AHEAD:
            job = self._again.pop() if self._again else next(waiting, None)
            if job is None:
                return
            # Without a priority Dask takes what is given at about the same time in the order of its names.
            self._number += 1
            future = self._client.submit(
                work, job, topic, key=f"{job.name}-{self._token}", pure=False, priority=-self._number
            )
            self._given[future] = job
            future.add_done_callback(self._done.put)

    def _take(self, future: Future) -> None:
        job = self._given.pop(future, None)
        if job is None:
            return
        try:
            report = future.result()
        except Exception as error:  # whatever went wrong on a worker is that run's failure
            report = Report(job.name, "failed", (f"its worker failed: {error or type(error).__name__}",))
        future.release()
        if report.status == "cancelled":  # by a worker that was told to end
            self._again.append(job)
            return
        self._keep(report)

    def _cancel(self) -> None:
        """Keep what has come in, have all runs end that are still with Dask, and wait for those in this process."""
        while not self._done.empty():
            self._take(self._done.get())
        given = list(self._given)
        if not given:
            return
        self._client.cancel(given, force=True)
        self._given.clear()
        if self._is_ours:
            until_s = time.monotonic() + END_S
            while time.monotonic() < until_s and _are_running(self._client):
                time.sleep(0.1)

    def _begun(self, event: Any) -> None:
        self._tell_begun(*event[1])


def _are_running(client: Client) -> bool:
    workers = client.cluster.workers.values() if client.cluster is not None else ()
    return any(worker.state.executing_count for worker in workers)
