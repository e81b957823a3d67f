"""Results of runs that come as reports: into their places, with a record of how each run ended.

A run's folder is there when the run has ended, and whole: it is unpacked beside its place and renamed.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

from frrlib.results.layout import ResultsError, json_text
from frrlib.sweep.archive import unpack
from frrlib.sweep.job import Report
from frrlib.system import atomic_files, removal

OUTPUT, LOCK = "output.txt", ".lock"
#: How the names end that a run's folder has while it is written, and that an earlier try's has before it is removed.
_UNFINISHED = (".part", ".old")


@dataclass(frozen=True)
class Record:
    """The record of a run's end.

    Attributes:
        status: "finished" or "failed".
        failures: why, one sentence each.
        host: where it ran.
        seconds: how long it took.
        metrics: see `Report`.
        left_out: files of its results that could not be packed or unpacked, and why, one line a file.
    """

    status: str
    failures: tuple[str, ...] = ()
    host: str = ""
    seconds: float = 0.0
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


def store_results(place: Path, report: Report, record: str, said: Mapping[str, Any]) -> Report:
    """Put the results of a run in their place, and what an earlier try has left there away.

    Args:
        place: its folder.
        report: what came of it.
        record: name of the file in it that says how it ended ...
        said: ... and this besides.

    Returns:
        The report, with the files among `left_out` that could not be unpacked.

    Raises:
        ResultsError: it cannot be written.
    """
    part, old = (place.with_name(f".{place.name}{ending}") for ending in _UNFINISHED)
    try:
        for leftover in (part, old):
            removal.remove(leftover)
        part.mkdir(parents=True)
        if report.archive:
            report = replace(report, left_out=(*report.left_out, *unpack(io.BytesIO(report.archive), part)))
        if report.output.strip():
            (part / OUTPUT).write_text(report.output, encoding="utf-8")
        how = Record(
            report.status, report.failures, report.host, round(report.seconds, 3), report.metrics, report.left_out
        )
        atomic_files.replace(part / record, json_text({**said, **asdict(how)}))
        if place.exists():
            os.rename(place, old)
        os.rename(part, place)
        removal.remove(old)
    except OSError as error:
        raise ResultsError(place, f"cannot be written: {error.strerror}") from error
    return report


def read_record(place: Path, record: str) -> tuple[Record, Mapping[str, Any]] | None:
    """The record of a run's end, with all that it says; None for one that has not ended."""
    try:
        said = json.loads((place / record).read_text(encoding="utf-8"))
        how = Record(
            said["status"], tuple(said["failures"]), said["host"], said["seconds"], said["metrics"],
            tuple(said.get("left_out", ())),
        )  # fmt: skip
        return how, said
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remove_unfinished(runs: Path) -> None:
    """Remove what a run that was killed while its results were unpacked has left among its like."""
    for ending in _UNFINISHED:
        for leftover in runs.glob(f".*{ending}"):
            removal.remove(leftover)


def refuse_links(folder: Path) -> None:
    """Do nothing if no entry of a folder is a symbolic link, or there is no such folder.

    A folder that came from somebody else may have links to files of this user, which would be changed or removed in
    place of those of the folder.

    Raises:
        ResultsError: an entry is a link, or the folder cannot be read.
    """
    try:
        links = sorted(entry.name for entry in os.scandir(folder) if entry.is_symlink()) if folder.is_dir() else []
    except OSError as error:
        raise ResultsError(folder, f"cannot be read: {error.strerror}", "give another folder") from error
    if links:
        what = f"holds the link {links[0]!a}, which may lead to files elsewhere"
        raise ResultsError(folder, what, "put the files themselves there, or give another folder")


def lock_folder(folder: Path, busy: str) -> TextIO:
    """A lock on a folder, which is made if need be; it lasts until the file is closed, or this process ends.

    Args:
        busy: what is said where another process holds it, a clause ("a sweep runs in it just now").

    Raises:
        ResultsError: that; an entry of the folder is a link; or the folder cannot be written.
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
