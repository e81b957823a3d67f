"""Positions of nodes: moving, aligning, distributing, snapping to a grid, and automatic layout."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from frrlib.edits import arrange, generators, spring_layout
from frrlib.errors import TopologyError
from frrlib.model.topology import Topology
from tests.edits.topologies import ALL, drawn, linked, spots


def test_moving_is_by_name_and_leaves_other_nodes() -> None:
    topology = drawn("host", "host")
    after = arrange.move(topology, {"h2": (7, 8)})
    assert spots(after) == [(0, 50), (7, 8)]
    assert after.nodes[0] is topology.nodes[0]
    assert spots(arrange.shift(after, ["h1", "h2"], 1, -1)) == [(1, 49), (8, 7)]
    with pytest.raises(TopologyError):
        arrange.move(topology, {"h9": (0, 0)})
    with pytest.raises(TopologyError):
        arrange.move(topology, {"h1": (float("nan"), 0)})


@pytest.mark.parametrize(
    ("edge", "expected"),
    [
        ("left", [(10, 5), (10, 45), (10, 20)]),
        ("right", [(90, 5), (90, 45), (90, 20)]),
        ("centre", [(50, 5), (50, 45), (50, 20)]),
        ("top", [(10, 5), (90, 5), (30, 5)]),
        ("bottom", [(10, 45), (90, 45), (30, 45)]),
        ("middle", [(10, 25), (90, 25), (30, 25)]),
    ],
)
def test_alignment_at_each_edge(edge: arrange.Edge, expected: list[tuple[float, float]]) -> None:
    topology = arrange.move(drawn("host", "host", "host"), {"h1": (10, 5), "h2": (90, 45), "h3": (30, 20)})
    assert spots(arrange.align(topology, ["h1", "h2", "h3"], edge)) == expected
    assert arrange.align(topology, [], edge) is topology


def test_distribution_keeps_the_order_and_the_outermost_nodes() -> None:
    topology = arrange.move(
        drawn("host", "host", "host", "host"), {"h1": (0, 0), "h2": (100, 9), "h3": (5, 3), "h4": (20, 4)}
    )
    names = ["h1", "h2", "h3", "h4"]
    assert spots(arrange.distribute(topology, names, "vertical")) == [(0, 0), (100, 9), (5, 3), (20, 6)]
    across = [x for x, _ in spots(arrange.distribute(topology, names, "horizontal"))]
    assert across == pytest.approx([0, 100, 100 / 3, 200 / 3])


def test_snapping_to_the_grid() -> None:
    topology = arrange.move(drawn("host", "host"), {"h1": (14.9, 15), "h2": (-15.1, -5)})
    assert spots(arrange.snap(topology, ["h1", "h2"], 10)) == [(10, 20), (-20, 0)]
    halves = arrange.move(topology, {"h1": (25, 35), "h2": (-25, -35)})
    assert spots(arrange.snap(halves, ["h1", "h2"], 10)) == [(30, 40), (-20, -30)]  # every half is rounded up
    with pytest.raises(ValueError, match="pitch"):
        arrange.snap(topology, ["h1"], 0)


LAID_OUT = [
    pytest.param(lambda: generators.tree(4, 2), id="tree"),
    pytest.param(lambda: generators.grid(5, 5), id="grid"),
    pytest.param(lambda: generators.fat_tree(4), id="fat-tree"),
    pytest.param(lambda: drawn(*ALL * 6), id="unlinked"),
    pytest.param(lambda: drawn("host"), id="one"),
    pytest.param(Topology, id="none"),
]


@pytest.mark.parametrize("make", LAID_OUT)
def test_a_layout_separates_nodes_and_has_short_links(make: Callable[[], Topology]) -> None:
    stacked = make()
    stacked = arrange.move(stacked, {node.name: (0.0, 0.0) for node in stacked.nodes})
    after = spring_layout.auto_layout(stacked, pitch_px=100, corner=(30, 40))
    assert after == spring_layout.auto_layout(stacked, pitch_px=100, corner=(30, 40))
    positions = {node.name: complex(node.x, node.y) for node in after.nodes}
    pairs = [(a, b) for a in positions for b in positions if a < b]
    assert all(abs(positions[a] - positions[b]) >= 100 for a, b in pairs)
    if positions:
        assert (min(spot.real for spot in positions.values()), min(spot.imag for spot in positions.values())) == (
            30,
            40,
        )
    if stacked.links:
        between = [abs(positions[link.a.node] - positions[link.b.node]) for link in stacked.links]
        everywhere = [abs(positions[a] - positions[b]) for a, b in pairs]
        assert sum(between) / len(between) < 0.6 * sum(everywhere) / len(everywhere)


def test_a_layout_of_some_nodes_leaves_the_others() -> None:
    topology = linked(drawn("host", "host", "host"), "h1 h2")
    after = spring_layout.auto_layout(topology, ["h1", "h2"])
    assert after.nodes[2] is topology.nodes[2]
    assert spots(after)[:2] != spots(topology)[:2]
