"""Counters of interfaces in a running lab, read from its kernel, and the load between two readings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from frrlib.results.layout import QueueInfo
from frrlib.results.statistics.summary import drain_ms
from miniedit_frr.live.loads import LinkLoad

#: The command that reads everything at once: the time in seconds, then interfaces and qdiscs with their counters.
COMMAND = ("sh", "-c", "date +%s.%N; ip -j -s link; echo; tc -j -s qdisc")


@dataclass(frozen=True)
class InterfaceCounters:
    """An interface's counters since its creation.

    Attributes:
        time_s: the time of the reading, on the lab's clock.
        sent_bytes, received_bytes: bytes sent and received.
        drops: packets that were dropped before they were sent.
        backlog_bytes: bytes in its queue now.
    """

    time_s: float
    sent_bytes: int
    received_bytes: int
    drops: int
    backlog_bytes: int


def parse_counters(output: str) -> dict[str, InterfaceCounters]:
    """The counters in the output of COMMAND, by interface. Raises ValueError for malformed output."""
    first, *lines = (line for line in output.splitlines() if line.strip())
    time_s = float(first)
    links, *qdiscs = (json.loads(line) for line in lines)
    qdiscs_of: dict[str, list[Mapping[str, Any]]] = {}
    for item in qdiscs[0] if qdiscs else ():
        qdiscs_of.setdefault(item.get("dev", ""), []).append(item)
    return {item["ifname"]: _readings(time_s, item["stats64"], qdiscs_of.get(item["ifname"], ())) for item in links}


def _readings(time_s: float, stats: Mapping[str, Any], qdiscs: Sequence[Mapping[str, Any]]) -> InterfaceCounters:
    # A qdisc's counters include those of its children, so the maximum is the total.
    return InterfaceCounters(
        time_s, stats["tx"]["bytes"], stats["rx"]["bytes"],
        stats["tx"]["dropped"] + max((qdisc.get("drops", 0) for qdisc in qdiscs), default=0),
        max((qdisc.get("backlog", 0) for qdisc in qdiscs), default=0),
    )  # fmt: skip


class CounterLoads:
    """Loads from the two newest readings of each node's counters.

    Args:
        infos: rate and limit of queues, by node and interface.
    """

    def __init__(self, infos: Mapping[tuple[str, str], QueueInfo]) -> None:
        self._infos = infos
        self._readings: dict[tuple[str, str], tuple[InterfaceCounters, InterfaceCounters]] = {}

    def take(self, node: str, counters: Mapping[str, InterfaceCounters]) -> None:
        """Store a node's new counters."""
        for name, now in counters.items():
            previous = self._readings.get((node, name), (now, now))[1]
            if previous is now or previous.time_s < now.time_s:
                self._readings[node, name] = previous, now

    def sent(self, node: str, interface: str) -> LinkLoad | None:
        """The load that an interface sends; None before two readings."""
        previous, now = self._readings.get((node, interface), (None, None))
        if previous is None or now is None or now.time_s <= previous.time_s:
            return None
        info, span_s = self._infos.get((node, interface)), now.time_s - previous.time_s
        limit_mbit, limit_bytes = (info.rate_mbit, info.limit_bytes) if info else (None, None)
        return LinkLoad(
            rate_mbit=(now.sent_bytes - previous.sent_bytes) * 8e-6 / span_s,
            limit_mbit=limit_mbit,
            backlog_bytes=float(now.backlog_bytes),
            fill=min(1.0, now.backlog_bytes / limit_bytes) if limit_bytes else None,
            delay_ms=drain_ms(now.backlog_bytes, limit_mbit) if limit_mbit else None,
            drops=(now.drops - previous.drops) / span_s,
        )

    def received_mbit(self, node: str, interface: str) -> float | None:
        """The load that arrives at an interface; None before two readings."""
        previous, now = self._readings.get((node, interface), (None, None))
        if previous is None or now is None or now.time_s <= previous.time_s:
            return None
        return (now.received_bytes - previous.received_bytes) * 8e-6 / (now.time_s - previous.time_s)
