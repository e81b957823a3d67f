"""The relevant queues of a run: those that filled, and the bottleneck."""

from __future__ import annotations

from collections.abc import Mapping

from frrlib.results.layout import QueueInfo
from frrlib.results.records import Results
from frrlib.results.series import queue_directions, series
from frrlib.results.table_reader import Columns

#: The minimum backlog of a busy queue, as a share of the largest backlog of all queues.
_LEAST_SHARE = 0.02


def busy_queues(results: Results, count: int) -> tuple[dict[str, Columns], int]:
    """The queues that filled most, with their samples, in the order of their appearance.

    Args:
        count: the maximum number of queues.

    Returns:
        The queues by direction, and the number of further busy queues.
    """
    directions = queue_directions(results)
    largest = {
        name: float(backlog.max()) if (backlog := series(rows, "backlog_bytes")[1]).size else 0.0
        for name, rows in directions.items()
    }
    floor = max(largest.values(), default=0.0) * _LEAST_SHARE
    ranked = sorted((name for name in largest if largest[name] >= floor), key=lambda name: -largest[name])
    busiest = set(ranked[:count])
    return {name: rows for name, rows in directions.items() if name in busiest}, len(ranked) - len(busiest)


def bottleneck(results: Results, queues: Mapping[str, QueueInfo] | None = None) -> tuple[str, float | None]:
    """The queue that limited the flows: the one with the lowest rate among the busy ones.

    Args:
        queues: rate and limit of queues by direction; None for those in the folder.

    Returns:
        Its direction and its rate in Mbit/s; "" and None without a known rate.
    """
    infos = results.info.queues if queues is None else queues
    busy, _ = busy_queues(results, len(infos) or 1)
    rates = [(rate, name) for name in busy if (rate := infos.get(name, QueueInfo()).rate_mbit)]
    rate_mbit, name = min(rates, default=(None, ""))
    return name, rate_mbit
