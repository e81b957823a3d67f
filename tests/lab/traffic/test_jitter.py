"""Measured delays in a lab: packets have the delays of the samples, including gaps and the tail."""

from __future__ import annotations

import random

import pytest

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.model.delays import mean_ms, spread_ms
from frrlib.network.network import Impairments, Network, Shape
from frrlib.verify.links import binomial_interval

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]

_CHANCE = random.Random(11)
#: Three paths through a network, with no delays between them. The tail is 6 standard deviations from the mean.
SAMPLES = tuple(
    [_CHANCE.uniform(20, 30) for _ in range(700)]
    + [_CHANCE.uniform(60, 65) for _ in range(285)]
    + [_CHANCE.uniform(190, 200) for _ in range(15)]
)
#: The time in ms that a reply takes besides the sampled delay.
_OVERHEAD_MS = 0.3


def test_round_trips_have_the_distribution_of_the_samples() -> None:
    net = Network("Measured jitter")
    net.host("h1")
    net.host("h2")
    shape = Shape(delay_ms=mean_ms(SAMPLES), jitter_ms=spread_ms(SAMPLES), impairments=Impairments(
        jitter_samples_ms=SAMPLES))  # fmt: skip
    net.link("h1", "h2", a_to_b=shape)
    with Lab(net.topology, place="labkernel", virtual_time=True) as lab:
        # A change in place, by the tc command of a fault, keeps the table, too.
        lab.set_values("l1", towards="h2", loss_percent=0.0, delay_ms=mean_ms(SAMPLES))
        ping = lab.ask(wire.Ping("h1", lab.topology.links[0].b.addresses[0].ip.compressed, 800, 0.005, 3.0))
    rtts_ms = ping["rtt_ms"]
    assert len(rtts_ms) == 800
    as_sampled = 0
    for low, high, share in ((20, 30, 0.7), (60, 65, 0.285), (190, 200, 0.015)):
        in_range = [rtt_ms for rtt_ms in rtts_ms if low - 0.2 <= rtt_ms <= high + _OVERHEAD_MS]
        few, many = binomial_interval(len(rtts_ms), share, 0.9999)
        assert few <= len(in_range) <= many, (low, len(in_range))
        as_sampled += len(in_range)
    assert as_sampled == len(rtts_ms)  # every delay is among the samples
    # Within the first path, too, quantiles equal those of the samples.
    first_rtts, first_samples = (
        sorted(rtt_ms for rtt_ms in delays_ms if rtt_ms < 40) for delays_ms in (rtts_ms, SAMPLES)
    )
    for share in (0.1, 0.5, 0.9):
        assert abs(first_rtts[int(share * len(first_rtts))] - first_samples[int(share * len(first_samples))]) < 1.0
