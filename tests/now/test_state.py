"""The lines about the state of an object in a running lab."""

from __future__ import annotations

import math

import pytest

from miniedit_frr.live.loads import LinkLoad
from miniedit_frr.live.messages import AdjacencyState
from miniedit_frr.live.route_book import TableRoute, TableRow
from miniedit_frr.now import state
from tests.live.replay import DATA, replay_run


@pytest.mark.parametrize(
    ("rate", "limit", "text"),
    [(0.1951, 10.0, "0.2 of 10 Mbit/s"), (0.0008, 100.0, "0 of 100 Mbit/s"), (0.03, 0.1, "0.03 of 0.1 Mbit/s"),
     (956.4, 1000.0, "956 of 1000 Mbit/s")],
)  # fmt: skip
def test_a_rate_and_its_limit_have_one_unit(rate: float, limit: float, text: str) -> None:
    assert state.direction_lines("r1 → r2", LinkLoad(rate, limit_mbit=limit), [])[0].text == text


def test_a_direction_shows_its_rate_and_its_queue() -> None:
    load = LinkLoad(9.5, limit_mbit=10.0, backlog_bytes=25_000, fill=0.5, delay_ms=20.0, drops=2.0)
    rate, queue = state.direction_lines("r1 → r2", load, [1.0, 2.0])
    assert (rate.name, rate.text, rate.share, rate.most) == ("r1 → r2", "9.5 of 10 Mbit/s", 0.95, 10.0)
    assert (queue.text, queue.share) == ("queue 25 kB, 20 ms, 2 drops/s", 0.5)
    assert [line.text for line in state.direction_lines("r1 → r2", None, [])] == ["…"]
    assert len(state.direction_lines("r1 → r2", LinkLoad(3.0), [])) == 1  # a plain cable has no queue to speak of


def test_an_interface_has_one_unit_for_both_directions() -> None:
    assert state.interface_line("to r2", LinkLoad(0.7), 0.01, []).text == "↑ 700  ↓ 10 kbit/s"
    assert state.interface_line("to r2", LinkLoad(0.00001), 12.0, []).text == "↑ 0  ↓ 12 Mbit/s"


def test_routes_are_counted_by_protocol_and_learned_routes_are_listed() -> None:
    table = {
        TableRow("10.0.0.0/24"): TableRoute(("r1-eth0",), "kernel"),
        TableRow("10.1.0.0/24"): TableRoute(("10.0.0.2 r1-eth0", "10.9.0.2 r1-eth1"), "ospf"),
        TableRow("10.2.0.0/24"): TableRoute(("10.0.0.2 r1-eth0",), "ospf"),
    }
    texts = [(line.name.strip(), line.text) for line in state.route_lines(table, most=1)]
    assert texts == [
        ("Routes", "3: 2 OSPF, 1 connected"),
        ("10.1.0.0/24", "via 10.0.0.2 r1-eth0 and 1 more"),
        ("", "and 1 more"),
    ]


def test_a_neighbor_line_names_the_reporting_router_if_both_ends_report() -> None:
    adjacency = AdjacencyState("r1", "bgp", "r2", "Established", True, 0.0)
    line = state.adjacency_line(adjacency, "8 s", both_ends=True)
    assert (line.name, line.text, line.grade) == ("BGP r1 → r2", "Established for 8 s", "up")
    assert state.adjacency_line(adjacency, "8 s", both_ends=False).name == "BGP r2"


def test_the_lab_lists_its_busiest_links_first() -> None:
    loads = [("a", LinkLoad(1.0, 10.0)), ("b", LinkLoad(9.0, 10.0)), ("c", LinkLoad(0.0, 10.0)), ("d", LinkLoad(5.0))]
    lines = state.lab_lines({"h1": "up", "r1": "failed"}, {"ospf": (1, 2, "coming")}, loads)
    assert [line.name for line in lines] == ["Nodes", "OSPF", "b", "a", "d"]
    assert (lines[0].text, lines[0].grade) == ("1 of 2 up", "down")
    assert [line.share for line in lines[2:]] == [0.9, 0.1, None]


def test_a_flow_shows_the_state_of_its_sender() -> None:
    """Held against the samples themselves, as the stored run has them."""
    run, results = replay_run(DATA / "results-v2")
    name, flow = next((name, flow) for name, flow in run.flows.items() if len(flow.sender))
    lines = {line.name: line for line in state.flow_lines(flow, run.newest_s, is_over=True)}
    is_sender = (results.tcp["flow"] == name) & (results.tcp["side"] == "sender")
    assert lines["cwnd"].text == f"{results.tcp['cwnd_packets'][is_sender][-1]:.3g} packets"
    assert lines["State"].text == "finished"
    assert all(rate >= 0 and not math.isnan(rate) for rate in lines["Throughput"].curve)
