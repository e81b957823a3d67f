"""The wait for convergence: its events and times, and its message about adjacencies and routes that do not come."""

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
        End(node=router.name, interface=f"{router.name}-eth0", addresses=(ip_interface(f"10.0.0.{number}/24"),))
        for number, router in enumerate((r1, r2), 1)
    )
    return Topology(nodes=(r1, r2), links=(Link(id="l1", a=a, b=b),))


def router(number: int, **fields: object) -> Router:
    """Router rN with a loopback."""
    return Router(name=f"r{number}", loopbacks=(ip_interface(f"10.255.0.{number}/32"),), **fields)


def speaker(number: int, **fields: object) -> Router:
    """Router rN in AS 65000+N, with a session to the other router."""
    neighbor = BgpNeighbor(address=ip_interface(f"10.0.0.{3 - number}/24").ip, remote_as=65003 - number)
    bgp = Bgp(asn=65000 + number, neighbors=(neighbor,), networks=(ip_interface(f"10.255.0.{number}/32").network,))
    return router(number, bgp=bgp, **fields)


def failure_of(topology: Topology) -> tuple[str, list[wire.Message]]:
    """The message of a wait that fails after some seconds, and all events."""
    events: list[wire.Message] = []
    with Lab(topology, place="namespace", listener=events.append) as lab, pytest.raises(LabFailed) as failed:
        lab.wait_converged(timeout_s=5)
    return str(failed.value), events


def test_events_and_times_of_a_network_that_converges() -> None:
    events: list[wire.Message] = []
    with Lab(pair(router(1, ospf=QUICK), router(2, ospf=QUICK)), place="namespace", listener=events.append) as lab:
        took = lab.wait_converged()
        assert set(took.adjacencies) == set(took.routes) == {"r1", "r2"}
        assert max(took.routers.values()) <= took.seconds + 0.05
        [ospf_neighbor] = [adjacency for adjacency in lab.adjacencies("r1") if adjacency.protocol == "ospf"]
        assert (ospf_neighbor.neighbor, ospf_neighbor.state, ospf_neighbor.up, ospf_neighbor.interface) == (
            "r2",
            "Full",
            True,
            "r1-eth0",
        )
        assert "dead in" in ospf_neighbor.detail
        states = [event.state for event in events if isinstance(event, wire.AdjacencyEvent) and event.router == "r1"]
        assert states[-1] == "Full" and "ExStart" in states
        routes = [
            event
            for event in events
            if isinstance(event, wire.RouteEvent) and (event.router, event.protocol) == ("r1", "ospf")
        ]
        assert [(event.prefix, event.via) for event in routes if event.added] == [
            ("10.255.0.2/32", ("10.0.0.2 r1-eth0",))
        ]
        # The route came after the adjacency, since logs and netlink have the same clock.
        full_s = max(event.time_s for event in events if isinstance(event, wire.AdjacencyEvent) and event.up)
        assert min(event.time_s for event in routes) <= full_s + 5
        lab.set_link("l1", up=False)
        expect(
            lambda: [
                event.state for event in events if isinstance(event, wire.AdjacencyEvent) and event.router == "r1"
            ][-1],
            "gone",
        )
        expect(lambda: any(isinstance(event, wire.RoutingNote) and event.what == "spf" for event in events), True)
        assert lab.wait_converged(timeout_s=5).routers == {}  # no other adjacency or route is possible
        lab.set_link("l1", up=True)
        assert set(lab.wait_converged().routers) == {"r1", "r2"}


def triangle() -> Topology:
    """Three routers in a ring. The addresses of links are left open."""
    pairs = (("r1", "r2"), ("r2", "r3"), ("r3", "r1"))
    return Topology(
        nodes=tuple(router(number, ospf=QUICK) for number in (1, 2, 3)),
        links=tuple(Link(id=f"l{n}", a=End(node=a), b=End(node=b)) for n, (a, b) in enumerate(pairs, 1)),
    )


def test_after_a_fault_the_remaining_adjacencies_and_routes_are_awaited() -> None:
    with Lab(triangle(), place="namespace") as lab:
        lab.wait_converged()
        lab.link_down("l1")
        second_wait = lab.wait_converged(timeout_s=20)
        assert set(second_wait.routers) == {"r1", "r2", "r3"}
        assert "10.255.0.2/32" in kernel_prefixes(lab, "r1")
        lab.link_up("l1")
        lab.interface_down("r3", "r3-eth0")  # r1 used this link until now
        lab.wait_converged(timeout_s=20)
        assert [
            adjacency.neighbor
            for adjacency in lab.adjacencies("r1")
            if adjacency.up and adjacency.interface == "r1-eth0"
        ] == ["r2"]
        lab["r2"].kill("ospfd")  # a network does not converge around a dead daemon
        with pytest.raises(LabFailed, match=r"r2: OSPF neighbor r1 on r2-eth0 is [^\n]*r2 runs no ospfd"):
            lab.wait_converged(timeout_s=2)


def test_different_dead_intervals_are_reported() -> None:
    message, events = failure_of(
        pair(router(1, ospf=QUICK), router(2, ospf=QUICK, frr_conf="interface r2-eth0\n ip ospf dead-interval 7\n"))
    )
    assert "r1: OSPF neighbor r2 on r1-eth0 is missing (dead interval 4 s here, 7 s at r2)" in message
    assert "r2: OSPF neighbor r1 on r2-eth0 is missing (dead interval 7 s here, 4 s at r1)" in message
    missing = [event.missing for event in events if isinstance(event, wire.WaitingFor)]
    assert "dead interval 4 s here, 7 s at r2" in missing[-1]["r1"][0]
    assert any(
        isinstance(event, wire.RoutingNote) and event.what == "refused" and "dead interval" in event.text
        for event in events
    )


#: The mistake of each router around r1, and the reported reason.
MISTAKES = {
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
    "r6": ("router ospf\n ospf router-id 10.255.0.1", "both have the router ID 10.255.0.1"),
}
KEY_OF_R1 = "interface r1-eth3\n ip ospf authentication message-digest\n ip ospf message-digest-key 1 md5 Secret"


def test_the_reason_why_ospf_neighbors_are_apart_is_reported() -> None:
    neighbors = [router(n, ospf=QUICK, frr_conf=lines) for n, (lines, _) in enumerate(MISTAKES.values(), 2)]
    links = tuple(Link(id=f"l{n}", a=End(node="r1"), b=End(node=name)) for n, name in enumerate(MISTAKES, 1))
    message, _ = failure_of(Topology(nodes=(router(1, ospf=QUICK, frr_conf=KEY_OF_R1), *neighbors), links=links))
    for port, (name, (_, reason)) in enumerate(MISTAKES.items()):
        assert f"r1: OSPF neighbor {name} on r1-eth{port} is missing ({reason})" in message
    assert "Hidden" not in message
    assert "Secret" not in message


def test_neighbors_that_are_up_without_routes_are_reported() -> None:
    neighbor = router(2, ospf=QUICK, frr_conf="interface r2-eth0\n ip ospf network broadcast")
    message, _ = failure_of(pair(router(1, ospf=QUICK), neighbor))
    assert "r1: OSPF neighbor r2 on r1-eth0 is up, but: network type POINTOPOINT here, BROADCAST at r2" in message


def test_different_mtus_are_reported() -> None:
    with Lab(pair(router(1, ospf=QUICK), router(2, ospf=QUICK)), place="namespace") as lab:
        lab.wait_converged()
        lab["r2"].run("ip", "link", "set", "r2-eth0", "mtu", "1400")
        lab["r2"].vtysh("clear ip ospf process")
        with pytest.raises(LabFailed) as failed:
            lab.wait_converged(timeout_s=8)
    assert "OSPF neighbor r2 on r1-eth0 is in Ex" in str(failed.value)
    assert "MTU 1500 here, 1400 at r2" in str(failed.value)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("neighbor 10.0.0.1 remote-as 65009", "r2 expects AS 65009, r1 is in AS 65001"),
        ("neighbor 10.0.0.1 password Hidden", "the passwords differ"),
    ],
    ids=["as", "password"],
)
def test_the_reason_why_a_session_is_down_is_reported(line: str, reason: str) -> None:
    message, _ = failure_of(pair(speaker(1), speaker(2, frr_conf=f"router bgp 65002\n {line}\n")))
    assert "r1: BGP session with r2 (10.0.0.2) is in " in message
    assert reason in message
    assert "Hidden" not in message  # no password is printed


def test_routers_beyond_a_link_without_carrier_are_not_awaited() -> None:
    topology = pair(router(1, ospf=QUICK), router(2, ospf=QUICK))
    unplugged = topology.model_copy(update={"links": (topology.links[0].model_copy(update={"up": False}),)})
    with Lab(unplugged, place="namespace") as lab:
        assert lab.wait_converged(timeout_s=5).routers == {}


def kernel_prefixes(lab: Lab, name: str) -> set[str]:
    """The prefixes in a router's main table that were installed by a protocol."""
    routes = json.loads(str(lab[name].run("ip", "-json", "-4", "route")))
    destinations = {route["dst"] for route in routes if route["protocol"] != "kernel"}
    prefixes = {"0.0.0.0/0" if destination == "default" else destination for destination in destinations}
    return {prefix if "/" in prefix else f"{prefix}/32" for prefix in prefixes}


def test_kernels_have_the_expected_routes_of_areas_of_every_kind() -> None:
    with Lab(star(), place="namespace") as lab:
        lab.wait_converged(timeout_s=60)
        expected = expected_routes(lab.topology)
        for router in lab.topology.routers:
            prefixes = {str(prefix) for prefix in expected[router.name] if prefix.version == 4}
            # The border router of a range discards packets to unknown parts of it. Defaults into NSSAs vary by version.
            assert kernel_prefixes(lab, router.name) - prefixes <= {"10.9.2.0/23", "0.0.0.0/0"}
