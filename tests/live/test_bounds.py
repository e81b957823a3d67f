"""A lab may report any number of names; the models store no more than their limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from frrlib import wire
from frrlib.results.layout import FlowInfo
from miniedit_frr.live import adjacencies, route_book, samples, timeline
from miniedit_frr.live.adjacencies import LiveAdjacencies
from miniedit_frr.live.messages import AdjacencyState, RouteChange
from miniedit_frr.live.route_book import RouteBook
from miniedit_frr.live.samples import LiveRun, Marker
from miniedit_frr.live.timeline import RoutingTimeline


def _row(table: str, name: str, time_s: float) -> list[Any]:
    words = {"side": "sender", "congestion_control": "cubic"}
    columns = wire.TABLES[table]
    return [
        time_s if column == "time_s" else words.get(column, name) if column in wire.TEXT_COLUMNS else 1
        for column in columns
    ]


def test_unplanned_names_are_limited_and_planned_flows_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "MOST_FLOWS", 10)
    monkeypatch.setattr(samples, "MOST_NAMES", 20)
    run = LiveRun([FlowInfo(id="planned")])
    for number in range(100):
        for table in wire.TABLES:
            run.take(table, [_row(table, f"n{number}", float(number)), _row(table, "x" * 201, float(number))])
        run.add_flow_event(f"n{number}", "end", 1.0)
        run.add_rate(f"l{number}", (5.0, ""), 1.0)
        run.add_rate("l0", (float(number), ""), 1.0)
    run.take("tcp", [_row("tcp", "planned", 200.0), _row("tcp", "n3", 200.0), _row("tcp", "n50", 200.0)])
    assert list(run.flows) == ["planned", *(f"n{number}" for number in range(10))]
    assert len(run.flows["planned"].sender) == 1 and len(run.flows["n3"].sender) == 2
    assert list(run.queues) == list(run.cpu) == [f"n{number}" for number in range(20)]
    assert len(run.interfaces) == 20
    assert run.course("l0:a-b").rates_mbit[-1] == 99 and run.course("l19:a-b").rates_mbit[-1] == 5
    assert np.isnan(run.course("l50:a-b").rates_mbit).all()


def test_the_number_of_marks_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    run = LiveRun()
    for number in range(3 * samples.MOST_MARKS):
        run.mark(Marker(float(number), "fault", ""))
    marks = run.markers(0.0, 1e9)
    assert len(marks) == samples.MOST_MARKS and marks[-1].time_s == 3 * samples.MOST_MARKS - 1


def test_the_numbers_of_neighbors_and_routes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adjacencies, "MOST_NEIGHBORS", 10)
    monkeypatch.setattr(timeline, "_MOST_KNOWN", 10)
    monkeypatch.setattr(route_book, "MOST_ROWS", 10)
    monkeypatch.setattr(route_book, "MOST_ROUTERS", 3)
    neighbors, items, book = LiveAdjacencies(), RoutingTimeline(most=50), RouteBook(["r1"])
    for number in range(100):
        report = AdjacencyState(f"r{number}", "ospf", "r0", "Full", True, float(number))
        neighbors.take(report)
        items.adjacency(report)
        for router in ("r1", f"x{number}"):
            change = RouteChange(router, f"10.0.{number}.0/24", True, float(number), ("10.9.0.1 eth0",), "ospf")
            book.take(change)
            items.route(change)
    assert len(neighbors) == 10 and len(items) == 50
    assert len(items._states) == len(items._bursts) == 10
    assert sum(len(table) for table in book._tables.values()) == 10 and list(book._tables) == ["r1", "x0", "x1"]
    repeated = RouteChange("r1", "10.0.0.0/24", False, 200.0)
    book.take(repeated)
    assert sum(len(table) for table in book._tables.values()) == 9  # a known route still changes
