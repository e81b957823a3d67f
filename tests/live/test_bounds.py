"""A lab may name whatever it likes, as often as it likes: a window keeps no more of it than its limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from frrlib import wire
from frrlib.results.layout import FlowInfo
from miniedit_frr.live import samples
from miniedit_frr.live.samples import LiveRun, Marker


def _row(table: str, name: str, time_s: float) -> list[Any]:
    words = {"side": "sender", "congestion_control": "cubic"}
    columns = wire.TABLES[table]
    return [
        time_s if column == "time_s" else words.get(column, name) if column in wire.TEXT_COLUMNS else 1
        for column in columns
    ]


def test_names_without_end_are_bounded_and_what_was_planned_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "MOST_FLOWS", 10)
    monkeypatch.setattr(samples, "MOST_NAMES", 20)
    run = LiveRun([FlowInfo(id="planned")])
    for number in range(100):
        for table in wire.TABLES:
            run.take(table, [_row(table, f"n{number}", float(number)), _row(table, "x" * 201, float(number))])
        run.flow_told(f"n{number}", "end", 1.0)
        run.rate_told(f"l{number}", (5.0, ""), 1.0)
        run.rate_told("l0", (float(number), ""), 1.0)
    run.take("tcp", [_row("tcp", "planned", 200.0), _row("tcp", "n3", 200.0), _row("tcp", "n50", 200.0)])
    assert list(run.flows) == ["planned", *(f"n{number}" for number in range(10))]
    assert len(run.flows["planned"].sender) == 1 and len(run.flows["n3"].sender) == 2
    assert list(run.queues) == list(run.cpu) == [f"n{number}" for number in range(20)]
    assert len(run.interfaces) == 20
    assert run.course("l0:a-b").rates_mbit[-1] == 99 and run.course("l19:a-b").rates_mbit[-1] == 5
    assert np.isnan(run.course("l50:a-b").rates_mbit).all()


def test_marks_without_end_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    run = LiveRun()
    for number in range(3 * samples.MOST_MARKS):
        run.mark(Marker(float(number), "fault", ""))
    marks = run.markers(0.0, 1e9)
    assert len(marks) == samples.MOST_MARKS and marks[-1].time_s == 3 * samples.MOST_MARKS - 1
