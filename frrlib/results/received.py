"""The part of a run's data that its lab sends, and its limits.

The files that a lab writes itself are limited by `place.bounds`. Samples, events, logs and steps are written by this
program, as fast as a lab sends them: without limits a lab could fill the disk and the memory in this way.
"""

from __future__ import annotations

import errno
import io
import time
from collections.abc import Iterable, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from frrlib.results.layout import StepInfo
from frrlib.safe_text.spreadsheet import csv_text
from frrlib.wire.events import StepEvent

#: Limits of all samples, events and logs that a lab sends, in bytes, and of the number of logs of daemons that died.
MOST_BYTES, MOST_DEATHS = 16 << 30, 10_000
#: The number of steps that are kept. Up to `_AT_ONCE` steps each is worth writing at once, later only every `_WRITE_S`.
MOST_STEPS, _AT_ONCE, _WRITE_S = 50_000, 1000, 0.5


class DataLimits:
    """The amount of data that a lab has sent."""

    def __init__(self) -> None:
        self._bytes = self._deaths = 0

    def count(self, more_bytes: int) -> None:
        """Count samples, events or a log. Raises OSError when all of them are more than `MOST_BYTES`."""
        self._bytes += more_bytes
        if self._bytes > MOST_BYTES:
            raise OSError(errno.EFBIG, f"the lab has sent more than {MOST_BYTES >> 20} MiB")

    def count_death(self, log: str) -> None:
        """Count the death of a daemon with its log. Raises OSError when there are too many, or as `count`."""
        self._deaths += 1
        if self._deaths > MOST_DEATHS:
            raise OSError(errno.EFBIG, f"the lab has reported the end of more than {MOST_DEATHS} daemons")
        self.count(len(log))


class RunSteps:
    """The steps of a run: the latest state and the duration of each."""

    def __init__(self) -> None:
        self._infos: dict[str, StepInfo] = {}
        self._began: dict[str, float] = {}
        self._written_s = 0.0

    @property
    def infos(self) -> tuple[StepInfo, ...]:
        """The steps, in the order of their starts."""
        return tuple(self._infos.values())

    def add(self, step: StepEvent) -> bool:
        """Record a step's new state. Returns whether the steps should be written to the file now."""
        if step.name not in self._infos and len(self._infos) >= MOST_STEPS:
            return False
        seconds = None
        if step.state == "start":
            self._began[step.name] = step.time_s
        elif step.name in self._began and isfinite(took_s := step.time_s - self._began[step.name]):
            seconds = took_s
        self._infos[step.name] = StepInfo(name=step.name, state=step.state, seconds=seconds)
        now_s = time.monotonic()
        if len(self._infos) > _AT_ONCE and now_s - self._written_s < _WRITE_S:
            return False
        self._written_s = now_s
        return True


def start_csv(path: Path, columns: Sequence[str]) -> io.FileIO:
    """Create a table with its line of column names. Raises OSError."""
    file = io.FileIO(path, "x")
    write_rows(file, [columns])
    return file


def write_rows(file: io.FileIO, rows: Iterable[Sequence[Any]]) -> int:
    """Append all rows or none: None becomes an empty cell, True and False become 1 and 0.

    Returns:
        The number of bytes.

    Raises:
        OSError: they could not be written; the file is unchanged.
    """
    start, remaining = file.tell(), memoryview(csv_text(rows).encode())
    size_bytes = len(remaining)
    try:
        while remaining:  # a disk that becomes full accepts a part first
            remaining = remaining[file.write(remaining) :]
    except OSError:
        file.truncate(start)
        raise
    return size_bytes
