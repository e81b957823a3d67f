"""A lab's messages about routing, turned from those of the wire into values of `live`; and requests for more."""

from __future__ import annotations

from collections.abc import Sequence

from frrlib.lab.lab import Lab
from frrlib.model.fault_words import read_limits
from frrlib.model.faults import MENDING
from frrlib.prediction.adjacency import Adjacency as Expected
from frrlib.prediction.adjacency import expected_adjacencies
from frrlib.prediction.routes import known_without_bgp
from frrlib.render.frr import daemons
from frrlib.wire import messages as wire
from miniedit_frr.live.messages import AdjacencyState, Incident, RouteChange
from miniedit_frr.live.route_book import TableRoute, TableRow, of_kernel
from miniedit_frr.session import requests

#: How long daemons may take to tell their neighbours.
_ASK_TIMEOUT_S = 60.0
#: The number of routers asked per second, for daemons that do not log every change.
_SILENT, _ROUTERS_A_SECOND = frozenset({"ospf6d", "ripd", "ripngd", "bfdd", "ldpd"}), 16.0


def routing_event(message: wire.Message) -> AdjacencyState | RouteChange | Incident | None:
    """A message's content about routing; None where it is about something else."""
    match message:
        case wire.AdjacencyEvent():
            return adjacency(message)
        case wire.RouteEvent(router=router, prefix=prefix, added=added, time_s=time_s):
            more = message.via, message.protocol, message.metric, message.table
            return RouteChange(router, prefix, added, time_s, *more)
        case wire.FaultEvent(fault=fault, target=target, text=text, time_s=time_s, limits=limits):
            kind, words = "mended" if fault in MENDING else "fault", text or fault.replace("-", " ")
            return Incident(kind, target, words, time_s, limits=read_limits(limits))
        case wire.DaemonDied(router=router, daemon=daemon, status=status, time_s=time_s):
            return Incident("daemon", router, f"{daemon} ended with status {status}", time_s)
        case wire.RoutingNote(router=router, protocol=protocol, text=text, time_s=time_s):
            lasted = f" ({message.duration_s * 1e3:.3g} ms)" if message.duration_s else ""
            return Incident("note", router, f"{text}{lasted}", time_s, protocol)
    return None


def adjacency(event: wire.AdjacencyEvent) -> AdjacencyState:
    """A neighbour, as the window knows it."""
    return AdjacencyState(
        event.router, event.protocol, event.neighbor, event.state, event.up, event.time_s, event.interface,
        event.address, event.detail, event.vrf,
    )  # fmt: skip


def neighbors(lab: Lab, routers: Sequence[str] = ()) -> list[AdjacencyState]:
    """All neighbours that the daemons of some routers (all, without names) list now, with their timers."""
    result = lab.ask(wire.Adjacencies(tuple(routers)), _ASK_TIMEOUT_S)
    return [adjacency(each) for each in result["adjacencies"]]


def watch(lab: Lab) -> None:
    """Poll daemons that do not log their neighbours' states, where there are any."""
    routers = [router for router in lab.topology.routers if router.runs_frr]
    if any(_SILENT & set(daemons(router)) for router in routers):
        lab.ask(wire.WatchAdjacencies(min(1.0, _ROUTERS_A_SECOND / len(routers))), _ASK_TIMEOUT_S)


def expected(lab: Lab) -> tuple[Expected, ...]:
    """The neighbours that the drawing promises."""
    return expected_adjacencies(lab.topology, known_without_bgp(lab.topology))


def tables(lab: Lab) -> dict[str, dict[TableRow, TableRoute]]:
    """The routing tables of all routers, as their kernels have them."""
    return {router.name: table(lab, router.name) for router in lab.topology.routers}


def table(lab: Lab, router: str) -> dict[TableRow, TableRoute]:
    """All routing tables of a router."""
    found: dict[TableRow, TableRoute] = {}
    for family in ("-4", "-6"):
        said = requests.read_json(lab, router, "ip", family, "-j", "route", "show", "table", "all")
        found |= of_kernel([{"family": "inet6" if family == "-6" else "inet", **each} for each in said])
    return found
