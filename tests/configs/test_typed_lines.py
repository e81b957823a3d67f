"""Lines typed on a router of a running lab: they are found, adopted into the topology, and in force in the next lab."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path

import pytest

from frrlib.conf.changes import difference
from frrlib.configs.adoption import full_text, take_over
from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.lab.lab import Lab
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.network.network import Bgp, BgpNeighbor, Network, Ospf, end


def two_routers() -> Topology:
    """Two routers with OSPF and BGP."""
    network = Network("typed")
    for name, asn, neighbor_address, other_asn in (("r1", 65001, "10.0.0.2", 65002), ("r2", 65002, "10.0.0.1", 65001)):
        neighbor = BgpNeighbor(address=ip_address(neighbor_address), remote_as=other_asn)
        network.router(name, ospf=Ospf(), bgp=Bgp(asn=asn, neighbors=(neighbor,)))
    network.link(end("r1", "10.0.0.1/24"), end("r2", "10.0.0.2/24"))
    return network.topology


#: Lines typed on r1. `show running-config` shows most of them again.
TYPED = [
    "configure terminal",
    "ip prefix-list OURS seq 5 permit 10.99.0.0/16",
    "route-map OUT permit 10",
    "match ip address prefix-list OURS",
    "set metric 77",
    "exit",
    "router bgp 65001",
    "no bgp network import-check",
    "address-family ipv4 unicast",
    "network 10.99.0.0/16",
    "neighbor 10.0.0.2 route-map OUT out",
    "exit-address-family",
    "exit",
    "interface r1-eth0",
    "ip ospf cost 123",
    "exit",
    "router bgp 65001",
    "no neighbor 10.0.0.2 timers connect",
    "neighbor 10.0.0.2 description the east side",
    "no bgp log-neighbor-changes",
    "exit",
    "router ospf",
    "area 7 stub no-summary",
    "redistribute connected metric 5",
    "no timers lsa min-arrival",
    "exit",
    "key chain K",
    "key 1",
    "key-string secret",
    "exit",
    "exit",
    "access-list A seq 5 permit 10.0.0.0/8",
    "ip nht resolve-via-default",
    "interface lo",
    "description of lo",
    "end",
]


@pytest.mark.lab
def test_typed_lines_are_in_force_after_the_next_start(tmp_path: Path) -> None:
    file = tmp_path / "typed.mn"
    file.write_text(mn.dumps(two_routers()), encoding="utf-8")
    topology = mn.load(file).topology
    with Lab(topology, place="namespace") as lab:
        lab.read_at_end = True
        assert not any(config.typed() for config in lab.running_configs().values())
        with lab["r1"].vtysh_session() as session:
            for line in TYPED:
                session.run(line)
    changes = {name: config.typed() for name, config in lab.end_configs.items()}
    assert changes["r2"] == []

    adopted = take_over(topology, changes)
    router = adopted.node("r1")
    assert isinstance(router, Router)
    assert router.bgp is not None
    assert list(map(str, router.bgp.networks)) == ["10.99.0.0/16"]
    assert adopted.links[0].a.ospf_cost == 123
    assert "network 10.99" not in router.frr_conf
    assert set(changes["r1"]) == set(difference(full_text(topology, "r1"), full_text(adopted, "r1")))
    file.write_text(mn.dumps(adopted), encoding="utf-8")

    with Lab(mn.load(file).topology, place="namespace") as again:
        config = again["r1"].running_config()
        assert config.typed() == []
        assert difference(lab.end_configs["r1"].now, config.now) == []
        again.wait_routes()
        bgp_route = again["r2"].vtysh("show bgp ipv4 unicast 10.99.0.0/16", json=True)
        assert bgp_route["paths"][0]["metric"] == 77
        in_kernel = again["r2"].run("ip", "route", "show", "10.99.0.0/16", "proto", "bgp")
        assert "via 10.0.0.1 dev r2-eth0" in in_kernel
        cost = again["r1"].vtysh("show ip ospf interface r1-eth0", json=True)
        assert cost["interfaces"]["r1-eth0"]["cost"] == 123


@pytest.mark.lab
def test_silent_daemons_are_reported_and_their_written_lines_are_kept() -> None:
    with Lab(two_routers(), place="namespace") as lab:
        lab["r1"].configure("router bgp 65001\n address-family ipv4 unicast\n  network 10.77.0.0/16\n")
        lab["r1"].kill("bgpd", 19)
        frozen = lab.running_configs()["r1"]
        assert frozen.silent == ("bgpd is stopped",)
        assert frozen.typed() == []
        lab["r1"].kill("bgpd", 18)
        lab["r1"].vtysh("write memory")
        lab["r1"].kill("bgpd", 9)
        lab["r1"].run("sh", "-c", "while vtysh -d bgpd -c 'show version' >/dev/null 2>&1; do :; done")
        dead = lab["r1"].running_config()
        assert dead.silent == ("bgpd does not run",)
        assert [change.line for change in dead.typed()] == ["network 10.77.0.0/16"]


@pytest.mark.lab
def test_a_refused_line_prevents_the_start_of_the_lab() -> None:
    topology = two_routers()
    router = topology.node("r2")
    assert isinstance(router, Router)
    custom = "router bgp 65002\n bgp router-id 1.2.3.4\n netwrk 10.0.0.0/8\n"
    nodes = (topology.nodes[0], router.model_copy(update={"frr_conf": custom}))
    lab = Lab(topology.model_copy(update={"nodes": nodes}), place="namespace")
    with pytest.raises(TopologyError, match=r'r2.frr_conf: FRR refuses line 3.*"netwrk 10.0.0.0/8"'), lab:
        pass


@pytest.mark.lab
def test_a_static_route_can_be_typed_on_a_router_without_static_routes() -> None:
    """The router starts without staticd, which few routers need. Opening vtysh starts it."""
    topology = two_routers()
    with Lab(topology, place="namespace") as lab:
        assert not lab["r1"].run("sh", "-c", "ls /run/frr | grep staticd || true")
        with lab["r1"].vtysh_session() as session:
            for line in ("configure terminal", "ip route 10.88.0.0/16 10.0.0.2", "end"):
                session.run(line)
        lab["r2"].configure("ip route 10.89.0.0/16 10.0.0.1\n")
        for router, prefix in (("r1", "10.88.0.0/16"), ("r2", "10.89.0.0/16")):
            in_kernel = "import subprocess, time\nwhile 'static' not in subprocess.getoutput('ip route show %s'):\n"
            lab[router].run("python3", "-c", in_kernel % prefix + "    time.sleep(0.05)", timeout_s=20)
        changes = {name: config.typed() for name, config in lab.running_configs().items()}
        assert [change.line for change in changes["r1"]] == ["ip route 10.88.0.0/16 10.0.0.2"]
        assert [change.line for change in changes["r2"]] == ["ip route 10.89.0.0/16 10.0.0.1"]
        lab.power_cycle("r1", 0.5)
        assert lab["r1"].vtysh("show ip route static", json=True) == {}
    adopted = take_over(topology, changes).node("r1")
    assert isinstance(adopted, Router)
    assert [(str(route.prefix), str(route.via)) for route in adopted.static_routes] == [("10.88.0.0/16", "10.0.0.2")]
