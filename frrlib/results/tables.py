"""Reads sample tables as columns, as far as they go.

A table may end in the middle of a line (the run was killed, the disk was full), lack columns (an older version) or have
more (a newer one). All of that is read, and what was missing is said.
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

#: A table: column name to its values, all of one length. Numbers are float64 with NaN for "not known", text is str.
Columns = Mapping[str, npt.NDArray[Any]]

_CHUNK_ROWS = 50_000
#: No line of a table is longer; what goes on without an end of line is none.
_LONGEST_BYTES = 1 << 20
#: No run goes on for longer, in seconds: a time beyond that is none, or series over time would fill the memory.
LONGEST_S = 2e6
#: Nor is anything counted or measured that is larger: sums and squares of it are still numbers.
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
        columns: the columns that the result has at least; those missing in the file are filled with "not known".
        warnings: gets a sentence for each thing that is missing or unreadable.
        timed: whether a row without `time_s` means nothing and is left out.
        optional: columns that may be missing without a word.

    Returns:
        The columns asked for, then any further ones of the file, in order; numbers that cannot be read are NaN.
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
    if timed and not (known := np.isfinite(table["time_s"])).all():
        warnings.append(f"{name}: {np.count_nonzero(~known)} rows without a time are skipped")
        table = {column: values[known] for column, values in table.items()}
    for values in table.values():
        values.flags.writeable = False
    return table


class _Lines:
    """The whole lines of a file as text; `torn` says whether a line without an end was left over."""

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
    """The rows of a table; one without cells for a line that is none."""
    found = csv.reader(lines)
    while True:
        try:
            yield next(found)
        except StopIteration:
            return
        except csv.Error:
            yield []


def _read_chunks(rows: Iterable[list[str]], header: Sequence[str]) -> tuple[list[list[npt.NDArray[Any]]], int]:
    chunks, crooked, rows = [], 0, iter(rows)
    while block := list(islice(rows, _CHUNK_ROWS)):
        whole = [row for row in block if row and len(row) == len(header)]
        crooked += len(block) - len(whole)
        if whole:
            chunks.append([_column(name, cells) for name, cells in zip(header, zip(*whole, strict=True), strict=True)])
    return chunks, crooked


def _column(name: str, cells: Sequence[str]) -> npt.NDArray[Any]:
    if name in TEXT_COLUMNS:
        # whoever made the folder chose these words, and a terminal would obey control characters in them
        words = {cell: plain(text_of(cell) if cell.startswith("'") else cell) for cell in set(cells)}
        return np.array([words[cell] for cell in cells], dtype=np.str_)
    try:
        found = np.array([cell or "nan" for cell in cells], dtype=np.float64)
    except ValueError:
        found = np.array([_number(cell) for cell in cells], dtype=np.float64)
    found[np.abs(found) > (LONGEST_S if name == "time_s" else LARGEST)] = np.nan
    return found


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return np.nan


def _join(chunks: Sequence[Sequence[npt.NDArray[Any]]], header: Sequence[str], columns: Sequence[str]) -> Columns:
    names = (*columns, *(name for name in header if name not in columns))
    if not chunks:
        return empty(names)
    found = {name: np.concatenate(parts) for name, parts in zip(header, zip(*chunks, strict=True), strict=True)}
    rows = len(next(iter(found.values())))
    return {name: found[name] if name in found else _column(name, [""] * rows) for name in names}
