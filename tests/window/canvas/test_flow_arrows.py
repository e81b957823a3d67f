"""Flows in scenes, without a window: arrows and their bows, colors, texts, and pictures."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from math import dist
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from frrlib.addressing.addressing import addressed
from frrlib.edits.changes import replace_node
from frrlib.edits.flow_mixes import mix
from frrlib.formats import mn
from frrlib.model.flows import Flow
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from frrlib.model.traffic.kinds import Ping
from frrlib.picture.colors import curve
from frrlib.picture.contrast import ratio
from frrlib.picture.export import picture_bytes
from frrlib.picture.flows import LANE, NAMED, colors_of, controls_of, head_of
from frrlib.picture.geometry import NODE_HALF, Box, distance, length_within
from frrlib.picture.label_positions import place_texts
from frrlib.picture.labels import Labels
from frrlib.picture.scene import Key, Scene, scene_of
from frrlib.picture.text_sizes import SMALL_SIZE, size
from frrlib.picture.theme import DARK, LIGHT
from frrlib.results.palette import BLUE, GREEN, VERMILION, curve_styles
from tests.example_counts import examples
from tests.strategies.topologies import topologies
from tests.window.topologies import TWO_ROUTERS

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def flow(name: str, source: str = "h1", destination: str = "h2", **fields: Any) -> Flow:
    return Flow(id=name, source=source, destination=destination, **fields)


def with_flows(*flows: Flow, on: Topology = TWO_ROUTERS) -> Topology:
    return on.model_copy(update={"flows": flows})


def path(scene: Scene, name: str) -> tuple[tuple[float, float], ...]:
    return scene.path(scene.flows[Key("flow", name)])


def measure(text: str, units: float) -> float:
    return len(text) * units * 0.58


def test_an_arrow_leaves_its_source_and_arrives_beside_its_destination() -> None:
    scene = scene_of(with_flows(flow("f1")), Labels())
    line = path(scene, "f1")
    for at, name in ((line[0], "h1"), (line[-1], "h2")):
        assert NODE_HALF - 1 < dist(at, scene.places[name]) < NODE_HALF + 6
    tip, *barbs = head_of(line)
    assert tip == line[-1]
    assert all(dist(barb, scene.places["h2"]) > dist(tip, scene.places["h2"]) for barb in barbs)


def test_flows_between_the_same_nodes_are_side_by_side_with_room_for_texts() -> None:
    names = [f"f{number}" for number in range(6)]
    scene = scene_of(with_flows(*(flow(name) for name in names)), Labels())
    summits = [path(scene, name)[len(path(scene, name)) // 2][1] for name in names]
    gaps = [abs(first - second) for first, second in itertools.pairwise(summits)]
    assert all(abs(gap - LANE) < 0.5 for gap in gaps)
    texts = place_texts(scene, measure)
    boxes = [texts[Key("flow", name)][0].box(*size(texts[Key("flow", name)][0].text, SMALL_SIZE, measure))
             for name in names]  # fmt: skip
    for first, second in itertools.combinations(boxes, 2):
        overlap = min(first.right, second.right) > max(first.left, second.left) and (
            min(first.bottom, second.bottom) > max(first.top, second.top)
        )
        assert not overlap


def test_flows_between_two_nodes_have_different_arcs_in_any_direction() -> None:
    forward = [flow(f"f{number}") for number in range(3)]
    backward = [flow(f"b{number}", "h2", "h1") for number in range(3)]
    scene = scene_of(with_flows(*forward, *backward), Labels())
    middles = {round(path(scene, drawn_flow.id)[16][1]) for drawn_flow in (*forward, *backward)}
    assert len(middles) == 6


def test_arrows_avoid_the_nodes_between_their_ends() -> None:
    scene = scene_of(with_flows(flow("f1"), flow("f2", "h2", "h1")), Labels())
    for name in ("r1", "r2"):
        x, y = scene.places[name]
        icon = Box(x, y, x, y).grown(NODE_HALF)
        for line in (path(scene, "f1"), path(scene, "f2")):
            assert not any(length_within(start, end, icon) for start, end in itertools.pairwise(line))


def test_an_arrow_bows_to_the_other_side_to_avoid_nodes() -> None:
    plain = scene_of(with_flows(flow("f1")), Labels())
    summit = path(plain, "f1")[16]
    crowd = tuple(Host(name=f"x{number}", x=summit[0] + 60 * (number - 2), y=summit[1]) for number in range(5))
    crowded_topology = TWO_ROUTERS.model_copy(update={"nodes": (*TWO_ROUTERS.nodes, *crowd)})
    crowded = scene_of(with_flows(flow("f1"), on=crowded_topology), Labels())
    assert plain.flows[Key("flow", "f1")].bow > 0 > crowded.flows[Key("flow", "f1")].bow


def test_the_outer_of_two_flows_avoids_names() -> None:
    """Of two flows between the same nodes the first would pass below a name, and the second through it."""
    three = Topology(nodes=(Host(name="h1"), Host(name="h2", x=400), Host(name="h3", x=200, y=-110)))
    scenes = [scene_of(with_flows(*flows, on=three), Labels()) for flows in ([flow("f1")], [flow("f1"), flow("f2")])]
    name = Box(185, -110 + NODE_HALF, 215, -110 + NODE_HALF + 20)
    alone, both = scenes
    outer = (distance((200, -110 + NODE_HALF + 10), path(alone, "f1")), LANE)
    assert 10 < outer[0] < 10 + outer[1]
    for flow_id in ("f1", "f2"):
        assert sum(length_within(a, b, name) for a, b in itertools.pairwise(path(both, flow_id))) == 0


def test_a_flow_can_be_hit_and_selected_and_is_within_the_bounds() -> None:
    scene, key = scene_of(with_flows(flow("f1"), flow("f2", "h1", "r2")), Labels()), Key("flow", "f1")
    summit = path(scene, "f1")[16]
    assert scene.at(summit, 4) == key
    assert distance(summit, path(scene, "f2")) > 4
    assert key in scene
    assert {key, Key("flow", "f2")} <= scene.keys()
    box = Box(50, 100, 600, 300)
    assert {key, Key("flow", "f2")} <= scene.within(box)
    assert key not in scene.within(Box(50, 100, 500, 300))
    bounds = scene.bounds()
    assert bounds is not None
    assert all(bounds.contains(at) for at in path(scene, "f1"))


def test_problems_of_a_flow_and_of_its_copies_lead_to_its_arrow() -> None:
    scene = scene_of(with_flows(flow("f1", count=3)), Labels())
    assert scene.key_of("f1") == scene.key_of("f1.2") == Key("flow", "f1")
    assert scene.key_of("f2") is None


def test_the_label_switch_hides_all_flows() -> None:
    assert not scene_of(with_flows(flow("f1")), Labels(flows=False)).flows
    assert not scene_of(with_flows(flow("f1"))).flows


def test_a_flow_with_a_missing_end_is_left_out() -> None:
    assert not scene_of(with_flows(flow("f1", "h1", "nobody")), Labels()).flows


def test_colors_are_those_of_figures_unless_the_flow_has_its_own() -> None:
    flows = (flow("a", congestion_control="bbr", count=2), flow("b", congestion_control="cubic"),
             flow("c", congestion_control="bbr"), flow("d", colour="#123456"), flow("p", traffic=Ping()))  # fmt: skip
    colors = colors_of(with_flows(*flows), controls_of(with_flows(*flows)))
    figure = [look.colour for look in curve_styles(["bbr", "bbr", "cubic", "bbr", "cubic", "ping"])]
    assert [colors[name] for name in "abcp"] == [figure[0], figure[2], figure[3], figure[5]]
    assert (colors["a"], colors["b"], colors["d"]) == (BLUE, VERMILION, "#123456")


def test_a_flow_without_a_control_has_the_color_of_its_hosts_control() -> None:
    h1 = TWO_ROUTERS.node("h1")
    assert h1 is not None
    topology = replace_node(
        with_flows(flow("f1", congestion_control=""), flow("f2", congestion_control="cubic")), "h1",
        h1.model_copy(update={"congestion_control": "reno"}),
    )  # fmt: skip
    scene = scene_of(topology, Labels(), addressed(topology))
    sprite = scene.flows[Key("flow", "f1")]
    assert (sprite.colour, sprite.text) == (GREEN, "f1 · reno · 0 s")
    assert scene_of(topology, Labels()).flows[Key("flow", "f1")].text == "f1 · the kernel's own · 0 s"


def test_on_a_dark_background_colors_are_lighter_and_none_is_black() -> None:
    for colour in NAMED.values():
        # The color of figures, or a shade of it with enough contrast.
        assert (
            curve(colour, LIGHT) == colour
            if ratio(colour, LIGHT.canvas) >= 3
            else ratio(curve(colour, LIGHT), colour) < 2
        )
        light = [int(curve(colour, DARK)[at : at + 2], 16) for at in (1, 3, 5)]
        assert sum(light) > sum(int(colour[at : at + 2], 16) for at in (1, 3, 5))
        assert max(light) > 100


def test_pictures_show_arrows_with_heads_and_texts() -> None:
    topology = mn.load(EXAMPLES / "two-as-bgp.mn").topology.model_copy(update={"flows": ()})
    topology = topology.model_copy(update={"flows": mix("versus", topology, "h1", "h2", number=5)})
    svg = picture_bytes(topology, "svg").decode()
    texts = ["".join(element.itertext()) for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert {"bbr · 5 x · 0 s", "cubic · 0 s"} <= set(texts)
    hidden = picture_bytes(topology, "svg", Labels(flows=False)).decode()
    for colour in (BLUE, VERMILION):
        # A line and a head for each, and in a picture without flows neither.
        assert svg.lower().count(colour.lower()) >= 2
        assert colour.lower() not in hidden.lower()


@settings(max_examples=examples(30))
@given(topologies())
def test_any_topology_has_a_scene_and_every_arrow_has_its_text(topology: Topology) -> None:
    scene = scene_of(topology, Labels())
    names = {node.name for node in topology.nodes}
    ids = {drawn_flow.id for drawn_flow in topology.flows if {drawn_flow.source, drawn_flow.destination} <= names}
    assert {key.name for key in scene.flows} == ids
    texts = place_texts(scene, measure)
    assert all(len(texts[key]) == 1 for key in scene.flows if texts)
