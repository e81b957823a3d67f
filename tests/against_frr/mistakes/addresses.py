"""Mistakes at links: addresses, MTUs, hardware addresses, and loops of switches."""

from __future__ import annotations

from ipaddress import ip_interface
from random import Random

from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import Adjacency
from tests.against_frr import changes
from tests.against_frr.mistakes.choices import (
    Change,
    adjacency_of,
    at_adjacency,
    end_at,
    network_of,
    places_of,
    routers_link,
)
from tests.against_frr.mistakes.registry import Faulty, MakeMistake, mistake

# --- addresses --------------------------------------------------------------------------------------------------------


def _mask(topology: Topology, at: Adjacency) -> Topology:
    changed = topology
    for name, interface in ((at.router, at.interface), (at.neighbor, at.neighbor_interface)):
        changed = changes.change_interface(changed, name, "ospf", interface, network_type="broadcast")
    return changes.change_address(changed, at.router, at.interface, lambda address: f"{address.ip}/28")


def _address(text: str) -> Change:
    """Another IPv4 address at one end."""

    def change(topology: Topology, at: Adjacency) -> Topology | None:
        if not any(address.version == 4 for address in end_at(topology, at.router, at.interface).addresses):
            return None
        return changes.change_address(topology, at.router, at.interface, lambda _: text)

    return change


def _without_version(version: int) -> Change:
    """An end keeps only the addresses of the other IP version."""

    def change(topology: Topology, at: Adjacency) -> Topology | None:
        addresses = end_at(topology, at.router, at.interface).addresses
        remaining = tuple(address for address in addresses if address.version != version)
        if not remaining or len(remaining) == len(addresses):
            return None
        return changes.change_end(topology, at.router, at.interface, lambda _: {"addresses": remaining})

    return change


for _protocol in ("ospf", "isis"):
    mistake(f"{_protocol} other network", _protocol, "different-networks", "addresses")(
        at_adjacency(_protocol, _address("10.250.0.1/24"))
    )
mistake("ospf mask", "ospf", "ospf-mismatch", "addresses")(at_adjacency("ospf", _mask))
mistake("network address of an interface", "ospf", "unusable-address", "addresses")(
    at_adjacency("ospf", _address("10.250.0.0/24"))
)
mistake("address without a network", "ospf", "lonely-address", "addresses")(
    at_adjacency("ospf", _address("10.250.0.1/32"))
)
for _protocol, _base, _version, _kind in (
    ("ospf", "ospf", 4, "ospf-mismatch"),
    ("ospf6", "ospf", 6, "ospf-mismatch"),
    ("isis", "isis", 4, "isis-mismatch"),
):
    mistake(f"{_protocol} without an IPv{_version} address at one end", _base, _kind, "addresses")(
        at_adjacency(_protocol, _without_version(_version))
    )


def _rip_without_version(version: int) -> MakeMistake:
    def make(random: Random, topology: Topology) -> Faulty | None:
        link = routers_link(random, topology)
        router = topology.routers[0]
        if link is None or not (router.rip and router.ripng):
            return None
        remaining = tuple(address for address in link.a.addresses if address.version != version)
        changed = changes.change_end(topology, link.a.node, link.a.interface, lambda _: {"addresses": remaining})
        return Faulty(changed, frozenset({link.a.node}))

    return make


for _protocol, _version in (("rip", 4), ("ripng", 6)):
    mistake(f"{_protocol} without an IPv{_version} address at one end", "rip", "rip-mismatch", "addresses")(
        _rip_without_version(_version)
    )


@mistake("duplicate address", "ospf", "duplicate-address", "addresses")
def duplicate_address(random: Random, topology: Topology) -> Faulty | None:
    """Both ends of a link have the same address."""
    adjacency = adjacency_of(random, topology, "ospf")
    if adjacency is None:
        return None
    address = end_at(topology, adjacency.neighbor, adjacency.neighbor_interface).addresses[0]
    changed = changes.change_address(topology, adjacency.router, adjacency.interface, lambda _: str(address))
    return Faulty(changed, places_of(topology, adjacency))


@mistake("duplicate loopback", "ospf", "duplicate-address duplicate-router-id", "loopbacks ospf.router_id")
def duplicate_loopback(random: Random, topology: Topology) -> Faulty | None:
    """Two routers have the same loopback, and so the same router ID."""
    a, b = random.sample(topology.routers, 2)
    if not a.ospf:
        return None
    changed = changes.change_router(topology, a.name, loopbacks=[str(address) for address in b.loopbacks])
    return Faulty(changed, frozenset({a.name, b.name}))


@mistake("two interfaces in one network", "static", "overlapping-interfaces", "addresses")
def overlapping_interfaces(random: Random, topology: Topology) -> Faulty | None:
    """Both ends of a link get addresses in the network of another link of one of them."""
    link = routers_link(random, topology)
    if link is None:
        return None
    others = [end for other, end in topology.ends_at(link.a.node) if other is not link]
    if not others or others[0].addresses[0].version == 6:
        return None
    network = ip_interface(f"{others[0].addresses[0].ip}/24").network
    changed = topology
    for end, number in ((link.a, 77), (link.b, 78)):
        text = f"{network.network_address + number}/24"
        changed = changes.change_address(changed, end.node, end.interface, lambda _, text=text: text)  # type: ignore[misc]
    return Faulty(changed, frozenset({link.a.node}))


# --- frames -----------------------------------------------------------------------------------------------------------


def _mtu(topology: Topology, at: Adjacency) -> Topology:
    return changes.change_end(topology, at.router, at.interface, lambda _: {"mtu_bytes": 1400})


for _protocol, _kind in (("ospf", "ospf-mismatch"), ("ospf6", "ospf-mismatch"), ("isis", "isis-mismatch")):
    mistake(f"{_protocol} MTU", _protocol, _kind, "mtu_bytes")(at_adjacency(_protocol, _mtu))


@mistake("isis LSP larger than the MTU", "isis", "isis-mtu", "mtu_bytes")
def isis_lsp_mtu(random: Random, topology: Topology) -> Faulty | None:
    """Both ends of a link have an MTU below that of link states, 1497 bytes."""
    adjacency = adjacency_of(random, topology, "isis")
    if adjacency is None:
        return None
    changed = _mtu(topology, adjacency)
    changed = changes.change_end(
        changed, adjacency.neighbor, adjacency.neighbor_interface, lambda _: {"mtu_bytes": 1400}
    )
    return Faulty(changed, places_of(topology, adjacency))


@mistake("MTU below that of IPv6", "ospf6", "small-mtu", "a.mtu_bytes b.mtu_bytes")
def small_mtu(random: Random, topology: Topology) -> Faulty | None:
    """Both ends of a link with IPv6 have an MTU of 1200 bytes."""
    link = routers_link(random, topology)
    if link is None:
        return None
    changed = topology
    for end in link.ends:
        changed = changes.change_end(changed, end.node, end.interface, lambda _: {"mtu_bytes": 1200})
    return Faulty(changed, frozenset({link.id}))


@mistake("duplicate MAC address", "static", "duplicate-mac", "b.mac")
def duplicate_mac(random: Random, topology: Topology) -> Faulty | None:
    """Both ends of a link have the same hardware address."""
    link = routers_link(random, topology)
    if link is None:
        return None
    changed = topology
    for end in link.ends:
        changed = changes.change_end(changed, end.node, end.interface, lambda _: {"mac": "02:00:00:00:00:07"})
    return Faulty(changed, frozenset({link.id}))


@mistake("ring of switches without STP", "static", "switching-loop", "-")
def ring_without_stp(random: Random, topology: Topology) -> Faulty | None:
    """Three bridges in a ring, between routers."""
    del topology
    count = random.randint(3, 5)
    nodes = {f"r{n}": {"ospf": {}} for n in (1, 2)} | {f"b{n}": {"stp": False} for n in range(1, count + 1)}
    links = [(f"r{n} 10.0.0.{n}/24", f"b{n}") for n in (1, 2)]
    links += [(f"b{n}", f"b{n % count + 1}") for n in range(1, count + 1)]
    ring = frozenset(f"l{n}" for n in range(3, count + 3))
    return Faulty(network_of("Ring", nodes, links), ring)
