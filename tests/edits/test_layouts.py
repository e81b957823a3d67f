"""Layouts: no overlaps, no other node moves, and each has its characteristic structure."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frrlib.edits import generators
from frrlib.edits.generator_table import RECIPES, generate
from frrlib.edits.layouts import COLUMN_PX, LAYER_PX, LAYOUTS, PITCH_PX, circle, layered, left_to_right, rows
from frrlib.errors import TopologyError
from frrlib.model.nodes import Controller, Host, Switch
from frrlib.model.topology import Topology
from frrlib.network.network import Network
from tests.example_counts import examples
from tests.strategies.topologies import topologies


def spots(topology: Topology) -> dict[str, tuple[float, float]]:
    return {node.name: (node.x, node.y) for node in topology.nodes}


def closest(topology: Topology) -> float:
    return min((math.dist(a, b) for a, b in itertools.combinations(spots(topology).values(), 2)), default=math.inf)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", RECIPES)
def test_nodes_are_apart(name: str, layout: str) -> None:
    topology = generate(RECIPES[name], {})
    after = LAYOUTS[layout](topology)
    assert closest(after) >= 0.55 * PITCH_PX
    assert after == LAYOUTS[layout](topology)  # a layout is deterministic
    without_places = lambda t: [node.model_copy(update={"x": 0.0, "y": 0.0}) for node in t.nodes]  # noqa: E731
    assert without_places(after) == without_places(topology)
    assert after.links == topology.links


@pytest.mark.parametrize("layout", LAYOUTS)
def test_only_chosen_nodes_move_and_their_corner_stays(layout: str) -> None:
    topology = generators.grid(4, 4)
    names = ["r6", "r7", "r10", "r11", "r16"]
    after = LAYOUTS[layout](topology, names)
    before, after_spots = spots(topology), spots(after)
    assert {name for name in before if before[name] != after_spots[name]} <= set(names)
    for axis in (0, 1):
        corner = min(before[name][axis] for name in names)
        assert min(after_spots[name][axis] for name in names) == pytest.approx(corner)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_no_node_of_one_node_and_of_missing_nodes(layout: str) -> None:
    assert LAYOUTS[layout](Topology()) == Topology()
    single = Topology(nodes=(Host(name="h1", x=7, y=8),))
    assert LAYOUTS[layout](single) == single
    with pytest.raises(TopologyError):
        LAYOUTS[layout](single, ["h9"])


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=examples(40))
@given(topology=topologies(), some=st.booleans())
def test_any_topology_can_be_laid_out(layout: str, topology: Topology, some: bool) -> None:
    near = topology.model_copy(
        update={"nodes": tuple(node.model_copy(update={"x": 0.0, "y": 0.0}) for node in topology.nodes)}
    )
    after = LAYOUTS[layout](near, [node.name for node in near.nodes[:3]] if some else None)
    if not some:
        assert closest(after) > 20


def test_a_fat_tree_has_its_layers() -> None:
    tree = generators.fat_tree(4)
    after = layered(tree)
    heights: dict[float, int] = {}
    for _, y in spots(after).values():
        heights[y] = heights.get(y, 0) + 1
    assert [heights[y] for y in sorted(heights)] == [4, 8, 8, 16]


def test_the_root_of_a_tree_is_above_and_its_links_do_not_cross() -> None:
    tree = generators.tree(3, 3)
    shuffled = rows(tree)
    after = spots(layered(shuffled))
    assert min(after, key=lambda name: after[name][1]) == "r1"
    lines = [(after[link.a.node], after[link.b.node]) for link in tree.links]
    for (a, b), (c, d) in itertools.combinations([sorted(line, key=lambda at: at[1]) for line in lines], 2):
        if a[1] == c[1]:
            assert (a[0] - c[0]) * (b[0] - d[0]) >= 0


def test_controllers_are_above_their_switches() -> None:
    nodes = (
        *(Switch(name=f"s{n}", controllers=("c0",)) for n in (1, 2, 3)),
        Controller(name="c0"),
    )
    after = spots(layered(Topology(nodes=nodes)))
    assert {y for name, (_, y) in after.items() if name != "c0"} == {after["c0"][1] + LAYER_PX}


def test_a_ring_in_a_circle_is_round_and_its_hosts_are_outside() -> None:
    after = spots(circle(rows(generators.ring(8))))
    xs = [at for name, at in after.items() if name.startswith("r")]
    middle = sum(x for x, _ in xs) / 8, sum(y for _, y in xs) / 8
    away = {name: math.dist(at, middle) for name, at in after.items()}
    inner = [away[name] for name in away if name.startswith("r")]
    assert max(inner) - min(inner) < 2
    assert min(away[name] for name in away if name.startswith("h")) > max(inner) + 50


def dumbbell(senders: int, *, is_sending: bool = True) -> Topology:
    """h1 ... - s1 - s2 - r1 ..., with flows from h1 to r1 and back."""
    net = Network()
    for name in ("s1", "s2"):
        net.bridge(name)
    net.link("s1", "s2")
    for number in range(1, senders + 1):
        for name, bridge in ((f"r{number}", "s2"), (f"h{number}", "s1")):
            net.host(name)
            net.link(name, bridge)
        if is_sending:
            net.flow(f"there{number}", f"h{number}", f"r{number}")
            net.flow(f"back{number}", f"r{number}", f"h{number}")
    return net.topology


def test_a_dumbbell_is_laid_out_from_left_to_right() -> None:
    after = spots(left_to_right(dumbbell(3)))
    columns = {name: round(x / COLUMN_PX) for name, (x, _) in after.items()}
    senders, receivers = dict.fromkeys(("h1", "h2", "h3"), 0), dict.fromkeys(("r1", "r2", "r3"), 3)
    assert columns == {**senders, "s1": 1, "s2": 2, **receivers}
    assert [after[name][1] for name in ("h1", "h2", "h3")] == [0, PITCH_PX, 2 * PITCH_PX]
    assert after["s1"][1] == after["s2"][1] == PITCH_PX
    assert [after[name][1] for name in ("r1", "r2", "r3")] == [0, PITCH_PX, 2 * PITCH_PX]


def test_without_flows_a_longest_path_goes_from_left_to_right() -> None:
    after = spots(left_to_right(dumbbell(1, is_sending=False)))
    assert (
        sorted(abs(after[a][0] - after[b][0]) for a, b in (("h1", "s1"), ("s1", "s2"), ("s2", "r1"))) == [COLUMN_PX] * 3
    )
    assert {y for _, y in after.values()} == {0}


def test_large_networks_are_laid_out_quickly() -> None:
    big = generators.grid(25, 30, hosts=1)
    for layout in (layered, left_to_right, circle, rows):
        assert closest(layout(big)) > 20
