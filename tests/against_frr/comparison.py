"""Differences between the prediction for a topology and the observation of its lab."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.addressing.addressing import addressed
from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import expected_adjacencies
from frrlib.prediction.routes import connected_networks, expected_tables, known_without_bgp
from frrlib.prediction.virtual_links import virtual_links
from tests.against_frr.observation import Observation


def differences(topology: Topology, observed: Observation) -> list[str]:
    """One line for each route and each adjacency that is in only one of them; empty if they agree."""
    complete = addressed(topology)
    lines = [] if observed.at_rest else ["the network does not come to rest"]
    return lines + _route_differences(complete, observed) + _adjacency_differences(complete, observed)


def too_much(topology: Topology, with_settings: Topology) -> list[str]:
    """One line for each router that is expected to have more routes if its settings are own lines, of which prediction
    reads little: it may then expect fewer routes, but no others."""
    if topology is with_settings:
        return []
    complete = {(table.router, table.vrf): set(table.prefixes) for table in expected_tables(addressed(with_settings))}
    return [
        f"{table.router}: {prefix} is predicted from own lines only"
        for table in expected_tables(addressed(topology))
        for prefix in table.prefixes
        if prefix not in complete.get((table.router, table.vrf), set())
    ]


def _route_differences(topology: Topology, observed: Observation) -> list[str]:
    expected = {(table.router, table.table): set(map(str, table.prefixes)) for table in expected_tables(topology)}
    undetermined = set(_undetermined_prefixes(topology))
    lines = []
    for router in topology.routers:
        tables = {254: "", **{vrf.table: vrf.name for vrf in router.vrfs}}
        for number, vrf in tables.items():
            key, place = (router.name, number), f"{router.name} {vrf}".strip()
            own = set(map(str, connected_networks(topology, router.name, vrf)))
            present, predicted = observed.routes.get(key, frozenset()) - own, expected.get(key, set())
            lines += [f"{place}: route {prefix} is predicted but missing" for prefix in sorted(predicted - present)]
            extra = present - predicted - undetermined
            lines += [f"{place}: route {prefix} is present but not predicted" for prefix in sorted(extra)]
    return lines


def _undetermined_prefixes(topology: Topology) -> Iterator[str]:
    """Prefixes that a router may have or not, whatever the topology: no lab waits for them.

    - FRR sends translated routes of an NSSA only to neighbors that were up before the translation.
    - A border router of OSPFv3 takes the default route of another border router of a stub area, or does not.
    - From version 10 on, FRR's OSPFv3 announces the address of a point-to-point interface beside its network.
    """
    for router in topology.routers:
        if router.ospf6:
            ends = (end for _, end in topology.ends_at(router.name))
            yield from (f"{address.ip}/128" for end in ends for address in end.addresses if address.version == 6)
    border_counts: dict[str, int] = {}
    for router in topology.routers:
        for ospf in filter(None, (router.ospf, router.ospf6)):
            if ospf.redistribute and any(area.kind.endswith("nssa") for area in ospf.areas):
                yield from (str(route.prefix) for route in router.static_routes)
        if router.ospf6 and router.ospf6.area == "0":
            for area in router.ospf6.areas:
                border_counts[area.area] = border_counts.get(area.area, 0) + 1
    if any(count > 1 for count in border_counts.values()):
        yield "::/0"


def _adjacency_differences(topology: Topology, observed: Observation) -> list[str]:
    expected = expected_adjacencies(topology, known_without_bgp(topology))
    present = {(router, protocol, neighbor) for router, protocol, neighbor, *_ in observed.adjacencies}
    with_interface = {(r, p, n, i) for r, p, n, i, _ in observed.adjacencies}
    predicted = {(adjacency.router, adjacency.protocol, adjacency.neighbor) for adjacency in expected}
    predicted |= {(link.router, "ospf", link.peer) for link in virtual_links(topology)}
    lines = [
        f"{adjacency.router}: {adjacency.protocol} with {adjacency.neighbor} {adjacency.interface} is predicted but "
        "not up"
        for adjacency in expected
        if (adjacency.router, adjacency.protocol, adjacency.neighbor) not in present
        or (
            adjacency.interface
            and adjacency.protocol != "bgp"
            and (adjacency.router, adjacency.protocol, adjacency.neighbor, adjacency.interface) not in with_interface
        )
    ]
    lines += [
        f"{router}: {protocol} with {neighbor} is up but not predicted"
        for router, protocol, neighbor in sorted(present - predicted)
        if protocol not in ("rip", "ripng")
    ]
    return lines
