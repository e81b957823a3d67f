"""Positions of routing signs, without a window: they avoid icons, names and each other if there is room."""

from __future__ import annotations

from itertools import combinations

from frrlib.model.links import End, Link
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.picture.geometry import NODE_HALF, Box
from frrlib.picture.scene import Key, Scene, scene_of
from miniedit_frr.canvas.routing_layer import sign_background
from miniedit_frr.canvas.routing_signs import SIGN_HEIGHT, PlacedSign, Sign, place_signs
from miniedit_frr.live.adjacencies import EndAdjacency
from miniedit_frr.routing_view.controller import signs_of

FULL, GONE = Sign("OSPF Full", "up"), Sign("BGP Active", "coming")


def measure(text: str, units: float) -> float:
    return len(text) * units * 0.6


def square(distance: float = 360.0) -> Scene:
    """A square of routers with one diagonal."""
    at = {"r1": (0.0, 0.0), "r2": (distance, 0.0), "r3": (distance, distance), "r4": (0.0, distance)}
    nodes = tuple(Router(name=name, x=x, y=y) for name, (x, y) in at.items())
    pairs = (("r1", "r2"), ("r2", "r3"), ("r3", "r4"), ("r4", "r1"), ("r1", "r3"))
    links = tuple(Link(id=f"l{i}", a=End(node=a), b=End(node=b)) for i, (a, b) in enumerate(pairs, 1))
    return scene_of(Topology(nodes=nodes, links=links))


def signs_at_all(scene: Scene, *signs: Sign) -> dict[Key, tuple[PlacedSign, ...]]:
    links = {key: {line.a: signs, line.b: signs} for key, line in scene.lines.items()}
    return place_signs(scene, links, {key: (Sign("2/3", "coming"),) for key in scene.nodes}, measure)


def crossing(a: Box, b: Box) -> bool:
    return a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom


def test_signs_overlap_neither_icons_nor_each_other() -> None:
    scene = square()
    placed = signs_at_all(scene, FULL, GONE)
    boxes = [pill.box for pills in placed.values() for pill in pills]
    assert len(boxes) == 4 + 5 * 2 * 2
    assert not [pair for pair in combinations(boxes, 2) if crossing(*pair)]
    on_links = [pill.box for key, pills in placed.items() if key.kind == "link" for pill in pills]
    icons = [Box(x, y, x, y).grown(NODE_HALF) for x, y in scene.places.values()]
    assert not [1 for box in on_links for icon in icons if crossing(box, icon)]
    ticks = [Box(x + 19, y + 17, x + 19, y + 17).grown(7) for x, y in scene.places.values()]
    assert not [1 for box in on_links for tick in ticks if crossing(box, tick)]


def test_the_sign_of_an_end_is_near_that_end() -> None:
    scene = square()
    placed = place_signs(scene, {Key("link", "l1"): {"r1": (FULL,), "r2": (GONE,)}}, {}, measure)
    sign_of_r1, sign_of_r2 = placed[Key("link", "l1")]
    assert (sign_of_r1.text, sign_of_r2.text) == ("OSPF Full", "BGP Active")
    assert sign_of_r1.at[0] < 180 < sign_of_r2.at[0]
    alone = place_signs(scene, {Key("link", "l1"): {"r2": (FULL,)}}, {}, measure)
    assert alone[Key("link", "l1")][0].at[0] > 180


def test_a_short_link_has_marks_for_the_worst_state() -> None:
    scene = square(90.0)
    link = Key("link", "l1")
    mark_of_r1, mark_of_r2 = place_signs(scene, {link: {"r1": (FULL, GONE), "r2": (FULL,)}}, {}, measure)[link]
    assert (mark_of_r1.text, mark_of_r1.width, mark_of_r1.grade) == ("", SIGN_HEIGHT, "coming")
    assert (mark_of_r2.text, mark_of_r2.grade) == ("", "up")


def test_undrawn_nodes_and_links_have_no_signs() -> None:
    assert place_signs(square(), {Key("link", "l9"): {"r1": (FULL,)}}, {Key("node", "r9"): (FULL,)}, measure) == {}


def test_adjacencies_that_are_up_share_a_sign() -> None:
    up = EndAdjacency("ospf", "Full", "up"), EndAdjacency("bfd", "up", "up")
    assert signs_of(up[:1]) == (Sign("OSPF Full", "up"),)
    assert signs_of(up) == (Sign("OSPF · BFD", "up"),)
    assert signs_of((*up, EndAdjacency("bgp", "Idle", "down"))) == (Sign("BGP Idle", "down"), Sign("OSPF · BFD", "up"))


def test_marks_differ_in_shape() -> None:
    pictures = {grade: sign_background(30, 30, grade, "light").convert("L") for grade in ("up", "coming", "down")}
    shapes = set()
    for picture in pictures.values():
        middle = picture.crop((8, 8, 22, 22))
        ground = max(middle.getcolors() or [], key=lambda count_and_color: count_and_color[0])[1]
        shapes.add(bytes(255 if abs(value - ground) > 40 else 0 for value in middle.tobytes()))
    assert len(shapes) == 3


def test_a_sign_names_the_vrf_of_its_neighbor() -> None:
    red = EndAdjacency("ospf", "Full", "up", "red"), EndAdjacency("bfd", "up", "up", "red")
    assert signs_of(red[:1]) == (Sign("red: OSPF Full", "up"),)
    assert signs_of(red) == (Sign("red: OSPF · BFD", "up"),)
