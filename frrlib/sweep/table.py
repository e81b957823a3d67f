"""The table of a sweep with one row per run, as CSV, and as Parquet if pyarrow is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from frrlib.results.layout import ResultsError
from frrlib.results.statistics.summary import load_summary
from frrlib.safe_text.spreadsheet import csv_text
from frrlib.sweep.columns import statistics
from frrlib.sweep.folder import SweepFolder
from frrlib.sweep.plan import SweepRun
from frrlib.system import atomic_files
from frrlib.variation.points import Cell

CSV, PARQUET = "table.csv", "table.parquet"
#: The status of a run that has not ended yet.
LEFT = "left"

Row = dict[str, Cell | None]


def rows_of(folder: SweepFolder, runs: Sequence[SweepRun]) -> list[Row]:
    """A row for each run, including failed and remaining ones; all rows have the same columns."""
    rows = [_row(folder, run) for run in runs]
    columns = dict.fromkeys(column for row in rows for column in row)
    return [{column: row.get(column) for column in columns} for row in rows]


def write_table(folder: SweepFolder, runs: Sequence[SweepRun]) -> Path:
    """Write the table, replacing an older one. Returns the path of the CSV file.

    Raises:
        ResultsError: it cannot be written.
    """
    rows = rows_of(folder, runs)
    columns = list(rows[0]) if rows else []
    path = folder.path / CSV
    try:
        atomic_files.replace(path, _csv_text(columns, rows))
        if importlib.util.find_spec("pyarrow") is not None:
            _write_parquet(folder.path / PARQUET, columns, rows)
    except OSError as error:
        raise ResultsError(folder.path, f"the table cannot be written: {error.strerror}") from error
    return path


def _csv_text(columns: Sequence[str], rows: Sequence[Row]) -> str:
    return csv_text([columns, *([row[column] for column in columns] for row in rows)])


def _row(folder: SweepFolder, run: SweepRun) -> Row:
    row: Row = {"name": run.name, "label": run.label, **run.cells, "repetition": run.repetition, "seed": run.seed}
    record = folder.record(run.name)
    if record is None:
        return row | {"status": LEFT, "failure": "", "host": "", "seconds": None}
    failure = record.failures[0] if record.failures else ""
    row |= {"status": record.status, "failure": failure, "host": record.host, "seconds": record.seconds}
    row |= record.metrics
    with suppress(ResultsError):  # a run may fail before anything is measured
        row |= statistics(load_summary(folder.run_folder(run.name)), run.topology)
    # A varied field keeps its value where a statistic has the same name, as a flow's congestion control.
    return {**row, **run.cells}


def _write_parquet(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    import pyarrow
    import pyarrow.parquet

    arrays = {column: pyarrow.array(_with_one_type([row[column] for row in rows])) for column in columns}
    with atomic_files.replaced(path) as temporary:
        pyarrow.parquet.write_table(pyarrow.table(arrays), temporary)


def _with_one_type(values: Sequence[Any]) -> list[Any]:
    """The values converted to one type: numbers to float, mixed values to text ("2", "none")."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    return [None if value is None else str(value) for value in values] if len(kinds) > 1 else list(values)
