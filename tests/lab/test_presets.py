"""Routing by one click: every preset on a generated drawing gives a network that converges, and carries packets."""

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
    """The routers in two groups, the first ones and the others."""
    names = [router.name for router in topology.routers]
    return [names[: len(names) // 2], names[len(names) // 2 :]]


def in_halves(**how: object) -> Callable[[Topology], Topology]:
    return lambda drawn: routing_presets.groups_as_systems(drawn, halves(drawn), **how)  # type: ignore[arg-type]


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
def test_a_preset_makes_a_network_that_works(name: str) -> None:
    drawn, preset = CASES[name]
    bare = routing_presets.clear_routing(drawn)
    after = with_timers_of_new_protocols(bare, preset(bare), is_lab=True)
    assert complaints(after) == []
    with Lab(after) as lab:
        lab.wait_converged(60)
        full = lab.topology
        wanted = {a.network for link in full.links for end in link.ends for a in end.addresses}
        wanted |= {a.network for router in full.routers for a in router.loopbacks}
        for router in full.routers:
            assert {str(each) for each in wanted} - kernel_prefixes(lab, router.name) == set(), router.name
        hosts = [node.name for node in full.nodes if node.kind == "host"]
        assert len(hosts) > 1
        for pair in pairwise(hosts):
            assert lab.ping(*pair, 1)["received"] == 1


def kernel_prefixes(lab: Lab, router: str) -> set[str]:
    """All that a kernel has a route to, its own addresses as prefixes of full length."""
    found = set()
    for family, length in (("-4", 32), ("-6", 128)):
        rows = json.loads(lab[router].run("ip", "-j", family, "route", "show", "table", "all"))
        found |= {row["dst"] if "/" in row["dst"] else f"{row['dst']}/{length}" for row in rows}
    return found
