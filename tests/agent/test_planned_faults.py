"""Faults that are planned beside flows: when they come, what they answer, and what a lab says that ends meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from frrlib import wire
from frrlib.wire.plan import FaultPlan, FlowPlan, TcPlan
from tests.agent.harness import Inside, Refused
from tests.agent.plans import TWO_AS_ROUTES, two_as

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def lab() -> Iterator[Inside]:
    """h1 - r1 - r2 - h2 with BGP, on the kernel that runs here."""
    with Inside() as inside:
        inside.do(wire.Build(two_as()))
        inside.do(wire.WaitRoutes(TWO_AS_ROUTES, 30.0))
        yield inside


def test_planned_faults_come_at_their_times_and_end_at_theirs(lab: Inside) -> None:
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
    made, wrong, stopped, never = result["faults"]
    assert (made, stopped, never) == ({}, {}, None)
    assert "link-down l9: this lab has no link 'l9'" in wrong["error"]
    told = [
        (each.fault, each.time_s - result["zero_time_s"]) for each in lab.events if isinstance(each, wire.FaultEvent)
    ]
    assert [name for name, _ in told] == ["loss", "loss-over", "daemon-stopped", "daemon-continued"]
    # never before their time; how long after, the machine says
    assert all(at_s >= planned for (_, at_s), planned in zip(told, (0.5, 0.9, 1.2, 1.5), strict=True))
    assert lab.run("r1", "tc", "qdisc", "show", "dev", "r1-eth1").startswith("qdisc noqueue")
    received = [row["bytes_received"] for row in lab.rows("tcp") if row["side"] == "receiver" and row["bytes_received"]]
    assert received[-1] > received[0]


def test_a_frozen_nodes_links_change_all_the_same_and_a_wrong_line_is_named(lab: Inside) -> None:
    def limit(packets: str) -> TcPlan:
        return TcPlan("r1", (f"qdisc replace dev r1-eth1 root handle 66: pfifo limit {packets}",))

    faults = (
        FaultPlan("frozen", "r1", 0.2, 1.0, "thawed", node="r1"),
        FaultPlan("link-values", "l2", 0.4, links=("l2",), tc=(limit("7"),)),
        FaultPlan("link-values", "l2", 0.41, links=("l2",), tc=(limit("many"),)),
        FaultPlan("link-values", "l2", 0.42, links=("l2",), tc=(limit("9"),)),
    )
    before = len(lab.events)
    result = lab.do(
        wire.RunFlows((FlowPlan("f", "h1", "h2", "10.2.0.2", 5202, 40002, "cubic", 0.0, 2.0),), faults=faults)
    )
    _, first, wrong, last = result["faults"]
    assert first == {}  # the next one comes too soon for a read-back
    assert "tc qdisc replace dev r1-eth1 root handle 66: pfifo limit many" in wrong["error"]
    (there,) = [each for each in last["qdiscs"]["r1"] if each["dev"] == "r1-eth1"]
    assert (there["kind"], there["options"]["limit"]) == ("pfifo", 9)
    told = [each.fault for each in lab.events[before:] if isinstance(each, wire.FaultEvent)]
    assert told == ["frozen", "link-values", "link-values", "thawed"]
    lab.run("r1", "tc", "qdisc", "delete", "dev", "r1-eth1", "root")
    running = [line.split()[0] for line in lab.do(wire.Execute("", ("ps", "-eo", "comm")))["stdout"].splitlines()]
    assert "tc" not in running


def test_what_is_asked_of_a_daemon_in_the_old_way_is_a_fault_too(lab: Inside) -> None:
    before = len(lab.events)
    lab.do(wire.KillDaemon("r1", "bgpd", 19))
    assert lab.do(wire.AskFaults())["stopped"] == ["r1:bgpd"]
    lab.do(wire.KillDaemon("r1", "bgpd", 18))
    lab.do(wire.SetLink("l2", up=False))
    assert lab.do(wire.AskFaults())["links_down"] == ["l2"]
    lab.do(wire.SetLink("l2", up=True))
    faults = [each.fault for each in lab.events[before:] if isinstance(each, wire.FaultEvent)]
    assert faults == ["daemon-stopped", "daemon-continued", "link-down", "link-up"]
    with pytest.raises(Refused, match="does not run nonsense"):
        lab.do(wire.KillDaemon("r1", "nonsense", 19))
