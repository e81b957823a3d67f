"""The events of routing in order: bursts of routes, repeated states, and the maximum length."""

from __future__ import annotations

import csv
import io

from miniedit_frr.live.messages import AdjacencyState, Incident, RouteChange
from miniedit_frr.live.timeline import BURST_GAP_S, RoutingTimeline, as_csv, lanes


def route(time_s: float, prefix: str, added: bool = True, router: str = "r1", protocol: str = "ospf") -> RouteChange:
    return RouteChange(router, prefix, added, time_s, (), protocol)


def neighbor(time_s: float, state: str, up: bool) -> AdjacencyState:
    return AdjacencyState("r1", "ospf", "r2", state, up, time_s, "r1-eth0", "10.9.0.2")


def test_routes_that_change_together_are_one_item_for_each_router() -> None:
    line = RoutingTimeline()
    line.route(route(1.0, "10.1.0.0/16"))
    line.route(route(1.1, "10.2.0.0/16"))
    line.route(route(1.1, "10.2.0.0/16", router="r2"))
    line.route(route(1.2, "10.3.0.0/16"), was_there=True)
    line.route(route(1.2 + BURST_GAP_S * 1.1, "10.1.0.0/16", added=False))
    first, second, last = line.items()
    assert (first.where, first.time_s, first.until_s, first.count) == ("r1", 1.0, 1.2, 3)
    assert first.text == "2 routes came (10.1.0.0/16, 10.2.0.0/16), 1 changed (10.3.0.0/16)"
    assert (second.where, second.text) == ("r2", "1 route came (10.2.0.0/16)")
    assert last.text == "1 route went (10.1.0.0/16)"


def test_a_prefix_that_flaps_in_a_burst_counts_by_its_last_change() -> None:
    line = RoutingTimeline()
    line.route(route(1.0, "10.1.0.0/16"))
    line.route(route(1.01, "10.1.0.0/16", added=False))
    (item,) = line.items()
    assert item.text == "1 route went (10.1.0.0/16)"
    assert item.count == 2


def test_a_burst_of_several_protocols_has_no_protocol() -> None:
    line = RoutingTimeline()
    line.route(route(1.0, "10.1.0.0/16"))
    assert line.items()[0].protocol == "ospf"
    line.route(route(1.0, "10.2.0.0/16", protocol="bgp"))
    assert line.items()[0].protocol == ""


def test_a_repeated_state_is_not_an_item() -> None:
    line = RoutingTimeline()
    line.adjacency(neighbor(1.0, "Init", False))
    line.adjacency(neighbor(2.0, "Full", True))
    line.adjacency(neighbor(3.0, "Full", True))
    line.adjacency(neighbor(4.0, "gone", False))
    assert [item.kind for item in line.items()] == ["adjacency-change", "adjacency-up", "adjacency-down"]
    assert line.items()[1].text == "OSPF neighbor r2 Full over r1-eth0"


def test_late_items_are_sorted_by_time() -> None:
    line = RoutingTimeline()
    line.incident(Incident("fault", "l4", "link down", 5.0))
    line.adjacency(neighbor(4.0, "Full", True))
    line.incident(Incident("daemon", "r1", "ospfd ended with status -9", 6.0))
    assert [item.kind for item in line.items()] == ["adjacency-up", "fault", "daemon"]
    assert [item.kind for item in line.items("ospf")] == ["adjacency-up", "daemon"]
    assert [item.kind for item in line.items(kinds=["fault"])] == ["fault"]
    assert lanes(line.items(), "where") == ["l4", "r1"]
    assert lanes(line.items(), "protocol") == ["Daemon died", "Fault", "OSPF"]


def test_lanes_are_in_natural_order() -> None:
    line = RoutingTimeline()
    for name in ("r10", "r9", "h1"):
        line.incident(Incident("note", f"{name}:ospfd", "spf", 1.0))
    assert lanes(line.items(), "where") == ["h1", "r9", "r10"]


def test_the_timeline_has_a_maximum_length() -> None:
    line = RoutingTimeline(most=10)
    for index in range(25):
        line.incident(Incident("note", "r1", str(index), float(index)))
    line.route(route(30.0, "10.1.0.0/16"))
    assert len(line) == 10
    assert line.dropped == 16
    assert [item.text for item in line.items()][:2] == ["16", "17"]
    for index in range(20):  # a burst whose item is gone begins a new one
        line.incident(Incident("note", "r1", str(index), 30.0))
    line.route(route(30.1, "10.2.0.0/16"))
    assert line.items()[-1].text == "1 route came (10.2.0.0/16)"


def test_items_are_exported_as_csv() -> None:
    line = RoutingTimeline()
    line.incident(Incident("fault", "l4", "link down, by hand", 5.0))
    (row,) = csv.DictReader(io.StringIO(as_csv(line.items(), 2.0)))
    assert (row["time_s"], row["kind"], row["where"], row["text"]) == ("3.000000", "fault", "l4", "link down, by hand")
