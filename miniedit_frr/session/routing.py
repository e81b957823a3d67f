"""A lab's messages about routing, converted into values of `live`; and requests for routing state."""

from __future__ import annotations

from collections.abc import Sequence

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.model.fault_words import read_limits
from frrlib.model.faults import CLEARING
from frrlib.prediction.adjacency import Adjacency as Expected
from frrlib.prediction.adjacency import expected_adjacencies
from frrlib.prediction.routes import known_without_bgp
from frrlib.render.frr import daemons
from miniedit_frr.live.messages import AdjacencyState, Incident, RouteChange
from miniedit_frr.live.route_book import TableRoute, TableRow, parse_kernel_table
from miniedit_frr.session import requests

#: Timeout for the list of neighbors of all daemons.
_ASK_TIMEOUT_S = 60.0
#: Daemons that do not log every change, and the number of routers per second whose daemons are polled.
_SILENT, _ROUTERS_A_SECOND = frozenset({"ospf6d", "ripd", "ripngd", "bfdd", "ldpd"}), 16.0


def routing_event(message: wire.Message) -> AdjacencyState | RouteChange | Incident | None:
    """The routing event in a message; None for messages about something else."""
    match message:
        case wire.AdjacencyEvent():
            return adjacency(message)
        case wire.RouteEvent(router=router, prefix=prefix, added=added, time_s=time_s):
            details = message.via, message.protocol, message.metric, message.table
            return RouteChange(router, prefix, added, time_s, *details)
        case wire.FaultEvent(fault=fault, target=target, text=text, time_s=time_s, limits=limits):
            kind, words = "cleared" if fault in CLEARING else "fault", text or fault.replace("-", " ")
            return Incident(kind, target, words, time_s, limits=read_limits(limits))
        case wire.DaemonExit(router=router, daemon=daemon, status=status, time_s=time_s):
            return Incident("daemon", router, f"{daemon} ended with status {status}", time_s)
        case wire.RoutingNote(router=router, protocol=protocol, text=text, time_s=time_s):
            lasted = f" ({message.duration_s * 1e3:.3g} ms)" if message.duration_s else ""
            return Incident("note", router, f"{text}{lasted}", time_s, protocol)
    return None


def adjacency(event: wire.AdjacencyEvent) -> AdjacencyState:
    """The state of an adjacency, from its message."""
    return AdjacencyState(
        event.router, event.protocol, event.neighbor, event.state, event.up, event.time_s, event.interface,
        event.address, event.detail, event.vrf,
    )  # fmt: skip


def neighbors(lab: Lab, routers: Sequence[str] = ()) -> list[AdjacencyState]:
    """The neighbors that the daemons of some routers (all, without names) list now, with their timers."""
    result = lab.ask(wire.Adjacencies(tuple(routers)), _ASK_TIMEOUT_S)
    return [adjacency(event) for event in result["adjacencies"]]


def watch(lab: Lab) -> None:
    """Start to poll the daemons that do not log the states of their neighbors, if any runs."""
    routers = [router for router in lab.topology.routers if router.runs_frr]
    if any(_SILENT & set(daemons(router)) for router in routers):
        lab.ask(wire.WatchAdjacencies(min(1.0, _ROUTERS_A_SECOND / len(routers))), _ASK_TIMEOUT_S)


def expected(lab: Lab) -> tuple[Expected, ...]:
    """The adjacencies that the topology predicts."""
    return expected_adjacencies(lab.topology, known_without_bgp(lab.topology))


def tables(lab: Lab) -> dict[str, dict[TableRow, TableRoute]]:
    """The kernel routing tables of all routers."""
    return {router.name: table(lab, router.name) for router in lab.topology.routers}


def table(lab: Lab, router: str) -> dict[TableRow, TableRoute]:
    """All kernel routing tables of a router."""
    rows: dict[TableRow, TableRoute] = {}
    for family in ("-4", "-6"):
        routes = requests.read_json(lab, router, "ip", family, "-j", "route", "show", "table", "all")
        rows |= parse_kernel_table([{"family": "inet6" if family == "-6" else "inet", **route} for route in routes])
    return rows
