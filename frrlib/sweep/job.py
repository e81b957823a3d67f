"""A job for a worker, and the worker's report: values that are sent between processes."""

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

#: The module that carries out one run; a job may name another one with the same input and output.
ONE = "frrlib.sweep.single_run"
Status = Literal["finished", "failed", "cancelled"]


@dataclass(frozen=True)
class Job:
    """One run for a worker, which need not share files with the client.

    Attributes:
        name: of the run.
        text: of its topology's file.
        settings: the fields of `frrlib.run.run.RunSettings`.
        timeout_s: time limit for the whole run; None for no limit.
        figure: whether to draw its figure.
        version: of the client's program; a worker with another version refuses the job.
        program: the module that carries it out.
        folder: see `options.SweepOptions`.
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
        status: "finished" for a successful run, "cancelled" for one that was no longer needed.
        failures: reasons of its failure, one sentence each.
        host: the machine that it ran on.
        seconds: its duration, from the start of its process to the packed results.
        metrics: its results by the names of `statistics.comparison.METRICS`; empty if nothing was measured.
        archive: its results folder as a zip file; empty without results.
        output: output of its process, truncated.
        left_out: files of its results that could not be packed, with reasons, one line per file.
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


def job_of(run: SweepRun, settings: RunSettings, timeout_s: float | None = None, **fields: Any) -> Job:
    """The job of a run; `fields` are further fields of `Job`."""
    settings_json = {**asdict(settings), "seed": run.seed}
    return Job(run.name, mn.dumps(run.topology), settings_json, timeout_s, **fields)


def settings_of(settings_json: Mapping[str, Any]) -> RunSettings:
    """The settings of a job; paths may be text, and tuples may be lists."""
    names = {field_.name for field_ in fields(RunSettings)}
    values = {name: value for name, value in settings_json.items() if name in names}
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    if values.get("kernel") is not None:
        values["kernel"] = Path(values["kernel"])
    return RunSettings(**values)


def process_name() -> str:
    """This machine and process, for people."""
    return f"{socket.gethostname()} ({os.getpid()})"
