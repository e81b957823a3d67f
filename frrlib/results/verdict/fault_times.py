"""The times of faults, so that the effects of a planned fault do not count as a difference from the topology."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

import numpy as np
from numpy.typing import NDArray

from frrlib.model.fault_words import values_text
from frrlib.model.links import QUEUE_LIMITS
from frrlib.results.records import Event, Results

#: The time before and after a fault in which nothing is judged, in seconds: it is injected in steps, and its effects
#: last for a while.
BEFORE_S, AFTER_S = 0.05, 0.5

Span = tuple[float, float]
#: Faults of links, and the events that end them.
_ON_LINKS = {"link-down": "link-up", "loss": "loss-over"}
#: Faults of nodes and interfaces, and the events that end them. Results do not record their links, so they count for
#: every link.
_ANYWHERE = {"interface-down": "interface-up", "power-cycled": "power-on"}


def outage_spans(results: Results, direction: str) -> list[Span]:
    """The spans in which a direction's link was down or lost packets because of a fault; the last may be infinite."""
    link = direction.partition(":")[0]
    spans: list[Span] = []
    for event in _faults(results):
        ended_by = _ON_LINKS.get(event.what) if event.subject == link else _ANYWHERE.get(event.what)
        if ended_by:
            ends = [
                later.time_s
                for later in _faults(results)
                if later.time_s > event.time_s and (later.what, later.subject) == (ended_by, event.subject)
            ]
            spans.append((event.time_s - BEFORE_S, min(ends, default=math.inf) + AFTER_S))
    return spans


def changes_s(results: Results, direction: str, field: Callable[[str], bool]) -> list[float]:
    """The times at which a fault changed values of a direction's link.

    Args:
        field: whether a field is relevant, by its name.
    """
    link, _, ends = direction.partition(":")
    times = []
    for event in _faults(results):
        if event.what != "link-values" or event.subject != link:
            continue
        try:
            values, towards = values_text(event.text)
        except ValueError:  # a foreign format: it may have changed any value
            values, towards = dict.fromkeys(("rate_mbit", "loss_percent", "queue_packets"), 0.0), ""
        if any(map(field, values)) and ends.endswith(f"-{towards}" if towards else ""):
            times.append(event.time_s)
    return times


def limit_unknown_from_s(results: Results, direction: str, recorded_s: Collection[float]) -> float:
    """The time from which on the limit of a direction's queue is unknown; infinity for never.

    A queue whose link is down or loses packets may be another one afterwards. Another discipline may drop packets below
    its limit. Folders of earlier versions do not record the limit that follows a change.

    Args:
        recorded_s: the times of the changes whose limit is recorded.
    """
    values = changes_s(results, direction, lambda name: name == "rate_mbit" or name in QUEUE_LIMITS)
    changes = [at_s - BEFORE_S for at_s in values if at_s not in recorded_s]
    changes.append(new_discipline_s(results, direction) - BEFORE_S)
    return min((*(begin for begin, _ in outage_spans(results, direction)), *changes))


def new_discipline_s(results: Results, direction: str) -> float:
    """The time at which a fault first changed a direction's queueing discipline; infinity for never."""
    return min(changes_s(results, direction, lambda name: name == "queue"), default=math.inf)


def overlap(begins: NDArray[np.float64], ends: NDArray[np.float64], spans: list[Span]) -> NDArray[np.bool_]:
    """The intervals that touch any of the spans."""
    overlaps = np.zeros(begins.shape, dtype=np.bool_)
    for begin, end in spans:
        overlaps |= (begins < end) & (ends > begin)
    return overlaps


def _faults(results: Results) -> list[Event]:
    return [event for event in results.events if event.kind == "fault" and not math.isnan(event.time_s)]
