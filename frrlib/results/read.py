"""Opens a results folder, whole or in part."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from frrlib import wire
from frrlib.results import layout
from frrlib.results.folder import goes_on
from frrlib.results.layout import ResultsError, RunInfo, Status
from frrlib.results.tables import LONGEST_S, Columns, empty, read_table


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
        detail: further words yet: a route's next hops; the neighbour's state in the daemon's words. Empty in folders
            of format 1.
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
    def tells_of_flows(self) -> bool:
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


def open_results(folder: Path) -> Results:
    """Open a results folder. Missing and damaged parts are named in `warnings`, and the rest is there.

    Raises:
        ResultsError: there are no results, or they have a format newer than this program knows.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ResultsError(folder, "is no folder" if folder.exists() else "does not exist")
    if not layout.is_results_folder(folder):
        raise ResultsError(folder, f"holds no results: there is neither {layout.RUN} nor samples")
    warnings: list[str] = []
    going_on = goes_on(folder)
    info = _read_info(folder, warnings)
    status: Status = "killed" if info.status == "running" and not going_on else info.status
    if status == "killed":
        warnings.append("the run did not end in order: it was killed, or its machine stopped")
    from frrlib.results.intact import checked  # it needs this module

    tables: dict[str, Any] = {name: _read_samples(folder, name, warnings) for name in wire.TABLES}
    results = Results(
        folder=folder,
        info=info,
        status=status,
        topology_text=_read_topology(folder, warnings),
        **tables,
        events=_read_events(folder, info.zero_time_s, warnings),
        warnings=tuple(warnings),
    )
    return checked(results)


def read_info(folder: Path) -> RunInfo:
    """The contents of a folder's `run.json`, without the samples; nothing but defaults if it cannot be read.

    Raises:
        ResultsError: it has a format newer than this program knows.
    """
    return _read_info(folder, [])


def _read_info(folder: Path, warnings: list[str]) -> RunInfo:
    try:
        # the drawing's author chose the names in it, and those of samples are plain ones, too
        said = layout.read_json(folder / layout.RUN, plain=True)
        version = said["format_version"]
    except (OSError, ValueError, TypeError, KeyError):
        warnings.append(f"{layout.RUN} is missing or cannot be read")
        return RunInfo()
    if not isinstance(version, int) or version > layout.FORMAT_VERSION:
        raise ResultsError(
            folder,
            f"has format {version}, and this program reads formats up to {layout.FORMAT_VERSION}",
            "open it with a newer miniedit-frr",
        )
    return _lenient(said, warnings)


def _lenient(said: dict[str, Any], warnings: list[str]) -> RunInfo:
    """The readable parts of `run.json`; a part that cannot be understood is left at its default."""
    while True:
        try:
            return RunInfo.model_validate(said)
        except ValidationError as error:
            wrong = sorted({str(each["loc"][0]) for each in error.errors()})
            warnings.append(f"{layout.RUN}: {', '.join(wrong)} cannot be understood")
            said = {key: value for key, value in said.items() if key not in wrong}


def _read_topology(folder: Path, warnings: list[str]) -> str:
    try:
        return layout.read_bytes(folder / layout.TOPOLOGY).decode("utf-8", "surrogateescape")
    except OSError as error:
        warnings.append(f"{layout.TOPOLOGY} is missing ({error.strerror})")
        return ""


def _read_samples(folder: Path, table: str, warnings: list[str]) -> Columns:
    path, columns = layout.table_path(folder, table), wire.TABLES[table]
    if table in layout.LATER_TABLES and not path.exists():
        return empty(columns)
    return read_table(path, columns, warnings, optional=layout.LATER_COLUMNS.get(table, frozenset()))


def _read_events(folder: Path, zero_time_s: float | None, warnings: list[str]) -> tuple[Event, ...]:
    path = folder / layout.EVENTS
    table = read_table(path, layout.EVENT_COLUMNS, warnings, timed=False, optional=layout.LATER_EVENT_COLUMNS)
    columns = [table[name].tolist() for name in layout.EVENT_COLUMNS]
    events = (Event(*row) for row in zip(*columns, strict=True))
    if zero_time_s is None:
        return tuple(events)
    return tuple(_with_time(event, zero_time_s) for event in events)


def _with_time(event: Event, zero_time_s: float) -> Event:
    # a step is timed by the process that takes it, which may be outside the lab
    if math.isnan(event.time_s) and event.kind != "step":
        time_s = event.lab_time_s - zero_time_s
        return replace(event, time_s=time_s) if abs(time_s) <= LONGEST_S else event
    return event
