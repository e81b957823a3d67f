"""The process that samples connections and queues while flows run.

It is a copy of the agent, made ahead of the flows, with netlink sockets of the nodes as open descriptors, so that it
enters no namespace and starts nothing. On standard input come two lines of JSON, the configuration and then the zero of
time; when the input ends it tells its own cost and ends. On standard output go finished lines of the wire.
"""

from __future__ import annotations

import gc
import json
import os
import select
import time

import msgspec

from frrlib.agent.sampling.sampled_node import SampledNode
from frrlib.agent.virtual_channel import in_virtual_time
from frrlib.system import processor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypedDict

    from frrlib.agent.sampling.sampled_node import NodeConfig, RawSample, Rows

    class Config(TypedDict):
        """All that a sampler is told; `hz` is how often a second, `processor` what this one's processors are called,
        empty where another samples them."""

        hz: float
        processor: str
        nodes: list[NodeConfig]


#: Rows are passed on at least this often, in seconds.
BATCH_S = 0.15
#: Or when so many nodes' samples have been taken, so that the next one does not wait for long.
MOST_TAKEN = 60
#: How often disciplines and interfaces are asked, and how often cables and processors are, in seconds.
OFTEN_S, SELDOM_S = 0.1, 1.0


class PeriodicRows:
    """Something that is done once in each span of so many seconds, with whichever sample comes first in it."""

    def __init__(self, every_s: float, rows: Callable[[float], dict[str, Rows]]) -> None:
        self._every_s, self._rows, self._next_s = every_s, rows, 0.0

    def rows(self, time_s: float, *, last: bool = False) -> dict[str, Rows]:
        """By table, those that are due, or at the end all."""
        if time_s < self._next_s and not last:
            return {}
        self._next_s = self._every_s * (int(time_s / self._every_s) + 1)
        return self._rows(time_s)


class SamplerProcess:
    """All that this process samples, and how it went."""

    def __init__(self, config: Config) -> None:
        nodes = [SampledNode(each) for each in config["nodes"]]
        self._nodes = [each for each in nodes if each.table == "queue"]
        self._cables = [each for each in nodes if each.table == "cable"]
        self._hz, self._processor = config["hz"], config["processor"]
        self._due = (PeriodicRows(OFTEN_S, self._often), PeriodicRows(SELDOM_S, self._seldom))
        self._tables: dict[str, Rows] = {}
        self._taken: list[tuple[SampledNode, RawSample]] = []
        #: In virtual time asking takes none, so one look at the clock does for all nodes.
        self._at_once = in_virtual_time()
        self.samples_taken = self.left_out = 0
        self.busy_s = 0.0

    def sample(self, zero_s: float) -> None:
        """Sample until standard input ends, and then the queues once more, so that no count of theirs is missing.

        Every sample has its own due time, counted from zero, so that none drifts; one that is overdue is left out
        rather than made up for by a burst, and counted.
        """
        tick, now_s = 0, time.monotonic() - zero_s
        passed_on_s = now_s
        while True:
            over = bool(select.select([0], [], [], max(0.0, tick / self._hz - now_s))[0])
            began_s = time.monotonic() - zero_s
            time_s = round(began_s, 6)
            for node in self._nodes:
                if not self._at_once:
                    time_s = round(time.monotonic() - zero_s, 6)
                self._taken.append((node, node.take_queues(time_s) if over else node.take(time_s)))
            now_s = time_s if self._at_once else round(time.monotonic() - zero_s, 6)
            for due in self._due:
                self._keep(due.rows(now_s, last=over))
            if over:
                break
            following = max(tick + 1, int(now_s * self._hz) + 1)
            self.samples_taken += 1
            self.left_out += following - tick - 1
            tick = following
            if now_s - passed_on_s >= BATCH_S or len(self._taken) >= MOST_TAKEN:
                self._pass_on()
                passed_on_s = now_s
                now_s = time.monotonic() - zero_s
            self.busy_s += now_s - began_s
        self._pass_on()

    def _often(self, time_s: float) -> dict[str, Rows]:
        return {
            "aqm": [row for node in self._nodes for row in node.disciplines(time_s)],
            "interface": [row for node in self._nodes for row in node.interfaces(time_s)],
        }

    def _seldom(self, time_s: float) -> dict[str, Rows]:
        for node in self._nodes:
            node.look_again()
        found: dict[str, Rows] = {"cable": [row for node in self._cables for row in node.queues(node.take(time_s))]}
        if self._processor:
            found["cpu"] = [[time_s, self._processor, *(round(part_s, 2) for part_s in processor.spent())]]
        return found

    def _keep(self, found: dict[str, Rows]) -> None:
        for table, rows in found.items():
            self._tables.setdefault(table, []).extend(rows)

    def _pass_on(self) -> None:
        for node, taken in self._taken:
            self._keep({"tcp": node.tcp(taken), "queue": node.queues(taken)})
        self._taken.clear()
        for table, rows in self._tables.items():
            if rows:
                _write(msgspec.json.encode({"type": "samples", "table": table, "rows": rows}) + b"\n")
                rows.clear()


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def main() -> None:
    """Be a sampler: see the module."""
    gc.disable()  # nothing here is a ring
    lines = _lines()
    sampler = SamplerProcess(json.loads(next(lines)))
    _write(b'{"ready":true}\n')
    zero_s = float(json.loads(next(lines))["zero_s"])
    used_s, began_s = time.process_time(), time.monotonic()
    sampler.sample(zero_s)
    cost = {
        "busy_s": round(sampler.busy_s, 4),
        "seconds": round(time.monotonic() - began_s, 4),
        "taken": sampler.samples_taken,
        "left_out": sampler.left_out,
    }
    if os.environ.get("LAB_PLACE") != "labkernel":  # which counts in ticks, and these go with the samples
        cost["cpu_s"] = round(time.process_time() - used_s, 4)
    _write(json.dumps(cost).encode() + b"\n")


def _lines() -> Iterator[str]:
    rest = b""
    while chunk := os.read(0, 65536):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.decode()
