"""Links in a row, compared with sums by hand."""

from __future__ import annotations

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.model.queues import Pfifo
from frrlib.network.network import Impairments, Network, Shape
from frrlib.verify.chains import link_chains


def test_a_row_has_the_sum_of_delays_and_the_lowest_rate_with_its_queue() -> None:
    net = Network("t")
    for name in ("h1", "h2"):
        net.host(name)
    net.switch("s1")
    net.switch("s2")
    net.link("h1", "s1", both=Shape(rate_mbit=100, delay_ms=1))
    net.link("s2", "s1", a_to_b=Shape(rate_mbit=20, delay_ms=5), b_to_a=Shape(rate_mbit=10, delay_ms=7, queue_bdp=1))
    net.link("h2", "s2", b_to_a=Shape(loss_percent=1))
    (row,) = link_chains(addressed(net.topology))
    assert (row.link.id, row.link.a.node, row.link.b.node, row.reason) == ("l1+l2+l3", "h1", "h2", "")
    forward, reverse = row.link.a_to_b, row.link.b_to_a
    assert (forward.rate_mbit, forward.delay_ms, forward.loss_percent) == (10, 8, 1)
    # One bandwidth-delay product of link l2 itself: 10 Mbit/s times 12 ms.
    assert forward.queue_bytes == 15_000
    assert (reverse.rate_mbit, reverse.delay_ms) == (20, 6)
    assert row.queues_at_end == (False, False)


def test_every_shaped_link_of_a_star_is_in_a_row_with_a_plain_one() -> None:
    net = Network("t")
    net.switch("s1")
    for number in range(1, 5):
        net.host(f"h{number}")
        net.link(f"h{number}", "s1", both=Shape(rate_mbit=number, queue_packets=9) if number < 4 else Shape())
    rows = list(link_chains(addressed(net.topology)))
    assert [row.link.id for row in rows] == ["l1+l4", "l2+l4", "l3+l4"]
    assert [row.link.a_to_b.rate_mbit for row in rows] == [1, 2, 3]
    assert [row.queues_at_end for row in rows] == [(True, False)] * 3
    assert rows[0].link.a_to_b.discipline == Pfifo()


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (Shape(rate_mbit=1), "before its slowest link"),
        (Shape(impairments=Impairments(duplicate_percent=1)), "in bursts"),
        (Shape(loss_percent=1), ""),
    ],
)
def test_losses_that_cannot_be_separated_are_not_measured(second: Shape, reason: str) -> None:
    net = Network("t")
    net.host("h1")
    net.host("h2")
    net.switch("s1")
    net.link("h1", "s1", a_to_b=Shape(loss_percent=2))
    net.link("s1", "h2", a_to_b=second)
    (row,) = link_chains(addressed(net.topology))
    assert reason in row.reason and bool(reason) == bool(row.reason)
    if not reason:
        assert row.link.a_to_b.loss_percent == pytest.approx(100 * (1 - 0.98 * 0.99))


def test_a_ring_of_switches_is_not_measured() -> None:
    net = Network("t")
    for number in (1, 2, 3):
        net.bridge(f"s{number}")
        net.host(f"h{number}")
        net.link(f"h{number}", f"s{number}", both=Shape(rate_mbit=5))
    for first, second in ((1, 2), (2, 3), (3, 1)):
        net.link(f"s{first}", f"s{second}")
    rows = list(link_chains(addressed(net.topology)))
    assert [row.link.id for row in rows] == ["l1", "l2", "l3"]
    assert {row.reason for row in rows} == {"there may be several paths through its switches"}
