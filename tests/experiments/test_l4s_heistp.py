"""L4S-RTT: the model against simple computations, the labs, the published table, and made-up samples."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from frrlib import wire
from frrlib.model.queues import FqCodel
from miniedit_frr.experiments.expectations import expectations
from miniedit_frr.experiments.l4s_heistp import fairness, model
from miniedit_frr.experiments.runs import Run, Runs


def test_equal_flows_of_the_model_share_equally_and_are_exchangeable() -> None:
    span = {"begin_s": 10.0, "end_s": 40.0}
    shares = model.first_shares(10, 200, (20, 20), **span)
    # 200 shares with a standard deviation of 0.09 have a mean within 0.02 of their center in all but 0.3 % of cases
    assert np.std(shares) < 0.09
    assert np.mean(shares) == pytest.approx(0.5, abs=0.02)
    long_first, short_first = (np.mean(model.first_shares(10, 200, rtts, **span)) for rtts in ((160, 10), (10, 160)))
    assert long_first < 0.5
    assert long_first == pytest.approx(1 - short_first, abs=0.03)


def test_the_queue_delays_both_flows_until_they_send_at_the_capacity() -> None:
    windows, base_s, capacity = np.array([[300.0], [100.0]]), np.array([[0.16], [0.01]]), 825.6
    (delay_s,) = model.queueing_delay_s(windows, base_s, capacity)
    assert (windows[:, 0] / (base_s[:, 0] + delay_s)).sum() == pytest.approx(capacity)
    assert model.queueing_delay_s(windows / 100, base_s, capacity) == 0


def test_bands_are_those_of_the_models() -> None:
    bands = expectations()
    for cell in fairness.CELLS:
        band = bands[fairness.statement_id(cell)]
        if cell.qdisc == "fq_codel":
            assert (band.low, band.high) == model.fq_codel_band()
    cell = fairness.Cell("pfifo", 10, 160, 10)
    band = bands[fairness.statement_id(cell)]
    assert (band.low, band.high) == model.pfifo_band(10, 200, (160, 10))


def test_the_labs_have_the_rates_queues_and_round_trips_of_their_cells() -> None:
    cases = fairness.fairness_cases(False)
    assert len(cases) == 24
    for case in cases:
        (bottleneck,) = (link for link in case.topology.links if link.id == "bottleneck")
        shape, values = bottleneck.a_to_b, case.values
        assert shape.rate_mbit == values["rate_mbit"]
        if values["qdisc"] == "pfifo":
            # 242 ms of full frames at both rates
            assert (shape.queue_packets or 0) * 1514 * 8 / float(values["rate_mbit"]) / 1e3 == pytest.approx(242.24)
        else:
            assert shape.queue == FqCodel()
        delays = {link.a.node: link.a_to_b.delay_ms + link.b_to_a.delay_ms for link in case.topology.links}
        assert [delays[flow.source] for flow in case.topology.flows] == [values["rtt1_ms"], values["rtt2_ms"]]
    quick = fairness.fairness_cases(True)
    assert [case.name for case in quick] == [
        "pfifo-10-20-20", "pfifo-10-160-10", "fq_codel-10-20-20", "fq_codel-10-160-10",
    ]  # fmt: skip


def test_statements_have_the_published_rates() -> None:
    for cell in fairness.CELLS:
        row = expectations()[fairness.statement_id(cell)]
        first, second = fairness.published_rates_mbit(cell)
        assert row.published == f"{first / (first + second):.3f} ({first:.2f} and {second:.2f} Mbit/s)"
        assert row.about == f"{cell.qdisc}, {cell.rate_mbit} Mbit/s, {cell.rtt1_ms} and {cell.rtt2_ms} ms: cubic"


def made_up_run(folder: Path, cell: fairness.Cell, rates_mbit: tuple[float, float]) -> Run:
    """A run of 180 s whose receivers get these rates from 100 s on, and nothing before."""
    (folder / "samples").mkdir(parents=True)
    flows = [
        {"id": f"cubic-{number}", "source": f"h{number}", "destination": "r1", "kind": "bulk", "start_s": 0.0,
         "duration_s": 180.0}
        for number in (1, 2)
    ]  # fmt: skip
    (folder / "run.json").write_text(json.dumps({"format_version": 1, "status": "finished", "flows": flows}))
    with (folder / "samples" / "tcp.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, wire.TABLES["tcp"], restval="")
        writer.writeheader()
        for second in range(181):
            for number, rate in enumerate(rates_mbit, 1):
                received = round(max(0, second - 100) * rate * 1e6 / 8)
                row = {"time_s": second, "flow": f"cubic-{number}", "side": "receiver", "bytes_received": received}
                writer.writerow(row)
    values = {"qdisc": cell.qdisc, "rate_mbit": cell.rate_mbit, "rtt1_ms": cell.rtt1_ms, "rtt2_ms": cell.rtt2_ms}
    return Run(folder.name, "right", values, 1, folder)


def test_numbers_are_those_of_made_up_runs(tmp_path: Path) -> None:
    cells = {fairness.Cell("pfifo", 10, 160, 10): (3.0, 6.0), fairness.Cell("fq_codel", 10, 20, 20): (4.0, 4.0)}
    runs = Runs(tmp_path, tuple(made_up_run(tmp_path / str(index), *item) for index, item in enumerate(cells.items())))
    numbers = {check.id: dict(check.measure(runs) or {}) for check in fairness.FAIRNESS.checks}
    assert {name: values for name, values in numbers.items() if values} == {
        "L4S-RTT.12": {"160 ms": pytest.approx(1 / 3)},
        "L4S-RTT.21": {"20 ms": pytest.approx(0.5)},
        "L4S-RTT.25": {"10 Mbit/s 160/10 ms": pytest.approx(9 / 9.564, rel=1e-4)},
        "L4S-RTT.26": {"10 Mbit/s 20/20 ms": pytest.approx(8 / 9.564, rel=1e-4)},
    }
