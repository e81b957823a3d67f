"""The busy time of processors: the kernel's count against real work, and shares computed by hand."""

from __future__ import annotations

import time

import pytest

from frrlib.run.machine_load import MachineLoad
from frrlib.system.processor import busy_share, spent


def _work(seconds: float) -> None:
    """Use so much of a processor's time, however long that takes."""
    end_s = time.process_time() + seconds
    while time.process_time() < end_s:
        pass


def test_work_is_counted() -> None:
    before = spent()
    _work(0.5)
    busy_s = spent()[0] - before[0]
    assert busy_s >= 0.45  # ticks of 10 ms at each end, and the kernel's late counts


def test_stolen_time_counts_as_busy() -> None:
    assert busy_share((10.0, 10.0, 0.0), (13.0, 16.0, 1.0)) == pytest.approx(0.4)
    assert busy_share((1.0, 1.0, 0.0), (1.0, 1.0, 0.0)) == 0.0
    assert busy_share((1.0, 5.0, 0.0), (2.0, 4.9, 0.0)) == 1.0  # idle time that ran backwards, as some kernels' does


def test_a_machine_is_looked_at_from_the_start_to_the_end() -> None:
    clock = iter(range(100, 200))
    with MachineLoad(lambda: float(next(clock))) as load:
        _work(0.1)
    load.zero_s = 100.0
    rows = load.samples().rows
    assert [row[0] for row in rows] == list(range(len(rows))) and len(rows) >= 2
    assert {row[1] for row in rows} == {"machine"}
    assert rows[-1][2] - rows[0][2] >= 0.05


def test_a_record_without_flows_counts_from_its_first_sample() -> None:
    clock = iter(range(100, 200))
    with MachineLoad(lambda: float(next(clock))) as load:
        pass
    assert [row[0] for row in load.samples().rows] == [0.0, 1.0]
