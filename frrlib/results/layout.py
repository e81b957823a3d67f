"""The layout of a results folder: the names in it, its version, and the contents of `run.json`.

A folder outlives the program that wrote it. Therefore it contains everything that its figure needs (rates and queue
limits too, not only the topology). Tables are plain CSV with units in the names of columns, and readers accept missing
tables and columns.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from frrlib import wire
from frrlib.errors import LabError
from frrlib.model.frames import PLAIN, FrameSizeRules
from frrlib.safe_text.plain import plain_json
from frrlib.system import untrusted_files

#: Version of the folder's format. A reader accepts every version up to its own and refuses a newer one.
FORMAT_VERSION = 3

RUN = "run.json"
TOPOLOGY = "topology.mn"
README = "README.txt"
EVENTS = "events.csv"
LOG = "log.txt"
SAMPLES = "samples"
FLOWS = "flows"
LOGS = "logs"
FILES = "files"
CAPTURES = "captures"
#: The routers' configurations, at the start and at the end.
CONFIGS = "configs"
#: The sources of the user's kernel modules.
MODULES = "modules"
SUMMARY = "summary.json"
FIGURES = ("figure.png", "figure.pdf")
#: The user's notes on the run. This program never removes them.
NOTES = "notes.txt"

#: Space that is reserved during a run, so that `run.json` can record its end on a full disk.
RESERVE, RESERVE_BYTES = ".reserve", 64 << 10
#: Everything that a run leaves in its folder. Overwriting a run removes nothing else.
OUR_FILES = (RUN, TOPOLOGY, README, EVENTS, LOG, SUMMARY, RESERVE, *FIGURES)
OUR_FOLDERS = (SAMPLES, FLOWS, LOGS, FILES, CAPTURES, MODULES)
#: The measurements of a run, which are read-only after its end. Summary and figures can be made again from them.
KEPT_FILES = (RUN, TOPOLOGY, README, EVENTS, LOG)
KEPT_FOLDERS = (SAMPLES, FLOWS, LOGS, CAPTURES, CONFIGS, MODULES)

#: The maximum length of a name that becomes part of a file name: other systems allow 143 bytes or more.
_NAME_BYTES = 120
#: The maximum number of parallel connections of a flow in a topology.
_MOST_STREAMS = 128
#: The maximum size of a file other than a table, and the maximum number of digits of a number that becomes a float.
_LARGEST_BYTES, _MOST_DIGITS = 256 << 20, 300

#: Columns of events.csv. `time_s` counts from the start of all flows, `lab_time_s` is the lab's own clock (for a step,
#: the clock of the process that takes it, so only differences between steps of one source mean anything). A row has
#: the clock of its source.
EVENT_COLUMNS = ("time_s", "lab_time_s", "kind", "subject", "what", "text", "detail")
#: The columns of events.csv that format 1 did not have.
LATER_EVENT_COLUMNS = frozenset({"detail"})

#: Columns of the tables that hold text; all others hold numbers.
TEXT_COLUMNS = wire.TEXT_COLUMNS | frozenset(EVENT_COLUMNS[2:])

#: Sample tables that folders may lack: earlier formats had none of them, and each flow writes only those of its kind.
LATER_TABLES = frozenset({"cable", "cpu", "aqm", "interface", "app", "datagram", "probe"})
#: Columns that tables of earlier formats lack, by table.
LATER_COLUMNS = {"tcp": frozenset(wire.LATER_TCP)}

Status = Literal["running", "finished", "failed", "interrupted", "killed"]

README_TEXT = f"""\
Results of one run of a lab.

{RUN}          status and settings of the run, versions of kernel, FRR and tools, and the planned flows and queues
{TOPOLOGY}      the topology, exactly as it was given
{SAMPLES}/tcp.csv    samples of every TCP connection, at both ends
{SAMPLES}/queue.csv  samples of every queue
{SAMPLES}/cable.csv  packets sent and lost by each link with delay or loss, once a second
{SAMPLES}/cpu.csv    seconds that the processors worked, were idle, or were taken by a hypervisor, once a second
{SAMPLES}/aqm.csv, interface.csv    counters of queue disciplines and of interfaces
{SAMPLES}/app.csv, datagram.csv, probe.csv    measurements of applications, datagrams and probes
{EVENTS}        events: steps, flows, faults, neighbors, routes, daemons
{FLOWS}/            the sending tool's own report on each flow
{LOGS}/, {LOG}    logs of the daemons, and of the run
{FILES}/            files that the lab wrote
{CAPTURES}/         headers of packets at the captured interfaces (pcap, times of the lab's time of day)
{SUMMARY}, {", ".join(FIGURES)}    made from the above, and can be made again
{NOTES}        your notes on the run, if there are any

After the end of the run its files are read-only and never change. {FILES}/ belongs to the lab, which may write there as
long as it runs. {SUMMARY}, figures and {NOTES} may be written again.

Units are in the names of columns. time_s counts from the start of all flows. An empty cell is an unknown value.
With pandas: pandas.read_csv("{SAMPLES}/tcp.csv")
"""


class ResultsError(LabError):
    """A results folder cannot be made or opened.

    Args:
        folder: the folder.
        problem: the problem with the folder, as a clause ("is not empty").
        remedy: the action that solves it; empty if it is obvious.
    """

    def __init__(self, folder: Path, problem: str, remedy: str = "") -> None:
        self.folder, self.problem, self.remedy = folder, problem, remedy
        text = f"results folder {folder}: {problem}"
        super().__init__(f"{text}; {remedy}" if remedy else text)

    def __reduce__(self) -> tuple[Any, ...]:
        # An error may be pickled for another process. By default it would be rebuilt from its message alone.
        return type(self), (self.folder, self.problem, self.remedy)


class _Record(BaseModel):
    """A frozen part of `run.json`. Unknown keys are ignored, so a later version may add some."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class FlowPath(_Record):
    """The path of a flow, recorded only if its packets can take no other path.

    Attributes:
        forward, reverse: the directions of links on the path of its data, in order, and those on the path of its
            acknowledgments ("l1:h1-r1").
        base_rtt_ms: the round trip of a full frame and its acknowledgment through empty queues: the delays in both
            directions, and the time to send each at the rates of the links. None if the delays of the path are not
            certain.
        jitter_ms: the maximum that jitter adds to it in both directions together.
    """

    forward: tuple[str, ...] = ()
    reverse: tuple[str, ...] = ()
    base_rtt_ms: float | None = None
    jitter_ms: float = 0.0


class FlowInfo(_Record):
    """A flow as it was planned. A value of 0 in `duration_s` or `size_bytes` means no limit.

    Attributes:
        id: the flow's id, as in the samples.
        source, destination: names of nodes; data goes from source to destination.
        address: the destination's address.
        congestion_control: the kernel's name; empty if the flow sets none.
        expected_control: the congestion control that its sender must have; empty if the kernel chooses it, or if it is
            unknown.
        expected_by: the part of the topology that sets it, for people ("link l1 at h1").
        start_s, duration_s: seconds, from the start of all flows.
        size_bytes: the amount of data that it sends.
        drawn_rtt_ms: the configured delays of its path in both directions, by the kernels' routes before the flows;
            None if unknown.
        rtt_low_ms, rtt_high_ms: the bounds for the least of a few pings, which allow for jitter and for the machine.
        paced_by: the configured pacer of its packets at the source ("fq"); empty for TCP itself.
        interface, qdiscs: the interface of the source by which they left, and the kinds of its qdiscs, the root first.
        kind: the kind of its traffic ("bulk", "voip").
        transport: "tcp", "udp", "icmp", or empty for a command.
        settings: the settings of its traffic, by name.
        streams: the number of parallel connections.
        asked_by: the end that connected or sent first: "source" or "destination".
        dscp, ecn: class of its packets, and whether it requested marks; None for the host's default.
        colour: its color in figures; empty for an automatic one.
        port, source_port: ports of its data connection, at the destination and at the source; 0 if unknown.
        path: its path before and after the flows; None if there are several or it changed, and in older folders.
    """

    id: str
    source: str = ""
    destination: str = ""
    address: str = ""
    congestion_control: str = ""
    expected_control: str = ""
    expected_by: str = ""
    start_s: float = 0.0
    duration_s: float = 0.0
    size_bytes: int = 0
    drawn_rtt_ms: float | None = None
    rtt_low_ms: float = 0.0
    rtt_high_ms: float = 0.0
    paced_by: str = ""
    interface: str = ""
    qdiscs: tuple[str, ...] = ()
    kind: str = "bulk"
    transport: str = "tcp"
    settings: dict[str, Any] = Field(default_factory=dict)
    streams: int = Field(default=1, ge=1, le=_MOST_STREAMS)
    asked_by: str = "source"
    dscp: int | None = None
    ecn: bool | None = None
    colour: str = ""
    port: int = 0
    source_port: int = 0
    path: FlowPath | None = None

    @property
    def is_sampled(self) -> bool:
        """Whether it has TCP connections with ports known in advance, which can be sampled."""
        is_known = self.kind in ("bulk", "on-off", "request-response", "video")
        return is_known and self.transport == "tcp" and self.settings.get("connection") != "new"

    @property
    def control(self) -> str:
        """The planned congestion control, by any of its settings; empty for the kernel's default."""
        return self.expected_control or self.congestion_control


class QueueInfo(_Record):
    """The facts about a sampled queue.

    Attributes:
        rate_mbit, limit_bytes: its rate and its limit; None for unlimited or unknown.
        discipline: the qdisc's name ("fq_codel"); empty for a plain FIFO.
        limit_packets: its limit in packets; None if it does not count packets.
        frame_bytes: the longest frame in it; 0 if unknown, and then neither rate nor limit can be judged.
        accounting: the bytes that its shaper counts for a frame.
        is_exact: whether a queue that is not empty drains at the rate, counted by `accounting`. It does not if its
            packets also wait for their pacing.
        counts: the unit of the limit: "packets" or "bytes" of a queue with pure tail drop; empty for a discipline that
            drops earlier, or has another unit.
        burst_bytes: the maximum that leaves at line rate after an idle moment; 0 in older folders.
        interface: its interface, as "NODE:INTERFACE"; empty in older folders.
    """

    rate_mbit: float | None = None
    limit_bytes: float | None = None
    discipline: str = ""
    limit_packets: int | None = None
    frame_bytes: int = 0
    accounting: FrameSizeRules = PLAIN
    is_exact: bool = False
    counts: Literal["packets", "bytes", ""] = ""
    burst_bytes: int = 0
    interface: str = ""


class CableInfo(_Record):
    """The configured loss of a link in one direction.

    Attributes:
        loss_percent: the mean loss.
        likeness: the correlation between the losses of successive packets; see `frrlib.model.chance`.
        duplicate_percent: the share of packets that arrive twice.
    """

    loss_percent: float = 0.0
    likeness: float = 0.0
    duplicate_percent: float = 0.0


class PingInfo(_Record):
    """Pings before the flows, with nothing else on the path.

    Attributes:
        source: the node that pinged.
        destination: the node that was pinged; may be empty.
        address: the address that was pinged.
        sent, received: the number of requests, and of requests with a reply.
        duplicates: the number of further replies to the same request; None in folders that do not count them.
        ttl: TTL of each reply.
        rtt_ms: round-trip time of each reply.
    """

    source: str
    address: str
    destination: str = ""
    sent: int = 0
    received: int = 0
    duplicates: int | None = None
    ttl: tuple[int, ...] = ()
    rtt_ms: tuple[float, ...] = ()


class CaptureInfo(_Record):
    """Packets captured at an interface.

    Attributes:
        file: its path, relative to the results folder.
        captured, dropped: the number of packets in it, and of packets lost because the machine was too slow; None if
            unknown.
    """

    file: str
    captured: int | None = None
    dropped: int | None = None


class StepInfo(_Record):
    """A step of the run and its duration; None until it ends, or if its start is unknown."""

    name: str
    state: str
    seconds: float | None = None


class RunInfo(_Record):
    """The contents of `run.json`.

    Attributes:
        format_version: see `FORMAT_VERSION`.
        status: "running" until the run ends; then "finished", "failed" or "interrupted".
        title: a few words for people; empty for none.
        started, finished: ISO 8601 with time zone; `finished` is empty while it runs.
        settings: the settings of the run, as given.
        place: name of the place in which it ran; `place_reason` has the reason for its choice.
        facts: kernel, versions of FRR and of tools, by name.
        flows, queues, cables, pings: the planned flows, and the configuration and pings before them; queues and cables
            by direction.
        counters: by sending node, the growth of the counters of its kernel's TCP while flows ran.
        queue_drops: by direction, the drops of its queue by the kernel's own counter: at the end of the flows and after
            the last sample.
        captures: the captures by "NODE:INTERFACE".
        zero_time_s: the lab's clock at the start of all flows; None if unknown.
        zero_unix_s: the lab's time of day then, in seconds since 1970, as in captures; None if unknown.
        steps: in the order of their starts.
        failures: one message each; empty without failures.
    """

    format_version: int = FORMAT_VERSION
    status: Status = "running"
    title: str = ""
    started: str = ""
    finished: str = ""
    settings: dict[str, Any] = Field(default_factory=dict)
    place: str = ""
    place_reason: str = ""
    facts: dict[str, Any] = Field(default_factory=dict)
    flows: tuple[FlowInfo, ...] = ()
    queues: dict[str, QueueInfo] = Field(default_factory=dict)
    cables: dict[str, CableInfo] = Field(default_factory=dict)
    pings: tuple[PingInfo, ...] = ()
    counters: dict[str, dict[str, int]] = Field(default_factory=dict)
    queue_drops: dict[str, tuple[int, int]] = Field(default_factory=dict)
    captures: dict[str, CaptureInfo] = Field(default_factory=dict)
    zero_time_s: float | None = None
    zero_unix_s: float | None = None
    steps: tuple[StepInfo, ...] = ()
    failures: tuple[str, ...] = ()


def read_bytes(path: Path) -> bytes:
    """The content of a file other than a table. Raises OSError, also if it is larger than any file of a run."""
    return untrusted_files.read_bytes(path, _LARGEST_BYTES)


def read_json(path: Path, *, plain: bool = False) -> Any:
    """The contents of a JSON file. With `plain`, control characters are removed from its texts.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not JSON, has a number that is too long, or is nested too deeply.
    """
    data = read_bytes(path)
    try:
        return json.loads(plain_json(data) if plain else data, parse_int=_whole)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError("it has a number that is too long")
    return int(digits)


def json_text(value: object) -> str:
    """The value as indented JSON. Paths, addresses and dates become texts."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="python")
    return json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n"


def table_path(folder: Path, table: str) -> Path:
    """The path of the samples of a table ("tcp", "queue")."""
    return folder / SAMPLES / f"{table}.csv"


def is_results_folder(folder: Path) -> bool:
    """Whether a folder is a results folder, even an incomplete one."""
    try:
        content = read_json(folder / RUN)
    except (OSError, ValueError):
        return _has_samples(folder)
    return isinstance(content, Mapping) and "format_version" in content


def _has_samples(folder: Path) -> bool:
    try:
        with untrusted_files.open_file(table_path(folder, "tcp")) as file:
            return file.readline(1000).startswith(b"time_s,flow,")
    except OSError:
        return False


def file_name(name: str) -> str:
    """The name of a flow or daemon as part of a file name, shortened if necessary."""
    plain = re.sub(r"[^\w.+-]", "_", name).lstrip(".") or "_"
    if len(plain.encode()) <= _NAME_BYTES:
        return plain
    return f"{plain[: _NAME_BYTES // 8]}-{hashlib.sha256(plain.encode()).hexdigest()[:16]}"


def find_results(below: Path) -> list[Path]:
    """The results folders at and below a folder, sorted by path; links to folders are not followed."""
    return sorted(folder for at, _, _ in os.walk(below) if is_results_folder(folder := Path(at)))


def protect(folder: Path) -> None:
    """Make the files of an ended run read-only.

    Its folders stay writable, so that its owner can rename and remove them, write notes, and make summary and figures
    again. The files of the lab (`FILES`) are not changed, because a lab that still runs may write there.
    """
    inside = (path for name in KEPT_FOLDERS for path in (folder / name).glob("*"))
    for path in (*(folder / name for name in KEPT_FILES), *inside):
        with suppress(OSError):  # a missing file, or a file system without modes
            if path.is_file() and not path.is_symlink():
                path.chmod(0o444)
