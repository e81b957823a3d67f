"""A topology as its lab builds it: with names and addresses filled in, and with effective rates."""

from __future__ import annotations

from frrlib.addressing.addressing import addressed
from frrlib.addressing.speedup import with_speedups
from frrlib.model.sealed import unsealed
from frrlib.model.topology import Topology


def resolved(topology: Topology) -> Topology:
    """The topology as its lab builds it, for the lab, checks, live plots, pictures and FRR's configuration.

    Every interface has a name and, if possible, addresses (`addressing.addressed`). Each direction has the rate at
    which its end sends (`speedup.with_speedups`). Sealed routers have their settings (`model.sealed`). A resolved
    topology stays unchanged. Edits use `addressed` alone, since they store the values that they take over.
    """
    return with_speedups(addressed(unsealed(topology)))
