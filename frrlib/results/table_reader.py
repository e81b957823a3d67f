"""Reads sample tables as columns, even incomplete tables.

A table may end in the middle of a line (the run was killed, the disk was full), lack columns (an older version) or have
more (a newer version). It is read nevertheless, with a warning for each missing part.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from frrlib.results.layout import TEXT_COLUMNS
from frrlib.safe_text.plain import plain
from frrlib.safe_text.spreadsheet import text_of
from frrlib.system.untrusted_files import open_file

#: A table: the values of each column by its name, all of equal length. Numbers are float64 with NaN for unknown values,
#: texts are str.
Columns = Mapping[str, npt.NDArray[Any]]

_CHUNK_ROWS = 50_000
#: The maximum length of a line of a table.
_LONGEST_BYTES = 1 << 20
#: The longest duration of a run, in seconds. Later times are read as unknown: series over time would fill the memory.
LONGEST_S = 2e6
#: The largest count or measurement; sums and squares of it are still finite. Larger numbers are read as unknown.
LARGEST = 1e100


def empty(columns: Sequence[str]) -> Columns:
    """A table without rows."""
    return {name: _column(name, []) for name in columns}


def read_table(
    path: Path,
    columns: Sequence[str],
    warnings: list[str],
    *,
    timed: bool = True,
    optional: frozenset[str] = frozenset(),
) -> Columns:
    """Read a table.

    Args:
        path: the CSV file, with a line of column names.
        columns: the required columns; those missing in the file are filled with unknown values.
        warnings: a list to which a sentence is added for each thing that is missing or unreadable.
        timed: whether rows without `time_s` are skipped.
        optional: columns that may be missing without a warning.

    Returns:
        The required columns, then any further ones of the file, in order; numbers that cannot be read are NaN.
    """
    name = f"{path.parent.name}/{path.name}" if timed else path.name
    try:
        file = open_file(path)
    except OSError as error:
        warnings.append(f"{name} is missing ({error.strerror})")
        return empty(columns)
    with file:
        lines = _Lines(file)
        rows = _rows(lines)
        header = next(rows, [])
        chunks, crooked = _read_chunks(rows, header)
    if lines.torn:
        warnings.append(f"{name} ends in an incomplete line, which is skipped")
    if crooked:
        warnings.append(f"{name}: {crooked} unreadable lines are skipped")
    if missing := [column for column in columns if column not in header and column not in optional]:
        warnings.append(f"{name} has no column {', '.join(missing)}")
    table = _join(chunks, header, columns)
    if timed and not (has_time := np.isfinite(table["time_s"])).all():
        warnings.append(f"{name}: {np.count_nonzero(~has_time)} rows without a time are skipped")
        table = {column: values[has_time] for column, values in table.items()}
    for values in table.values():
        values.flags.writeable = False
    return table


class _Lines:
    """The complete lines of a file as text; `torn` is whether the file ends with an incomplete line."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.torn = False

    def __iter__(self) -> Iterator[str]:
        while line := self._file.readline(_LONGEST_BYTES):
            if not line.endswith(b"\n"):
                self.torn = True
                return
            yield line.decode("utf-8", "replace").replace("\0", "")


def _rows(lines: Iterable[str]) -> Iterator[list[str]]:
    """The rows of a table; an empty row for an invalid line."""
    reader = csv.reader(lines)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield []


def _read_chunks(rows: Iterable[list[str]], header: Sequence[str]) -> tuple[list[list[npt.NDArray[Any]]], int]:
    chunks, crooked, rows = [], 0, iter(rows)
    while block := list(islice(rows, _CHUNK_ROWS)):
        complete = [row for row in block if row and len(row) == len(header)]
        crooked += len(block) - len(complete)
        if complete:
            chunks.append(
                [_column(name, cells) for name, cells in zip(header, zip(*complete, strict=True), strict=True)]
            )
    return chunks, crooked


def _column(name: str, cells: Sequence[str]) -> npt.NDArray[Any]:
    if name in TEXT_COLUMNS:
        # The author of the folder chose these words, and a terminal would obey control characters in them.
        words = {cell: plain(text_of(cell) if cell.startswith("'") else cell) for cell in set(cells)}
        return np.array([words[cell] for cell in cells], dtype=np.str_)
    try:
        values = np.array([cell or "nan" for cell in cells], dtype=np.float64)
    except ValueError:
        values = np.array([_number(cell) for cell in cells], dtype=np.float64)
    values[np.abs(values) > (LONGEST_S if name == "time_s" else LARGEST)] = np.nan
    return values


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return np.nan


def _join(chunks: Sequence[Sequence[npt.NDArray[Any]]], header: Sequence[str], columns: Sequence[str]) -> Columns:
    names = (*columns, *(name for name in header if name not in columns))
    if not chunks:
        return empty(names)
    joined = {name: np.concatenate(parts) for name, parts in zip(header, zip(*chunks, strict=True), strict=True)}
    rows = len(next(iter(joined.values())))
    return {name: joined[name] if name in joined else _column(name, [""] * rows) for name in names}
