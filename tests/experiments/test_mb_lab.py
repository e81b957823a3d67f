"""Scenario 1 in a lab: the published commands and the correct topology make the same queue."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from frrlib.formats.mn import dumps
from frrlib.results.read import open_results
from frrlib.run.run import RunSettings, run
from miniedit_frr.experiments import measures
from miniedit_frr.experiments.bbr2_martinber.declarations import MB1
from miniedit_frr.experiments.bbr2_martinber.lab import FLOW, QUEUE

#: tc's limit for 10 Mbit/s, a latency of 50 ms and a burst of 32 kB.
LIMIT_BYTES = 10e6 / 8 * 0.050 + 32 * 1024
RTT_MS = 100 + LIMIT_BYTES * 8 / 10e3
SECONDS = 2.0


@pytest.mark.lab
@pytest.mark.usefixtures("virtual_time")
@pytest.mark.parametrize("setup", ["published", "right"])
def test_reno_fills_the_same_queue_in_both_set_ups(tmp_path: Path, setup: str) -> None:
    case = next(declared for declared in MB1.cases(True) if declared.name == f"{setup}-reno")
    flow = case.topology.flows[0].model_copy(update={"duration_s": SECONDS})
    topology = case.topology.model_copy(update={"flows": (flow,)})
    outcome = run(topology, dumps(topology), tmp_path / "run", RunSettings(virtual_time=True), figure=False)
    assert outcome.failures == []
    results = open_results(tmp_path / "run")
    longest = measures.statistic(measures.queue_series(results, "backlog_bytes", QUEUE), take=np.max)
    rtt_ms = measures.statistic(measures.rtt_ms(results, FLOW), take=np.max)
    assert longest is not None and rtt_ms is not None
    # The queue is full except for a packet, which has a few frames in the published set-up.
    assert LIMIT_BYTES - 4 * 1514 < longest <= LIMIT_BYTES
    assert RTT_MS - 4 < rtt_ms < RTT_MS
    lost = measures.queue_series(results, "drops", QUEUE)[1]
    assert lost[-1] > lost[0]
