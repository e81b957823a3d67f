"""Drops: whether the samples of a queue end with the same count as the kernel's own counter."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.results.records import Results
from frrlib.results.series import queue_directions, series
from frrlib.results.verdict.finding import Finding
from frrlib.results.verdict.path_validity import is_replaced

_RIGHT = "check whether queue.csv is complete, and whether the machine was too busy for the last samples"


def findings(results: Results) -> Iterator[Finding]:
    """A finding for every sampled queue that no fault has replaced, because a new queue counts from 0."""
    for direction, rows in queue_directions(results).items():
        counts = series(rows, "drops")[1]
        if direction not in results.info.queue_drops or not counts.size or is_replaced(results, direction):
            continue
        low, high = results.info.queue_drops[direction]
        sampled = float(counts[-1])
        message = ""
        if not low <= sampled <= high:
            message = f"the samples of {direction} end with {sampled:.0f} drops, and the kernel counted {high}"
        yield Finding(
            what="drops", subject=direction, configured=float(high), measured=sampled, unit="packets", low=float(low),
            high=float(high), severity="doubt" if message else "ok", message=message, remedy=_RIGHT if message else "",
        )  # fmt: skip
