"""The layout of a results folder: the names in it, its version, and the contents of `run.json`.

A folder outlives the program that wrote it. So everything needed to draw its figure again is in it (rates and queue
limits too, not only the topology that they come from), tables are plain CSV with units in the names of columns, and
readers ask for no more than is there.
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
from frrlib.model.frames import PLAIN, FrameAccounting
from frrlib.safe_text.plain import plain_json
from frrlib.system import untrusted_files

#: Version of the folder's format. A reader takes every version up to its own and refuses a newer one.
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
SUMMARY = "summary.json"
FIGURES = ("figure.png", "figure.pdf")
#: What somebody wrote about the run; theirs, so that nothing of ours ever removes it.
NOTES = "notes.txt"

#: Everything that a run leaves in its folder, and so all that overwriting a run may remove.
#: Room that is kept free while a run goes on, so that on a full disk `run.json` can still say how it ended.
RESERVE, RESERVE_BYTES = ".reserve", 64 << 10
OUR_FILES = (RUN, TOPOLOGY, README, EVENTS, LOG, SUMMARY, RESERVE, *FIGURES)
OUR_FOLDERS = (SAMPLES, FLOWS, LOGS, FILES, CAPTURES)
#: What a run measured, and therefore read-only once it has ended. Summary and figures can be made again from it.
KEPT_FILES = (RUN, TOPOLOGY, README, EVENTS, LOG)
KEPT_FOLDERS = (SAMPLES, FLOWS, LOGS, CAPTURES, CONFIGS)

#: The most that a name may have that becomes part of a file's: other systems allow 143 at least.
_NAME_BYTES = 120
#: The most parallel connections that a flow can be drawn with.
_MOST_STREAMS = 128
#: No file but a table is larger, and no number has more digits: it could not become a float.
_LARGEST_BYTES, _MOST_DIGITS = 256 << 20, 300

#: Columns of events.csv. `time_s` counts from the start of all flows, `lab_time_s` is the lab's own clock (of a
#: step: its taker's clock, so only differences between steps of one source mean anything). A row has the one
#: that its source knows.
EVENT_COLUMNS = ("time_s", "lab_time_s", "kind", "subject", "what", "text", "detail")
#: Those of them that format 1 did not have.
LATER_EVENT_COLUMNS = frozenset({"detail"})

#: Columns of the tables that hold text; all others hold numbers.
TEXT_COLUMNS = wire.TEXT_COLUMNS | frozenset(EVENT_COLUMNS[2:])

#: Sample tables that folders may lack: earlier formats had none of them, and a flow writes only its own.
LATER_TABLES = frozenset({"cable", "cpu", "aqm", "interface", "app", "datagram", "probe"})
#: Columns that tables of earlier formats lack, by table.
LATER_COLUMNS = {"tcp": frozenset(wire.LATER_TCP)}

Status = Literal["running", "finished", "failed", "interrupted", "killed"]

README_TEXT = f"""\
Results of one run of a lab.

{RUN}          how the run went (status), its settings, versions of kernel, FRR and tools, what was planned
{TOPOLOGY}      the topology, exactly as it was given
{SAMPLES}/tcp.csv    samples of every TCP connection, at both ends
{SAMPLES}/queue.csv  samples of every queue
{SAMPLES}/cable.csv  what each cable with delay or loss has sent and lost, once a second
{SAMPLES}/cpu.csv    seconds that the processors worked, were idle, or were taken by a hypervisor, once a second
{SAMPLES}/aqm.csv, interface.csv    what disciplines and interfaces count of themselves
{SAMPLES}/app.csv, datagram.csv, probe.csv    what flows tell that are not plain TCP
{EVENTS}        what happened: steps, flows, faults, neighbours, routes, daemons
{FLOWS}/            the sending tool's own report on each flow
{LOGS}/, {LOG}    logs of the daemons, and of the run
{FILES}/            files that the lab wrote
{CAPTURES}/         headers of packets at interfaces that were asked for (pcap, times of the lab's clock of day)
{SUMMARY}, {", ".join(FIGURES)}    made from the above, and can be made again
{NOTES}        what somebody wrote about it, if anybody did

Once the run has ended its files are read-only and never change; {FILES}/ belongs to the lab, which may write there as
long as it runs; {SUMMARY}, figures and {NOTES} may be made again.

Units are in the names of columns; time_s counts from the start of all flows; an empty cell is a value not known.
With pandas: pandas.read_csv("{SAMPLES}/tcp.csv")
"""


class ResultsError(LabError):
    """A results folder cannot be made or opened.

    Args:
        folder: the folder.
        why: what is wrong with it, as a clause ("is not empty").
        right: what would be right, empty where that is obvious.
    """

    def __init__(self, folder: Path, why: str, right: str = "") -> None:
        self.folder, self.why, self.right = folder, why, right
        text = f"results folder {folder}: {why}"
        super().__init__(f"{text}; {right}" if right else text)

    def __reduce__(self) -> tuple[Any, ...]:
        # A process that reads runs for another one tells it so; by itself an error is made again from its message.
        return type(self), (self.folder, self.why, self.right)


class _Record(BaseModel):
    """A frozen part of `run.json`; unknown keys are passed over, so a later version may add some."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class FlowPath(_Record):
    """The path of a flow, recorded only where its packets can take no other one.

    Attributes:
        forward, reverse: the directions of links that its data pass, in order, and those that its acknowledgments pass
            ("l1:h1-r1").
        base_rtt_ms: the round trip of a full frame and its acknowledgment through empty queues: the delays both ways,
            and the time to send each at the rates of the links; None where the delays of the path are not certain.
        jitter_ms: the most that jitter adds to it, both ways together.
    """

    forward: tuple[str, ...] = ()
    reverse: tuple[str, ...] = ()
    base_rtt_ms: float | None = None
    jitter_ms: float = 0.0


class FlowInfo(_Record):
    """A flow as it was planned; 0 stands for "not limited by this" in `duration_s` and `size_bytes`.

    Attributes:
        id: the flow's id, as in the samples.
        source, destination: names of nodes; data goes from source to destination.
        address: the destination's address.
        congestion_control: the kernel's name; empty where the flow asks for none.
        expected_control: the one that its sender must have; empty where that is up to the kernel, or not known.
        expected_by: who says so, for people ("link l1 at h1").
        start_s, duration_s: seconds, from the start of all flows.
        size_bytes: how much it sends.
        drawn_rtt_ms: the drawn delays of its path there and back, as the kernels' tables had it before the flows; None
            where that is not known.
        rtt_low_ms, rtt_high_ms: between what the least of a few pings must be, by jitter and by what the machine adds.
        paced_by: what is drawn to space out its packets where they leave ("fq"); empty for TCP itself.
        interface, qdiscs: by which they left the source, and the kinds of qdiscs that were there, the root's first.
        kind: of its traffic ("bulk", "voip").
        transport: "tcp", "udp", "icmp", or empty for whatever a command did.
        settings: of its traffic, by name.
        streams: parallel connections.
        asked_by: who connected or sent first: "source" or "destination".
        dscp, ecn: class of its packets, and whether it asked for marks; None for what the host does.
        colour: in figures; empty for one that is chosen.
        port, source_port: of its data connection, at the destination and at the source; 0 where that is not known.
        path: its path before and after the flows; None where there are several, where it changed, or in older folders.
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
        """Whether it has connections of TCP whose ports were known before, so that they could be sampled."""
        is_known = self.kind in ("bulk", "on-off", "request-response", "video")
        return is_known and self.transport == "tcp" and self.settings.get("connection") != "new"

    @property
    def control(self) -> str:
        """The congestion control planned for it, by any of its settings; empty for the kernel's."""
        return self.expected_control or self.congestion_control


class QueueInfo(_Record):
    """The facts about a sampled queue.

    Attributes:
        rate_mbit, limit_bytes: its rate and its limit; None for unlimited or not known.
        discipline: the qdisc's name ("fq_codel"); empty for a plain one.
        limit_packets: its limit where it counts packets; None where it does not.
        frame_bytes: the longest frame that it gets; 0 for not known, and then neither rate nor limit can be judged.
        accounting: how its shaper counts a frame.
        is_exact: whether a queue that is not empty leaves at the rate, counted by `accounting`: not where packets wait
            in it for their pace.
        counts: what exactly the limit counts: "packets" or "bytes" of a queue that drops at its end and only there;
            empty for a discipline that drops earlier, or counts otherwise.
        burst_bytes: the most that leaves at line rate after an idle moment; 0 in older folders.
        interface: its place, as "NODE:INTERFACE"; empty in older folders.
    """

    rate_mbit: float | None = None
    limit_bytes: float | None = None
    discipline: str = ""
    limit_packets: int | None = None
    frame_bytes: int = 0
    accounting: FrameAccounting = PLAIN
    is_exact: bool = False
    counts: Literal["packets", "bytes", ""] = ""
    burst_bytes: int = 0
    interface: str = ""


class CableInfo(_Record):
    """The drawn loss of a cable, in one direction.

    Attributes:
        loss_percent: in the long run.
        likeness: how much a packet's fate resembles that of the one before; see `frrlib.model.chance`.
        duplicate_percent: packets that arrive twice.
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
        sent, received: how many requests were sent, and answered.
        duplicates: further answers to requests that were answered before; None in folders that do not count them.
        ttl: TTL of each answer.
        rtt_ms: round-trip time of each answer.
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
    """Packets that were kept at an interface.

    Attributes:
        file: where, relative to the results folder.
        captured, dropped: how many are in it, and how many the machine was too slow for; None where that is not known.
    """

    file: str
    captured: int | None = None
    dropped: int | None = None


class StepInfo(_Record):
    """A step of the run and how long it took; None while it goes on, or if its start is not known."""

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
        settings: what the run was told, as given.
        place: name of the place that it ran in; `place_reason` says why there.
        facts: kernel, versions of FRR and of tools; names and values as they came.
        flows, queues, cables, pings: what was planned and found before the flows; queues and cables by direction.
        counters: node that sends to counters of its kernel's TCP, by how much they grew while flows ran.
        queue_drops: direction to the drops of its queue by the kernel's own counter, when the flows had ended and after
            the last sample.
        captures: "NODE:INTERFACE" to what was captured there.
        zero_time_s: the lab's clock at the start of all flows; None where it is not known.
        zero_unix_s: the lab's time of day then, in seconds since 1970, which captures have; None where it is not known.
        steps: in the order in which they began.
        failures: one message each; empty when all went well.
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
    """The content of a file that is no table. Raises OSError, also where it is larger than any of ours."""
    return untrusted_files.read_bytes(path, _LARGEST_BYTES)


def read_json(path: Path, *, plain: bool = False) -> Any:
    """The contents of a JSON file; with `plain` its texts are harmless for a program that shows them.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no JSON, or has numbers or a depth that nobody means.
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
    """The value as indented JSON; what JSON has no word for (paths, addresses, dates) becomes its text."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="python")
    return json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n"


def table_path(folder: Path, table: str) -> Path:
    """The path of the samples of a table ("tcp", "queue")."""
    return folder / SAMPLES / f"{table}.csv"


def is_results_folder(folder: Path) -> bool:
    """Whether a folder is one of ours, whole or in part."""
    try:
        said = read_json(folder / RUN)
    except (OSError, ValueError):
        return _has_samples(folder)
    return isinstance(said, Mapping) and "format_version" in said


def _has_samples(folder: Path) -> bool:
    try:
        with untrusted_files.open_file(table_path(folder, "tcp")) as file:
            return file.readline(1000).startswith(b"time_s,flow,")
    except OSError:
        return False


def file_name(name: str) -> str:
    """The name of a flow or daemon as part of a file's name, which is not too long for one."""
    plain = re.sub(r"[^\w.+-]", "_", name).lstrip(".") or "_"
    if len(plain.encode()) <= _NAME_BYTES:
        return plain
    return f"{plain[: _NAME_BYTES // 8]}-{hashlib.sha256(plain.encode()).hexdigest()[:16]}"


def find_results(below: Path) -> list[Path]:
    """The results folders at and below a folder, sorted by path; links to folders are not followed."""
    return sorted(folder for at, _, _ in os.walk(below) if is_results_folder(folder := Path(at)))


def protect(folder: Path) -> None:
    """Make the files of a run that has ended read-only.

    Its folders stay writable, so that its owner can rename and remove them, write notes, and make summary and figures
    again. The files of the lab (`FILES`) are left as they are: a lab that still runs may go on writing there.
    """
    inside = (path for name in KEPT_FOLDERS for path in (folder / name).glob("*"))
    for path in (*(folder / name for name in KEPT_FILES), *inside):
        with suppress(OSError):  # never written, or on a file system without modes
            if path.is_file() and not path.is_symlink():
                path.chmod(0o444)
