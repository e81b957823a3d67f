"""Routes to the ends of flows."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

from frrlib.addressing.addressing import gateways
from frrlib.checks.facts import Facts, contains
from frrlib.checks.fix import Fix, protocol_fix
from frrlib.checks.kinds import CheckSubject, warning
from frrlib.errors import TopologyError
from frrlib.model.base import Address, IpAddress
from frrlib.model.flows import Flow
from frrlib.model.nodes import Host, Router
from frrlib.model.problem import Problem
from frrlib.model.routing import Network
from frrlib.model.traffic.kinds import Command
from frrlib.prediction.flow_paths import address_of, gateways_of
from frrlib.prediction.possible_routes import PossibleRoutes

SUBJECT = CheckSubject()
UNANNOUNCED = SUBJECT.kind(
    "unannounced",
    "One end of a flow is in a network for which a router on the path will have no route.",
    "No protocol in the topology announces this network to that router, and it has no matching static or default "
    "route. The lab gets all routes that it expects, and the flow fails nevertheless. Both ends of a flow are "
    "checked, since replies need a route too.",
    "Announce the network where it is connected, for example in the list of BGP networks.",
)


@SUBJECT.rule(UNANNOUNCED)
def unannounced(facts: Facts) -> Iterator[Problem]:
    """The router of each end of a flow may get a route to the network of the other end.

    A router is reported only if no possible route of the topology would help, and once for each network.
    """
    flows = [flow for flow in facts.topology.flows if not isinstance(flow.traffic, Command)]
    if not flows or _leads_outside(facts):
        return
    routes = PossibleRoutes(facts.resolved, facts.domains)
    gateways_by_version = {version: gateways(facts.resolved, version, facts.domains) for version in (4, 6)}
    path_nodes = {
        flow_path.flow.id: {end.node for step in flow_path.steps for end in step.link.ends}
        for flow_path in facts.all_flow_paths
    }
    reported = set[tuple[str, Network]]()
    for flow in flows:
        for sender, receiver, targets in directions(facts, flow):
            start = first_routers(facts, gateways_by_version, sender, targets)
            if not start or any(start & routes.reaching(address) for address in targets):
                continue
            network = next(a.network for a in _addresses(facts, receiver) if a.ip == targets[0])
            stopping = routes.stopping(start, targets[0])
            router = min(stopping & path_nodes.get(flow.id, set()) or stopping or start)
            if (router, network) not in reported:
                reported.add((router, network))
                yield _missing_route_problem(
                    facts, routes, router, f"{network}, the network of {receiver.name}", targets[0], flow
                )


def directions(facts: Facts, flow: Flow) -> Iterator[tuple[Host | Router, Host | Router, list[IpAddress]]]:
    """The sender and the receiver of a flow, and the addresses that may be its destination."""
    source, destination = (facts.nodes.get(name) for name in (flow.source, flow.destination))
    if not isinstance(source, Host | Router) or not isinstance(destination, Host | Router) or source is destination:
        return
    if any(isinstance(end, Host) and end.start_command.strip() for end in (source, destination)):
        return  # the command may add routes to the host
    try:
        target = ip_address(address_of(facts.resolved, flow.destination))
    except TopologyError:
        return
    yield source, destination, [target]
    reverse_targets = [address.ip for address in _addresses(facts, source) if address.version == target.version]
    if reverse_targets:
        yield destination, source, reverse_targets


def _leads_outside(facts: Facts) -> bool:
    """Whether the lab has interfaces of this machine, behind which the networks are unknown."""
    return any(getattr(node, "external_interfaces", ()) for node in facts.nodes.values())


def first_routers(
    facts: Facts, gateways_by_version: dict[int, dict[str, IpAddress]], node: Host | Router, targets: list[IpAddress]
) -> set[str]:
    """The first-hop routers of a node; empty if it needs none, or if they are unknown."""
    if isinstance(node, Router):
        return {node.name}
    networks = [*facts.networks(node.name), *(item.address.network for item in node.vlan_interfaces)]
    if any(contains(networks, item) for item in targets):
        return set()
    gateway = gateways_of(node, gateways_by_version).get(targets[0].version)
    owners = facts.owners.get(gateway, ()) if gateway is not None else ()
    return {name for name in owners if isinstance(facts.nodes.get(name), Router)}


def _missing_route_problem(
    facts: Facts, routes: PossibleRoutes, router_name: str, network: str, target: IpAddress, flow: Flow
) -> Problem:
    """The problem at the router that should announce the network by BGP; without one, at the last router reached."""
    for name in sorted(routes.connected(target)):
        router = facts.nodes.get(name)
        if (
            isinstance(router, Router)
            and router.bgp is not None
            and router_name in routes.together("bgp", name) - {name}
        ):
            message = f"the list lacks {network}, so {router_name} will have no route for {flow.id}"
            return warning(UNANNOUNCED, name, "bgp.networks", message, "announce it too")
    message = f"will have no route to {network}, so it drops the packets of {flow.id}"
    return warning(UNANNOUNCED, router_name, "", message, "run a protocol that announces it, or add a static route")


def _addresses(facts: Facts, node: Host | Router) -> list[Address]:
    """The addresses of a node's interfaces, followed by the loopbacks of a router."""
    return [*facts.addresses(node.name), *(node.loopbacks if isinstance(node, Router) else ())]


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(UNANNOUNCED)
def _announce_network(facts: Facts, problem: Problem) -> Fix | None:
    """Add the missing network to the BGP networks."""
    router = facts.nodes.get(problem.node)
    if problem.field != "bgp.networks" or not isinstance(router, Router):
        return None
    own_networks = (address.network for address in facts.all_addresses(router))
    network = next((candidate for candidate in own_networks if f" {candidate}, " in problem.message), None)
    if network is None:
        return None
    label = f"announce {network}"
    return protocol_fix(facts, problem, label, lambda bgp: {"networks": (*bgp.networks, network)})
