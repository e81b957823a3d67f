"""Random healthy networks with virtual links, with VRFs on several routers, with parallel links, and with own lines."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

from frrlib.addressing.addressing import addressed
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.render.frr import frr_conf
from tests.against_frr import bgp_networks, igp_networks
from tests.against_frr.builder import NetworkBuilder
from tests.against_frr.igp_networks import chance

#: Share of links that have a parallel one.
PARALLEL_SHARE = 0.5
_PROTOCOLS = ("ospf", "ospf6", "isis", "rip", "ripng", "bgp")


def virtual_links(random: Random) -> Topology:
    """OSPF with an area that is joined to the backbone by a virtual link across another one."""
    builder = NetworkBuilder("OSPF with a virtual link", random)
    backbone = builder.add_routers(random.randint(1, 3))
    transit = [random.choice(backbone), *builder.add_routers(random.randint(1, 3))]
    remote = [random.choice(transit[1:]), *builder.add_routers(random.randint(1, 3))]
    area_of_net = {
        net: area for area, members in enumerate((backbone, transit, remote)) for net in builder.connect(members)
    }
    for router in builder.routers:
        area = 0 if router in backbone else 1 if router in transit else 2
        router.fields["ospf"] = {"area": str(area), "interfaces": [], "lab_timers": chance(random, 0.8)}
    for net, area in area_of_net.items():
        for router, interface in net.members:
            router.fields["ospf"]["interfaces"].append({"interface": interface, "area": str(area)})
            if chance(random, 0.3):
                builder.set_end(router, interface, ospf_cost=random.randint(1, 50))
    for router, peer in ((transit[0], remote[0]), (remote[0], transit[0])):
        router.fields["frr_conf"] = f"router ospf\n area 1 virtual-link 10.255.0.{peer.number}\n"
    return builder.topology()


def vrfs_everywhere(random: Random) -> Topology:
    """Two to four routers in a row, each with the same VRFs, which have links of their own and overlap in nothing."""
    builder = NetworkBuilder("VRFs on all routers", random)
    routers = builder.add_routers(random.randint(2, 4))
    for router in routers:
        router.fields["vrfs"] = []
    for number in range(1, random.randint(1, 3) + 1):
        nets = [builder.join(*pair) for pair in pairwise(routers)]
        customer = builder.add_routers(1)[0]
        nets.append(builder.join(random.choice(routers), customer))
        customer.fields["ospf"] = {"hello_s": 1, "dead_s": 4}
        for router in routers:
            interfaces = [interface for net in nets for member, interface in net.members if member is router]
            vrf: dict[str, Any] = {"name": f"blue{number}", "table": 100 + number, "interfaces": interfaces}
            router.fields["vrfs"].append({**vrf, "ospf": {"hello_s": 1, "dead_s": 4}})
    if chance(random, 0.5):
        builder.connect(routers)
        for router in routers:
            router.fields["ospf"] = {}
    return builder.topology()


def parallel_links(random: Random) -> Topology:
    """OSPF, IS-IS or RIP with several links between the same two routers."""
    make = random.choice((igp_networks.ospf, igp_networks.isis, igp_networks.rip))
    return make(random, parallel_share=PARALLEL_SHARE)


def with_settings(random: Random) -> Topology:
    """A network of another kind, with names and addresses filled in."""
    make = random.choice(
        (igp_networks.ospf, igp_networks.isis, igp_networks.rip, igp_networks.static, bgp_networks.bgp)
    )
    return addressed(make(random))


def own_lines(random: Random) -> Topology:
    """The network of `with_settings`, in which some routers have own lines of `frr.conf` instead of settings."""
    topology = with_settings(random)
    nodes = [
        _with_own_lines(topology, node) if isinstance(node, Router) and chance(random, 0.5) else node
        for node in topology.nodes
    ]
    return topology.model_copy(update={"nodes": tuple(nodes)})


def _with_own_lines(topology: Topology, router: Router) -> Router:
    """The router with its whole configuration as own lines."""
    update = {**dict.fromkeys(_PROTOCOLS), "static_routes": (), "frr_conf": frr_conf(topology, router)}
    return router.model_copy(update=update)
