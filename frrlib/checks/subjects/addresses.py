"""Addresses and networks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network, IPv6Network
from itertools import chain, islice
from typing import Any, NamedTuple

from frrlib.addressing.domains import Attachment, Domain
from frrlib.checks.facts import Facts, net_title
from frrlib.checks.fix import Fix, fix_with, nodes_fix
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.model.base import Address
from frrlib.model.links import End
from frrlib.model.nodes import Node, Router
from frrlib.model.problem import Problem

SUBJECT = CheckSubject()
NO_ADDRESS = SUBJECT.kind(
    "no-address",
    "An interface, or the end of a flow, has no address, and automatic addressing found no free one.",
    "It can neither send nor receive.",
    "Enter an address in a network that has free addresses, or link the node.",
)
UNUSABLE_ADDRESS = SUBJECT.kind(
    "unusable-address",
    "The address is a multicast address, a loopback address, a network address or a broadcast address.",
    "No station can have it. The kernel refuses it, or replies are lost.",
    "Choose another address of the same network, or leave the field empty for an automatic address.",
)
LONELY_ADDRESS = SUBJECT.kind(
    "lonely-address",
    "The prefix is as long as the address (/32 or /128).",
    "The network contains no other station, so neighbors on the link cannot be reached.",
    "Use a shorter prefix, such as /24 or /64.",
)
DUPLICATE_ADDRESS = SUBJECT.kind(
    "duplicate-address",
    "Two interfaces have the same address, or one interface has it twice.",
    "The kernel refuses an address that the interface already has. On one net both stations answer ARP, and the "
    "station that receives the packets changes from moment to moment. On different nets, routers deliver to the "
    "nearer station.",
    "Leave one of them empty for an automatic address, or enter another one. Routing tables that are never "
    "connected (VRFs) may use the same addresses.",
    runs=True,
)
DIFFERENT_NETWORKS = SUBJECT.kind(
    "different-networks",
    "A station shares no network with any other station on its net.",
    "It receives the frames of the others and has no route to them. Problems with sessions, gateways and routes "
    "that follow from this are counted and not listed one by one. If one of them is an error, this is an error "
    "too.",
    "Choose an address in the network of the others, such as the address by which other nodes refer to this station.",
)
OVERLAPPING_NETWORKS = SUBJECT.kind(
    "overlapping-networks",
    "Two nets have networks that overlap.",
    "A router sends to only one of them: the one with the longer prefix.",
    "Give each net its own network.",
)


@SUBJECT.rule(NO_ADDRESS)
def no_address(facts: Facts) -> Iterator[Problem]:
    """Interfaces for which automatic addressing found no free address."""
    for domain in facts.domains:
        for place in domain.ends:
            if not place.end.addresses:
                message = f"no free address was found for {place.end.interface}"
                yield error(NO_ADDRESS, place.end.node, "addresses", message, "enter an address in a larger network")


@SUBJECT.rule(UNUSABLE_ADDRESS, LONELY_ADDRESS)
def unusable_addresses(facts: Facts) -> Iterator[Problem]:
    """Addresses that no station can have."""
    for domain in facts.domains:
        for place in domain.ends:
            for address in place.end.addresses:
                message, remedy = address_fault(address)
                if message:
                    text = f"{address} at {place.end.interface} {message}"
                    yield error(UNUSABLE_ADDRESS, place.end.node, "addresses", text, remedy)
                elif address.network.num_addresses == 1:
                    text = f"{address} at {place.end.interface} is the only address of its network"
                    remedy = f"use a shorter prefix, such as {'/24' if address.version == 4 else '/64'}"
                    yield warning(LONELY_ADDRESS, place.end.node, "addresses", text, remedy)
    for router in facts.routers():
        for address in router.loopbacks:
            if address.ip.is_multicast or address.ip.is_unspecified:
                message = f"{address} is not a unicast address"
                yield error(UNUSABLE_ADDRESS, router.name, "loopbacks", message, "choose a unicast address")


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


def repeated_in(addresses: Iterable[Address]) -> list[Address]:
    """Repeated addresses of one interface, which the kernel refuses. Two IPv4 addresses are the same if their prefix
    lengths are the same too; two IPv6 addresses with any prefix lengths."""
    keys: set[object] = set()
    repetitions = []
    for address in addresses:
        key = address if address.version == 4 else address.ip
        repetitions += [address] if key in keys else []
        keys.add(key)
    return repetitions


@SUBJECT.rule(DUPLICATE_ADDRESS)
def repeated_addresses(facts: Facts) -> Iterator[Problem]:
    """No interface has an address twice."""
    ends = [(place.end.node, "addresses", place.end.interface, place.end.addresses) for domain in facts.domains
            for place in domain.ends]  # fmt: skip
    ends += [(router.name, "loopbacks", "lo", router.loopbacks) for router in facts.routers()]
    for node, field, interface, addresses in ends:
        for address in repeated_in(addresses):
            message = f"{interface} has the address {address} twice, and the kernel refuses the second one"
            yield error(DUPLICATE_ADDRESS, node, field, message, "remove one of them")


@SUBJECT.rule(DUPLICATE_ADDRESS)
def duplicate_addresses(facts: Facts) -> Iterator[Problem]:
    """Each address belongs to one station. A duplicate is an error on one net, and a warning elsewhere."""
    by_space: dict[int, dict[object, str]] = {}
    for world, domain in zip(_address_space_numbers(facts.domains), facts.domains, strict=True):
        in_space = by_space.setdefault(world, {})
        on_net: dict[object, str] = {}
        for place in domain.ends:
            for address in place.end.addresses:
                station = f"{place.end.node} ({place.end.interface})"
                if on_net.setdefault(address.ip, station) != station:
                    message = f"{on_net[address.ip]} on the same net also has the address {address.ip}"
                    yield error(DUPLICATE_ADDRESS, place.end.node, "addresses", message, "choose another address")
                elif not address.ip.is_link_local and in_space.setdefault(address.ip, station) != station:
                    message = f"{in_space[address.ip]} on another net also has the address {address.ip}"
                    yield warning(DUPLICATE_ADDRESS, place.end.node, "addresses", message, "choose another address")
    in_space = {address: station for table in by_space.values() for address, station in table.items()}
    for router in facts.routers():
        for address in router.loopbacks:
            station = f"{router.name} (lo)"
            if in_space.setdefault(address.ip, station) != station:
                message = f"{in_space[address.ip]} also has the address {address.ip}"
                yield warning(DUPLICATE_ADDRESS, router.name, "loopbacks", message, "choose another address")


class IsolatedStation(NamedTuple):
    """A station that shares no network with any other on its net.

    Attributes:
        place: its interface.
        mine: the interface's addresses of one IP version.
        nearest: the first address of another station there.
        other_stations: number of other stations there.
        problem: the problem that reports it.
    """

    place: Attachment
    mine: list[Address]
    nearest: Address
    other_stations: int
    problem: Problem


def isolated_stations(facts: Facts) -> Iterator[list[IsolatedStation]]:
    """The strangers of each net and each IP version that has some. An automatic address makes no stranger."""
    for domain in facts.domains:
        for version in (4, 6):
            stations = [(place, mine) for place in domain.ends if (mine := _usable_addresses(place, version))]
            stated = [station for station in stations if is_stated(facts, station[0])]
            if group := [isolated for station in stated if (isolated := _isolated_station_at(station, stations))]:
                yield group


def is_stated(facts: Facts, place: Attachment) -> bool:
    """Whether the addresses of an interface are set in the topology."""
    return bool(facts.topology.links[place.index].ends[place.side].addresses)


def _isolated_station_at(
    station: tuple[Attachment, list[Address]], stations: list[tuple[Attachment, list[Address]]]
) -> IsolatedStation | None:
    place, mine = station
    other_addresses = (
        address for other_station, theirs in stations if other_station is not place for address in theirs
    )
    nearest = next(other_addresses, None)
    if nearest is None or any(
        _share_network(own_address, other_station)
        for other_station in chain((nearest,), other_addresses)
        for own_address in mine
    ):
        return None
    address_text = " ".join(str(address) for address in mine)
    message = f"{address_text} at {place.end.interface} shares no network with {nearest} on the same net"
    remedy = f"choose an address of {nearest.network}"
    problem = warning(DIFFERENT_NETWORKS, place.end.node, "addresses", message, remedy)
    return IsolatedStation(place, mine, nearest, len(stations) - 1, problem)


@SUBJECT.rule(DIFFERENT_NETWORKS)
def isolated_station_problems(facts: Facts) -> Iterator[Problem]:
    """Stations on one net that share no network with any other there."""
    return (station.problem for group in isolated_stations(facts) for station in group)


def _usable_addresses(place: Attachment, version: int) -> list[Address]:
    """Addresses of an interface whose network has other addresses."""
    return [
        address
        for address in place.end.addresses
        if address.version == version and not address.ip.is_link_local and address.network.num_addresses > 1
    ]


def _share_network(a: Address, b: Address) -> bool:
    return a.ip in b.network and b.ip in a.network


@SUBJECT.rule(OVERLAPPING_NETWORKS)
def overlapping_networks(facts: Facts) -> Iterator[Problem]:
    """Different nets have networks that do not overlap, so that routers can find an address."""
    if not any(facts.routers()):
        return
    ranges: list[tuple[int, int, int, int, int, IPv4Network | IPv6Network]] = []
    for number, (world, domain) in enumerate(zip(_address_space_numbers(facts.domains), facts.domains, strict=True)):
        networks = {a.network for place in domain.ends for a in place.end.addresses if not a.ip.is_link_local}
        ranges += [
            (world, n.version, int(n.network_address), int(n.broadcast_address), number, n)
            for n in networks
            if n.num_addresses > 1
        ]
    ranges.sort()
    for index, (world, version, _, last, number, network) in enumerate(ranges):
        for other_world, other_version, first, _, other_number, other in islice(ranges, index + 1, None):
            if (other_world, other_version, first) > (world, version, last):
                break
            if other_number != number:
                titles = [net_title(facts, facts.domains[number_of_net]) for number_of_net in (number, other_number)]
                message = f"network {network} of {titles[0]} overlaps with {other} of {titles[1]}"
                yield warning(OVERLAPPING_NETWORKS, "", "addresses", message, "give each net its own network")
                break


def _address_space_numbers(domains: tuple[Domain, ...]) -> list[int]:
    """The number of the address space of each net. Different spaces may use the same addresses.

    If no router has a VRF, all nets are in one space, since separate nets are probably going to be joined.
    """
    places = (place for domain in domains for place in domain.ends)
    if not any(isinstance(place.node, Router) and place.node.vrf_of(place.end.interface) for place in places):
        return [0] * len(domains)
    numbers = list(range(len(domains)))
    first_nets: dict[tuple[str, str], int] = {}
    for index, domain in enumerate(domains):
        for place in domain.ends:
            if not isinstance(place.node, Router):
                continue
            table = place.node.vrf_of(place.end.interface)
            first = numbers[first_nets.setdefault((place.node.name, table), index)]
            mine = numbers[index]
            numbers = [first if number == mine else number for number in numbers]
    return numbers


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(DUPLICATE_ADDRESS, UNUSABLE_ADDRESS)
def _use_automatic_addresses(facts: Facts, problem: Problem) -> Fix | None:
    """Use automatic addresses instead of those that another station has, or that no station can have."""
    if problem.field not in ("addresses", "loopbacks"):
        return None
    owners = Counter(ip for link in facts.topology.links for end in link.ends for ip in {a.ip for a in end.addresses})
    owners.update(
        ip for node in facts.topology.nodes if isinstance(node, Router) for ip in {a.ip for a in node.loopbacks}
    )

    def kept(addresses: Any) -> Any:
        once = [address for at, address in enumerate(addresses) if address not in repeated_in(addresses[: at + 1])]
        return tuple(address for address in once if owners[address.ip] < 2 and not address_fault(address)[0])

    def end(value: End) -> End:
        return value.model_copy(update={"addresses": kept(value.addresses)}) if value.node == problem.node else value

    def router(node: Any) -> Node | None:
        return node.model_copy(update={"loopbacks": kept(node.loopbacks)}) if isinstance(node, Router) else None

    label = f"use automatic addresses at {problem.node}"
    if problem.field == "loopbacks":
        return nodes_fix(label, facts.topology, [problem.node], router)
    links = tuple(link.model_copy(update={"a": end(link.a), "b": end(link.b)}) for link in facts.topology.links)
    return fix_with(label, facts.topology, links=links)
