"""`frrlib.diagnosis` on labs with BFD: the mistake that was typed is the first cause of a missing session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from frrlib.diagnosis.explanation import Step
from frrlib.diagnosis.neighbors import explain_missing_neighbor
from frrlib.lab.lab import Lab
from frrlib.model.routing import Bfd, BgpNeighbor
from frrlib.network.network import Bgp, Network, Ospf, end
from tests.waiting import wait_for_lab

pytestmark = [pytest.mark.lab, pytest.mark.timeout(300)]

AT_R2 = "peer 10.0.12.1"
#: A multihop session of r1 and r4 by the addresses of their links.
MULTIHOP = {
    "r1": "peer 10.0.34.4 multihop local-address 10.0.12.1", "r4": "peer 10.0.12.1 multihop local-address 10.0.34.4",
}  # fmt: skip


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """r1 - r2 - r3 - r4 with OSPF, a BFD session of r1 and r2 by its addresses, and bfdd on all of them."""
    net = Network("BFD")
    for name in ("r1", "r2", "r3", "r4"):
        net.router(name, ospf=Ospf(hello_s=1, dead_s=3), bfd=Bfd(transmit_ms=100, receive_ms=100))
    net.link(end("r1", "10.0.12.1/24"), end("r2", "10.0.12.2/24"))
    net.link(end("r2", "10.0.23.2/24"), end("r3", "10.0.23.3/24"))
    net.link(end("r3", "10.0.34.3/24"), end("r4", "10.0.34.4/24"))
    with Lab(net.topology, place="namespace") as lab:
        enter(lab, "r1", "bfd;peer 10.0.12.2")
        enter(lab, "r2", f"bfd;{AT_R2}")
        lab.wait_converged()
        yield lab


def enter(lab: Lab, router: str, lines: str) -> None:
    lab[router].configure(lines.split(";"))


def wait_for_cause(lab: Lab, words: str, b: str = "r2", protocol: str = "bfd") -> Step:
    """The first cause, once its sentence has these words."""

    def named() -> Step | None:
        step = explain_missing_neighbor(lab, "r1", b, protocol).cause
        return step if step is not None and words in step.sentence else None

    return wait_for_lab(named, lambda: f"{words}: {explain_missing_neighbor(lab, 'r1', b, protocol)}")


def assert_healthy(lab: Lab, b: str = "r2", protocol: str = "bfd") -> None:
    explanation = wait_for_lab(
        lambda: (found := explain_missing_neighbor(lab, "r1", b, protocol)).is_there and found, "the session"
    )
    assert explanation.causes == ()


#: Lines at r2, the lines that undo them, the node of the cause, and words of its sentence and its remedy.
MISTAKES = {
    "one side": (
        f"bfd;no {AT_R2}", f"bfd;{AT_R2}", "r2", "r2 has no BFD session with r1, but r1 has one with r2.",
        "`bfd`, `peer 10.0.12.1`",
    ),
    "wrong address": (
        f"bfd;no {AT_R2};peer 10.0.12.77", f"bfd;no peer 10.0.12.77;{AT_R2}", "r2",
        "r2 has the BFD peer 10.0.12.77, but no node has this address; r1 has 10.0.12.1.", "`no peer 10.0.12.77`",
    ),
    "shutdown": (
        f"bfd;{AT_R2};shutdown", f"bfd;{AT_R2};no shutdown", "r2",
        "r2 has shut down its BFD session with r1 (10.0.12.1).", "`no shutdown`",
    ),
    "multihop": (
        f"bfd;no {AT_R2};{AT_R2} multihop local-address 10.0.12.2",
        f"bfd;no {AT_R2} multihop local-address 10.0.12.2;{AT_R2}", "r2",
        "r1 has a session over one hop with r2, r2 has a multihop session.", "`peer 10.0.12.1` in place",
    ),
    "interface": (
        "interface r2-eth0;shutdown", "interface r2-eth0;no shutdown", "r2", "r2-eth0 of r2 is down.", "`no shutdown`",
    ),
    "wrong interface": (
        f"bfd;no {AT_R2};{AT_R2} interface r2-eth1", f"bfd;no {AT_R2} interface r2-eth1;{AT_R2}", "r2",
        "on r2-eth1, which does not lead to r1.", "interface r2-eth0`",
    ),
}  # fmt: skip


def test_a_healthy_session_gives_no_cause(lab: Lab) -> None:
    assert_healthy(lab)
    assert str(explain_missing_neighbor(lab, "r1", "r2", "bfd")) == "r1 and r2 are BFD neighbors (up)."
    step = explain_missing_neighbor(lab, "r2", "r3", "bfd").cause
    assert step is not None and step.sentence == "r2 has no BFD session with r3."


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_the_first_cause(lab: Lab, name: str) -> None:
    typed, undo, node, words, remedy = MISTAKES[name]
    enter(lab, "r2", typed)
    try:
        step = wait_for_cause(lab, words)
    finally:
        enter(lab, "r2", undo)
    assert step.node == node
    assert remedy in step.remedy
    assert_healthy(lab)


def test_two_passive_ends_send_no_packet(lab: Lab) -> None:
    sessions = {"r1": "bfd;peer 10.0.12.2", "r2": f"bfd;{AT_R2}"}
    for router, session in sessions.items():
        enter(lab, router, f"{session};passive-mode;shutdown")
    try:
        for router, session in sessions.items():
            enter(lab, router, f"{session};no shutdown")
        assert "`no passive-mode`" in wait_for_cause(lab, "passive at both r1 and r2").remedy
    finally:
        for router, session in sessions.items():
            enter(lab, router, f"{session};no passive-mode")
    assert_healthy(lab)


def test_multihop_sessions_need_the_ttl_and_the_addresses_of_both_ends(lab: Lab) -> None:
    wait_for_cause(lab, "r1 has no BFD session with r4.", "r4")
    for router, session in MULTIHOP.items():
        enter(lab, router, f"bfd;{session}")
    try:
        for router, peer in (("r4", "r1"), ("r1", "r4")):
            step = wait_for_cause(lab, f"{router} accepts BFD packets of {peer} with a TTL of at least 254, but", "r4")
            assert f"`bfd`, `{MULTIHOP[router]}`, `minimum-ttl 253`" in step.remedy
            enter(lab, router, f"bfd;{MULTIHOP[router]};minimum-ttl 253")
        assert "the routers on the path lower it to 253" in step.sentence
        assert_healthy(lab, "r4")
        enter(lab, "r4", f"bfd;no {MULTIHOP['r4']};peer 10.255.0.1 multihop local-address 10.0.34.4;minimum-ttl 253")
        step = wait_for_cause(lab, "from 10.0.12.1, but r4 expects its peer at 10.255.0.1.", "r4")
        assert step.node == "r1"
    finally:
        enter(lab, "r4", "bfd;no peer 10.255.0.1 multihop local-address 10.0.34.4")
        enter(lab, "r1", f"bfd;no {MULTIHOP['r1']}")


def test_a_neighbor_that_bfd_gives_up_has_the_cause_of_its_session(lab: Lab) -> None:
    for router, name in (("r1", "r1-eth0"), ("r2", "r2-eth0")):
        enter(lab, router, f"interface {name};ip ospf bfd")
    try:
        for protocol in ("ospf", "bfd"):
            assert_healthy(lab, "r2", protocol)
        lab.lose("l1")
        try:
            step = wait_for_cause(lab, "r2 does not answer pings from r1 to 10.0.12.2")
            assert wait_for_cause(lab, step.sentence, "r2", "ospf") == step
        finally:
            lab.clear_faults()
        for protocol in ("ospf", "bfd"):
            assert_healthy(lab, "r2", protocol)
        enter(lab, "r2", f"bfd;no {AT_R2};exit;interface r2-eth0;no ip ospf bfd")
        step = wait_for_cause(lab, "r2 has no BFD session with r1, but r1 has one with r2.")
        assert "`interface r2-eth0`, `ip ospf bfd`" in step.remedy
        enter(lab, "r2", f"bfd;{AT_R2};exit;interface r2-eth0;ip ospf bfd")
    finally:
        for router, name in (("r1", "r1-eth0"), ("r2", "r2-eth0")):
            enter(lab, router, f"interface {name};no ip ospf bfd")
    assert_healthy(lab)


def test_a_daemon_that_does_not_run_is_named(lab: Lab) -> None:
    lab["r3"].kill("bfdd")
    wait_for_cause(lab, "The daemon bfdd does not run on r3.", "r3")


def test_sessions_of_bgp() -> None:
    """BGP uses BFD at both ends; then only at one."""
    net = Network("BGP with BFD")
    for name, asn, address in (("r1", 65001, "10.0.12.2"), ("r2", 65002, "10.0.12.1")):
        neighbor = BgpNeighbor(address=address, remote_as=130_003 - asn, bfd=True)
        net.router(name, bgp=Bgp(asn=asn, neighbors=(neighbor,)), bfd=Bfd(transmit_ms=100, receive_ms=100))
    net.link(end("r1", "10.0.12.1/24"), end("r2", "10.0.12.2/24"))
    with Lab(net.topology, place="namespace") as lab:
        lab.wait_converged()
        for protocol in ("bgp", "bfd"):
            assert_healthy(lab, "r2", protocol)
        enter(lab, "r2", "router bgp 65002;no neighbor 10.0.12.1 bfd")
        step = wait_for_cause(lab, "r2 has no BFD session with r1, but r1 has one with r2.")
        assert "`router bgp 65002`, `neighbor 10.0.12.1 bfd`" in step.remedy
        enter(lab, "r2", "router bgp 65002;neighbor 10.0.12.1 bfd")
        assert_healthy(lab)
        enter(lab, "r2", "router bgp 65002;neighbor 10.0.12.1 shutdown")
        step = wait_for_cause(lab, "r2 has shut down its session with r1 (10.0.12.1).", "r2", "bgp")
