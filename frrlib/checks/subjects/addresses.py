"""Rules on addresses, networks and default routes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Interface, IPv4Network
from itertools import chain
from typing import NamedTuple

from frrlib.addressing.domains import Attachment
from frrlib.checks.address_spaces import worlds
from frrlib.checks.facts import Facts, Rule, contains, net_title
from frrlib.model.base import INTERFACE_NAME_LENGTH, Address
from frrlib.model.nodes import Host, Router
from frrlib.model.problem import Problem, error, note, warning


def no_address(facts: Facts) -> Iterator[Problem]:
    """Interfaces for which automatic addressing found no free address."""
    for domain in facts.domains:
        for place in domain.ends:
            if not place.end.addresses:
                message = f"no free address was found for {place.end.interface}"
                yield error("no-address", place.end.node, "addresses", message, "enter an address in a larger network")


def unusable_addresses(facts: Facts) -> Iterator[Problem]:
    """Addresses that no station can have."""
    for domain in facts.domains:
        for place in domain.ends:
            for address in place.end.addresses:
                message, right = address_fault(address)
                if message:
                    text = f"{address} at {place.end.interface} {message}"
                    yield error("unusable-address", place.end.node, "addresses", text, right)
                elif address.network.num_addresses == 1:
                    text = f"{address} at {place.end.interface} is the only address of its network"
                    right = f"use a shorter prefix, such as {'/24' if address.version == 4 else '/64'}"
                    yield warning("lonely-address", place.end.node, "addresses", text, right)
    for router in facts.routers():
        for address in router.loopbacks:
            if address.ip.is_multicast or address.ip.is_unspecified:
                message = f"{address} is not a unicast address"
                yield error("unusable-address", router.name, "loopbacks", message, "choose a unicast address")


def address_fault(address: Address) -> tuple[str, str]:
    """The reason why no station can have an address, and the remedy; both empty if a station can have it."""
    ip, network = address.ip, address.network
    if ip.is_multicast or ip.is_unspecified or ip.is_loopback:
        return "is not a unicast address", "choose a unicast address, such as one of 10.0.0.0/8"
    if isinstance(network, IPv4Network) and network.num_addresses > 2:
        hosts = f"choose one from {network.network_address + 1} to {network.broadcast_address - 1}"
        if ip == network.network_address:
            return f"is the network address of {network}", hosts
        if ip == network.broadcast_address:
            return f"is the broadcast address of {network}", hosts
    return "", ""


def repeated(addresses: Iterable[Address]) -> list[Address]:
    """Repeated addresses of one interface, which the kernel refuses. Two IPv4 addresses are the same if their prefix
    lengths are the same too; two IPv6 addresses with any prefix lengths."""
    seen: set[object] = set()
    found = []
    for address in addresses:
        key = address if address.version == 4 else address.ip
        found += [address] if key in seen else []
        seen.add(key)
    return found


def repeated_addresses(facts: Facts) -> Iterator[Problem]:
    """No interface has an address twice."""
    ends = [(place.end.node, "addresses", place.end.interface, place.end.addresses) for domain in facts.domains
            for place in domain.ends]  # fmt: skip
    ends += [(router.name, "loopbacks", "lo", router.loopbacks) for router in facts.routers()]
    for node, field, interface, addresses in ends:
        for address in repeated(addresses):
            message = f"{interface} has the address {address} twice, and the kernel refuses the second one"
            yield error("duplicate-address", node, field, message, "remove one of them")


def duplicate_addresses(facts: Facts) -> Iterator[Problem]:
    """Each address belongs to one station. A duplicate is an error on one net, and a warning elsewhere."""
    known: dict[int, dict[object, str]] = {}
    for world, domain in zip(worlds(facts.domains), facts.domains, strict=True):
        everywhere = known.setdefault(world, {})
        here: dict[object, str] = {}
        for place in domain.ends:
            for address in place.end.addresses:
                own = f"{place.end.node} ({place.end.interface})"
                if here.setdefault(address.ip, own) != own:
                    message = f"{here[address.ip]} on the same net also has the address {address.ip}"
                    yield error("duplicate-address", place.end.node, "addresses", message, "choose another address")
                elif not address.ip.is_link_local and everywhere.setdefault(address.ip, own) != own:
                    message = f"{everywhere[address.ip]} on another net also has the address {address.ip}"
                    yield warning("duplicate-address", place.end.node, "addresses", message, "choose another address")
    everywhere = {address: own for table in known.values() for address, own in table.items()}
    for router in facts.routers():
        for address in router.loopbacks:
            own = f"{router.name} (lo)"
            if everywhere.setdefault(address.ip, own) != own:
                message = f"{everywhere[address.ip]} also has the address {address.ip}"
                yield warning("duplicate-address", router.name, "loopbacks", message, "choose another address")


class Stranger(NamedTuple):
    """A station that shares no network with any other on its net.

    Attributes:
        place: its interface.
        mine: the interface's addresses of one IP version.
        nearest: the first address of another station there.
        others: number of other stations there.
        problem: the problem that reports it.
    """

    place: Attachment
    mine: list[Address]
    nearest: Address
    others: int
    problem: Problem


def strangers_of(facts: Facts) -> Iterator[list[Stranger]]:
    """The strangers of each net and each IP version that has some."""
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
    message = f"{shown} at {place.end.interface} shares no network with {nearest} on the same net"
    right = f"choose an address of {nearest.network}"
    problem = warning("different-networks", place.end.node, "addresses", message, right)
    return Stranger(place, mine, nearest, len(stations) - 1, problem)


def strangers(facts: Facts) -> Iterator[Problem]:
    """Stations on one net that share no network with any other there."""
    return (each.problem for found in strangers_of(facts) for each in found)


def _usable(place: Attachment, version: int) -> list[Address]:
    """Addresses of an interface whose network has other addresses."""
    return [
        address
        for address in place.end.addresses
        if address.version == version and not address.ip.is_link_local and address.network.num_addresses > 1
    ]


def _meet(one: Address, other: Address) -> bool:
    return one.ip in other.network and other.ip in one.network


def overlapping_networks(facts: Facts) -> Iterator[Problem]:
    """Different nets have networks that do not overlap, so that routers can find an address."""
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
                message = f"network {title} overlaps with {other_title}"
                yield warning("overlapping-networks", "", "addresses", message, "give each net its own network")
                break


def default_routes(facts: Facts) -> Iterator[Problem]:
    """The gateway of a host is another station on one of its links."""
    for node in facts.nodes.values():
        if not isinstance(node, Host):
            continue
        gateway, ends = node.default_route, facts.ends.get(node.name, [])
        networks = facts.networks(node.name)
        if gateway is None:
            if len(ends) > 1:
                message = "the host has several interfaces but no default route, so it reaches only its own networks"
                yield note("no-default-route", node.name, "default_route", message)
            continue
        if gateway in [address.ip for address in facts.addresses(node.name)]:
            message = f"{gateway} is an address of the host itself"
            yield error("own-gateway", node.name, "default_route", message, "choose the address of a router")
        elif not ends:
            message = f"{gateway} cannot be reached, because the host has no link"
            yield error(
                "far-gateway", node.name, "default_route", message, "link the host, or remove the default route"
            )
        elif any(gateway == net.broadcast_address and net.num_addresses > 2 for net in networks if net.version == 4):
            message = f"{gateway} is the broadcast address of the host's network"
            yield error("unusable-address", node.name, "default_route", message, "choose the address of a router")
        elif not contains(networks, gateway):
            shown = ", ".join(str(network) for network in networks) or "none"
            message = f"{gateway} is in no network of the host ({shown})"
            yield error(
                "far-gateway", node.name, "default_route", message, "choose the address of a neighboring router"
            )
        elif gateway not in facts.owners:
            message = f"no node has the address {gateway}"
            yield warning("no-gateway", node.name, "default_route", message, "choose the address of a router")


def multihomed(facts: Facts) -> Iterator[Problem]:
    """No host or router has two interfaces of one routing table in one network: the kernel would use only the first."""
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
                        message = f"{end.interface} ({address}) and {interface} ({other}) are in overlapping networks"
                        right = "give each interface its own network"
                        yield warning("overlapping-interfaces", name, "addresses", message, right)
                seen.append((address, end.interface))


def vlans(facts: Facts) -> Iterator[Problem]:
    """VLAN sub-interfaces of hosts."""
    for node in facts.nodes.values():
        if not isinstance(node, Host) or not node.vlan_interfaces:
            continue
        first = next(iter(facts.interface_names(node.name)), "")
        ids = [vlan.vlan_id for vlan in node.vlan_interfaces]
        if not first:
            message = "the host has no interface to carry VLANs"
            yield error("loose-vlan", node.name, "vlan_interfaces", message, "link the host")
        for vlan_id in sorted({each for each in ids if ids.count(each) > 1}):
            message = f"the host has VLAN {vlan_id} twice"
            yield error("duplicate-vlan", node.name, "vlan_interfaces", message, "remove one of them")
        for vlan in node.vlan_interfaces:
            if len(f"{first}.{vlan.vlan_id}") > INTERFACE_NAME_LENGTH:
                message = (
                    f"the name {first}.{vlan.vlan_id} is longer than the kernel's limit of {INTERFACE_NAME_LENGTH} "
                )
                message += "characters"
                yield error("illegal-interface", node.name, "vlan_interfaces", message, "shorten the interface name")
            if vlan.address.ip in [address.ip for address in facts.addresses(node.name)]:
                message = f"{vlan.address.ip} is also the address of {first}"
                yield warning("duplicate-address", node.name, "vlan_interfaces", message, "choose another address")


def ip_base(facts: Facts) -> Iterator[Problem]:
    """The network for automatic addresses in the preferences is valid."""
    text = facts.drawn.preferences.ip_base
    try:
        IPv4Interface(text.strip())
    except ValueError:
        message = f"{text!r} is not an IPv4 network; 10.0.0.0/8 is used instead"
        yield warning("illegal-ip-base", "", "preferences.ip_base", message, "enter a network such as 10.0.0.0/8")


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
