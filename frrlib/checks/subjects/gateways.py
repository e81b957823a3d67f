"""Default routes, VLANs, and networks of several interfaces of one node."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Interface
from typing import Any

from frrlib.addressing.domains import Attachment
from frrlib.checks.facts import Facts, contains
from frrlib.checks.fix import Fix, host_fix, nodes_fix, preference_fix
from frrlib.checks.kinds import CheckSubject, error, note, warning
from frrlib.checks.subjects.addresses import DUPLICATE_ADDRESS, UNUSABLE_ADDRESS, is_stated
from frrlib.checks.subjects.structure import ILLEGAL_INTERFACE
from frrlib.model.base import INTERFACE_NAME_LENGTH, Address, IpAddress
from frrlib.model.nodes import Host, Node, Router
from frrlib.model.problem import Problem

SUBJECT = CheckSubject()
NO_DEFAULT_ROUTE = SUBJECT.kind(
    "no-default-route",
    "A host has no default route, although it has several interfaces or a flow to a network that is not its own.",
    "It reaches only its own networks.",
    "Enter the address of an adjacent router as its default route.",
)
OWN_GATEWAY = SUBJECT.kind(
    "own-gateway",
    "A default route or a static route points to an address of the node itself.",
    "The kernel refuses it, or packets never leave the node.",
    "Enter the address of the next router. A host without a default route gets one automatically.",
    runs=True,
)
FAR_GATEWAY = SUBJECT.kind(
    "far-gateway",
    "The next hop of a route is in no network of the node, or the node has no link.",
    "The kernel refuses a route with a next hop that it cannot reach directly.",
    "Enter an address of a neighboring router, or leave a host's default route empty for an automatic one.",
    runs=True,
)
NO_GATEWAY = SUBJECT.kind(
    "no-gateway",
    "No node has the address that a route points to, or a host has it.",
    "Packets wait for an ARP reply that never arrives, and are dropped. A host drops packets for other nodes.",
    "Enter the address of a router, or leave a host's default route empty for an automatic one.",
)
OVERLAPPING_INTERFACES = SUBJECT.kind(
    "overlapping-interfaces",
    "Two interfaces of one node are in overlapping networks.",
    "The kernel sends all packets for these networks through the first of the two interfaces.",
    "Give each interface its own network, remove one of two links to the same net, or put them into different VRFs.",
)
LOOSE_VLAN = SUBJECT.kind(
    "loose-vlan",
    "A host has VLAN sub-interfaces but no interface to carry them.",
    "They cannot be created.",
    "Link the host.",
)
DUPLICATE_VLAN = SUBJECT.kind(
    "duplicate-vlan",
    "A host has the same VLAN twice on its first interface.",
    "The second sub-interface cannot be created.",
    "Remove one of them.",
)
ILLEGAL_IP_BASE = SUBJECT.kind(
    "illegal-ip-base",
    "The network for automatic addresses in the preferences is not valid.",
    "10.0.0.0/8 is used instead.",
    "Enter a network, such as 10.0.0.0/8.",
)


@SUBJECT.rule(OWN_GATEWAY, NO_DEFAULT_ROUTE, FAR_GATEWAY, UNUSABLE_ADDRESS, NO_GATEWAY)
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
                yield note(NO_DEFAULT_ROUTE, node.name, "default_route", message)
            continue
        if gateway in [address.ip for address in facts.addresses(node.name)]:
            message = f"{gateway} is an address of the host itself"
            yield error(OWN_GATEWAY, node.name, "default_route", message, "choose the address of a router")
        elif not ends:
            message = f"{gateway} cannot be reached, because the host has no link"
            yield error(FAR_GATEWAY, node.name, "default_route", message, "link the host, or remove the default route")
        elif any(gateway == net.broadcast_address and net.num_addresses > 2 for net in networks if net.version == 4):
            message = f"{gateway} is the broadcast address of the host's network"
            yield error(UNUSABLE_ADDRESS, node.name, "default_route", message, "choose the address of a router")
        elif not contains(networks, gateway):
            networks_text = ", ".join(str(network) for network in networks) or "none"
            message = f"{gateway} is in no network of the host ({networks_text})"
            yield error(FAR_GATEWAY, node.name, "default_route", message, "choose the address of a neighboring router")
        elif gateway not in facts.owners:
            message = f"no node has the address {gateway}"
            yield warning(NO_GATEWAY, node.name, "default_route", message, "choose the address of a router")
        elif host := host_with_address(facts, gateway):
            message = f"{gateway} is the host {host}, which does not forward packets"
            yield warning(NO_GATEWAY, node.name, "default_route", message, "choose the address of a router")


def host_with_address(facts: Facts, address: IpAddress) -> str:
    """The host that has an address, if no other node has it; empty for none. A host with a start command may forward
    packets, and is left out."""
    nodes = [facts.nodes[name] for name in facts.owners.get(address, ())]
    plain = [node.name for node in nodes if isinstance(node, Host) and not node.start_command.strip()]
    return plain[0] if plain and len(plain) == len(nodes) else ""


@SUBJECT.rule(OVERLAPPING_INTERFACES)
def overlapping_interfaces(facts: Facts) -> Iterator[Problem]:
    """No host or router has two interfaces of one routing table in one network: the kernel would use only the first.

    Automatic addresses are in one network only if the interfaces are on one net, which then is the problem.
    """
    places = [(place, number) for number, domain in enumerate(facts.domains) for place in domain.ends]
    tables: dict[tuple[str, str], list[tuple[Attachment, int]]] = {}
    for place, number in sorted(places, key=lambda pair: (pair[0].index, pair[0].side)):
        name = place.end.node
        table = place.node.vrf_of(place.end.interface) if isinstance(place.node, Router) else ""
        earlier_places = tables.setdefault((name, table), [])
        for earlier, earlier_number in earlier_places:
            if (overlap := _overlap(earlier, place)) is None or earlier.end.interface == place.end.interface:
                continue
            interface, other = place.end.interface, earlier.end.interface
            if is_stated(facts, earlier) and is_stated(facts, place):
                message = f"{interface} ({overlap[1]}) and {other} ({overlap[0]}) are in overlapping networks"
                yield warning(OVERLAPPING_INTERFACES, name, "addresses", message, "give each interface its own network")
            elif earlier_number == number:
                message = f"{interface} and {other} are on the same net, so both are in its network"
                yield warning(OVERLAPPING_INTERFACES, name, "addresses", message, "remove one of the two links")
        earlier_places.append((place, number))


def _overlap(earlier: Attachment, later: Attachment) -> tuple[Address, Address] | None:
    """The first two addresses of two interfaces whose networks overlap; link-local ones do not count."""
    for address in later.end.addresses:
        for other in earlier.end.addresses:
            if not (address.ip.is_link_local or other.ip.is_link_local) and other.network.overlaps(address.network):
                return other, address
    return None


@SUBJECT.rule(LOOSE_VLAN, DUPLICATE_VLAN, ILLEGAL_INTERFACE, DUPLICATE_ADDRESS)
def vlans(facts: Facts) -> Iterator[Problem]:
    """VLAN sub-interfaces of hosts."""
    for node in facts.nodes.values():
        if not isinstance(node, Host) or not node.vlan_interfaces:
            continue
        first = next(iter(facts.interface_names(node.name)), "")
        ids = [vlan.vlan_id for vlan in node.vlan_interfaces]
        if not first:
            message = "the host has no interface to carry VLANs"
            yield error(LOOSE_VLAN, node.name, "vlan_interfaces", message, "link the host")
        for vlan_id in sorted({number for number in ids if ids.count(number) > 1}):
            message = f"the host has VLAN {vlan_id} twice"
            yield error(DUPLICATE_VLAN, node.name, "vlan_interfaces", message, "remove one of them")
        for vlan in node.vlan_interfaces:
            if len(f"{first}.{vlan.vlan_id}") > INTERFACE_NAME_LENGTH:
                message = (
                    f"the name {first}.{vlan.vlan_id} is longer than the kernel's limit of {INTERFACE_NAME_LENGTH} "
                )
                message += "characters"
                yield error(ILLEGAL_INTERFACE, node.name, "vlan_interfaces", message, "shorten the interface name")
            if vlan.address.ip in [address.ip for address in facts.addresses(node.name)]:
                message = f"{vlan.address.ip} is also the address of {first}"
                yield warning(DUPLICATE_ADDRESS, node.name, "vlan_interfaces", message, "choose another address")


@SUBJECT.rule(ILLEGAL_IP_BASE)
def ip_base(facts: Facts) -> Iterator[Problem]:
    """The network for automatic addresses in the preferences is valid."""
    text = facts.topology.preferences.ip_base
    try:
        IPv4Interface(text.strip())
    except ValueError:
        message = f"{text!r} is not an IPv4 network; 10.0.0.0/8 is used instead"
        yield warning(ILLEGAL_IP_BASE, "", "preferences.ip_base", message, "enter a network such as 10.0.0.0/8")


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(OWN_GATEWAY, FAR_GATEWAY, NO_GATEWAY)
def _use_automatic_gateway(facts: Facts, problem: Problem) -> Fix | None:
    if problem.field != "default_route":
        return None
    return host_fix(facts, problem, "use an automatic default route", default_route=None)


@SUBJECT.fix(DUPLICATE_VLAN)
def _remove_repeated_vlans(facts: Facts, problem: Problem) -> Fix | None:
    def change(node: Any) -> Node | None:
        first = {vlan.vlan_id: vlan for vlan in reversed(node.vlan_interfaces)} if isinstance(node, Host) else {}
        unique = tuple(vlan for vlan in node.vlan_interfaces if first[vlan.vlan_id] is vlan) if first else ()
        return node.model_copy(update={"vlan_interfaces": unique}) if first else None

    return nodes_fix(f"remove the repeated VLANs at {problem.node}", facts.topology, [problem.node], change)


SUBJECT.fix(ILLEGAL_IP_BASE)(preference_fix)
