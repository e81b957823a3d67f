"""The times of faults, so that a planned one is not taken for a lab that differs from its drawing."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

import numpy as np
from numpy.typing import NDArray

from frrlib.model.fault_words import values_text
from frrlib.model.links import QUEUE_LIMITS
from frrlib.results.records import Event, Results

#: A fault is made in steps, and its consequences last: how long before and after it nothing is judged, in seconds.
BEFORE_S, AFTER_S = 0.05, 0.5

Span = tuple[float, float]
#: What begins on a link, and what ends that.
_ON_LINKS = {"link-down": "link-up", "loss": "loss-over"}
#: The same of whole nodes and their interfaces, of which results do not say which links they have: all count.
_ANYWHERE = {"interface-down": "interface-up", "power-cycled": "power-on"}


def cut(results: Results, direction: str) -> list[Span]:
    """The spans in which a fault had a direction's link down or losing packets; the last one may be infinite."""
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
    """The times at which a fault gave a direction's link values that matter, as `field` says."""
    link, _, ends = direction.partition(":")
    found = []
    for event in _faults(results):
        if event.what != "link-values" or event.subject != link:
            continue
        try:
            values, towards = values_text(event.text)
        except ValueError:  # somebody else's words: they may have said anything
            values, towards = dict.fromkeys(("rate_mbit", "loss_percent", "queue_packets"), 0.0), ""
        if any(map(field, values)) and ends.endswith(f"-{towards}" if towards else ""):
            found.append(event.time_s)
    return found


def unknown_s(results: Results, direction: str, recorded_s: Collection[float]) -> float:
    """The time from which on the limit of a direction's queue is unknown; infinity for never.

    A queue whose link is down or loses packets may be another one afterwards. Folders of earlier versions do not record
    the limit that follows a change.

    Args:
        recorded_s: the times of the changes whose limit is recorded.
    """
    values = changes_s(results, direction, lambda name: name == "rate_mbit" or name in QUEUE_LIMITS)
    changes = [at_s - BEFORE_S for at_s in values if at_s not in recorded_s]
    return min((*(begin for begin, _ in cut(results, direction)), *changes), default=math.inf)


def overlap(begins: NDArray[np.float64], ends: NDArray[np.float64], spans: list[Span]) -> NDArray[np.bool_]:
    """The intervals that touch any of the spans."""
    found = np.zeros(begins.shape, dtype=np.bool_)
    for begin, end in spans:
        found |= (begins < end) & (ends > begin)
    return found


def _faults(results: Results) -> list[Event]:
    return [event for event in results.events if event.kind == "fault" and not math.isnan(event.time_s)]
