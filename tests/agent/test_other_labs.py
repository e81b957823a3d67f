"""Other labs: a chain with OSPF, a script in Mininet's style, and plans that cannot be built."""

from __future__ import annotations

import json
import os
import shutil
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from frrlib import wire
from frrlib.place.base import SYSTEM_PACKAGES, Program
from frrlib.place.namespace import Namespace
from frrlib.wire import plan as wire_plan
from frrlib.wire.plan import LinkPlan, NodePlan, Plan
from tests.agent.harness import ROOT, RequestRefused, RunningAgent
from tests.agent.plans import host, interface, ospf, router, two_as
from tests.waiting import wait_for

pytestmark = pytest.mark.lab


def _chain() -> Plan:
    """r1 - r2 - r3 with OSPF, a loopback address at each end, and a server in the middle."""
    nodes = (
        router("r1", {"ospfd": ospf("lo", "r1-eth0")}, loopbacks=("10.255.0.1/32",), start_command="echo begun"),
        router(
            "r2",
            {"ospfd": ospf("r2-eth0", "r2-eth1")},
            start_command="sleep 60 & echo $! > /run/server.pid; wait",
            stop_command="cp /run/server.pid $LAB_WRITABLE/stopped",
            private_dirs=(wire_plan.PrivateDirPlan("/srv"),),
        ),
        router("r3", {"ospfd": ospf("lo", "r3-eth0")}, loopbacks=("10.255.0.3/32",)),
    )
    links = (
        LinkPlan("l1", interface("r1", 0, "10.0.1.1/30"), interface("r2", 0, "10.0.1.2/30")),
        LinkPlan("l2", interface("r2", 1, "10.0.2.1/30"), interface("r3", 0, "10.0.2.2/30")),
    )
    return Plan(nodes, links)


def test_chain_of_three_routers_finds_its_ends_by_ospf() -> None:
    with RunningAgent() as lab:
        built = lab.do(wire.Build(_chain()))
        assert built["qdiscs"] == {}
        assert built["versions"]["frr"] in lab.run("", "dpkg-query", "-W", "frr")
        lab.do(wire.WaitRoutes({"r1": ("10.255.0.3/32",), "r3": ("10.255.0.1/32",)}, 60.0))
        result = lab.do(wire.Ping("r1", "10.255.0.3", 1))
        assert result["ttl"] == [63]
        assert "sleep" in lab.run("", "ps", "-e", "-o", "comm")  # a process of a start command
        lab.run("r2", "touch", "/srv/mine")
        assert "mine" not in lab.run("r1", "ls", "/srv")
        steps = {(e.name, e.state) for e in lab.events if isinstance(e, wire.StepEvent)}
        names = ("nodes", "links", "addresses", "qdiscs", "daemons", "r2", "start commands")
        assert {(name, state) for name in names for state in ("start", "done")} <= steps
        lab.do(wire.Stop())
        assert (lab.folder / "logs" / "r1-start.log").read_text() == "begun\n"
        assert (lab.folder / "stopped").exists()


def test_lab_ends_with_its_wire() -> None:
    with RunningAgent() as lab:
        lab.do(wire.Build(two_as()))
        lab.hang_up()
        assert lab.wait_ended()


def test_orphans_are_collected() -> None:
    with RunningAgent() as lab:
        lab.run("", "sh", "-c", "(true & true &) ; exec true")
        wait_for(lambda: " Z" not in lab.run("", "ps", "-e", "-o", "comm,stat"), "somebody to collect them")


def _with_node(plan: Plan, name: str, **change: Any) -> Plan:
    nodes = tuple(msgspec.structs.replace(node, **change) if node.name == name else node for node in plan.nodes)
    return Plan(nodes, plan.links)


def _with_interface(change: dict[str, Any]) -> Plan:
    plan = two_as()
    first = plan.links[1]
    link = msgspec.structs.replace(first, a=msgspec.structs.replace(first.a, **change))
    return Plan(plan.nodes, (plan.links[0], link, plan.links[2]))


def _wrong_line() -> Plan:
    plan = two_as()
    frr = next(node.frr for node in plan.nodes if node.name == "r2")
    assert frr is not None
    wrong = "router bgp 65002\n neighbour 10.0.0.1 remote-as\nexit\n"
    # From FRR 10 on daemons get their part of frr.conf.
    files = {**frr.files, **{name: frr.files[name] + wrong for name in ("bgpd.conf", "frr.conf")}}
    return _with_node(plan, "r2", frr=wire_plan.FrrPlan(frr.daemons, files))


WRONG_TC = ("qdisc replace dev r1-eth1 root handle 1: bfifo limit 9000", "qdisc replace dev r1-eth1 root nonsense")


@pytest.mark.parametrize(
    ("plan", "kind", "message"),
    [
        (_with_interface({"tc": WRONG_TC}), "command", "`tc qdisc replace dev r1-eth1 root nonsense`"),
        (_with_interface({"addresses": ("10.0.0.1/24", "10.0.0.1/24")}), "lab", "r1: address 10.0.0.1/24 at r1-eth1"),
        (_with_interface({"node": "r9"}), "lab", "no node 'r9'"),
        (
            _with_node(two_as(), "h1", routes=(wire_plan.RoutePlan("0.0.0.0/0", "10.77.0.1"),)),
            "lab",
            "h1: route 0.0.0.0/0",
        ),
        (_with_node(two_as(), "h1", sysctls={"net.ipv4.nonsense": "1"}), "lab", "h1: the kernel has no setting"),
        (_with_node(two_as(), "h1", sysctls={"net.ipv4.ip_forward": "x"}), "lab", "h1: net.ipv4.ip_forward = x"),
        (_wrong_line(), "lab", "neighbour 10.0.0.1 remote-as"),
    ],
    ids=["tc", "address", "node", "route", "sysctl", "value", "frr.conf"],
)
def test_plans_that_cannot_be_built_are_refused_by_name(plan: Plan, kind: str, message: str) -> None:
    with RunningAgent() as lab:
        with pytest.raises(RequestRefused) as caught:
            lab.do(wire.Build(plan))
        failed = caught.value.failed
        assert (failed.kind, message) == (kind, message if message in failed.reason else failed.reason)


def test_a_start_command_that_fails_is_told_and_the_lab_goes_on() -> None:
    with RunningAgent() as lab:
        built = lab.do(wire.Build(_with_node(two_as(), "h1", start_command="echo oh; exit 3")))
        assert built["failed_commands"] == {"h1": "its start command ended with status 3: oh"}
        assert lab.do(wire.Ping("h1", "10.0.0.1", 1))["received"] == 1


def test_a_missing_start_command_is_reported_with_a_remedy() -> None:
    with RunningAgent() as lab:
        built = lab.do(wire.Build(_with_node(two_as(), "h1", start_command="connect.sh h1-eth0")))
        message = built["failed_commands"]["h1"]  # type: ignore[index,call-overload]
        assert "status 127" in message and "connect.sh: not found" in message
        assert message.endswith("enter a program of this machine, or the absolute path of a file beside the topology")


def test_requests_before_building_and_malformed_ones_are_answered() -> None:
    with RunningAgent() as lab:
        with pytest.raises(RequestRefused, match="not yet built"):
            lab.do(wire.Ping("h1", "10.0.0.1"))
        lab.habitat.wire.writer.write(b'{"id":77,"command":{"type":"dance"}}\n\nnot json\n')
        for number in (77, 0):
            with pytest.raises(RequestRefused, match="does not understand"):
                lab.answer(number)
        with pytest.raises(RequestRefused, match="no such program: nonsense") as caught:
            lab.run("", "nonsense")
        assert caught.value.failed.status == 127
        lab.do(wire.Build(Plan((host("h1"), NodePlan("c0", "controller")), ())))
        with pytest.raises(RequestRefused, match="already built"):
            lab.do(wire.Build(Plan((), ())))
        with pytest.raises(RequestRefused, match="this lab has no node 'h9'; it has c0, h1"):
            lab.run("h9", "true")
        assert lab.run("c0", "hostname") == "c0\n"


def test_network_can_be_used_like_mininet() -> None:
    folder = Path(tempfile.mkdtemp(prefix="frr-inside-", dir="/dev/shm"))
    os.chmod(folder, 0o777)
    site = (Path(sysconfig.get_path("purelib")), SYSTEM_PACKAGES)
    program = Program("tests.agent.mininet_script", ROOT, folder, site=site)
    try:
        with Namespace().start(program) as habitat:
            lines = b""
            while not lines.endswith(b"\n"):
                chunk = habitat.wire.reader.read(65536)
                assert chunk, habitat.console.read_text(errors="replace")[-3000:]
                lines += chunk
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    results = json.loads(lines)
    assert (results["ip"], results["names"]) == ("10.1.0.2", ["h1", "h2", "r1", "r2"])
    assert results["cmd"][0] == "h1" and "10.1.0.2/16" in results["cmd"]
    assert (results["popen"], results["pexec"], results["lost"]) == ("h1", "hostname r1", 0)
    assert results["links"] == ["r1-eth1<->r2-eth1"]
    assert results["description"] == "set by hand" and results["once"] == 1
    assert results["prompt"] == results["after"] == "r1#" and "Unknown command" in results["refused"]


@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_ordinary_user_has_the_same_lab(place: str, ordinary_user: Any) -> None:
    answer = ordinary_user.run([ordinary_user.python, "-m", "tests.agent.as_user", place], env={"TMPDIR": "/dev/shm"})
    assert answer.returncode == 0, answer.stderr
    # A namespace has only root, so FRR runs as root there.
    assert answer.stdout.split() == ["1", "root" if place == "namespace" else "frr"]
