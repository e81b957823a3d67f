"""Commands that a daemon answers at its own socket have the output of vtysh."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import pytest

from frrlib.agent.frr import vtysh
from frrlib.errors import CommandFailed
from frrlib.lab.lab import Lab
from frrlib.lab.node import NodeHandle
from frrlib.network.network import Isis, Network, Ospf, Ospf6, Rip, end
from tests.waiting import wait_for_lab

pytestmark = pytest.mark.lab

#: Commands and the daemons that answer them.
COMMANDS = {
    "show bgp summary json": "bgpd",
    "show bgp ipv4 unicast 10.9.0.0/16": "bgpd",
    "show bgp neighbors 192.0.2.1": "bgpd",
    "show ip bgp": "bgpd",
    "show interface": "zebra",
    "show interface eth99": "zebra",
    "show ip ospf": "ospfd",
    "show ip ospf interface json": "ospfd",
    "show ip rip status": "ripd",
    "show ip route": "zebra",
    "show ip route | include 10.0.12": "zebra",
    "show ipv6 ospf6 neighbor": "ospf6d",
    "show ipv6 ripng": "ripngd",
    "show ipv6 route json": "zebra",
    "show isis database": "isisd",
}
#: Words that FRR does not know, and commands that are incomplete.
REFUSED = {"show bgp nothing": "Unknown command", "show isis": "Command incomplete", "show ip route x": "Unknown"}
#: Commands of several daemons, of one that does not run, and of none that answers alone.
OTHERS = ("show running-config", "show version", "show ip", "show ip ospfx", "configure terminal", "clear ip ospf")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    net = Network("Daemons")
    text = "router bgp 65001\n neighbor 10.0.12.9 remote-as 65002\nrouter ripng\n network r1-eth0\n"
    net.router("r1", ospf=Ospf(hello_s=1, dead_s=3), ospf6=Ospf6(), isis=Isis(), rip=Rip(), frr_conf=text)
    net.host("h1")
    net.link(end("r1", "10.0.12.1/24"), end("h1", "10.0.12.2/24"))
    with Lab(net.topology, place="namespace") as running:
        yield running


def without_numbers(text: str) -> str:
    """A text whose counters and times are replaced."""
    return re.sub(r"\d+", "0", text)


def is_equal(router: NodeHandle, command: str) -> bool:
    """Whether both ways give the same output. Not while an interface of the new lab comes up in between."""
    return without_numbers(router.vtysh(command)) == without_numbers(router.run("vtysh", "-c", command))


def test_the_output_equals_that_of_vtysh(lab: Lab) -> None:
    r1 = lab["r1"]
    for command, daemon in COMMANDS.items():
        assert vtysh.answering_daemon(command) == daemon
        wait_for_lab(partial(is_equal, r1, command), f"equal output of {command}")
    both = r1.vtysh("show ip rip", "show ip ospf")
    assert without_numbers(both) == without_numbers(r1.vtysh("show ip rip") + r1.vtysh("show ip ospf"))


def test_a_refused_command_is_named(lab: Lab) -> None:
    for command, reason in REFUSED.items():
        with pytest.raises(CommandFailed, match=f"vtysh -c {re.escape(command)}.*{reason}"):
            lab["r1"].vtysh(command)


def test_a_daemon_that_does_not_run_is_named(lab: Lab) -> None:
    with pytest.raises(CommandFailed, match="bfdd is not running"):
        lab["r1"].vtysh("show bfd peers")


def test_other_commands_need_vtysh() -> None:
    assert {vtysh.answering_daemon(command) for command in OTHERS} == {""}
    assert vtysh.run_at_daemons(OTHERS, {"zebra": "/nowhere"}, 1.0) is None
