"""RFC9438: the formulas against sums done by hand, the durations of runs, and windows from made-up samples."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from frrlib import wire
from miniedit_frr.experiments.declaration import CheckResult
from miniedit_frr.experiments.rfc9438 import windows
from miniedit_frr.experiments.runs import Run, Runs


@pytest.mark.parametrize(("loss", "counting_packets", "counting_acks"), [(1e-2, 12.25, 8.66), (1e-4, 122.5, 86.6)])
def test_renos_window_is_that_of_mathis(loss: float, counting_packets: float, counting_acks: float) -> None:
    # the constants of the paper: 1.22 with an ACK for each packet, 0.87 with delayed ACKs
    assert windows.mathis_packets(loss) == pytest.approx(counting_packets, rel=1e-3)
    assert windows.mathis_packets(loss, acked=2) == pytest.approx(counting_acks, rel=1e-3)


def test_a_regular_saw_of_reno_has_the_window_of_the_formula() -> None:
    window, until_loss, total, rounds = 10.0, 1e4, 0.0, 50_000
    for _ in range(rounds):
        total += window
        until_loss -= window
        if until_loss <= 0:
            window, until_loss = window / 2, until_loss + 1e4
        else:
            window += 1
    assert total / rounds == pytest.approx(windows.mathis_packets(1e-4), rel=0.01)


def cubic_window(loss: float, losses: int, chance: random.Random | None) -> float:
    """The mean window by the functions of RFC 9438 (sections 4.2 to 4.7), one step for each round trip of 0.1 s.

    Losses come after every 1 / p packets, or at random; a round trip with any reduces the window once.
    """
    window = west = wmax = 10.0
    since = k = total = 0.0
    until_loss, rounds = 1 / loss, 0
    while losses:
        total, rounds, until_loss = total + window, rounds + 1, until_loss - window
        if chance.random() < 1 - (1 - loss) ** window if chance else until_loss <= 0:
            losses, until_loss, since = losses - 1, until_loss + 1 / loss, 0.0
            wmax = window * 0.85 if window < wmax else window
            window = west = 0.7 * window
            k = (max(wmax - window, 0) / 0.4) ** (1 / 3)
        else:
            since, west = since + 0.1, west + 3 * 0.3 / 1.7
            window = max(window, west, min(0.4 * (since - k) ** 3 + wmax, 1.5 * window))
    return total / rounds


@pytest.mark.parametrize(("loss", "regular", "chance"), [(1e-3, 38.8, 43.3), (1e-4, 181.7, 213.8)])
def test_random_losses_give_cubic_more_than_regular_ones(loss: float, regular: float, chance: float) -> None:
    assert cubic_window(loss, 2000, None) == pytest.approx(regular, rel=0.01)
    assert regular == pytest.approx(windows.CUBIC_PACKETS[loss], rel=0.05)
    assert cubic_window(loss, 2000, random.Random(1)) == pytest.approx(chance, rel=0.06)


def test_a_run_is_long_enough_for_the_losses() -> None:
    # 187 packets per 0.1 s with a loss in 10,000: 5.35 s between losses; 15 and 120 of them are 81 and 642 s
    assert windows.begin_s(1e-4) == 81
    assert windows.duration_s(1e-4, quick=False) == 81 + 642
    assert windows.duration_s(1e-2, quick=False) == 13 + 100


def test_only_data_are_lost_and_the_link_carries_more_than_any_window() -> None:
    for case in windows.window_cases(False):
        (fault,) = case.topology.faults
        (receiver,) = (flow.destination for flow in case.topology.flows)
        (link,) = (link for link in case.topology.links if link.id == fault.target)
        assert (receiver, fault.towards, fault.kind) == ("r1", "s3", "loss")
        assert fault.loss_percent == case.values["loss_percent"]
        assert (link.a_to_b.rate_mbit or 0) * 1e6 * 0.1 / (1514 * 8) > 8 * 187
        assert (case.repeat, len(case.topology.flows)) == (5, 1)


def saw_run(folder: Path, cc: str, low: float) -> Run:
    """A run at 1 % of loss: a window of 500 packets before the measurement, then one that alternates between `low` and
    twice that, and delivers 1.5 times `low` in each RTT."""
    (folder / "samples").mkdir(parents=True)
    flow = {"id": f"{cc}-1", "source": "h1", "destination": "r1", "kind": "bulk", "start_s": 0.0, "duration_s": 60.0}
    (folder / "run.json").write_text(json.dumps({"format_version": 1, "status": "finished", "flows": [flow]}))
    delivered = 0.0
    for table in ("tcp", "queue"):
        with (folder / "samples" / f"{table}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, wire.TABLES[table], restval="")
            writer.writeheader()
            for tenth in range(601 if table == "tcp" else 0):
                cwnd = 500 if tenth < 130 else low * (1 + tenth % 2)
                row = {"time_s": tenth / 10, "flow": f"{cc}-1", "side": "sender", "cwnd_packets": cwnd}
                writer.writerow(row | {"delivered_packets": delivered})
                delivered += 500 if tenth < 130 else 1.5 * low
    return Run(folder.name, "right", {"cc": cc, "loss_percent": 1.0}, 1, folder)


def test_the_window_is_the_mean_after_slow_start_over_all_runs(tmp_path: Path) -> None:
    runs = Runs(tmp_path, tuple(saw_run(tmp_path / str(low), "cubic", low) for low in (6, 10)))
    numbers: dict[str, CheckResult] = {check.id: check.measure(runs) for check in windows.WINDOWS.checks}
    # means of 9 and 15 packets
    assert numbers["RFC9438.1"] == pytest.approx({"cwnd": 12, "delivered per RTT": 12}, rel=0.01)
    assert [id for id, number in numbers.items() if number] == ["RFC9438.1"]
