"""The recorded contents of a run as values: samples, events and facts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from frrlib.results import layout
from frrlib.results.layout import RunInfo, Status
from frrlib.results.table_reader import Columns


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened.

    Attributes:
        time_s: its time, from the start of all flows; NaN if unknown.
        lab_time_s: its time by the lab's clock; for a step, by the clock of the process that takes it. NaN if unknown.
        kind: "step", "flow", "route", "daemon", "fault", "adjacency" or "routing".
        subject: name of the step, flow, router or link; for a fault, its target.
        what: a word: "start", "done", "end", "failed", "added", "removed", "died", ...; the name of a fault; the
            state of a neighbor ("up" or "down"); for a routing daemon "spf", "timer", "down", ...
        text: a route's prefix; a neighbor as "ospf r2"; for other events free text.
        detail: a route's next hops; the neighbor's state as the daemon reports it; the queue limits that a fault sets.
            Empty in folders of format 1.
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
    """One run, as far as its folder records it.

    Attributes:
        folder: the results folder.
        info: the contents of `run.json`. Its status is outdated after a kill; use `status` instead.
        status: "running" only while a process writes the folder; "killed" for a run that ended without recording its
            status.
        topology_text: the topology's file; empty if it is missing.
        tcp, queue, cable, cpu, aqm, interface, app, datagram, probe: the samples, see `wire.TABLES` for the columns and
            `tables.Columns` for the values. All but the first two may be empty, because earlier formats lack them.
        events: in the order in which they were written.
        warnings: one sentence for each thing that is missing or could not be read; empty for a complete folder.
        damage: the warnings about rows that cannot be measurements and were dropped, see `intact`.
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
        """Whether a flow was sampled: its connections, its datagrams, its probes, or the actions of its application."""
        return any(table["time_s"].size for table in (self.tcp, self.datagram, self.app, self.probe))

    def flow_report(self, flow: str) -> dict[str, Any] | None:
        """The sending tool's own report on a flow; None if it is missing or cannot be read."""
        for ending in ("iperf3.json", "json"):
            try:
                report = layout.read_json(self.folder / layout.FLOWS / f"{layout.file_name(flow)}.{ending}")
            except (OSError, ValueError):
                continue
            return report if isinstance(report, dict) else None
        return None
