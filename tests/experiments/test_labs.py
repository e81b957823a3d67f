"""An experiment in real labs: two runs, numbers taken from them, and a verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from frrlib.model.links import Shape
from frrlib.model.topology import Topology
from frrlib.network.network import Network
from frrlib.run.run import RunSettings
from frrlib.sweep.events import Tally
from frrlib.sweep.options import SweepOptions
from miniedit_frr.experiments import measures, published_style, verdict
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment
from miniedit_frr.experiments.expectations import expectations
from miniedit_frr.experiments.plan import ExperimentOptions
from miniedit_frr.experiments.runner import carry_out, make_plan
from miniedit_frr.experiments.runs import Runs, open_runs
from miniedit_frr.experiments.verdict import judge
from tests.experiments.small import SMALL, draw

CONTROLS = ("reno", "cubic")


def pair(control: str) -> Topology:
    net = Network(control)
    net.host("h1")
    net.host("h2")
    # 60 ms of queue: losses of slow start are repaired before the measurement.
    net.link("h1", "h2", both=Shape(rate_mbit=10, queue_packets=50))
    net.flow("f1", "h1", "h2", duration_s=2, congestion_control=control)
    return net.topology


def goodputs(runs: Runs) -> CheckResult:
    medians = {cc: runs.median(lambda run: measures.goodput_mbit(run, "f1", 1.0, 2.0), cc=cc) for cc in CONTROLS}
    return {cc: value for cc, value in medians.items() if value is not None}


@pytest.mark.lab
def test_two_cases_are_run_drawn_and_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_virtual: bool) -> None:
    # 1448 bytes of a full frame of 1514 bytes are data: 9.56 of 10 Mbit/s, and a full queue may arrive late. In real
    # time a short stall of the machine costs Reno half of its second, and moves bytes into another one.
    low, high = (7.0, 10.5) if is_virtual else (0.01, 20.0)
    settings = RunSettings(virtual_time=is_virtual)
    statement = replace(expectations()["CF5.5"], low=low, high=high)
    monkeypatch.setattr(verdict, "expectations", lambda: {"CF5.5": statement})
    experiment = Experiment(
        "X", "", "", "", "",
        lambda quick: tuple(Case(cc, pair(cc), values={"cc": cc}, sample_hz=20) for cc in CONTROLS),
        (Check("CF5.5", goodputs),), SMALL.pictures,
    )  # fmt: skip
    plan = make_plan([experiment], ExperimentOptions(settings=settings))
    assert dict(plan.missing) == {}
    sweep_options = SweepOptions(jobs=2 if settings.virtual_time else 1)
    assert carry_out(plan, tmp_path, sweep_options) == Tally(finished=2, failed=0, remaining=0, earlier=0)
    runs = open_runs(tmp_path / "X")
    (judged,) = judge(experiment, runs)
    assert (judged.outcome, set(judged.ours)) == ("pass", set(CONTROLS)), judged
    assert {run.values["cc"]: measures.find_flow(run.results, "f1").congestion_control for run in runs} == {  # type: ignore[union-attr]
        cc: cc for cc in CONTROLS
    }
    assert published_style.draw_picture(SMALL.pictures[0], runs).axes[0].get_lines()
    assert draw(runs)
