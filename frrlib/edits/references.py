"""References between the nodes of a pasted part, rewritten with their new names and addresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address
from typing import Any, TypeVar

from frrlib.addressing.addressing import addressed
from frrlib.edits.new_names import referenced_addresses
from frrlib.edits.readdress import UsedAddresses
from frrlib.model.base import Address, IpAddress
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Node, Router
from frrlib.model.protocols.interfaces import interface_names, rename_interfaces
from frrlib.model.routing import Bfd, BfdPeer, Bgp, BgpSession, Network, PimRp, PrefixList, RouteMap, Vrf
from frrlib.model.topology import Topology

#: Addresses and networks that settings refer to.
_Referenced = set[IpAddress | Network]


@dataclass
class _NewNames:
    """The new addresses, networks and interfaces of the part by the old ones."""

    addresses: dict[IpAddress, IpAddress] = field(default_factory=dict)
    networks: dict[Network, Network] = field(default_factory=dict)
    interfaces: dict[str, dict[str, str]] = field(default_factory=dict)

    def learn(self, old: tuple[Address, ...], new: tuple[Address, ...]) -> None:
        """Map the old addresses of an interface to new ones: to themselves, or to the first one of the family."""
        firsts = {address.version: address for address in reversed(new)}
        for address in old:
            now = address if address in new else firsts.get(address.version)
            if now is not None:
                self.addresses.setdefault(address.ip, now.ip)
                self.networks.setdefault(address.network, now.network)


def with_updated_references(
    grown: Topology, part: Topology, filled: Topology, names: Mapping[str, str], used: UsedAddresses
) -> Topology:
    """The topology with updated references within its pasted part.

    Args:
        grown: the topology; its last nodes and links are those of the part, in the same order.
        part: the part as copied.
        filled: the part with all its former names and addresses.
        names: new names of the part's nodes by old ones.
        used: the addresses in use before.
    """
    first_node, first_link = len(grown.nodes) - len(part.nodes), len(grown.links) - len(part.links)
    now = addressed(grown)
    new = _renaming(filled, now.nodes[first_node:], now.links[first_link:], names)
    referenced = referenced_addresses(part) | _announced(part)
    links = [
        _pinned_link(link, old, filled_new, referenced)
        for link, old, filled_new in zip(grown.links[first_link:], part.links, now.links[first_link:], strict=True)
    ]
    nodes: list[Node] = []
    for node, old, filled_new in zip(grown.nodes[first_node:], part.nodes, now.nodes[first_node:], strict=True):
        if isinstance(node, Host) and node.default_route is not None:
            nodes.append(node.model_copy(update={"default_route": new.addresses.get(node.default_route)}))
        elif isinstance(node, Router) and isinstance(old, Router) and isinstance(filled_new, Router):
            pinned = _pinned_loopbacks(node, old, filled_new, referenced)
            nodes.append(_router(rename_interfaces(pinned, new.interfaces.get(old.name, {})), new, used))
        else:
            nodes.append(node)
    return grown.model_copy(
        update={"nodes": (*grown.nodes[:first_node], *nodes), "links": (*grown.links[:first_link], *links)}
    )


def _announced(part: Topology) -> set[Network]:
    holders = (holder for router in part.routers for holder in router.tables)
    return {network for holder in holders if holder.bgp for network in holder.bgp.networks}


def _is_referenced(addresses: tuple[Address, ...], referenced: _Referenced) -> bool:
    return any(address.ip in referenced or address.network in referenced for address in addresses)


def _renaming(
    filled: Topology, nodes: tuple[Node, ...], links: tuple[Link, ...], names: Mapping[str, str]
) -> _NewNames:
    new = _NewNames()
    for was, link in zip(filled.links, links, strict=True):
        for old_end, end in zip(was.ends, link.ends, strict=True):
            new.learn(old_end.addresses, end.addresses)
            new.interfaces.setdefault(old_end.node, {}).setdefault(old_end.interface, end.interface)
    for old, node in zip(filled.nodes, nodes, strict=True):
        if isinstance(old, Router) and isinstance(node, Router):
            new.learn(old.loopbacks, node.loopbacks)
            interfaces = new.interfaces.setdefault(old.name, {})
            for interface in interface_names(old):
                interfaces.setdefault(interface, "lo" if interface == "lo" else "")
    return new


def _pinned_link(link: Link, old: Link, filled: Link, referenced: _Referenced) -> Link:
    ends = {
        side: _pinned(getattr(link, side), getattr(old, side), getattr(filled, side), referenced) for side in ("a", "b")
    }
    return link.model_copy(update=ends)


def _pinned(end: End, old: End, filled: End, referenced: _Referenced) -> End:
    """The end with its new address stated, if settings refer to its old one, which was removed."""
    if end.addresses or not _is_referenced(old.addresses, referenced):
        return end
    return end.model_copy(update={"addresses": filled.addresses})


def _pinned_loopbacks(router: Router, old: Router, filled: Router, referenced: _Referenced) -> Router:
    if router.loopbacks or not _is_referenced(old.loopbacks, referenced):
        return router
    return router.model_copy(update={"loopbacks": filled.loopbacks})


def _router(router: Router, new: _NewNames, used: UsedAddresses) -> Router:
    update = _table(router, new, used)
    update["vrfs"] = tuple(vrf.model_copy(update=_table(vrf, new, used)) for vrf in router.vrfs)
    for protocol in ("ospf6", "ldp"):
        settings = getattr(router, protocol)
        if settings is not None:
            identity = _identity(settings.router_id, new, used)
            update[protocol] = settings.model_copy(update={"router_id": identity})
    if router.bfd:
        update["bfd"] = router.bfd.model_copy(update={"peers": _bfd_peers(router.bfd, new)})
    if router.pim:
        update["pim"] = router.pim.model_copy(update={"rendezvous_points": _moved(router.pim.rendezvous_points, new)})
    update["prefix_lists"] = tuple(_prefix_list(policy, new) for policy in router.prefix_lists)
    update["route_maps"] = tuple(_route_map(policy, new) for policy in router.route_maps)
    return router.model_copy(update=update)


def _table(holder: Router | Vrf, new: _NewNames, used: UsedAddresses) -> dict[str, Any]:
    """The references of a router's default table, or of a VRF, to others."""
    routes = tuple(
        route.model_copy(update={"prefix": new.networks.get(route.prefix, route.prefix), "via": via})
        for route in holder.static_routes
        if (via := route.via if isinstance(route.via, str) else new.addresses.get(route.via)) is not None
    )
    update: dict[str, Any] = {"static_routes": routes}
    if holder.ospf:
        update["ospf"] = holder.ospf.model_copy(update={"router_id": _identity(holder.ospf.router_id, new, used)})
    if holder.bgp:
        prefixes = {route.prefix: route.prefix for route in routes}
        update["bgp"] = _bgp(holder.bgp, {**prefixes, **new.networks}, new, used)
    return update


def _bgp(bgp: Bgp, networks: Mapping[Network, Network], new: _NewNames, used: UsedAddresses) -> Bgp:
    neighbors = [_sourced(session, new) for session in bgp.neighbors if session.address in new.addresses]
    return bgp.model_copy(
        update={
            "router_id": _identity(bgp.router_id, new, used),
            "cluster_id": _identity(bgp.cluster_id, new, used),
            "networks": tuple(networks[session] for session in bgp.networks if session in networks),
            "neighbors": tuple(
                session.model_copy(update={"address": new.addresses[session.address]}) for session in neighbors
            ),
            "unnumbered": tuple(_sourced(session, new) for session in bgp.unnumbered),
            "peer_groups": tuple(_sourced(session, new) for session in bgp.peer_groups),
        }
    )


S = TypeVar("S", bound=BgpSession)


def _sourced(session: S, new: _NewNames) -> S:
    """The session with its new update source, if the source is an address."""
    try:
        source = ip_address(session.update_source)
    except ValueError:
        return session
    now = new.addresses.get(source)
    return session if now is None else session.model_copy(update={"update_source": str(now)})


def _bfd_peers(bfd: Bfd, new: _NewNames) -> tuple[BfdPeer, ...]:
    return tuple(
        peer.model_copy(
            update={
                "address": new.addresses[peer.address],
                "local_address": new.addresses.get(peer.local_address) if peer.local_address else None,
            }
        )
        for peer in bfd.peers
        if peer.address in new.addresses
    )


def _moved(points: tuple[PimRp, ...], new: _NewNames) -> tuple[PimRp, ...]:
    return tuple(
        point.model_copy(update={"address": new.addresses.get(point.address, point.address)}) for point in points
    )


def _prefix_list(prefixes: PrefixList, new: _NewNames) -> PrefixList:
    rules = (rule.model_copy(update={"prefix": new.networks.get(rule.prefix, rule.prefix)}) for rule in prefixes.rules)
    return prefixes.model_copy(update={"rules": tuple(rules)})


def _route_map(route_map: RouteMap, new: _NewNames) -> RouteMap:
    entries = (
        entry.model_copy(update={"set_next_hop": new.addresses.get(entry.set_next_hop, entry.set_next_hop)})
        if entry.set_next_hop is not None
        else entry
        for entry in route_map.entries
    )
    return route_map.model_copy(update={"entries": tuple(entries)})


def _identity(router_id: IPv4Address | None, new: _NewNames, used: UsedAddresses) -> IPv4Address | None:
    """A stated router ID; None, for one derived from the loopback, if its address changed or is in use."""
    if router_id is None or router_id in used.router_ids or router_id in used.addresses:
        return None
    return router_id if new.addresses.get(router_id, router_id) == router_id else None
