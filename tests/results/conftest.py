"""Results folders written line by line, without the program's own writer, for independent tests of the reader."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

TCP = "time_s,flow,side,state,cwnd_packets,srtt_ms,min_rtt_ms,bytes_received,retransmits,congestion_control"
QUEUE = "time_s,direction,backlog_bytes,sent_bytes,drops"
EVENTS = "time_s,lab_time_s,kind,subject,what,text"

Make = Callable[..., Path]


def _rows(table: Iterable[Iterable[Any]]) -> str:
    return "".join(",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in table)


def sender(time_s: float, flow: str, cwnd: float, srtt: float, low: float, again: int, control: str) -> tuple[Any, ...]:
    """A row of samples of a sending end."""
    return (time_s, flow, "sender", "ESTAB", cwnd, srtt, low, None, again, control)


def receiver(time_s: float, flow: str, received: float) -> tuple[Any, ...]:
    """A row of samples of a receiving end."""
    return (time_s, flow, "receiver", "ESTAB", None, None, None, received, None, "cubic")


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A function that writes a results folder from rows and returns its path."""
    return make_below(tmp_path)


def make_below(below: Path) -> Make:
    """A function that writes results folders below a folder."""

    def write(
        tcp: Iterable[Iterable[Any]] = (),
        queue: Iterable[Iterable[Any]] = (),
        events: Iterable[Iterable[Any]] = (),
        name: str = "run",
        **info: Any,
    ) -> Path:
        folder = below / name
        (folder / "samples").mkdir(parents=True)
        run_info: Mapping[str, Any] = {"format_version": 1, "status": "finished", **info}
        (folder / "run.json").write_text(json.dumps(run_info))
        (folder / "topology.mn").write_text("{}\n")
        (folder / "samples/tcp.csv").write_text(TCP + "\n" + _rows(tcp))
        (folder / "samples/queue.csv").write_text(QUEUE + "\n" + _rows(queue))
        (folder / "events.csv").write_text(EVENTS + "\n" + _rows(events))
        return folder

    return write


@pytest.fixture
def two_flows(make: Make) -> Path:
    """BBR from 0 s to 4 s, then CUBIC from 5 s to 9 s, over a queue of 10 Mbit/s and 100 kB.

    BBR delivers 0.25 MB in its first second and 1 MB in each later one; CUBIC delivers 1 MB a second throughout. BBR's
    smoothed RTT is 41 ms but for one sample of 90 ms; CUBIC's rises from 40 ms by 1 ms a sample, 401 samples.
    """
    tcp = []
    for i in range(401):
        t = i / 100
        delivered = 250_000 * t if t <= 1 else 250_000 + 1_000_000 * (t - 1)
        tcp.append(sender(t, "first", 33, 90 if i == 20 else 41, 40.5, 0, "bbr"))
        tcp.append(receiver(t, "first", 37 + delivered if i else 37))
        tcp.append(sender(5 + t, "second", 100 + i, 40 + i, 40, i // 100, "cubic"))
        tcp.append(receiver(5 + t, "second", 37 + 1_000_000 * t if i else 37))
    queue = [(i / 10, "l1:r1-r2", 100_000 if i == 70 else 1000, 62_500 * i, 7 * (i >= 70)) for i in range(95)]
    flows = [
        {"id": "first", "source": "h1", "destination": "h2", "address": "10.0.0.2", "congestion_control": "bbr",
         "start_s": 0.0, "duration_s": 4.0},
        {"id": "second", "source": "h1", "destination": "h2", "address": "10.0.0.2", "congestion_control": "cubic",
         "start_s": 5.0, "duration_s": 4.0},
    ]  # fmt: skip
    events = [
        (-0.1, None, "flow", "first", "start", ""),
        (4.3, None, "flow", "first", "end", ""),
        (4.9, None, "flow", "second", "start", ""),
        (9.3, None, "flow", "second", "end", ""),
        (None, 106.5, "fault", "l1", "down", ""),
    ]
    return make(
        tcp, queue, events,
        title="One after the other", place="namespace", zero_time_s=100.0, facts={"kernel": "6.1.0"}, flows=flows,
        queues={"l1:r1-r2": {"rate_mbit": 10.0, "limit_bytes": 100_000}},
        pings=[{"source": "h1", "destination": "h2", "address": "10.0.0.2", "sent": 3, "received": 3,
                "ttl": [62, 62, 62], "rtt_ms": [44.0, 40.2, 40.4]}],
    )  # fmt: skip
