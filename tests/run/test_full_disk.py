"""A disk that becomes full while flows send: the lab ends in order, and the measurements can be read."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from frrlib import wire
from frrlib.formats.mn import dumps
from frrlib.network.network import Network, Shape, Wait
from frrlib.results.read import open_results
from frrlib.run.run import RunSettings, run
from tests.filling import largest_file

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]


def test_measurements_until_the_full_disk_are_stored_with_the_reason(tmp_path: Path) -> None:
    net = Network("Two hosts", wait=Wait(ping_count=1))
    net.host("h1")
    net.host("h2")
    net.link("h1", "h2", both=Shape(rate_mbit=10, delay_ms=10, queue_ms=100))
    net.flow("f", "h1", "h2", congestion_control="cubic", duration_s=20)
    steps: list[tuple[str, str]] = []
    with ExitStack() as limits:

        def fill_at_start(message: wire.Message) -> None:
            if isinstance(message, wire.StepEvent):
                steps.append((message.name, message.state))
                if (message.name, message.state) == ("flows", "start"):
                    limits.enter_context(largest_file(100_000))

        outcome = run(
            net.topology, dumps(net.topology), tmp_path / "out", RunSettings(virtual_time=True), fill_at_start
        )
    assert "cannot be written any more: File too large" in outcome.failures[0]
    assert ("figure", "done") in steps
    results = open_results(tmp_path / "out")
    assert results.status == "failed" and results.info.failures == (outcome.failures[0],)
    assert 1 < results.tcp["time_s"].max() < 19
    assert outcome.summary is not None and outcome.summary.flow("f").goodput_mbit is not None
    assert outcome.summary.flow("f").goodput_mbit == pytest.approx(9.3, abs=0.7)
