"""The dumbbell of the TU experiments in a lab in virtual time: what a switch in its middle does, and BBR's phases."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.formats.mn import dumps
from frrlib.model.topology import Topology
from frrlib.run.run import RunSettings, run
from miniedit_frr.experiments import measures
from miniedit_frr.experiments.bbr2_tum import lab as tu_lab
from miniedit_frr.experiments.bbr2_tum import phases as tu_phases
from miniedit_frr.experiments.runs import Run

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]


def one_run(folder: Path, lab: Topology, sample_hz: float) -> Run:
    outcome = run(
        lab, dumps(lab), folder, RunSettings("labkernel", virtual_time=True, sample_hz=sample_hz), figure=False
    )
    assert not outcome.failures
    return Run(folder.name, "right", {"cc": "bbr"}, 1, folder)


def fullest_bytes(found: Run) -> float:
    return measures.statistic(measures.queue_series(found.results, "backlog_bytes"), take=max) or 0.0


def test_a_router_lets_cubic_fill_the_queue_and_a_switch_does_not(tmp_path: Path) -> None:
    buffer_bytes = 60_000
    senders = [tu_lab.Sender("cubic", 20)]
    labs = {
        switched: tu_lab.dumbbell("Queue", senders, 5, buffer_bytes, switched=switched) for switched in (False, True)
    }
    routed, switched = (one_run(tmp_path / str(key), lab, 20) for key, lab in labs.items())
    assert fullest_bytes(routed) > 0.9 * buffer_bytes
    assert fullest_bytes(switched) < 0.3 * buffer_bytes
    resent = [each.summary.flows[0].retransmits or 0 for each in (routed, switched)]
    assert resent[0] > 0 and resent[1] == 0, "it is held back and sees no loss"


def test_bbr_keeps_four_packets_in_flight_while_it_looks_for_the_rtt(tmp_path: Path) -> None:
    lab = tu_lab.dumbbell("Phases", [tu_lab.Sender("bbr", 50)], 11, tu_lab.BUFFER_100_MS)
    results = one_run(tmp_path / "bbr", lab, 50).results
    ((begin_s, end_s, _),) = tu_phases.probe_rtts(results, "bbr-1")
    assert 10.0 <= begin_s <= 10.5 and 0.2 <= end_s - begin_s <= 0.2 + 3 * 0.05
    packets = measures.sender_series(results, "bbr-1", "in_flight_packets")
    # the flight is down to that after about two round trips, and stays there for 200 ms
    assert measures.statistic(packets, end_s - 0.15, end_s - 0.02, max) == 4
    times, rates = tu_lab.sending_rate(results, "bbr-1")
    assert rates[times < 1].max() > 1.2 * tu_lab.RATE_MBIT, "start-up sends more than the bottleneck takes"
