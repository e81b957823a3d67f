"""Paths in real labs: the kernels' forwarding decisions, compared with probes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from frrlib.formats import mn
from frrlib.lab.lab import Lab
from frrlib.network.network import Network, Ospf, Ospf6, end
from tests.examples.data import EXAMPLES

pytestmark = pytest.mark.lab


def ring() -> Network:
    """h1 behind a switch at r1, a ring of four routers, and h3 at r3, with IPv4 and IPv6."""
    net = Network("Ring")
    for name in ("r1", "r2", "r3", "r4"):
        net.router(name, ospf=Ospf(hello_s=1, dead_s=4), ospf6=Ospf6(hello_s=1, dead_s=4))
    net.host("h1")
    net.host("h3")
    net.bridge("s1")
    for a, b in (("h1", "s1"), ("s1", "r1"), ("r1", "r2"), ("r2", "r3"), ("r3", "r4"), ("r4", "r1"), ("r3", "h3")):
        net.link(a, b)
    return net


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab(ring().topology, place="namespace") as lab:
        lab.wait_converged()
        yield lab


def test_equal_paths_are_found_with_the_switches_in_between(lab: Lab) -> None:
    path = lab.path("h1", "h3")
    assert sorted(path.branches()) == [("h1", "r1", "r2", "r3", "h3"), ("h1", "r1", "r4", "r3", "h3")]
    assert path.arrives
    assert path.difference == ""
    assert path.stops[0].hops[0].switches == ("s1",)
    assert path.stops[0].hops[0].links == ("l1", "l2")
    assert path.hops is not None
    assert path.hops[-1].node == "h3"
    return_path = lab.path_back(path)
    assert {nodes[::-1] for nodes in return_path.branches()} == set(path.branches())
    # The kernel's output about the same route.
    printed = json.loads(lab["r1"].run("ip", "-j", "route", "get", "fibmatch", path.address))[0]
    r1 = next(stop for stop in path.stops if stop.node == "r1")
    assert {hop["dev"] for hop in printed["nexthops"]} == {hop.interface for hop in r1.hops}
    assert (printed["dst"], printed["protocol"]) == (r1.prefix, r1.protocol)


def test_the_end_of_a_path_is_reported_with_the_node(lab: Lab) -> None:
    address = lab.path("h1", "h3", trace=False).address
    r2, r4 = lab["r2"], lab["r4"]
    r4.run("ip", "route", "add", "blackhole", address)
    assert lab.path("h1", "h3", trace=False).ends == {"r4": f"has a blackhole route to {address}/32"}
    r4.run("ip", "route", "replace", "unreachable", address)
    assert lab.path("h1", "h3", trace=False).ends == {"r4": f"has an unreachable route to {address}/32"}
    r4.run("ip", "route", "del", "unreachable", address)
    r4.run("sysctl", "-qw", "net.ipv4.ip_forward=0")
    assert lab.path("h1", "h3", trace=False).ends == {"r4": "does not forward packets"}
    assert lab.path("r4", "h3").arrives  # r4 still sends its own packets
    r4.run("sysctl", "-qw", "net.ipv4.ip_forward=1")
    gateway = next(hop.gateway for stop in lab.path("r2", "r1", trace=False).stops for hop in stop.hops)
    r2.run("ip", "route", "add", address, "via", gateway)
    looped = lab.path("r2", "h3")
    assert set(looped.loops[0]) == {"r1", "r2"}
    r2.run("ip", "route", "replace", address, "via", f"{gateway.rpartition('.')[0]}.77", "onlink", "dev", "r2-eth0")
    assert "finds no node with" in lab.path("r2", "h3", trace=False).ends["r2"]
    r2.run("ip", "route", "del", address)
    nowhere = lab.path("h1", "192.0.2.1")
    assert nowhere.ends == {"r1": "has no route"}
    assert nowhere.difference == ""
    assert nowhere.hops is not None
    assert nowhere.hops[-1].said == "no route"


def test_a_forwarding_loop_is_reported(lab: Lab) -> None:
    gateway_of = {
        (a, b): next(hop.gateway for stop in lab.path(a, b, trace=False).stops for hop in stop.hops)
        for a, b in (("r1", "r2"), ("r2", "r1"))
    }
    lab["r1"].run("ip", "route", "add", "192.0.2.0/24", "via", gateway_of["r1", "r2"])
    lab["r2"].run("ip", "route", "add", "192.0.2.0/24", "via", gateway_of["r2", "r1"])
    try:
        path = lab.path("h1", "192.0.2.1")
    finally:
        lab["r1"].run("ip", "route", "del", "192.0.2.0/24")
        lab["r2"].run("ip", "route", "del", "192.0.2.0/24")
    assert path.loops == [("r1", "r2", "r1")]
    assert path.hops is not None
    assert path.hops[-1].said == "loop"
    assert path.difference == ""


def test_a_link_that_is_down_behind_a_switch_is_reported(lab: Lab) -> None:
    lab.link_down("l2")
    try:
        path = lab.path("h1", "h3")
    finally:
        lab.link_up("l2")
    assert path.ends == {"h1": "does not reach r1: the link s1 - r1 is down"}
    assert not path.arrives
    assert path.difference in ("", "traceroute received no reply")


def test_paths_of_ipv6() -> None:
    net = Network("IPv6")
    net.router("r1", ospf6=Ospf6(hello_s=1, dead_s=4))
    net.router("r2", ospf6=Ospf6(hello_s=1, dead_s=4))
    net.host("h1")
    net.host("h2")
    net.link(end("h1", "2001:db8:1::10/64"), end("r1", "2001:db8:1::1/64"))
    net.link(end("r1", "2001:db8:2::1/64"), end("r2", "2001:db8:2::2/64"))
    net.link(end("r2", "2001:db8:3::1/64"), end("h2", "2001:db8:3::10/64"))
    with Lab(net.topology, place="namespace") as lab:
        lab.wait_converged()
        path = lab.path("h1", "h2", family=6)
        assert path.branches() == [("h1", "r1", "r2", "h2")]
        assert path.arrives
        assert path.difference == ""
        lab["r2"].run("sysctl", "-qw", "net.ipv6.conf.all.forwarding=0")
        assert lab.path("r1", "h2", family=6, trace=False).ends == {"r2": "does not forward packets"}


def test_equal_addresses_in_two_vrfs_are_distinguished() -> None:
    with Lab(mn.load(EXAMPLES / "vrf.mn").topology) as lab:
        lab.wait_converged()
        red, blue = lab.path("red1", "red2"), lab.path("blue1", "blue2")
        assert red.address == blue.address
        for path, color in ((red, "red"), (blue, "blue")):
            assert path.branches() == [(f"{color}1", "r1", "r2", f"{color}2")]
            assert [stop.vrf for stop in path.stops] == ["", color, color, ""]
            assert path.arrives
            assert path.difference == ""
        from_router = lab.path("r1", "blue2", vrf="blue")
        assert from_router.branches() == [("r1", "r2", "blue2")]
        assert from_router.difference == ""


def test_parallel_links_and_all_switches_in_between_are_named() -> None:
    net = Network("Parallel")
    net.host("h1")
    net.host("h2")
    net.bridge("s1")
    net.bridge("s2")
    net.router("r1", frr_conf="ip route 10.4.0.0/24 10.3.0.2\n")
    net.router("r2", frr_conf="ip route 10.1.0.0/24 10.3.0.1\n")
    net.link(end("h1", "10.1.0.10/24"), "s1")
    net.link("s1", "s2")
    net.link("s2", end("r1", "10.1.0.1/24"))
    net.link(end("r1", "10.2.0.1/24"), end("r2", "10.2.0.2/24"))
    net.link(end("r1", "10.3.0.1/24"), end("r2", "10.3.0.2/24"))
    net.link(end("r2", "10.4.0.1/24"), end("h2", "10.4.0.10/24"))
    with Lab(net.topology, place="namespace") as lab:
        lab.wait_converged()
        path = lab.path("h1", "h2")
    assert path.arrives
    assert path.difference == ""
    assert [hop.links for stop in path.stops for hop in stop.hops] == [("l1", "l2", "l3"), ("l5",), ("l6",)]
    assert path.stops[0].hops[0].switches == ("s1", "s2")
