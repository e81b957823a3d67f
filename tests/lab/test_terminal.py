"""Interactive sessions in a running lab, from outside, in the way of xterm or pexpect."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from frrlib.errors import CommandFailed, LabFailed
from frrlib.expect.expectation import expect
from frrlib.formats import mn
from frrlib.lab.lab import Lab
from frrlib.vtysh.session import VtyshSession

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120)]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module", params=["namespace", "labkernel"])
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """Two autonomous systems, running."""
    topology = mn.load(EXAMPLES / "two-as-no-delay.mn").topology
    with Lab(topology, place=request.param) as running:
        running.wait_routes()
        yield running


def test_vtysh_in_a_terminal(lab: Lab) -> None:
    argv = lab.terminal_argv(["vtysh"], "r1")
    with pexpect.spawn(argv[0], argv[1:], encoding="utf-8", timeout=20, dimensions=(40, 120)) as terminal:
        terminal.expect("r1# ")
        terminal.sendline("show ip route bgp")
        terminal.expect(r"B>\* 10\.1\.0\.0/16 \[20/0\] via 10\.9\.0\.2")
        terminal.expect("r1# ")
        terminal.sendline("exit")
        terminal.expect(pexpect.EOF)


def test_vtysh_in_a_session_object(lab: Lab) -> None:
    with VtyshSession(words=lab.terminal_argv(["vtysh"], "r2")) as session:
        assert "router bgp 200" in session.run("show running-config")
        with pytest.raises(Exception, match="Unknown command"):
            session.run("show nonsense")


def test_a_terminal_has_its_size_and_the_namespace_of_its_node(lab: Lab) -> None:
    argv = lab.terminal_argv(["bash", "--norc"], "h1")
    with pexpect.spawn(argv[0], argv[1:], encoding="utf-8", timeout=20, dimensions=(33, 101)) as terminal:
        terminal.sendline("stty size; ip -color=never -4 -brief address show dev h1-eth0; echo done-$((1+1))")
        terminal.expect("33 101")
        terminal.expect("10.0.0.10/16")
        terminal.expect("done-2")


def test_tcpdump_captures_though_it_drops_its_rights(lab: Lab) -> None:
    if shutil.which("tcpdump") is None:
        pytest.skip("tcpdump is not installed")
    capture = "(ping -c 5 -i 0.2 10.0.0.1 >/dev/null &); timeout 20 tcpdump -n -c 1 -i h1-eth0"
    argv = lab.terminal_argv(["bash", "--norc"], "h1")
    with pexpect.spawn(argv[0], argv[1:], encoding="utf-8", timeout=30) as terminal:
        terminal.sendline(f"{capture} icmp")
        terminal.expect(r"10\.0\.0\.10 > 10\.0\.0\.1: ICMP echo request")
    assert int(lab["h1"].run("sh", "-c", f"{capture} -w - icmp 2>/dev/null | wc -c")) > 24


def test_single_commands(lab: Lab) -> None:
    assert lab["h1"].run("hostname").strip() == "h1"
    summary = lab["r1"].vtysh_json("show bgp summary")
    assert summary["ipv4Unicast"]["peers"]["10.9.0.2"]["state"] == "Established"


def test_a_session_reports_lines_that_frr_refuses(lab: Lab) -> None:
    with lab["r1"].vtysh_session() as session:
        assert len(session.run("show running-config").splitlines()) > 10  # no pager waits for a key
        assert session.json("show ip route json")["10.1.0.0/16"]
        for line, message in (("show nonsense", "Unknown"), ("show ip", "incomplete"), ("show b", "Ambiguous")):
            with pytest.raises(CommandFailed, match=message) as caught:
                session.run(line)
            assert caught.value.argv[-1] == line
        with pytest.raises(CommandFailed, match="Specify remote-as"):
            session.configure("router bgp 100", "neighbor 10.77.0.1 shutdown")
        assert session.prompt == "r1#"
        session.run("configure terminal")
        session.run("router bgp 100")
        assert session.prompt == "r1(config-router)#"


def test_a_configuration_is_applied_up_to_the_refused_line(lab: Lab) -> None:
    lab["r2"].configure("!\ninterface r2-eth0\n description by hand\nexit\n\nip prefix-list A seq 5 permit any\n")
    running = lab["r2"].vtysh("show running-config")
    assert " description by hand\n" in running
    assert "ip prefix-list A seq 5 permit any\n" in running
    for lines, line, message in (
        (["router bgp 200", " neighbor 10.77.0.1 shutdown", "no bgp default ipv4-unicast"], 1, "Specify remote-as"),
        (["router bgp 201"], 0, "BGP (instance )?is already running; AS is 200"),
        (["ip prefix-list B seq 5 permit any", "ip prefix-list B permit nonsense"], 1, "Unknown command"),
    ):
        with pytest.raises(CommandFailed, match=message) as caught:
            lab["r2"].configure(lines)
        assert caught.value.argv[-1] == lines[line].strip()
    assert "ip prefix-list B seq 5" in lab["r2"].vtysh("show running-config")  # earlier lines are in force


def test_a_killed_daemon_can_be_restarted(lab: Lab) -> None:
    def peer() -> object:
        return lab["r1"].vtysh("show bgp ipv4 unicast summary", json=True)["peers"]["10.9.0.2"]

    with pytest.raises(LabFailed, match="r2: has no ospfd"):
        lab["r2"].restart("ospfd")
    lab["r2"].kill("bgpd")
    expect(peer, {"state": re.compile("Active|Connect|Idle")})
    with pytest.raises(CommandFailed, match="bgpd is not running"):
        lab["r2"].vtysh("show bgp summary")
    for _ in range(2):  # a dead daemon, then a running one
        lab["r2"].restart("bgpd")
        expect(peer, {"state": "Established", "pfxRcd": 1}, timeout_s=90)
    assert lab["r2"].log("bgpd").count("starting") == 3
    with pytest.raises(CommandFailed, match="No such file"):
        lab["r2"].log("ospfd")


def test_output_that_is_not_json_is_an_error(lab: Lab) -> None:
    lab.wait_routes()  # a daemon was killed before, and both readings must get the same table
    assert lab["r1"].vtysh("show ip route json", json=True).keys() == lab["r1"].vtysh_json("show ip route").keys()
    with pytest.raises(CommandFailed, match="not JSON"):
        lab["r1"].vtysh("show version | include FRR|", json=True)
