"""Options for running a sweep; its results do not depend on them."""

from __future__ import annotations

import os
from dataclasses import dataclass

from frrlib.sweep.job import ONE


@dataclass(frozen=True)
class SweepOptions:
    """Options for running a sweep.

    Attributes:
        jobs: number of simultaneous runs of a Dask cluster in this process.
        scheduler: address of a running Dask scheduler; empty for a cluster in this process.
        retry_failed: whether runs that failed before are run again.
        timeout_s: time limit for a run; None for no limit.
        figures: whether to draw each run's figure, too.
        program: see `job.Job`.
        folder: the folder of the topology's file; labs see it on every machine that has it. Empty for none.
    """

    jobs: int = 1
    scheduler: str = ""
    retry_failed: bool = False
    timeout_s: float | None = None
    figures: bool = False
    program: str = ONE
    folder: str = ""


#: The options without any setting.
DEFAULT_OPTIONS = SweepOptions()


def default_jobs(virtual_time: bool) -> int:
    """The number of simultaneous runs on this machine: in real time one, since simultaneous runs disturb each other."""
    return len(os.sched_getaffinity(0)) if virtual_time else 1
