"""The routes and sessions to which a lab must converge, as the request to the agent, and the outcome of the wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from frrlib import wire
from frrlib.model.links import Link
from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import expected_adjacencies
from frrlib.prediction.routes import expected_tables, known_without_bgp


@dataclass(frozen=True)
class ConvergenceTimes:
    """The time that a network took, in seconds from the start of its daemons; for later waits from the begin of each.

    Attributes:
        seconds: until anything changed last.
        adjacencies: router to when the last of its expected neighbours came up.
        routes: router to when the last of its expected routes was in the kernel's table.
    """

    seconds: float = 0.0
    adjacencies: Mapping[str, float] = field(default_factory=dict)
    routes: Mapping[str, float] = field(default_factory=dict)

    @property
    def routers(self) -> dict[str, float]:
        """Router to when it had all that is expected of it."""
        names = [*self.routes, *(name for name in self.adjacencies if name not in self.routes)]
        return {name: max(self.adjacencies.get(name, 0.0), self.routes.get(name, 0.0)) for name in names}

    @classmethod
    def of(cls, result: wire.ConvergenceReply) -> ConvergenceTimes:
        """From the result of `wire.WaitConverged`."""
        return cls(result["converged_s"], result["adjacencies"], result["routes"])


def wire_adjacencies(topology: Topology) -> tuple[wire.ExpectedAdjacency, ...]:
    """Every adjacency that the drawing must bring (`frrlib.prediction.adjacency`)."""
    return tuple(
        wire.ExpectedAdjacency(
            each.router, each.protocol, each.neighbor, each.interface, each.names, each.vrf, each.both
        )
        for each in expected_adjacencies(topology, known_without_bgp(topology))
    )


def request(topology: Topology, timeout_s: float, stable_s: float) -> wire.WaitConverged | None:
    """The request to the agent; None if nothing is expected.

    Args:
        topology: with names and addresses filled in (`addressing.addressed`).
        timeout_s, stable_s: as in `wire.WaitConverged`.
    """
    speakers = {router.name for router in topology.routers if router.runs_frr}
    tables = tuple(
        wire.ExpectedRoutes(each.router, tuple(map(str, each.prefixes)), each.table, each.vrf)
        for each in expected_tables(topology)
        if each.router in speakers
    )
    adjacencies = wire_adjacencies(topology)
    return wire.WaitConverged(adjacencies, tables, timeout_s, stable_s) if tables or adjacencies else None


def with_current_carrier(topology: Topology, faults: wire.ActiveFaults) -> Topology:
    """The drawing with the links that have carrier now, so that after a fault what is left of it is waited for.

    Args:
        topology: the lab's.
        faults: the result of `wire.AskFaults`.
    """
    dark, disabled = set(faults["links_down"]), set(faults["interfaces_down"])

    def is_lit(link: Link) -> bool:
        return link.id not in dark and not any(f"{end.node}:{end.interface}" in disabled for end in link.ends)

    links = tuple(link.model_copy(update={"up": is_lit(link)}) for link in topology.links)
    return topology.model_copy(update={"links": links})
