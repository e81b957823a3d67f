"""The process that samples connections and queues while flows run.

It is a copy of the agent, made ahead of the flows, with netlink sockets of the nodes as open descriptors, so that it
enters no namespace and starts no process. Standard input has two lines of JSON: the configuration and the zero of time.
When it ends, the sampler prints its own cost and exits. Standard output has complete lines of the wire.
"""

from __future__ import annotations

import gc
import json
import os
import time

import msgspec

from frrlib.agent.sampling.sampled_node import SampledNode
from frrlib.agent.virtual_channel import in_virtual_time
from frrlib.system import processor
from frrlib.system.ready import ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypedDict

    from frrlib.agent.sampling.sampled_node import NodeConfig, RawSample, Rows

    class Config(TypedDict):
        """A sampler's settings. `hz` is the number of samples per second; `processor` is the name of this machine's
        processors, empty if another process samples them."""

        hz: float
        processor: str
        nodes: list[NodeConfig]


#: Rows are sent at least this often, in seconds.
BATCH_S = 0.15
#: Rows are also sent after this number of nodes' samples, so that the next sample does not wait long.
MAX_SAMPLES = 60
#: The intervals of disciplines and interfaces, and of cables and processors, in seconds.
OFTEN_S, SELDOM_S = 0.1, 1.0


class PeriodicRows:
    """Rows that are due once per interval, with the first sample in it."""

    def __init__(self, every_s: float, rows: Callable[[float], dict[str, Rows]]) -> None:
        self._every_s, self._rows, self._next_s = every_s, rows, 0.0

    def rows(self, time_s: float, *, last: bool = False) -> dict[str, Rows]:
        """The rows by table: those that are due, or all at the end."""
        if time_s < self._next_s and not last:
            return {}
        self._next_s = self._every_s * (int(time_s / self._every_s) + 1)
        return self._rows(time_s)


class SamplerProcess:
    """All objects that this process samples, and statistics of its own work."""

    def __init__(self, config: Config) -> None:
        nodes = [SampledNode(node) for node in config["nodes"]]
        self._nodes = [node for node in nodes if node.table == "queue"]
        self._cables = [node for node in nodes if node.table == "cable"]
        self._hz, self._processor = config["hz"], config["processor"]
        self._due = (PeriodicRows(OFTEN_S, self._frequent_rows), PeriodicRows(SELDOM_S, self._occasional_rows))
        self._tables: dict[str, Rows] = {}
        self._samples: list[tuple[SampledNode, RawSample]] = []
        #: In virtual time requests take none, so one reading of the clock serves all nodes.
        self._at_once = in_virtual_time()
        self.samples_taken = self.left_out = 0
        self.busy_s = 0.0

    def sample(self, zero_s: float) -> None:
        """Sample until standard input ends, and then the queues once more, for their final counts.

        Every sample has its own due time, counted from zero, so that none drifts. An overdue sample is left out and
        counted, and no burst makes up for it.
        """
        tick, now_s = 0, time.monotonic() - zero_s
        passed_on_s = now_s
        while True:
            is_over = bool(ready([0], timeout_s=max(0.0, tick / self._hz - now_s))[0])
            began_s = time.monotonic() - zero_s
            time_s = round(began_s, 6)
            for node in self._nodes:
                if not self._at_once:
                    time_s = round(time.monotonic() - zero_s, 6)
                self._samples.append((node, node.take_queues(time_s) if is_over else node.take(time_s)))
            now_s = time_s if self._at_once else round(time.monotonic() - zero_s, 6)
            for due in self._due:
                self._store(due.rows(now_s, last=is_over))
            if is_over:
                break
            following = max(tick + 1, int(now_s * self._hz) + 1)
            self.samples_taken += 1
            self.left_out += following - tick - 1
            tick = following
            if now_s - passed_on_s >= BATCH_S or len(self._samples) >= MAX_SAMPLES:
                self._write_rows()
                passed_on_s = now_s
                now_s = time.monotonic() - zero_s
            self.busy_s += now_s - began_s
        self._write_rows()

    def _frequent_rows(self, time_s: float) -> dict[str, Rows]:
        return {
            "aqm": [row for node in self._nodes for row in node.disciplines(time_s)],
            "interface": [row for node in self._nodes for row in node.interfaces(time_s)],
        }

    def _occasional_rows(self, time_s: float) -> dict[str, Rows]:
        for node in self._nodes:
            node.find_disciplines()
        tables: dict[str, Rows] = {"cable": [row for node in self._cables for row in node.queues(node.take(time_s))]}
        if self._processor:
            tables["cpu"] = [[time_s, self._processor, *(round(part_s, 2) for part_s in processor.spent())]]
        return tables

    def _store(self, tables: dict[str, Rows]) -> None:
        for table, rows in tables.items():
            self._tables.setdefault(table, []).extend(rows)

    def _write_rows(self) -> None:
        for node, sample in self._samples:
            self._store({"tcp": node.tcp(sample), "queue": node.queues(sample)})
        self._samples.clear()
        for table, rows in self._tables.items():
            if rows:
                _write(msgspec.json.encode({"type": "samples", "table": table, "rows": rows}) + b"\n")
                rows.clear()


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def main() -> None:
    """Run a sampler; see the module."""
    gc.disable()  # the sampler makes no reference cycles
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
    if os.environ.get("LAB_PLACE") != "labkernel":  # its kernel counts in ticks, and these go with the samples
        cost["cpu_s"] = round(time.process_time() - used_s, 4)
    _write(json.dumps(cost).encode() + b"\n")


def _lines() -> Iterator[str]:
    incomplete = b""
    while chunk := os.read(0, 65536):
        *lines, incomplete = (incomplete + chunk).split(b"\n")
        for line in lines:
            yield line.decode()
