"""Requests to a running lab from its menus, and its own events."""

from __future__ import annotations

from functools import partial

import pytest

from frrlib.model.topology import Topology
from miniedit_frr.session import requests
from miniedit_frr.session.events import LabState, LinkState, NodeState, PairRoundTrip, StepProgress
from miniedit_frr.session.requests import NodeCommandOutput
from tests.session.watching import Watch


@pytest.mark.lab
def test_a_lab_replies_to_all_requests_of_the_menus(running: Watch, topology: Topology) -> None:
    """All requests of the context menus, in one lab."""
    names = {node.name for node in topology.nodes}
    up = {event.node for event in running.events if isinstance(event, NodeState) and event.state == "up"}
    assert up == names
    links = {event.link for event in running.events if isinstance(event, LinkState) and event.state == "up"}
    assert links == {link.id for link in topology.links}
    assert [e.name for e in running.events if isinstance(e, StepProgress) and e.state == "done"][-1] == "build"

    session = running.session
    running.result(session.ask(lambda lab: lab.wait_routes()))
    pending = {
        "version": session.ask(lambda lab: lab["r1"].vtysh("show version")),
        "host": session.ask(partial(requests.execute, node="h1", argv=("hostname",))),
        "failing": session.ask(partial(requests.execute, node="h1", argv=("sh", "-c", "echo no >&2; exit 7"))),
        "routes": session.ask(partial(requests.routes, node="r1")),
        "interfaces": session.ask(partial(requests.interfaces, node="h1")),
        "ping": session.ask(lambda lab: lab.ping("h1", "h2")),
        "path": session.ask(partial(requests.paths, source="h1", destination="h2")),
        "queues": session.ask(partial(requests.queues, link=topology.links[1].id)),
        "matrix": session.ping_matrix(),
    }
    results = {name: running.result(number) for name, number in pending.items()}
    assert "FRRouting" in results["version"]
    assert results["host"] == NodeCommandOutput(0, "h1\n", "")
    assert results["failing"] == NodeCommandOutput(7, "", "no\n")
    assert {"dst": "10.1.0.0/16", "protocol": "bgp"}.items() <= next(
        route for route in results["routes"] if route["dst"] == "10.1.0.0/16"
    ).items()
    addresses = [address["local"] for port in results["interfaces"] for address in port["addr_info"]]
    assert "10.0.0.10" in addresses
    assert results["ping"]["received"] == 3
    forward, backward = results["path"]
    assert forward.branches() == [("h1", "r1", "r2", "h2")]
    assert backward.branches() == [("h2", "r2", "r1", "h1")]
    hops = running.result(session.ask(partial(requests.trace, path=forward)))
    assert [hop.node for hop in hops] == ["r1", "r2", "h2"]
    assert hops[-1].address == "10.1.0.10"
    ends = {end.node for end in topology.links[1].ends}
    assert {name.partition("-")[0] for name in results["queues"]} == ends
    assert all(queues[0]["packets"] >= 0 for queues in results["queues"].values())
    matrix = results["matrix"]
    assert len(matrix) == 6
    assert {pair for pair, rtt_ms in matrix.items() if rtt_ms is not None} == {("h1", "h2"), ("h2", "h1")}
    pairs = [event for event in running.events if isinstance(event, PairRoundTrip)]
    assert sorted((event.done, event.total) for event in pairs) == [(done, 6) for done in range(1, 7)]

    given_up = session.ping_matrix(sorted(names))
    given_up.drop()
    assert running.reply(given_up).error == "the request was canceled"
    assert running.reply(session.ask(partial(requests.execute, node="nobody", argv=("true",)))).error
    assert "nobody" in running.reply(session.ask(lambda lab: lab["nobody"].vtysh("show version"))).error
    assert (
        "h1 has no start command"
        in running.reply(session.ask(partial(requests.node_command, node="h1", which="start"))).error
    )


@pytest.mark.lab
def test_a_link_is_set_down_and_up(running: Watch, topology: Topology) -> None:
    session = running.session
    link = next(link for link in topology.links if {end.node for end in link.ends} == {"h1", "r1"})
    assert running.result(session.ask(lambda lab: lab.ping("h1", "r1", 1)))["received"] == 1
    running.result(session.set_link(link.id, up=False))
    assert LinkState(link.id, "down") in running.events
    states = {
        port["ifname"]: port["operstate"]
        for port in running.result(session.ask(partial(requests.interfaces, node="h1")))
    }
    assert states["h1-eth0"] != "UP"
    assert running.result(session.ping_matrix(["h1", "r1"])) == {("h1", "r1"): None, ("r1", "h1"): None}
    running.result(session.set_link(link.id, up=True))
    assert running.result(session.ask(lambda lab: lab.ping("h1", "r1", 1)))["received"] == 1
    assert "there is no link" in running.reply(session.ask(partial(requests.queues, link="l99"))).error


@pytest.mark.lab
def test_the_death_of_a_daemon_is_reported(running: Watch) -> None:
    running.result(running.session.ask(lambda lab: lab.kill_daemon("r2", "bgpd")))
    event = running.until(lambda event: isinstance(event, NodeState) and event.state == "failed")
    assert isinstance(event, NodeState)
    assert event.node == "r2"
    assert event.reason.startswith("bgpd was ended by SIGKILL")
    assert running.session.state is LabState.RUNNING
