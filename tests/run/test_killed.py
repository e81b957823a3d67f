"""A run whose process is killed in the middle: the measurements until then are stored, and can be read."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from frrlib import wire
from frrlib.formats.mn import dumps
from frrlib.network.network import Network, Shape, Wait, end
from frrlib.results.packets.views import captured_flows
from frrlib.results.read import open_results
from frrlib.results.statistics.summary import summarize
from frrlib.run.run import RunOutcome, RunSettings, measure
from tests.waiting import pause, wait_for

pytestmark = [pytest.mark.lab, pytest.mark.alone]

#: The maximum age of the last stored sample. Samples are sent every 0.15 s; the rest is for a busy machine.
WITHIN_S = 2.0


def _await_flow(out: Path) -> float:
    """This process's clock when the start of the flow is in the folder."""
    events = out / "events.csv"
    wait_for(lambda: events.exists() and ",flow,f,start," in events.read_text(), "the flow")
    return time.monotonic()


def test_a_killed_lab_kernel_is_reported_and_its_console_is_stored(tmp_path: Path) -> None:
    net = Network("Killed", wait=Wait(ping_count=0))
    for name in ("h1", "h2"):
        net.host(name)
    net.link("h1", "h2", both=Shape(rate_mbit=10, queue_packets=50))
    net.flow("f", "h1", "h2", duration_s=30)
    outcome, settings = RunOutcome(tmp_path / "out"), RunSettings("labkernel")
    lab = settings.lab(net.topology)

    def kill(message: wire.Message) -> None:
        if isinstance(message, wire.FlowEvent) and message.what == "start":
            assert lab._process.sandbox is not None
            os.kill(lab._process.sandbox.pid, signal.SIGKILL)

    measure(lab, dumps(net.topology), outcome, settings, kill)
    reason = "it was killed by SIGKILL, sent by a program, or by the kernel when memory ran out"
    assert outcome.failures == [f"the lab in labkernel has ended: {reason}"]
    assert "killed by SIGKILL" in (tmp_path / "out/logs/console.log").read_text()
    assert open_results(tmp_path / "out").status == "failed"


def test_samples_are_stored_until_the_kill(ordinary_user: Any) -> None:
    net = Network("Killed", wait=Wait(routes=False, ping_count=0))
    for name in ("h1", "h2"):
        net.host(name)
    net.router("r1")
    net.link(end("h1", "10.1.0.10/24"), end("r1", "10.1.0.1/24"))
    net.link(end("r1", "10.2.0.1/24"), end("h2", "10.2.0.2/24"), a_to_b=Shape(rate_mbit=10, queue_packets=50))
    net.flow("f", "h1", "h2", duration_s=60)
    topology_file, out = ordinary_user.home / "killed.mn", ordinary_user.home / "out"
    topology_file.write_text(dumps(net.topology))
    argv = [ordinary_user.python, "-m", "miniedit_frr", "run", str(topology_file), "--place", "namespace"]
    run = ordinary_user.popen([*argv, "--out", str(out), "--capture", "h1-eth0"])
    try:
        began_s = _await_flow(out)
        pause(3.3)
        lasted_s = time.monotonic() - began_s
    finally:
        run.kill()
        run.wait()
    results = open_results(out)
    assert results.status == "killed" and any("killed" in warning for warning in results.warnings)
    for table in (results.tcp, results.queue, results.interface):
        times = table["time_s"]
        assert times.min() < WITHIN_S and times.max() > lasted_s - WITHIN_S
    assert {"sender", "receiver"} == set(results.tcp["side"])
    (flow,) = summarize(results).flows
    assert flow.goodput_mbit is not None and 1 < flow.goodput_mbit < 15
    # The capture is where the lab wrote it.
    (view,), warnings = captured_flows(results)
    assert view.flow == "f" and view.data.payload_bytes.sum() > 1_000_000
    assert any("the start of the flows was not recorded" in warning for warning in warnings)
