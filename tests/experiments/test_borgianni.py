"""PISA: the labs, the bands, and made-up samples."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from frrlib import wire
from miniedit_frr.experiments.borgianni_mininet import clients
from miniedit_frr.experiments.declaration import CheckResult
from miniedit_frr.experiments.expectations import expectations
from miniedit_frr.experiments.runs import Run, Runs
from miniedit_frr.experiments.words import count_text


def test_the_labs_have_a_queue_of_one_bandwidth_delay_product() -> None:
    for case in clients.client_cases(False):
        (link,) = (link for link in case.topology.links if link.id == "bottleneck")
        round_trips = {
            link.a_to_b.delay_ms + link.b_to_a.delay_ms for link in case.topology.links if link.id != "bottleneck"
        }
        assert round_trips == {10}
        assert link.a_to_b.rate_mbit == 100
        assert link.a_to_b.queue_packets == round(100e6 * 10e-3 / 8 / 1514)
        assert len({flow.source for flow in case.topology.flows}) == case.values["clients"]


def made_up_run(folder: Path, rates_mbit: list[float]) -> Run:
    """A run of 60 s whose flows deliver at constant rates after 10 s, and at twice the rate before."""
    (folder / "samples").mkdir(parents=True)
    flows = [
        {"id": f"f{number}", "source": f"c{number}", "destination": "server", "kind": "bulk", "start_s": 0.0,
         "duration_s": 60.0}
        for number in range(1, len(rates_mbit) + 1)
    ]  # fmt: skip
    (folder / "run.json").write_text(json.dumps({"format_version": 1, "status": "finished", "flows": flows}))
    with (folder / "samples" / "tcp.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, wire.TABLES["tcp"], restval="")
        writer.writeheader()
        for second in range(61):
            for number, rate in enumerate(rates_mbit, 1):
                delivered = (second + min(second, 10)) * rate * 1e6 / 8
                row = {"time_s": second, "flow": f"f{number}", "side": "receiver", "bytes_received": round(delivered)}
                writer.writerow(row)
    return Run(folder.name, "right", {"clients": len(rates_mbit)}, 1, folder)


def test_errors_are_those_of_made_up_rates(tmp_path: Path) -> None:
    payload = 100 * 1448 / 1514
    made_up = [
        made_up_run(tmp_path / f"{count}", [payload / count] * (count - 1) + [0.9 * payload / count])
        for count in clients.COUNTS
    ]
    runs = Runs(tmp_path, tuple(made_up))
    numbers: dict[str, CheckResult] = {check.id: check.measure(runs) for check in clients.CLIENTS.checks}
    assert numbers["PISA.1"] == pytest.approx(
        {count_text(count, "client"): 10 / count for count in clients.COUNTS}, rel=1e-4
    )
    assert numbers["PISA.2"] == pytest.approx({count_text(count, "client"): 10 for count in clients.COUNTS}, rel=1e-4)
    assert numbers["PISA.3"] == pytest.approx(
        {count_text(count, "client"): 10 / count for count in clients.COUNTS}, rel=1e-4
    )


def test_the_band_of_clients_is_the_published_bound() -> None:
    assert {expectations()[f"PISA.{number}"].high for number in (2, 3)} == {clients.PUBLISHED_PERCENT}
