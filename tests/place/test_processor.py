"""A lab kernel on one processor, compared with the kernel's data about its processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.place.base import Program
from frrlib.place.labkernel import LabKernel
from frrlib.place.supervisor import processor_choice

ROOT = Path(__file__).resolve().parents[2]
two_processors = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one processor only")


@pytest.fixture
def family() -> Iterator[subprocess.Popen[str]]:
    """A process with a child, which does nothing until its input ends."""
    code = "import subprocess, sys; subprocess.run(['cat'])"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, text=True) as process:
        yield process


class Clock:
    """The machine's counters, as set by the test."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.waited_s = 0.0
        self.idle_s = dict.fromkeys(os.sched_getaffinity(0), 50.0)

    def pass_by(self, seconds: float, waited_share: float, idle_share: float, idle: int) -> None:
        """Let time pass in which the lab waits for a share of it, and one processor is idle for another."""
        self.now_s += seconds
        self.waited_s += waited_share * seconds
        self.idle_s[idle] += idle_share * seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    counters = Clock()
    monkeypatch.setattr(processor_choice.time, "monotonic", lambda: counters.now_s)
    monkeypatch.setattr(processor_choice, "_waited_s", lambda _: counters.waited_s)
    monkeypatch.setattr(processor_choice, "_idle_s", lambda: dict(counters.idle_s))
    return counters


@two_processors
@pytest.mark.parametrize(
    ("waited_share", "idle_share", "moves"), [(0.3, 0.9, True), (0.01, 0.9, False), (0.3, 0.2, False)]
)
def test_a_lab_moves_only_where_it_waits_and_another_processor_is_idle(
    family: subprocess.Popen[str], clock: Clock, waited_share: float, idle_share: float, moves: bool
) -> None:
    allowed = os.sched_getaffinity(0)
    processor = processor_choice.Processor(allowed)
    other_cpu = next(cpu for cpu in sorted(allowed) if cpu != processor.number)
    os.sched_setaffinity(family.pid, {processor.number})
    clock.pass_by(0.5, 0, 0, other_cpu)
    processor.review(family.pid)
    clock.pass_by(0.5, waited_share, idle_share, other_cpu)
    processor.review(family.pid)
    expected = {other_cpu} if moves else {processor.number}
    assert os.sched_getaffinity(family.pid) == expected


@pytest.mark.lab
def test_a_lab_kernel_and_all_below_it_have_one_processor(tmp_path: Path) -> None:
    program = Program("echo_agent", code=ROOT, site=(Path(__file__).parent / "drivers",), writable=tmp_path)
    with LabKernel().start(program) as lab:
        lab.command(["true"])
        tasks = processor_choice._tasks(lab.pid)
        affinities = {frozenset(os.sched_getaffinity(task)) for task in tasks}
    assert len(tasks) > 2
    assert len(affinities) == 1 and len(affinities.pop()) == 1


@pytest.mark.parametrize(
    ("before", "expected"),
    [("os.nice(2)", "0 2"), ("os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))", f"{os.SCHED_BATCH} 0")],
)
def test_a_lab_kernel_is_as_nice_as_whoever_starts_it(before: str, expected: str) -> None:
    outcome = "print(os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK, os.nice(0) - at_first, flush=True)"
    code = f"""
import os
from frrlib.place.supervisor.processor_choice import Processor
at_first = os.nice(0)
{before}
Processor(os.sched_getaffinity(0)).settle()
{outcome}
if not os.fork():
    {outcome}
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [expected, expected]
