"""MiniEdit's speedup, held against what Mininet's own interface class makes of it."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from mininet.link import TCIntf

from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Switch
from frrlib.model.speedup import with_speedups
from frrlib.model.topology import Topology


class Node:
    """As much of a node as Mininet's interface looks at."""

    def __init__(self, name: str) -> None:
        self.name = name


def mininets_rate(node: str, bw: float | None, speedup: int) -> float | None:
    """The rate for which Mininet asks at an end, in Mbit/s."""
    interface = TCIntf.__new__(TCIntf)
    interface.node = Node(node)
    asked: Any = interface.bwCmds(bw=bw, speedup=speedup)[0]
    rates = [word for command in asked for word in command.replace("Mbit", " Mbit").split()]
    return float(rates[rates.index("rate") + 1]) if "rate" in rates else None


@pytest.mark.parametrize("speedup", [0, 3, 40])
@pytest.mark.parametrize("rate_mbit", [None, 10.0])
def test_switches_send_at_mininets_rate(rate_mbit: float | None, speedup: int) -> None:
    shape = Shape(rate_mbit=rate_mbit)
    drawn = Topology(
        nodes=(Host(name="h1"), Switch(name="s1")),
        links=(Link(id="l1", a=End(node="h1"), b=End(node="s1"), a_to_b=shape, b_to_a=shape, speedup_mbit=speedup),),
    )
    (link,) = with_speedups(drawn).links
    with patch("mininet.link.error"):
        assert link.a_to_b.rate_mbit == mininets_rate("h1", rate_mbit, speedup)
        assert link.b_to_a.rate_mbit == mininets_rate("s1", rate_mbit, speedup)
