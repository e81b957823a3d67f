"""Extras of a host besides its links: VLANs, private folders, a share of the CPU, a congestion control."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from frrlib import wire
from frrlib.wire import plan as wire_plan
from frrlib.wire.plan import CpuPlan, LinkPlan, NodePlan, Plan, PrivateDirPlan, VlanPlan
from tests.agent.harness import RequestRefused, RunningAgent
from tests.agent.plans import host, interface

pytestmark = pytest.mark.lab

#: Counts for half a second of CPU time or three seconds of the clock, whichever ends first, and prints their quotient.
#: Python's own start took CPU time before; on a busy machine that also slows a lab kernel's clock, all of it.
SPIN = """
import time
begin, spent = time.monotonic(), time.process_time()
while time.process_time() - spent < 0.5 and time.monotonic() - begin < 3:
    pass
print((time.process_time() - spent) / (time.monotonic() - begin))
"""


def pair(*, second: NodePlan | None = None, **settings: Any) -> Plan:
    """Two hosts on a wire; the first has these settings."""
    link = LinkPlan("l1", interface("h1", 0, "10.0.0.1/24"), interface("h2", 0, "10.0.0.2/24"))
    return Plan((host("h1", **settings), second or host("h2")), (link,))


@pytest.fixture(scope="module")
def lab() -> Iterator[RunningAgent]:
    plan = pair(
        private_dirs=(PrivateDirPlan("/run"), PrivateDirPlan("/srv", "h1/data"), PrivateDirPlan("/mnt")),
        sysctls={"net.ipv4.tcp_congestion_control": "reno"},
        cpu=CpuPlan(cores=(0,)),
    )
    with RunningAgent() as inside:
        inside.do(wire.Build(plan))
        yield inside


def test_a_kept_folder_is_outside_afterwards_and_a_temporary_one_is_not(lab: RunningAgent) -> None:
    for folder in ("/run", "/srv", "/mnt"):
        lab.run("h1", "sh", "-c", f"echo mine > {folder}/file")
        assert "file" not in lab.run("h2", "ls", folder)
    assert (lab.folder / "kept" / "h1" / "data" / "file").read_text() == "mine\n"
    assert [path.name for path in lab.folder.rglob("file")] == ["file"]


def test_default_congestion_control_is_the_hosts_own(lab: RunningAgent) -> None:
    of_h2 = lab.run("h2", "sysctl", "-n", "net.ipv4.tcp_congestion_control").strip()
    assert lab.run("h1", "sysctl", "-n", "net.ipv4.tcp_congestion_control").strip() == "reno" != of_h2


def test_what_runs_in_a_node_is_bound_to_its_cores(lab: RunningAgent) -> None:
    command = ("sh", "-c", "grep Cpus_allowed_list /proc/self/status")
    assert lab.run("h1", *command).split()[1] == "0"
    from_outside = lab.habitat.command(command, node="h1")
    assert from_outside.stdout.split()[1] == b"0", from_outside
    assert lab.run("h2", *command) == lab.run("", *command)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cpu": CpuPlan(cores=(4095,))}, "h1: cannot be pinned to the CPUs 4095"),
        ({"private_dirs": (PrivateDirPlan("/no-such-folder-here"),)}, "h1: no private folder at /no-such-folder-here"),
        ({"private_dirs": (PrivateDirPlan("/etc/passwd"),)}, "h1: no private folder at /etc/passwd"),
    ],
)
def test_settings_that_the_place_lacks_are_named(settings: dict[str, Any], message: str) -> None:
    with RunningAgent() as inside:
        with pytest.raises(RequestRefused) as caught:
            inside.do(wire.Build(pair(**settings)))
        assert caught.value.failed.kind == "lab"
        assert message in caught.value.failed.reason


@pytest.fixture(scope="module")
def kernel() -> Iterator[RunningAgent]:
    """In a lab kernel: the first host has a fifth of the CPU, both are on VLAN 7."""
    plan = pair(
        cpu=CpuPlan(percent=20.0, cores=(0,)),
        private_dirs=(PrivateDirPlan("/srv", "data"),),
        vlans=(VlanPlan("h1-eth0", 7, ("192.0.2.1/24",)),),
        second=host("h2", vlans=(VlanPlan("h2-eth0", 7, ("192.0.2.2/24",)),)),
    )
    with RunningAgent("labkernel") as inside:
        inside.do(wire.Build(plan))
        yield inside


def test_vlan_has_its_id_its_lower_interface_and_its_address(kernel: RunningAgent) -> None:
    (vlan,) = json.loads(kernel.run("h1", "ip", "-d", "-j", "link", "show", "h1-eth0.7"))
    assert vlan["link"] == "h1-eth0"
    assert (vlan["linkinfo"]["info_data"]["protocol"], vlan["linkinfo"]["info_data"]["id"]) == ("802.1Q", 7)
    assert kernel.do(wire.Ping("h1", "192.0.2.2", 1))["ttl"] == [64]


@pytest.mark.alone
def test_a_share_of_the_cpu_is_read_back_and_kept_to(kernel: RunningAgent) -> None:
    """The loop's own CPU time, as a share of the same kernel's clock."""
    assert kernel.run("", "cat", "/sys/fs/cgroup/h1/cpu.max").split() == ["20000", "100000"]
    assert float(kernel.run("h1", "python3", "-c", SPIN)) < 0.4
    statistics = dict(line.split() for line in kernel.run("", "cat", "/sys/fs/cgroup/h1/cpu.stat").splitlines())
    assert int(statistics["nr_throttled"]) > 0


def test_whatever_runs_in_the_node_is_in_its_group(kernel: RunningAgent) -> None:
    command = ("cat", "/proc/self/cgroup")
    assert kernel.run("h1", *command).strip() == "0::/h1"
    assert kernel.run("h2", *command).strip() == "0::/"
    from_outside = kernel.habitat.command(command, node="h1")
    assert from_outside.stdout.strip() == b"0::/h1", from_outside


def test_a_kept_folder_of_a_lab_kernel_is_outside_too(kernel: RunningAgent) -> None:
    kernel.run("h1", "sh", "-c", "echo kept > /srv/file")
    assert (kernel.folder / "kept" / "data" / "file").read_text() == "kept\n"


def test_no_link_has_one_index_at_both_ends(lab: RunningAgent, kernel: RunningAgent) -> None:
    """Otherwise the kernel would take up to a second to notice the link's carrier."""
    for inside in (lab, kernel):
        for node in ("h1", "h2"):
            links = [link for link in json.loads(inside.run(node, "ip", "-j", "link")) if "link_index" in link]
            assert links and all(link["ifindex"] != link["link_index"] for link in links)


def test_a_receiver_does_not_escape_its_share(kernel: RunningAgent) -> None:
    """Receivers have priority in a lab kernel, which no share of the processor limits; a limited one must not have
    it."""
    flows = (
        wire_plan.FlowPlan("limited", "h2", "h1", "10.0.0.1", 5201, 40001, "cubic", 0.0, 1.0),
        wire_plan.FlowPlan("free", "h1", "h2", "10.0.0.2", 5202, 40002, "cubic", 0.0, 1.0),
    )
    number = kernel.send(wire.RunFlows(flows))
    kernel.event(wire.FlowEvent, lambda event: event.what == "start" and event.flow == "free")
    output = kernel.run("", "ps", "-e", "-o", "cls=,args=")
    assert kernel.answer(number)["failures"] == {}
    classes = {line.split()[0] for line in output.splitlines() if "iperf3 -s" in line and "10.0.0.1" in line}
    assert classes == {"TS"}, output
