"""Rules on addresses, networks and default routes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Interface, IPv4Network
from itertools import chain
from typing import NamedTuple

from frrlib.model.base import INTERFACE_NAME_LENGTH, Address
from frrlib.model.domains import Attachment
from frrlib.model.nodes import Host, Router
from frrlib.model.problem import Problem, error, note, warning
from frrlib.model.rules.facts import Facts, Rule, contains, net_title
from frrlib.model.rules.worlds import worlds


def no_address(facts: Facts) -> Iterator[Problem]:
    """Interfaces for which automatic addressing found nothing free."""
    for domain in facts.domains:
        for place in domain.ends:
            if not place.end.addresses:
                why = f"no address is free for {place.end.interface}"
                yield error("no-address", place.end.node, "addresses", why, "state an address in a larger network")


def unusable_addresses(facts: Facts) -> Iterator[Problem]:
    """Addresses that no station can have."""
    for domain in facts.domains:
        for place in domain.ends:
            for address in place.end.addresses:
                why, right = address_fault(address)
                if why:
                    text = f"{address} at {place.end.interface} {why}"
                    yield error("unusable-address", place.end.node, "addresses", text, right)
                elif address.network.num_addresses == 1:
                    text = f"{address} at {place.end.interface} is a network of one address: no one else is in it"
                    right = "a shorter prefix, such as /24" if address.version == 4 else "a shorter prefix, such as /64"
                    yield warning("lonely-address", place.end.node, "addresses", text, right)
    for router in facts.routers():
        for address in router.loopbacks:
            if address.ip.is_multicast or address.ip.is_unspecified:
                yield error("unusable-address", router.name, "loopbacks", f"{address} is not an address of one station")


def address_fault(address: Address) -> tuple[str, str]:
    """Why no station can have an address, and what would be right; empty where one can."""
    ip, network = address.ip, address.network
    if ip.is_multicast or ip.is_unspecified or ip.is_loopback:
        return "is not an address of a station on a network", "a unicast address, such as one of 10.0.0.0/8"
    if isinstance(network, IPv4Network) and network.num_addresses > 2:
        hosts = f"{network.network_address + 1} to {network.broadcast_address - 1}"
        if ip == network.network_address:
            return f"is the address of the network {network} itself", hosts
        if ip == network.broadcast_address:
            return f"is the broadcast address of {network}", hosts
    return "", ""


def repeated(addresses: Iterable[Address]) -> list[Address]:
    """Addresses of one interface that the kernel refuses, since the interface has them already: the same address, of
    IPv4 with the same prefix length, of IPv6 with any."""
    seen: set[object] = set()
    found = []
    for address in addresses:
        key = address if address.version == 4 else address.ip
        found += [address] if key in seen else []
        seen.add(key)
    return found


def repeated_addresses(facts: Facts) -> Iterator[Problem]:
    """Each address of an interface is given once."""
    ends = [(place.end.node, "addresses", place.end.interface, place.end.addresses) for domain in facts.domains
            for place in domain.ends]  # fmt: skip
    ends += [(router.name, "loopbacks", "lo", router.loopbacks) for router in facts.routers()]
    for node, field, interface, addresses in ends:
        for address in repeated(addresses):
            why = f"{address} is at {interface} already, and the kernel refuses it a second time"
            yield error("duplicate-address", node, field, why, "remove one of them")


def duplicate_addresses(facts: Facts) -> Iterator[Problem]:
    """One address, one station: an error on one net, doubtful elsewhere."""
    known: dict[int, dict[object, str]] = {}
    for world, domain in zip(worlds(facts.domains), facts.domains, strict=True):
        everywhere = known.setdefault(world, {})
        here: dict[object, str] = {}
        for place in domain.ends:
            for address in place.end.addresses:
                own = f"{place.end.node} ({place.end.interface})"
                if here.setdefault(address.ip, own) != own:
                    why = f"{address.ip} is at {here[address.ip]} too, on the same net"
                    yield error("duplicate-address", place.end.node, "addresses", why, "another address")
                elif not address.ip.is_link_local and everywhere.setdefault(address.ip, own) != own:
                    why = f"{address.ip} is at {everywhere[address.ip]} too, on another net"
                    yield warning("duplicate-address", place.end.node, "addresses", why, "another address")
    everywhere = {address: own for table in known.values() for address, own in table.items()}
    for router in facts.routers():
        for address in router.loopbacks:
            own = f"{router.name} (lo)"
            if everywhere.setdefault(address.ip, own) != own:
                why = f"{address.ip} is at {everywhere[address.ip]} too"
                yield warning("duplicate-address", router.name, "loopbacks", why, "another address")


class Stranger(NamedTuple):
    """A station that shares no network with any other on its net.

    Attributes:
        place: its interface.
        mine: the interface's addresses of one IP version.
        nearest: the first address of another station there.
        others: how many other stations are there.
        problem: what is told of it.
    """

    place: Attachment
    mine: list[Address]
    nearest: Address
    others: int
    problem: Problem


def strangers_of(facts: Facts) -> Iterator[list[Stranger]]:
    """The strangers of each net and each IP version where there are any."""
    for domain in facts.domains:
        for version in (4, 6):
            stations = [(place, mine) for place in domain.ends if (mine := _usable(place, version))]
            if found := [each for station in stations if (each := _stranger(station, stations))]:
                yield found


def _stranger(
    station: tuple[Attachment, list[Address]], stations: list[tuple[Attachment, list[Address]]]
) -> Stranger | None:
    place, mine = station
    others = (address for other, theirs in stations if other is not place for address in theirs)
    nearest = next(others, None)
    if nearest is None or any(_meet(one, other) for other in chain((nearest,), others) for one in mine):
        return None
    shown = " ".join(str(address) for address in mine)
    why = f"{shown} at {place.end.interface} shares no network with {nearest} on the same net"
    problem = warning("different-networks", place.end.node, "addresses", why, f"an address of {nearest.network}")
    return Stranger(place, mine, nearest, len(stations) - 1, problem)


def strangers(facts: Facts) -> Iterator[Problem]:
    """Stations on one net that share no network with any other there."""
    return (each.problem for found in strangers_of(facts) for each in found)


def _usable(place: Attachment, version: int) -> list[Address]:
    """Addresses of an interface that have a network around them."""
    return [
        address
        for address in place.end.addresses
        if address.version == version and not address.ip.is_link_local and address.network.num_addresses > 1
    ]


def _meet(one: Address, other: Address) -> bool:
    return one.ip in other.network and other.ip in one.network


def overlapping_networks(facts: Facts) -> Iterator[Problem]:
    """Different nets with overlapping networks: routers cannot tell where an address is."""
    if not any(facts.routers()):
        return
    ranges: list[tuple[int, int, int, int, int, str]] = []
    for number, (world, domain) in enumerate(zip(worlds(facts.domains), facts.domains, strict=True)):
        networks = {a.network for place in domain.ends for a in place.end.addresses if not a.ip.is_link_local}
        ranges += [
            (
                world,
                n.version,
                int(n.network_address),
                int(n.broadcast_address),
                number,
                f"{n} of {net_title(facts, domain)}",
            )
            for n in networks
            if n.num_addresses > 1
        ]
    ranges.sort()
    for index, (world, version, _, last, number, title) in enumerate(ranges):
        for other_world, other_version, first, _, other_number, other_title in ranges[index + 1 :]:
            if (other_world, other_version, first) > (world, version, last):
                break
            if other_number != number:
                why = f"network {title} overlaps with {other_title}"
                yield warning("overlapping-networks", "", "addresses", why, "a network of its own for each net")
                break


def default_routes(facts: Facts) -> Iterator[Problem]:
    """A host's gateway is a neighbour, and not itself."""
    for node in facts.nodes.values():
        if not isinstance(node, Host):
            continue
        gateway, ends = node.default_route, facts.ends.get(node.name, [])
        networks = facts.networks(node.name)
        if gateway is None:
            if len(ends) > 1:
                why = "has several interfaces and no default route: it reaches its own networks only"
                yield note("no-default-route", node.name, "default_route", why)
            continue
        if gateway in [address.ip for address in facts.addresses(node.name)]:
            yield error(
                "own-gateway", node.name, "default_route", f"{gateway} is its own address", "a router's address"
            )
        elif not ends:
            why = f"{gateway} cannot be reached: the host has no link"
            yield error("far-gateway", node.name, "default_route", why, "link the host, or no default route")
        elif any(gateway == net.broadcast_address and net.num_addresses > 2 for net in networks if net.version == 4):
            why = f"{gateway} is the broadcast address of the host's network"
            yield error("unusable-address", node.name, "default_route", why, "a router's address")
        elif not contains(networks, gateway):
            shown = ", ".join(str(network) for network in networks) or "nothing"
            why = f"{gateway} is in no network of the host, which has {shown}"
            yield error("far-gateway", node.name, "default_route", why, "an address of a neighbouring router")
        elif gateway not in facts.owners:
            yield warning("no-gateway", node.name, "default_route", f"no node has the address {gateway}")


def multihomed(facts: Facts) -> Iterator[Problem]:
    """Hosts and routers with two interfaces of one routing table in one network: the kernel uses the first for both."""
    for name, node in facts.nodes.items():
        if not isinstance(node, Host | Router):
            continue
        tables: dict[str, list[tuple[Address, str]]] = {}
        for _, end in facts.ends.get(name, ()):
            seen = tables.setdefault(node.vrf_of(end.interface) if isinstance(node, Router) else "", [])
            for address in end.addresses:
                if address.ip.is_link_local:
                    continue
                for other, interface in seen:
                    if interface != end.interface and other.network.overlaps(address.network):
                        why = f"{end.interface} ({address}) and {interface} ({other}) are in overlapping networks"
                        yield warning("overlapping-interfaces", name, "addresses", why, "a network of its own for each")
                seen.append((address, end.interface))


def vlans(facts: Facts) -> Iterator[Problem]:
    """VLAN sub-interfaces of hosts."""
    for node in facts.nodes.values():
        if not isinstance(node, Host) or not node.vlan_interfaces:
            continue
        first = next(iter(facts.interface_names(node.name)), "")
        ids = [vlan.vlan_id for vlan in node.vlan_interfaces]
        if not first:
            yield error("loose-vlan", node.name, "vlan_interfaces", "has no interface to carry VLANs", "link the host")
        for vlan_id in sorted({each for each in ids if ids.count(each) > 1}):
            why = f"has the VLAN {vlan_id} twice"
            yield error("duplicate-vlan", node.name, "vlan_interfaces", why, "one sub-interface a VLAN")
        for vlan in node.vlan_interfaces:
            if len(f"{first}.{vlan.vlan_id}") > INTERFACE_NAME_LENGTH:
                why = f"{first}.{vlan.vlan_id} is longer than the kernel's {INTERFACE_NAME_LENGTH} characters"
                yield error("illegal-interface", node.name, "vlan_interfaces", why, "a shorter interface name")
            if vlan.address.ip in [address.ip for address in facts.addresses(node.name)]:
                why = f"{vlan.address.ip} is the address of {first} too"
                yield warning("duplicate-address", node.name, "vlan_interfaces", why, "another address")


def ip_base(facts: Facts) -> Iterator[Problem]:
    """The preferences' network can be read."""
    text = facts.drawn.preferences.ip_base
    try:
        IPv4Interface(text.strip())
    except ValueError:
        why = f"{text!r} is not an IPv4 network; 10.0.0.0/8 is taken"
        yield warning("illegal-ip-base", "", "preferences.ip_base", why, "such as 10.0.0.0/8")


RULES: tuple[Rule, ...] = (
    no_address,
    unusable_addresses,
    repeated_addresses,
    duplicate_addresses,
    strangers,
    overlapping_networks,
    default_routes,
    multihomed,
    vlans,
    ip_base,
)
