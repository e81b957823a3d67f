"""Queue limits while rates change: the limits in the kernel, in the results, and in figures and tables."""

from __future__ import annotations

import json
import shutil
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frrlib.formats.mn import dumps
from frrlib.lab.lab import Lab
from frrlib.model.courses import Course
from frrlib.model.queues import FqCodel
from frrlib.model.topology import Topology
from frrlib.model.traffic.kinds import ConstantRate
from frrlib.model.traffic.waiting_kinds import Command
from frrlib.network.network import Network, Shape
from frrlib.plots.run import figure
from frrlib.results.queue_limits import limit_history
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.series import queue_directions, series
from frrlib.results.statistics.summary import Summary, summarize
from frrlib.results.statistics.table import summary_tables
from frrlib.run.run import RunOutcome, RunSettings, measure
from miniedit_frr.live import stored
from miniedit_frr.live.curves import TimeWindow
from miniedit_frr.live.quantities import BY_KEY

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]

#: The rate in Mbit/s from each time on, and the time at which the rate of the topology returns.
TRACE, ENDS_S = ((0.0, 10.0), (3.0, 2.0), (5.0, 0.5), (7.0, 5.0)), 9.0
FRAME_BYTES = 1514
#: The links from r1, and the limits in bytes that each must have at 10, 2, 0.5 and 5 Mbit/s; one for all rates if the
#: limit does not follow the rate, None where the discipline's own limit stays.
LINKS: tuple[tuple[Shape, tuple[int | None, ...]], ...] = (
    (Shape(rate_mbit=10, queue_ms=300), (375_000, 75_000, 18_750, 187_500)),
    (Shape(rate_mbit=10, queue_bytes=60_000), (60_000,)),
    (Shape(rate_mbit=10, queue_packets=50), (50 * FRAME_BYTES,)),
    # 2 x 40 ms
    (Shape(rate_mbit=10, delay_ms=20, queue_bdp=2), (100_000, 20_000, 5_000, 50_000)),
    # 100 ms, at least 10 frames
    (Shape(rate_mbit=10), (125_000, 25_000, 10 * FRAME_BYTES, 62_500)),
    (Shape(rate_mbit=10, shaper="htb", queue_ms=300), (375_000, 75_000, 18_750, 187_500)),
    (Shape(rate_mbit=10, queue=FqCodel()), (None,)),
)  # fmt: skip
#: The links that a flow overloads.
LOADED = (1, 2)
_READ = "while sleep 0.5; do tc -j -s qdisc show; done > /tmp/counters"


def _topology() -> Topology:
    net = Network("Queue limits")
    net.host("h")
    net.router("r1")
    net.link("h", "r1")
    for number, (shape, _) in enumerate(LINKS, start=1):
        net.host(f"d{number}")
        net.link("r1", f"d{number}", id=f"q{number}", both=shape)
        course = Course(pattern="trace", points=TRACE)
        net.fault(0.0, "varied", f"q{number}", duration_s=ENDS_S, towards=f"d{number}", course=course)
    for number in LOADED:
        net.flow(f"f{number}", "h", f"d{number}", duration_s=ENDS_S, traffic=ConstantRate(rate_mbit=12))
    net.flow("read", "r1", "d1", duration_s=ENDS_S, traffic=Command(command=_READ))
    return net.topology


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, list[list[dict[str, Any]]]]:
    """The results of one run, and the kernel's own reports at the bottlenecks, twice a second."""
    topology, outcome, read = _topology(), RunOutcome(tmp_path_factory.mktemp("limits") / "run"), [""]
    lab = Lab(topology, virtual_time=True)

    def keep_reports() -> None:
        read[0] = lab["r1"].run("cat", "/tmp/counters")

    measure(lab, dumps(topology), outcome, RunSettings(virtual_time=True), lambda _: None, linger=keep_reports)
    assert outcome.failures == []
    return open_results(outcome.folder), [json.loads(line) for line in read[0].splitlines() if line.endswith("]")]


def _kernel_limits(reports: list[list[dict[str, Any]]], interface: str) -> list[int]:
    """The limits in force at an interface, each once, as the kernel reports them."""
    limits = [
        entry["options"]["limit"]
        for report in reports
        for entry in report
        if entry["dev"] == interface and entry["kind"] in ("bfifo", "pfifo", "fq_codel")
    ]
    return [limit for limit, _ in groupby(limits)]


def _course(results: Results, number: int) -> list[float]:
    direction = f"q{number}:r1-d{number}"
    limit = limit_history(results, direction, results.info.queues[direction].limit_bytes)
    return [limit_bytes for limit_bytes, _ in groupby(limit.between(0.0, ENDS_S - 0.5).tolist())]


@pytest.mark.parametrize("number", range(1, len(LINKS) + 1))
def test_the_kernel_and_the_results_have_the_same_limits(
    number: int, run: tuple[Results, list[list[dict[str, Any]]]]
) -> None:
    results, reports = run
    shape, limits = LINKS[number - 1]
    in_kernel = _kernel_limits(reports, f"r1-eth{number}")
    if limits == (None,):
        assert len(in_kernel) == 1 and not _course(results, number)
        return
    unit = FRAME_BYTES if shape.queue_packets else 1
    assert tuple(limit * unit for limit in in_kernel)[: len(limits)] == limits
    assert tuple(_course(results, number)) == limits


def test_drops_occur_at_the_limit_in_force(run: tuple[Results, list[list[dict[str, Any]]]]) -> None:
    results, _ = run
    for number in LOADED:
        direction = f"q{number}:r1-d{number}"
        rows = queue_directions(results)[direction]
        times, drops = series(rows, "drops")
        limit = limit_history(results, direction, results.info.queues[direction].limit_bytes)
        backlog, limits = rows["backlog_bytes"], limit.at(times)
        dropped = np.flatnonzero(np.diff(drops) > 0) + 1
        assert dropped.size > 100
        # a queue above a lowered limit drops new packets, and keeps its own
        lower = np.minimum(limits[dropped], limits[dropped - 1])
        assert (backlog[dropped] > lower - 3 * FRAME_BYTES).all()
        at_limit = dropped[backlog[dropped] <= limits[dropped]]
        assert set(limits[at_limit].tolist()) == set(LINKS[number - 1][1])


def test_figure_live_plot_table_and_verdict_agree(run: tuple[Results, list[list[dict[str, Any]]]]) -> None:
    results, _ = run
    summary: Summary = summarize(results)
    moved, fixed = (summary.queue(f"q{number}:r1-d{number}") for number in LOADED)
    assert (moved.limit_bytes, moved.limit_least_bytes, moved.limit_most_bytes) == (375_000, 18_750, 375_000)
    assert (fixed.limit_least_bytes, fixed.limit_most_bytes) == (60_000, 60_000)
    assert moved.full_delay_ms == pytest.approx(300)
    assert fixed.full_delay_ms == pytest.approx(60_000 * 8e-3 / 0.5)
    (queues,) = (table for table in summary_tables(summary) if table.title == "Queues")
    column = queues.headings.index("limit kB")
    assert {row[0]: row[column] for row in queues.rows if row[0].startswith(("q1:r1", "q2:r1"))} == {
        "q1:r1-d1": "18.8-375.0", "q2:r1-d2": "60.0",
    }  # fmt: skip
    panel = next(axes for axes in figure(results).axes if axes.get_ylabel() == "Queue, kB")
    (steps,) = (patch.get_data() for patch in panel.patches if patch.get_label() == "_reference")
    assert steps.values.tolist() == [375, 75, 18.75, 187.5, 375]
    live = stored.run_of_results(results)
    view = TimeWindow(0, ENDS_S - 0.1, 0.1)
    lines = {
        key: [line for line in BY_KEY[key].lines(live, view) if (line.style, line.subject) == ("limit", "q1:r1-d1")]
        for key in ("queue_kb", "queue_ms")
    }
    assert [value for value, _ in groupby(lines["queue_kb"][0].data[1])] == pytest.approx([375, 75, 18.75, 187.5])
    assert set(np.round(lines["queue_ms"][0].data[1], 6)) == {300.0}
    held = {finding.subject: finding for finding in summary.findings if finding.what == "queue"}
    for number in LOADED:
        finding = held[f"q{number}:r1-d{number}"]
        assert (finding.severity, finding.configured in LINKS[number - 1][1]) == ("ok", True), finding
    assert summary.verdict != "not as drawn", summary.findings


def test_a_limit_that_differs_from_the_recorded_one_is_found(
    run: tuple[Results, list[list[dict[str, Any]]]], tmp_path: Path
) -> None:
    """The queue of 18750 bytes is recorded as one of 12000, then as one of 30000."""
    for recorded in (12_000, 30_000):
        shutil.copytree(run[0].folder, copy := tmp_path / str(recorded))
        events = copy / "events.csv"
        text = events.read_text()
        events.chmod(0o644)
        events.write_text(text.replace("18750 bytes towards d1", f"{recorded} bytes towards d1"))
        (finding,) = (
            candidate
            for candidate in summarize(open_results(copy)).findings
            if (candidate.what, candidate.subject) == ("queue", "q1:r1-d1")
        )
        assert (finding.severity, finding.unit) == ("wrong", "bytes"), (recorded, finding)
