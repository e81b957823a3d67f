"""Waiting until a network has converged: what it finds, and what it says of what does not come."""

from __future__ import annotations

import json
from ipaddress import ip_interface

import pytest

from frrlib import wire
from frrlib.errors import LabFailed
from frrlib.expect.expectation import expect
from frrlib.lab.lab import Lab
from frrlib.model.links import End, Link
from frrlib.model.nodes import Router
from frrlib.model.routing import Bgp, BgpNeighbor, Ospf
from frrlib.model.topology import Topology
from frrlib.prediction.routes import expected_routes
from tests.prediction.routers import star

pytestmark = pytest.mark.lab
QUICK = Ospf(hello_s=1, dead_s=4)


def pair(r1: Router, r2: Router) -> Topology:
    """Two routers with a link."""
    a, b = (
        End(node=each.name, interface=f"{each.name}-eth0", addresses=(ip_interface(f"10.0.0.{number}/24"),))
        for number, each in enumerate((r1, r2), 1)
    )
    return Topology(nodes=(r1, r2), links=(Link(id="l1", a=a, b=b),))


def router(number: int, **more: object) -> Router:
    """Router rN with a loopback."""
    return Router(name=f"r{number}", loopbacks=(ip_interface(f"10.255.0.{number}/32"),), **more)


def speaker(number: int, **more: object) -> Router:
    """Router rN in an AS of its own, with a session to the other one."""
    neighbor = BgpNeighbor(address=ip_interface(f"10.0.0.{3 - number}/24").ip, remote_as=65003 - number)
    bgp = Bgp(asn=65000 + number, neighbors=(neighbor,), networks=(ip_interface(f"10.255.0.{number}/32").network,))
    return router(number, bgp=bgp, **more)


def why_not(topology: Topology) -> tuple[str, list[wire.Message]]:
    """What a wait of some seconds says in the end, and all events."""
    events: list[wire.Message] = []
    with Lab(topology, place="namespace", listener=events.append) as lab, pytest.raises(LabFailed) as failed:
        lab.wait_converged(timeout_s=5)
    return str(failed.value), events


def test_all_events_and_times_of_a_network_that_converges() -> None:
    events: list[wire.Message] = []
    with Lab(pair(router(1, ospf=QUICK), router(2, ospf=QUICK)), place="namespace", listener=events.append) as lab:
        took = lab.wait_converged()
        assert set(took.adjacencies) == set(took.routes) == {"r1", "r2"}
        assert max(took.routers.values()) <= took.seconds + 0.05
        [there] = [each for each in lab.adjacencies("r1") if each.protocol == "ospf"]
        assert (there.neighbor, there.state, there.up, there.interface) == ("r2", "Full", True, "r1-eth0")
        assert "dead in" in there.detail
        states = [e.state for e in events if isinstance(e, wire.AdjacencyEvent) and e.router == "r1"]
        assert states[-1] == "Full" and "ExStart" in states
        routes = [e for e in events if isinstance(e, wire.RouteEvent) and (e.router, e.protocol) == ("r1", "ospf")]
        assert [(e.prefix, e.via) for e in routes if e.added] == [("10.255.0.2/32", ("10.0.0.2 r1-eth0",))]
        # The route came after the adjacency: the clocks of logs and of netlink are one.
        full_s = max(e.time_s for e in events if isinstance(e, wire.AdjacencyEvent) and e.up)
        assert min(e.time_s for e in routes) <= full_s + 5
        lab.set_link("l1", up=False)
        expect(lambda: [e.state for e in events if isinstance(e, wire.AdjacencyEvent) and e.router == "r1"][-1], "gone")
        expect(lambda: any(isinstance(e, wire.RoutingNote) and e.what == "spf" for e in events), True)
        assert lab.wait_converged(timeout_s=5).routers == {}  # nothing is left that could come
        lab.set_link("l1", up=True)
        assert set(lab.wait_converged().routers) == {"r1", "r2"}


def triangle() -> Topology:
    """Three routers in a ring; addresses of links are left to be filled in."""
    pairs = (("r1", "r2"), ("r2", "r3"), ("r3", "r1"))
    return Topology(
        nodes=tuple(router(number, ospf=QUICK) for number in (1, 2, 3)),
        links=tuple(Link(id=f"l{n}", a=End(node=a), b=End(node=b)) for n, (a, b) in enumerate(pairs, 1)),
    )


def test_after_a_fault_what_is_left_is_waited_for() -> None:
    with Lab(triangle(), place="namespace") as lab:
        lab.wait_converged()
        lab.link_down("l1")
        around = lab.wait_converged(timeout_s=20)
        assert set(around.routers) == {"r1", "r2", "r3"}
        assert "10.255.0.2/32" in kernel_prefixes(lab, "r1")
        lab.link_up("l1")
        lab.interface_down("r3", "r3-eth0")  # the way on which r1 has gone until now
        lab.wait_converged(timeout_s=20)
        assert [each.neighbor for each in lab.adjacencies("r1") if each.up and each.interface == "r1-eth0"] == ["r2"]
        lab["r2"].kill("ospfd")  # a dead daemon is nothing that a network converges around
        with pytest.raises(LabFailed, match=r"r2: OSPF neighbor r1 on r2-eth0 is [^\n]*r2 runs no ospfd"):
            lab.wait_converged(timeout_s=2)


def test_another_dead_interval_is_named() -> None:
    said, events = why_not(
        pair(router(1, ospf=QUICK), router(2, ospf=QUICK, frr_conf="interface r2-eth0\n ip ospf dead-interval 7\n"))
    )
    assert "r1: OSPF neighbor r2 on r1-eth0 is not there (dead interval 4 s here, 7 s at r2)" in said
    assert "r2: OSPF neighbor r1 on r2-eth0 is not there (dead interval 7 s here, 4 s at r1)" in said
    told = [event.missing for event in events if isinstance(event, wire.WaitingFor)]
    assert "dead interval 4 s here, 7 s at r2" in told[-1]["r1"][0]
    assert any(isinstance(e, wire.RoutingNote) and e.what == "refused" and "dead interval" in e.text for e in events)


#: What is wrong at each router around r1, and what is said of it.
WRONG = {
    "r2": ("interface r2-eth0\n ip ospf area 1", "area 0.0.0.0 here, 0.0.0.1 at r2"),
    "r3": ("interface r3-eth0\n ip ospf hello-interval 2", "hello interval 1 s here, 2 s at r3"),
    "r4": (
        "interface r4-eth0\n ip ospf authentication\n ip ospf authentication-key Hidden",
        "authentication: none here, simple password at r4",
    ),
    "r5": (
        "interface r5-eth0\n ip ospf authentication message-digest\n ip ospf message-digest-key 1 md5 Hidden",
        "the keys differ",
    ),
    "r6": ("router ospf\n ospf router-id 10.255.0.1", "both have the router id 10.255.0.1"),
}
KEY_OF_R1 = "interface r1-eth3\n ip ospf authentication message-digest\n ip ospf message-digest-key 1 md5 Secret"


def test_whatever_keeps_neighbours_of_ospf_apart_is_named() -> None:
    around = [router(n, ospf=QUICK, frr_conf=lines) for n, (lines, _) in enumerate(WRONG.values(), 2)]
    links = tuple(Link(id=f"l{n}", a=End(node="r1"), b=End(node=name)) for n, name in enumerate(WRONG, 1))
    said, _ = why_not(Topology(nodes=(router(1, ospf=QUICK, frr_conf=KEY_OF_R1), *around), links=links))
    for port, (name, (_, why)) in enumerate(WRONG.items()):
        assert f"r1: OSPF neighbor {name} on r1-eth{port} is not there ({why})" in said
    assert "Hidden" not in said
    assert "Secret" not in said


def test_neighbours_that_are_up_and_bring_nothing_are_named() -> None:
    other = router(2, ospf=QUICK, frr_conf="interface r2-eth0\n ip ospf network broadcast")
    said, _ = why_not(pair(router(1, ospf=QUICK), other))
    assert "r1: OSPF neighbor r2 on r1-eth0 is up, but: network type POINTOPOINT here, BROADCAST at r2" in said


def test_another_mtu_is_named() -> None:
    with Lab(pair(router(1, ospf=QUICK), router(2, ospf=QUICK)), place="namespace") as lab:
        lab.wait_converged()
        lab["r2"].run("ip", "link", "set", "r2-eth0", "mtu", "1400")
        lab["r2"].vtysh("clear ip ospf process")
        with pytest.raises(LabFailed) as failed:
            lab.wait_converged(timeout_s=8)
    assert "OSPF neighbor r2 on r1-eth0 is in Ex" in str(failed.value)
    assert "MTU 1500 here, 1400 at r2" in str(failed.value)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("neighbor 10.0.0.1 remote-as 65009", "r2 expects AS 65009, r1 is in AS 65001"),
        ("neighbor 10.0.0.1 password Hidden", "the passwords differ"),
    ],
    ids=["as", "password"],
)
def test_sessions_that_do_not_come_up_say_why(line: str, why: str) -> None:
    said, _ = why_not(pair(speaker(1), speaker(2, frr_conf=f"router bgp 65002\n {line}\n")))
    assert "r1: BGP session with r2 (10.0.0.2) is in " in said
    assert why in said
    assert "Hidden" not in said  # no secret is told


def test_a_link_without_carrier_brings_nothing_and_nothing_is_waited_for() -> None:
    topology = pair(router(1, ospf=QUICK), router(2, ospf=QUICK))
    unplugged = topology.model_copy(update={"links": (topology.links[0].model_copy(update={"up": False}),)})
    with Lab(unplugged, place="namespace") as lab:
        assert lab.wait_converged(timeout_s=5).routers == {}


def kernel_prefixes(lab: Lab, name: str) -> set[str]:
    """What is in a router's main table that some protocol has put there."""
    told = json.loads(str(lab[name].run("ip", "-json", "-4", "route")))
    found = {"0.0.0.0/0" if each["dst"] == "default" else each["dst"] for each in told if each["protocol"] != "kernel"}
    return {each if "/" in each else f"{each}/32" for each in found}


def test_expected_routes_are_those_of_a_network_with_areas_of_every_kind() -> None:
    with Lab(star(), place="namespace") as lab:
        lab.wait_converged(timeout_s=60)
        expected = expected_routes(lab.topology)
        for router in lab.topology.routers:
            wanted = {str(prefix) for prefix in expected[router.name] if prefix.version == 4}
            # The border router of a range discards what it does not know of it; defaults into NSSAs vary by version.
            assert kernel_prefixes(lab, router.name) - wanted <= {"10.9.2.0/23", "0.0.0.0/0"}
