"""What the nodes of a pasted part say of each other, said with their new names and addresses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from typing import Any

from frrlib.model.addressing import addressed
from frrlib.model.base import Address, IpAddress
from frrlib.model.edits.interfaces import told
from frrlib.model.edits.naming import spoken_addresses
from frrlib.model.edits.readdress import Used
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Node, Router
from frrlib.model.routing import Network, StaticRoute
from frrlib.model.topology import Topology

#: Addresses and networks that settings speak of.
_Spoken = set[IpAddress | Network]


@dataclass
class _New:
    """What old addresses, networks and interfaces of the part have become."""

    addresses: dict[IpAddress, IpAddress] = field(default_factory=dict)
    networks: dict[Network, Network] = field(default_factory=dict)
    interfaces: dict[str, dict[str, str]] = field(default_factory=dict)

    def learn(self, old: tuple[Address, ...], new: tuple[Address, ...]) -> None:
        """Addresses of one interface, before and after: those that stayed, then the first of each family."""
        firsts = {address.version: address for address in reversed(new)}
        for address in old:
            now = address if address in new else firsts.get(address.version)
            if now is not None:
                self.addresses.setdefault(address.ip, now.ip)
                self.networks.setdefault(address.network, now.network)


def updated(grown: Topology, drawn: Topology, filled: Topology, names: Mapping[str, str], used: Used) -> Topology:
    """The drawing, its pasted part saying what it said before.

    Args:
        grown: the drawing; its last nodes and links are the part's, in the same order.
        drawn: the part as it was drawn.
        filled: the part with all names and addresses that it had.
        names: old names of the part's nodes to new ones.
        used: what the drawing had before.
    """
    first_node, first_link = len(grown.nodes) - len(drawn.nodes), len(grown.links) - len(drawn.links)
    now = addressed(grown)
    new = _learnt(filled, now.nodes[first_node:], now.links[first_link:], names)
    spoken_of = spoken_addresses(drawn) | _announced(drawn)
    links = [
        _pinned_link(link, old, after, spoken_of)
        for link, old, after in zip(grown.links[first_link:], drawn.links, now.links[first_link:], strict=True)
    ]
    nodes: list[Node] = []
    for node, old, after in zip(grown.nodes[first_node:], drawn.nodes, now.nodes[first_node:], strict=True):
        if isinstance(node, Host) and node.default_route is not None:
            nodes.append(node.model_copy(update={"default_route": new.addresses.get(node.default_route)}))
        elif isinstance(node, Router) and isinstance(old, Router) and isinstance(after, Router):
            pinned = _pinned_loopbacks(node, old, after, spoken_of)
            nodes.append(_router(told(pinned, new.interfaces.get(old.name, {})), new, used))
        else:
            nodes.append(node)
    return grown.model_copy(
        update={"nodes": (*grown.nodes[:first_node], *nodes), "links": (*grown.links[:first_link], *links)}
    )


def _announced(drawn: Topology) -> set[Network]:
    return {network for router in drawn.routers if router.bgp for network in router.bgp.networks}


def _is_spoken_of(addresses: tuple[Address, ...], spoken_of: _Spoken) -> bool:
    return any(address.ip in spoken_of or address.network in spoken_of for address in addresses)


def _learnt(filled: Topology, nodes: tuple[Node, ...], links: tuple[Link, ...], names: Mapping[str, str]) -> _New:
    new = _New()
    for was, link in zip(filled.links, links, strict=True):
        for old_end, end in zip(was.ends, link.ends, strict=True):
            new.learn(old_end.addresses, end.addresses)
            new.interfaces.setdefault(old_end.node, {}).setdefault(old_end.interface, end.interface)
    for old, node in zip(filled.nodes, nodes, strict=True):
        if isinstance(old, Router) and isinstance(node, Router):
            new.learn(old.loopbacks, node.loopbacks)
            known = new.interfaces.setdefault(old.name, {})
            for interface in _settings_interfaces(old):
                known.setdefault(interface, "lo" if interface == "lo" else "")
    return new


def _settings_interfaces(router: Router) -> Iterator[str]:
    if router.ospf:
        yield from (name for name, _ in router.ospf.areas)
        yield from router.ospf.passive


def _pinned_link(link: Link, old: Link, after: Link, spoken_of: _Spoken) -> Link:
    ends = {
        side: _pinned(getattr(link, side), getattr(old, side), getattr(after, side), spoken_of) for side in ("a", "b")
    }
    return link.model_copy(update=ends)


def _pinned(end: End, old: End, after: End, spoken_of: _Spoken) -> End:
    """An end whose stated address is gone, and was spoken of, states its new one: the others rely on it."""
    if end.addresses or not _is_spoken_of(old.addresses, spoken_of):
        return end
    return end.model_copy(update={"addresses": after.addresses})


def _pinned_loopbacks(router: Router, old: Router, after: Router, spoken_of: _Spoken) -> Router:
    if router.loopbacks or not _is_spoken_of(old.loopbacks, spoken_of):
        return router
    return router.model_copy(update={"loopbacks": after.loopbacks})


def _router(router: Router, new: _New, used: Used) -> Router:
    update: dict[str, Any] = {
        "static_routes": tuple(
            StaticRoute(prefix=new.networks.get(route.prefix, route.prefix), via=new.addresses[route.via])
            for route in router.static_routes
            if route.via in new.addresses
        )
    }
    if router.ospf:
        update["ospf"] = router.ospf.model_copy(update={"router_id": _identity(router.ospf.router_id, new, used)})
    if router.bgp:
        prefixes = {route.prefix: route.prefix for route in update["static_routes"]}
        networks: dict[Network, Network] = {**prefixes, **new.networks}
        update["bgp"] = router.bgp.model_copy(
            update={
                "router_id": _identity(router.bgp.router_id, new, used),
                "networks": tuple(networks[each] for each in router.bgp.networks if each in networks),
                "neighbors": tuple(
                    neighbor.model_copy(update={"address": new.addresses[neighbor.address]})
                    for neighbor in router.bgp.neighbors
                    if neighbor.address in new.addresses
                ),
            }
        )
    return router.model_copy(update=update)


def _identity(router_id: IPv4Address | None, new: _New, used: Used) -> IPv4Address | None:
    """A stated router id; none, so that it comes from the loopback, where its address changed or is another's."""
    if router_id is None or router_id in used.router_ids or router_id in used.addresses:
        return None
    return router_id if new.addresses.get(router_id, router_id) == router_id else None
