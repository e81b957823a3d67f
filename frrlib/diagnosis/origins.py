"""Why no router has a route, and why a router does not use a route of its own: static routes, networks, interfaces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv6Interface

from frrlib.diagnosis.bgp import bgp_lines
from frrlib.diagnosis.bgp_routes import best_path, network_without_route
from frrlib.diagnosis.explanation import Step, cause
from frrlib.diagnosis.facts import InterfaceFacts, LabFacts, Network
from frrlib.diagnosis.links import node_causes
from frrlib.diagnosis.neighbors import PROTOCOLS
from frrlib.model.base import is_address

_STATIC = re.compile(r"(?:ip|ipv6) route (?P<prefix>\S+) (?P<hop>\S+)(?P<rest>.*)")


@dataclass(frozen=True)
class StaticRoute:
    """A static route in a running configuration.

    Attributes:
        line: the line.
        hop: the address of the next hop, or the name of an interface, or a word such as "blackhole".
        interface: the interface after the address; empty for none.
    """

    line: str
    hop: str
    interface: str


def static_routes(facts: LabFacts, router: str, network: Network) -> list[StaticRoute]:
    """The static routes of a router to exactly this network."""
    routes = []
    for line in facts.static_lines(router):
        match = _STATIC.fullmatch(line)
        if match and match["prefix"] == str(network):
            words = match["rest"].split()
            interface = words[0] if words and words[0] in facts.interfaces(router) else ""
            routes.append(StaticRoute(line, match["hop"], interface))
    return routes


def stopped_causes(facts: LabFacts, router: str) -> list[Step]:
    """The causes at a router whose processes are stopped."""
    return list(node_causes(facts, router))


def inactive_causes(facts: LabFacts, router: str, network: Network) -> Iterator[Step]:
    """Why a router does not use a route of its own: its interface is down, or zebra does not install it."""
    yield from _down_interfaces(facts, router, network)
    for route in static_routes(facts, router, network):
        yield from _static_cause(facts, router, route)
    bgp_is_valid = bool(best_path(facts, router, network))
    for entry in facts.rib(router, network):
        protocol = str(entry.get("protocol", ""))
        if protocol == "static" or (protocol == "bgp" and not bgp_is_valid):
            continue
        name = PROTOCOLS.get(protocol, protocol)
        hops = [hop.get("ip") or hop.get("interfaceName", "") for hop in entry.get("nexthops", ())]
        if not any(hop.get("active") for hop in entry.get("nexthops", ())):
            sentence = f"{router} has {network} by {name}, but its next hop {' and '.join(hops)} is not active."
            yield cause(router, "", sentence, f"Give {router} a route to the next hop over an interface that is up.")
        elif filters := [e.text for e in facts.config(router) if re.match(r"ip(v6)? protocol ", e.text)]:
            sentence = f"{router} has {network} by {name}, but does not install it: its filter is `{filters[0]}`."
            yield cause(
                router, "", sentence, f"In vtysh of {router}: `no {filters[0]}`, or permit {network} in its route map."
            )


def _static_cause(facts: LabFacts, router: str, route: StaticRoute) -> Iterator[Step]:
    start = f"{router} has the static route `{route.line}`, but"
    if route.hop in facts.interfaces(router) or route.interface:
        name = route.interface or route.hop
        if not facts.interface(router, name).has_carrier:
            remedy = f"In vtysh of {router}: `interface {name}`, `no shutdown`; or set the other end of its link up."
            yield cause(router, name, f"{start} {name} is down.", remedy)
        return
    if not is_address(route.hop):
        return
    hop_route = facts.route_to(router, route.hop)
    if not hop_route:
        sentence = f"{start} its next hop {route.hop} is unreachable from {router}."
        yield cause(router, "", sentence, _next_hop_remedy(facts, router))
    elif hop_route.get("type") == "local":
        sentence = f"{start} its next hop {route.hop} is an address of {router} itself."
        yield cause(router, "", sentence, f"In vtysh of {router}: name the neighbor's address in the route.")
    elif hop_route.get("gateway"):
        sentence = f"{start} its next hop {route.hop} is not in a network of an interface of {router}."
        yield cause(router, "", sentence, _next_hop_remedy(facts, router))


def _next_hop_remedy(facts: LabFacts, router: str) -> str:
    networks = [
        str(address.network)
        for port in facts.interfaces(router).values()
        if port.has_carrier and port.name != "lo"
        for address in port.addresses
    ]
    return f"Name a next hop in a network of {router} ({', '.join(networks) or 'none is up'}), or set its interface up."


# --- no router has the route ------------------------------------------------------------------------------------------


def missing_origin(facts: LabFacts, router: str, network: Network) -> Iterator[Step]:
    """The reason why no router has a route to a network."""
    yield Step("", "", f"No router has {network}.")
    causes = [step for name in facts.routers for step in _origin_causes(facts, name, network)]
    if not causes:
        causes = [step for name in facts.routers for step in _similar_networks(facts, name, network)]
    if causes:
        yield from causes
        return
    sentence = (
        f"No interface of a router has an address in {network}, and no static route and no BGP `network` statement "
        "names it."
    )
    yield cause("", "", sentence, f"Check the prefix, or give the router at its origin an address in {network}.")


def _origin_causes(facts: LabFacts, router: str, network: Network) -> Iterator[Step]:
    """The causes at a router that would be an origin of a route."""
    if facts.is_stopped(router):
        yield from stopped_causes(facts, router)
        return
    yield from _down_interfaces(facts, router, network)
    for route in static_routes(facts, router, network):
        yield from _static_cause(facts, router, route)
    lines = bgp_lines(facts, router, network.version)
    if any(f"{line} ".startswith(f"network {network} ") for line in lines):
        yield network_without_route(facts, router, network)
    if any(f"{line} ".startswith(f"aggregate-address {network} ") for line in lines):
        sentence = f"{router} has `aggregate-address {network}` in BGP, but no route inside {network} in its BGP table."
        yield cause(router, "", sentence, f"Bring a route inside {network} into BGP at {router}, or to {router}.")


def _down_interfaces(facts: LabFacts, router: str, network: Network) -> Iterator[Step]:
    """The interfaces of a router that have this network and are down, as causes."""
    for port in facts.interfaces(router).values():
        if not port.has_carrier and any(address.network == network for address in port.addresses):
            yield _down(facts, router, port, network)


def _down(facts: LabFacts, router: str, port: InterfaceFacts, network: Network) -> Step:
    ids = [link.id for link, end in facts.topology.ends_at(router) if end.interface == port.name]
    if ids and ids[0] in facts.faults["links_down"]:
        sentence = f"{port.name} of {router} is in {network}, but its link {ids[0]} is down."
        return cause(router, port.name, sentence, f"Set the link {ids[0]} up.")
    if not port.is_enabled:
        sentence = f"{port.name} of {router} is in {network}, but it is down."
        return cause(router, port.name, sentence, f"In vtysh of {router}: `interface {port.name}`, `no shutdown`.")
    sentence = f"{port.name} of {router} is in {network}, but it has no carrier."
    return cause(router, port.name, sentence, "Set the other end of its link up.")


def _similar_networks(facts: LabFacts, router: str, network: Network) -> Iterator[Step]:
    """Addresses inside the network whose own networks are smaller or larger, which is often a wrong mask."""
    for port in facts.interfaces(router).values():
        for address in port.addresses:
            if _is_similar(address, network):
                sentence = f"{port.name} of {router} has {address}, so its network is {address.network}, not {network}."
                remedy = (
                    f"Ask about {address.network}, or give the interface the address {address.ip}/{network.prefixlen}."
                )
                yield cause(router, port.name, sentence, remedy)


def _is_similar(address: IPv4Interface | IPv6Interface, network: Network) -> bool:
    return (
        address.version == network.version
        and network.prefixlen > 0
        and address.network.overlaps(network)
        and address.network.prefixlen != address.max_prefixlen
    )
