"""A finished run in the form of a live one, from its results folder."""

from __future__ import annotations

import math
from pathlib import Path

from frrlib import wire
from frrlib.model.faults import CLEARING
from frrlib.results.layout import TEXT_COLUMNS
from frrlib.results.queue_limits import new_limits
from frrlib.results.rates import new_rate
from frrlib.results.read import open_results
from frrlib.results.records import Event, Results
from frrlib.results.table_reader import Columns
from miniedit_frr.live.samples import LiveRun, Marker


def run_of(folder: Path) -> LiveRun:
    """The whole run in a results folder. Raises ResultsError if the folder contains none."""
    return run_of_results(open_results(folder))


def run_of_results(results: Results) -> LiveRun:
    """The whole run of opened results."""
    info = results.info
    run = LiveRun(info.flows, info.queues, info.title, most_rows=0)
    for table in wire.TABLES:
        run.take(table, _rows(getattr(results, table), wire.TABLES[table]))
    for event in results.events:
        _take(run, event)
    run.is_over = True
    return run


def _rows(columns: Columns, names: tuple[str, ...]) -> list[tuple[object, ...]]:
    """A table's rows as in the messages of a lab."""
    cells = [columns[name].tolist() for name in names]
    values_of = [
        values if name in TEXT_COLUMNS else [None if math.isnan(value) else value for value in values]
        for name, values in zip(names, cells, strict=True)
    ]
    return list(zip(*values_of, strict=True))


def _take(run: LiveRun, event: Event) -> None:
    if math.isnan(event.time_s):
        return
    match event.kind:
        case "flow":
            run.add_flow_event(event.subject, event.what, event.time_s)
        case "fault":
            if new := new_rate(event):
                run.add_rate(event.subject, new, event.time_s)
            run.add_limits(event.subject, new_limits(event), event.time_s)
            kind = "rate" if new else "cleared" if event.what in CLEARING else "fault"
            run.mark(Marker(event.time_s, kind, event.text or f"{event.subject} {event.what}".replace("-", " ")))
        case "route":
            words = "has" if event.what == "added" else "loses"
            run.mark(Marker(event.time_s, "route", f"{event.subject} {words} {event.text}"))
        case "daemon":
            run.mark(Marker(event.time_s, "daemon", f"{event.subject}: {event.text} {event.what}"))
