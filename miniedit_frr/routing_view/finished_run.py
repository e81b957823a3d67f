"""The timeline of a finished run, from its results folder."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.faults import CLEARING
from frrlib.results import layout
from frrlib.results.read import open_results
from frrlib.results.records import Event
from miniedit_frr.live.messages import GONE_STATE, MAIN_TABLE, PROTOCOLS, AdjacencyState, Incident, RouteChange
from miniedit_frr.live.timeline import RoutingTimeline
from miniedit_frr.running_lab.lab import link_title

#: Maximum number of items, more than in a live window.
_MOST_ITEMS = 50_000


def timeline_of(folder: Path) -> tuple[RoutingTimeline, float]:
    """The timeline of a run, and the zero of its times: the start of the flows, if there were any.

    Raises:
        ResultsError: the folder contains no results.
    """
    events = open_results(folder).events
    # More events have a time on the lab's clock than on the flows' clock. Events with both determine the zero.
    zeros = [event.lab_time_s - event.time_s for event in events if not math.isnan(event.lab_time_s - event.time_s)]
    kinds = {"route", "adjacency", "routing", "fault", "daemon"}
    timed = [event for event in events if event.kind in kinds and not math.isnan(event.lab_time_s)]
    zero_s = zeros[0] if zeros else min((event.lab_time_s for event in timed), default=0.0)
    return timeline(sorted(timed, key=lambda event: event.lab_time_s)), zero_s


def titles_of(folder: Path) -> Callable[[str], str]:
    """A function that returns the title of a node or link of a run; that of a link names its nodes.

    It returns names and IDs unchanged if the topology of the run cannot be read.
    """
    try:
        topology = mn.loads(layout.read_bytes(folder / layout.TOPOLOGY)).topology
    except (OSError, TopologyError):
        return str
    return partial(link_title, topology)


def timeline(events: Iterable[Event]) -> RoutingTimeline:
    """A timeline of events in the order of their times."""
    result = RoutingTimeline(_MOST_ITEMS)
    present: set[tuple[str, str]] = set()
    for event in events:
        match event.kind:
            case "route":
                change = _route(event)
                key = change.router, change.prefix
                result.route(change, key in present)
                (present.add if change.added else present.discard)(key)
            case "adjacency":
                result.adjacency(_adjacency(event))
            case "routing":
                protocol, _, text = event.text.partition(" ")
                note = text if protocol in PROTOCOLS else event.text
                name = protocol if protocol in PROTOCOLS else ""
                lasted = f" ({event.detail})" if event.detail else ""
                words = f"{note or event.what}{lasted}"
                result.incident(Incident("note", event.subject, words, event.lab_time_s, name))
            case _:
                text = event.text or event.what.replace("-", " ")
                kind = "cleared" if event.what in CLEARING else event.kind
                result.incident(Incident(kind, event.subject, text, event.lab_time_s))
    return result


def _route(event: Event) -> RouteChange:
    """A change of a route, from details such as "ospf via 10.9.0.2 r1-eth0, 10.9.1.2 r1-eth1 table 100"."""
    words = re.fullmatch(r"(?P<protocol>[\w-]*) ?(?:via (?P<via>.*?))?(?: ?table (?P<table>\d+))?", event.detail)
    via = tuple((words["via"] or "").split(", ")) if words and words["via"] else ()
    protocol, table = (words["protocol"], int(words["table"] or MAIN_TABLE)) if words else ("", MAIN_TABLE)
    return RouteChange(event.subject, event.text, event.what == "added", event.lab_time_s, via, protocol, 0, table)


def _adjacency(event: Event) -> AdjacencyState:
    """The state of a neighbor, from details such as "Full; at r1-eth0; dead in 3 s"."""
    protocol, _, neighbor = event.text.partition(" ")
    state, *details = event.detail.split("; ") if event.detail else ["Full" if event.what == "up" else GONE_STATE]
    interface = next((word.removeprefix("at ") for word in details if word.startswith("at ")), "")
    return AdjacencyState(event.subject, protocol, neighbor, state, event.what == "up", event.lab_time_s, interface)
