"""What a results folder looks like: the names in it, its version, and what `run.json` says.

A folder outlives the program that wrote it. So everything needed to draw its figure again is in it (rates and queue
limits too, not only the topology that they come from), tables are plain CSV with units in the names of columns, and
whoever reads asks for no more than is there.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from frrlib.errors import LabError

#: Version of the folder's format. A reader takes every version up to its own and refuses a newer one.
FORMAT_VERSION = 1

RUN = "run.json"
TOPOLOGY = "topology.mn"
README = "README.txt"
EVENTS = "events.csv"
LOG = "log.txt"
SAMPLES = "samples"
FLOWS = "flows"
LOGS = "logs"
FILES = "files"
SUMMARY = "summary.json"
FIGURES = ("figure.png", "figure.pdf")

#: Everything that a run leaves in its folder, and so all that overwriting a run may remove.
OUR_FILES = (RUN, TOPOLOGY, README, EVENTS, LOG, SUMMARY, *FIGURES)
OUR_FOLDERS = (SAMPLES, FLOWS, LOGS, FILES)

#: Columns of events.csv. `time_s` counts from the start of all flows, `lab_time_s` is the lab's own clock (of a
#: step: the clock of whoever took it, so only differences between steps of one source mean anything). A row has the one
#: that its source knows.
EVENT_COLUMNS = ("time_s", "lab_time_s", "kind", "subject", "what", "text")

#: Columns of the tables that hold text; all others hold numbers.
TEXT_COLUMNS = frozenset({"flow", "side", "state", "congestion_control", "direction", *EVENT_COLUMNS[2:]})

Status = Literal["running", "finished", "failed", "interrupted", "killed"]

README_TEXT = f"""\
Results of one run of a lab.

{RUN}          how the run went (status), its settings, versions of kernel, FRR and tools, what was planned
{TOPOLOGY}      the topology, exactly as it was given
{SAMPLES}/tcp.csv    samples of every TCP connection, at both ends
{SAMPLES}/queue.csv  samples of every queue
{EVENTS}        what happened: steps, flows, routes, daemons
{FLOWS}/            the sending tool's own report on each flow
{LOGS}/, {LOG}    logs of the daemons, and of the run
{FILES}/            files that the lab wrote
{SUMMARY}, {", ".join(FIGURES)}    made from the above, and can be made again

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


class _Record(BaseModel):
    """A frozen part of `run.json`; unknown keys are passed over, so a later version may add some."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class FlowInfo(_Record):
    """A flow as it was planned; 0 stands for "not limited by this" in `duration_s` and `size_bytes`.

    Attributes:
        id: the flow's id, as in the samples.
        source, destination: names of nodes; data goes from source to destination.
        address: the destination's address.
        congestion_control: the kernel's name.
        start_s, duration_s: seconds, from the start of all flows.
        size_bytes: how much it sends.
    """

    id: str
    source: str = ""
    destination: str = ""
    address: str = ""
    congestion_control: str = ""
    start_s: float = 0.0
    duration_s: float = 0.0
    size_bytes: int = 0


class QueueInfo(_Record):
    """What is known of a sampled queue: its rate in Mbit/s and its limit in bytes; None for unlimited or not known."""

    rate_mbit: float | None = None
    limit_bytes: float | None = None


class PingInfo(_Record):
    """Pings before the flows, with nothing else on the path.

    Attributes:
        source: the node that pinged.
        destination: the node that was pinged; may be empty.
        address: the address that was pinged.
        sent, received: how many requests were sent, and answered.
        ttl: TTL of each answer.
        rtt_ms: round-trip time of each answer.
    """

    source: str
    address: str
    destination: str = ""
    sent: int = 0
    received: int = 0
    ttl: tuple[int, ...] = ()
    rtt_ms: tuple[float, ...] = ()


class StepInfo(_Record):
    """A step of the run and how long it took; None while it goes on, or if its start is not known."""

    name: str
    state: str
    seconds: float | None = None


class RunInfo(_Record):
    """What `run.json` says.

    Attributes:
        format_version: see `FORMAT_VERSION`.
        status: "running" until the run ends; then "finished", "failed" or "interrupted".
        title: a few words for people; empty for none.
        started, finished: ISO 8601 with time zone; `finished` is empty while it runs.
        settings: what the run was told, as given.
        place: name of the place that it ran in; `place_reason` says why there.
        facts: kernel, versions of FRR and of tools; names and values as they came.
        flows, queues, pings: what was planned and found before the flows; queues by direction.
        zero_time_s: the lab's clock at the start of all flows; None where it is not known.
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
    pings: tuple[PingInfo, ...] = ()
    zero_time_s: float | None = None
    steps: tuple[StepInfo, ...] = ()
    failures: tuple[str, ...] = ()


def json_text(value: object) -> str:
    """The value as indented JSON; what JSON has no word for (paths, addresses, dates) becomes its text."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="python")
    return json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n"


def replace_text(path: Path, text: str) -> None:
    """Write a file so that whoever reads it finds the old text or the new one, never a part."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8", newline="")
    os.replace(beside, path)


def table_path(folder: Path, table: str) -> Path:
    """Where the samples of a table ("tcp", "queue") are."""
    return folder / SAMPLES / f"{table}.csv"


def is_results_folder(folder: Path) -> bool:
    """Whether a folder is one of ours, whole or in part."""
    try:
        said = json.loads((folder / RUN).read_text("utf-8"))
    except (OSError, ValueError):
        return _has_samples(folder)
    return isinstance(said, Mapping) and "format_version" in said


def _has_samples(folder: Path) -> bool:
    try:
        with table_path(folder, "tcp").open("rb") as file:
            return file.readline(1000).startswith(b"time_s,flow,")
    except OSError:
        return False


def file_name(name: str) -> str:
    """The name of a flow or daemon as part of a file's name."""
    return re.sub(r"[^\w.+-]", "_", name).lstrip(".") or "_"


def find_results(below: Path) -> list[Path]:
    """The results folders at and below a folder, sorted by path; links to folders are not followed."""
    return sorted(folder for at, _, _ in os.walk(below) if is_results_folder(folder := Path(at)))
