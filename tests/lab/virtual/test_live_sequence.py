"""The live sequence numbers, which are made of the sender's samples, against the packets at the sender's interface."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from frrlib.formats.mn import dumps
from frrlib.network.network import Network, Shape
from frrlib.plots.packets import first_captures
from frrlib.results.packets.sequence import sequence
from frrlib.results.packets.views import captured_flows
from frrlib.results.read import open_results
from frrlib.run.run import RunSettings, run
from miniedit_frr.live import stored
from miniedit_frr.live.curves import TimeWindow
from miniedit_frr.live.quantities import BY_KEY

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]
SECONDS = 3.0
#: A packet passes the interface at about the time at which its socket counts it.
APART_S = 0.002


def _count_at(times: np.ndarray, numbers: np.ndarray, at_s: np.ndarray) -> np.ndarray:
    """The largest number so far at these times; 0 before the first."""
    highest = np.concatenate(([0.0], np.maximum.accumulate(numbers)))
    return highest[np.searchsorted(times, at_s, side="right")]


def test_live_sequence_numbers_are_those_of_the_captured_packets(tmp_path: Path) -> None:
    net = Network("Slow start overflows a queue")
    net.host("h1")
    net.router("r1")
    net.host("h2")
    net.link("h1", "r1")
    net.link("r1", "h2", a_to_b=Shape(rate_mbit=10, delay_ms=20, queue_packets=20), b_to_a=Shape(delay_ms=20))
    net.flow("f", "h1", "h2", congestion_control="cubic", duration_s=SECONDS)
    settings = RunSettings(virtual_time=True, captures=("h1:h1-eth0",))
    outcome = run(net.topology, dumps(net.topology), tmp_path / "out", settings, figure=False)
    assert outcome.failures == []
    captured, _ = captured_flows(open_results(tmp_path / "out"))
    (view,) = first_captures([view for view in captured if view.flow == "f"])
    packets = sequence(view.data, view.acks)
    assert packets.is_resent.any() and packets.sacks.time_s.size

    live = stored.run_of(tmp_path / "out")
    curves = {curve.style: curve.data for curve in BY_KEY["sequence"].lines(live, TimeWindow(-1.0, SECONDS, 0.1))}
    assert curves.keys() == {"main", "limit", "aside", "resent"}
    for style, times, numbers in (
        ("main", packets.sent_s, packets.ends),
        ("aside", packets.acked_s, packets.acknowledged),
    ):
        at_s, values_kb = curves[style]
        # The kernel counts the SYN as one acknowledged byte, so numbers may differ by one.
        assert (values_kb * 1e3 >= _count_at(times, numbers, at_s - APART_S) - 1.5).all()
        assert (values_kb * 1e3 <= _count_at(times, numbers, at_s + APART_S) + 1.5).all()
    sack_kb = curves["limit"][1]
    assert (sack_kb > curves["aside"][1] + 1.4).any() and (sack_kb <= curves["main"][1] + 1.448).all()

    resent_s, marked_s = packets.sent_s[packets.is_resent], curves["resent"][0]
    sampled_s = live.flows["f"].sender.times
    after_s = sampled_s[np.minimum(np.searchsorted(sampled_s, resent_s - APART_S), sampled_s.size - 1)]
    assert np.abs(after_s[:, None] - marked_s).min(axis=1).max() < 0.011  # each packet is in a marked sample
    before_s = marked_s[:, None] - resent_s
    assert ((before_s > -APART_S) & (before_s < 0.01 + APART_S)).any(axis=1).all()  # each mark has a packet
