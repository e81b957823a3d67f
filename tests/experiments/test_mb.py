"""martinber's scenarios: limits agree with tc, and numbers agree with made-up samples."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from frrlib.checks.check import check
from frrlib.model.links import Shape
from frrlib.model.problem import Severity
from frrlib.results.read import open_results
from miniedit_frr.experiments import catalogue
from miniedit_frr.experiments.bbr2_martinber.bgp import MB_BGP
from miniedit_frr.experiments.bbr2_martinber.declarations import EXPERIMENTS, MB1, MB3, MB4, MB5
from miniedit_frr.experiments.bbr2_martinber.lab import BBR2
from miniedit_frr.experiments.bbr2_martinber.numbers import (
    rate_after_cuts_mbit,
    rate_by_period_mbit,
    rtt_ms,
    throughput_mbit,
    window_cuts,
)
from miniedit_frr.experiments.declaration import Experiment
from miniedit_frr.experiments.expectations import expectations
from miniedit_frr.experiments.published_style import draw_picture
from miniedit_frr.experiments.runs import CASES, RUNS, Runs, open_runs

SCENARIOS = [experiment for experiment in EXPERIMENTS if experiment is not MB_BGP]
FRAME_BYTES, PAYLOAD_BYTES = 1514, 1448
#: Scenario 5: the rate, the delay and the buffer, and their capacity in frames.
RATE_MBIT, DELAY_MS, BUFFER_BYTES = 100, 50, 200_000
HELD = RATE_MBIT * 1e6 / 8 * DELAY_MS / 1e3 / FRAME_BYTES
FULL = HELD + BUFFER_BYTES / FRAME_BYTES


def _shapes(experiment: Experiment, setup: str) -> list[Shape]:
    return [case.topology.links[1].a_to_b for case in experiment.cases(False) if case.setup == setup]


@pytest.mark.parametrize("experiment", SCENARIOS, ids=lambda experiment: experiment.name)
def test_the_right_queue_has_the_actual_limit_of_the_published_one(experiment: Experiment) -> None:
    for published_shape, right_shape in zip(
        _shapes(experiment, "published"), _shapes(experiment, "right"), strict=True
    ):
        words = published_shape.qdiscs[1].split()
        rate_mbit, burst_kb = (float(words[words.index(name) + 1].strip("kmbit")) for name in ("rate", "burst"))
        if "latency" in words:  # tc: rate x latency + burst
            latency_ms = float(words[words.index("latency") + 1].removesuffix("ms"))
            limit = rate_mbit * 1e6 / 8 * latency_ms / 1e3 + burst_kb * 1024
        else:
            limit = float(words[words.index("limit") + 1])
        assert (right_shape.queue_bytes, right_shape.rate_mbit) == (limit, rate_mbit)
        assert f"delay {right_shape.delay_ms:g}ms" in published_shape.qdiscs[0]
        assert (f"loss {right_shape.loss_percent:g}%" in published_shape.qdiscs[0]) == (right_shape.loss_percent > 0)


@pytest.mark.parametrize("quick", [False, True])
def test_cases_can_be_run_and_include_every_variant(quick: bool) -> None:
    for experiment in EXPERIMENTS:
        cases = experiment.cases(quick)
        assert len({case.name for case in cases}) == len(cases)
        for case in cases:
            assert [problem for problem in check(case.topology) if problem.severity is Severity.ERROR] == []
            assert case.needs == (BBR2 if case.values.get("cc") == BBR2 else "")
    variants = {(case.values["delay_ms"], case.setup) for case in MB5.cases(quick)}
    assert variants >= {(50, "published"), (50, "right"), (200, "published")}
    assert {case.values["buffer_ms"] for case in MB3.cases(quick)} == {50, 100}


def test_every_statement_has_its_check() -> None:
    for declared in EXPERIMENTS:
        statement_ids = [row.id for row in expectations().values() if row.experiment == declared.name]
        assert [declared_check.id for declared_check in declared.checks] == statement_ids
        assert catalogue.experiment(declared.name) is declared


def test_cases_with_one_processor_run_only_in_real_time() -> None:
    for case in MB4.cases(False):
        cores = {host.cores for host in case.topology.hosts}
        assert (bool(case.real_time), cores) == ((True, {"0"}) if case.setup == "published" else (False, {""}))


def _write(folder: Path, rows: np.ndarray, control: str) -> Path:
    (folder / "samples").mkdir(parents=True)
    record = {"format_version": 3, "status": "finished", "flows": [{"id": "data", "congestion_control": control}]}
    (folder / "run.json").write_text(json.dumps(record))
    lines = [f"{t:.3f},data,sender,{cwnd:.0f},{srtt:.3f},{sent:.0f}" for t, cwnd, srtt, sent in rows]
    header = "time_s,flow,side,cwnd_packets,srtt_ms,bytes_sent"
    (folder / "samples/tcp.csv").write_text("\n".join((header, *lines)) + "\n")
    return folder


def _reno(seconds: float) -> tuple[np.ndarray, list[float]]:
    """Textbook Reno: the window grows by a packet in each round trip, and is halved when the queue is full. Returns the
    rows for `_write`, and the times of halving."""
    step_s, window, sent, rows, halved = 0.02, FULL / 2, 0.0, [], []
    for tick in range(int(seconds / step_s)):
        round_s = DELAY_MS / 1e3 * max(1.0, window / HELD)
        rows.append((tick * step_s, window, round_s * 1e3, sent))
        sent += window * PAYLOAD_BYTES * step_s / round_s
        window += step_s / round_s
        if window > FULL:
            window /= 2
            halved.append((tick + 1) * step_s)
    return np.array(rows), halved


def test_the_numbers_of_a_sawtooth_are_those_of_its_formula(tmp_path: Path) -> None:
    rows, halved = _reno(60.0)
    results = open_results(_write(tmp_path / "run", rows, "reno"))
    assert len(halved) == 4
    assert [end_s for _, end_s in window_cuts(results)] == pytest.approx(halved, abs=0.03)
    slow_mbit = FULL / 2 * PAYLOAD_BYTES * 8 / DELAY_MS * 1e-3
    assert slow_mbit == pytest.approx(63.1, abs=0.1)
    behind, by_period = rate_after_cuts_mbit(results), rate_by_period_mbit(results)
    assert behind is not None and by_period is not None
    assert slow_mbit < behind < slow_mbit * 1.02  # it has grown by three packets on average meanwhile
    assert by_period == pytest.approx(slow_mbit, rel=0.02)
    assert rtt_ms(np.max)(results) == pytest.approx(DELAY_MS + BUFFER_BYTES * 8 / RATE_MBIT / 1e3, rel=0.01)
    full_mbit = RATE_MBIT * PAYLOAD_BYTES / FRAME_BYTES
    mean = throughput_mbit(2.5)(results)
    assert mean is not None and slow_mbit < mean < full_mbit
    assert throughput_mbit(61.0)(results) is None


def test_a_period_needs_two_cuts(tmp_path: Path) -> None:
    results = open_results(_write(tmp_path / "run", _reno(20.0)[0], "reno"))
    assert len(window_cuts(results)) == 1
    assert rate_after_cuts_mbit(results) is not None
    assert rate_by_period_mbit(results) is None


def _runs(folder: Path, experiment: Experiment, *, quick: bool = False) -> Runs:
    rows = [
        {"name": case.name, "setup": case.setup, "values": dict(case.values), "repeat": 1}
        for case in experiment.cases(quick)
    ]
    folder.mkdir(exist_ok=True)
    missing = {case.name: "no kernel here has bbr2" for case in experiment.cases(quick) if case.needs}
    (folder / CASES).write_text(json.dumps({"quick": quick, "cases": rows, "missing": missing}))
    return open_runs(folder)


def test_checks_name_the_set_up_of_each_number(tmp_path: Path) -> None:
    rows, _ = _reno(60.0)
    for variant in ("published-reno-delay-50", "right-reno-delay-50", "right-reno-delay-200"):
        _write(tmp_path / RUNS / f"{variant}_1", rows, "reno")
    results = {check.id: check.measure(_runs(tmp_path, MB5)) for check in MB5.checks}
    assert set(results["MB5.thr.reno"] or {}) == {"as published", "done right"}  # not of the variant
    assert results["MB5.thr.bbr2"] is None
    assert set(results["MB5.reno"] or {}) == {
        f"{setup}, {method}"
        for setup in ("as published", "done right")
        for method in ("after halving", "by the period")
    }
    for name in ("MB5.thr.reno", "MB5.reno", "MB5.rtt"):
        assert all(expectations()[name].holds(number) for number in (results[name] or {}).values())
    short = _runs(tmp_path, MB5, quick=True)
    assert (
        next(check for check in MB5.checks if check.id == "MB5.reno").measure(short) is None
    )  # of a whole minute only


def test_the_control_run_does_not_decide_about_starvation(tmp_path: Path) -> None:
    rows, _ = _reno(10.0)
    reno, bbr, _ = MB4.checks
    for control in ("reno", "bbr"):
        _write(tmp_path / RUNS / f"right-{control}_1", rows, control)
    assert list(reno.measure(_runs(tmp_path, MB4)) or {}) == ["done right"]
    assert bbr.measure(_runs(tmp_path, MB4)) is None
    for control in ("reno", "bbr"):
        _write(tmp_path / RUNS / f"published-{control}_1", rows, control)
    for control_check in (reno, bbr):
        assert list(control_check.measure(_runs(tmp_path, MB4)) or {}) == ["as published"]


@pytest.mark.parametrize(("bbr_mbit", "reno_mbit", "holds"), [(60, 3, 1.0), (60, 6, 0.0), (2, 3, 0.0)])
def test_the_order_of_throughputs_is_checked(tmp_path: Path, bbr_mbit: float, reno_mbit: float, holds: float) -> None:
    for control, mbit in (("reno", reno_mbit), ("cubic", 3), ("bbr", bbr_mbit)):
        times = np.arange(0, 10.01, 0.1)
        rows = np.column_stack((times, np.full_like(times, 10), np.full_like(times, 100), times * mbit * 1e6 / 8))
        _write(tmp_path / RUNS / f"right-{control}-buffer-50_1", rows, control)
    order = next(check for check in MB3.checks if check.id == "MB3.order")
    assert order.measure(_runs(tmp_path, MB3)) == {"done right, 50 ms": holds}


def test_figures_show_published_curves_and_missing_cases(tmp_path: Path) -> None:
    rows, _ = _reno(20.0)
    _write(tmp_path / RUNS / "right-reno_1", rows, "reno")
    figure = draw_picture(MB1.pictures[0], _runs(tmp_path, MB1))
    assert len(figure.axes) == 4 * 4
    titles = [panel.get_title("left") or panel.get_title() for panel in figure.axes[:4]]
    assert titles == ["Figure 18: Reno", "Figure 19: CUBIC", "Figure 20: BBR", "Figure 21: BBRv2"]
    drawn_lines = [len(panel.lines) for panel in figure.axes]
    assert drawn_lines == [2, 1, 1, 1] * 3 + [
        1,
        1,
        1,
        1,
    ]  # published everywhere, and our Reno, of which no queue is known
    # Published: Reno's window is 143 packets at most behind the start.
    (times, windows), (_, ours) = (line.get_data() for line in figure.axes[4].lines)
    assert np.max(windows[times > 2.5]) == pytest.approx(143, abs=2)
    assert np.max(ours) == pytest.approx(FULL, abs=1)
    words = " ".join(text.get_text() for text in figure.findobj(match=lambda artist: hasattr(artist, "get_text")))
    assert "ours: not run" in words and "no kernel here has bbr2" in " ".join(words.split())


def _bgp(folder: Path, setup: str, route: str, ttl: list[int]) -> None:
    run_folder = folder / RUNS / f"{setup}_1"
    (run_folder / "logs").mkdir(parents=True)
    pings = [{"source": "h1", "destination": "h2", "address": "10.1.0.10", "sent": 3, "received": len(ttl), "ttl": ttl}]
    (run_folder / "run.json").write_text(json.dumps({"format_version": 3, "status": "finished", "pings": pings}))
    (run_folder / "logs/r1.routes.txt").write_text(
        f"C>* 10.0.0.0/16 is directly connected, r1-eth1, 00:00:00\n{route}\n"
    )


@pytest.mark.parametrize(
    ("route", "ttl", "has_route", "pings"),
    [
        ("B>* 10.1.0.0/16 [20/0] via 10.9.0.2, r1-eth0, weight 1, 00:00:00", [62, 62, 62], 1.0, (0, 0)),
        ("B>* 10.1.0.0/16 [200/0] via 10.9.0.2, r1-eth0, weight 1, 00:00:00", [62, 61], 0.0, (1, 1)),
        ("B   10.1.0.0/16 [20/0] via 10.9.0.2, r1-eth0, weight 1, 00:00:00", [], 0.0, (3, 0)),
    ],
)
def test_routes_and_pings(tmp_path: Path, route: str, ttl: list[int], has_route: float, pings: tuple[int, int]) -> None:
    _bgp(tmp_path, "right", route, ttl)
    _bgp(tmp_path, "published", "", [])
    route_check, ping_check = MB_BGP.checks
    runs = _runs(tmp_path, MB_BGP)
    assert route_check.measure(runs) == {"r1": has_route}
    assert tuple((ping_check.measure(runs) or {}).values()) == pings


def test_checks_have_no_result_without_runs(tmp_path: Path) -> None:
    for experiment in EXPERIMENTS:
        runs = _runs(tmp_path / experiment.name, experiment)
        assert {check.measure(runs) for check in experiment.checks} <= {None}
    draw_picture(MB_BGP.pictures[0], runs)
