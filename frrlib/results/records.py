"""A run as its results folder records it: samples, events and facts, as values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from frrlib.results import layout
from frrlib.results.layout import RunInfo, Status
from frrlib.results.tables import Columns


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened.

    Attributes:
        time_s: when, from the start of all flows; NaN where that is not known.
        lab_time_s: when, by the lab's clock, a step by the clock of its taker; NaN where that is not known.
        kind: "step", "flow", "route", "daemon", "fault", "adjacency" or "routing".
        subject: name of the step, flow, router or link; of a fault its target.
        what: a word: "start", "done", "end", "failed", "added", "removed", "died", ...; the name of a fault; the
            state of a neighbour ("up" or "down"); of a routing daemon "spf", "timer", "down", ...
        text: further words: a route's prefix; a neighbour as "ospf r2".
        detail: further words yet: a route's next hops; the neighbour's state in the daemon's words; the queue limits
            that a fault sets. Empty in folders of format 1.
    """

    time_s: float
    lab_time_s: float
    kind: str
    subject: str
    what: str
    text: str
    detail: str = ""


@dataclass(frozen=True, eq=False)
class Results:
    """One run, as far as its folder tells it.

    Attributes:
        folder: where it is.
        info: what `run.json` says; `status` says it better.
        status: "running" only while a process writes the folder; a run that did not come to write how it ended is
            "killed".
        topology_text: the topology's file; empty where it is missing.
        tcp, queue, cable, cpu, aqm, interface, app, datagram, probe: the samples, see `wire.TABLES` for the columns and
            `tables.Columns` for the values; all but the first two may be empty, since earlier formats had none.
        events: in the order in which they were written.
        warnings: one sentence for each thing that is missing or could not be read; empty for a whole folder.
        damage: those of them about rows that cannot be measurements and were left out, as `intact` has it.
    """

    folder: Path
    info: RunInfo
    status: Status
    topology_text: str
    tcp: Columns
    queue: Columns
    cable: Columns
    cpu: Columns
    aqm: Columns
    interface: Columns
    app: Columns
    datagram: Columns
    probe: Columns
    events: tuple[Event, ...]
    warnings: tuple[str, ...] = ()
    damage: tuple[str, ...] = ()

    @property
    def has_flow_samples(self) -> bool:
        """Whether anything of a flow was sampled: of its connections, its datagrams, or what its application did."""
        return any(table["time_s"].size for table in (self.tcp, self.datagram, self.app, self.probe))

    def flow_report(self, flow: str) -> dict[str, Any] | None:
        """The sending tool's own report on a flow; None where there is none or it cannot be read."""
        for ending in ("iperf3.json", "json"):
            try:
                report = layout.read_json(self.folder / layout.FLOWS / f"{layout.file_name(flow)}.{ending}")
            except (OSError, ValueError):
                continue
            return report if isinstance(report, dict) else None
        return None
