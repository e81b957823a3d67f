"""Why a BGP router does not have a route that its neighbor has: the path of one announcement, step by step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from frrlib.diagnosis.bgp import SessionEnd, as_number, bgp_lines, neighbor_lines
from frrlib.diagnosis.explanation import Step, cause
from frrlib.diagnosis.facts import LabFacts, Network

#: Lines of a neighbor that filter its routes; the last word is the direction.
_FILTERS = ("route-map", "prefix-list", "distribute-list", "filter-list", "unsuppress-map")


def best_path(facts: LabFacts, router: str, network: Network) -> Mapping[str, Any]:
    """The best path to a network in a router's BGP table; empty if it has none."""
    paths = facts.bgp_paths(router, network)
    return next((path for path in paths if path.get("bestpath", {}).get("overall")), {})


def announcement_causes(facts: LabFacts, sender: SessionEnd, receiver: SessionEnd, network: Network) -> Iterator[Step]:
    """The causes that keep a route from passing over a session that is up.

    Args:
        sender: the end that has the route.
        receiver: the other end, which lacks it.
    """
    path = best_path(facts, sender.router, network)
    if not path:
        yield _not_in_table(facts, sender, network)
        return
    received = [
        path
        for path in facts.bgp_paths(receiver.router, network)
        if receiver.name in (path.get("peer", {}).get("peerId"), path.get("peer", {}).get("interface"))
    ]
    if received:
        yield from _unusable(sender, receiver, received[0], network)
        return
    for end in (sender, receiver):
        if end.family(network.version) is None:
            sentence = f"IPv{network.version} unicast is not activated at {end.router} for the session with {end.peer}."
            remedy = (
                f"In vtysh of {end.router}, `router bgp {as_number(facts, end.router)}`, `address-family "
                f"ipv{network.version} unicast`: `neighbor {end.name} activate`."
            )
            yield cause(end.router, "", sentence, remedy)
            return
    yield from _not_sent(facts, sender, receiver, path, network)
    yield from _not_accepted(facts, sender, receiver, network)


def _not_in_table(facts: LabFacts, sender: SessionEnd, network: Network) -> Step:
    router = sender.router
    protocol = str(facts.selected(router, network).get("protocol", "another protocol"))
    if any(entry.startswith(f"network {network}") for entry in bgp_lines(facts, router, network.version)):
        return network_without_route(facts, router, network)
    remedy = (
        f"In vtysh of {router}, `router bgp {as_number(facts, router)}`, `address-family ipv{network.version} "
        f"unicast`: `network {network}`, or `redistribute {protocol}`."
    )
    sentence = f"{router} has {network} by {protocol}, but it is not in the BGP table of {router}."
    return cause(router, "", sentence, remedy)


def network_without_route(facts: LabFacts, router: str, network: Network) -> Step:
    """The cause for a `network` statement whose network is not in the table of its router."""
    near = sorted(
        {
            str(known.network)
            for port in facts.interfaces(router).values()
            for known in port.addresses
            if known.version == network.version and known.network.overlaps(network) and known.network != network
        }
    )
    has = f"; it has {', '.join(near)}" if near else ""
    sentence = f"{router} has `network {network}` in BGP, but no route to exactly {network}{has}."
    route = "ip route" if network.version == 4 else "ipv6 route"
    remedy = f"In vtysh of {router}: `{route} {network} blackhole`, or correct the `network` statement."
    return cause(router, "", sentence, remedy)


def _unusable(sender: SessionEnd, receiver: SessionEnd, path: Mapping[str, Any], network: Network) -> Iterator[Step]:
    """The reason why a received path is not used."""
    router, peer = receiver.router, receiver.peer
    hops = [hop for hop in path.get("nexthops", ()) if hop.get("scope") != "link-local"]
    for hop in hops:
        if not hop.get("accessible", True):
            address = hop.get("ip", "")
            sentence = f"{router} has it by BGP from {peer}, but its next hop {address} is unreachable from {router}."
            remedy = (
                f"In vtysh of {peer}, in the address family: `neighbor {sender.name} next-hop-self`; or let the "
                f"routing protocol inside the AS carry the network of {address}."
            )
            yield cause(router, "", sentence, remedy)
    if not path.get("valid", True) and all(hop.get("accessible", True) for hop in hops):
        yield cause(router, "", f"{router} has {network} by BGP from {peer}, but the path is not valid.", "")


# --- the sender -------------------------------------------------------------------------------------------------------


def _not_sent(
    facts: LabFacts, sender: SessionEnd, receiver: SessionEnd, path: Mapping[str, Any], network: Network
) -> Iterator[Step]:
    """The reason why a router does not announce its best path over a session."""
    router, peer = sender.router, sender.peer
    if facts.bgp_announcement(router, sender.name, network):
        return
    if _learned_inside(path) and not sender.is_external and not _reflects(facts, sender, path, network):
        source = facts.owner(str(path.get("peer", {}).get("peerId", ""))) or "another router"
        sentence = (
            f"{router} has it by internal BGP from {source}. It does not pass such routes on to its internal neighbor "
            f"{peer}, because it is no route reflector for {source} or {peer}."
        )
        remedy = (
            f"Add a BGP session between {source} and {peer}, or in vtysh of {router}, `address-family "
            f"ipv{network.version} unicast`: `neighbor {sender.name} route-reflector-client`."
        )
        yield cause(router, "", sentence, remedy)
        return
    family = sender.family(network.version) or {}
    if "outboundEbgpRequiresPolicy" in family:
        yield _policy_cause(sender, "outbound", "out")
        return
    if any(name in _communities(path) for name in ("noAdvertise", "no-advertise")):
        yield cause(router, "", f"The route has the community no-advertise at {router}.", "Remove this community.")
        return
    if sender.is_external and any(name in _communities(path) for name in ("noExport", "no-export")):
        sentence = (
            f"The route has the community no-export at {router}, so it does not leave AS {as_number(facts, router)}."
        )
        yield cause(router, "", sentence, "Remove this community.")
        return
    yield _filter_cause(facts, sender, network, "out") or cause(
        router, "", f"{router} does not announce {network} to {peer} ({sender.name})."
    )


def _learned_inside(path: Mapping[str, Any]) -> bool:
    return bool(path.get("peer", {}).get("type") == "internal")


def _reflects(facts: LabFacts, sender: SessionEnd, path: Mapping[str, Any], network: Network) -> bool:
    """Whether a router is the reflector of the neighbor that it has the path from, or of the one that lacks it."""
    source = str(path.get("peer", {}).get("peerId", ""))
    family = f"ipv{network.version} unicast"
    return any(
        "route-reflector-client" in neighbor_lines(facts, sender.router, name, family) for name in (source, sender.name)
    )


def _communities(path: Mapping[str, Any]) -> list[str]:
    community = path.get("community", {})
    return [*community.get("list", ()), *str(community.get("string", "")).split()]


def _policy_cause(end: SessionEnd, direction: str, word: str) -> Step:
    verb = "sends no routes to" if word == "out" else "discards all routes from"
    sentence = (
        f"{end.router} {verb} {end.peer}, because its external session has no {direction} policy (`(Policy)` in vtysh)."
    )
    remedy = (
        f"In vtysh of {end.router}: `no bgp ebgp-requires-policy` in `router bgp`, or `neighbor {end.name} "
        f"route-map NAME {word}` in the address family."
    )
    return cause(end.router, "", sentence, remedy)


def _filter_cause(facts: LabFacts, end: SessionEnd, network: Network, direction: str) -> Step | None:
    """A cause that names the filters of a neighbor; None if it has none in this direction."""
    lines = neighbor_lines(facts, end.router, end.name, f"ipv{network.version} unicast")
    filters = [line for line in lines if line.split()[0] in _FILTERS and line.split()[-1] == direction]
    if not filters:
        return None
    verb = f"does not announce {network} to" if direction == "out" else f"does not accept {network} from"
    names = " and ".join(f"`{line}`" for line in filters)
    sentence = f"{end.router} {verb} {end.peer} ({end.name}): its policy is {names}."
    remedy = f"Permit {network} in {filters[0].rpartition(' ')[0]} at {end.router}, or remove the policy."
    return cause(end.router, "", sentence, remedy)


# --- the receiver -----------------------------------------------------------------------------------------------------


def _not_accepted(facts: LabFacts, sender: SessionEnd, receiver: SessionEnd, network: Network) -> Iterator[Step]:
    """The reason why a router discards a path that its neighbor announces."""
    announcement = facts.bgp_announcement(sender.router, sender.name, network)
    if not announcement:
        return
    router, peer = receiver.router, receiver.peer
    family = receiver.family(network.version) or {}
    lines = neighbor_lines(facts, router, receiver.name, f"ipv{network.version} unicast")
    numbers = [int(word) for word in re.findall(r"\d+", str(announcement.get("path", "")))]
    own = receiver.settings.get("localAs")
    if "inboundEbgpRequiresPolicy" in family:
        yield _policy_cause(receiver, "inbound", "in")
    elif own in numbers and not any(line.startswith("allowas-in") for line in lines):
        sentence = (
            f"{router} discards it, because its own AS {own} is in the AS path that {peer} announces: "
            f"{' '.join(map(str, [*([sender.settings.get('localAs')] if sender.is_external else []), *numbers]))}."
        )
        remedy = f"Give {router} another AS, or in its address family: `neighbor {receiver.name} allowas-in`."
        yield cause(router, "", sentence, remedy)
    else:
        yield _filter_cause(facts, receiver, network, "in") or cause(
            router, "", f"{router} discards {network}, which {peer} announces ({receiver.name})."
        )
