"""Events of routing protocols, as rows of `events.csv`."""

from __future__ import annotations

from frrlib import wire
from frrlib.model.protocols.vrf import MAIN_TABLE

#: A row, in the order of `layout.EVENT_COLUMNS`.
EventRow = tuple[float | None, float | None, str, str, str, str, str]


def routing_event(message: wire.RouteEvent | wire.AdjacencyEvent | wire.RoutingNote) -> EventRow:
    """An event of a routing protocol, as a row."""
    match message:
        case wire.RouteEvent():
            next_hops = f"via {', '.join(message.via)}" if message.via else ""
            table = f"table {message.table}" if message.table != MAIN_TABLE else ""
            detail = " ".join(filter(None, (message.protocol, next_hops, table)))
            word = "added" if message.added else "removed"
            return None, message.time_s, "route", message.router, word, message.prefix, detail
        case wire.AdjacencyEvent():
            text = f"{message.protocol} {message.neighbor}"
            place = f"at {message.interface}" if message.interface else ""
            detail = "; ".join(filter(None, (message.state, place, message.detail)))
            word = "up" if message.up else "down"
            return None, message.time_s, "adjacency", message.router, word, text, detail
        case _:
            lasted = f"took {message.duration_s * 1000:.3g} ms" if message.duration_s else ""
            text = f"{message.protocol} {message.text}".rstrip()
            return None, message.time_s, "routing", message.router, message.what, text, lasted
