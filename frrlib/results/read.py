"""Opens a results folder, even an incomplete one."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from frrlib import wire
from frrlib.results import layout
from frrlib.results.intact import drop_impossible_rows
from frrlib.results.layout import ResultsError, RunInfo, Status
from frrlib.results.records import Event, Results
from frrlib.results.table_reader import LONGEST_S, Columns, empty, read_table
from frrlib.results.writer import is_being_written


def open_results(folder: Path) -> Results:
    """Open a results folder. Missing and damaged parts are listed in `warnings`; all others are read.

    Raises:
        ResultsError: there are no results, or their format is newer than this program supports.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ResultsError(folder, "is not a folder" if folder.exists() else "does not exist")
    if not layout.is_results_folder(folder):
        raise ResultsError(folder, f"contains no results: it has neither {layout.RUN} nor samples")
    warnings: list[str] = []
    going_on = is_being_written(folder)
    info = _read_info(folder, warnings)
    status: Status = "killed" if info.status == "running" and not going_on else info.status
    if status == "killed":
        warnings.append("the run did not end in order: it was killed, or its machine stopped")

    tables: dict[str, Any] = {name: _read_samples(folder, name, warnings) for name in wire.TABLES}
    results = Results(
        folder=folder,
        info=info,
        status=status,
        topology_text=_read_topology(folder, warnings),
        **tables,
        events=_read_events(folder, info.zero_time_s, warnings),
        warnings=tuple(warnings),
    )
    return drop_impossible_rows(results)


def read_info(folder: Path) -> RunInfo:
    """The contents of a folder's `run.json`, without the samples; the defaults if it cannot be read.

    Raises:
        ResultsError: its format is newer than this program supports.
    """
    return _read_info(folder, [])


def _read_info(folder: Path, warnings: list[str]) -> RunInfo:
    try:
        # The author of the topology chose the names in it. The names in samples are made plain in the same way.
        content = layout.read_json(folder / layout.RUN, plain=True)
        version = content["format_version"]
    except (OSError, ValueError, TypeError, KeyError):
        warnings.append(f"{layout.RUN} is missing or cannot be read")
        return RunInfo()
    if not isinstance(version, int) or version > layout.FORMAT_VERSION:
        raise ResultsError(
            folder,
            f"has format {version}, but this program supports formats up to {layout.FORMAT_VERSION}",
            "open it with a newer miniedit-frr",
        )
    return _valid_parts(content, warnings)


def _valid_parts(content: dict[str, Any], warnings: list[str]) -> RunInfo:
    """The valid parts of `run.json`; an invalid part gets its default."""
    while True:
        try:
            return RunInfo.model_validate(content)
        except ValidationError as error:
            wrong = sorted({str(detail["loc"][0]) for detail in error.errors()})
            warnings.append(f"{layout.RUN}: {', '.join(wrong)} have values that are not valid, and are ignored")
            content = {key: value for key, value in content.items() if key not in wrong}


def _read_topology(folder: Path, warnings: list[str]) -> str:
    try:
        return layout.read_bytes(folder / layout.TOPOLOGY).decode("utf-8", "surrogateescape")
    except OSError as error:
        warnings.append(f"{layout.TOPOLOGY} is missing ({error.strerror})")
        return ""


def _read_samples(folder: Path, table: str, warnings: list[str]) -> Columns:
    path, columns = layout.table_path(folder, table), wire.TABLES[table]
    if table in layout.LATER_TABLES and not path.exists():
        return empty(columns)
    return read_table(path, columns, warnings, optional=layout.LATER_COLUMNS.get(table, frozenset()))


def _read_events(folder: Path, zero_time_s: float | None, warnings: list[str]) -> tuple[Event, ...]:
    path = folder / layout.EVENTS
    table = read_table(path, layout.EVENT_COLUMNS, warnings, timed=False, optional=layout.LATER_EVENT_COLUMNS)
    columns = [table[name].tolist() for name in layout.EVENT_COLUMNS]
    events = (Event(*row) for row in zip(*columns, strict=True))
    if zero_time_s is None:
        return tuple(events)
    return tuple(_with_time(event, zero_time_s) for event in events)


def _with_time(event: Event, zero_time_s: float) -> Event:
    # A step has the clock of the process that takes it, which may be outside the lab.
    if math.isnan(event.time_s) and event.kind != "step":
        time_s = event.lab_time_s - zero_time_s
        return replace(event, time_s=time_s) if abs(time_s) <= LONGEST_S else event
    return event
