"""Programs that compute in virtual time are told from those that a tick of the clock wakes up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from frrlib.agent.virtual_channel import BusyProcesses

TICKS = os.sysconf("SC_CLK_TCK")


def write_times(proc: Path, all_s: float, **process_s: float) -> None:
    """The counts of the proc file system: user time of all processes, and of each by its name."""
    (proc / "stat").write_text(f"cpu  {int(all_s * TICKS)} 0 0 0 0 0 0 0 0 0\n", encoding="utf-8")
    for pid, (name, seconds) in enumerate(process_s.items(), start=7):
        folder = proc / str(pid)
        folder.mkdir(exist_ok=True)
        words = f"{pid} ({name} (x)) R 1 1 1 0 -1 4194304 0 0 0 0 {int(seconds * TICKS)} 0 0 0 20 0 1 0 5"
        (folder / "stat").write_text(words, encoding="utf-8")
        (folder / "cmdline").write_text(f"{name}\0-v\0", encoding="utf-8")


@pytest.mark.parametrize(("spin_s", "expected"), [(0.4, "spin -v (process 7)"), (0.01, "")])
def test_the_times_of_the_processes_decide(tmp_path: Path, spin_s: float, expected: str) -> None:
    """In both cases, the ticks count all of the half second for some process."""
    now_s = 0.0
    write_times(tmp_path, 0.0, spin=0.0, rest=0.0)
    busy = BusyProcesses(str(tmp_path), lambda: now_s)
    now_s = 0.5
    write_times(tmp_path, 0.5, spin=spin_s, rest=0.0)
    assert busy.busiest() == expected


def test_a_process_that_computed_long_ago_is_not_busy(tmp_path: Path) -> None:
    now_s = 10.0
    write_times(tmp_path, 5.0, spin=5.0, rest=0.0)
    busy = BusyProcesses(str(tmp_path), lambda: now_s)
    assert busy.busiest() == "spin -v (process 7)"
    now_s = 10.5
    write_times(tmp_path, 5.4, spin=5.0, rest=0.1)
    assert busy.busiest() == ""
