"""Stores results of runs that arrive as reports, with a record of each run's end.

A run's folder exists only when the run has ended, and is complete: it is unpacked under another name and then renamed.
"""

from __future__ import annotations

import fcntl
import io
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

from pydantic import TypeAdapter

from frrlib.results.layout import ResultsError, json_text, read_json
from frrlib.sweep.archive import unpack
from frrlib.sweep.job import Report
from frrlib.system import atomic_files, removal

OUTPUT, LOCK = "output.txt", ".lock"
#: Suffixes of a run's folder while it is written, and of an earlier one before it is removed.
_UNFINISHED = (".part", ".old")


@dataclass(frozen=True)
class Record:
    """The record of a run's end.

    Attributes:
        status: "finished" or "failed".
        failures: reasons of a failure, one sentence each.
        host: the machine that it ran on.
        seconds: its duration.
        metrics: see `Report`.
        left_out: files of its results that could not be packed or unpacked, with reasons, one line per file.
    """

    status: str
    failures: tuple[str, ...] = ()
    host: str = ""
    seconds: float = 0.0
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


_RECORD = TypeAdapter(Record)


def store_results(folder: Path, report: Report, record: str, details: Mapping[str, Any]) -> Report:
    """Store the results of a run in its folder, in place of earlier ones.

    Args:
        folder: of the run.
        report: of the run.
        record: name of the file for the run's record.
        details: further values for this file.

    Returns:
        The report; its `left_out` includes files that could not be unpacked.

    Raises:
        ResultsError: the folder cannot be written.
    """
    part, old = (folder.with_name(f".{folder.name}{ending}") for ending in _UNFINISHED)
    try:
        for leftover in (part, old):
            removal.remove(leftover)
        part.mkdir(parents=True)
        if report.archive:
            report = replace(report, left_out=(*report.left_out, *unpack(io.BytesIO(report.archive), part)))
        if report.output.strip():
            (part / OUTPUT).write_text(report.output, encoding="utf-8")
        entry = Record(
            report.status, report.failures, report.host, round(report.seconds, 3), report.metrics, report.left_out
        )
        atomic_files.replace(part / record, json_text({**details, **asdict(entry)}))
        if folder.exists():
            os.rename(folder, old)
        os.rename(part, folder)
        removal.remove(old)
    except OSError as error:
        raise ResultsError(folder, f"cannot be written: {error.strerror}") from error
    return report


def read_record(place: Path, record: str) -> tuple[Record, Mapping[str, Any]] | None:
    """The record of a run's end, and the whole content of its file; None for a run that has not ended."""
    try:
        content = read_json(place / record, plain=True)
        return _RECORD.validate_python(content), content
    except (OSError, ValueError, TypeError):
        return None


def remove_unfinished(runs: Path) -> None:
    """Remove unfinished folders of runs, left by a program that was killed while it unpacked their results."""
    for ending in _UNFINISHED:
        for leftover in runs.glob(f".*{ending}"):
            removal.remove(leftover)


def refuse_links(folder: Path) -> None:
    """Check that no entry of a folder is a symbolic link. The folder may be missing.

    A folder from another person may have links to files of this user, which would be changed or removed instead of
    files of the folder.

    Raises:
        ResultsError: an entry is a link, or the folder cannot be read.
    """
    try:
        links = sorted(entry.name for entry in os.scandir(folder) if entry.is_symlink()) if folder.is_dir() else []
    except OSError as error:
        raise ResultsError(folder, f"cannot be read: {error.strerror}", "give another folder") from error
    if links:
        problem = f"holds the link {links[0]!a}, which may lead to files elsewhere"
        raise ResultsError(folder, problem, "put the files themselves there, or give another folder")


def lock_folder(folder: Path, busy: str) -> TextIO:
    """Lock a folder, which is made if necessary. The lock lasts until the file is closed, or this process ends.

    Args:
        busy: a clause for the error if another process has the lock ("a sweep runs in it just now").

    Raises:
        ResultsError: another process has the lock, an entry of the folder is a link, or the folder cannot be written.
    """
    refuse_links(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        lock = open(os.open(folder / LOCK, flags, 0o666), "w", encoding="ascii")  # noqa: SIM115  (the caller's)
    except OSError as error:
        raise ResultsError(folder, f"cannot be written: {error.strerror}", "choose another folder") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise ResultsError(folder, busy, "wait for its end") from None
    return lock
