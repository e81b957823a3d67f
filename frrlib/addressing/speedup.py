"""MiniEdit's option "speedup": the rate at which a switch sends into a link that has a rate."""

from __future__ import annotations

from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import SWITCHING
from frrlib.model.topology import Topology


def with_speedups(topology: Topology) -> Topology:
    """The topology with the rates that Mininet sets at switches.

    Mininet (`TCIntf.bwCmds`) uses a positive `speedup` as the rate in Mbit/s at the switch's end, instead of a rate
    that is set. Other ends ignore it.
    """
    if not any(link.speedup_mbit for link in topology.links):
        return topology
    switches = {node.name for node in topology.nodes if node.kind in SWITCHING}
    return topology.model_copy(update={"links": tuple(_with_speedup(link, switches) for link in topology.links)})


def _with_speedup(link: Link, switches: set[str]) -> Link:
    mbit = link.speedup_mbit or 0
    if mbit <= 0:
        return link

    def rated(end: End, shape: Shape) -> Shape:
        applies = end.node in switches and shape.rate_mbit is not None
        return shape.model_copy(update={"rate_mbit": float(mbit)}) if applies else shape

    return link.model_copy(update={"a_to_b": rated(link.a, link.a_to_b), "b_to_a": rated(link.b, link.b_to_a)})
