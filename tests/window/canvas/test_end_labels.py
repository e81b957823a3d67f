"""The texts at the ends of links in the shipped examples, as Tk draws them: each is readable and at its own end."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.formats import mn
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.picture.geometry import Box
from frrlib.picture.label_positions import ON_LINE, PlacedText, node_boxes, place_texts
from frrlib.picture.labels import Labels
from frrlib.picture.scene import LinkSprite, Scene, scene_of
from frrlib.picture.text_sizes import LINE_STEP, SMALL_SIZE, line_alignment
from miniedit_frr.canvas.view import View
from tests.window.hands_on_window import User

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "examples").glob("*.mn"))
MANY = Labels(interfaces=True, addresses=True)


def scene_with_labels(topology: Topology) -> Scene:
    return scene_of(topology, MANY, addressed(topology))


def ends(scene: Scene, view: View) -> Iterator[tuple[LinkSprite, list[PlacedText]]]:
    for key, texts in place_texts(scene, view.measure).items():
        line = scene.lines.get(key)
        if line is not None:
            yield line, [*texts[: bool(line.texts.a) + bool(line.texts.b)]]


def box(text: PlacedText, view: View) -> Box:
    """The rectangle that the font really takes at 100 %."""
    font, lines = view.small_font, text.text.split("\n")
    return text.box(max(map(font.measure, lines)), len(lines) * font.metrics("linespace"))


def overlap(a: Box, b: Box) -> bool:
    return a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom


@pytest.mark.gui
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_end_labels_do_not_overlap_and_are_nearest_to_their_own_node(path: Path, user: User) -> None:
    view, scene = user.editor.view, scene_with_labels(mn.load(path).topology)
    assert view.zoom == 1
    plates = [*node_boxes(scene, view.measure)]
    for line, texts in ends(scene, view):
        boxes = [box(text, view) for text in texts]
        assert not any(overlap(a, b) for a, b in combinations(boxes, 2)), line
        assert not any(overlap(label_box, plate) for label_box in boxes for plate in plates), line
        if len(texts) == 2:
            a, b = scene.places[line.a], scene.places[line.b]
            assert math.dist(boxes[0].center, a) < 0.85 * math.dist(boxes[0].center, b), line
            assert math.dist(boxes[1].center, b) < 0.85 * math.dist(boxes[1].center, a), line


def scene_of_link(px: float, shape: Shape | None = None) -> Scene:
    ends = End(node="r1"), End(node="r2")
    shape_of_link = shape or Shape()
    link = Link(id="l1", a=ends[0], b=ends[1], a_to_b=shape_of_link, b_to_a=shape_of_link)
    return scene_with_labels(Topology(nodes=(Router(name="r1"), Router(name="r2", x=px)), links=(link,)))


def tk_like(text: str, units: float) -> float:
    return len(text) * units * 0.55


def test_without_room_for_both_labels_only_the_interfaces_are_named() -> None:
    for px, lines in ((160, 2), (100, 1)):
        ((a, b),) = place_texts(scene_of_link(px), tk_like).values()
        assert [len(label.text.split("\n")) for label in (a, b)] == [lines, lines]
        assert a.text.startswith("eth0") and b.text.startswith("eth0")


def test_the_lines_of_an_end_label_begin_at_their_node() -> None:
    ((a, b),) = place_texts(scene_of_link(200), tk_like).values()
    assert (line_alignment(a.anchor), line_alignment(b.anchor)) == ("left", "right")
    assert a.at[0] < 30 and b.at[0] > 170


def test_a_value_of_two_lines_interrupts_a_short_link_and_avoids_the_ends() -> None:
    ((a, b, value),) = place_texts(
        scene_of_link(150, Shape(rate_mbit=10, delay_ms=5, queue_packets=30)), tk_like
    ).values()
    assert value.anchor == ON_LINE and value.text.count("\n") == 1
    height = 2 * SMALL_SIZE * LINE_STEP
    middle = value.box(70, height)
    assert not overlap(a.box(60, height), middle) and not overlap(b.box(60, height), middle)
