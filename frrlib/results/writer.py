"""Writes a results folder during a run, so that the data is kept however the run ends."""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import re
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import msgspec

from frrlib import wire
from frrlib.results import layout
from frrlib.results.event_rows import EventRow, routing_event
from frrlib.results.layout import CableInfo, CaptureInfo, FlowInfo, PingInfo, QueueInfo, ResultsError, RunInfo
from frrlib.results.received import DataLimits, RunSteps, start_csv, write_rows
from frrlib.system import atomic_files as writing
from frrlib.system import removal
from frrlib.system.untrusted_files import open_file
from frrlib.wire import plan

Ending = Literal["finished", "failed", "interrupted"]

_DISK_REMEDY = "make room, or give a folder elsewhere; what was measured until then is kept"
_INTERRUPTIONS = (KeyboardInterrupt, SystemExit, GeneratorExit)


def default_folder(name: str, base: Path = Path("results"), now: datetime | None = None) -> Path:
    """A folder that does not exist yet: `base/NAME-YYYYmmdd-HHMMSS`, with "-2", "-3", ... if that exists.

    Args:
        name: the name of the topology; characters other than letters, digits, dots, dashes and underscores become
            dashes.
        base: the folder of results folders.
        now: the time in the name; None for the current local time.
    """
    word = re.sub(r"[^\w.-]+", "-", name).strip(".-") or "run"
    stem = f"{word}-{now or datetime.now():%Y%m%d-%H%M%S}"
    folder, number = base / stem, 1
    while folder.exists():
        number += 1
        folder = base / f"{stem}-{number}"
    return folder


class Writer:
    """A results folder that is being written. Make one with `Writer.create`.

    All methods may be called from any thread. They return after the data is in the file, so a killed run keeps
    everything that was passed to the writer. Data passed after `finish` is dropped; the run's files are then read-only.

    If the folder can no longer be written (the disk is full, or the folder was removed), the first failed method raises
    ResultsError, or calls `on_failure` if there is one. Tables end with their last complete row, later data is dropped,
    and `run.json` records the failure in space that was reserved for it.

    Until `finish` only the owner may enter the folder: a lab may open its own folder in it to other users of the
    machine.

    As a context manager it calls `finish` at the end of the block: "finished" after a normal end, "interrupted" after
    Ctrl-C or an exit, "failed" with the error's message after any other exception, which goes on to the caller.
    """

    def __init__(self, folder: Path, info: RunInfo, on_failure: Callable[[], object] | None = None) -> None:
        self._folder = folder
        self._info = info
        self._on_failure = on_failure
        self._failure: ResultsError | None = None
        self._lock = threading.RLock()
        self._limits, self._steps = DataLimits(), RunSteps()
        self._open = True
        # Readers distinguish a running run from a killed one by this lock, which ends with its process.
        self._log = (folder / layout.LOG).open("x", encoding="utf-8", buffering=1)
        fcntl.flock(self._log, fcntl.LOCK_EX)
        self._mode = _close_to_others(folder)
        for name in layout.OUR_FOLDERS:
            (folder / name).mkdir()
        self._events = start_csv(folder / layout.EVENTS, layout.EVENT_COLUMNS)
        self._tables = {name: start_csv(layout.table_path(folder, name), wire.TABLES[name]) for name in wire.TABLES}
        (folder / layout.RESERVE).write_bytes(bytes(layout.RESERVE_BYTES))
        writing.replace(folder / layout.RUN, layout.json_text(info))

    @classmethod
    def create(
        cls,
        out: Path,
        topology_text: str,
        settings: Mapping[str, Any],
        *,
        title: str = "",
        overwrite: bool = False,
        started: str = "",
        on_failure: Callable[[], object] | None = None,
    ) -> Writer:
        """Make the folder of a run exactly at `out`, where scripts expect it.

        Args:
            out: a folder that is new or empty. With `overwrite` it may also contain an earlier run that has ended. Its
                files are removed; files that no run writes are left alone.
            topology_text: the topology's file, kept byte by byte (as UTF-8).
            settings: the settings of the run; any values, JSON if possible.
            title: a few words for people, shown above the figure.
            overwrite: whether an earlier run may be replaced.
            started: the start of the run, ISO 8601 with time zone; empty for now.
            on_failure: called once, from any thread, when the folder can no longer be written; `failure` has the error.

        Raises:
            ResultsError: `out` contains something else, an earlier run without `overwrite`, or a run that has not
                ended; or it cannot be written.
        """
        try:
            out.mkdir(parents=True, exist_ok=True)
            _make_room(out, overwrite)
            (out / layout.README).write_text(layout.README_TEXT, encoding="utf-8")
            (out / layout.TOPOLOGY).write_bytes(topology_text.encode("utf-8", "surrogateescape"))
            facts = {"python": platform.python_version(), "host_kernel": platform.release()}
            info = RunInfo(title=title, started=started or _now(), settings=dict(settings), facts=facts)
            return cls(out, info, on_failure)
        except FileExistsError as error:
            problem = "is a file" if out.is_file() else "another run has just begun in it"
            raise ResultsError(out, problem, "choose another folder") from error
        except OSError as error:
            raise ResultsError(out, f"cannot be written: {error.strerror}", "choose another folder") from error

    # --- facts of the run --------------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """The results folder."""
        return self._folder

    @property
    def failure(self) -> ResultsError | None:
        """The error because of which the folder can no longer be written; None if there was none."""
        return self._failure

    @property
    def is_closed(self) -> bool:
        """Whether the run has ended, so that its files do not change any more."""
        return not self._open

    @property
    def lab_folder(self) -> Path:
        """A folder for files that the lab writes."""
        return self._folder / layout.FILES

    @property
    def info(self) -> RunInfo:
        """The current contents of `run.json`."""
        return self._info

    def add_facts(self, facts: Mapping[str, Any]) -> None:
        """Add facts about machine, kernel and tools; a fact of the same name is replaced."""
        with self._lock:
            self._change(facts={**self._info.facts, **facts})

    def set_place(self, name: str, reason: str = "") -> None:
        """Record the place in which the lab runs, and the reason for its choice."""
        self._change(place=name, place_reason=reason)

    def set_flows(self, flows: Iterable[plan.FlowPlan]) -> None:
        """Record the planned flows, so that readers notice a flow that never sends."""
        self.set_flow_infos([FlowInfo.model_validate(msgspec.structs.asdict(flow)) for flow in flows])

    def set_flow_infos(self, flows: Sequence[FlowInfo]) -> None:
        """Record flows that come from no plan of ours."""
        self._change(flows=tuple(flows))

    def add_to_flows(self, fields: Mapping[str, Mapping[str, Any]]) -> None:
        """Record further values of planned flows: by id, values for attributes of `FlowInfo`."""
        with self._lock:
            flows = ({**dict(flow), **fields.get(flow.id, {})} for flow in self._info.flows)
            self._change(flows=tuple(FlowInfo.model_validate(flow) for flow in flows))

    def set_queues(self, queues: Mapping[str, QueueInfo]) -> None:
        """Record rate and limit of queues, by direction."""
        self._change(queues=dict(queues))

    def set_cables(self, cables: Mapping[str, CableInfo]) -> None:
        """Record the configured loss of links, by direction."""
        self._change(cables=dict(cables))

    def set_counters(self, tcp: Mapping[str, Mapping[str, int]], drops: Mapping[str, tuple[int, int]]) -> None:
        """Record the growth of the senders' TCP counters, by node, and the drops of queues, by direction."""
        self._change(counters={node: dict(grown) for node, grown in tcp.items()}, queue_drops=dict(drops))

    def set_zero_time(self, zero_time_s: float, zero_unix_s: float | None = None) -> None:
        """Record the lab's clock and its time of day at the start of all flows."""
        self._change(zero_time_s=zero_time_s, zero_unix_s=zero_unix_s)

    def set_captures(self, captures: Mapping[str, CaptureInfo]) -> None:
        """Record the captured interfaces, each as "NODE:INTERFACE"."""
        self._change(captures=dict(captures))

    def add_ping(self, ping: PingInfo | Mapping[str, Any]) -> None:
        """Record a ping's result; a mapping has the names of `PingInfo`'s attributes."""
        with self._lock:
            self._change(pings=(*self._info.pings, PingInfo.model_validate(ping)))

    # --- samples, events and logs ------------------------------------------------------------------------------------

    def add(self, message: wire.Message) -> None:
        """Write the content of a message from the lab. Replies to requests (`Done`, `Failed`) are the caller's.

        Raises:
            ValueError: samples of an unknown table, or rows that do not have one value for each of its columns.
        """
        with self._lock:
            match message:
                case wire.Samples():
                    self._add_samples(message)
                case wire.Ready():
                    self.add_facts(message.facts)
                case wire.StepEvent():
                    self._add_step(message)
                case wire.FlowEvent(flow, what, time_s, text):
                    self._write_events((time_s, None, "flow", flow, what, text, ""))
                case wire.DaemonExit(router, daemon, status, log, time_s):
                    description = f"{daemon} ended with status {status}"
                    self._write_events((None, time_s, "daemon", router, "died", description, ""))
                    with self.writing():
                        self._limits.count_death(log)
                    self.add_log(f"{router}-{daemon}.died.log", log)
                case wire.FaultEvent(fault, target, time_s, text, limits):
                    self._write_events((None, time_s, "fault", target, fault, text, limits))
                case wire.RouteEvent() | wire.AdjacencyEvent() | wire.RoutingNote():
                    self._write_events(routing_event(message))

    def add_flow_report(self, flow: str, report: object) -> None:
        """Write the report of iperf3 on a flow to `flows/ID.iperf3.json`, or that of our own sender to
        `flows/ID.json`."""
        ending = "json" if isinstance(report, dict) and "kind" in report else "iperf3.json"
        self._write_file(f"{layout.FLOWS}/{layout.file_name(flow)}.{ending}", layout.json_text(report))

    def add_log(self, name: str, text: str) -> None:
        """Write a daemon's log to `logs/NAME`; a log of the same name is replaced."""
        self._write_file(f"{layout.LOGS}/{layout.file_name(name)}", text)

    def add_module(self, name: str, text: bytes) -> None:
        """Write the source of a kernel module of the user to `modules/NAME.c`."""
        self._write_file(f"{layout.MODULES}/{layout.file_name(name)}.c", text.decode("utf-8", "replace"))

    def log(self, text: str) -> None:
        """Add to `log.txt`, with the time of day."""
        with self._lock, self.writing():
            if self._is_writable:
                self._log.write(f"{datetime.now():%H:%M:%S.%f} {text.rstrip()}\n")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write into the folder in this block. After an error, nothing more is written."""
        try:
            yield
        except OSError as error:
            self._give_up(error)

    # --- the end -----------------------------------------------------------------------------------------------------

    def finish(self, status: Ending = "finished", failures: Sequence[str] = ()) -> None:
        """Record the end of the run and close the folder; only the first call has an effect.

        Args:
            status: its final status. "finished" with failures is a run that went to its end although parts failed.
            failures: one message each.
        """
        with self._lock:
            if not self._open:
                return
            (self._folder / layout.RESERVE).unlink(missing_ok=True)
            if self._failure is not None:
                status, failures = "failed", [*failures, str(self._failure)]
            try:
                steps = self._steps.infos or self._info.steps
                self._change(status=status, finished=_now(), failures=tuple(dict.fromkeys(failures)), steps=steps)
            finally:
                self._open = False
                for file in (self._events, *self._tables.values(), self._log):
                    with suppress(OSError):  # data that could not be written before
                        file.close()
                layout.protect(self._folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self.finish()
            elif isinstance(error, _INTERRUPTIONS):
                self.finish("interrupted")
            else:
                self.finish("failed", [str(error) or type(error).__name__])
        finally:  # not earlier: a lab that continues after the flows of its run still writes into its folder
            with suppress(OSError):  # as in `_close_to_others`
                self._folder.chmod(self._mode)

    # --- writing -----------------------------------------------------------------------------------------------------

    def _change(self, **fields: object) -> None:
        with self._lock:
            if self._open:
                self._info = self._info.model_copy(update=fields)
                self._save()

    def _save(self) -> None:
        with self.writing():
            writing.replace(self._folder / layout.RUN, layout.json_text(self._info))

    @property
    def _is_writable(self) -> bool:
        return self._open and self._failure is None

    def _give_up(self, error: OSError) -> None:
        if self._failure is not None:
            return  # it was reported before
        remedy = "what was measured until then is kept" if error.errno == errno.EFBIG else _DISK_REMEDY
        self._failure = ResultsError(
            self._folder, f"cannot be written any more: {_failure_reason(error, self._folder)}", remedy
        )
        with suppress(OSError):
            (self._folder / layout.RESERVE).unlink()
        if self._on_failure is None:
            raise self._failure from error
        self._on_failure()

    def _add_samples(self, message: wire.Samples) -> None:
        columns = wire.TABLES.get(message.table)
        if columns is None:
            raise ValueError(f"there is no table {message.table!r}; the tables are {', '.join(wire.TABLES)}")
        if wrong := next((row for row in message.rows if len(row) != len(columns)), None):
            raise ValueError(f"a row of table {message.table!r} has {len(wrong)} values instead of {len(columns)}")
        with self.writing():
            if self._is_writable:
                self._limits.count(write_rows(self._tables[message.table], message.rows))

    def _add_step(self, step: wire.StepEvent) -> None:
        self._write_events((None, step.time_s, "step", step.name, step.state, step.text, ""))
        if self._steps.add(step):
            self._change(steps=self._steps.infos)

    def _write_events(self, *rows: EventRow) -> None:
        with self._lock, self.writing():
            if self._is_writable:
                # One event is one line, so that a file truncated anywhere loses only one event.
                lines = [(*row[:-2], *(" ".join(text.split()) for text in row[-2:])) for row in rows]
                self._limits.count(write_rows(self._events, lines))

    def _write_file(self, name: str, text: str) -> None:
        with self._lock, self.writing():
            if self._is_writable:
                writing.replace(self._folder / name, text)


def _close_to_others(folder: Path) -> int:
    """Close a folder to other users, and return its former mode."""
    mode = stat.S_IMODE(folder.stat().st_mode)
    with suppress(OSError):  # another user's folder
        folder.chmod(stat.S_IRWXU)
    return mode


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="milliseconds")


def _failure_reason(error: OSError, folder: Path) -> str:
    reason = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        with suppress(OSError):
            usage = shutil.disk_usage(folder)
            return f"{reason} ({usage.free / 1e6:.3g} of {usage.total / 1e6:.3g} MB are free)"
    return reason


def _make_room(out: Path, overwrite: bool) -> None:
    """Make `out` an empty folder, or raise ResultsError with the obstacle."""
    if not any(out.iterdir()):
        return
    if not layout.is_results_folder(out):
        raise ResultsError(out, "is not empty and contains no results", "choose a new or empty folder")
    if is_being_written(out):
        raise ResultsError(out, "another run is writing to it", "wait for its end, or choose another folder")
    if not overwrite:
        raise ResultsError(
            out, "contains the results of an earlier run", "choose another folder, or replace it with --overwrite"
        )
    _remove_earlier_run(out)


def _remove_earlier_run(out: Path) -> None:
    """Remove an earlier run, either completely or not at all.

    Raises:
        OSError: it could not be removed and is still there.
    """
    away = Path(tempfile.mkdtemp(prefix=".replaced-", dir=out))
    moved: list[str] = []
    try:
        for name in (*layout.OUR_FILES, *layout.OUR_FOLDERS, layout.CONFIGS):
            if os.path.lexists(out / name):
                os.rename(out / name, away / name)
                moved.append(name)
    except OSError:
        for name in moved:
            os.rename(away / name, out / name)
        away.rmdir()
        raise
    if remainder := removal.remove(away):
        raise ResultsError(out, f"the earlier run cannot be removed: {remainder}", "choose another folder")


def is_being_written(folder: Path) -> bool:
    """Whether a process on this machine is writing this results folder now."""
    try:
        log = open_file(folder / layout.LOG)
    except OSError:
        return False
    with log:
        try:
            fcntl.flock(log, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
    return False
