"""VRFs and labels in the kernel: separate routing tables, and the kernel's settings of MPLS."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from frrlib.lab.lab import Lab
from frrlib.lab.needs import modules_for, needs_of
from frrlib.model.routing import Ldp, Vrf
from frrlib.network.network import Network

pytestmark = pytest.mark.lab
#: The last route of a VRF, with the kernel's metric for it.
LAST = {"type": "unreachable", "dst": "default", "metric": 4_278_198_272}


def two_customers() -> Network:
    net = Network("Two customers at one router")
    vrfs = (
        Vrf(name="red", table=10, interfaces=("r1-eth0",)),
        Vrf(name="blue", table=20, interfaces=("r1-eth1", "r1-eth2")),
    )
    net.router("r1", vrfs=vrfs, ldp=Ldp(interfaces=("r1-eth1",)), loopbacks=("1.1.1.1/32",), frr_conf="! none")
    for host in ("h1", "h2", "h3"):
        net.host(host)
        net.link(host, "r1")
    return net


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab(two_customers().topology) as lab:
        yield lab


def test_needs_name_the_modules_of_the_kernel() -> None:
    needs = needs_of(two_customers().topology)
    assert {"vrf", "mpls"} <= needs.device_types
    assert {"vrf", "mpls_router", "mpls_iptunnel"} <= set(modules_for(needs))


def test_interfaces_belong_to_the_vrf_and_keep_their_addresses(lab: Lab) -> None:
    interfaces = {interface["ifname"]: interface for interface in json.loads(lab["r1"].run("ip", "-j", "address"))}
    assert {name: interfaces[name].get("master") for name in ("r1-eth0", "r1-eth1", "r1-eth2")} == {
        "r1-eth0": "red", "r1-eth1": "blue", "r1-eth2": "blue",
    }  # fmt: skip
    assert [address["local"] for address in interfaces["r1-eth0"]["addr_info"] if address["family"] == "inet"] == [
        "10.0.1.1"
    ]


def test_the_last_route_of_each_table_is_unreachable(lab: Lab) -> None:
    for table in ("10", "20"):
        for family in ("-4", "-6"):
            routes = json.loads(lab["r1"].run("ip", "-j", family, "route", "show", "table", table))
            assert any(route | LAST == route for route in routes)


def test_hosts_of_one_vrf_reach_each_other_and_no_others(lab: Lab) -> None:
    assert lab.ping("h2", "h3", 2)["received"] == 2
    assert lab.ping("h1", "h3", 1)["received"] == 0


def test_labels_are_accepted_only_on_interfaces_with_ldp(lab: Lab) -> None:
    words = lab["r1"].run("sysctl", "-n", "net.mpls.platform_labels", "net.mpls.conf.r1-eth1.input").split()
    assert words == ["100000", "1"]
    assert lab["r1"].run("sysctl", "-n", "net.mpls.conf.r1-eth0.input").strip() == "0"
