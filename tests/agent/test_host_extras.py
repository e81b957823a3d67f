"""What a host may have beside its links: VLANs, folders of its own, a share of the CPU, a congestion control."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from frrlib import wire
from frrlib.wire import plan as wire_plan
from frrlib.wire.plan import CpuPlan, LinkPlan, NodePlan, Plan, PrivateDirPlan, VlanPlan
from tests.agent.harness import Inside, Refused
from tests.agent.plans import host, interface

pytestmark = pytest.mark.lab

#: Counts for half a second of CPU time or three seconds of the clock, whichever is first, and prints their quotient.
#: Python's own start took CPU time before; on a busy machine, to which a lab kernel's clock owes its time, all of it.
SPIN = """
import time
begin, spent = time.monotonic(), time.process_time()
while time.process_time() - spent < 0.5 and time.monotonic() - begin < 3:
    pass
print((time.process_time() - spent) / (time.monotonic() - begin))
"""


def pair(*, other: NodePlan | None = None, **more: Any) -> Plan:
    """Two hosts on a wire; the first is as told."""
    link = LinkPlan("l1", interface("h1", 0, "10.0.0.1/24"), interface("h2", 0, "10.0.0.2/24"))
    return Plan((host("h1", **more), other or host("h2")), (link,))


@pytest.fixture(scope="module")
def lab() -> Iterator[Inside]:
    plan = pair(
        private_dirs=(PrivateDirPlan("/run"), PrivateDirPlan("/srv", "h1/data"), PrivateDirPlan("/mnt")),
        sysctls={"net.ipv4.tcp_congestion_control": "reno"},
        cpu=CpuPlan(cores=(0,)),
    )
    with Inside() as inside:
        inside.do(wire.Build(plan))
        yield inside


def test_a_kept_folder_is_outside_afterwards_and_a_temporary_one_is_not(lab: Inside) -> None:
    for folder in ("/run", "/srv", "/mnt"):
        lab.run("h1", "sh", "-c", f"echo mine > {folder}/file")
        assert "file" not in lab.run("h2", "ls", folder)
    assert (lab.folder / "kept" / "h1" / "data" / "file").read_text() == "mine\n"
    assert [path.name for path in lab.folder.rglob("file")] == ["file"]


def test_default_congestion_control_is_the_hosts_own(lab: Inside) -> None:
    other = lab.run("h2", "sysctl", "-n", "net.ipv4.tcp_congestion_control").strip()
    assert lab.run("h1", "sysctl", "-n", "net.ipv4.tcp_congestion_control").strip() == "reno" != other


def test_what_runs_in_a_node_is_bound_to_its_cores(lab: Inside) -> None:
    asked = ("sh", "-c", "grep Cpus_allowed_list /proc/self/status")
    assert lab.run("h1", *asked).split()[1] == "0"
    from_outside = lab.habitat.command(asked, node="h1")
    assert from_outside.stdout.split()[1] == b"0", from_outside
    assert lab.run("h2", *asked) == lab.run("", *asked)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"cpu": CpuPlan(cores=(4095,))}, "h1: cannot be pinned to the CPUs 4095"),
        ({"private_dirs": (PrivateDirPlan("/no-such-folder-here"),)}, "h1: no private folder at /no-such-folder-here"),
        ({"private_dirs": (PrivateDirPlan("/etc/passwd"),)}, "h1: no private folder at /etc/passwd"),
    ],
)
def test_what_cannot_be_given_is_named(more: dict[str, Any], said: str) -> None:
    with Inside() as inside:
        with pytest.raises(Refused) as caught:
            inside.do(wire.Build(pair(**more)))
        assert caught.value.failed.kind == "lab"
        assert said in caught.value.failed.why


@pytest.fixture(scope="module")
def kernel() -> Iterator[Inside]:
    """In a lab kernel: the first host has a fifth of the CPU, both are on VLAN 7."""
    plan = pair(
        cpu=CpuPlan(percent=20.0, cores=(0,)),
        private_dirs=(PrivateDirPlan("/srv", "data"),),
        vlans=(VlanPlan("h1-eth0", 7, ("192.0.2.1/24",)),),
        other=host("h2", vlans=(VlanPlan("h2-eth0", 7, ("192.0.2.2/24",)),)),
    )
    with Inside("labkernel") as inside:
        inside.do(wire.Build(plan))
        yield inside


def test_vlan_has_its_id_its_lower_interface_and_its_address(kernel: Inside) -> None:
    (shown,) = json.loads(kernel.run("h1", "ip", "-d", "-j", "link", "show", "h1-eth0.7"))
    assert shown["link"] == "h1-eth0"
    assert (shown["linkinfo"]["info_data"]["protocol"], shown["linkinfo"]["info_data"]["id"]) == ("802.1Q", 7)
    assert kernel.do(wire.Ping("h1", "192.0.2.2", 1))["ttl"] == [64]


@pytest.mark.alone
def test_a_share_of_the_cpu_is_read_back_and_kept_to(kernel: Inside) -> None:
    """The loop's own CPU time, of what the clock of the same kernel shows."""
    assert kernel.run("", "cat", "/sys/fs/cgroup/h1/cpu.max").split() == ["20000", "100000"]
    assert float(kernel.run("h1", "python3", "-c", SPIN)) < 0.4
    told = dict(line.split() for line in kernel.run("", "cat", "/sys/fs/cgroup/h1/cpu.stat").splitlines())
    assert int(told["nr_throttled"]) > 0


def test_whatever_runs_in_the_node_is_in_its_group(kernel: Inside) -> None:
    asked = ("cat", "/proc/self/cgroup")
    assert kernel.run("h1", *asked).strip() == "0::/h1"
    assert kernel.run("h2", *asked).strip() == "0::/"
    from_outside = kernel.habitat.command(asked, node="h1")
    assert from_outside.stdout.strip() == b"0::/h1", from_outside


def test_a_kept_folder_of_a_lab_kernel_is_outside_too(kernel: Inside) -> None:
    kernel.run("h1", "sh", "-c", "echo kept > /srv/file")
    assert (kernel.folder / "kept" / "data" / "file").read_text() == "kept\n"


def test_no_link_has_one_index_at_both_ends(lab: Inside, kernel: Inside) -> None:
    """Else the kernel would take up to a second until it knows that the link has carrier."""
    for inside in (lab, kernel):
        for node in ("h1", "h2"):
            links = [each for each in json.loads(inside.run(node, "ip", "-j", "link")) if "link_index" in each]
            assert links and all(each["ifindex"] != each["link_index"] for each in links)


def test_a_receiver_does_not_escape_its_share(kernel: Inside) -> None:
    """Receivers are preferred in a lab kernel, which no share of the processor holds; so not this one."""
    flows = (
        wire_plan.FlowPlan("limited", "h2", "h1", "10.0.0.1", 5201, 40001, "cubic", 0.0, 1.0),
        wire_plan.FlowPlan("free", "h1", "h2", "10.0.0.2", 5202, 40002, "cubic", 0.0, 1.0),
    )
    number = kernel.send(wire.RunFlows(flows))
    kernel.event(wire.FlowEvent, lambda event: event.what == "start" and event.flow == "free")
    shown = kernel.run("", "ps", "-e", "-o", "cls=,args=")
    assert kernel.answer(number)["failures"] == {}
    classes = {line.split()[0] for line in shown.splitlines() if "iperf3 -s" in line and "10.0.0.1" in line}
    assert classes == {"TS"}, shown
