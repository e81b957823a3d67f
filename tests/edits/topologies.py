"""Short constructors of topologies, made with the editor's edits."""

from __future__ import annotations

from ipaddress import ip_interface

from frrlib.edits import changes, generators, links
from frrlib.model.links import End
from frrlib.model.nodes import Router
from frrlib.model.routing import Ospf, OspfInterface
from frrlib.model.topology import Topology

ALL = ("host", "router", "legacy-router", "switch", "bridge", "controller", "ospf-router", "bgp-router")

#: Nine routers in three rows.
GRID = generators.grid(3, 3)
NAMES = [router.name for router in GRID.routers]
THIRDS = [NAMES[:3], NAMES[3:6], NAMES[6:]]


def drawn(*tools: str) -> Topology:
    """Nodes that are drawn one after the other."""
    topology = Topology()
    for index, tool in enumerate(tools):
        topology, _ = changes.add_node(topology, tool, index * 100, 50)
    return topology


def linked(topology: Topology, *pairs: str) -> Topology:
    """Links that are drawn one after the other, each "h1 r1"."""
    for pair in pairs:
        topology, _ = links.add_link(topology, *pair.split())
    return topology


def with_ospf(topology: Topology, **fields: object) -> Topology:
    router = topology.node("r1")
    assert isinstance(router, Router)
    return changes.replace_node(topology, "r1", router.model_copy(update={"ospf": Ospf(**fields)}))


def ospf_interfaces(*rows: str) -> tuple[OspfInterface, ...]:
    """Interfaces from words: the name, the area if any, and "passive"."""
    interfaces = []
    for row in rows:
        interface, *words = row.split()
        area = next((word for word in words if word != "passive"), "")
        interfaces.append(OspfInterface(interface=interface, area=area, passive="passive" in words))
    return tuple(interfaces)


def with_ipv6(topology: Topology) -> Topology:
    """The same with an IPv6 address at one router, so that all routers get IPv6 addresses."""
    first, *others = topology.links
    a = End(node=first.a.node, addresses=(ip_interface("10.77.0.1/24"), ip_interface("fd00:77::1/64")))
    return topology.model_copy(update={"links": (first.model_copy(update={"a": a}), *others)})


def spots(topology: Topology) -> list[tuple[float, float]]:
    """The positions of the nodes, in their order."""
    return [(node.x, node.y) for node in topology.nodes]


def assert_legal(topology: Topology) -> None:
    """A value made by copying parts is also valid if it is made from bare data."""
    assert Topology.model_validate(topology.model_dump()) == topology
