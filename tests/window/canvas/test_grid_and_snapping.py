"""The grid, snapping, guides and scroll bars, worked with real events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from frrlib.picture.scene import Key
from miniedit_frr.canvas.grid import PITCH
from miniedit_frr.user import window_state as settings
from miniedit_frr.user.window_state import SnapOptions

pytestmark = pytest.mark.gui

ALT = 0x8


def set_switches(user: Any, **switches: bool) -> None:
    for name, is_on in switches.items():
        if getattr(user.editor.canvas_commands.snap_options, name) != is_on:
            user.editor.canvas_commands.commands()[f"hold_{name}"]()


def test_the_grid_fills_the_visible_part_below_everything(user: Any) -> None:
    user.put("h", (200, 200))
    user.press_key("<Control-Key-g>")
    view = user.view
    lines = view.find_withtag("grid")
    assert lines
    for factor in (1, 0.2, 3):
        view.zoom_to(factor)
        user.editor.window.update()
        lines = view.find_withtag("grid")
        upright = sorted(x0 for x0, _, x1, _ in map(view.coords, lines) if x0 == x1)
        assert upright[0] <= view.canvasx(0) and upright[-1] >= view.canvasx(view.winfo_width()) - 1
        assert all((x / view.factor) % PITCH == pytest.approx(0, abs=1e-6) or
                   (x / view.factor) % PITCH == pytest.approx(PITCH, abs=1e-6) for x in upright)  # fmt: skip
        assert len(lines) < 400
    order = view.find_all()
    host = order.index(view.items_of(Key("node", "h1"))[0])
    assert all(order.index(line) < host for line in view.find_withtag("grid"))
    user.press_key("<Control-Key-g>")
    assert not view.find_withtag("grid")


def test_placed_and_dragged_things_snap_to_the_grid(user: Any) -> None:
    set_switches(user, snap=True)
    user.put("h", (203, 211))
    assert user.at("h1") == (200, 220)
    user.sweep((200, 220), (230, 250), (307, 331))
    assert user.at("h1") == (300, 340) or user.at("h1") == (300, 320)
    user.tool("a")
    user.sweep((52, 48), (100, 100), (171, 129))
    (shape,) = user.topology.annotations
    assert (shape.x, shape.y, shape.width, shape.height) == (60, 40, 120, 80)


def test_a_drag_aligns_with_other_nodes_unless_alt_is_pressed(user: Any) -> None:
    user.put("h", (200, 200))
    user.put("h", (400, 320))
    user.press((400, 320))
    user.drag((420, 250))
    user.drag((500, 203))
    assert len(user.view.find_withtag("guide")) == 1
    user.release((500, 203))
    assert user.at("h2") == pytest.approx((500, 200), abs=1)
    assert not user.view.find_withtag("guide")
    user.sweep((500, 200), (400, 300), (204, 403), state=ALT)
    assert user.at("h2") == pytest.approx((204, 403), abs=1)
    set_switches(user, guides=False)
    user.sweep((204, 403), (400, 300), (500, 203))
    assert user.at("h2") == pytest.approx((500, 203), abs=1)


def test_the_switches_are_remembered(user: Any, tmp_path: Path) -> None:
    set_switches(user, grid=True, snap=True, guides=False)
    memory = tmp_path / "window.json"
    settings.save(settings.WindowState(holding=user.editor.canvas_commands.snap_options), memory)
    assert settings.load(memory).holding == SnapOptions(grid=True, snap=True, guides=False)


def test_scroll_bars_are_shown_while_something_is_out_of_sight(user: Any) -> None:
    user.put("h", (200, 200))
    bars = lambda: [widget for widget in user.view.winfo_children() if widget.winfo_class() == "TScrollbar"]  # noqa: E731
    visible_bars = lambda: {str(widget.cget("orient")) for widget in bars() if widget.winfo_ismapped()}  # noqa: E731
    user.editor.window.update()
    assert visible_bars() == set()
    user.put("h", (400, 400))
    user.sweep((400, 400), (450, 500), (400, 3000))
    user.wait(lambda: visible_bars() == {"vertical"})
    user.view.fit()
    user.wait(lambda: visible_bars() == set())
