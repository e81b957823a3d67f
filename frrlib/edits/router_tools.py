"""Routers that run a protocol from the moment they are drawn, and the BGP sessions of links between them."""

from __future__ import annotations

from frrlib.addressing.addressing import addressed
from frrlib.edits.autonomous_systems import address_pairs, free_asn
from frrlib.edits.links import add_link
from frrlib.edits.parts import find_link, find_node, with_nodes
from frrlib.edits.protocol_defaults import initial_settings
from frrlib.model.links import Link
from frrlib.model.nodes import Router
from frrlib.model.protocols.common import Redistribution
from frrlib.model.routing import Bgp, BgpNeighbor, Ospf
from frrlib.model.topology import Topology


def ospf_router(topology: Topology, name: str, number: int, *, lab_timers: bool = True) -> Router:
    """A router that runs OSPFv2 on all its interfaces, with the area and timers of the routers that run it already.

    Args:
        lab_timers: whether it gets lab timers if no router runs OSPF yet, else FRR's default timers.
    """
    settings = initial_settings(topology, "ospf", Ospf(), lab_timers)
    return Router(name=name, number=number, daemons=("zebra", "staticd"), ospf=settings)


def bgp_router(topology: Topology, name: str, number: int, *, lab_timers: bool = True) -> Router:
    """A router in an autonomous system of its own, with the next free AS number. It announces connected networks.

    Args:
        lab_timers: whether it gets lab timers, else FRR's default timers.
    """
    connected = (Redistribution(source="connected"),)
    settings = initial_settings(topology, "bgp", Bgp(asn=free_asn(topology), redistribute=connected), lab_timers)
    return Router(name=name, number=number, daemons=("zebra", "staticd"), bgp=settings)


def connect(topology: Topology, a: str, b: str) -> tuple[Topology, str]:
    """Link two nodes as `add_link` does. Two routers of different autonomous systems also get an eBGP session.

    Returns:
        The topology, and the id of the new link, which is empty for a controller.

    Raises:
        TopologyError: they cannot be linked.
    """
    linked, link_id = add_link(topology, a, b)
    return (_with_bgp_session(linked, link_id) if link_id else linked), link_id


def _with_bgp_session(topology: Topology, link_id: str) -> Topology:
    """Add an eBGP session over a link, one for each address family, and state the link's addresses at both routers.

    The topology is unchanged unless the link joins two routers of different autonomous systems.

    Raises:
        TopologyError: there is no such link.
    """
    link = find_link(topology, link_id)
    a, b = find_node(topology, link.a.node), find_node(topology, link.b.node)
    if not (isinstance(a, Router) and isinstance(b, Router) and a.bgp and b.bgp and a.bgp.asn != b.bgp.asn):
        return topology
    filled = find_link(addressed(topology), link_id)
    pairs = list(address_pairs(filled.a, filled.b))
    at_a = [BgpNeighbor(address=theirs.ip, remote_as=b.bgp.asn) for _, theirs in pairs]
    at_b = [BgpNeighbor(address=mine.ip, remote_as=a.bgp.asn) for mine, _ in pairs]
    routers = {router.name: _with_neighbors(router, new) for router, new in ((a, at_a), (b, at_b))}
    return with_nodes(_with_link(topology, _with_stated_addresses(link, filled)), routers)


def _with_neighbors(router: Router, new: list[BgpNeighbor]) -> Router:
    assert router.bgp is not None
    known = {neighbor.address for neighbor in router.bgp.neighbors}
    neighbors = (*router.bgp.neighbors, *(neighbor for neighbor in new if neighbor.address not in known))
    return router.model_copy(update={"bgp": router.bgp.model_copy(update={"neighbors": neighbors})})


def _with_stated_addresses(link: Link, filled: Link) -> Link:
    ends = {}
    for side, end, filled_end in zip("ab", link.ends, filled.ends, strict=True):
        ends[side] = end if end.addresses else end.model_copy(update={"addresses": filled_end.addresses})
    return link.model_copy(update=ends)


def _with_link(topology: Topology, link: Link) -> Topology:
    links = tuple(link if other_link.id == link.id else other_link for other_link in topology.links)
    return topology.model_copy(update={"links": links})
