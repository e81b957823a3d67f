"""The queues of a run that matter: those that filled, and the one that held the flows up."""

from __future__ import annotations

from collections.abc import Mapping

from frrlib.results.layout import QueueInfo
from frrlib.results.records import Results
from frrlib.results.series import queue_directions, series
from frrlib.results.tables import Columns

#: A queue counts if its largest backlog is at least this share of the largest of all.
_LEAST_SHARE = 0.02


def busy_queues(results: Results, most: int) -> tuple[dict[str, Columns], int]:
    """The queues that filled most, with their samples, in the order of their appearance.

    Args:
        most: so many at most.

    Returns:
        the queues by direction, and how many others there are that held a backlog worth a look.
    """
    directions = queue_directions(results)
    largest = {
        name: float(backlog.max()) if (backlog := series(rows, "backlog_bytes")[1]).size else 0.0
        for name, rows in directions.items()
    }
    floor = max(largest.values(), default=0.0) * _LEAST_SHARE
    ranked = sorted((name for name in largest if largest[name] >= floor), key=lambda name: -largest[name])
    chosen = set(ranked[:most])
    return {name: rows for name, rows in directions.items() if name in chosen}, len(ranked) - len(chosen)


def bottleneck(results: Results, queues: Mapping[str, QueueInfo] | None = None) -> tuple[str, float | None]:
    """The queue that held the flows up: of those that filled the one with the least rate.

    Args:
        queues: rate and limit of queues by direction; None for what the folder says.

    Returns:
        its direction and its rate in Mbit/s; "" and None where no rate is known.
    """
    infos = results.info.queues if queues is None else queues
    chosen, _ = busy_queues(results, len(infos) or 1)
    rates = [(rate, name) for name in chosen if (rate := infos.get(name, QueueInfo()).rate_mbit)]
    rate_mbit, name = min(rates, default=(None, ""))
    return name, rate_mbit
