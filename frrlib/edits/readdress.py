"""The addresses and names in use in a topology, and their removal from nodes and links that are added to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from frrlib.addressing.addressing import addressed, stated_addresses
from frrlib.addressing.pools import NetworkSet, addresses_in
from frrlib.model.base import Address
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Node, Router, Switch, VlanInterface
from frrlib.model.topology import Topology


class UsedAddresses:
    """Addresses, networks and identities of a topology, including automatic ones."""

    def __init__(self, topology: Topology) -> None:
        filled = addressed(topology)
        stated = list(stated_addresses(filled))
        self.addresses = {address.ip for address in stated}
        self._networks = NetworkSet(address.network for address in stated if address.network.prefixlen)
        self.macs = {end.mac.lower() for link in filled.links for end in link.ends if end.mac}
        self.dpids = {node.dpid for node in topology.nodes if isinstance(node, Switch)}
        self.switch_addresses = {node.management_address for node in topology.nodes if isinstance(node, Switch)}
        self.external = {
            name for node in topology.nodes if isinstance(node, Host | Switch) for name in node.external_interfaces
        }
        routers = filled.routers
        self.router_ids = {router.ospf.router_id for router in routers if router.ospf}
        self.router_ids |= {router.bgp.router_id for router in routers if router.bgp}

    def clashes(self, address: Address) -> bool:
        """Whether the topology uses this address, or addresses of its network."""
        if address.ip in self.addresses:
            return not address.is_link_local
        return not address.is_link_local and self._networks.overlaps(address.network)


def without_clashes(
    nodes: tuple[Node, ...], links: tuple[Link, ...], used: UsedAddresses
) -> tuple[tuple[Node, ...], tuple[Link, ...]]:
    """Nodes and links without values in use, which become automatic or empty."""
    return tuple(_node(node, used) for node in nodes), tuple(_link(link, used) for link in links)


def _free(addresses: Iterable[Address], used: UsedAddresses) -> tuple[Address, ...]:
    return tuple(address for address in addresses if not used.clashes(address))


def _link(link: Link, used: UsedAddresses) -> Link:
    return link.model_copy(update={"a": _end(link.a, used), "b": _end(link.b, used)})


def _end(end: End, used: UsedAddresses) -> End:
    mac = "" if end.mac.lower() in used.macs else end.mac
    return end.model_copy(update={"addresses": _free(end.addresses, used), "mac": mac})


def _node(node: Node, used: UsedAddresses) -> Node:
    update: dict[str, Any] = {}
    if isinstance(node, Router):
        update["loopbacks"] = _free(node.loopbacks, used)
    elif isinstance(node, Switch):
        update["dpid"] = "" if node.dpid in used.dpids else node.dpid
        if node.management_address in used.switch_addresses:
            update["management_address"] = ""
    elif isinstance(node, Host):
        update["vlan_interfaces"] = tuple(_vlan(node.name, vlan, used) for vlan in node.vlan_interfaces)
    if isinstance(node, Host | Switch):
        update["external_interfaces"] = tuple(name for name in node.external_interfaces if name not in used.external)
    return node.model_copy(update=update) if update else node


def _vlan(host: str, vlan: VlanInterface, used: UsedAddresses) -> VlanInterface:
    """A VLAN interface with a free address of its network if its own is in use, since it has no automatic one."""
    if vlan.address.ip not in used.addresses:
        return vlan
    network = vlan.address.network
    free = next((ip for ip in addresses_in(network, host, f"vlan{vlan.vlan_id}") if ip not in used.addresses), None)
    if free is None:
        return vlan
    used.addresses.add(free)
    return vlan.model_copy(update={"address": type(vlan.address)((free, network.prefixlen))})
