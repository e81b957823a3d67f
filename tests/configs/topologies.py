"""Topologies that configurations are adopted into."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from frrlib.model.protocols.common import StaticRoute
from frrlib.model.topology import Topology
from frrlib.network.network import Bgp, BgpNeighbor, Network, Ospf, end


def two_routers(custom: str = "") -> Topology:
    """Two routers and a link between them. The first has OSPF, BGP, a static route, and custom lines."""
    network = Network("t")
    network.router(
        "r1",
        ospf=Ospf(),
        bgp=Bgp(asn=65001, neighbors=(BgpNeighbor(address=ip_address("10.0.0.2"), remote_as=65002),)),
        static_routes=(StaticRoute(prefix=ip_network("10.8.0.0/16"), via=ip_address("10.0.0.2")),),
        frr_conf=custom,
    )
    network.router("r2", ospf=Ospf())
    network.link(end("r1", "10.0.0.1/24"), end("r2", "10.0.0.2/24"))
    return network.topology
