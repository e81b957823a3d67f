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
from frrlib.model.protocols.interfaces import named, renamed
from frrlib.model.routing import Bfd, BfdPeer, Bgp, BgpSession, Network, PimRp, PrefixList, RouteMap, Vrf
from frrlib.model.topology import Topology

#: Addresses and networks that settings speak of.
_Spoken = set[IpAddress | Network]


@dataclass
class _New:
    """The new addresses, networks and interfaces of the part by the old ones."""

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


def updated(
    grown: Topology, drawn: Topology, filled: Topology, names: Mapping[str, str], used: UsedAddresses
) -> Topology:
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
    spoken_of = referenced_addresses(drawn) | _announced(drawn)
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
            nodes.append(_router(renamed(pinned, new.interfaces.get(old.name, {})), new, used))
        else:
            nodes.append(node)
    return grown.model_copy(
        update={"nodes": (*grown.nodes[:first_node], *nodes), "links": (*grown.links[:first_link], *links)}
    )


def _announced(drawn: Topology) -> set[Network]:
    holders = (holder for router in drawn.routers for holder in router.tables)
    return {network for holder in holders if holder.bgp for network in holder.bgp.networks}


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
            for interface in named(old):
                known.setdefault(interface, "lo" if interface == "lo" else "")
    return new


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


def _router(router: Router, new: _New, used: UsedAddresses) -> Router:
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
    update["prefix_lists"] = tuple(_prefix_list(each, new) for each in router.prefix_lists)
    update["route_maps"] = tuple(_route_map(each, new) for each in router.route_maps)
    return router.model_copy(update=update)


def _table(holder: Router | Vrf, new: _New, used: UsedAddresses) -> dict[str, Any]:
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


def _bgp(bgp: Bgp, networks: Mapping[Network, Network], new: _New, used: UsedAddresses) -> Bgp:
    neighbors = [_sourced(each, new) for each in bgp.neighbors if each.address in new.addresses]
    return bgp.model_copy(
        update={
            "router_id": _identity(bgp.router_id, new, used),
            "cluster_id": _identity(bgp.cluster_id, new, used),
            "networks": tuple(networks[each] for each in bgp.networks if each in networks),
            "neighbors": tuple(each.model_copy(update={"address": new.addresses[each.address]}) for each in neighbors),
            "unnumbered": tuple(_sourced(each, new) for each in bgp.unnumbered),
            "peer_groups": tuple(_sourced(each, new) for each in bgp.peer_groups),
        }
    )


S = TypeVar("S", bound=BgpSession)


def _sourced(session: S, new: _New) -> S:
    """A session that speaks from the new address, where it says from which."""
    try:
        source = ip_address(session.update_source)
    except ValueError:
        return session
    now = new.addresses.get(source)
    return session if now is None else session.model_copy(update={"update_source": str(now)})


def _bfd_peers(bfd: Bfd, new: _New) -> tuple[BfdPeer, ...]:
    return tuple(
        each.model_copy(
            update={
                "address": new.addresses[each.address],
                "local_address": new.addresses.get(each.local_address) if each.local_address else None,
            }
        )
        for each in bfd.peers
        if each.address in new.addresses
    )


def _moved(points: tuple[PimRp, ...], new: _New) -> tuple[PimRp, ...]:
    return tuple(each.model_copy(update={"address": new.addresses.get(each.address, each.address)}) for each in points)


def _prefix_list(prefixes: PrefixList, new: _New) -> PrefixList:
    rules = (rule.model_copy(update={"prefix": new.networks.get(rule.prefix, rule.prefix)}) for rule in prefixes.rules)
    return prefixes.model_copy(update={"rules": tuple(rules)})


def _route_map(route_map: RouteMap, new: _New) -> RouteMap:
    entries = (
        entry.model_copy(update={"set_next_hop": new.addresses.get(entry.set_next_hop, entry.set_next_hop)})
        if entry.set_next_hop is not None
        else entry
        for entry in route_map.entries
    )
    return route_map.model_copy(update={"entries": tuple(entries)})


def _identity(router_id: IPv4Address | None, new: _New, used: UsedAddresses) -> IPv4Address | None:
    """A stated router id; none, so that it comes from the loopback, where its address changed or is another's."""
    if router_id is None or router_id in used.router_ids or router_id in used.addresses:
        return None
    return router_id if new.addresses.get(router_id, router_id) == router_id else None
