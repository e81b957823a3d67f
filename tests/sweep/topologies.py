"""Drawings that are swept."""

from __future__ import annotations

from frrlib.formats import mn
from frrlib.model.links import Shape
from frrlib.model.topology import Topology
from frrlib.network.network import Network
from frrlib.sweep.plan import SweepPlan
from frrlib.variation.axes import parse_axis


def two_hosts(title: str = "Two hosts", duration_s: float = 2.0) -> Topology:
    """Two hosts, a bottleneck, and a flow of two copies."""
    net = Network(title)
    net.host("h1")
    net.host("h2")
    net.link("h1", "h2", both=Shape(rate_mbit=10))
    net.flow("f1", "h1", "h2", duration_s=duration_s, count=2)
    return net.topology


def sweep_plan(*varied: str, title: str = "Two hosts", **fields: object) -> SweepPlan:
    """A sweep over `small`."""
    topology = two_hosts(title)
    return SweepPlan(mn.dumps(topology), tuple(parse_axis(topology, text) for text in varied), **fields)  # type: ignore[arg-type]
