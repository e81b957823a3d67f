"""Measured delays in a lab: packets are delayed as they were, gaps and tail included."""

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
#: Three ways through a network, and nothing between them; the tail is 6 standard deviations out.
SAMPLES = tuple(
    [_CHANCE.uniform(20, 30) for _ in range(700)]
    + [_CHANCE.uniform(60, 65) for _ in range(285)]
    + [_CHANCE.uniform(190, 200) for _ in range(15)]
)
#: The time in ms that a reply takes besides the sampled delay.
_OVERHEAD_MS = 0.3


def test_round_trips_are_spread_as_the_samples_are() -> None:
    net = Network("Measured jitter")
    net.host("h1")
    net.host("h2")
    there = Shape(delay_ms=mean_ms(SAMPLES), jitter_ms=spread_ms(SAMPLES), impairments=Impairments(
        jitter_samples_ms=SAMPLES))  # fmt: skip
    net.link("h1", "h2", a_to_b=there)
    with Lab(net.topology, place="labkernel", virtual_time=True) as lab:
        # A change in place, by the tc of a fault, knows the table too.
        lab.set_values("l1", towards="h2", loss_percent=0.0, delay_ms=mean_ms(SAMPLES))
        found = lab.ask(wire.Ping("h1", lab.topology.links[0].b.addresses[0].ip.compressed, 800, 0.005, 3.0))
    trips = found["rtt_ms"]
    assert len(trips) == 800
    as_sampled = 0
    for low, high, share in ((20, 30, 0.7), (60, 65, 0.285), (190, 200, 0.015)):
        here = [each for each in trips if low - 0.2 <= each <= high + _OVERHEAD_MS]
        few, many = binomial_interval(len(trips), share, 0.9999)
        assert few <= len(here) <= many, (low, len(here))
        as_sampled += len(here)
    assert as_sampled == len(trips)  # no delay occurs that is not among the samples
    # Within the first way, too, quantiles are those of the samples.
    first, wanted = (sorted(each for each in some if each < 40) for some in (trips, SAMPLES))
    for share in (0.1, 0.5, 0.9):
        assert abs(first[int(share * len(first))] - wanted[int(share * len(wanted))]) < 1.0
