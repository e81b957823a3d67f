"""`frrlib.diagnosis` on a lab with VRFs: questions are answered in the table of the interfaces."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from frrlib.diagnosis.neighbors import explain_missing_neighbor
from frrlib.diagnosis.packets import explain_lost_packets, explain_unreachable
from frrlib.diagnosis.routes import explain_missing_route
from frrlib.errors import TopologyError
from frrlib.lab.lab import Lab
from frrlib.model.routing import BgpNeighbor, Vrf
from frrlib.network.network import Bgp, Network, Ospf, end
from tests.waiting import wait_for_lab

pytestmark = [pytest.mark.lab, pytest.mark.timeout(300)]

#: The network of h1, in the VRF red of r1; h2's network is behind r2.
RED, FAR = "10.1.0.0/24", "10.2.0.0/24"


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """h1 - r1 - r2 - h2 by OSPF in the VRF red; r1 - c1 by BGP in the VRF blue of r1 and the main table of c1."""
    net = Network("VRFs")
    timers = {"hello_s": 1, "dead_s": 3}
    session = BgpNeighbor(address="10.9.0.2", remote_as=65002)
    red = Vrf(name="red", table=10, interfaces=("r1-eth0", "r1-eth1"), ospf=Ospf(**timers))
    blue = Vrf(name="blue", table=20, interfaces=("r1-eth2",), bgp=Bgp(asn=65001, neighbors=(session,)))
    net.router("r1", vrfs=(red, blue))
    net.router("r2", vrfs=(red.model_copy(update={"interfaces": ("r2-eth0", "r2-eth1")}),))
    net.router("c1", bgp=Bgp(asn=65002, neighbors=(BgpNeighbor(address="10.9.0.1", remote_as=65001),),
                             networks=("10.9.1.0/24",)), frr_conf="ip route 10.9.1.0/24 blackhole\n")  # fmt: skip
    net.host("h1")
    net.host("h2")
    net.link(end("h1", "10.1.0.10/24"), end("r1", "10.1.0.1/24"))
    net.link(end("r1", "10.0.12.1/24"), end("r2", "10.0.12.2/24"))
    net.link(end("r1", "10.9.0.1/24"), end("c1", "10.9.0.2/24"))
    net.link(end("r2", "10.2.0.1/24"), end("h2", "10.2.0.10/24"))
    with Lab(net.topology) as lab:
        lab.wait_converged()
        yield lab


def enter(lab: Lab, router: str, lines: str) -> None:
    lab[router].configure(lines.split(";"))


def wait_for_neighbor(lab: Lab, a: str, b: str, protocol: str) -> None:
    explanation = wait_for_lab(
        lambda: (found := explain_missing_neighbor(lab, a, b, protocol)).is_there and found, f"{protocol} of {a}, {b}"
    )
    assert explanation.causes == ()


def assert_healthy(lab: Lab) -> None:
    for a, b, protocol in (("r1", "r2", "ospf"), ("r2", "r1", "ospf"), ("r1", "c1", "bgp"), ("c1", "r1", "bgp")):
        wait_for_neighbor(lab, a, b, protocol)
    for router, prefix, vrf in (("r2", RED, "red"), ("r1", FAR, "red"), ("r1", "10.9.1.0/24", "blue")):
        explanation = wait_for_lab(
            lambda router=router, prefix=prefix, vrf=vrf: (
                (found := explain_missing_route(lab, router, prefix, vrf)).is_there and found
            ),
            f"{prefix} at {router}",
        )
        assert explanation.causes == ()


def test_a_healthy_lab_gives_no_cause(lab: Lab) -> None:
    assert_healthy(lab)
    assert str(explain_missing_route(lab, "r2", RED, "red")) == "r2 has 10.1.0.0/24 by OSPF from r1 in VRF red."
    assert explain_missing_neighbor(lab, "r1", "r2", "ospf").subject == "OSPF neighbors r1 and r2 in VRF red"
    for explanation in (
        explain_lost_packets(lab, "h1", "10.2.0.10"),
        explain_unreachable(lab, "r1", "10.2.0.10", "red"),
    ):
        assert (explanation.is_there, explanation.causes) == (True, ()), explanation


def test_a_route_of_another_table_is_named(lab: Lab) -> None:
    step = explain_missing_route(lab, "r1", FAR).cause
    assert step is not None
    assert step.sentence == "r1 has 10.2.0.0/24 in the VRF red, not in its main table."
    assert "`miniedit-frr why r1 10.2.0.0/24 --vrf red`" in step.remedy
    explanation = explain_missing_route(lab, "r1", FAR, "blue")
    assert "r1 has 10.2.0.0/24 in the VRF red, not in the VRF blue." in str(explanation)
    assert not explanation.is_there
    with pytest.raises(TopologyError, match="has no VRF green"):
        explain_missing_route(lab, "r1", FAR, "green")


def test_mistakes_in_a_vrf_are_the_first_cause(lab: Lab) -> None:
    enter(lab, "r2", "interface r2-eth0;ip ospf hello-interval 2")
    try:
        sentence = "The hello intervals differ: r1-eth1 of r1 has 1 s, r2-eth0 of r2 has 2 s."
        step = wait_for_lab(lambda: explain_missing_neighbor(lab, "r1", "r2", "ospf").cause, "a cause")
        assert step.sentence == sentence
        route = wait_for_lab(lambda: explain_missing_route(lab, "r2", RED, "red").cause, "a cause")
        assert route.sentence == sentence
        packets = wait_for_lab(lambda: explain_lost_packets(lab, "h1", "10.2.0.10").cause, "a cause")
        assert packets.sentence == "The hello intervals differ: r2-eth0 of r2 has 2 s, r1-eth1 of r1 has 1 s."
    finally:
        enter(lab, "r2", "interface r2-eth0;ip ospf hello-interval 1")
    wait_for_neighbor(lab, "r1", "r2", "ospf")
    enter(lab, "r1", "router ospf vrf red;passive-interface r1-eth1")
    try:
        step = wait_for_lab(lambda: explain_missing_neighbor(lab, "r1", "r2", "ospf").cause, "a cause")
        assert step.sentence == "OSPF is passive on r1-eth1 of r1, so it sends no hellos."
        assert "`no ip ospf passive`" in step.remedy
    finally:
        enter(lab, "r1", "router ospf vrf red;no passive-interface r1-eth1")
    wait_for_neighbor(lab, "r1", "r2", "ospf")
    enter(lab, "r1", "router bgp 65001 vrf blue;neighbor 10.9.0.2 shutdown")
    try:
        for a, b in (("r1", "c1"), ("c1", "r1")):
            step = wait_for_lab(lambda a=a, b=b: explain_missing_neighbor(lab, a, b, "bgp").cause, "a cause")
            assert step.sentence == "r1 has shut down its session with c1 (10.9.0.2)."
            assert "in `router bgp 65001 vrf blue`" in step.remedy
    finally:
        enter(lab, "r1", "router bgp 65001 vrf blue;no neighbor 10.9.0.2 shutdown")
    assert_healthy(lab)


def test_a_static_route_and_the_packets_of_a_vrf(lab: Lab) -> None:
    lab["r1"].configure("ip route 10.7.0.0/24 10.88.0.1 vrf red")
    try:
        step = explain_missing_route(lab, "r1", "10.7.0.0/24", "red").cause
        assert step is not None
        start = "r1 has the static route `ip route 10.7.0.0/24 10.88.0.1`"
        assert step.sentence == f"{start}, but its next hop 10.88.0.1 is unreachable from r1."
    finally:
        lab["r1"].configure("no ip route 10.7.0.0/24 10.88.0.1 vrf red")
    lab["h2"].run("sysctl", "-qw", "net.ipv4.icmp_echo_ignore_all=1")
    try:
        for node, vrf in (("h1", ""), ("r1", "red")):
            step = explain_unreachable(lab, node, "10.2.0.10", vrf).cause
            assert step is not None and step.sentence == "h2 ignores pings: net.ipv4.icmp_echo_ignore_all is 1."
    finally:
        lab["h2"].run("sysctl", "-qw", "net.ipv4.icmp_echo_ignore_all=0")
    lab["r2"].run("ip", "route", "add", "blackhole", "10.1.0.10", "vrf", "red")
    try:
        step = explain_lost_packets(lab, "h1", "10.2.0.10").cause
        assert step is not None and (step.node, "r2 has a blackhole route to 10.1.0.10/32" in step.sentence) == (
            "r2",
            True,
        )
    finally:
        lab["r2"].run("ip", "route", "del", "blackhole", "10.1.0.10", "vrf", "red")
    assert_healthy(lab)


def test_an_interface_outside_of_its_vrf_is_named(lab: Lab) -> None:
    lab["r2"].run("ip", "link", "set", "r2-eth0", "nomaster")
    try:
        step = wait_for_lab(lambda: explain_missing_neighbor(lab, "r1", "r2", "ospf").cause, "a cause")
        assert step.sentence == (
            "r2-eth0 of r2 is in the main table, where r2 runs no OSPF (it has `router ospf vrf red`)."
        )
    finally:
        lab["r2"].run("ip", "link", "set", "r2-eth0", "master", "red")
    assert_healthy(lab)
