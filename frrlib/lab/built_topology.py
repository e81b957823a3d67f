"""The topology that a lab is built from: what the place of the lab cannot do in the drawn way is done otherwise."""

from __future__ import annotations

from frrlib.addressing.resolved import resolved
from frrlib.lab.shapers import with_steady_shapers
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from frrlib.place.base import Abilities


def built_topology(drawn: Topology, abilities: Abilities) -> Topology:
    """The topology that a lab in a place with these abilities is built from.

    Args:
        drawn: with all addresses.
    """
    topology = with_steady_shapers(resolved(drawn))
    if abilities.default_congestion_controls is None:
        return topology
    return with_permitted_defaults(topology, abilities.default_congestion_controls | set(drawn.own_controls))


def with_permitted_defaults(topology: Topology, permitted: frozenset[str] | set[str]) -> Topology:
    """The topology in which hosts whose default congestion control is not permitted use it by interface instead.

    Outside of the machine's first network namespace, Linux permits only those in `tcp_allowed_congestion_control` as
    the default (`tcp_set_default_congestion_control` in `net/ipv4/tcp_cong.c`), but any in a route.
    """
    refused = {
        node.name: node.congestion_control
        for node in topology.nodes
        if isinstance(node, Host) and node.congestion_control and node.congestion_control not in permitted
    }
    if not refused:
        return topology
    nodes = (
        node.model_copy(update={"congestion_control": ""}) if node.name in refused else node for node in topology.nodes
    )
    links = (
        link.model_copy(update={
            side: end.model_copy(update={"congestion_control": end.congestion_control or refused.get(end.node, "")})
            for side, end in zip("ab", link.ends, strict=True)
        })
        for link in topology.links
    )  # fmt: skip
    return topology.model_copy(update={"nodes": tuple(nodes), "links": tuple(links)})
