"""A small experiment with prepared runs, for tests of reports, commands and windows."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from matplotlib.figure import Figure

from frrlib.model.links import Shape
from frrlib.model.topology import Topology
from frrlib.network.network import Network
from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.runs import CASES, RUNS, Runs

STORED = Path(__file__).parents[1] / "data" / "results-v3"


def dumbbell(control: str, rate_mbit: float) -> Topology:
    """h1 - s1 - s2 - r1 and h2 - s1 - s2 - r2, with all nodes at the same position."""
    net = Network("Two flows")
    for name in ("h1", "h2", "r1", "r2"):
        net.host(name)
    net.bridge("s1")
    net.bridge("s2")
    net.link("h1", "s1")
    net.link("h2", "s1")
    net.link("s1", "s2", a_to_b=Shape(rate_mbit=rate_mbit, delay_ms=10))
    net.link("s2", "r1")
    net.link("s2", "r2")
    for number in (1, 2):
        net.flow(f"f{number}", f"h{number}", f"r{number}", congestion_control=control, duration_s=2)
    return net.topology


def cases(quick: bool) -> tuple[Case, ...]:
    """A case in each set-up, and one with a congestion control that no stock kernel has."""
    stock_cases = (
        Case("published-bbr", dumbbell("bbr", 10), "published", {"cc": "bbr", "loss_percent": 1.5}),
        Case("right-cubic", dumbbell("cubic", 20), "right", {"cc": "cubic"}),
    )
    return (
        stock_cases
        if quick
        else (*stock_cases, Case("right-bbr2", dumbbell("bbr2", 20), "right", {"cc": "bbr2"}, needs="bbr2"))
    )


def rtt(runs: Runs) -> CheckResult:
    """The median RTT of the stored run's flows."""
    run = runs.first()
    if run is None:
        return None
    names = measures.flow_names(run.results)
    medians = {name: measures.statistic(measures.rtt_ms(run.results, name)) for name in names}
    return {name: value for name, value in medians.items() if value is not None}


def draw(runs: Runs) -> Figure:
    """The RTT over time."""
    figure, (panel,) = published_style.new_figure()
    run = runs.first()
    for name in measures.flow_names(run.results) if run else ():
        published_style.draw_series(panel, measures.rtt_ms(run.results, name), label=name)
    published_style.set_axes(panel, "time (s)", "RTT (ms)")
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


SMALL = Experiment(
    name="CF5",
    title="Two flows share a bottleneck",
    source="A. Uthor, An article, 2020",
    setup="Two flows of **one** kind meet at a link of `10 Mbit/s`.\n\nThe buffer is <large>.",
    lesson="*As published* the delay is in the queue; see [the text](https://example.org/a?b=1&c=2).\n\n- one\n- two",
    cases=cases,
    checks=(Check("CF5.1", rtt), Check("CF5.5", lambda runs: None)),
    pictures=(Picture("figure-1", "RTT of both flows over time.", draw),),
)


def stored_runs(folder: Path, *, quick: bool = False) -> Path:
    """Make a folder of experiments that contains SMALL, with one finished and one missing case. Returns the folder."""
    experiment_folder = folder / SMALL.name
    experiment_folder.mkdir(parents=True)
    shutil.copytree(STORED, experiment_folder / RUNS / "published-bbr_1")
    rows = [
        {"name": case.name, "setup": case.setup, "values": dict(case.values), "repeat": case.repeat}
        for case in SMALL.cases(quick)
    ]
    content = {"quick": quick, "cases": rows, "missing": {"right-bbr2": "the kernel has no bbr2"}}
    (experiment_folder / CASES).write_text(json.dumps(content), encoding="utf-8")
    return folder
