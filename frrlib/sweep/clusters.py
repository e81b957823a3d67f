"""The Dask cluster that carries out the runs of a sweep: one in this process, or that of a running scheduler."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import Client, Scheduler, SpecCluster, Worker
from distributed.security import Security

from frrlib.errors import PlaceError

#: Time limit for a scheduler's reply, in seconds.
ANSWER_S = 10
#: Messages between a scheduler and a worker in this process: no socket, so no other process can send one.
_OWN_PROCESS = "inproc://"


class _NoPages:
    """A part of a Dask cluster without web pages, since any user of this machine could read them by their port."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Start no server."""


class _OwnScheduler(_NoPages, Scheduler):
    pass


class _OwnWorker(_NoPages, Worker):
    pass


@contextmanager
def connected(scheduler: str, jobs: int) -> Iterator[Client]:
    """A client of a Dask cluster.

    Args:
        scheduler: address of its scheduler ("tls://host:8786"); empty for a cluster in this process, which no other
            process can reach.
        jobs: number of simultaneous runs in this process.

    Raises:
        PlaceError: no scheduler answers, or this machine has no certificate for it.
    """
    # A run that is lost at the end shows by its missing result; Dask's own log would be pages long.
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
    with _own_cluster(jobs) as cluster, Client(cluster, set_as_default=False) as client:
        yield client


def _check_certificate(scheduler: str) -> None:
    """Refuse an encrypted address without a certificate. Raises PlaceError."""
    if scheduler.startswith("tls://") and Security().get_connection_args("client").get("ssl_context") is None:
        remedy = "set distributed.comm.tls.client (docs/sweeps.md, Many machines)"
        raise PlaceError(f"scheduler {scheduler}: Dask's configuration names no certificate of the client", remedy)


def _own_cluster(jobs: int) -> SpecCluster:
    """A Dask cluster in this process. It opens no port, since any message to a Dask cluster can run code as this user.

    Its workers are threads: each waits for a run, which is a separate process.
    """
    worker = {"nthreads": jobs, "memory_limit": 0, "protocol": _OWN_PROCESS, "dashboard": False}
    return SpecCluster(
        scheduler={"cls": _OwnScheduler, "options": {"protocol": _OWN_PROCESS, "dashboard": False}},
        workers={0: {"cls": _OwnWorker, "options": worker}},
        silence_logs=logging.CRITICAL,
    )
