"""A stored run, replayed as a lab sends it, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from frrlib import wire
from frrlib.results.read import open_results
from frrlib.results.records import Results
from miniedit_frr.live.samples import LiveRun
from miniedit_frr.live.stored import _rows

DATA = Path(__file__).resolve().parents[1] / "data"
#: The time between two batches of a sampler.
BATCH_S = 0.15


def batches(results: Results) -> Iterator[tuple[str, list[Any]]]:
    """The tables and rows of a run, in the order in which a lab sends them."""
    tables = {name: list(_rows(getattr(results, name), wire.TABLES[name])) for name in wire.TABLES}
    end_s = max(rows[-1][0] for rows in tables.values() if rows)
    at_s = -1.0
    while at_s <= end_s:
        for name, rows in tables.items():
            due = [row for row in rows if at_s <= row[0] < at_s + BATCH_S]
            if due:
                yield name, due
        at_s += BATCH_S


def replay_run(folder: Path, *, is_over: bool = True) -> tuple[LiveRun, Results]:
    """Replay a stored run batch by batch. Returns the run and its results."""
    results = open_results(folder)
    run = LiveRun(results.info.flows, results.info.queues, results.info.title)
    for table, rows in batches(results):
        run.take(table, rows)
    for event in results.events:
        if event.kind == "flow":
            run.add_flow_event(event.subject, event.what, event.time_s)
    run.is_over = is_over
    return run, results
