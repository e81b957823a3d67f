"""The way in which a sweep is carried out; its results do not depend on it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from frrlib.sweep.job import ONE


@dataclass(frozen=True)
class SweepOptions:
    """The way in which a sweep is carried out.

    Attributes:
        jobs: runs at once where this process has its own Dask.
        scheduler: address of somebody's Dask; empty for one in this process.
        retry_failed: whether runs that failed before are run again.
        timeout_s: how long a run may take; None for ever.
        figures: whether each run's figure is drawn, too.
        program: see `job.Job`.
        folder: the one that the drawing's file is in, which labs on this machine, and on others that have it, see;
            empty for none.
    """

    jobs: int = 1
    scheduler: str = ""
    retry_failed: bool = False
    timeout_s: float | None = None
    figures: bool = False
    program: str = ONE
    folder: str = ""


#: As it is unless anything else is said.
DEFAULT_OPTIONS = SweepOptions()


def default_jobs(virtual_time: bool) -> int:
    """How many runs at once on this machine: in real time one, since runs side by side disturb each other."""
    return len(os.sched_getaffinity(0)) if virtual_time else 1
