"""BBR3-DRAFT, BBR3-PATH, BBR3-TURN and BBR3-LIMITED: the states of a flow and their numbers, from made-up samples."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from frrlib import wire
from miniedit_frr.experiments.bbr3_draft import disturbed, limited, states, turns
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


def sample(time_s: float, state: str, **values: float) -> dict[str, object]:
    """A sample of a flow in a state of ProbeBW, or in another phase."""
    is_cycle = state in ("up", "down", "cruise", "refill")
    words = {"bbr_phase": "probe_bw" if is_cycle else state, "bbr_cycle_phase": state if is_cycle else ""}
    return {"flow": "bbr3", "side": "sender", "time_s": time_s, "bbr_bandwidth_mbit": 9.56, **words, **values}


#: Samples of each case. Times are those of the plan: the rate rises at 6 s and falls at 4 s, losses are from 6 s
#: to 13.5 s, and packets are late from 6.3 s to 7.3 s.
DISTURBED = {
    "pauses": [sample(0.0, "startup"), sample(5.0, "probe_rtt"), sample(11.0, "refill"), sample(11.5, "probe_rtt"),
               sample(12.5, "probe_rtt"), sample(22.0, "up"), sample(23.5, "down")],
    "faster": [sample(5.9, "cruise"), sample(7.0, "up"), sample(7.5, "up", bbr_bandwidth_mbit=50.0),
               sample(7.8, "down", bbr_bandwidth_mbit=95.0), sample(8.0, "cruise", bbr_bandwidth_mbit=95.0)],
    "slower": [sample(3.9, "cruise", bbr_bandwidth_mbit=95.6), sample(5.0, "cruise", bbr_bandwidth_mbit=40.0),
               sample(6.0, "up", bbr_bandwidth_mbit=95.6), sample(7.0, "down", bbr_bandwidth_mbit=95.6),
               sample(9.0, "up", bbr_bandwidth_mbit=95.6), sample(9.5, "up", bbr_bandwidth_mbit=95.6),
               sample(10.0, "down", bbr_bandwidth_mbit=9.6),
               sample(11.0, "cruise", bbr_bandwidth_mbit=9.6), sample(12.0, "up", bbr_bandwidth_mbit=9.6)],
    "late": [sample(6.2, "cruise"), sample(7.6, "up"), sample(7.64, "down"), sample(7.9, "up"), sample(9.0, "down"),
             sample(9.5, "cruise", bbr_bandwidth_mbit=9.56)],
    "losing": [sample(6.5, "up", bbr_inflight_longterm_packets=40),
               sample(6.58, "down", bbr_inflight_longterm_packets=32),
               sample(8.0, "up", bbr_inflight_longterm_packets=32),
               sample(8.04, "cruise", bbr_inflight_longterm_packets=24), sample(9.0, "down")],
    "policer-33": [sample(0.0, "startup", bytes_sent=0, bytes_retrans=0, bytes_acked=0),
                   sample(5.0, "cruise", bytes_sent=1e6, bytes_retrans=5e5, bytes_acked=1e6),
                   sample(15.0, "cruise", bytes_sent=11e6, bytes_retrans=6e5, bytes_acked=11e6)],
    "policer-100": [sample(0.0, "startup", bytes_sent=0, bytes_retrans=0, bytes_acked=0),
                    sample(5.0, "cruise", bytes_sent=1e6, bytes_retrans=0, bytes_acked=1e6,
                           bbr_inflight_shortterm_packets=30),
                    sample(15.0, "cruise", bytes_sent=6e6, bytes_retrans=1e5, bytes_acked=6e6)],
}  # fmt: skip


def write_runs(folder_of_runs: Path, samples_of: Mapping[str, list[dict[str, object]]]) -> Runs:
    """A run of each case, with its samples."""
    runs = []
    for name, samples in samples_of.items():
        folder = folder_of_runs / name
        (folder / "samples").mkdir(parents=True)
        flow = {"id": "bbr3", "source": "h1", "destination": "r1", "kind": "bulk", "start_s": 0.0, "duration_s": 30.0}
        (folder / "run.json").write_text(json.dumps({"format_version": 1, "status": "finished", "flows": [flow]}))
        for table in ("tcp", "queue"):
            with (folder / "samples" / f"{table}.csv").open("w", newline="") as file:
                writer = csv.DictWriter(file, wire.TABLES[table], restval="")
                writer.writeheader()
                writer.writerows(samples if table == "tcp" else ())
        runs.append(Run(name, "right", {"path": name}, 1, folder))
    return Runs(folder_of_runs, tuple(runs))


@pytest.fixture
def disturbed_runs(tmp_path: Path) -> Runs:
    """A run of each case with these samples."""
    return write_runs(tmp_path, DISTURBED)


def test_numbers_of_disturbed_paths_are_those_of_the_samples(disturbed_runs: Runs) -> None:
    numbers = {check.id: dict(check.measure(disturbed_runs) or {}) for check in disturbed.DISTURBED.checks}
    rate_mbit = 10e6 * 8 / 10e6  # 10 MB in the 10 s after Startup
    assert numbers == {
        "BBR3.10": {"pause 1": 1.0, "pause 2": 0.0},
        "BBR3.11": {"rise": pytest.approx(1.8)},
        "BBR3.12": {"UP": pytest.approx(20)},
        "BBR3.13": {"fall": pytest.approx(1.0)},
        "BBR3.14": {"probes": 2.0},
        "BBR3.15": {"33 frames": pytest.approx(1.0), "100 frames": pytest.approx(2.0)},
        "BBR3.16": {"33 frames": pytest.approx(rate_mbit / 9.564, rel=1e-3),
                    "100 frames": pytest.approx(rate_mbit / 2 / 9.564, rel=1e-3)},
        "BBR3.17": {"33 frames": 0.0, "100 frames": 1.0},
        "BBR3.18": {"UP again": pytest.approx(0.26)},
        "BBR3.19": {"after / before": pytest.approx(1.0)},
        "BBR3.20": {"UP 1": pytest.approx(2), "UP 2": math.inf},  # CRUISE after UP is not what the draft says
        "BBR3.21": {"least ratio": 0.75},
    }  # fmt: skip


def test_an_estimate_that_stays_too_high_or_never_rises_is_no_number_in_a_band() -> None:
    times_s, values = np.array([1.0, 7.0, 8.0]), np.array([9.6, 9.6, 9.6])
    assert disturbed.first_time((times_s, values), 6.0, lambda value: value > 90) == math.inf
    assert disturbed.first_time((times_s, values), 6.0, lambda value: value > 9) == 1.0


#: Samples of the cases of changes at a transition: the rate falls at 0.47 s or at 6.97 s, and data is late from 2.24 s.
TURNING = {
    "drain-60": [sample(0.4, "startup"), sample(0.5, "drain"), sample(1.3, "cruise", in_flight_packets=70),
                 sample(2.0, "up")],
    "drain-10": [sample(0.4, "startup"), sample(0.5, "drain"), sample(0.6, "cruise", in_flight_packets=34),
                 sample(2.0, "up")],
    "down": [sample(6.8, "up"), sample(6.9, "down"), sample(9.4, "refill"), sample(9.5, "up")],
    "reorder": [sample(2.2, "up"), sample(2.31, "down", bbr_inflight_longterm_packets=23),
                sample(2.81, "cruise", bbr_inflight_longterm_packets=23), sample(3.31, "up"),
                sample(3.5, "down"), sample(3.6, "cruise")],
    "late-up": [sample(2.2, "up"), sample(2.9, "down"), sample(3.4, "cruise"), sample(3.8, "cruise")],
    "aggregation": [sample(0.0, "startup", bytes_acked=0),
                    sample(0.5, "drain", bbr_min_rtt_ms=40.0, cwnd_packets=86, bytes_acked=0),
                    sample(0.6, "cruise", bbr_min_rtt_ms=40.0, cwnd_packets=96, bytes_acked=0),
                    sample(2.0, "cruise", bbr_min_rtt_ms=40.0, cwnd_packets=76, bytes_acked=1e6),
                    sample(4.9, "up", bytes_acked=4e6), sample(5.1, "down", bytes_acked=4e6)],
    "small": [sample(8.0, "startup", cwnd_packets=18, bytes_acked=0),
              sample(10.0, "cruise", cwnd_packets=9, bytes_acked=0, pacing_rate_mbit=0.09564),
              sample(30.0, "probe_rtt", cwnd_packets=4, bytes_acked=2e5, pacing_rate_mbit=0.09564),
              sample(59.0, "cruise", cwnd_packets=9, bytes_acked=5e5, pacing_rate_mbit=0.09564)],
    "pause": [sample(2.0, "cruise"), sample(2.19, "refill"), sample(2.24, "up", in_flight_packets=3),
              sample(2.4, "down", bbr_bandwidth_mbit=9.4644), sample(3.0, "cruise")],
}  # fmt: skip


@pytest.fixture
def turning_runs(tmp_path: Path) -> Runs:
    """A run of each case of changes at a transition, with these samples."""
    return write_runs(tmp_path, TURNING)


def test_numbers_of_changes_at_transitions_are_those_of_the_samples(turning_runs: Runs) -> None:
    numbers = {check.id: dict(check.measure(turning_runs) or {}) for check in turns.TURNS.checks}
    two_bdps = 2 * 9.56e6 * 0.04 / 8 / 1448
    assert numbers == {
        "BBR3.22": {"Drain": pytest.approx(0.8)},
        "BBR3.23": {"in flight": 70},
        "BBR3.24": {"in flight": 34},
        "BBR3.25": {"DOWN": 1.0},
        "BBR3.26": {"DOWN": pytest.approx(2.5)},
        "BBR3.27": {"end to DOWN": pytest.approx(1.0)},  # 2.31 s is one RTT after 2.27 s
        "BBR3.28": {"UP again": pytest.approx(1.0)},
        "BBR3.29": {"inflight_longterm": 0.0, "inflight_shortterm": 1.0},
        "BBR3.30": {"UP again": math.inf},
        "BBR3.31": {"inflight_longterm": 1.0, "inflight_shortterm": 1.0},
        "BBR3.32": {"estimate": pytest.approx(9.56 / 9.564, rel=1e-3)},
        "BBR3.33": {"Startup": pytest.approx(86 - two_bdps)},
        "BBR3.34": {"CRUISE 1": pytest.approx(96 - two_bdps)},
        "BBR3.35": {"goodput": pytest.approx(3e6 * 8 / 2.9 / 9.564e6, rel=1e-3)},
        "BBR3.36": {"window": 9.0},
        "BBR3.37": {"CRUISE 1": pytest.approx(1.0, rel=1e-3)},
        "BBR3.38": {"goodput": pytest.approx(5e5 * 8 / 49 / 95640, rel=1e-3)},
        "BBR3.39": {"in flight": 3},
        "BBR3.40": {"REFILL": 1.0},
        "BBR3.41": {"after REFILL": pytest.approx(1.0), "after UP": pytest.approx(0.99)},
    }


def test_each_panel_of_changes_shows_its_own_time(turning_runs: Runs) -> None:
    panels = turns.draw_turns(turning_runs).axes
    assert [panel.get_xlim() for panel in panels[:2]] == [(0, 4), (4, 12)]


#: Samples of the cases of a slow application: losses begin at 2 s in Startup and at 4 s in UP.
LIMITED = {
    "slow": [sample(0.1, "startup"), sample(5.1, "probe_rtt"), sample(5.34, "startup"), sample(10.3, "probe_rtt")],
    "lossy-startup": [sample(0.1, "startup"), sample(2.08, "drain", bbr_bandwidth_mbit=23.91), sample(2.1, "cruise"),
                      sample(4.0, "up")],
    "outgrown": [sample(2.2, "up"), sample(5.2, "probe_rtt"), sample(5.4, "cruise"), sample(7.4, "up"),
                 sample(7.6, "down"), sample(8.0, "cruise")],
    "lossy-probe": [sample(2.2, "up"), sample(4.06, "cruise", bbr_inflight_longterm_packets=40), sample(5.0, "up")],
}  # fmt: skip


def test_numbers_of_a_slow_application_are_those_of_the_samples(tmp_path: Path) -> None:
    runs = write_runs(tmp_path, LIMITED)
    numbers = {check.id: dict(check.measure(runs) or {}) for check in limited.LIMITED.checks}
    assert numbers == {
        "BBR3.42": {"other states": 0.0},
        "BBR3.43": {"ProbeRTT 1": 1.0},
        "BBR3.44": {"ProbeRTT 1": pytest.approx(240)},
        "BBR3.45": {"losses to drain": pytest.approx(2.0)},
        "BBR3.46": {"estimate": pytest.approx(0.5, rel=1e-3)},  # the link carries 47.8 Mbit/s of payload
        "BBR3.47": {"UP 1": pytest.approx(75.0), "UP 2": 0.0},  # DOWN, not ProbeRTT, follows the second one
        "BBR3.48": {"losses to down": math.inf},
        "BBR3.49": {"inflight_longterm": 1.0},
        "BBR3.50": {"losses to drain": pytest.approx(2.0)},
        "BBR3.51": {"losses to cruise": pytest.approx(1.5)},
    }
