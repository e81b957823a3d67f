"""Nodes have names, as resolved by getent(1) and ping(8). An unknown name fails at once."""

from __future__ import annotations

from ipaddress import ip_interface
from pathlib import Path

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.addressing.known_names import hosts_file
from frrlib.errors import CommandFailed
from frrlib.lab.lab import Lab
from frrlib.model.nodes import Router
from frrlib.network.network import Network, Ospf

NOBODY = """
import socket
try:
    socket.getaddrinfo("nobody.example", 1)
except socket.gaierror as error:
    print(error.errno in (socket.EAI_NONAME, socket.EAI_AGAIN, socket.EAI_FAIL))
"""


def network() -> Network:
    """h1 - r1 - r2 - h2."""
    net = Network("names")
    net.host("h1")
    net.host("h2")
    for name, last in (("r1", 1), ("r2", 2)):
        net.router(name, ospf=Ospf(), loopbacks=(f"10.255.0.{last}/32",))
    for a, b in (("h1", "r1"), ("r1", "r2"), ("r2", "h2")):
        net.link(a, b)
    return net


def test_every_node_has_its_name_at_all_of_its_addresses() -> None:
    topology = addressed(network().topology)
    lines = [line.split("\t") for line in hosts_file(topology).splitlines()]
    addresses = {name: [address for address, other_name in lines if other_name == name] for _, name in lines}
    for node in topology.nodes:
        of_links = [str(address.ip) for _, end in topology.ends_at(node.name) for address in end.addresses]
        loopbacks = [str(loopback.ip) for loopback in node.loopbacks] if isinstance(node, Router) else []
        assert sorted(addresses[node.name]) == sorted([*of_links, *loopbacks])
    assert addresses["r1"][0] == "10.255.0.1", "the name of a router with OSPF is that of its loopback"
    assert ip_interface(f"{addresses['h2'][0]}/32")


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_names_are_resolved_in_every_node(place: str) -> None:
    machines = Path("/etc/hosts").read_bytes()
    with Lab(network().topology, place=place) as lab:
        lab.wait_converged()
        assert lab["h1"].run("getent", "hosts", "r2").split()[0] == "10.255.0.2"
        assert " 1 received" in lab["h1"].run("ping", "-c1", "-W2", "h2")
        assert " 1 received" in lab["r1"].run("ping", "-c1", "-W2", "h2")
        assert lab["h2"].run("python3", "-c", NOBODY, timeout_s=4.0).strip() == "True"
        with pytest.raises(CommandFailed):
            lab["h1"].run("getent", "hosts", "nobody.example", timeout_s=4.0)
    assert Path("/etc/hosts").read_bytes() == machines
