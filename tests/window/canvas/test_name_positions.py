"""Positions of node names among links in all directions."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frrlib.edits.arrange import shift
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Switch
from frrlib.model.topology import Topology
from frrlib.picture.geometry import length_within
from frrlib.picture.name_positions import MOST_LINES, NodeLabel, name_box, rough_size, sides
from frrlib.picture.scene import Key, scene_of

DOWN, RIGHT, UP, LEFT = 90, 0, -90, 180


def star(*degrees: float, name: str = "middle") -> Topology:
    """A switch with a link in each of these directions, clockwise from level to the right."""
    ends = [Host(name=f"h{n}", x=150 * math.cos(math.radians(d)), y=150 * math.sin(math.radians(d)))
            for n, d in enumerate(degrees)]  # fmt: skip
    links = tuple(Link(id=f"l{n}", a=End(node=name), b=End(node=host.name)) for n, host in enumerate(ends))
    return Topology(nodes=(Switch(name=name), *ends), links=links)


def side(topology: Topology, name: str = "middle") -> str:
    return scene_of(topology).nodes[Key("node", name)].side


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [
        ((), "below"),
        ((RIGHT, UP, LEFT), "below"),
        ((DOWN,), "right"),
        ((DOWN, RIGHT), "above"),
        ((DOWN, RIGHT, UP), "left"),
        ((DOWN, RIGHT, UP, LEFT), "below"),
        ((30, 150), "below"),  # past the name, which is in the middle
        ((75, 150), "right"),
    ],
)
def test_a_name_is_at_a_side_without_links(degrees: tuple[float, ...], expected: str) -> None:
    assert side(star(*degrees)) == expected


def test_a_longer_name_is_moved_for_more_directions() -> None:
    assert side(star(40, name="s1"), "s1") == "below"
    assert side(star(40, name="distribution"), "distribution") == "right"


def test_no_name_moves_onto_another_node() -> None:
    beside = Host(name="beside", x=60, y=0)
    topology = star(DOWN)
    assert side(topology.model_copy(update={"nodes": (*topology.nodes, beside)})) == "above"


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        (((0, 0), (0, 60)), ["right", "below"]),  # the second icon is at the place of the first name
        (((0, 0), (0, 75)), ["below", "below"]),
        (((0, 0), (0, 60), (60, 0)), ["above", "below", "below"]),  # the third is at its right
        (((0, 0), (30, 0)), ["below", "right"]),  # the names would cover each other
        (((0, 0), (0, 60), (60, 0), (0, -60), (-60, 0)), ["below", "below", "below", "right", "below"]),
    ],
)
def test_a_name_moves_from_another_node(places: tuple[tuple[float, float], ...], expected: list[str]) -> None:
    nodes = tuple(Host(name=f"host{n}", x=x, y=y) for n, (x, y) in enumerate(places))
    assert [sprite.side for sprite in scene_of(Topology(nodes=nodes)).nodes.values()] == expected


def test_names_of_a_large_topology_stay_below() -> None:
    topology = star(DOWN)
    parallel_links = tuple(Link(id=f"m{n}", a=End(node="middle"), b=End(node="h0")) for n in range(MOST_LINES))
    assert side(topology.model_copy(update={"links": topology.links + parallel_links})) == "below"


@given(
    st.lists(st.floats(0, 360), min_size=1, max_size=6), st.sampled_from(["s1", "middle", "two\nlines", "a long name"])
)
def test_links_cross_a_name_only_if_they_cross_all_its_places(degrees: list[float], text: str) -> None:
    directions = [(math.cos(math.radians(angle)), math.sin(math.radians(angle))) for angle in degrees]
    chosen_side = sides([NodeLabel((0.0, 0.0), text)], {0: directions}).get(0, "below")

    def crossed(where: str) -> bool:
        box = name_box((0, 0), where, *rough_size(text)).grown(-1e-6)
        return any(length_within((0, 0), (x * 500, y * 500), box) > 1e-3 for x, y in directions)

    assert not crossed(chosen_side) or all(map(crossed, ("below", "right", "above", "left")))


@pytest.mark.gui
def test_a_name_changes_its_side_only_after_a_drag(user: Any) -> None:
    user.document.apply("Draw", star(RIGHT))
    view = user.editor.view
    key = Key("node", "middle")

    def offset(at: tuple[float, float]) -> tuple[int, int]:
        icon, _, text = view.items_of(key)[:3]
        (x0, y0), (x1, y1) = view.coords(icon), view.coords(text)
        assert view.coords(icon) == pytest.approx([coordinate * view.factor for coordinate in at])
        return round(math.copysign(x1 != x0, x1 - x0)), round(math.copysign(y1 != y0, y1 - y0))

    assert offset((0, 0)) == (0, 1)
    for dx in range(0, 151, 10):  # h0 is below then
        view.preview_move(frozenset({"middle"}), dx, -dx)
        assert offset((dx, -dx)) == (0, 1)
    view.preview_end()
    user.document.apply("Move", shift(user.document.topology, ["middle"], 150, -150))
    assert offset((150, -150)) == (1, 0)
    assert not any(_overlap(view.bbox(first), view.bbox(second)) for first, second in combinations(_names(view), 2))


def _names(view: Any) -> list[int]:
    return [item for item in view.find_withtag("name") if view.type(item) == "text"]


def _overlap(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]
