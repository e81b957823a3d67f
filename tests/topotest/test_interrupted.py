"""`miniedit-frr topotest` leaves neither processes nor folders behind, even if it is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import gone
from tests.waiting import PATIENCE_S, wait_for

SUITE = Path(__file__).parent / "suite"


def child(parent: int) -> tuple[int, Path] | None:
    """The process ID of the pytest that a process has started, and its folder of logs."""
    for path in Path(f"/proc/{parent}/task").glob("*/children"):
        for number in path.read_text().split():
            words = Path(f"/proc/{number}/cmdline").read_text().split("\0")
            folder = next((word.partition("=")[2] for word in words if word.startswith("--topotest-folder=")), "")
            if folder:
                return int(number), Path(folder)
    return None


@pytest.mark.lab
@pytest.mark.parametrize(
    ("signal_number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)],
    ids=["interrupted", "terminated", "killed"],
)
def test_nothing_stays_behind(signal_number: signal.Signals, status: int) -> None:
    words = [sys.executable, "-m", "miniedit_frr", "topotest", str(SUITE / "ospf_triangle")]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        number, folder = wait_for(lambda: child(process.pid), "the pytest that runs the directory")
        wait_for(lambda: (folder / "test_ospf_triangle" / "r3" / "ospfd.log").exists(), "r3's ospfd")
        process.send_signal(signal_number)
        _, error_output = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == status
    assert ("its lab has ended" in error_output) is (signal_number == signal.SIGINT)
    assert gone({number})
    assert not folder.exists()
