"""A running lab gets other topologies, and equals a lab that was built from the last one."""

from __future__ import annotations

import json
import re
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal

import pytest

from frrlib import wire
from frrlib.errors import CommandFailed, LabFailed
from frrlib.formats import mn
from frrlib.lab.detached import join_lab
from frrlib.lab.lab import Lab
from frrlib.model.routing import Isis, IsisInterface, Rip, RipInterface, Ripng
from frrlib.model.topology import Topology
from frrlib.network.network import Bgp, BgpNeighbor, Network, Ospf, Shape, StaticRoute, end
from tests.changed_labs.observation import (
    Configurations,
    KernelState,
    configuration_differences,
    configurations,
    kernel_differences,
    kernel_state,
)
from tests.cli.commands import command_output, detached_lab
from tests.waiting import wait_for_lab

pytestmark = pytest.mark.lab

#: Ends by itself if the test does.
_PING = "ping -i 0.05 -w 300 h2 >/tmp/undisturbed 2>&1 & echo $!"


def small() -> Network:
    """h1 - r1 - r2 - h2, and h3 at r2."""
    net = Network("small")
    for name in ("r1", "r2"):
        net.router(name, ospf=Ospf(hello_s=1))
    for name in ("h1", "h2", "h3"):
        net.host(name)
    net.link("h1", "r1", id="a")
    net.link("r1", "r2", id="core", both=Shape(rate_mbit=50))
    net.link("h2", "r2", id="b")
    net.link("h3", "r2", id="c", both=Shape(rate_mbit=10))
    return net


def large(*, kept: tuple[str, ...] = ()) -> Topology:
    """h3 is gone; a router, two hosts, a bridge, their links and a BGP session are new; r2 has another setting.

    Args:
        kept: keep h3 and its link, with these commands of `tc`.
    """
    net = Network("large")
    net.router("r1", ospf=Ospf(hello_s=1), bgp=Bgp(asn=65001, neighbors=(session("10.9.0.3", 65003),)))
    # A setting of OSPF, such as its number of paths, would take all routes away for a moment.
    net.router("r2", ospf=Ospf(hello_s=1), static_routes=(StaticRoute(prefix="192.0.2.0/24", via="blackhole"),))
    net.router("r3", bgp=Bgp(asn=65003, neighbors=(session("10.9.0.1", 65001),)))
    for name in ("h1", "h2", *(("h3",) if kept else ())):
        net.host(name)
    net.host("h4", congestion_control="reno")
    net.host("h5", start_command="sleep 1000 >/dev/null 2>&1 & echo $! >/tmp/pid-of-h5")
    net.bridge("s1")
    net.link("h1", "r1", id="a")
    net.link("r1", "r2", id="core", both=Shape(rate_mbit=50))
    net.link("h2", "r2", id="b")
    net.link(end("r1", "10.9.0.1/24"), end("r3", "10.9.0.3/24"), id="d")
    net.link("s1", "r2", id="e", both=Shape(rate_mbit=20, shaper="htb"))
    for name in ("h4", "h5"):
        net.link(name, "s1", id=name)
    if kept:
        net.link("h3", "r2", id="c", a_to_b=Shape(qdiscs=kept))
    return net.topology


def session(address: str, remote_as: int) -> BgpNeighbor:
    return BgpNeighbor(address=ip_address(address), remote_as=remote_as)


def observed(lab: Lab) -> tuple[KernelState, Configurations]:
    """The state of the kernels, and the configurations of FRR."""
    return kernel_state(lab), configurations(lab)


def wait_until_like(lab: Lab, expected_state: KernelState, expected_configurations: Configurations) -> None:
    """Wait until a lab's kernels have this state, since routing needs some time; then compare the configurations."""
    wait_for_lab(
        lambda: kernel_state(lab) == expected_state, lambda: list(kernel_differences(kernel_state(lab), expected_state))
    )
    assert list(configuration_differences(configurations(lab), expected_configurations)) == []


def summarized(text: str) -> str:
    return text if "packets transmitted" in text else ""


def unanswered(lab: Lab, pid: str) -> list[int]:
    """Stop the pings, and return the numbers of those before the last reply that got none, however late."""
    lab["h1"].run("kill", "-INT", pid)
    text = wait_for_lab(lambda: summarized(lab["h1"].run("cat", "/tmp/undisturbed")), "the summary of the pings")
    replied = set(map(int, re.findall(r"bytes from .*icmp_seq=(\d+)", text)))
    assert len(replied) > 20
    return sorted(set(range(1, max(replied) + 1)) - replied)


def test_programs_of_one_lab_follow_each_others_changes(tmp_path: Path) -> None:
    topologies: list[Topology] = []
    with detached_lab(small().topology, tmp_path, "shared") as name, join_lab(name) as first:
        with join_lab(
            name, lambda message: topologies.append(second.drawn) if is_topology(message) else None
        ) as second:
            first.apply(large())
            wait_for_lab(lambda: topologies, "the topology")
            assert topologies == [first.drawn] and second.topology == first.topology
            assert second.apply(large(), dry_run=True) == ()
            # a change that was compared with the lab of an earlier time is refused
            second.revision -= 1
            with pytest.raises(LabFailed, match="another program has changed the lab in the meantime"):
                second.apply(small().topology)
            second.revision += 1
            second.apply(small().topology)
            wait_for_lab(lambda: first.drawn == second.drawn, "the topology of the other program")
        with join_lab(name) as later:
            assert later.drawn == first.drawn and later.apply(small().topology, dry_run=True) == ()
            later.apply(large())


def is_topology(message: wire.Message) -> bool:
    return isinstance(message, wire.TopologyEvent)


def test_a_lab_follows_a_topology_file_and_back_again_beside_a_flow(tmp_path: Path) -> None:
    file = tmp_path / "wanted.mn"
    file.write_text(mn.dumps(large()))
    with detached_lab(small().topology, tmp_path, "apply") as name:
        with join_lab(name) as lab:
            lab.wait_converged()
            ping = lab["h1"].run("sh", "-c", _PING).split()[0]
            at_start = observed(lab)
            drawn = lab.drawn
            with pytest.raises(LabFailed, match="shown folders change: cannot be followed"):
                lab.apply(large().model_copy(update={"shown_folders": ("/srv",)}))
            assert observed(lab) == at_start
            with pytest.raises(
                CommandFailed, match="root tbf rate 1mbit"
            ):  # h3's link is the last step but FRR's lines
                lab.apply(large(kept=("root tbf rate 1mbit",)))
            wait_until_like(lab, *at_start)
            assert lab.drawn == drawn

            report = json.loads(command_output("apply", name, file, "--dry-run", "--json", status=4))
            assert not report["made"] and {"remove", "add", "change"} == {
                entry["action"] for entry in report["changes"]
            }
            assert [str(change) for change in lab.apply(large())] == [entry["text"] for entry in report["changes"]]
            lab.wait_converged()  # the session of BGP, too
            assert lab.ping("h4", "h1")["received"] == 3
            assert lab["r1"].running_config().typed() == []
            with Lab(lab.drawn, place="namespace") as built:
                built.wait_converged()
                expected = observed(built)
            wait_until_like(lab, *expected)
            pid = lab["h5"].run("cat", "/tmp/pid-of-h5").strip()
        assert "nothing to do" in command_output("apply", name, file)
        file.write_text(mn.dumps(small().topology))
        assert "- remove router r3 (bgp)" in command_output("apply", name, file, status=4)
        with join_lab(name) as lab:
            assert lab.drawn.model_copy(update={"title": ""}) == drawn.model_copy(update={"title": ""})
            wait_until_like(lab, *at_start)
            assert lab.ask(wire.Execute("", ("kill", "-0", pid)))["status"] != 0
            assert unanswered(lab, ping) == []


def pair(address: str, *, isis: bool, split_horizon: Literal["on", "poison"], **protocols: Any) -> Topology:
    """Two routers, of which r2 has this address, and others at a bridge. RIP runs on both.

    Args:
        address: of r2.
        isis: whether IS-IS runs, too; it is passive at the bridge and at the loopback interfaces.
        split_horizon: at r1.
        protocols: of r1.
    """
    net = Network("pair")
    rip = Rip(update_s=5, interfaces=(RipInterface(interface="r1-eth0", split_horizon=split_horizon),))
    running = {"isis": Isis(interfaces=(IsisInterface(interface="r1-eth0", passive=True),))} if isis else {}
    net.router("r1", rip=rip, **running, **protocols)
    net.router("r2", rip=Rip(update_s=5, interfaces=()), **({"isis": Isis()} if isis else {}))
    net.bridge("s1")
    net.link(end("r1", "10.9.0.1/24"), "s1", id="a")
    net.link("s1", end("r2", address), id="b")
    return net.topology


def next_hop(lab: Lab) -> str:
    """The next hop of r1 towards the loopback interface of r2."""
    routes = json.loads(lab["r1"].run("ip", "-j", "route", "show", "10.255.0.2"))
    return str(routes[0]["gateway"]) if routes else ""


def test_routers_lose_protocols_addresses_and_failed_changes_without_a_trace() -> None:
    before = pair("10.9.0.2/24", isis=True, split_horizon="poison", bgp=Bgp(asn=65001))
    with Lab(before, place="namespace") as lab:
        wait_for_lab(lambda: next_hop(lab) == "10.9.0.2", lambda: lab["r1"].run("ip", "route"))
        # FRR rejects a line after ripngd has been started.
        lab["r1"].vtysh("configure terminal", "no router bgp 65001", "router bgp 65009")
        with pytest.raises(CommandFailed, match="no router bgp 65001"):
            lab.apply(pair("10.9.0.2/24", isis=True, split_horizon="poison", bgp=Bgp(asn=65002), ripng=Ripng()))
        assert lab.faults_now()["dead"] == []

        lab.apply(pair("10.9.0.7/24", isis=False, split_horizon="on", bgp=Bgp(asn=65001)))
        wait_for_lab(lambda: next_hop(lab) == "10.9.0.7", lambda: lab["r1"].run("ip", "route"))
        lines = lab["r1"].running_config().now
        assert "isis" not in lines and "split-horizon" not in lines
