"""A worker's order for a run, and its answer: values that go from process to process."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from frrlib import __version__
from frrlib.formats import mn
from frrlib.run.run import RunSettings
from frrlib.sweep.plan import SweepRun

#: The program that carries out one run; a job may name another one that reads and writes the same.
ONE = "frrlib.sweep.single_run"
Status = Literal["finished", "failed", "cancelled"]


@dataclass(frozen=True)
class Job:
    """One run for a worker that may share no file with the client.

    Attributes:
        name: of the run.
        text: its drawing's file.
        settings: the fields of `frrlib.run.Settings`.
        timeout_s: how long the run may take altogether; None for ever.
        figure: whether its figure is drawn.
        version: of the program that asks; a worker with another one refuses.
        program: module that carries it out.
        folder: see `how.How`.
    """

    name: str
    text: str
    settings: Mapping[str, Any]
    timeout_s: float | None = None
    figure: bool = False
    version: str = __version__
    program: str = ONE
    folder: str = ""


@dataclass(frozen=True)
class Report:
    """The outcome of a job.

    Attributes:
        name: of the run.
        status: "finished" for a run that did all; "cancelled" for one that nobody wanted any more.
        failures: why it failed, one sentence each.
        host: the machine that it ran on.
        seconds: how long it took, from the start of its process to the packed results.
        metrics: its results by the names of `statistics.comparison.METRICS`; empty if nothing was measured.
        archive: its results folder as a zip file; empty where there is none.
        output: what its process printed, shortened.
        left_out: files of its results that could not be packed, and why, one line a file.
    """

    name: str
    status: Status
    failures: tuple[str, ...] = ()
    host: str = ""
    seconds: float = 0.0
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    archive: bytes = b""
    output: str = ""
    left_out: tuple[str, ...] = ()


def job_of(run: SweepRun, settings: RunSettings, timeout_s: float | None = None, **more: Any) -> Job:
    """The job that a run is; `more` are further fields of `Job`."""
    said = {**asdict(settings), "seed": run.seed}
    return Job(run.name, mn.dumps(run.topology), said, timeout_s, **more)


def settings_of(said: Mapping[str, Any]) -> RunSettings:
    """The settings again; paths may be text, and tuples lists."""
    known = {each.name for each in fields(RunSettings)}
    given = {name: value for name, value in said.items() if name in known}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    if given.get("kernel") is not None:
        given["kernel"] = Path(given["kernel"])
    return RunSettings(**given)


def process_name() -> str:
    """This machine and process, for people."""
    return f"{socket.gethostname()} ({os.getpid()})"
