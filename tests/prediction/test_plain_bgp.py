"""Plain networks of BGP: the routes of whole sets of prefixes equal those that are propagated one by one."""

from __future__ import annotations

import random
from collections.abc import Callable
from ipaddress import ip_network

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.edits.autonomous_systems import as_per_router, groups_as_systems
from frrlib.edits.generators import grid, ring
from frrlib.model.links import End, Link
from frrlib.model.nodes import Router
from frrlib.model.routing import Bgp, Network
from frrlib.model.topology import Topology
from frrlib.prediction.bgp.routes import bgp_routes
from frrlib.prediction.routes import known_without_bgp

#: A limit that no network reaches. With a limit, prefixes are propagated one by one.
_NEVER = 4_294_967_295


def changed(topology: Topology, change: Callable[[Router], Bgp | None]) -> Topology:
    """The topology with other settings of BGP."""
    nodes = [
        node.model_copy(update={"bgp": change(node)}) if isinstance(node, Router) else node for node in topology.nodes
    ]
    return topology.model_copy(update={"nodes": tuple(nodes)})


def with_limits(topology: Topology) -> Topology:
    """The same network with a limit at each session that changes no route."""

    def limited(router: Router) -> Bgp | None:
        if router.bgp is None:
            return None
        fields = {
            name: tuple(item.model_copy(update={"maximum_prefixes": _NEVER}) for item in getattr(router.bgp, name))
            for name in ("neighbors", "unnumbered")
        }
        return router.bgp.model_copy(update=fields)

    return changed(topology, limited)


def routes(topology: Topology) -> dict[str, set[Network]]:
    """The prefixes that each router receives by BGP, without routers that receive none."""
    filled = addressed(topology)
    received = bgp_routes(filled, known_without_bgp(filled))
    return {name: prefixes for name, prefixes in received.items() if prefixes}


def random_network(seed: int) -> Topology:
    """A network of one to four AS, with links, announcements and next hops that chance chooses."""
    chance = random.Random(seed)
    rows, columns = chance.choice(((1, 3), (2, 2), (2, 3), (3, 3), (4, 2)))
    topology = grid(rows, columns, hosts=0) if rows > 1 else ring(columns, hosts=0)
    names = [router.name for router in topology.routers]
    for number in range(chance.randrange(3)):
        a, b = chance.sample(names, 2)
        topology = topology.model_copy(
            update={"links": (*topology.links, Link(id=f"x{number}", a=End(node=a), b=End(node=b)))}
        )
    if chance.random() < 0.5:
        network = as_per_router(topology)
    else:
        network = groups_as_systems(topology, [names[at : at + columns] for at in range(0, len(names), columns)])
    own_networks = {router.name: _own_networks(addressed(network), router) for router in network.routers}

    def announced(router: Router) -> Bgp | None:
        if router.bgp is None:
            return None
        prefixes = [prefix for prefix in router.bgp.networks if chance.random() < 0.8]
        prefixes += [prefix for prefix in own_networks[router.name] if chance.random() < 0.3]
        prefixes += [ip_network("192.0.2.0/24")] if chance.random() < 0.1 else []
        force = chance.random() < 0.1
        neighbors = tuple(
            item.model_copy(update={"next_hop_self": False}) if force else item for item in router.bgp.neighbors
        )
        return router.bgp.model_copy(update={"networks": tuple(dict.fromkeys(prefixes)), "neighbors": neighbors})

    network = changed(network, announced)
    links = tuple(link.model_copy(update={"up": chance.random() < 0.9}) for link in network.links)
    return network.model_copy(update={"links": links})


def _own_networks(topology: Topology, router: Router) -> list[Network]:
    loopbacks = next(filled.loopbacks for filled in topology.routers if filled.name == router.name)
    ends = [end for _, end in topology.ends_at(router.name)]
    return [address.network for address in (*loopbacks, *(a for end in ends for a in end.addresses))]


@pytest.mark.parametrize("seed", range(60))
def test_all_prefixes_at_once_equal_each_prefix_alone(seed: int) -> None:
    network = random_network(seed)
    assert routes(network) == routes(with_limits(network))
