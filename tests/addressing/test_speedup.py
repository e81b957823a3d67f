"""MiniEdit's speedup, compared with Mininet's own interface class."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from mininet.link import TCIntf

from frrlib.addressing.resolved import resolved
from frrlib.addressing.speedup import with_speedups
from frrlib.checks.facts import facts_of
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Switch
from frrlib.model.topology import Topology
from tests.example_counts import examples
from tests.strategies.topologies import topologies


class Node:
    """The part of a node that Mininet's interface reads."""

    def __init__(self, name: str) -> None:
        self.name = name


def mininets_rate(node: str, bw: float | None, speedup: int) -> float | None:
    """The rate in Mbit/s that Mininet requests at an end."""
    interface = TCIntf.__new__(TCIntf)
    interface.node = Node(node)
    commands: Any = interface.bwCmds(bw=bw, speedup=speedup)[0]
    rates = [word for command in commands for word in command.replace("Mbit", " Mbit").split()]
    return float(rates[rates.index("rate") + 1]) if "rate" in rates else None


@pytest.mark.parametrize("speedup", [0, 3, 40])
@pytest.mark.parametrize("rate_mbit", [None, 10.0])
def test_switches_send_at_mininets_rate(rate_mbit: float | None, speedup: int) -> None:
    shape = Shape(rate_mbit=rate_mbit)
    topology = Topology(
        nodes=(Host(name="h1"), Switch(name="s1")),
        links=(Link(id="l1", a=End(node="h1"), b=End(node="s1"), a_to_b=shape, b_to_a=shape, speedup_mbit=speedup),),
    )
    (link,) = with_speedups(topology).links
    with patch("mininet.link.error"):
        assert link.a_to_b.rate_mbit == mininets_rate("h1", rate_mbit, speedup)
        assert link.b_to_a.rate_mbit == mininets_rate("s1", rate_mbit, speedup)


def test_checks_use_the_actual_rate() -> None:
    """The bottleneck of a path is the slow switch, though its link has a higher rate than the first one."""
    topology = Topology(
        nodes=(Host(name="h1"), Switch(name="s1"), Host(name="h2")),
        links=(
            Link(id="l1", a=End(node="h1"), b=End(node="s1"), a_to_b=Shape(rate_mbit=10)),
            Link(id="l2", a=End(node="s1"), b=End(node="h2"), a_to_b=Shape(rate_mbit=100, delay_ms=5), speedup_mbit=2),
        ),
        flows=(Flow(id="f", source="h1", destination="h2"),),
    )
    (path,) = facts_of(topology).flow_paths
    assert path.bottleneck is not None and path.bottleneck.link.id == "l2"
    assert path.bdp_bytes == pytest.approx(2e6 / 8 * 0.005)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])
@given(topologies(unique_names=False))
def test_a_resolved_topology_is_unchanged(topology: Topology) -> None:
    once = resolved(topology)
    assert resolved(once) == once
    assert [link.id for link in once.links] == [link.id for link in topology.links]
