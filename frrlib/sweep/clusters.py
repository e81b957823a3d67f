"""The cluster that carries out the runs of a sweep: a Dask of our own in this process, or somebody's scheduler."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from distributed import Client, LocalCluster

from frrlib.errors import PlaceError

#: How long a scheduler may take to answer, in seconds.
ANSWER_S = 10
#: Any free port that only this machine reaches.
_OWN_MACHINE = "127.0.0.1:0"


@contextmanager
def connected(scheduler: str, jobs: int) -> Iterator[Client]:
    """A client of a Dask.

    Args:
        scheduler: its address ("tcp://host:8786"); empty for one in this process, which no other machine reaches.
        jobs: how many runs at once in this process.

    Raises:
        PlaceError: no scheduler answers.
    """
    # What is lost at its end is told by its absence, not by pages of log.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if scheduler:
        try:
            client = Client(scheduler, timeout=ANSWER_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise PlaceError(f"no scheduler of Dask answers at {scheduler}: {error}", "dask scheduler") from error
        with client:
            yield client
        return
    # Each run is a process of its own, so threads that wait for them do. Scheduler and worker each have a page on how
    # they are, for which no other machine shall be able to ask.
    cluster = LocalCluster(
        n_workers=1, threads_per_worker=jobs, processes=False, dashboard_address=None, memory_limit=0,
        silence_logs=logging.CRITICAL, worker_dashboard_address=_OWN_MACHINE,
        scheduler_kwargs={"dashboard_address": _OWN_MACHINE},
    )  # fmt: skip
    with cluster, Client(cluster, set_as_default=False) as client:
        yield client
