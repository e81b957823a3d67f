"""The tool column's part in running: the two-node tool as a gesture, and room for all tools on a small screen."""

from __future__ import annotations

from typing import Any

import pytest

from miniedit_frr.tools.two_nodes import TwoNodesTool

pytestmark = pytest.mark.gui

PLACES = {"h1": (100, 200), "h2": (500, 200), "h3": (300, 400)}


@pytest.fixture
def picked_pairs(user: Any) -> list[tuple[str, str, str]]:
    """Three hosts, the chosen tool, and the list of its picks: from, to, and the VRF to start in."""
    for at in PLACES.values():
        user.tool("h")
        user.click(at)
    pairs: list[tuple[str, str, str]] = []
    user.editor.tool_controller.choose(TwoNodesTool(lambda *pair: pairs.append(pair)))
    return pairs


def test_two_clicks_pick_a_pair_in_their_order(user: Any, picked_pairs: list[tuple[str, str, str]]) -> None:
    user.click(PLACES["h2"])
    assert picked_pairs == []
    assert user.selected() == {"h2"}
    user.click(PLACES["h1"])
    assert picked_pairs == [("h2", "h1", "")]
    assert user.selected() == set()


def test_a_drag_between_nodes_picks_a_pair_and_draws_nothing(
    user: Any, picked_pairs: list[tuple[str, str, str]]
) -> None:
    old_topology = user.topology
    user.press(PLACES["h1"])
    user.drag((300, 300))
    assert user.view.find_withtag("preview")
    user.drag(PLACES["h3"])
    user.release(PLACES["h3"])
    assert picked_pairs == [("h1", "h3", "")]
    assert not user.view.find_withtag("preview")
    assert user.topology == old_topology


def test_clicking_the_background_or_escape_cancels_the_pick(
    user: Any, picked_pairs: list[tuple[str, str, str]]
) -> None:
    user.click(PLACES["h1"])
    user.click((300, 250))
    user.click(PLACES["h2"])
    user.press(PLACES["h3"])
    user.press_key("<Escape>")
    user.release(PLACES["h3"])
    user.click(PLACES["h1"])
    assert picked_pairs == []
    user.click(PLACES["h1"])  # twice the same is no pair
    assert picked_pairs == []
    user.click(PLACES["h3"])
    assert picked_pairs == [("h1", "h3", "")]


@pytest.mark.parametrize("height_px", [860, 700, 560, 460])
def test_all_tools_and_run_buttons_are_visible_in_a_low_window(user: Any, height_px: int) -> None:
    editor = user.editor
    editor.window.geometry(f"1000x{height_px}")
    user.wait(lambda: editor.window.winfo_height() == height_px)
    column, buttons = editor.toolbox, editor.lab_controller.mode.buttons

    def lowest() -> int:
        return max(field.winfo_rooty() + field.winfo_height() for field in column.fields.values())

    user.wait(lambda: lowest() <= buttons.winfo_rooty())
    assert all(field.winfo_height() >= field.winfo_reqheight() for field in column.fields.values())
    assert buttons.winfo_rooty() + buttons.winfo_height() <= column.winfo_rooty() + column.winfo_height()
