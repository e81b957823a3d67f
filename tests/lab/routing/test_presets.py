"""Routing presets: every preset on a generated topology gives a network that converges and carries packets."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise

import pytest

from frrlib.edits import generators, routing_presets
from frrlib.edits.protocol_defaults import with_timers_of_new_protocols
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from tests.checks.problems import complaints
from tests.edits.topologies import with_ipv6

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120)]

TREE = generators.tree(3, 2)
GRID = generators.grid(2, 3, hosts=1)
RING = generators.ring(5)
BOTH = with_ipv6(generators.ring(4))


def halves(topology: Topology) -> list[list[str]]:
    """The routers in two groups of the same size."""
    names = [router.name for router in topology.routers]
    return [names[: len(names) // 2], names[len(names) // 2 :]]


def in_halves(**options: object) -> Callable[[Topology], Topology]:
    return lambda topology: routing_presets.groups_as_systems(topology, halves(topology), **options)  # type: ignore[arg-type]


CASES = {
    "ospf": (TREE, routing_presets.ospf_everywhere),
    "ospf-both-families": (BOTH, routing_presets.ospf_everywhere),
    "isis-both-families": (BOTH, routing_presets.isis_everywhere),
    "rip": (RING, routing_presets.rip_everywhere),
    "as-per-router": (RING, routing_presets.as_per_router),
    "as-per-router-both-families": (BOTH, routing_presets.as_per_router),
    "systems-full-mesh": (GRID, in_halves()),
    "systems-reflector-isis": (GRID, in_halves(reflectors=1, igp="isis")),
    "systems-both-families": (BOTH, in_halves()),
    "systems-aggregates": (GRID, in_halves(aggregates=True)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_preset_makes_a_working_network(name: str) -> None:
    topology, preset = CASES[name]
    bare = routing_presets.clear_routing(topology)
    with_preset = with_timers_of_new_protocols(bare, preset(bare), is_lab=True)
    assert complaints(with_preset) == []
    with Lab(with_preset) as lab:
        lab.wait_converged(60)
        full = lab.topology
        prefixes = {address.network for link in full.links for end in link.ends for address in end.addresses}
        prefixes |= {address.network for router in full.routers for address in router.loopbacks}
        for router in full.routers:
            assert {str(prefix) for prefix in prefixes} - kernel_prefixes(lab, router.name) == set(), router.name
        hosts = [node.name for node in full.nodes if node.kind == "host"]
        assert len(hosts) > 1
        for pair in pairwise(hosts):
            assert lab.ping(*pair, 1)["received"] == 1


def kernel_prefixes(lab: Lab, router: str) -> set[str]:
    """The destinations of all routes of a kernel; addresses of its own have the full prefix length."""
    prefixes = set()
    for family, length in (("-4", 32), ("-6", 128)):
        rows = json.loads(lab[router].run("ip", "-j", family, "route", "show", "table", "all"))
        prefixes |= {row["dst"] if "/" in row["dst"] else f"{row['dst']}/{length}" for row in rows}
    return prefixes
