"""The timeline of a finished run, from a results folder written by `results`."""

from __future__ import annotations

from pathlib import Path

from frrlib import wire
from frrlib.formats import mn
from frrlib.results.writer import Writer
from miniedit_frr.routing_view.finished_run import timeline, timeline_of, titles_of
from tests.examples.data import two_as_bgp


def test_a_stored_timeline_equals_the_live_one(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with Writer.create(folder, "", {}, title="a run") as writer:
        for message in (
            wire.AdjacencyEvent("r1", "ospf", "r2", "Full", True, 100.0, "r1-eth0", "10.9.0.2", "dead in 3 s"),
            wire.RouteEvent("r1", "10.1.0.0/16", True, 100.1, ("10.9.0.2 r1-eth0", "10.9.1.2 r1-eth1"), "ospf", 20),
            wire.FaultEvent("link-down", "l2", 105.0, "r1 to r2 without carrier"),
            wire.AdjacencyEvent("r1", "ospf", "r2", "gone", False, 105.01, "r1-eth0", "10.9.0.2"),
            wire.RoutingNote("r1", "ospf", "spf", "shortest paths, run 6", 105.02, 0.0003),
            wire.RouteEvent("r1", "10.1.0.0/16", True, 105.1, ("10.9.1.2 r1-eth1",), "ospf", 30),
            wire.RouteEvent("r1", "10.2.0.0/16", False, 105.1),
            wire.DaemonExit("r2", "ospfd", -9, "", 106.0),
        ):
            writer.add(message)
    stored, zero_s = timeline_of(folder)
    items = stored.items()
    assert zero_s == 100.0
    assert [(item.kind, item.where, round(item.time_s - zero_s, 3)) for item in items] == [
        ("adjacency-up", "r1", 0.0), ("routes", "r1", 0.1), ("fault", "l2", 5.0), ("adjacency-down", "r1", 5.01),
        ("note", "r1", 5.02), ("routes", "r1", 5.1), ("daemon", "r2", 6.0),
    ]  # fmt: skip
    assert items[0].text == "OSPF neighbor r2 Full over r1-eth0"
    assert (items[1].protocol, items[1].text) == ("ospf", "1 route came (10.1.0.0/16)")
    assert items[2].text == "r1 to r2 without carrier"
    assert (items[4].protocol, items[4].text) == ("ospf", "shortest paths, run 6 (took 0.3 ms)")
    assert items[5].text == "1 route changed (10.1.0.0/16), 1 went (10.2.0.0/16)"
    assert items[6].text == "ospfd ended with status -9"


def test_a_run_without_events_has_an_empty_timeline() -> None:
    assert timeline([]).items() == []


def test_links_have_the_names_of_their_nodes(tmp_path: Path) -> None:
    for name, text, expected in (("run", mn.dumps(two_as_bgp()), ["r1 to r2", "r1"]), ("broken", "{", ["l2", "r1"])):
        with Writer.create(tmp_path / name, text, {}, title="a run"):
            pass
        titles = titles_of(tmp_path / name)
        assert [titles("l2"), titles("r1")] == expected
