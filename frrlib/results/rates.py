"""How the rates of links went while a run's faults changed them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frrlib.model.fault_words import told_values
from frrlib.results.read import Event, Results

Floats = NDArray[np.float64]


def new_rate(event: Event) -> tuple[float, str] | None:
    """The rate that an event gives a link, in Mbit/s, and towards which node, empty for both; None where it gives none.

    What is no event of ours, in a folder that somebody else wrote, gives none either.
    """
    return rate_in(event.text) if (event.kind, event.what) == ("fault", "link-values") else None


def rate_in(text: str) -> tuple[float, str] | None:
    """The rate in what is told of a link's new values, as `new_rate` gives it; None where they leave it as it is."""
    try:
        values, towards = told_values(text)
    except ValueError:
        return None
    return (values["rate_mbit"], towards) if "rate_mbit" in values else None


def changed_rates(results: Results, direction: str, rate_mbit: float) -> tuple[Floats, Floats]:
    """When the rate of a direction ("l2:r1-h2") changed, and to what; empty where it stayed as it was.

    Args:
        rate_mbit: with which it began.

    Returns:
        times in seconds since the start of all flows, ascending, and the rate in Mbit/s from then on; 0 for no limit.
        The first is the beginning.
    """
    link, _, ends = direction.partition(":")
    times, rates = [0.0], [rate_mbit]
    for event in results.events:
        changed = new_rate(event)
        if changed is not None and event.subject == link and ends.endswith(f"-{changed[1]}" if changed[1] else ""):
            times.append(event.time_s)
            rates.append(changed[0])
    if len(times) == 1:
        return np.array([]), np.array([])
    return np.array(times), np.array(rates)
