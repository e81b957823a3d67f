"""HIFI-DCTCP: the models against step-by-step computations, the labs, the published data, and made-up samples."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from frrlib import wire
from frrlib.model.queues import Red
from miniedit_frr.experiments.declaration import CheckResult
from miniedit_frr.experiments.expectations import expectations, published_rows
from miniedit_frr.experiments.mininet_hifi import dctcp, lab
from miniedit_frr.experiments.runs import Run, Runs

#: 0.15 ms of delay, a full frame and an empty ACK on two links of 100 Mbit/s, in full frames.
BDP_PACKETS = (0.15e-3 * 100e6 / 8 + 2 * 1514 + 2 * 66) / 1514


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("kept", [0.5, 0.75])
def test_the_saw_of_reno_has_the_quantiles_of_the_formula(kept: float, share: float) -> None:
    least = (425 + BDP_PACKETS) * kept - BDP_PACKETS
    # one tooth, in steps of equal time: each packet of the queue lasts as long as the queue is
    queues = np.linspace(least, 425, 20_001)
    elapsed = np.cumsum(queues + BDP_PACKETS)
    quantile = queues[np.searchsorted(elapsed, share * elapsed[-1])]
    assert dctcp.saw_queue_packets(425, BDP_PACKETS, kept, share) == pytest.approx(quantile, rel=0.005)


def test_alpha_keeps_the_window_of_dctcp() -> None:
    alpha = dctcp.dctcp_alpha(2, 20, BDP_PACKETS)
    window = (20 + BDP_PACKETS) / 2
    # a tooth ends one packet above W*, and loses alpha / 2; its packets after the threshold are those that are marked
    tooth = np.linspace((window + 1) * (1 - alpha / 2), window + 1, 10_001)
    assert tooth[tooth >= window].sum() / tooth.sum() == pytest.approx(alpha, rel=0.01)


def test_bands_are_those_of_the_models() -> None:
    low, high = dctcp.dctcp_queue_packets(2, 20, BDP_PACKETS)
    bands = {number: expectations()[f"HIFI-DCTCP.{number}"] for number in range(1, 11)}
    assert (bands[1].low, bands[1].high) == pytest.approx((low, high), abs=0.01)
    assert bands[2].low == pytest.approx(low - 4, abs=0.01)
    for number, share in ((4, 0.5), (5, 0.05)):
        both, one = (dctcp.saw_queue_packets(425, BDP_PACKETS, kept, share) for kept in (0.5, 0.75))
        assert (bands[number].low, bands[number].high) == pytest.approx((0.95 * both, 1.05 * one), rel=1e-3)
    window = (20 + BDP_PACKETS) / 2
    assert (bands[9].low, bands[9].high) == pytest.approx((2 / window, dctcp.dctcp_alpha(2, 20, BDP_PACKETS)), rel=1e-3)


def test_the_bottleneck_marks_at_the_threshold_and_holds_425_packets() -> None:
    for case in dctcp.queue_cases(False):
        (link,) = (link for link in case.topology.links if link.id == "bottleneck")
        assert [flow.destination for flow in case.topology.flows] == ["h1", "h1"]
        if case.setup == "published":
            marks = [line for line in link.a_to_b.qdiscs if " red " in line]
            assert bool(marks) == (case.values["cc"] == "dctcp")
            assert "limit 425" in link.a_to_b.qdiscs[-1]
            continue
        assert (link.a_to_b.rate_mbit, link.a_to_b.queue_packets) == (100, 425)
        if case.values["cc"] == "dctcp":
            assert isinstance(link.a_to_b.queue, Red)
            assert (link.a_to_b.queue.min_bytes, link.a_to_b.queue.ecn) == (20 * 1514, True)


def test_published_distributions_rise_to_the_limit_of_the_queue() -> None:
    rows = published_rows("hifi_dctcp_queue.csv")
    for column in ("reno_emulated", "reno_hardware", "dctcp_emulated", "dctcp_hardware"):
        values = [float(row[column]) for row in rows]
        assert values == sorted(values)
    last, middle = rows[-1], next(row for row in rows if row["percent"] == "50")
    assert float(last["reno_emulated"]) == 425
    assert (float(middle["dctcp_emulated"]), float(middle["reno_emulated"])) == (21, 354)


def made_up_run(folder: Path, cc: str, packets: float) -> Run:
    """A run of 12 s: 400 packets in the queue for 2 s, then `packets`; a tenth is marked, and 5 are dropped at once."""
    (folder / "samples").mkdir(parents=True)
    names = [f"{cc}-2", f"{cc}-3"]
    flows = [
        {"id": name, "source": "h2", "destination": "h1", "kind": "bulk", "start_s": 0.0, "duration_s": 12.0}
        for name in names
    ]
    (folder / "run.json").write_text(json.dumps({"format_version": 1, "status": "finished", "flows": flows}))
    for table in ("tcp", "queue"):
        with (folder / "samples" / f"{table}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, wire.TABLES[table], restval="")
            writer.writeheader()
            for tenth in range(121):
                if table == "queue":
                    row = {"time_s": tenth / 10, "direction": lab.QUEUE, "drops": 5, "marks": 10 * tenth}
                    queued = 400 if tenth < 20 else packets
                    writer.writerow(row | {"backlog_packets": queued, "sent_packets": 100 * tenth})
                    continue
                for name in names:
                    row = {"time_s": tenth / 10, "flow": name, "side": "sender"}
                    writer.writerow(row | {"dctcp_alpha": 1.0 if tenth < 20 else 0.3, "delivered_packets": 400 * tenth})
    return Run(folder.name, "right", {"cc": cc}, 1, folder)


def test_numbers_are_those_after_slow_start(tmp_path: Path) -> None:
    runs = Runs(tmp_path, (made_up_run(tmp_path / "r", "reno", 340), made_up_run(tmp_path / "d", "dctcp", 20)))
    numbers: dict[str, CheckResult] = {check.id: check.measure(runs) for check in dctcp.QUEUES.checks}
    assert [numbers[f"HIFI-DCTCP.{number}"] for number in (1, 4)] == [{"done right": 20}, {"done right": 340}]
    assert numbers["HIFI-DCTCP.7"] == {"done right": 17}
    # 8,000 packets of 1448 bytes per second
    assert numbers["HIFI-DCTCP.8"] == pytest.approx({"reno done right": 92.672, "dctcp done right": 92.672})
    assert numbers["HIFI-DCTCP.9"] == pytest.approx({"alpha done right": 0.3, "marked share done right": 0.1})
    assert numbers["HIFI-DCTCP.10"] == {"done right": 0}
