"""Positions of texts along links, which avoid icons, names and each other if there is room."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given

from frrlib.addressing.addressing import addressed
from frrlib.edits import generators
from frrlib.formats import mn
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Router, Switch
from frrlib.model.topology import Topology
from frrlib.picture.geometry import NODE_HALF, Box, length_within
from frrlib.picture.label_positions import MOST_TEXTS, ON_LINE, OccupiedSpace, PlacedText, default_texts, place_texts
from frrlib.picture.labels import Labels
from frrlib.picture.name_positions import name_place
from frrlib.picture.scene import Key, Scene, scene_of
from frrlib.picture.text_sizes import NAME_SIZE, SMALL_SIZE, size
from tests.strategies.topologies import topologies

ROOT = Path(__file__).resolve().parents[3]
ALL = Labels(interfaces=True, addresses=True)


def measure(text: str, units: float) -> float:
    return len(text) * units * 0.58


def scene_with_labels(topology: Topology) -> Scene:
    return scene_of(topology, ALL, addressed(topology))


def overlap(a: Box, b: Box) -> float:
    return max(0.0, min(a.right, b.right) - max(a.left, b.left)) * max(0.0, min(a.bottom, b.bottom) - max(a.top, b.top))


def boxes(scene: Scene) -> list[Box]:
    return [
        text.box(*size(text.text, SMALL_SIZE, measure))
        for texts in place_texts(scene, measure).values()
        for text in texts
    ]


def boxes_of_nodes(scene: Scene) -> list[Box]:
    obstacles = []
    for node in scene.nodes.values():
        x, y = node.at
        obstacles.append(Box(x - NODE_HALF, y - NODE_HALF, x + NODE_HALF, y + NODE_HALF))
        obstacles.append(
            PlacedText(*name_place(node.at, node.side), node.text).box(*size(node.text, NAME_SIZE, measure))
        )
    return obstacles


def two_routers(px: float, shape: Shape) -> Topology:
    ends = End(node="r1"), End(node="r2")
    return Topology(
        nodes=(Router(name="r1"), Router(name="r2", x=px)),
        links=(Link(id="l1", a=ends[0], b=ends[1], a_to_b=shape, b_to_a=shape),),
    )


@pytest.mark.parametrize("px", [90, 120, 160, 240, 400])
def test_the_three_texts_of_a_short_link_do_not_overlap(px: float) -> None:
    scene = scene_with_labels(two_routers(px, Shape(rate_mbit=10, delay_ms=5, queue_packets=30)))
    text_boxes = boxes(scene)
    assert len(text_boxes) == 3
    assert sum(overlap(a, b) for a, b in itertools.combinations(text_boxes, 2)) == 0
    if px > 100:
        assert sum(overlap(a, b) for a in text_boxes for b in boxes_of_nodes(scene)) == 0


def test_the_value_of_a_short_link_interrupts_the_line() -> None:
    scene = scene_with_labels(two_routers(150, Shape(rate_mbit=10, delay_ms=5)))
    ((a, b, middle),) = place_texts(scene, measure).values()
    assert middle.anchor == ON_LINE and middle.at[1] == 0
    first, second, value = (text.box(*size(text.text, SMALL_SIZE, measure)) for text in (a, b, middle))
    assert value.left > NODE_HALF and value.right < 150 - NODE_HALF
    assert second.bottom < value.top and value.bottom < first.top
    assert first.left + first.right < second.left + second.right


def test_a_value_wider_than_its_link_is_broken_into_two_lines() -> None:
    full = Shape(rate_mbit=10, delay_ms=5, queue_packets=30)
    for px, lines in ((300, ["10 Mbit/s, 5 ms, 30 pkt"]), (160, ["10 Mbit/s,", "5 ms, 30 pkt"])):
        ((value,),) = place_texts(scene_of(two_routers(px, full), Labels()), measure).values()
        assert value.text.split("\n") == lines
        box = value.box(*size(value.text, SMALL_SIZE, measure))
        assert box.left > NODE_HALF and box.right < px - NODE_HALF
    # Beside an upright link there is room for any width, and one word cannot be broken.
    upright = two_routers(0, full)
    upright = upright.model_copy(update={"nodes": (upright.nodes[0], upright.nodes[1].model_copy(update={"y": 100.0}))})
    assert [text.text for (text,) in place_texts(scene_of(upright, Labels()), measure).values()] == [
        "10 Mbit/s, 5 ms, 30 pkt"
    ]
    short = two_routers(60, Shape(rate_mbit=10))
    assert [text.text for (text,) in place_texts(scene_of(short, Labels()), measure).values()] == ["10 Mbit/s"]


@pytest.mark.parametrize("px", [90, 110, 130, 150, 170])
def test_a_value_does_not_hide_its_link(px: float) -> None:
    ((*_, value),) = place_texts(
        scene_with_labels(two_routers(px, Shape(rate_mbit=10, delay_ms=5, queue_packets=30))), measure
    ).values()
    box = value.box(*size(value.text, SMALL_SIZE, measure))
    assert length_within((NODE_HALF, 0), (px - NODE_HALF, 0), box) <= px - 2 * NODE_HALF - 10


def test_the_value_of_a_long_link_is_beside_it() -> None:
    scene = scene_with_labels(two_routers(400, Shape(rate_mbit=10, delay_ms=5)))
    ((_, _, middle),) = place_texts(scene, measure).values()
    assert middle.anchor != ON_LINE and middle.at[1] != 0


@pytest.mark.parametrize(
    "topology",
    [generators.dumbbell(3), generators.ring(6), generators.star(5), generators.tree(3, 2), generators.line(5)],
    ids=lambda topology: topology.title,
)
def test_with_enough_room_nothing_overlaps(topology: Topology) -> None:
    scene = scene_with_labels(topology)
    text_boxes = boxes(scene)
    covered = sum(overlap(a, b) for a, b in itertools.combinations(text_boxes, 2))
    covered += sum(overlap(a, b) for a in text_boxes for b in boxes_of_nodes(scene))
    plain = [
        text.box(*size(text.text, SMALL_SIZE, measure))
        for line in scene.lines.values()
        for text in default_texts(line, scene.path(line))
    ]
    covered_by_default = sum(overlap(a, b) for a, b in itertools.combinations(plain, 2))
    covered_by_default += sum(overlap(a, b) for a in plain for b in boxes_of_nodes(scene))
    assert covered <= min(
        covered_by_default / 2, 0.06 * sum((box.right - box.left) * (box.bottom - box.top) for box in text_boxes)
    )


def test_a_text_with_room_gets_its_first_place() -> None:
    scene = scene_with_labels(two_routers(800, Shape(rate_mbit=10)))
    (line,) = scene.lines.values()
    narrow = lambda text, units: measure(text, units) / 2  # noqa: E731
    assert place_texts(scene, narrow)[line.key] == default_texts(line, scene.path(line))


def test_the_text_of_an_upright_flow_avoids_a_column_of_nodes() -> None:
    """On the flow, and over its edges, the text would cover nodes of the column. Left of the flow there is room."""
    column = tuple(Switch(name=f"s{n}", x=75, y=40.0 * n) for n in range(1, 8))
    nodes = (Host(name="h1"), Host(name="h2", y=320), *column)
    scene = scene_of(Topology(nodes=nodes, flows=(Flow(id="flow", source="h1", destination="h2"),)), Labels())
    ((text,),) = place_texts(scene, measure).values()
    box = text.box(*size(text.text, SMALL_SIZE, measure))
    assert sum(overlap(box, other) for other in boxes_of_nodes(scene)) == 0
    assert -100 < box.left < box.right < 75


def test_with_too_many_texts_none_is_placed() -> None:
    count = MOST_TEXTS + 2
    nodes = tuple(Host(name=f"h{n}", x=n * 60.0) for n in range(count))
    links = tuple(
        Link(id=f"l{n}", a=End(node=f"h{n}"), b=End(node=f"h{n + 1}"), a_to_b=Shape(rate_mbit=1))
        for n in range(count - 1)
    )
    assert place_texts(scene_of(Topology(nodes=nodes, links=links), Labels()), measure) == {}


@given(topologies())
def test_every_text_of_any_topology_gets_a_place(topology: Topology) -> None:
    near = topology.model_copy(
        update={
            "nodes": tuple(node.model_copy(update={"x": node.x % 500, "y": node.y % 500}) for node in topology.nodes),
            "annotations": (),
        }
    )
    scene = scene_of(near, ALL)
    placed = place_texts(scene, measure)
    for key, line in scene.lines.items():
        if key in placed:
            # A text without room keeps its first line; a value may be broken into two lines.
            texts_of_line = [text for text in line.texts if text]
            for placed_text, text in zip(placed[key], texts_of_line, strict=True):
                assert placed_text.text in (text, text.partition("\n")[0]) or (
                    placed_text.text.replace(",\n", ", ") == text
                )


def test_occupied_space_measures_covered_areas() -> None:
    crowd = OccupiedSpace()
    crowd.add(Box(0, 0, 300, 10))
    assert crowd.covered(Box(250, 5, 350, 50)) == 50 * 5
    assert crowd.covered(Box(-50, -50, -1, -1)) == 0


def test_occupied_space_measures_crossed_lines() -> None:
    crowd, own_key = OccupiedSpace(), Key("link", "l1")
    crowd.add_line(own_key, [(0, 0), (300, 400)])
    # From (30, 40) to (60, 80), a triangle of 3, 4 and 5.
    assert crowd.crossed(Box(30, 0, 60, 400), Key("link", "l2")) == pytest.approx(50)
    assert crowd.crossed(Box(30, 0, 60, 30), Key("link", "l2")) == 0
    assert crowd.crossed(Box(30, 0, 60, 400), own_key) == 0


def test_a_text_avoids_other_links() -> None:
    """Spokes of a wheel: the places of first choice are crossed by others."""
    scene = scene_of(mn.load(ROOT / "examples" / "queues.mn").topology, Labels())
    paths = {key: scene.path(line) for key, line in scene.lines.items()}

    def crossed(texts: Mapping[Key, tuple[PlacedText, ...]]) -> float:
        return sum(
            length_within(a, b, placed_text.box(*size(placed_text.text, SMALL_SIZE, measure)))
            for key, placed_texts in texts.items() for placed_text in placed_texts
            for other_key, path in paths.items() if other_key != key for a, b in itertools.pairwise(path)
        )  # fmt: skip

    plain = {key: default_texts(line, paths[key]) for key, line in scene.lines.items()}
    assert crossed(plain) > 0
    assert crossed(place_texts(scene, measure)) == 0
