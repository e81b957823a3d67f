"""Open vSwitch in a lab, compared with the output of ovs-vsctl, ovs-ofctl and ping."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from ipaddress import ip_interface
from itertools import pairwise

import msgspec
import pytest

from frrlib import wire
from frrlib.addressing.addressing import addressed
from frrlib.checks.check import refuse_errors
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Controller, Host, Node, Switch
from frrlib.model.topology import Netflow, OpenFlowVersions, Preferences, Sflow, Topology
from frrlib.render.plan import plan
from frrlib.wire import plan as wire_plan
from tests.agent.harness import RequestRefused, RunningAgent

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(not shutil.which("ovs-vsctl", path="/usr/bin"), reason="Open vSwitch is not installed"),
]
TESTER = shutil.which("ovs-testcontroller", path="/usr/bin")

PLAIN = Shape()
VERSIONS = OpenFlowVersions(of10=True, of13=True)
PREFERENCES = Preferences(
    openflow=VERSIONS,
    dpctl="6640",
    sflow=Sflow(target="127.0.0.1:6343", sampling="10", header="64", polling="5"),
    netflow=Netflow(target="127.0.0.1:5566", active_timeout="7", add_id_to_interface=True),
)


def topology(*added: Node, preferences: Preferences = PREFERENCES, shape: Shape = PLAIN, **s1: object) -> Topology:
    """h1 - s1 - h2."""
    nodes = (Host(name="h1"), Host(name="h2"), Switch(name="s1", **s1), *added)  # type: ignore[arg-type]
    links = tuple(
        Link(
            id=f"l{number}",
            a=End(node=f"h{number}", addresses=(ip_interface(f"10.0.0.{number}/24"),)),
            b=End(node="s1"),
            b_to_a=shape,
        )
        for number in (1, 2)
    )
    return Topology(nodes=nodes, links=links, preferences=preferences)


def build(lab: RunningAgent, drawing: Topology) -> dict[str, object]:
    refuse_errors(drawing)
    return lab.do(wire.Build(plan(addressed(drawing))))


def goodput(lab: RunningAgent) -> float:
    """TCP's throughput through the switch in a second; zero if checksums are missing."""
    flow = wire_plan.FlowPlan("f", "h1", "h2", "10.0.0.2", 5201, 40001, "cubic", 0.0, 1.0)
    report = lab.do(wire.RunFlows((flow,)))
    assert report["failures"] == {}
    return float(report["flows"]["f"]["end"]["sum_received"]["bits_per_second"])


@pytest.fixture(scope="module")
def alone() -> Iterator[RunningAgent]:
    """A switch without a controller and with all other settings, at 20 Mbit/s towards each host."""
    with RunningAgent() as lab:
        lab.built = build(  # type: ignore[attr-defined]
            lab,
            topology(dpid="00:ab", sflow=True, netflow=True, shape=Shape(rate_mbit=20, queue_packets=50)),
        )
        yield lab


def test_a_switch_without_a_controller_is_a_bridge(alone: RunningAgent) -> None:
    assert alone.do(wire.Ping("h1", "10.0.0.2", 2))["received"] == 2
    assert alone.run("s1", "ovs-vsctl", "get-fail-mode", "s1").strip() == "standalone"
    assert alone.run("", "ovs-vsctl", "get-controller", "s1").split() == ["ptcp:6640"]


def test_the_switch_has_its_settings(alone: RunningAgent) -> None:
    features = alone.run("s1", "ovs-ofctl", "-O", "OpenFlow13", "show", "s1")
    assert "dpid:00000000000000ab" in features and "(OF1.3)" in features
    assert "OFPT_FEATURES_REPLY" in alone.run("s1", "ovs-ofctl", "-O", "OpenFlow10", "show", "s1")
    refused = alone.do(wire.Execute("s1", ("ovs-ofctl", "-O", "OpenFlow12", "show", "s1")))
    assert refused["status"] and "version negotiation failed" in refused["stderr"]
    assert sorted(re.findall(r"^ (\d+)\((\S+)\)", features, re.M)) == [("1", "s1-eth1"), ("2", "s1-eth2")]


def test_it_listens_for_ofctl(alone: RunningAgent) -> None:
    assert "dpid:00000000000000ab" in alone.run("", "ovs-ofctl", "-O", "OpenFlow13", "show", "tcp:127.0.0.1:6640")


def test_flows_are_told_to_collectors(alone: RunningAgent) -> None:
    (sflow,) = _rows(alone, "sflow")
    settings = {"targets": "127.0.0.1:6343", "sampling": 10, "header": 64, "polling": 5}
    assert {key: sflow[key] for key in settings} == settings
    (netflow,) = _rows(alone, "netflow")
    settings = {"targets": "127.0.0.1:5566", "active_timeout": 7, "add_id_to_interface": True}
    assert {key: netflow[key] for key in settings} == settings
    (bridge,) = _rows(alone, "bridge")
    assert (bridge["sflow"], bridge["netflow"]) == (sflow["_uuid"], netflow["_uuid"])


#: Prints the first number of the first datagram that arrives at a port within 15 s.
HEAR = """
import socket, struct, sys
heard = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
heard.bind(("127.0.0.1", int(sys.argv[1])))
heard.settimeout(15)
print(struct.unpack(sys.argv[2], heard.recv(2048)[:struct.calcsize(sys.argv[2])])[0])
"""


def test_a_collector_receives_flows(alone: RunningAgent) -> None:
    """sFlow datagrams have version 5."""
    number = alone.send(wire.Execute("s1", ("python3", "-c", HEAR, "6343", ">I")))
    alone.do(wire.Ping("h1", "10.0.0.2", 100, 0.005))
    assert alone.answer(number)["stdout"].split() == ["5"]


def _rows(lab: RunningAgent, table: str) -> list[dict[str, object]]:
    table_data = json.loads(lab.run("", "ovs-vsctl", "-f", "json", "list", table))
    return [dict(zip(table_data["headings"], row, strict=True)) for row in table_data["data"]]


def test_queues_of_a_switch_stay_as_planned(alone: RunningAgent) -> None:
    for port in ("s1-eth1", "s1-eth2"):
        kinds = {qdisc["kind"] for qdisc in json.loads(alone.run("s1", "tc", "-j", "qdisc", "show", "dev", port))}
        assert kinds == {"tbf", "pfifo"}
    assert 10e6 < goodput(alone) < 20e6


def test_terminals_find_the_switch_without_options(alone: RunningAgent) -> None:
    for node in ("", "s1"):
        command = alone.habitat.command(["ovs-vsctl", "show"], node=node)
        assert command.status == 0 and b"Bridge s1" in command.stdout, command
    assert "standalone" in alone.run("", "ovs-vsctl", "list", "bridge", "s1")


def test_ovs_appctl_reaches_the_daemon(alone: RunningAgent) -> None:
    alone.do(wire.Ping("h1", "10.0.0.2", 1))
    learnt = alone.run("s1", "ovs-appctl", "fdb/show", "s1").splitlines()[1:]
    assert {line.split()[0] for line in learnt} == {"1", "2"}


def test_a_port_can_lose_carrier_and_get_it_back(alone: RunningAgent) -> None:
    alone.do(wire.SetLink("l1", False))
    assert alone.do(wire.Ping("h2", "10.0.0.1", 1, timeout_s=0.3))["received"] == 0
    alone.do(wire.SetLink("l1", True))
    assert alone.do(wire.Ping("h2", "10.0.0.1", 1, timeout_s=10.0))["received"] == 1


def test_an_orderly_end_keeps_the_log(alone: RunningAgent) -> None:
    alone.do(wire.Stop())
    assert alone.wait_ended()
    assert (alone.folder / "logs" / "ovs-vswitchd.log").stat().st_size > 0


@pytest.mark.skipif(not TESTER, reason="no learning controller is installed")
@pytest.mark.parametrize(
    ("place", "protocol", "versions"),
    [
        ("namespace", "tcp", OpenFlowVersions()),
        ("namespace", "ssl", OpenFlowVersions(of10=False, of13=True)),
        ("labkernel", "tcp", OpenFlowVersions()),
    ],
    ids=["namespace", "ssl-of13", "labkernel"],
)
def test_a_controller_of_the_labs_own_makes_flows(place: str, protocol: str, versions: OpenFlowVersions) -> None:
    c0 = Controller(name="c0", controller_type="ovsc", protocol=protocol)  # type: ignore[arg-type]
    with RunningAgent(place) as lab:
        built = build(lab, topology(c0, controllers=("c0",), preferences=Preferences(openflow=versions)))
        assert built["warnings"] == []
        (controller,) = _rows(lab, "controller")
        assert controller["target"] == f"{protocol}:127.0.0.1:6633"
        assert lab.run("s1", "ovs-vsctl", "get-fail-mode", "s1").strip() == "secure"
        assert lab.do(wire.Ping("h1", "10.0.0.2", 3, 0.05))["received"] == 3
        version = "OpenFlow13" if versions.of13 else "OpenFlow10"
        flows = lab.run("s1", "ovs-ofctl", "-O", version, "dump-flows", "s1")
        assert "nw_dst=10.0.0.2" in flows or "dl_dst=" in flows
        pid = lab.run("c0", "pidof", "ovs-testcontroller").strip()
        lab.run("", "kill", pid)
        died = lab.event(wire.DaemonExit, lambda _: True)
        assert (died.router, died.daemon) == ("c0", "ovs-testcontroller")


def test_a_remote_controller_that_is_not_there_is_told_and_nothing_passes() -> None:
    with RunningAgent() as lab:
        remote = Controller(name="c0", controller_type="remote", port=6653)
        built = build(lab, topology(remote, controllers=("c0",), preferences=Preferences()))
        (warning,) = built["warnings"]  # type: ignore[misc]
        assert warning.startswith("c0: no controller answers at tcp:127.0.0.1:6653")
        assert built["failed_commands"] == {}
        assert lab.do(wire.Ping("h1", "10.0.0.2", 1, timeout_s=0.3))["received"] == 0
        lab.run("s1", "ovs-ofctl", "add-flow", "s1", "actions=normal")
        assert lab.do(wire.Ping("h1", "10.0.0.2", 1))["received"] == 1


@pytest.mark.skipif(not TESTER, reason="no learning controller is installed")
def test_a_controller_needs_no_switch() -> None:
    with RunningAgent() as lab:
        build(lab, Topology(nodes=(Host(name="h1", number=1), Controller(name="c0", port=6653))))
        assert lab.run("c0", "pidof", "ovs-testcontroller").strip()


@pytest.mark.skipif(not TESTER, reason="no learning controller is installed")
def test_a_remote_controller_may_run_in_the_lab() -> None:
    command = "ovs-testcontroller ptcp:6653"
    with RunningAgent() as lab:
        remote = Controller(name="c0", controller_type="remote", port=6653, start_command=command)
        built = build(lab, topology(remote, controllers=("c0",), preferences=Preferences()))
        assert built["failed_commands"] == {} and built["warnings"] == []
        assert lab.do(wire.Ping("h1", "10.0.0.2", 1))["received"] == 1


@pytest.mark.skipif(not TESTER, reason="no learning controller is installed")
def test_an_in_band_controller_is_reached_through_the_network_that_it_controls() -> None:
    """It runs on a host. The switch has an address of its own, which requires the lab kernel's datapath here."""
    with RunningAgent("labkernel") as lab:
        remote = Controller(name="c0", controller_type="inband", address="10.0.0.1", port=6653)
        drawing = topology(remote, controllers=("c0",), management_address="10.0.0.100/24", preferences=Preferences())
        h1, *further = drawing.nodes
        h1 = h1.model_copy(update={"start_command": "ovs-testcontroller ptcp:6653"})
        built = build(lab, drawing.model_copy(update={"nodes": (h1, *further)}))
        assert built["failed_commands"] == {} and built["warnings"] == []
        assert lab.do(wire.Ping("h1", "10.0.0.100", 1))["received"] == 1
        assert lab.do(wire.Ping("h1", "10.0.0.2", 1))["received"] == 1
        assert "10.0.0.100" in lab.run("h1", "ss", "-tn", "sport", "=", ":6653")


def test_missing_ports_are_named() -> None:
    lab_plan = plan(addressed(topology()))
    switch = next(node for node in lab_plan.nodes if node.name == "s1")
    assert switch.switch is not None
    wrong = wire_plan.SwitchPlan((*switch.switch.ovs, ("add-port", "s1", "nowhere")))
    nodes = tuple(node if node is not switch else _with_switch(node, wrong) for node in lab_plan.nodes)
    with RunningAgent() as lab, pytest.raises(RequestRefused) as caught:
        lab.do(wire.Build(wire_plan.Plan(nodes, lab_plan.links)))
    assert "nowhere" in caught.value.failed.reason


def _with_switch(node: wire_plan.NodePlan, switch: wire_plan.SwitchPlan) -> wire_plan.NodePlan:
    return msgspec.structs.replace(node, switch=switch)


@pytest.mark.skipif(not TESTER, reason="no learning controller is installed")
def test_a_controller_serves_more_switches_than_one_program() -> None:
    """A chain of 17 switches: Open vSwitch's test controller serves 16."""
    names = [f"s{number}" for number in range(1, 18)]
    ends = [("h1", "s1"), *pairwise(names), ("s17", "h2")]
    links = tuple(Link(id=f"l{n}", a=End(node=a), b=End(node=b)) for n, (a, b) in enumerate(ends))
    switches = tuple(Switch(name=name, controllers=("c0",)) for name in names)
    with RunningAgent() as lab:
        chain = Topology(nodes=(Host(name="h1"), Host(name="h2"), *switches, Controller(name="c0")), links=links)
        build(lab, chain)
        (address,) = next(end.addresses for _, end in addressed(chain).ends_at("h2"))
        assert lab.do(wire.Ping("h1", str(address.ip), 3, 0.1))["received"] == 3
        targets = [row["target"] for row in _rows(lab, "controller")]
        assert (targets.count("tcp:127.0.0.1:6633"), targets.count("tcp:127.0.0.2:6633")) == (16, 1)


@pytest.mark.skipif(not TESTER, reason="no learning controller is installed")
def test_two_controllers_with_one_port_both_serve() -> None:
    first, second = Controller(name="c0", controller_type="ovsc"), Controller(name="c1", controller_type="ovsc")
    with RunningAgent() as lab:
        build(lab, topology(first, second, controllers=("c1", "c0"), preferences=Preferences()))
        assert sorted(row["target"] for row in _rows(lab, "controller")) == ["tcp:127.0.0.1:6633", "tcp:127.0.0.2:6633"]
        assert lab.do(wire.Ping("h1", "10.0.0.2", 1))["received"] == 1
