"""Tools end with their work: a node is not placed on another one, and a new topology begins with the Select tool."""

from __future__ import annotations

from typing import Any

import pytest

from miniedit_frr.tools.pointer import TOOLS
from miniedit_frr.tools.two_nodes import TwoNodesTool

pytestmark = pytest.mark.gui


def test_a_click_on_a_node_selects_it_and_adds_no_node(user: Any) -> None:
    user.tool("h")
    user.click((200, 200))
    user.tool("s")
    user.click((205, 196))
    assert [(node.name, node.x, node.y) for node in user.topology.nodes] == [("h1", 200, 200)]
    assert user.selected() == {"h1"}
    assert user.editor.status.shown_message.startswith("No Switch is added: h1 is at this place")
    user.click((400, 200))
    assert [node.name for node in user.topology.nodes] == ["h1", "s1"]


def test_a_snapped_node_does_not_cover_another_one(user: Any) -> None:
    user.put("h", (200, 200))
    user.editor.canvas_commands.commands()["hold_snap"]()
    pitch = user.view.snap_grid.pitch
    before = user.topology
    user.tool("h")
    user.click(user.at("h1"))
    assert user.topology == before
    assert pitch > 0


def test_the_two_node_tool_is_put_away_after_its_path(user: Any) -> None:
    user.put("h", (200, 200))
    user.put("h", (400, 200))
    pairs: list[tuple[str, ...]] = []
    user.editor.tool_controller.choose(TwoNodesTool(lambda *pair: pairs.append(pair)))
    user.click((200, 200))
    assert "Click the other node" in user.editor.status.shown_message
    user.click((400, 200))
    assert pairs == [("h1", "h2", "")]
    assert "Click the other node" not in user.editor.status.shown_message
    assert user.editor.tool_controller.tool is TOOLS[0]


def test_a_new_topology_begins_with_the_select_tool_at_its_origin(user: Any) -> None:
    editor = user.editor
    user.put("h", (200, 200))
    editor.document.undo()
    user.tool("h")
    editor.view.zoom_to(0.62)
    editor.bottom.select(editor.log)
    editor.files.new()
    editor.window.update()
    assert editor.tool_controller.tool is TOOLS[0]
    assert editor.status.fact("zoom") == "100 %"
    assert editor.view.to_world(0, 0) == (0, 0)
    assert editor.bottom.select() == str(editor.problems)
    assert editor.start_page.page is not None
