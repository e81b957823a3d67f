"""Cables: whether they lost as much as drawn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from frrlib.model.chance import loss_interval
from frrlib.results.layout import CableInfo
from frrlib.results.records import Results
from frrlib.results.tables import Columns
from frrlib.results.trust import disturbed
from frrlib.results.trust.finding import Finding

#: A verdict is made of every run, so chance is to doubt one of ten thousand, not one of a hundred.
CONFIDENCE = 0.9999
#: Of fewer packets nothing is said.
FEWEST = 50


def findings(results: Results) -> Iterator[Finding]:
    """The loss of each direction that passes the cable room, by netem's own counts; faults are left out of account."""
    for direction, info in results.info.cables.items():
        chosen = results.cable["direction"] == direction
        rows = {name: values[chosen] for name, values in results.cable.items()}
        offered, lost = _counted(results, direction, info, rows)
        if offered >= FEWEST and (lost or info.loss_percent):
            yield _loss(direction, info, offered, lost)


def _counted(results: Results, direction: str, info: CableInfo, rows: Columns) -> tuple[int, int]:
    """How many packets came to the cable, and how many of them it lost, while it was as drawn."""
    times = rows["time_s"]
    spans = disturbed.outage_spans(results, direction)
    if changes := disturbed.changes_s(results, direction, lambda name: name == "loss_percent"):
        spans.append((min(changes) - disturbed.BEFORE_S, np.inf))
    kept = ~disturbed.overlap(times[:-1], times[1:], spans)
    grew = {name: np.nansum(np.diff(rows[name])[kept]) for name in ("sent_packets", "backlog_packets", "drops")}
    came = (grew["sent_packets"] + grew["backlog_packets"]) / (1 + info.duplicate_percent / 100)
    return max(0, round(came + grew["drops"])), max(0, round(grew["drops"]))


def _loss(direction: str, info: CableInfo, offered: int, lost: int) -> Finding:
    few, many = loss_interval(offered, info.loss_percent, info.likeness, CONFIDENCE)
    is_so = few <= lost <= many
    why = (
        f"{direction} lost {100 * lost / offered:.3g} % of {offered} packets, and {info.loss_percent:.3g} % is drawn "
        f"(by chance {100 * few / offered:.3g} to {100 * many / offered:.3g} %)"
    )
    return Finding(
        what="loss", subject=direction, configured=info.loss_percent, measured=100 * lost / offered, unit="%",
        low=100 * few / offered, high=100 * many / offered, severity="ok" if is_so else "wrong",
        why="" if is_so else why, right="" if is_so else "look at the cable's netem with tc",
    )  # fmt: skip
