"""The timeline of a finished run, from its results folder."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path

from frrlib.model.faults import MENDING
from frrlib.results.read import open_results
from frrlib.results.records import Event
from miniedit_frr.live.messages import GONE_STATE, MAIN_TABLE, PROTOCOLS, AdjacencyState, Incident, RouteChange
from miniedit_frr.live.timeline import RoutingTimeline

#: A run keeps more than a live window does.
_MOST_ITEMS = 50_000


def timeline_of(folder: Path) -> tuple[RoutingTimeline, float]:
    """What happened in a run, and the moment that times count from: the start of the flows, where there was one.

    Raises:
        ResultsError: there are no results in the folder.
    """
    events = open_results(folder).events
    # The lab's clock is known of more events than the flows' is; where both are, they say where zero is.
    zeros = [event.lab_time_s - event.time_s for event in events if not math.isnan(event.lab_time_s - event.time_s)]
    kinds = {"route", "adjacency", "routing", "fault", "daemon"}
    timed = [event for event in events if event.kind in kinds and not math.isnan(event.lab_time_s)]
    zero_s = zeros[0] if zeros else min((event.lab_time_s for event in timed), default=0.0)
    return timeline(sorted(timed, key=lambda event: event.lab_time_s)), zero_s


def timeline(events: Iterable[Event]) -> RoutingTimeline:
    """A timeline of events in the order of their times."""
    found = RoutingTimeline(_MOST_ITEMS)
    there: set[tuple[str, str]] = set()
    for event in events:
        match event.kind:
            case "route":
                change = _route(event)
                key = change.router, change.prefix
                found.route(change, key in there)
                (there.add if change.added else there.discard)(key)
            case "adjacency":
                found.adjacency(_adjacency(event))
            case "routing":
                protocol, _, text = event.text.partition(" ")
                said = text if protocol in PROTOCOLS else event.text
                known = protocol if protocol in PROTOCOLS else ""
                lasted = f" ({event.detail})" if event.detail else ""
                words = f"{said or event.what}{lasted}"
                found.incident(Incident("note", event.subject, words, event.lab_time_s, known))
            case _:
                text = event.text or event.what.replace("-", " ")
                kind = "mended" if event.what in MENDING else event.kind
                found.incident(Incident(kind, event.subject, text, event.lab_time_s))
    return found


def _route(event: Event) -> RouteChange:
    """ "ospf via 10.9.0.2 r1-eth0, 10.9.1.2 r1-eth1 table 100" is a route's detail."""
    words = re.fullmatch(r"(?P<protocol>[\w-]*) ?(?:via (?P<via>.*?))?(?: ?table (?P<table>\d+))?", event.detail)
    via = tuple((words["via"] or "").split(", ")) if words and words["via"] else ()
    protocol, table = (words["protocol"], int(words["table"] or MAIN_TABLE)) if words else ("", MAIN_TABLE)
    return RouteChange(event.subject, event.text, event.what == "added", event.lab_time_s, via, protocol, 0, table)


def _adjacency(event: Event) -> AdjacencyState:
    """ "Full; at r1-eth0; dead in 3 s" is a neighbour's detail."""
    protocol, _, neighbor = event.text.partition(" ")
    state, *more = event.detail.split("; ") if event.detail else ["Full" if event.what == "up" else GONE_STATE]
    interface = next((word.removeprefix("at ") for word in more if word.startswith("at ")), "")
    return AdjacencyState(event.subject, protocol, neighbor, state, event.what == "up", event.lab_time_s, interface)
