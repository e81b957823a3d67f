"""A fat tree of four pods as numbers: its paths, the choices of its routers, and the rates that flows share.

A host is a number from 0 to 15. Four hosts have a pod, two have an edge router. Routers of a pod are named by their
level and number: "edge 3", "aggregation 5"; each aggregation router leads to two of four core routers.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

HOSTS, PODS = 16, 4

#: A direction of a link, by the names of its ends.
Hop = tuple[str, str]
#: The choice of a path: the core router from 0 to 3, whose half is the aggregation router within each pod.
Core = int
#: The hops of each flow.
Paths = Sequence[Sequence[Hop]]


@dataclass(frozen=True)
class Pair:
    """The ends of a flow, as numbers of hosts."""

    source: int
    destination: int

    @property
    def levels(self) -> int:
        """The number of levels above the edge that a path climbs: 0 at one edge router, 1 in one pod, else 2."""
        if self.source // 2 == self.destination // 2:
            return 0
        return 1 if self.source // 4 == self.destination // 4 else 2


def path(pair: Pair, core: Core) -> tuple[Hop, ...]:
    """The hops of a flow through the half of its pods, or the core router, that was chosen for it."""
    up, down = (f"edge {host // 2}" for host in (pair.source, pair.destination))
    first, last = (f"aggregation {host // 4 * 2 + core // 2}" for host in (pair.source, pair.destination))
    nodes = [f"host {pair.source}", up]
    if pair.levels == 1:
        nodes.append(first)
    if pair.levels == 2:
        nodes += [first, f"core {core}", last]
    nodes += [down] * (pair.levels > 0) + [f"host {pair.destination}"]
    return tuple(itertools.pairwise(nodes))


def full_paths(pairs: Sequence[Pair]) -> Paths:
    """The path of each flow through one router that never blocks."""
    return [((f"host {pair.source}", "router"), ("router", f"host {pair.destination}")) for pair in pairs]


def tree_paths(pairs: Sequence[Pair]) -> Paths:
    """The path of each flow if all take the first core router."""
    return [path(pair, 0) for pair in pairs]


def hashed_paths(pairs: Sequence[Pair], chance: random.Random, polarized: bool) -> Paths:
    """The path of each flow if routers choose by hashes.

    Args:
        chance: the source of the hashes.
        polarized: whether the routers of both levels have the same hash. An aggregation router then gets only flows of
            which it sends all to the same core router.
    """
    cores = (0, 3) if polarized else range(PODS)
    return [path(pair, chance.choice(cores)) for pair in pairs]


def first_fit(pairs: Sequence[Pair]) -> list[Core | None]:
    """Place flows by global first fit (Al-Fares et al. 2010, section 4.2), in their order; None if no path has room.

    Each flow needs a whole link, as each source has one flow and each destination receives one.
    """
    reserved: set[Hop] = set()
    placed: list[Core | None] = []
    for pair in pairs:
        choices = range(0, PODS, 1 if pair.levels == 2 else PODS // 2)
        core = next((core for core in choices if reserved.isdisjoint(path(pair, core))), None)
        placed.append(core)
        if core is not None:
            reserved.update(path(pair, core))
    return placed


def placed_paths(pairs: Sequence[Pair], chance: random.Random) -> Paths:
    """The path of each flow after global first fit; hashes choose the paths of flows that it cannot place."""
    cores = [chance.randrange(PODS) if core is None else core for core in first_fit(pairs)]
    return [path(pair, core) for pair, core in zip(pairs, cores, strict=True)]


# --- rates ------------------------------------------------------------------------------------------------------------


def fair_rates(paths: Paths) -> list[float]:
    """The max-min fair rate of each flow, in units of the rate of a link.

    All rates rise together. A rate stops when a hop of its flow is full.
    """
    rates = [0.0] * len(paths)
    growing = set(range(len(paths)))
    room = {hop: 1.0 for hops in paths for hop in hops}
    while growing:
        load = Counter(hop for flow in growing for hop in paths[flow])
        step = min(room[hop] / flows for hop, flows in load.items())
        for hop, flows in load.items():
            room[hop] -= step * flows
        for flow in growing:
            rates[flow] += step
        growing = {flow for flow in growing if all(room[hop] > 1e-9 for hop in paths[flow])}
    return rates


def alpha_fair_rates(paths: Paths, alpha: float, rounds: int = 2000) -> list[float]:
    """The alpha-fair rate of each flow (Mo and Walrand 2000): 1 is proportionally fair, 2 is that of Reno with equal
    round trips.

    Each hop has a price, which rises while the hop is overloaded and falls while it is not. The rate of a flow is the
    price of its path to the power of -1/alpha.
    """
    rows = {hop: row for row, hop in enumerate(dict.fromkeys(hop for hops in paths for hop in hops))}
    crossed = np.zeros((len(rows), len(paths)))
    for flow, hops in enumerate(paths):
        crossed[[rows[hop] for hop in hops], flow] = 1
    prices, rates = np.ones(len(rows)), np.zeros(len(paths))
    for _ in range(rounds):
        rates = np.minimum((prices @ crossed) ** (-1 / alpha), 1.0)
        prices = np.maximum(prices * np.exp(0.1 * (crossed @ rates - 1)), 1e-9)
    return [float(rate) for rate in rates]
