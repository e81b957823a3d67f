"""Drags of a node's tool from a node: they place a linked node, or link two nodes, as one edit."""

from __future__ import annotations

import pytest

from tests.window.hands_on_window import User

pytestmark = pytest.mark.gui


def pairs(user: User) -> list[tuple[str, str]]:
    return [(link.a.node, link.b.node) for link in user.topology.links]


def test_a_drag_from_a_node_places_a_linked_node(user: User) -> None:
    user.tool("p")
    user.click((200, 200))
    user.sweep((200, 200), (300, 210), (400, 200))
    assert [node.name for node in user.topology.nodes] == ["r1", "r2"]
    assert user.at("r2") == (400, 200)
    assert pairs(user) == [("r1", "r2")]
    first, second = user.topology.routers
    assert (first.bgp.asn, second.bgp.asn) == (65001, 65002)
    assert [row.remote_as for row in first.bgp.neighbors] == [65002]
    assert user.selected() == {"r2"}
    assert user.edits() == 2
    user.press_key("<Control-Key-z>")
    assert [node.name for node in user.topology.nodes] == ["r1"]
    assert not user.topology.links


def test_a_drag_to_a_node_links_it(user: User) -> None:
    for tool, at in (("h", (100, 200)), ("o", (300, 200))):
        user.put(tool, at)
    user.tool("h")
    user.sweep((100, 200), (200, 200), (300, 200))
    assert [node.name for node in user.topology.nodes] == ["h1", "r1"]
    assert pairs(user) == [("h1", "r1")]
    assert user.topology.routers[0].ospf is not None


def test_a_node_that_cannot_be_linked_is_not_placed(user: User) -> None:
    user.put("h", (100, 200))
    user.tool("c")
    user.sweep((100, 200), (200, 200), (300, 200))
    assert [node.name for node in user.topology.nodes] == ["h1"]
    assert not user.view.find_withtag("preview")


def test_escape_during_the_drag_places_nothing(user: User) -> None:
    user.put("h", (100, 200))
    user.tool("h")
    user.press((100, 200))
    user.drag((250, 200))
    assert user.view.find_withtag("preview")
    user.press_key("<Escape>")
    user.release((250, 200))
    assert len(user.topology.nodes) == 1
    assert not user.view.find_withtag("preview")


def test_new_routing_has_the_preferred_timers(user: User) -> None:
    user.editor.preferences.change(lab_timers=False)
    user.put("o", (100, 200))
    assert user.topology.routers[0].ospf.hello_s == 10
