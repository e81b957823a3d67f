"""Commands for a change of a link: qdiscs are changed in place if possible, else recreated."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.model.faults import Fault, LinkValues
from frrlib.model.queues import Cake, FqCodel, Sfq
from frrlib.network.network import Network, Shape
from frrlib.render.faults import fault_plan


def commands(shape: Shape, **values: Any) -> list[str]:
    net = Network("t")
    net.host("h1")
    net.host("h2")
    net.link("h1", "h2", both=shape)
    fault = Fault(kind="link-values", target="l1", towards="h2", values=LinkValues(**values))
    return [" ".join(line.split()[:7]) for plan in fault_plan(addressed(net.topology), fault).tc for line in plan.lines]


@pytest.mark.parametrize(
    ("shape", "values", "lines"),
    [
        (Shape(rate_mbit=10), {"rate_mbit": 5}, [
            "qdisc replace dev h1-eth0 root handle 1:", "qdisc replace dev h1-eth0 parent 1:1 handle"]),
        # htb itself has no changed value, and the kernel refuses to change it.
        (Shape(rate_mbit=10, shaper="htb", queue=FqCodel()), {"rate_mbit": 5}, [
            "class replace dev h1-eth0 parent 1: classid", "qdisc replace dev h1-eth0 parent 1:1 handle"]),
        # sfq cannot be changed: it is unchanged or recreated.
        (Shape(rate_mbit=10, queue=Sfq(), queue_packets=60), {"rate_mbit": 5}, [
            "qdisc replace dev h1-eth0 root handle 1:"]),
        (Shape(rate_mbit=10, queue=Sfq(), queue_packets=60), {"queue_packets": 30}, [
            "qdisc replace dev h1-eth0 root handle 1:", "qdisc delete dev h1-eth0 parent 1:1 handle",
            "qdisc replace dev h1-eth0 parent 1:1 handle"]),
        # Packets in netem are kept when only the rate changes, and packets in the queue when only the delay changes.
        (Shape(rate_mbit=10, delay_ms=5), {"rate_mbit": 5}, [
            "qdisc replace dev h1-eth0 root handle 1:", "qdisc replace dev h1-eth0 parent 1:1 handle"]),
        (Shape(rate_mbit=10, delay_ms=5), {"delay_ms": 6}, ["qdisc replace dev {b} root handle 1:"]),
        (Shape(rate_mbit=10, delay_ms=5), {"delay_ms": 5}, []),
        (Shape(rate_mbit=10), {"rate_mbit": 0}, ["qdisc delete dev h1-eth0 root"]),
        # Another queue is put below the shaper, which stays. cake is the shaper, too.
        (Shape(rate_mbit=10), {"queue": FqCodel()}, [
            "qdisc replace dev h1-eth0 root handle 1:", "qdisc delete dev h1-eth0 parent 1:1 handle",
            "qdisc replace dev h1-eth0 parent 1:1 handle"]),
        (Shape(rate_mbit=10, queue=FqCodel()), {"queue": FqCodel(target_ms=9)}, [
            "qdisc replace dev h1-eth0 root handle 1:", "qdisc replace dev h1-eth0 parent 1:1 handle"]),
        (Shape(rate_mbit=10, queue=FqCodel()), {"queue": Cake()}, [
            "qdisc delete dev h1-eth0 root", "qdisc replace dev h1-eth0 root handle 1:"]),
        (Shape(rate_mbit=10, queue=Cake()), {"queue": "fifo"}, [
            "qdisc delete dev h1-eth0 root", "qdisc replace dev h1-eth0 root handle 1:",
            "qdisc replace dev h1-eth0 parent 1:1 handle"]),
    ],
)  # fmt: skip
def test_only_changed_qdiscs_are_replaced(shape: Shape, values: dict[str, Any], lines: list[str]) -> None:
    assert commands(shape, **values) == [" ".join(line.split()[:7]) for line in lines]
