"""Links with loss: whether they lost as many packets as configured."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from frrlib.model.chance import loss_interval
from frrlib.results.layout import CableInfo
from frrlib.results.records import Results
from frrlib.results.table_reader import Columns
from frrlib.results.verdict import fault_times
from frrlib.results.verdict.finding import Finding

#: The confidence of the bounds. Every run gets a verdict, so chance may raise a doubt in one of ten thousand runs, not
#: in one of a hundred.
CONFIDENCE = 0.9999
#: The minimum number of packets for a finding.
FEWEST = 50


def findings(results: Results) -> Iterator[Finding]:
    """The loss of each direction with a link namespace, by netem's own counters; the time of faults is excluded."""
    for direction, info in results.info.cables.items():
        is_of_direction = results.cable["direction"] == direction
        rows = {name: values[is_of_direction] for name, values in results.cable.items()}
        offered, lost = _counted(results, direction, info, rows)
        if offered >= FEWEST and (lost or info.loss_percent):
            yield _loss(direction, info, offered, lost)


def _counted(results: Results, direction: str, info: CableInfo, rows: Columns) -> tuple[int, int]:
    """The number of packets that arrived at netem, and of those that it lost, while it had the configured values."""
    times = rows["time_s"]
    spans = fault_times.outage_spans(results, direction)
    if changes := fault_times.changes_s(results, direction, lambda name: name == "loss_percent"):
        spans.append((min(changes) - fault_times.BEFORE_S, np.inf))
    is_undisturbed = ~fault_times.overlap(times[:-1], times[1:], spans)
    grew = {
        name: np.nansum(np.diff(rows[name])[is_undisturbed]) for name in ("sent_packets", "backlog_packets", "drops")
    }
    came = (grew["sent_packets"] + grew["backlog_packets"]) / (1 + info.duplicate_percent / 100)
    return max(0, round(came + grew["drops"])), max(0, round(grew["drops"]))


def _loss(direction: str, info: CableInfo, offered: int, lost: int) -> Finding:
    few, many = loss_interval(offered, info.loss_percent, info.likeness, CONFIDENCE)
    is_expected = few <= lost <= many
    message = (
        f"{direction} lost {100 * lost / offered:.3g} % of {offered} packets, but {info.loss_percent:.3g} % is "
        f"configured (by chance {100 * few / offered:.3g} to {100 * many / offered:.3g} %)"
    )
    return Finding(
        what="loss", subject=direction, configured=info.loss_percent, measured=100 * lost / offered, unit="%",
        low=100 * few / offered, high=100 * many / offered, severity="ok" if is_expected else "wrong",
        message="" if is_expected else message, remedy="" if is_expected else "look at the cable's netem with tc",
    )  # fmt: skip
