"""The star of the loss and delay experiments in a lab: the window that its receiver offers is the published one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from frrlib.formats.mn import dumps
from frrlib.results.read import open_results
from frrlib.run.run import RunOutcome, RunSettings, measure
from miniedit_frr.experiments.miniweb_girondi.star import IPERF, published_star

#: Mininet lets buffers grow to 16 MiB, and Linux 4.9 gave half of that to the window.
WINDOW_BYTES = 8 * 1024 * 1024


@pytest.mark.lab
@pytest.mark.usefixtures("virtual_time")
def test_the_window_is_that_of_linux_4_9_in_every_kernel(tmp_path: Path) -> None:
    net = published_star(delay_ms=50.0)
    net.flow("f", *IPERF, congestion_control="reno", duration_s=6)
    outcome, settings = RunOutcome(tmp_path / "out"), RunSettings(virtual_time=True, sample_hz=5.0)
    measure(settings.lab(net.topology), dumps(net.topology), outcome, settings, lambda _: None)
    assert outcome.failures == []
    tcp = open_results(outcome.folder).tcp
    offered = float(np.nanmax(tcp["send_window_bytes"][tcp["side"] == "sender"]))
    assert WINDOW_BYTES * 0.95 < offered <= WINDOW_BYTES * 1.01
