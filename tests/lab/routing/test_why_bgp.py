"""`frrlib.diagnosis` on labs with BGP and static routes: the mistake that was typed is the first cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from frrlib.diagnosis.explanation import Step
from frrlib.diagnosis.neighbors import explain_missing_neighbor
from frrlib.diagnosis.routes import explain_missing_route
from frrlib.lab.lab import Lab
from frrlib.network.network import Bgp, BgpNeighbor, Network, Ospf, end
from tests.waiting import wait_for_lab

pytestmark = pytest.mark.lab

LAN = "10.1.0.0/16"


def inside(address: str, **fields: object) -> BgpNeighbor:
    """An internal session with a loopback."""
    return BgpNeighbor(address=address, remote_as=65002, update_source="lo", **fields)


def two_systems() -> Network:
    """AS 65001 (r1) has 10.1.0.0/16 and a session with r2 of AS 65002. r2 and r3, and r3 and r4, have internal sessions
    between their loopbacks, which OSPF carries."""
    net = Network("Two AS")
    neighbors = {
        "r2": (BgpNeighbor(address="10.0.12.1", remote_as=65001), inside("10.255.0.3", next_hop_self=True)),
        "r3": (inside("10.255.0.2"), inside("10.255.0.4", route_reflector_client=True)),
        "r4": (inside("10.255.0.3"),),
    }
    net.host("h1")
    r1 = Bgp(asn=65001, networks=(LAN,), neighbors=(BgpNeighbor(address="10.0.12.2", remote_as=65002),))
    net.router("r1", loopbacks=("10.255.0.1/32",), bgp=r1)
    ospf = Ospf(hello_s=1, dead_s=3)
    for name, sessions in neighbors.items():
        bgp = Bgp(asn=65002, neighbors=sessions)
        net.router(name, loopbacks=(f"10.255.0.{name[1]}/32",), ospf=ospf, bgp=bgp)
    net.link(end("h1", "10.1.0.10/16"), end("r1", "10.1.0.1/16"))
    net.link(end("r1", "10.0.12.1/24"), end("r2", "10.0.12.2/24"))
    net.link(end("r2", "10.0.23.2/24"), end("r3", "10.0.23.3/24"))
    net.link(end("r3", "10.0.34.3/24"), end("r4", "10.0.34.4/24"))
    return net


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab(two_systems().topology, place="namespace") as lab:
        lab.wait_converged()
        lab["r2"].configure(["interface r2-eth0", "no ip ospf area 0"])
        yield lab


def _has_route(lab: Lab, router: str) -> bool:
    """Whether a router has the route, and the same explanation names no cause why not."""
    explanation = explain_missing_route(lab, router, LAN)
    assert not (explanation.is_there and explanation.causes)
    return explanation.is_there


def assert_healthy(lab: Lab) -> None:
    """All sessions are up, and all routers have the route."""
    for router in ("r2", "r3", "r4"):
        wait_for_lab(lambda router=router: _has_route(lab, router), f"the route of {router}")
    for pair in (("r1", "r2"), ("r3", "r2"), ("r4", "r3")):
        wait_for_lab(lambda pair=pair: explain_missing_neighbor(lab, *pair, "bgp").is_there, f"the session of {pair}")


@contextmanager
def mistake(lab: Lab, router: str, typed: Sequence[str], undo: Sequence[str]) -> Iterator[None]:
    """Type a mistake into `router bgp`, and undo it at the end of the block; sessions of the router start anew."""
    heading = "router bgp 65001" if router == "r1" else "router bgp 65002"
    lab[router].configure([heading, *typed])
    lab[router].vtysh("clear bgp *")
    try:
        yield
    finally:
        lab[router].configure([heading, *undo])
        lab[router].vtysh("clear bgp *")


def session_cause(lab: Lab, a: str, b: str) -> Step:
    """The first cause of a missing session; the explanation of the missing route has the same."""
    step = wait_for_lab(lambda: explain_missing_neighbor(lab, a, b, "bgp").cause, "the loss of the session")
    assert route_cause(lab, b).sentence == step.sentence
    return step


def route_cause(lab: Lab, router: str) -> Step:
    """The first cause of the missing route."""
    return wait_for_lab(lambda: explain_missing_route(lab, router, LAN).cause, "the loss of the route")


def test_a_healthy_lab_gives_no_cause(lab: Lab) -> None:
    assert_healthy(lab)
    assert str(explain_missing_route(lab, "r3", LAN)) == "r3 has 10.1.0.0/16 by BGP from r2."
    assert str(explain_missing_neighbor(lab, "r3", "r4", "bgp")) == "r3 and r4 are BGP neighbors (Established)."


#: Router, lines, lines that undo them, both ends of the session, and the first cause.
SESSIONS = {
    "remote AS": (
        "r2", ["neighbor 10.0.12.1 remote-as 65009"], ["neighbor 10.0.12.1 remote-as 65001"], ("r1", "r2"),
        "r2 expects its neighbor 10.0.12.1 in AS 65009, but r1 is in AS 65001.",
    ),
    "shutdown": (
        "r1", ["neighbor 10.0.12.2 shutdown"], ["no neighbor 10.0.12.2 shutdown"], ("r1", "r2"),
        "r1 has shut down its session with r2 (10.0.12.2).",
    ),
    "password": (
        "r1", ["neighbor 10.0.12.2 password x"], ["no neighbor 10.0.12.2 password"], ("r1", "r2"),
        "The authentication differs: r2 has no password for the session of r1 and r2.",
    ),
    "wrong address": (
        "r1", ["no neighbor 10.0.12.2", "neighbor 10.0.12.22 remote-as 65002"],
        ["no neighbor 10.0.12.22", "neighbor 10.0.12.2 remote-as 65002", "neighbor 10.0.12.2 timers connect 1",
         "address-family ipv4 unicast", "neighbor 10.0.12.2 activate"],
        ("r1", "r2"), "r1 has the BGP neighbor 10.0.12.22, but no node has this address; r2 has 10.0.12.2.",
    ),
    "no statement": (
        "r1", ["no neighbor 10.0.12.2"],
        ["neighbor 10.0.12.2 remote-as 65002", "neighbor 10.0.12.2 timers connect 1", "address-family ipv4 unicast",
         "neighbor 10.0.12.2 activate"],
        ("r1", "r2"), "r1 has no BGP neighbor statement for r2.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SESSIONS)
def test_a_mistake_in_a_session_is_the_first_cause(lab: Lab, name: str) -> None:
    router, typed, undo, ends, sentence = SESSIONS[name]
    with mistake(lab, router, typed, undo):
        step = session_cause(lab, *ends)
        assert step.sentence == sentence
        assert step.node in ends and step.remedy
    assert_healthy(lab)


def test_sessions_between_loopbacks(lab: Lab) -> None:
    """Without a source address at both ends, then without a route."""
    lab["r3"].configure(["router bgp 65002", "no neighbor 10.255.0.2 update-source lo"])
    with mistake(lab, "r2", ["no neighbor 10.255.0.3 update-source lo"], ["neighbor 10.255.0.3 update-source lo"]):
        step = wait_for_lab(lambda: explain_missing_neighbor(lab, "r2", "r3", "bgp").cause, "the loss of the session")
        assert step.sentence == (
            "r2 opens the session with r3 from 10.0.23.2, but r3 expects its neighbor at 10.255.0.2."
        )
        assert "`neighbor 10.255.0.3 update-source 10.255.0.2`" in step.remedy
    # One end with a source address is enough.
    wait_for_lab(lambda: explain_missing_neighbor(lab, "r2", "r3", "bgp").is_there, "the session")
    lab["r3"].configure(["router bgp 65002", "neighbor 10.255.0.2 update-source lo"])
    assert_healthy(lab)
    lab["r3"].configure(["interface lo", "no ip ospf area 0"])
    lab["r3"].vtysh("clear bgp *")
    try:
        step = wait_for_lab(lambda: explain_missing_neighbor(lab, "r2", "r3", "bgp").cause, "the loss of the session")
        assert step.sentence == "r2 has no route to 10.255.0.3, the address of its BGP neighbor r3."
    finally:
        lab["r3"].configure(["interface lo", "ip ospf area 0"])
    assert_healthy(lab)


def test_external_sessions_over_several_hops(lab: Lab) -> None:
    """Between the loopbacks of r1 and r3, with r2 in between."""
    sessions = {
        "r1": ("65001", "10.0.12.2", "65002", "10.255.0.3"),
        "r3": ("65002", "10.0.23.2", "65001", "10.255.0.1"),
    }
    with Lab(two_systems().topology, place="namespace") as other:
        other.wait_converged()
        other["r2"].configure(["ip route 10.255.0.1/32 10.0.12.1"])
        for router, (asn, gateway, remote_as, peer) in sessions.items():
            lines = [f"remote-as {remote_as}", "update-source lo", "timers connect 1"]
            other[router].configure(
                [f"ip route {peer}/32 {gateway}", f"router bgp {asn}", *(f"neighbor {peer} {line}" for line in lines),
                 "address-family ipv4 unicast", f"neighbor {peer} activate"]
            )  # fmt: skip
        step = wait_for_lab(lambda: explain_missing_neighbor(other, "r1", "r3", "bgp").cause, "a cause")
        assert step.sentence == (
            "10.255.0.3 is not in a network of an interface of r1, and its external session with r3 is limited to one "
            "hop."
        )
        for router, (asn, _, _, peer) in sessions.items():
            other[router].configure([f"router bgp {asn}", f"neighbor {peer} ebgp-multihop 2"])
        wait_for_lab(lambda: explain_missing_neighbor(other, "r1", "r3", "bgp").is_there, "the session")


#: Router, lines, lines that undo them, the router that lacks the route, and the first cause.
ROUTES = {
    "network without a route": (
        "r1", ["address-family ipv4 unicast", "no network 10.1.0.0/16"],
        ["address-family ipv4 unicast", "network 10.1.0.0/16"], "r2",
        "r1 has 10.1.0.0/16 by connected, but it is not in the BGP table of r1.",
    ),
    "policy": (
        "r2", ["bgp ebgp-requires-policy"], ["no bgp ebgp-requires-policy"], "r2",
        "r2 discards all routes from r1, because its external session has no inbound policy (`(Policy)` in vtysh).",
    ),
    "policy of the sender": (
        "r1", ["bgp ebgp-requires-policy"], ["no bgp ebgp-requires-policy"], "r2",
        "r1 sends no routes to r2, because its external session has no outbound policy (`(Policy)` in vtysh).",
    ),
    "next hop": (
        "r2", ["address-family ipv4 unicast", "no neighbor 10.255.0.3 next-hop-self"],
        ["address-family ipv4 unicast", "neighbor 10.255.0.3 next-hop-self"], "r3",
        "r3 has it by BGP from r2, but its next hop 10.0.12.1 is unreachable from r3.",
    ),
    "split horizon": (
        "r3", ["address-family ipv4 unicast", "no neighbor 10.255.0.4 route-reflector-client"],
        ["address-family ipv4 unicast", "neighbor 10.255.0.4 route-reflector-client"], "r4",
        "r3 has it by internal BGP from r2. It does not pass such routes on to its internal neighbor r4, because it is "
        "no route reflector for r2 or r4.",
    ),
    "not activated": (
        "r2", ["address-family ipv4 unicast", "no neighbor 10.0.12.1 activate", "exit", "address-family ipv6 unicast",
               "neighbor 10.0.12.1 activate"],
        ["address-family ipv6 unicast", "no neighbor 10.0.12.1 activate", "exit", "address-family ipv4 unicast",
         "neighbor 10.0.12.1 activate"], "r2", "No address family is activated at both r1 and r2.",
    ),
    "filter": (
        "r2", ["address-family ipv4 unicast", "neighbor 10.0.12.1 prefix-list NOTHING in"],
        ["address-family ipv4 unicast", "no neighbor 10.0.12.1 prefix-list NOTHING in"], "r2",
        "r2 does not accept 10.1.0.0/16 from r1 (10.0.12.1): its policy is `prefix-list NOTHING in`.",
    ),
    "filter of the sender": (
        "r1", ["address-family ipv4 unicast", "neighbor 10.0.12.2 prefix-list NOTHING out"],
        ["address-family ipv4 unicast", "no neighbor 10.0.12.2 prefix-list NOTHING out"], "r2",
        "r1 does not announce 10.1.0.0/16 to r2 (10.0.12.2): its policy is `prefix-list NOTHING out`.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROUTES)
def test_a_mistake_about_routes_is_the_first_cause(lab: Lab, name: str) -> None:
    router, typed, undo, lacking, sentence = ROUTES[name]
    lab[router].configure(["ip prefix-list NOTHING seq 5 deny any"])
    with mistake(lab, router, typed, undo):
        expected = wait_for_lab(
            lambda: _cause_like(lab, lacking, sentence), lambda: explain_missing_route(lab, lacking, LAN)
        )
        assert expected.remedy
        far = route_cause(lab, "r4")  # the place where the route stops does not depend on the router of the question
        assert far.sentence == sentence
    assert_healthy(lab)


def _cause_like(lab: Lab, router: str, sentence: str) -> Step | None:
    """The first cause if it is this one. Sessions start anew after a mistake, so other causes may precede it."""
    step = explain_missing_route(lab, router, LAN).cause
    return step if step is not None and step.sentence == sentence else None


def test_the_remedy_of_an_unreachable_next_hop_helps(lab: Lab) -> None:
    router, typed, undo, lacking, sentence = ROUTES["next hop"]
    with mistake(lab, router, typed, undo):
        step = wait_for_lab(
            lambda: _cause_like(lab, lacking, sentence), lambda: explain_missing_route(lab, lacking, LAN)
        )
        assert "In vtysh of r2, in the address family: `neighbor 10.255.0.3 next-hop-self`;" in step.remedy
        lines = ["router bgp 65002", "address-family ipv4 unicast", "neighbor 10.255.0.3 next-hop-self"]
        lab["r2"].configure(lines)
        wait_for_lab(lambda: explain_missing_route(lab, lacking, LAN).is_there, "the route")
    assert_healthy(lab)


def test_an_as_loop_and_a_network_without_a_route(lab: Lab) -> None:
    """r1 prepends AS 65002 to its path, so r2 discards it. Then the network is not in r1's table."""
    lab["r1"].configure(["route-map LOOP permit 10", "set as-path prepend 65002"])
    policy = "neighbor 10.0.12.2 route-map LOOP out"
    with mistake(lab, "r1", ["address-family ipv4 unicast", policy], ["address-family ipv4 unicast", f"no {policy}"]):
        sentence = "r2 discards it, because its own AS 65002 is in the AS path that r1 announces: 65001 65002."
        wait_for_lab(lambda: _cause_like(lab, "r3", sentence), lambda: explain_missing_route(lab, "r3", LAN))
    assert_healthy(lab)
    with mistake(
        lab, "r1", ["address-family ipv4 unicast", "network 10.7.0.0/16"],
        ["address-family ipv4 unicast", "no network 10.7.0.0/16"],
    ):  # fmt: skip
        step = explain_missing_route(lab, "r3", "10.7.0.0/16").cause
        assert step is not None
        assert step.sentence == "r1 has `network 10.7.0.0/16` in BGP, but no route to exactly 10.7.0.0/16."
        assert "`ip route 10.7.0.0/16 blackhole`" in step.remedy
    assert_healthy(lab)


def test_static_routes_alone() -> None:
    """r2 lacks a static route, so no protocol brings it one; then its next hop is wrong; then its interface is down."""
    net = Network("Static")
    for name in ("r1", "r2"):
        net.router(
            name, frr_conf="ip route 10.9.0.0/16 blackhole\n" if name == "r1" else "ip route 10.8.0.0/16 blackhole\n"
        )
    net.link(end("r1", "10.0.12.1/24"), end("r2", "10.0.12.2/24"))
    with Lab(net.topology, place="namespace") as static_lab:
        r2 = static_lab["r2"]
        assert [step.sentence for step in explain_missing_route(static_lab, "r2", "10.9.0.0/16").steps] == [
            "r1 has 10.9.0.0/16 by a static route.",
            "r2 does not have 10.9.0.0/16.",
            "r1 and r2 run no common routing protocol on their link, and r2 has no static route.",
        ]
        r2.configure(["ip route 10.9.0.0/16 10.0.13.1"])
        assert explained(static_lab)[-1].endswith("its next hop 10.0.13.1 is unreachable from r2.")
        r2.configure(["no ip route 10.9.0.0/16 10.0.13.1", "ip route 10.9.0.0/16 10.0.12.1"])
        wait_for_lab(lambda: explain_missing_route(static_lab, "r2", "10.9.0.0/16").is_there, "the static route")
        static_lab.link_down("l1")
        # The kernel loses the route first; zebra still has it for a moment.
        wait_for_lab(
            lambda: explained(static_lab)[-1].endswith("its next hop 10.0.12.1 is unreachable from r2."),
            lambda: explained(static_lab),
        )


def explained(static_lab: Lab) -> list[str]:
    """The sentences of the explanation at r2."""
    return [step.sentence for step in explain_missing_route(static_lab, "r2", "10.9.0.0/16").steps]
