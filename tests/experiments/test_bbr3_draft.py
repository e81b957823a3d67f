"""BBR3-DRAFT: the states of a flow and their numbers, from made-up samples."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from frrlib import wire
from miniedit_frr.experiments.bbr3_draft import states
from miniedit_frr.experiments.runs import Run, Runs

#: Samples of one flow: time, phase, phase within ProbeBW, pacing gain, cwnd gain, bandwidth, packets in flight.
SAMPLES = (
    (0.0, "startup", "", 2.77, 2.0, 1.0, 10),
    (0.4, "startup", "", 2.77, 2.0, 9.5, 60),
    (0.5, "drain", "", 0.5, 2.0, 9.56, 70),
    (0.6, "probe_bw", "cruise", 1.0, 2.0, 9.56, 33),
    (2.0, "probe_bw", "up", 1.25, 2.25, 9.56, 34),
    (2.16, "probe_bw", "down", 0.9, 2.0, 9.56, 70),
    (2.5, "probe_bw", "cruise", 1.0, 2.0, 9.56, 35),
    (5.0, "probe_rtt", "", 1.0, 0.5, 9.56, 34),
    (5.24, "probe_bw", "cruise", 1.0, 2.0, 9.56, 20),
    (6.0, "probe_bw", "up", 1.25, 2.25, 9.56, 34),
)  # fmt: skip


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    """One run with these samples."""
    (tmp_path / "samples").mkdir()
    flow = {"id": "bbr3-1", "source": "h1", "destination": "r1", "kind": "bulk", "start_s": 0.0, "duration_s": 6.0}
    (tmp_path / "run.json").write_text(json.dumps({"format_version": 1, "status": "finished", "flows": [flow]}))
    columns = ("time_s", "bbr_phase", "bbr_cycle_phase", "bbr_pacing_gain", "bbr_cwnd_gain", "bbr_bandwidth_mbit",
               "in_flight_packets")  # fmt: skip
    for table in ("tcp", "queue"):
        with (tmp_path / "samples" / f"{table}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, wire.TABLES[table], restval="")
            writer.writeheader()
            for sample in SAMPLES if table == "tcp" else ():
                writer.writerow({"flow": "bbr3-1", "side": "sender", **dict(zip(columns, sample, strict=True))})
    return Runs(tmp_path, (Run("right-bbr3", "right", {"cc": "bbr3"}, 1, tmp_path),))


def test_numbers_are_those_of_the_transitions(runs: Runs) -> None:
    numbers = {check.id: dict(check.measure(runs) or {}) for check in states.STATES.checks}
    # UP from 2.00 to 2.16 s is 4 RTTs of 40 ms; the last UP is cut off by the end of the run
    assert numbers == {
        "BBR3.1": {"startup": 9.56},
        "BBR3.2": {"drain": 0.5},
        "BBR3.3": {"drain": 33},
        "BBR3.4": {"UP 1": pytest.approx(4)},
        "BBR3.5": {"DOWN 1": 0.9},
        "BBR3.6": {"CRUISE 1": 35},
        "BBR3.7": {"ProbeRTT 1": 0.5},
        "BBR3.8": {"ProbeRTT 1": pytest.approx(240)},
        "BBR3.9": {"ProbeRTT 1": 1.0},
    }


def test_a_kernel_may_call_version_3_bbr() -> None:
    (case,) = states.draft_cases(False, "bbr")
    assert (case.needs, case.topology.flows[0].congestion_control) == ("", "bbr")
    assert states.draft_cases(True)[0].needs == "bbr3"
