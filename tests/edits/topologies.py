"""Short constructors of topologies, made with the editor's edits."""

from __future__ import annotations

from ipaddress import ip_interface

from frrlib.edits import changes, generators, links
from frrlib.model.links import End
from frrlib.model.nodes import Router
from frrlib.model.routing import Ospf, OspfInterface
from frrlib.model.topology import Topology

ALL = ("host", "router", "legacy-router", "switch", "bridge", "controller")

#: Nine routers in three rows.
GRID = generators.grid(3, 3)
NAMES = [router.name for router in GRID.routers]
THIRDS = [NAMES[:3], NAMES[3:6], NAMES[6:]]


def drawn(*tools: str) -> Topology:
    """Nodes drawn one after the other."""
    topology = Topology()
    for index, tool in enumerate(tools):
        topology, _ = changes.add_node(topology, tool, index * 100, 50)
    return topology


def linked(topology: Topology, *pairs: str) -> Topology:
    """Links drawn one after the other, each "h1 r1"."""
    for pair in pairs:
        topology, _ = links.add_link(topology, *pair.split())
    return topology


def with_ospf(topology: Topology, **fields: object) -> Topology:
    router = topology.node("r1")
    assert isinstance(router, Router)
    return changes.replace_node(topology, "r1", router.model_copy(update={"ospf": Ospf(**fields)}))


def told(*rows: str) -> tuple[OspfInterface, ...]:
    """Rows from words: interface, area if any, "passive" if so."""
    found = []
    for row in rows:
        interface, *rest = row.split()
        area = next((word for word in rest if word != "passive"), "")
        found.append(OspfInterface(interface=interface, area=area, passive="passive" in rest))
    return tuple(found)


def with_ipv6(topology: Topology) -> Topology:
    """The same with an IPv6 address at one router, which gives all of them some."""
    first, *rest = topology.links
    a = End(node=first.a.node, addresses=(ip_interface("10.77.0.1/24"), ip_interface("fd00:77::1/64")))
    return topology.model_copy(update={"links": (first.model_copy(update={"a": a}), *rest)})


def spots(topology: Topology) -> list[tuple[float, float]]:
    """Where the nodes stand, in their order."""
    return [(node.x, node.y) for node in topology.nodes]


def assert_legal(topology: Topology) -> None:
    """A value made by copying parts is one that could have been made from nothing."""
    assert Topology.model_validate(topology.model_dump()) == topology
