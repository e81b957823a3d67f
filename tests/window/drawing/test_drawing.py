"""Nodes and links are drawn with Tk events. They are in the document, and a gesture is one edit."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.picture.scene import Key
from tests.window.hands_on_window import draw

pytestmark = pytest.mark.gui

SHIFT = 0x1


def test_two_hosts_and_a_router_are_drawn_and_linked(user: Any) -> None:
    draw(user)
    assert [(node.name, node.kind) for node in user.topology.nodes] == [
        ("h1", "host"),
        ("h2", "host"),
        ("r1", "router"),
    ]
    assert [(link.a.node, link.b.node) for link in user.topology.links] == [("h1", "r1"), ("r1", "h2")]
    assert user.at("r1") == pytest.approx((300, 200), abs=1)
    assert user.topology.node("r1").runs_frr
    assert user.edits() == 5
    assert user.selected() == {"l2"}


def test_every_kind_of_node_can_be_placed(user: Any) -> None:
    for index, key in enumerate("hsbgrc"):
        user.tool(key)
        user.click((80 + 90 * index, 150))
    assert [node.name for node in user.topology.nodes] == ["h1", "s1", "s2", "r1", "r2", "c0"]
    assert [user.view.scene.nodes[Key("node", name)].icon for name in ("r1", "r2")] == ["legacy-router", "router"]


def test_parallel_links_have_different_paths(user: Any) -> None:
    for at in ((100, 100), (400, 100)):
        user.tool("h")
        user.click(at)
    user.tool("l")
    for _ in range(3):
        user.sweep((100, 100), (400, 100))
    assert [link.id for link in user.topology.links] == ["l1", "l2", "l3"]
    paths = {tuple(user.items_at(Key("link", link.id))) for link in user.topology.links}
    assert len(paths) == 3


def test_linking_a_controller_adds_it_to_the_switch_and_deleting_removes_it(user: Any) -> None:
    for key, at in (("c", (100, 100)), ("s", (400, 100)), ("h", (100, 300))):
        user.tool(key)
        user.click(at)
    user.tool("l")
    user.sweep((100, 300), (100, 100))
    assert user.topology.links == ()  # a controller speaks to switches only
    user.sweep((100, 100), (400, 100))
    assert user.topology.node("s1").controllers == ("c0",)
    user.tool("v")
    user.click((250, 100))
    user.press_key("<Delete>")
    assert user.topology.node("s1").controllers == ()
    assert len(user.topology.nodes) == 3


def test_a_drag_is_one_edit_and_undo_restores(user: Any) -> None:
    draw(user)
    old_topology, count = user.topology, user.edits()
    old_line = user.items_at(Key("link", "l1"))
    user.sweep((300, 200), (320, 240), (350, 300), (360, 330))
    assert user.edits() == count + 1
    assert user.at("r1") == pytest.approx((360, 330), abs=1)
    assert user.at("h1") == (old_topology.node("h1").x, old_topology.node("h1").y)
    assert user.items_at(Key("link", "l1"))[2:] == pytest.approx([360, 330], abs=1)
    user.press_key("<Control-Key-z>")
    assert user.topology == old_topology
    assert user.items_at(Key("link", "l1")) == pytest.approx(old_line)
    user.press_key("<Control-Shift-Key-Z>")
    assert user.at("r1") == pytest.approx((360, 330), abs=1)


def test_escape_cancels_a_drag(user: Any) -> None:
    draw(user)
    old_topology, count = user.topology, user.edits()
    old_lines = {key: user.items_at(key) for key in user.view.scene.lines}
    user.press((300, 200))
    user.drag((350, 300))
    assert user.items_at(Key("link", "l1"))[2:] == pytest.approx([350, 300], abs=1)
    user.press_key("<Escape>")
    user.release((350, 300))
    assert user.topology == old_topology
    assert user.edits() == count
    for key, at in old_lines.items():
        assert user.items_at(key) == pytest.approx(at, abs=1e-6)


def test_escape_cancels_a_link(user: Any) -> None:
    draw(user)
    count = user.edits()
    user.tool("l")
    user.press((100, 200))
    user.drag((500, 200))
    user.press_key("<Escape>")
    user.release((500, 200))
    assert user.edits() == count
    assert not user.view.find_withtag("preview")


def test_a_drag_of_one_pixel_selects_and_moves_nothing(user: Any) -> None:
    draw(user)
    count = user.edits()
    user.sweep((300, 200), (301, 201), (300, 201))
    assert user.edits() == count
    assert user.selected() == {"r1"}


def test_a_rubber_band_selects_and_shift_adds(user: Any) -> None:
    draw(user)
    user.sweep((40, 120), (200, 250), (350, 280))
    assert user.selected() == {"h1", "r1", "l1"}
    user.click((500, 200), SHIFT)
    assert user.selected() == {"h1", "r1", "l1", "h2"}
    user.click((500, 200), SHIFT)
    assert user.selected() == {"h1", "r1", "l1"}
    user.click((500, 400))
    assert user.selected() == set()


def test_several_nodes_move_together_in_one_edit(user: Any) -> None:
    draw(user)
    count = user.edits()
    user.sweep((40, 120), (350, 280))
    user.sweep((100, 200), (120, 260), (150, 300))
    assert user.edits() == count + 1
    assert user.at("h1") == pytest.approx((150, 300), abs=1)
    assert user.at("r1") == pytest.approx((350, 300), abs=1)
    assert user.at("h2") == pytest.approx((500, 200), abs=1)


def test_deleting_a_node_deletes_its_links_and_undo_brings_them_back(user: Any) -> None:
    draw(user)
    old_topology = user.topology
    user.click((300, 200))
    user.press_key("<Delete>")
    assert [node.name for node in user.topology.nodes] == ["h1", "h2"]
    assert user.topology.links == ()
    assert user.view.drawn_keys == user.view.scene.keys()
    user.press_key("<Control-Key-z>")
    assert user.topology == old_topology
    assert user.view.drawn_keys == user.view.scene.keys()


def test_copy_and_paste_make_new_nodes(user: Any) -> None:
    draw(user)
    user.press_key("<Control-Key-a>")
    user.press_key("<Control-Key-c>")
    user.press_key("<Control-Key-v>")
    assert [node.name for node in user.topology.nodes] == ["h1", "h2", "r1", "h3", "h4", "r2"]
    assert len(user.topology.links) == 4
    assert user.selected() == {"h3", "h4", "r2"}


@pytest.mark.parametrize(
    "keys", [("<Control-Key-c>", "<Control-Key-v>"), ("<Control-Key-d>",)], ids=["paste", "duplicate"]
)
def test_a_copy_does_not_cover_its_original(user: Any, keys: tuple[str, ...]) -> None:
    user.put("r", (200, 200))
    user.click((200, 200))
    for key in keys:
        user.press_key(key)
    boxes = [user.view.bbox(*user.view.items_of(Key("node", name))) for name in ("r1", "r2")]
    (_, _, right, low), (left, top, _, _) = boxes
    assert left >= right or top >= low


def test_an_edit_redraws_only_changed_things(user: Any) -> None:
    draw(user)
    user.view.select(())
    items_and_places = lambda: {  # noqa: E731
        key: [(item, user.view.coords(item)) for item in user.view.items_of(key)] for key in user.view.drawn_keys
    }
    old_items = items_and_places()
    topology = user.topology
    nodes = tuple(node.model_copy(update={"x": node.x + 9}) if node.name == "h2" else node for node in topology.nodes)
    user.document.apply("Move", topology.model_copy(update={"nodes": nodes}))
    new_items = items_and_places()
    changed = {key.name for key in old_items if old_items[key] != new_items[key]}
    assert changed == {"h2", "l2"}
