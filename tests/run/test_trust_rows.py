"""Every row of a verdict in a lab in virtual time: an honest run is trustworthy, and each falsified copy is not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats.mn import dumps
from frrlib.lab.lab import Lab
from frrlib.network.network import Network, Shape, Wait, end
from frrlib.results.layout import FlowPath
from frrlib.results.read import open_results
from frrlib.results.statistics.summary import Summary, summarize
from frrlib.run.run import RunOutcome, RunSettings, measure
from tests.results.test_verdict import alter, change_run_info, finding_about, unexpected_findings
from tests.results.test_verdict_paths import lengthen, multiply_data

pytestmark = [pytest.mark.lab]

QUEUE, BACK = "l2:r1-h2", "l2:h2-r1"
RATE_MBIT, DELAY_MS = 10, 10
#: A flow of BBR and one of CUBIC, which share the queue.
FLOWS = ("bbr", "cubic")


def _network() -> Network:
    net = Network("A shared queue", wait=Wait(routes=False, ping_count=2))
    net.host("h1")
    net.router("r1")
    net.host("h2")
    net.link(end("h1", "10.1.0.10/24"), end("r1", "10.1.0.1/24"))
    shape = Shape(rate_mbit=RATE_MBIT, delay_ms=DELAY_MS, queue_bytes=40_000)
    net.link(end("r1", "10.2.0.1/24"), end("h2", "10.2.0.2/24"), both=shape)
    for name in FLOWS:
        net.flow(name, "h1", "h2", congestion_control=name, duration_s=4)
    return net


@pytest.fixture(scope="module")
def honest(virtual_time: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """A run, and the drops by `tc` of both queues when its flows had ended."""
    folder, net = tmp_path_factory.mktemp("trust") / "run", _network()
    settings = RunSettings(virtual_time=True, captures=("r1:r1-eth0", "r1:r1-eth1"))
    lab: Lab = settings.lab(net.topology)
    drops: dict[str, int] = {}

    def read_drops() -> None:
        for direction, node, interface in ((QUEUE, "r1", "r1-eth1"), (BACK, "h2", "h2-eth0")):
            printed = json.loads(lab[node].run("tc", "-s", "-j", "qdisc", "show", "dev", interface, "root"))
            drops[direction] = printed[0]["drops"]

    outcome = RunOutcome(folder)
    measure(lab, dumps(net.topology), outcome, settings, lambda _: None, linger=read_drops, figure=False)
    assert outcome.failures == []
    return folder, drops


@pytest.fixture
def copy(honest: tuple[Path, dict[str, int]], tmp_path: Path) -> Path:
    """A copy of the run, to be falsified."""
    folder = Path(shutil.copytree(honest[0], tmp_path / "run"))
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


def _judged(folder: Path) -> Summary:
    return summarize(open_results(folder))


def test_an_honest_run_has_every_row_and_is_trustworthy(honest: tuple[Path, dict[str, int]]) -> None:
    folder, drops = honest
    summary = _judged(folder)
    assert (summary.verdict, unexpected_findings(summary)) == ("trustworthy", set())
    info = open_results(folder).info
    base_ms = 2 * DELAY_MS + (1514 + 86) * 8 / (RATE_MBIT * 1e3)
    paths = [flow.path for flow in info.flows]
    path = FlowPath(forward=("l1:h1-r1", QUEUE), reverse=(BACK, "l1:r1-h1"), base_rtt_ms=base_ms)
    assert [recorded.model_copy(update={"base_rtt_ms": base_ms}) for recorded in paths if recorded] == [path, path]
    assert info.queue_drops == {name: (count, count) for name, count in drops.items()}
    assert drops[QUEUE] > 0
    for name in FLOWS:
        assert finding_about(summary, "RTT", name).configured == pytest.approx(base_ms)
        assert finding_about(summary, "goodput", name).configured == pytest.approx(RATE_MBIT * 1448 / 1514)
    assert 9.5 < float(finding_about(summary, "sum", QUEUE).measured or 0) <= RATE_MBIT
    assert finding_about(summary, "drops", QUEUE).measured == drops[QUEUE]
    assert finding_about(summary, "FIFO", QUEUE).measured == 0.0


@pytest.mark.parametrize(
    ("falsify", "row"),
    [
        (lambda folder: lengthen(folder, "bbr", "srtt_ms", 8), ("RTT", "bbr")),
        (lambda folder: lengthen(folder, "cubic", "min_rtt_ms", 8), ("RTT", "cubic")),
        (lambda folder: multiply_data(folder, "bbr", 4), ("goodput", "bbr")),
        (lambda folder: multiply_data(folder, "cubic", 1.5), ("sum", QUEUE)),
        (lambda folder: change_run_info(folder, lambda run: run["queue_drops"][QUEUE].__setitem__(slice(0, 2), [1, 1])),
         ("drops", QUEUE)),
        (lambda folder: change_run_info(folder, lambda run: run["queues"][QUEUE].update(rate_mbit=10.1)),
         ("FIFO", QUEUE)),
        (lambda folder: alter(folder, "tcp", lambda row: row.update(congestion_control="reno")), ("control", "bbr")),
    ],
)  # fmt: skip
def test_each_falsified_copy_is_found(copy: Path, falsify: Callable[[Path], Any], row: tuple[str, str]) -> None:
    falsify(copy)
    summary = _judged(copy)
    assert summary.verdict in ("doubtful", "not as drawn")
    assert row in {(check, subject) for check, subject, _ in unexpected_findings(summary)}
