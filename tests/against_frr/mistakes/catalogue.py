"""All mistakes, and the networks that have them."""

from __future__ import annotations

from random import Random

from tests.against_frr.healthy import healthy_network
from tests.against_frr.mistakes import (  # noqa: F401 - each module adds its mistakes
    addresses,
    areas,
    bgp_routes,
    bgp_sessions,
    neighbors,
    routers,
    routes,
)
from tests.against_frr.mistakes.registry import MISTAKES, Faulty


def faulty_network(name: str, seed: int) -> Faulty:
    """A network with a mistake; the first healthy one from the seed on that has a place for it."""
    made = MISTAKES[name]
    for attempt in range(200):
        faulty = made.make(Random(f"{name} {seed}"), healthy_network(seed + 1000 * attempt, made.base))
        if faulty is not None:
            return faulty
    raise LookupError(f"no healthy network has a place for {name!r}")
