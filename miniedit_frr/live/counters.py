"""Counters of interfaces in a running lab, from its kernel, and the load between two readings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from frrlib.results.layout import QueueInfo
from frrlib.results.statistics.summary import drain_ms
from miniedit_frr.live.loads import LinkLoad

#: Asks a node for everything at once: the time in seconds, then interfaces and queueing disciplines with their
#: counters.
COMMAND = ("sh", "-c", "date +%s.%N; ip -j -s link; echo; tc -j -s qdisc")


@dataclass(frozen=True)
class InterfaceCounters:
    """An interface's counters since it was made.

    Attributes:
        time_s: when it was asked, by the lab's clock.
        sent_bytes, received_bytes: what left and came.
        drops: packets that were dropped where they should have left.
        backlog_bytes: what waits in its queue now.
    """

    time_s: float
    sent_bytes: int
    received_bytes: int
    drops: int
    backlog_bytes: int


def parse_counters(said: str) -> dict[str, InterfaceCounters]:
    """A node's answer to COMMAND, by interface. Raises ValueError where it is something else."""
    first, *answers = (line for line in said.splitlines() if line.strip())
    time_s = float(first)
    links, *qdiscs = (json.loads(line) for line in answers)
    held: dict[str, list[Mapping[str, Any]]] = {}
    for each in qdiscs[0] if qdiscs else ():
        held.setdefault(each.get("dev", ""), []).append(each)
    return {each["ifname"]: _counted(time_s, each["stats64"], held.get(each["ifname"], ())) for each in links}


def _counted(time_s: float, stats: Mapping[str, Any], qdiscs: Sequence[Mapping[str, Any]]) -> InterfaceCounters:
    # A discipline with children counts theirs too, so the maximum is the total.
    return InterfaceCounters(
        time_s, stats["tx"]["bytes"], stats["rx"]["bytes"],
        stats["tx"]["dropped"] + max((each.get("drops", 0) for each in qdiscs), default=0),
        max((each.get("backlog", 0) for each in qdiscs), default=0),
    )  # fmt: skip


class CounterLoads:
    """Loads from nodes' counters: the newest of each, and the one before.

    Args:
        infos: rate and limit of queues, by node and interface.
    """

    def __init__(self, infos: Mapping[tuple[str, str], QueueInfo]) -> None:
        self._infos = infos
        self._counted: dict[tuple[str, str], tuple[InterfaceCounters, InterfaceCounters]] = {}

    def take(self, node: str, counted: Mapping[str, InterfaceCounters]) -> None:
        """Take a node's new counters."""
        for name, now in counted.items():
            before = self._counted.get((node, name), (now, now))[1]
            if before is now or before.time_s < now.time_s:
                self._counted[node, name] = before, now

    def sent(self, node: str, interface: str) -> LinkLoad | None:
        """The load of the direction that leaves by an interface; None before two readings."""
        before, now = self._counted.get((node, interface), (None, None))
        if before is None or now is None or now.time_s <= before.time_s:
            return None
        info, span_s = self._infos.get((node, interface)), now.time_s - before.time_s
        limit_mbit, limit_bytes = (info.rate_mbit, info.limit_bytes) if info else (None, None)
        return LinkLoad(
            rate_mbit=(now.sent_bytes - before.sent_bytes) * 8e-6 / span_s,
            limit_mbit=limit_mbit,
            backlog_bytes=float(now.backlog_bytes),
            fill=min(1.0, now.backlog_bytes / limit_bytes) if limit_bytes else None,
            delay_ms=drain_ms(now.backlog_bytes, limit_mbit) if limit_mbit else None,
            drops=(now.drops - before.drops) / span_s,
        )

    def received_mbit(self, node: str, interface: str) -> float | None:
        """The load that arrives at an interface; None before two readings."""
        before, now = self._counted.get((node, interface), (None, None))
        if before is None or now is None or now.time_s <= before.time_s:
            return None
        return (now.received_bytes - before.received_bytes) * 8e-6 / (now.time_s - before.time_s)
