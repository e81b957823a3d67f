"""Topologies and plans of sweeps."""

from __future__ import annotations

from frrlib.formats import mn
from frrlib.model.links import Shape
from frrlib.model.topology import Topology
from frrlib.network.network import Network
from frrlib.sweep.plan import SweepPlan
from frrlib.variation.axes import parse_axis


def two_hosts(title: str = "Two hosts", duration_s: float = 2.0) -> Topology:
    """Two hosts with a bottleneck between them, and a flow with two copies."""
    net = Network(title)
    net.host("h1")
    net.host("h2")
    net.link("h1", "h2", both=Shape(rate_mbit=10))
    net.flow("f1", "h1", "h2", duration_s=duration_s, count=2)
    return net.topology


def sweep_plan(*axes: str, title: str = "Two hosts", **fields: object) -> SweepPlan:
    """A sweep of `two_hosts`."""
    topology = two_hosts(title)
    return SweepPlan(mn.dumps(topology), tuple(parse_axis(topology, text) for text in axes), **fields)  # type: ignore[arg-type]
