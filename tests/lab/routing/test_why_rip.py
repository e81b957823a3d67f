"""`frrlib.diagnosis` on a lab with RIP and RIPng: the mistake that was typed is the first cause."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from frrlib.diagnosis.neighbors import explain_missing_neighbor
from frrlib.diagnosis.routes import explain_missing_route
from frrlib.lab.lab import Lab
from frrlib.model.routing import Rip, Ripng
from frrlib.network.network import Network, end
from tests.waiting import wait_for_lab

pytestmark = [pytest.mark.lab, pytest.mark.timeout(300)]

LAN, LAN_6 = "10.1.0.0/16", "2001:db8:1::/64"
#: The shortest timers that FRR accepts.
TIMERS = {"update_s": 5, "timeout_s": 6, "garbage_s": 5}


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """h1 - r1 - r2 - r3 with RIP and RIPng."""
    net = Network("Chain")
    net.host("h1")
    for name in ("r1", "r2", "r3"):
        net.router(name, rip=Rip(**TIMERS), ripng=Ripng(**TIMERS))
    net.link(end("h1", "10.1.0.10/16", "2001:db8:1::10/64"), end("r1", "10.1.0.1/16", "2001:db8:1::1/64"))
    net.link(end("r1", "10.0.12.1/24", "2001:db8:12::1/64"), end("r2", "10.0.12.2/24", "2001:db8:12::2/64"))
    net.link(end("r2", "10.0.23.2/24", "2001:db8:23::2/64"), end("r3", "10.0.23.3/24", "2001:db8:23::3/64"))
    with Lab(net.topology, place="namespace") as lab:
        lab.wait_converged()
        yield lab


def wait_until_healthy(lab: Lab) -> None:
    for prefix in (LAN, LAN_6):
        wait_for_lab(lambda prefix=prefix: explain_missing_route(lab, "r3", prefix).is_there, "the route")
    for protocol in ("rip", "ripng"):
        explanation = wait_for_lab(
            lambda protocol=protocol: (found := explain_missing_neighbor(lab, "r1", "r2", protocol)).is_there and found,
            f"{protocol} between r1 and r2",
        )
        assert explanation.causes == ()


AUTHENTICATION = "ip rip authentication mode md5"
#: Lines at r2, the lines that undo them, and words of the cause.
MISTAKES = {
    "off": ("router rip;no network r2-eth0", "router rip;network r2-eth0", ["RIP does not run on r2-eth0 of r2"]),
    "passive": (
        "router rip;passive-interface r2-eth0", "router rip;no passive-interface r2-eth0",
        ["RIP is passive on r2-eth0 of r2"],
    ),
    "version": (
        "interface r2-eth0;ip rip receive version 1", "interface r2-eth0;no ip rip receive version 1",
        ["r1-eth1 of r1 sends RIP version 2", "r2-eth0 of r2 accepts RIP version 1"],
    ),
    "one side": (
        f"interface r2-eth0;{AUTHENTICATION};ip rip authentication string secret",
        f"interface r2-eth0;no {AUTHENTICATION};no ip rip authentication string",
        ["authentication differs", "r1-eth1 of r1 uses none", "r2-eth0 of r2 uses MD5"],
    ),
}  # fmt: skip


def enter(lab: Lab, router: str, lines: str) -> None:
    lab[router].configure(lines.split(";"))


def test_a_healthy_lab_gives_no_cause(lab: Lab) -> None:
    wait_until_healthy(lab)
    assert str(explain_missing_route(lab, "r3", LAN)) == "r3 has 10.1.0.0/16 by RIP from r2."
    assert "RIP neighbors" in str(explain_missing_neighbor(lab, "r1", "r2", "rip"))


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_the_first_cause(lab: Lab, name: str) -> None:
    typed, undo, words = MISTAKES[name]
    enter(lab, "r2", typed)
    try:
        step = wait_for_lab(lambda: explain_missing_neighbor(lab, "r1", "r2", "rip").cause, "a cause")
        assert [word for word in words if word not in step.sentence] == []
        assert step.remedy
        if name != "passive":  # r2 still receives the route
            route = wait_for_lab(lambda: explain_missing_route(lab, "r3", LAN).cause, "the loss of the route")
            assert route.sentence == step.sentence
    finally:
        enter(lab, "r2", undo)
    wait_until_healthy(lab)


def test_different_passwords_are_named(lab: Lab) -> None:
    for router, interface, password in (("r1", "r1-eth1", "one"), ("r2", "r2-eth0", "two")):
        enter(lab, router, f"interface {interface};{AUTHENTICATION};ip rip authentication string {password}")
    try:
        step = wait_for_lab(lambda: explain_missing_neighbor(lab, "r2", "r1", "rip").cause, "a cause")
        assert step.sentence == "The passwords of r2-eth0 of r2 and r1-eth1 of r1 differ."
        # a key chain with the same password
        lines = "key chain K;key 1;key-string one;exit;exit;interface r2-eth0;no ip rip authentication string"
        enter(lab, "r2", f"{lines};ip rip authentication key-chain K")
        wait_for_lab(lambda: not explain_missing_neighbor(lab, "r2", "r1", "rip").causes, "no cause")
    finally:
        lines = (
            f"interface r2-eth0;no {AUTHENTICATION};no ip rip authentication key-chain;no ip rip authentication string"
        )
        enter(lab, "r2", lines)
        enter(lab, "r1", f"interface r1-eth1;no {AUTHENTICATION};no ip rip authentication string")
    wait_until_healthy(lab)


def test_routes_that_are_not_announced_or_filtered(lab: Lab) -> None:
    enter(lab, "r1", "router rip;no network r1-eth0")
    try:
        step = wait_for_lab(lambda: explain_missing_route(lab, "r3", LAN).cause, "the loss of the route")
        assert step.sentence == "r1 does not advertise 10.1.0.0/16 by RIP, because RIP does not run on r1-eth0."
        assert "`router rip`, `network r1-eth0`" in step.remedy
    finally:
        enter(lab, "r1", "router rip;network r1-eth0")
    wait_until_healthy(lab)
    enter(lab, "r2", "ip prefix-list NONE deny 10.1.0.0/16 le 32;ip prefix-list NONE permit any")
    enter(lab, "r2", "router rip;distribute-list prefix NONE in r2-eth0")
    try:
        step = wait_for_lab(lambda: explain_missing_route(lab, "r3", LAN).cause, "the loss of the route")
        assert step.sentence == (
            "r2 filters RIP routes, and 10.1.0.0/16 may be among them (`distribute-list prefix NONE in r2-eth0`)."
        )
    finally:
        enter(lab, "r2", "router rip;no distribute-list prefix NONE in r2-eth0")
        enter(lab, "r2", "no ip prefix-list NONE")
    wait_until_healthy(lab)


def test_ripng_is_explained_with_ripng(lab: Lab) -> None:
    enter(lab, "r2", "router ripng;no network r2-eth0")
    try:
        step = wait_for_lab(lambda: explain_missing_route(lab, "r3", LAN_6).cause, "the loss of the route")
        assert step.sentence == "RIPng does not run on r2-eth0 of r2."
        assert explain_missing_route(lab, "r3", LAN).is_there
    finally:
        enter(lab, "r2", "router ripng;network r2-eth0")
    wait_until_healthy(lab)


def test_networks_beyond_fifteen_hops_are_named(lab: Lab) -> None:
    enter(lab, "r1", "router rip;offset-list ALL out 13 r1-eth1")
    enter(lab, "r1", "access-list ALL permit any")
    try:
        step = wait_for_lab(lambda: explain_missing_route(lab, "r3", LAN).cause, "the loss of the route")
        assert step.sentence == "10.1.0.0/16 is 15 hops away at r2, and RIP has no routes of more than 15 hops."
    finally:
        enter(lab, "r1", "router rip;no offset-list ALL out 13 r1-eth1")
        enter(lab, "r1", "no access-list ALL permit any")
    wait_until_healthy(lab)
