"""Choices of the place of a mistake: an adjacency, a router or a session of a healthy network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network
from random import Random
from typing import Any

from frrlib.addressing.addressing import addressed
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Node, Router
from frrlib.model.routing import BgpNeighbor
from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import Adjacency, expected_adjacencies
from frrlib.prediction.routes import known_without_bgp
from tests.against_frr import changes
from tests.against_frr.mistakes.registry import Faulty, MakeMistake


def adjacency_of(random: Random, topology: Topology, protocol: str) -> Adjacency | None:
    """An adjacency on a link between two routers only."""
    complete = addressed(topology)
    direct = {
        (end.node, end.interface)
        for link in topology.links
        if not any(topology.node(end.node).kind == "bridge" for end in link.ends)  # type: ignore[union-attr]
        for end in link.ends
    }
    adjacencies = [
        adjacency
        for adjacency in expected_adjacencies(complete, known_without_bgp(complete))
        if adjacency.protocol == protocol and (adjacency.router, adjacency.interface) in direct and not adjacency.vrf
    ]
    return random.choice(adjacencies) if adjacencies else None


def places_of(topology: Topology, adjacency: Adjacency) -> frozenset[str]:
    """The two routers of an adjacency, and the link between them."""
    links = {
        link.id
        for link in topology.links
        if (adjacency.router, adjacency.interface) in ((end.node, end.interface) for end in link.ends)
    }
    return frozenset({adjacency.router, adjacency.neighbor, *links})


#: The networks of the hosts that `with_hosts` adds.
HOST_NETWORKS = (IPv4Network("10.201.0.0/24"), IPv4Network("10.202.0.0/24"))
#: Changes a network at an adjacency; None if the network has no place for the change.
Change = Callable[[Topology, Adjacency], Topology | None]


def at_adjacency(protocol: str, change: Change) -> MakeMistake:
    """A mistake at one end of an adjacency."""

    def make(random: Random, topology: Topology) -> Faulty | None:
        adjacency = adjacency_of(random, topology, protocol)
        changed = change(topology, adjacency) if adjacency else None
        return Faulty(changed, places_of(topology, adjacency)) if changed and adjacency else None

    return make


def row(protocol: str, **fields: Any) -> Change:
    """A change of settings of a protocol at the interface."""
    return lambda topology, at: changes.change_interface(topology, at.router, protocol, at.interface, **fields)


def router_with(topology: Topology, random: Random, protocol: str, least_ends: int = 1) -> Router | None:
    """A router that runs a protocol, or has values in another field, and has some links."""
    routers = [
        router
        for router in topology.routers
        if getattr(router, protocol) and len(list(topology.ends_at(router.name))) >= least_ends
    ]
    return random.choice(routers) if routers else None


@dataclass(frozen=True)
class Session:
    """A BGP session, from one of its ends."""

    router: Router
    settings: BgpNeighbor
    peer: Router

    @property
    def address(self) -> str:
        """The address of the other end."""
        return str(self.settings.address)

    @property
    def is_external(self) -> bool:
        """Whether the other end is in another AS."""
        assert self.router.bgp is not None
        return self.settings.remote_as != self.router.bgp.asn


def sessions(topology: Topology, *, external: bool | None) -> Iterator[Session]:
    """The sessions with addresses; `external`: those of that kind only."""
    for router, neighbor, peer in changes.sessions_of(topology):
        session = Session(router, neighbor, peer)
        if external is None or session.is_external == external:
            yield session


def at_session(change: Callable[[Topology, Session], Topology], *, external: bool | None = None) -> MakeMistake:
    """A mistake at one end of a session."""

    def make(random: Random, topology: Topology) -> Faulty | None:
        found = list(sessions(topology, external=external))
        if not found:
            return None
        session = random.choice(found)
        return Faulty(change(topology, session), frozenset({session.router.name, session.peer.name}))

    return make


def session_fields(**fields: Any) -> Callable[[Topology, Session], Topology]:
    """A change of settings of a session."""
    return lambda topology, at: changes.change_session(topology, at.router.name, at.address, fields)


def routers_link(random: Random, topology: Topology) -> Link | None:
    """A link between two routers; None if there is none."""
    routers = {router.name for router in topology.routers}
    links = [link for link in topology.links if {link.a.node, link.b.node} <= routers]
    return random.choice(links) if links else None


def end_at(topology: Topology, router: str, interface: str) -> End:
    """The link end at an interface."""
    return next(end for _, end in topology.ends_at(router) if end.interface == interface)


def network_of(title: str, nodes: dict[str, dict[str, Any]], links: list[tuple[str, str]], **fields: Any) -> Topology:
    """A network in which everything is given.

    Args:
        title: its title.
        nodes: the fields of each node by its name, whose letter states its kind: h, r, or b for a bridge.
        links: the two ends of each link as "NAME ADDRESS...".
        fields: further fields of the topology.
    """
    kinds = {"h": "host", "r": "router", "b": "bridge"}
    listed = []
    for number, ends in enumerate(links, 1):
        (a, *a_addresses), (b, *b_addresses) = (end.split() for end in ends)
        a_end, b_end = {"node": a, "addresses": a_addresses}, {"node": b, "addresses": b_addresses}
        listed.append({"id": f"l{number}", "a": a_end, "b": b_end})
    rows = [{"kind": kinds[name[0]], "name": name, **settings} for name, settings in nodes.items()]
    return Topology.model_validate({"title": title, "nodes": rows, "links": listed, **fields})


def with_hosts(topology: Topology, a: str, b: str) -> Topology:
    """The network with a host at each of two routers, which BGP announces, and a flow between the hosts."""
    changed = topology
    nodes, links = list[Node](), list[Link]()
    for number, name in enumerate((a, b), 1):
        router, host = changes.router_of(changed, name), f"h{number}"
        network = HOST_NETWORKS[number - 1]
        if router.bgp:
            networks = [*map(str, router.bgp.networks), str(network)]
            changed = changes.change_protocol(changed, name, "bgp", networks=networks)
        nodes.append(Host(name=host))
        ends = (
            {"node": name, "interface": f"{name}-eth9", "addresses": [f"{network[1]}/24"]},
            {"node": host, "addresses": [f"{network[2]}/24"]},
        )
        links.append(Link.model_validate({"id": f"lh{number}", "a": ends[0], "b": ends[1]}))
    return changed.model_copy(
        update={
            "nodes": (*changed.nodes, *nodes),
            "links": (*changed.links, *links),
            "flows": (Flow(id="f1", source="h1", destination="h2"),),
        }
    )


def reverse_of(topology: Topology, session: Session) -> Session | None:
    """The same session from its other end; None if it has none."""
    version = session.settings.address.version
    links = [a for _, end in topology.ends_at(session.router.name) for a in end.addresses]
    own_addresses = [a.ip for a in links if session.settings.address in a.network]
    own_addresses = own_addresses or [a.ip for a in session.router.loopbacks if a.version == version]
    found = (other for other in sessions(topology, external=None) if other.router.name == session.peer.name)
    return next((other for other in found if other.settings.address in own_addresses), None)
