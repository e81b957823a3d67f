"""Faults that are planned beside flows: their times, their results, and the end of a lab meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from frrlib import wire
from frrlib.wire.plan import FaultPlan, FlowPlan, TcPlan
from tests.agent.harness import RequestRefused, RunningAgent
from tests.agent.plans import TWO_AS_ROUTES, two_as

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def lab() -> Iterator[RunningAgent]:
    """h1 - r1 - r2 - h2 with BGP, on the running kernel."""
    with RunningAgent() as inside:
        inside.do(wire.Build(two_as()))
        inside.do(wire.WaitRoutes(TWO_AS_ROUTES, 30.0))
        yield inside


def test_planned_faults_begin_and_end_at_their_times(lab: RunningAgent) -> None:
    dead = TcPlan("r1", ("qdisc replace dev r1-eth1 root handle 66: blackhole",))
    alive = TcPlan("r1", ("qdisc delete dev r1-eth1 root",))
    faults = (
        FaultPlan("loss", "l2", 0.5, 0.4, "loss-over", links=("l2",), tc=(dead,), tc_back=(alive,)),
        FaultPlan("link-down", "l9", 0.6, links=("l9",)),
        FaultPlan("daemon-stopped", "r2:bgpd", 1.2, 0.3, "daemon-continued", node="r2", daemon="bgpd"),
        FaultPlan("frozen", "h1", 3600.0, node="h1"),
    )
    flow = FlowPlan("f", "h1", "h2", "10.2.0.2", 5201, 40001, "cubic", 0.0, 3.0)
    result = lab.do(wire.RunFlows((flow,), faults=faults))
    done, wrong, stopped, never = result["faults"]
    assert (done, stopped, never) == ({}, {}, None)
    assert "link-down l9: this lab has no link 'l9'" in wrong["error"]
    reported = [
        (event.fault, event.time_s - result["zero_time_s"])
        for event in lab.events
        if isinstance(event, wire.FaultEvent)
    ]
    assert [name for name, _ in reported] == ["loss", "loss-over", "daemon-stopped", "daemon-continued"]
    # never before their time; the delay depends on the machine
    assert all(at_s >= planned for (_, at_s), planned in zip(reported, (0.5, 0.9, 1.2, 1.5), strict=True))
    assert lab.run("r1", "tc", "qdisc", "show", "dev", "r1-eth1").startswith("qdisc noqueue")
    received = [row["bytes_received"] for row in lab.rows("tcp") if row["side"] == "receiver" and row["bytes_received"]]
    assert received[-1] > received[0]


def test_links_of_a_frozen_node_change_and_a_wrong_line_is_named(lab: RunningAgent) -> None:
    def limit(packets: str) -> TcPlan:
        return TcPlan("r1", (f"qdisc replace dev r1-eth1 root handle 66: pfifo limit {packets}",))

    faults = (
        FaultPlan("frozen", "r1", 0.2, 1.0, "thawed", node="r1"),
        FaultPlan("link-values", "l2", 0.4, links=("l2",), tc=(limit("7"),)),
        FaultPlan("link-values", "l2", 0.41, links=("l2",), tc=(limit("many"),)),
        FaultPlan("link-values", "l2", 0.42, links=("l2",), tc=(limit("9"),)),
    )
    count = len(lab.events)
    result = lab.do(
        wire.RunFlows((FlowPlan("f", "h1", "h2", "10.2.0.2", 5202, 40002, "cubic", 0.0, 2.0),), faults=faults)
    )
    _, first, wrong, last = result["faults"]
    assert first == {}  # the next change comes too soon for a read-back
    assert "tc qdisc replace dev r1-eth1 root handle 66: pfifo limit many" in wrong["error"]
    (qdisc,) = [item for item in last["qdiscs"]["r1"] if item["dev"] == "r1-eth1"]
    assert (qdisc["kind"], qdisc["options"]["limit"]) == ("pfifo", 9)
    reported = [item.fault for item in lab.events[count:] if isinstance(item, wire.FaultEvent)]
    assert reported == ["frozen", "link-values", "link-values", "thawed"]
    lab.run("r1", "tc", "qdisc", "delete", "dev", "r1-eth1", "root")
    running = [line.split()[0] for line in lab.do(wire.Execute("", ("ps", "-eo", "comm")))["stdout"].splitlines()]
    assert "tc" not in running


def test_older_requests_about_daemons_are_faults_too(lab: RunningAgent) -> None:
    count = len(lab.events)
    lab.do(wire.KillDaemon("r1", "bgpd", 19))
    assert lab.do(wire.AskFaults())["stopped"] == ["r1:bgpd"]
    lab.do(wire.KillDaemon("r1", "bgpd", 18))
    lab.do(wire.SetLink("l2", up=False))
    assert lab.do(wire.AskFaults())["links_down"] == ["l2"]
    lab.do(wire.SetLink("l2", up=True))
    faults = [event.fault for event in lab.events[count:] if isinstance(event, wire.FaultEvent)]
    assert faults == ["daemon-stopped", "daemon-continued", "link-down", "link-up"]
    with pytest.raises(RequestRefused, match="does not run nonsense"):
        lab.do(wire.KillDaemon("r1", "nonsense", 19))
