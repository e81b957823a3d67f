"""The expected routes and adjacencies of a lab as a request to the agent, and the result of the wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from frrlib import wire
from frrlib.model.links import Link
from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import expected_adjacencies
from frrlib.prediction.routes import expected_tables, known_without_bgp
from frrlib.prediction.shared_links import interface_pairs, mentions, router_interfaces


@dataclass(frozen=True)
class ConvergenceTimes:
    """Convergence times in seconds: from the start of the daemons, or from the start of the wait for later waits.

    Attributes:
        seconds: time of the last change.
        adjacencies: router to the time at which the last of its expected adjacencies came up.
        routes: router to the time at which the last of its expected routes was in the kernel's table.
    """

    seconds: float = 0.0
    adjacencies: Mapping[str, float] = field(default_factory=dict)
    routes: Mapping[str, float] = field(default_factory=dict)

    @property
    def routers(self) -> dict[str, float]:
        """Router to the time at which it had all expected adjacencies and routes."""
        names = [*self.routes, *(name for name in self.adjacencies if name not in self.routes)]
        return {name: max(self.adjacencies.get(name, 0.0), self.routes.get(name, 0.0)) for name in names}

    @classmethod
    def of(cls, result: wire.ConvergenceReply) -> ConvergenceTimes:
        """The times in the reply to `wire.WaitConverged`."""
        return cls(result["converged_s"], result["adjacencies"], result["routes"])


def wire_adjacencies(topology: Topology) -> tuple[wire.ExpectedAdjacency, ...]:
    """Every adjacency that the topology is expected to bring up (`frrlib.prediction.adjacency`)."""
    return tuple(
        wire.ExpectedAdjacency(
            adjacency.router,
            adjacency.protocol,
            adjacency.neighbor,
            adjacency.interface,
            adjacency.names,
            adjacency.vrf,
            adjacency.both,
            adjacency.neighbor_interface,
        )
        for adjacency in expected_adjacencies(topology, known_without_bgp(topology))
    )


def request(topology: Topology, timeout_s: float, stable_s: float) -> wire.WaitConverged | None:
    """The request to the agent; None if nothing is expected.

    Args:
        topology: with names and addresses filled in (`addressing.addressed`).
        timeout_s, stable_s: as in `wire.WaitConverged`.
    """
    speakers = {router.name for router in topology.routers if router.runs_frr}
    tables = tuple(
        wire.ExpectedRoutes(expected.router, tuple(map(str, expected.prefixes)), expected.table, expected.vrf)
        for expected in expected_tables(topology)
        if expected.router in speakers
    )
    adjacencies = wire_adjacencies(topology)
    configured = tuple(
        router.name for router in topology.routers if router.name in speakers and mentions(router, "bgp")
    )
    possible = _possible_adjacencies(topology)
    if not (tables or adjacencies or configured or possible):
        return None
    return wire.WaitConverged(adjacencies, tables, timeout_s, stable_s, configured, possible)


def _possible_adjacencies(topology: Topology) -> tuple[wire.ExpectedAdjacency, ...]:
    """Pairs of interfaces that may become neighbors by configuration text of one of their routers."""
    return tuple(
        wire.ExpectedAdjacency(
            pair.local.router.name,
            protocol,
            pair.remote.router.name,
            pair.local.name,
            vrf=pair.local.vrf,
            neighbor_interface=pair.remote.name,
        )
        for pair in interface_pairs(topology, router_interfaces(topology))
        for protocol in ("ospf", "isis")
        if all(port.router.runs_frr for port in (pair.local, pair.remote))
        and any(mentions(port.router, protocol) for port in (pair.local, pair.remote))
    )


def with_current_carrier(topology: Topology, faults: wire.ActiveFaults) -> Topology:
    """The topology with the links that have carrier now, so that after a fault the remaining network is expected.

    Args:
        topology: the lab's.
        faults: the result of `wire.AskFaults`.
    """
    down, disabled = set(faults["links_down"]), set(faults["interfaces_down"])

    def has_carrier(link: Link) -> bool:
        return link.id not in down and not any(f"{end.node}:{end.interface}" in disabled for end in link.ends)

    links = tuple(link.model_copy(update={"up": has_carrier(link)}) for link in topology.links)
    return topology.model_copy(update={"links": links})
