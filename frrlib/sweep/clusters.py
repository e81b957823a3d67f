"""The cluster that carries out the runs of a sweep: a Dask of our own in this process, or somebody's scheduler."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import Client, Scheduler, SpecCluster, Worker
from distributed.security import Security

from frrlib.errors import PlaceError

#: How long a scheduler may take to answer, in seconds.
ANSWER_S = 10
#: Messages between a scheduler and a worker in this process: no socket, so no other process can send one.
_OWN_PROCESS = "inproc://"


class _NoPages:
    """A part of a Dask without web pages: any user of this machine could read them by their port."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Start none."""


class _OwnScheduler(_NoPages, Scheduler):
    pass


class _OwnWorker(_NoPages, Worker):
    pass


@contextmanager
def connected(scheduler: str, jobs: int) -> Iterator[Client]:
    """A client of a Dask.

    Args:
        scheduler: its address ("tls://host:8786"); empty for a Dask in this process, which no other process reaches.
        jobs: how many runs at once in this process.

    Raises:
        PlaceError: no scheduler answers, or this machine has no certificate for it.
    """
    # What is lost at its end is told by its absence, not by pages of log.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if scheduler:
        _check_certificate(scheduler)
        try:
            client = Client(scheduler, timeout=ANSWER_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise PlaceError(f"no Dask scheduler replies at {scheduler}: {error}", "dask scheduler") from error
        with client:
            yield client
        return
    with _own(jobs) as cluster, Client(cluster, set_as_default=False) as client:
        yield client


def _check_certificate(scheduler: str) -> None:
    """Refuse an encrypted address without a certificate. Raises PlaceError."""
    if scheduler.startswith("tls://") and Security().get_connection_args("client").get("ssl_context") is None:
        remedy = "set distributed.comm.tls.client (docs/sweeps.md, Many machines)"
        raise PlaceError(f"scheduler {scheduler}: Dask's configuration names no certificate of the client", remedy)


def _own(jobs: int) -> SpecCluster:
    """A Dask in this process. It opens no port: whoever sends a Dask a message has it run code as this user.

    Each run is a process of its own, so threads that wait for them do.
    """
    worker = {"nthreads": jobs, "memory_limit": 0, "protocol": _OWN_PROCESS, "dashboard": False}
    return SpecCluster(
        scheduler={"cls": _OwnScheduler, "options": {"protocol": _OWN_PROCESS, "dashboard": False}},
        workers={0: {"cls": _OwnWorker, "options": worker}},
        silence_logs=logging.CRITICAL,
    )
