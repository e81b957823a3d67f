"""The findings about FIFO queues, for captures written byte by byte with delays computed by hand."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from frrlib.results.verdict.finding import Finding
from tests.results.captured import CapturedPacket, write_capture
from tests.results.test_verdict import FILLS, STORED, alter, change_run_info, summary_of
from tests.results.test_verdict_paths import PATHS

PACKETS, PAYLOAD = 100, 1448
FRAME = 14 + 20 + 32 + PAYLOAD
#: A full frame at 10 Mbit/s.
FRAME_S = FRAME * 8 / 10e6
BEFORE, BEHIND = "r1:r1-eth0", "r1:r1-eth1"


def _packet(number: int, time_s: float) -> CapturedPacket:
    return CapturedPacket(1000 + time_s, "a", sequence=1 + number * PAYLOAD, payload_bytes=PAYLOAD, stamp=1, echo=1)


def _wait_s(number: int) -> float:
    """The wait of packets that arrive together: three leave at once, and each other one a frame later."""
    return max(0, number - 2) * FRAME_S


def _run(
    folder: Path, wait_s: Callable[[int], float], *, is_virtual: bool = True, sent: int = PACKETS
) -> list[Finding]:
    """The rows about FIFOs of a run whose packets all arrive after a second and then wait."""
    shutil.copytree(STORED, folder)
    (folder / "captures").mkdir()
    write_capture(folder / "captures/before.pcap", [_packet(n, 1.0) for n in range(PACKETS)])
    write_capture(folder / "captures/behind.pcap", [_packet(n, 1.0 + wait_s(n)) for n in range(PACKETS)])

    def change(run: dict[str, Any]) -> None:
        run["flows"] = [{**run["flows"][0], "path": PATHS["fills"], "address": "10.0.0.2", "port": 2000}]
        run["queues"][FILLS].update(burst_bytes=3 * FRAME, interface=BEHIND)
        files = {BEFORE: "captures/before.pcap", BEHIND: "captures/behind.pcap"}
        run["captures"] = {name: {"file": file, "captured": PACKETS, "dropped": 0} for name, file in files.items()}
        run.update(zero_unix_s=1000.0)
        run["settings"]["virtual_time"] = is_virtual

    change_run_info(folder, change)
    alter(folder, "queue", lambda row: row.update(sent_bytes=0 if float(row["time_s"]) < 0.9 else sent * FRAME))
    return [row for row in summary_of(folder).findings if row.what == "FIFO"]


def test_the_delays_of_an_ideal_fifo_are_exact(tmp_path: Path) -> None:
    (row,) = _run(tmp_path / "run", _wait_s)
    assert (row.subject, row.severity, row.measured, row.high) == (FILLS, "ok", 0.0, 0.0)


@pytest.mark.parametrize("sign", [1, -1])
def test_each_packet_with_a_different_delay_counts(tmp_path: Path, sign: int) -> None:
    """The last ten wait a frame and a half longer or shorter; half a frame is within the tolerance."""
    (row,) = _run(
        tmp_path / "run", lambda n: _wait_s(n) + sign * (1.5 * FRAME_S if n >= 90 else 0.5 * FRAME_S * (n > 9))
    )
    assert row.severity == "wrong" and row.measured == pytest.approx(10)
    assert f"10 of 100 packets of {FILLS}" in row.message


@pytest.mark.parametrize(("late", "severity"), [(3, "ok"), (20, "doubt"), (80, "wrong")])
def test_a_machine_in_real_time_may_send_some_packets_late(tmp_path: Path, late: int, severity: str) -> None:
    """Each of the last packets leaves two frames later than it could after the one before."""
    (row,) = _run(
        tmp_path / "run", lambda n: _wait_s(n) + 2 * FRAME_S * max(0, n + 1 + late - PACKETS), is_virtual=False
    )
    assert row.measured == pytest.approx(late)
    assert (row.severity, row.high) == (severity, 5)


def test_a_stop_of_the_machine_counts_only_for_the_delayed_packet(tmp_path: Path) -> None:
    (row,) = _run(tmp_path / "run", lambda n: _wait_s(n) + 2 * FRAME_S * (n >= 50), is_virtual=False)
    assert (row.measured, row.severity) == (pytest.approx(1), "ok")


def test_without_all_packets_there_is_no_finding(tmp_path: Path) -> None:
    assert _run(tmp_path / "run", _wait_s, sent=PACKETS + 2) == []


def test_a_different_rate_is_detected(tmp_path: Path) -> None:
    (row,) = _run(tmp_path / "run", lambda n: 1.1 * _wait_s(n))
    assert row.severity == "wrong"


@pytest.mark.parametrize("content", [b"", b"no capture", None])
def test_without_a_readable_capture_there_is_no_finding(tmp_path: Path, content: bytes | None) -> None:
    folder = tmp_path / "run"
    assert len(_run(folder, _wait_s)) == 1
    path = folder / "captures/before.pcap"
    path.write_bytes(path.read_bytes()[:-10] if content is None else content)
    assert [row for row in summary_of(folder).findings if row.what == "FIFO"] == []
