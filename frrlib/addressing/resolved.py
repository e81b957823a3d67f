"""A drawing as its lab has it: what it leaves open is filled in, and its rates are those that are sent."""

from __future__ import annotations

from frrlib.addressing.addressing import addressed
from frrlib.addressing.speedup import with_speedups
from frrlib.model.topology import Topology


def resolved(topology: Topology) -> Topology:
    """The topology as its lab has it: lab, checks, live plots, pictures and FRR's configuration go by this.

    Every interface has a name and, where it can have them, addresses (`addressing.addressed`); each direction has the
    rate at which its end sends (`speedup.with_speedups`). What is resolved already stays as it is. An edit of the
    drawing goes by `addressed` alone, for what it takes over is then drawn.
    """
    return with_speedups(addressed(topology))
