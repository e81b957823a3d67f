"""Why a router does not have a route.

explanation = explain_missing_route(lab, "r3", "10.1.0.0/16")
print(explanation)  # "r2 has 10.1.0.0/16 by BGP from r1. r3 does not have it. ..."

The routers that have the route are found first. The explanation is about the place where it stops: a router that has
it, and a neighbor, on the way to the router of the question, that does not.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network

from frrlib.diagnosis import bgp, bgp_routes, igp_routes, origins
from frrlib.diagnosis.explanation import Explanation, Step, cause, explain
from frrlib.diagnosis.facts import LabFacts, Network
from frrlib.diagnosis.links import link_causes, node_causes
from frrlib.diagnosis.neighbors import PROTOCOLS, require_router
from frrlib.diagnosis.vrfs import facts_in_vrf, links_read, other_table_step, with_vrf_commands
from frrlib.diagnosis.wiring import SharedLink
from frrlib.errors import TopologyError
from frrlib.lab.lab import Lab

#: The order of exchanges: a protocol that both ends run, and one that only one end runs; the addition for one in which
#: the first router does not have the route; and a link without a protocol.
_BOTH, _ONE, _NOT_CARRIED, _UNUSED = 0, 1, 2, 4
#: Time in which zebra learns that the kernel has lost a route.
_ZEBRAS_DELAY_S = 0.5


@dataclass(frozen=True)
class RouteExchange:
    """The steps about one protocol by which a route could pass from a router to its neighbor.

    Attributes:
        rank: order of the exchanges; the smallest is the most likely to be intended.
        steps: as in `Explanation`.
    """

    rank: int
    steps: tuple[Step, ...]

    @property
    def has_cause(self) -> bool:
        """Whether one of the steps fails."""
        return any(step.is_cause for step in self.steps)


def explain_missing_route(lab: Lab, router: str, prefix: str, vrf: str = "") -> Explanation:
    """Why a router does not have a route.

    Daemons and kernels are read as they are now, not as the topology describes them. Only links come from the topology.

    Args:
        router: a router with FRR.
        prefix: a prefix ("10.1.0.0/16"), or an address, which stands for the smallest network of an interface
            around it.
        vrf: a VRF of the router; empty for its main table. At the other routers, the table of the links to it is read.

    Raises:
        TopologyError: a name or the prefix is wrong, or the router has no such VRF.
        LabFailed: the lab has ended, or does not reply in time.
    """
    require_router(LabFacts(lab), router)
    facts = facts_in_vrf(lab, router, vrf)
    network = network_of(facts, prefix)
    subject = f"route to {network} at {router}{f' in VRF {vrf}' if vrf else ''}"
    if facts.is_stopped(router):
        return explain(subject, origins.stopped_causes(facts, router))
    is_selected, is_in_kernel = bool(facts.selected(router, network)), facts.is_in_kernel(router, network)
    if is_selected and not is_in_kernel:  # the route may be gone, which zebra learns a moment after the kernel
        time.sleep(_ZEBRAS_DELAY_S)
        facts = facts_in_vrf(lab, router, vrf)
        is_selected, is_in_kernel = bool(facts.selected(router, network)), facts.is_in_kernel(router, network)
    if is_selected:
        step = having_step(facts, router, network)
        if is_in_kernel:
            return explain(subject, [step], is_there=True)
        sentence = f"The kernel of {router} does not have the route to {network}, although zebra has installed it."
        remedy = f"A program has removed it from the kernel. Restart zebra at {router}, or add the route anew."
        return explain(subject, [step, cause(router, "", sentence, remedy)])
    unknown = f"{router} has no route to {network}. No cause was found; the protocols may still be exchanging routes."
    if own := list(origins.inactive_causes(facts, router, network)):
        return explain(subject, with_vrf_commands(facts, own), unknown=unknown)
    steps = with_vrf_commands(facts, _first_failure(facts, router, network))
    if other_table := other_table_step(facts, router, network):
        is_cause = steps[:1] == [Step("", "", f"No router has {network}.")]
        steps = [replace(other_table, is_cause=True)] if is_cause else [other_table, *steps]
    if covering := facts.covering_route(router, network):
        sentence = f"{router} has no route to {network} itself, but sends packets to it by its route to {covering}."
        steps = [Step(router, "", sentence), *steps]
    return explain(subject, steps, unknown=unknown)


def missing_route_steps(facts: LabFacts, router: str, network: Network) -> list[Step]:
    """The steps up to the cause for which a router lacks a route, its own causes first; empty if it has the route."""
    if facts.is_stopped(router):
        return origins.stopped_causes(facts, router)
    if facts.selected(router, network):
        return []
    return list(origins.inactive_causes(facts, router, network)) or _first_failure(facts, router, network)


def network_of(facts: LabFacts, prefix: str) -> Network:
    """The network of a prefix, or the smallest network of an interface around an address. Raises TopologyError."""
    try:
        if "/" in prefix:
            return ip_network(prefix, strict=False)
        address = ip_address(prefix)
    except ValueError:
        raise TopologyError(f"{prefix!r} is no prefix", remedy="write it as in 10.1.0.0/16") from None
    nodes = (*facts.topology.routers, *facts.topology.hosts)
    around = [
        known.network
        for node in nodes
        for port in facts.interfaces(node.name).values()
        for known in port.addresses
        if address in known.network
    ]
    return max(around, key=lambda network: network.prefixlen, default=ip_network(address))


def having_step(facts: LabFacts, router: str, network: Network) -> Step:
    """The step that says how a router has a route."""
    entry = facts.selected(router, network)
    table = f" in VRF {facts.vrf(router)}" if facts.vrf(router) else ""
    protocol = str(entry.get("protocol", ""))
    interfaces = [hop["interfaceName"] for hop in entry.get("nexthops", ()) if hop.get("interfaceName")]
    interface = interfaces[0] if interfaces else ""
    if protocol in ("connected", "local"):
        return Step(router, interface, f"{router} has {network} on {interface}{table}.")
    hops = [hop["ip"] for hop in entry.get("nexthops", ()) if hop.get("ip")]
    peer = bgp_routes.best_path(facts, router, network).get("peer", {}) if protocol == "bgp" else {}
    source = facts.owner(str(peer.get("peerId") or next(iter(hops), "")))
    origin = f" from {source}" if source and source != router else ""
    name = {"static": "a static route", **PROTOCOLS}.get(protocol, protocol)
    return Step(router, interface, f"{router} has {network} by {name}{origin}{table}.")


# --- the place where the route stops ----------------------------------------------------------------------------------


def _first_failure(facts: LabFacts, router: str, network: Network) -> list[Step]:
    """The steps up to the first failing one between the routers that have a route and the one that lacks it."""
    reachable = [name for name in facts.routers if not facts.is_stopped(name)]
    holders = {name for name in reachable if facts.selected(name, network)}
    if not holders:
        return list(origins.missing_origin(facts, router, network))
    links = links_read(facts)
    exchanges: list[RouteExchange] = []
    frontier = list(_frontier(facts, router, holders, links))
    if not frontier:
        sentence = f"No links and no BGP sessions lead from {router} to a router that has {network}."
        return [cause(router, "", sentence, f"Link {router} to a router that has {network}.")]
    for holder, other in frontier:
        exchanges += _exchanges(facts, holder, other, links.get((holder, other), ()), network)
    with_cause = sorted((exchange for exchange in exchanges if exchange.has_cause), key=lambda exchange: exchange.rank)
    if with_cause:
        return list(with_cause[0].steps)
    stopped = [step for name in facts.routers if name not in reachable for step in origins.stopped_causes(facts, name)]
    return [*(exchanges[0].steps if exchanges else ()), *stopped]


def _frontier(
    facts: LabFacts, router: str, holders: set[str], links: dict[tuple[str, str], tuple[SharedLink, ...]]
) -> Iterator[tuple[str, str]]:
    """Pairs of a router that has the route and a neighbor that lacks it, the nearest to the router of the question
    first. Neighbors share a link, or have a BGP session."""
    neighbors = {name: _peers(facts, name, links) for name in facts.routers}
    queue, seen = [router], {router}
    while queue:
        here = queue.pop(0)
        for name in facts.routers:
            if name not in neighbors[here] and here not in neighbors[name]:
                continue
            if name in holders:
                yield name, here
            elif name not in seen:
                seen.add(name)
                queue.append(name)


def _peers(facts: LabFacts, router: str, links: dict[tuple[str, str], tuple[SharedLink, ...]]) -> set[str]:
    """The routers that share a link with a router, or to whose addresses it has a BGP session."""
    shared = {b for a, b in links if a == router}
    return shared | {owner for name in facts.bgp_neighbors(router) if (owner := facts.owner(name))}


def _exchanges(
    facts: LabFacts, holder: str, other: str, links: tuple[SharedLink, ...], network: Network
) -> Iterator[RouteExchange]:
    """An exchange for each protocol by which a route could pass between two routers."""
    start = (having_step(facts, holder, network), Step(other, "", f"{other} does not have {network}."))
    exchanges = [*_bgp_exchanges(facts, holder, other, links, network)]
    for protocol in igp_routes.PROTOCOLS_OF[network.version]:
        for link in links:
            if ends := igp_routes.configured_ends(facts, link, protocol):
                steps = igp_routes.igp_steps(facts, link, protocol, network)
                carried = igp_routes.advertises(facts, holder, protocol, network)
                rank = (_BOTH if ends == 2 else _ONE) + (0 if carried else _NOT_CARRIED)
                exchanges.append(RouteExchange(rank, tuple(steps)))
    if not exchanges and (name := _unexplained_protocol(facts, holder, other)):
        sentence = f"{holder} and {other} run {name}, which is not explained."
        exchanges.append(RouteExchange(_UNUSED, (Step(other, "", sentence),)))
    yield from (RouteExchange(exchange.rank, (*start, *exchange.steps)) for exchange in exchanges)
    if not exchanges and links:
        ended = facts.ended_daemons(holder, other)
        steps = [step for node, daemon in ended for step in node_causes(facts, node, daemon)]
        steps = steps or list(link_causes(facts, links[0])) or [_no_protocol(facts, holder, other, links[0], network)]
        yield RouteExchange(_UNUSED, (*start, *steps))


def _bgp_exchanges(
    facts: LabFacts, holder: str, other: str, links: tuple[SharedLink, ...], network: Network
) -> Iterator[RouteExchange]:
    reverse = tuple(SharedLink(link.b, link.a) for link in links)
    senders = bgp.session_ends(facts, holder, other, links)
    receivers = bgp.session_ends(facts, other, holder, reverse)
    if not senders and not receivers and not (links and _should_have_session(facts, holder, other)):
        return
    carried = 0 if facts.bgp_paths(holder, network) else _NOT_CARRIED
    up = [(a, b) for a in senders for b in receivers if a.is_established and b.is_established]
    if not up:
        rank = _BOTH if senders and receivers else _ONE
        yield RouteExchange(rank + carried, tuple(bgp.bgp_causes(facts, holder, other, links)))
        return
    for sender, receiver in up:
        yield RouteExchange(_BOTH + carried, tuple(bgp_routes.announcement_causes(facts, sender, receiver, network)))


def _should_have_session(facts: LabFacts, a: str, b: str) -> bool:
    """Whether two routers on one link run BGP and one of them has a neighbor with an address that no node has."""
    if not bgp.as_number(facts, a) or not bgp.as_number(facts, b):
        return False
    return any(bgp.stray_neighbor(facts, *pair) for pair in ((a, b), (b, a)))


def _unexplained_protocol(facts: LabFacts, a: str, b: str) -> str:
    """A protocol that both routers run, by its word in `router`, and that is not explained; empty for none."""
    common = set.intersection(*({s.text.split()[1] for s in facts.sections(name, "router")} for name in (a, b)))
    return ", ".join(sorted(common - {"ospf", "ospf6", "isis"}))


def _no_protocol(facts: LabFacts, holder: str, other: str, link: SharedLink, network: Network) -> Step:
    addresses = facts.interface(holder, link.a.interface).of_version(network.version)
    hop = str(addresses[0].ip) if addresses else "ADDRESS"
    command = "ip route" if network.version == 4 else "ipv6 route"
    sentence = f"{holder} and {other} run no common routing protocol on their link, and {other} has no static route."
    remedy = f"In vtysh of {other}: `{command} {network} {hop}`; or run a routing protocol at both."
    return cause(other, link.b.interface, sentence, remedy)
