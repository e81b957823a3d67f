"""A healthy network of every kind, from a seed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from frrlib.model.topology import Topology
from tests.against_frr import bgp_networks, igp_networks, policy_networks, special_networks

#: Kinds of networks; a kind that stands here twice comes twice as often.
KINDS: dict[str, Callable[[Random], Topology]] = {
    "ospf": igp_networks.ospf,
    "ospf6": igp_networks.ospf6,
    "isis": igp_networks.isis,
    "rip": igp_networks.rip,
    "static": igp_networks.static,
    "bgp": bgp_networks.bgp,
    "redistribution": bgp_networks.redistribution,
    "vrfs": bgp_networks.vrfs,
    "ripng": igp_networks.ripng,
    "confederations": policy_networks.confederations,
    "policies": policy_networks.policies,
    "unnumbered": policy_networks.unnumbered,
    "virtual-links": special_networks.virtual_links,
    "vrfs-everywhere": special_networks.vrfs_everywhere,
    "parallel-links": special_networks.parallel_links,
    "own-lines": special_networks.own_lines,
}
#: Kinds that a seed alone never gives: only `--kind` does.
ONLY_BY_NAME = ("ospf6", *list(KINDS)[8:])
_WEIGHTS = {"ospf": 4, "bgp": 4, "isis": 2, "redistribution": 2, **dict.fromkeys(ONLY_BY_NAME, 0)}


def kind_of(seed: int) -> str:
    """The kind of the network of a seed."""
    weights = [_WEIGHTS.get(kind, 1) for kind in KINDS]
    return Random(f"kind {seed}").choices(list(KINDS), weights)[0]


def healthy_network(seed: int, kind: str = "") -> Topology:
    """A network without any mistake.

    Args:
        seed: determines everything.
        kind: its kind; empty for one that follows from the seed.
    """
    return KINDS[kind or kind_of(seed)](Random(f"network {seed}"))


def network_with_settings(seed: int, kind: str, topology: Topology) -> Topology:
    """The network of a seed with settings instead of own lines: FRR must do the same in both."""
    return special_networks.with_settings(Random(f"network {seed}")) if kind == "own-lines" else topology
