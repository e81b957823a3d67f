"""Runs functions for several routers in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")
#: Number of simultaneous functions.
WORKERS = 8


def run_in_parallel(jobs: Sequence[Callable[[], T]]) -> list[T]:
    """The results of functions, in their order. The first exception is raised.

    An interrupt does not wait for tasks that have begun: the lab's end ends them.
    """
    pool = ThreadPoolExecutor(WORKERS)
    try:
        return [done.result() for done in [pool.submit(job) for job in jobs]]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def run_on_routers(tgen: Any, work: Callable[[str], T], routers: Iterable[str] | None = None) -> dict[str, T]:
    """Run a function for each router of a network, or for the named ones. Returns router to result."""
    names = list(routers if routers is not None else tgen.routers())
    return dict(zip(names, run_in_parallel([partial(work, name) for name in names]), strict=True))
