"""Interactive sessions in a running lab, from outside, as an xterm or pexpect opens them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from frrlib.formats import mn
from frrlib.inside.vtysh import VtyshSession
from frrlib.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120)]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module", params=["namespace", "labkernel"])
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """Two autonomous systems, running."""
    topology = mn.load(EXAMPLES / "two-as-no-delay.mn").topology
    with Lab(topology, place=request.param) as running:
        running.wait_routes()
        yield running


def test_vtysh_by_hand(lab: Lab) -> None:
    argv = lab.terminal_argv(["vtysh"], "r1")
    with pexpect.spawn(argv[0], argv[1:], encoding="utf-8", timeout=20, dimensions=(40, 120)) as terminal:
        terminal.expect("r1# ")
        terminal.sendline("show ip route bgp")
        terminal.expect(r"B>\* 10\.1\.0\.0/16 \[20/0\] via 10\.9\.0\.2")
        terminal.expect("r1# ")
        terminal.sendline("exit")
        terminal.expect(pexpect.EOF)


def test_vtysh_as_a_session(lab: Lab) -> None:
    with VtyshSession(words=lab.terminal_argv(["vtysh"], "r2")) as session:
        assert "router bgp 200" in session.command("show running-config")
        with pytest.raises(Exception, match="Unknown command"):
            session.command("show nonsense")


def test_a_terminal_has_the_size_and_the_place_of_its_node(lab: Lab) -> None:
    argv = lab.terminal_argv(["bash", "--norc"], "h1")
    with pexpect.spawn(argv[0], argv[1:], encoding="utf-8", timeout=20, dimensions=(33, 101)) as terminal:
        terminal.sendline("stty size; ip -4 -brief address show dev h1-eth0; echo done-$((1+1))")
        terminal.expect("33 101")
        terminal.expect("10.0.0.10/16")
        terminal.expect("done-2")


def test_commands_by_the_way(lab: Lab) -> None:
    assert lab["h1"].run("hostname").strip() == "h1"
    summary = lab["r1"].vtysh_json("show bgp summary")
    assert summary["ipv4Unicast"]["peers"]["10.9.0.2"]["state"] == "Established"
