"""Waits for sessions, adjacencies and networks that only configuration text configures: FRR is asked for them."""

from __future__ import annotations

import pytest

from frrlib.errors import LabFailed
from frrlib.lab.convergence import request
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from frrlib.network import Network, end

OSPF = "router ospf\n network 10.0.0.0/16 area 0\n"


def bgp_text(number: int, peer: int | None, network: str = "") -> str:
    session = f" neighbor 10.0.0.{peer} remote-as 6500{3 - number}\n" if peer else ""
    return (
        f"router bgp 6500{number}\n no bgp ebgp-requires-policy\n{session}"
        f" address-family ipv4 unicast\n {network}\n exit-address-family\n"
    )


def routers(*pairs: tuple[str, str]) -> Topology:
    """Pairs of routers with these texts, r1 and r2, r3 and r4 and so on; pairs are not connected with each other."""
    network = Network("Text")
    for number, texts in enumerate(pairs):
        names = [f"r{2 * number + 1}", f"r{2 * number + 2}"]
        for name, text in zip(names, texts, strict=True):
            network.router(name, frr_conf=text.replace("10.0.0.", f"10.0.{number}."))
        network.link(end(names[0], f"10.0.{number}.1/24"), end(names[1], f"10.0.{number}.2/24"))
    return network.topology


def test_a_lab_without_text_asks_for_nothing() -> None:
    assert request(routers(("", "")), 5.0, 0.5) is None


@pytest.mark.lab
@pytest.mark.usefixtures("virtual_time")
def test_the_wait_names_what_text_configures_and_does_not_come_up() -> None:
    topology = routers(
        (bgp_text(1, 2), bgp_text(2, None)),
        (bgp_text(1, 9), bgp_text(2, None)),
        (bgp_text(1, 2, "network 1.1.1.0/24"), bgp_text(2, 1)),
        (f"{OSPF.replace('/16', '/24')}interface r7-eth0\n ip ospf hello-interval 3\n", OSPF.replace("/16", "/24")),
        (bgp_text(1, 2), bgp_text(2, 1)),
    )
    with Lab(topology, place="labkernel", virtual_time=True) as lab, pytest.raises(LabFailed) as failed:
        lab.wait_converged(timeout_s=30)
    _, *lines = str(failed.value).splitlines()
    assert lines[:3] == [
        "r1: BGP session with r2 (10.0.0.2) is in Active (r2 has no session with r1)",
        "r3: BGP session with 10.0.1.9 (10.0.1.9) is in Active (no node of the topology has this address)",
        "r5: BGP does not announce network 1.1.1.0/24: the router has no route to it",
    ]
    assert [line.partition(":")[0] for line in lines] == ["r1", "r3", "r5", "r7", "r8"]
    assert "hello interval 3 s here, 10 s at r8" in lines[3]
