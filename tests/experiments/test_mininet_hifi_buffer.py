"""HIFI-BUFFER: the models against step-by-step computations, the labs, the published data, and made-up samples."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from frrlib import wire
from miniedit_frr.experiments.declaration import CheckResult
from miniedit_frr.experiments.expectations import expectations, published_rows
from miniedit_frr.experiments.mininet_hifi import buffer, lab
from miniedit_frr.experiments.runs import Run, Runs

BDP_PACKETS = 62.5e6 * 0.087 / 8 / 1514


@pytest.mark.parametrize("queue_bdp", [1 / 16, 0.5])
@pytest.mark.parametrize("kept", [0.5, 0.75])
def test_the_saw_fills_the_link_as_in_a_fluid_simulation(kept: float, queue_bdp: float) -> None:
    # units: the BDP, the RTT without queue, and the rate of the link; the window grows 0.001 per RTT
    window, sent, elapsed = kept * (1 + queue_bdp), 0.0, 0.0
    while window < 1 + queue_bdp:
        rtt = max(window, 1.0)
        sent, elapsed, window = sent + window, elapsed + rtt, window + 0.001
    assert buffer.saw_utilization(kept, queue_bdp) == pytest.approx(sent / elapsed, abs=0.002)


def test_the_normal_model_bounds_the_idle_time_of_random_windows() -> None:
    flows, queue_bdp = 32, 1 / math.sqrt(32)
    mean = (1 + queue_bdp) / flows
    windows = np.random.default_rng(1).uniform(2 / 3 * mean, 4 / 3 * mean, (100_000, flows)).sum(axis=1)
    # the queue varies around its middle by the windows; the link idles if it leaves the buffer downwards
    within = np.abs(windows - (1 + queue_bdp)) < queue_bdp / 2
    assert buffer.normal_utilization(flows, queue_bdp) == pytest.approx(within.mean(), abs=0.003)


def test_bands_are_those_of_the_models() -> None:
    bands = {number: expectations()[f"HIFI-BUFFER.{number}"] for number in range(1, 10)}
    assert bands[1].low == pytest.approx(buffer.saw_utilization(0.5, 1 / math.sqrt(2)) - 0.01, abs=0.001)
    for number, flows in ((2, 8), (3, 32), (4, 128)):
        assert bands[number].low == pytest.approx(buffer.normal_utilization(flows, 1 / math.sqrt(flows)), abs=1e-4)
    both, one = (buffer.saw_utilization(kept, 1 / 16) for kept in (0.5, 0.75))
    assert (bands[5].low, bands[5].high) == pytest.approx((0.98 * both, 1.02 * one), abs=1e-4)
    one = BDP_PACKETS * buffer.least_queue_bdp(lambda queue: buffer.saw_utilization(0.75, queue))
    both = BDP_PACKETS * buffer.least_queue_bdp(lambda queue: buffer.saw_utilization(0.5, queue))
    assert (bands[9].low, bands[9].high) == pytest.approx((0.95 * one, 1.05 * both), rel=1e-3)
    for flows, bound in ((2, 270.8), (8, 208), (32, 84.4), (128, 38.6)):
        assert f"{bound:g}" in bands[7].basis
        assert buffer.bound_packets(flows) == pytest.approx(bound, rel=2e-3)


def test_the_labs_have_the_rate_the_queue_and_the_mean_round_trip() -> None:
    for case in buffer.buffer_cases(False):
        (link,) = (link for link in case.topology.links if link.id == "bottleneck")
        assert (link.a_to_b.rate_mbit, link.a_to_b.queue_packets) == (62.5, case.values["queue_packets"])
        delay_by_source = {
            link.a.node: link.a_to_b.delay_ms + link.b_to_a.delay_ms
            for link in case.topology.links
            if link.id != "bottleneck"
        }
        flows = case.topology.flows
        assert len(flows) == case.values["flows"]
        assert np.mean([delay_by_source[flow.source] for flow in flows]) == pytest.approx(87)
        assert min(flow.start_s + (flow.duration_s or 0) for flow in flows) == buffer.LASTS_S
    rules = {2: 317, 8: 159, 32: 79, 128: 40}
    assert {flows: buffer.rule_packets(flows) for flows in buffer.LADDERS} == rules


def test_every_ladder_has_the_rule_and_ends_above_the_bound() -> None:
    for flows in buffer.LADDERS:
        queues = {
            int(case.values["queue_packets"]) for case in buffer.buffer_cases(False) if case.values["flows"] == flows
        }
        assert buffer.rule_packets(flows) in queues
        assert max(queues) > buffer.bound_packets(flows)


def test_published_queues_are_those_of_two_to_800_flows() -> None:
    rows = published_rows("hifi_buffer_queue.csv")
    assert [row["flows"] for row in rows if row["place"] == "emulated"][:3] == ["2", "4", "10"]
    assert all(
        float(row["least_packets"]) <= float(row["median_packets"]) <= float(row["greatest_packets"]) for row in rows
    )
    # 52,244 bytes are the first measurement of the router with 5 flows; most are between 19 and 119 kB
    (five,) = (row for row in rows if (row["place"], row["flows"]) == ("hardware", "5"))
    assert float(five["least_packets"]) == pytest.approx(18_998 / 1500, abs=0.01)


def made_up_run(folder: Path, flows: int, queue: int, share: float) -> Run:
    """A run of 60 s whose bottleneck sends the share of its rate after 20 s, and nothing before."""
    (folder / "samples").mkdir(parents=True)
    flow = {"id": "f", "source": "h2", "destination": "h1", "kind": "bulk", "start_s": 0.0, "duration_s": 60.0}
    (folder / "run.json").write_text(json.dumps({"format_version": 1, "status": "finished", "flows": [flow]}))
    with (folder / "samples" / "queue.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, wire.TABLES["queue"], restval="")
        writer.writeheader()
        for second in range(61):
            sent = max(0, second - 20) * share * 62.5e6 / 8
            writer.writerow({"time_s": second, "direction": lab.QUEUE, "sent_bytes": round(sent)})
    return Run(folder.name, "right", {"flows": flows, "queue_packets": queue}, 1, folder)


def test_numbers_are_those_of_made_up_runs(tmp_path: Path) -> None:
    shares = {
        2: {28: 0.80, 112: 0.97, 224: 0.99, 317: 1.0},
        8: {28: 0.90, 56: 0.98, 159: 0.99, 224: 1.0},
        32: {14: 0.96, 28: 0.99, 79: 1.0},
        128: {7: 0.99, 40: 1.0},
    }
    made_up = [
        made_up_run(tmp_path / f"{flows}-{queue}", flows, queue, share)
        for flows, by_queue in shares.items()
        for queue, share in by_queue.items()
    ]
    runs = Runs(tmp_path, tuple(made_up))
    numbers: dict[str, CheckResult] = {check.id: check.measure(runs) for check in buffer.BUFFER.checks}
    assert numbers["HIFI-BUFFER.1"] == pytest.approx({"queue 317": 1.0})
    assert numbers["HIFI-BUFFER.2"] == pytest.approx({"queue 159": 0.99})
    assert numbers["HIFI-BUFFER.5"] == pytest.approx({"queue 28": 0.8})
    assert numbers["HIFI-BUFFER.6"] == {"2, 8, 32 flows": 1}
    # halfway between 112 and 224 packets on the logarithmic scale
    assert numbers["HIFI-BUFFER.9"] == pytest.approx({"2 flows": 112 * math.sqrt(2)}, rel=1e-4)
    assert numbers["HIFI-BUFFER.8"] == {"2, 8, 32, 128 flows": 1}
    assert numbers["HIFI-BUFFER.7"] is not None
    assert numbers["HIFI-BUFFER.7"]["128 flows"] == pytest.approx(7 / 38.58, rel=1e-3)


def test_a_queue_that_never_suffices_exceeds_the_bound(tmp_path: Path) -> None:
    assert buffer.smallest_queue([(28.0, 0.7), (317.0, 0.97)]) is None
    made_up = [
        made_up_run(tmp_path / f"{flows}", flows, max(buffer.rule_packets(flows), 300), 0.9) for flows in buffer.LADDERS
    ]
    measured = {check.id: check.measure(Runs(tmp_path, tuple(made_up))) for check in buffer.BUFFER.checks}
    ratios = measured["HIFI-BUFFER.7"]
    assert ratios is not None
    assert min(ratios.values()) > 1
    assert measured["HIFI-BUFFER.8"] is None
