"""Scenes of topologies, without a window: sprites, hits, texts, searches."""

from __future__ import annotations

from ipaddress import ip_interface

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.edits.arrange import shift
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Controller, Host, Router, Switch
from frrlib.model.routing import Bgp, Ospf
from frrlib.model.topology import Topology
from frrlib.picture.geometry import Box, length
from frrlib.picture.labels import Labels, shape_text
from frrlib.picture.scene import Key, SceneCache, scene_of
from miniedit_frr.panels.find import matches


def link(number: int, a: str, b: str, **fields: object) -> Link:
    return Link(id=f"l{number}", a=End(node=a), b=End(node=b), **fields)  # type: ignore[arg-type]


TRIANGLE = Topology(
    nodes=(
        Host(name="h1", x=0, y=0),
        Router(name="r1", x=200, y=0, bgp=Bgp(asn=65_001), ospf=Ospf(area="0.0.0.7")),
        Switch(name="s1", x=200, y=200, controllers=("c0", "gone")),
        Controller(name="c0", x=0, y=200),
    ),
    links=(link(1, "h1", "r1"), link(2, "r1", "s1"), link(3, "s1", "r1"), link(4, "r1", "s1", up=False)),
)


def test_every_kind_of_node_has_its_icon() -> None:
    scene = scene_of(Topology(nodes=(*TRIANGLE.nodes, Router(name="r9"))))
    assert [node.icon for node in scene.nodes.values()] == ["host", "router", "switch", "controller", "legacy-router"]


def test_parallel_links_have_different_paths_in_any_direction() -> None:
    scene = scene_of(TRIANGLE)
    middles = []
    for number in (2, 3, 4):
        path = scene.path(scene.lines[Key("link", f"l{number}")])
        middles.append(path[len(path) // 2] if len(path) > 2 else (200, 100))
    assert len({round(x) for x, _ in middles}) == 3


def test_a_line_to_a_controller_needs_both_ends() -> None:
    controls = [key for key in scene_of(TRIANGLE).lines if key.kind == "control"]
    assert controls == [Key("control", "s1", "c0")]


def test_a_point_hits_the_nearest_node_or_line() -> None:
    scene = scene_of(TRIANGLE)
    assert scene.at((10, -10), 5) == Key("node", "h1")
    assert scene.at((100, 4), 5) == Key("link", "l1")
    assert scene.at((100, 6), 5) is None
    assert scene.at((100, 200), 5) == Key("control", "s1", "c0")


def test_the_node_drawn_last_is_hit_first() -> None:
    scene = scene_of(Topology(nodes=(Host(name="h1"), Host(name="h2", x=5, y=5))))
    assert scene.node_at((2, 2)) == Key("node", "h2")


def test_two_nodes_of_one_name_are_both_visible() -> None:
    scene = scene_of(Topology(nodes=(Host(name="h1"), Host(name="h1", x=100))))
    assert len(scene.nodes) == 2


def test_a_rectangle_selects_nodes_and_the_lines_between_them() -> None:
    selection = scene_of(TRIANGLE).within(Box(-10, -10, 250, 50))
    assert selection == {Key("node", "h1"), Key("node", "r1"), Key("link", "l1")}


def test_only_changed_sprites_differ() -> None:
    old_scene, new_scene = scene_of(TRIANGLE), scene_of(shift(TRIANGLE, ["h1"], 10, 0))
    assert {key for key in old_scene.nodes if old_scene.nodes[key] != new_scene.nodes[key]} == {Key("node", "h1")}
    assert old_scene.lines == new_scene.lines


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (Labels(), "r1\nAS 65001 · area 0.0.0.7"),
        (Labels(areas=False), "r1"),
        (Labels(names=False), "AS 65001 · area 0.0.0.7"),
        (Labels(names=False, areas=False), ""),
    ],
)
def test_the_text_of_a_router_follows_the_labels(labels: Labels, expected: str) -> None:
    assert scene_of(TRIANGLE, labels).nodes[Key("node", "r1")].text == expected


def routers(*routing: tuple[int | None, str | None]) -> Topology:
    """Routers with an AS and an area each; None for a router without it."""
    return Topology(
        nodes=tuple(
            Router(
                name=f"r{number}",
                bgp=None if asn is None else Bgp(asn=asn),
                ospf=None if area is None else Ospf(area=area),
            )
            for number, (asn, area) in enumerate(routing)
        )
    )


@pytest.mark.parametrize(
    ("topology", "texts"),
    [
        pytest.param(routers((None, "0"), (None, "0"), (None, "0")), ["r0", "r1", "r2"], id="all"),
        pytest.param(routers((None, "0"), (None, "0"), (None, "1")),
                     ["r0\narea 0", "r1\narea 0", "r2\narea 1"], id="not-all"),
        pytest.param(routers((7, "0"), (8, "0")), ["r0\nAS 7", "r1\nAS 8"], id="a-part"),
        pytest.param(routers((7, "0"), (7, None)), ["r0\narea 0", "r1"], id="one-without"),
        pytest.param(routers((7, "0")), ["r0\nAS 7 · area 0"], id="one-alone"),
    ],
)  # fmt: skip
def test_common_routing_is_not_shown_at_each_router(topology: Topology, texts: list[str]) -> None:
    assert [node.text for node in scene_of(topology, Labels()).nodes.values()] == texts


def test_routing_is_shown_again_when_one_router_differs() -> None:
    cache, equal = SceneCache(), routers((None, "0"), (None, "0"))
    different = equal.model_copy(update={"nodes": (equal.nodes[0], *routers((None, "1")).nodes)})
    for topology in (equal, different, equal):
        assert scene_of(topology, Labels(), cache=cache) == scene_of(topology, Labels())


def test_automatic_addresses_are_shown_when_known() -> None:
    labels, key = Labels(interfaces=True, addresses=True), Key("link", "l1")
    assert scene_of(TRIANGLE, labels).lines[key].texts.a == ""
    interface, address = scene_of(TRIANGLE, labels, addressed(TRIANGLE)).lines[key].texts.a.split("\n")
    assert interface == "eth0"
    assert ip_interface(address)


@pytest.mark.parametrize(
    ("forward", "backward", "expected"),
    [
        (Shape(), Shape(), ""),
        (Shape(rate_mbit=10, delay_ms=20, queue_packets=33),) * 2 + ("10 Mbit/s, 20 ms, 33 pkt",),
        (Shape(rate_mbit=2500, loss_percent=0.5),) * 2 + ("2.5 Gbit/s, 0.5 % loss",),
        (Shape(delay_ms=5, jitter_ms=1), Shape(), "5±1 ms →"),
        (Shape(), Shape(delay_ms=3), "→ plain\n← 3 ms"),
    ],
)
def test_the_values_of_a_link_are_described(forward: Shape, backward: Shape, expected: str) -> None:
    assert shape_text(forward, backward) == expected


def test_find_lists_exact_names_before_other_matches() -> None:
    topology = Topology(nodes=tuple(Host(name=name) for name in ("h10", "h1", "x1")), links=(link(1, "h1", "x1"),))
    assert matches(scene_of(topology), "H1") == [Key("node", "h1"), Key("node", "h10")]
    assert matches(scene_of(topology), "l1") == [Key("link", "l1")]
    assert matches(scene_of(TRIANGLE, Labels()), "as 65001") == [Key("node", "r1")]
    assert matches(scene_of(TRIANGLE), " ") == []


def test_bounds_contain_everything() -> None:
    box = scene_of(TRIANGLE).bounds()
    assert box is not None
    assert all(box.contains((node.x, node.y)) for node in TRIANGLE.nodes)
    assert scene_of(Topology()).bounds() is None


def test_a_link_of_a_node_to_itself_can_be_hit() -> None:
    scene = scene_of(Topology(nodes=(Host(name="h1"),), links=(link(1, "h1", "h1"),)))
    path = scene.path(scene.lines[Key("link", "l1")])
    assert length(path) > 0
    assert scene.line_at(path[3], 3) == Key("link", "l1")
