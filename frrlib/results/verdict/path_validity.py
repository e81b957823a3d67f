"""The time until which the recorded path of a flow is certain: until a fault or a route may change it."""

from __future__ import annotations

import math
from collections.abc import Collection

from frrlib.model.fault_words import values_text
from frrlib.results.records import Event, Results

#: Faults that change neither the path of packets nor their delay on it.
_HARMLESS = frozenset({"loss", "loss-over"})
#: Values of a link that change neither its delay nor the limit of its queue.
_WITHOUT_DELAYS = frozenset({"rate_mbit", "loss_percent"})


def path_until_s(results: Results) -> float:
    """The time of the first event after which packets may take another path; infinity without one."""
    times = [
        event.time_s
        for event in results.events
        if (event.kind == "route" and event.time_s >= 0)
        or (event.kind == "fault" and event.what not in _HARMLESS and not _is_value(event))
    ]
    return min((time_s for time_s in times if not math.isnan(time_s)), default=math.inf)


def delays_until_s(results: Results, directions: Collection[str]) -> float:
    """As `path_until_s`, or the time of the first fault that changes a delay, a jitter or a queue limit on a path.

    Args:
        directions: the directions on the path.
    """
    links = {direction.partition(":")[0] for direction in directions}
    times = [
        event.time_s
        for event in results.events
        if event.kind == "fault" and _is_value(event) and event.subject in links and not _keeps_delays(event)
    ]
    return min((path_until_s(results), *(time_s for time_s in times if not math.isnan(time_s))))


def is_replaced(results: Results, direction: str) -> bool:
    """Whether a fault may have replaced the queue of a direction, so that its counters restarted."""
    link = direction.partition(":")[0]
    return any(
        event.kind == "fault"
        and event.what not in _HARMLESS
        and (not _is_value(event) or (event.subject == link and not _keeps_delays(event)))
        for event in results.events
    )


def _is_value(event: Event) -> bool:
    return event.what == "link-values"


def _keeps_delays(event: Event) -> bool:
    try:
        values, _ = values_text(event.text)
    except ValueError:  # a foreign format: it may have changed any value
        return False
    return values.keys() <= _WITHOUT_DELAYS
