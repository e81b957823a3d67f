"""The shaper of links with a varying rate, compared with the excess of tbf."""

from __future__ import annotations

import pytest

from frrlib.lab.shapers import with_steady_shapers
from frrlib.model.courses import Course
from frrlib.network.network import Network, Shape


@pytest.mark.parametrize(
    ("step_s", "lowest_mbit", "shapers"),
    [
        # Three frames of 1514 bytes in each step: 3.6 Mbit/s at 10 ms, 0.04 at 1 s; 0.5 % of the lowest rate is free.
        (0.01, 3.0, ("htb", "tbf")),
        (1.0, 3.0, ("htb", "tbf")),
        (1.0, 8.0, ("tbf", "tbf")),
        (0.01, 700.0, ("htb", "tbf")),
        (0.01, 800.0, ("tbf", "tbf")),
    ],
)
def test_tbf_is_kept_if_its_buckets_do_not_matter(step_s: float, lowest_mbit: float, shapers: tuple[str, str]) -> None:
    net = Network("t")
    net.host("h1")
    net.host("h2")
    net.link("h1", "h2", both=Shape(rate_mbit=10))
    net.flow("f", "h1", "h2", duration_s=20)
    course = Course(pattern="ramp", low=lowest_mbit, high=2 * lowest_mbit, step_s=step_s)
    net.fault(1, "varied", "l1", duration_s=10, towards="h2", course=course)
    (link,) = with_steady_shapers(net.topology).links
    assert (link.a_to_b.shaper, link.b_to_a.shaper) == shapers


def test_a_delay_that_varies_changes_no_shaper() -> None:
    net = Network("t")
    net.host("h1")
    net.host("h2")
    net.link("h1", "h2", both=Shape(rate_mbit=10, delay_ms=1))
    course = Course(value="delay_ms", pattern="ramp", low=1, high=2, step_s=0.01)
    net.fault(1, "varied", "l1", duration_s=10, course=course)
    assert with_steady_shapers(net.topology) == net.topology
