"""The drawing by keys alone: every thing can be selected, and its menu and its properties open."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.model.flows import Flow
from frrlib.picture.scene import Key
from tests.window.topologies import TWO_ROUTERS

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS.model_copy(update={"flows": (Flow(id="f1", source="h1", destination="h2"),)})


def test_every_thing_can_be_reached(lab: Any) -> None:
    """From the first thing that a key selects, the directions lead to all others."""
    scene = lab.view.scene
    lab.press_key("<Control-Right>")
    (first,) = lab.view.selection
    reached, waiting = {first}, [first]
    while waiting:
        at = scene.center(waiting.pop())
        for towards in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            key = scene.nearest(at, towards)
            if key is not None and key not in reached:
                reached.add(key)
                waiting.append(key)
    assert reached == scene.keys()


def test_the_nearest_thing_is_in_the_direction(lab: Any) -> None:
    lab.view.select({Key("node", "h1")})
    names = []
    for _ in range(6):
        lab.press_key("<Control-Right>")
        (key,) = lab.view.selection
        names.append(key.name)
    assert [name for name in names if name in ("r1", "r2", "h2")] == ["r1", "r2", "h2"]
    lab.press_key("<Control-Left>")
    assert lab.view.selection != {Key("node", "h2")}
    assert lab.topology == LAB  # nothing has moved
    lab.view.select(())
    lab.press_key("<Right>")  # without a selection an arrow selects
    assert len(lab.view.selection) == 1
    assert lab.topology == LAB


def test_the_selection_is_announced_moved_and_opened(lab: Any) -> None:
    fact = lab.editor.status.fact
    lab.view.select({Key("node", "r1")})
    assert fact("selection") == "FRR router r1"
    x, y = lab.at("r1")
    lab.press_key("<Right>")
    lab.press_key("<Shift-Up>")
    assert lab.at("r1") == (x + 10, y - 1)
    lab.press_key("<Return>")
    (dialog,) = lab.editor.dialogs.open_dialogs.values()
    assert dialog.form.window.title() == "Router r1"
    dialog.form.close()
    lab.view.select(lab.view.scene.nodes)
    assert fact("selection") == f"{len(LAB.nodes)} selected"
    lab.view.select(())
    assert fact("selection") == ""
    lab.press_key("<Return>")  # opens nothing
    assert not lab.editor.dialogs.open_dialogs


def test_the_menu_key_opens_the_menu_of_the_selection(lab: Any) -> None:
    opened: list[tuple[Any, int, int]] = []
    lab.editor.tool_controller.on_context.insert(0, lambda key, x, y: opened.append((key, x, y)) or True)
    lab.view.select({Key("node", "r1")})
    lab.press_key("<Shift-F10>")
    x, y = lab.view.to_widget(lab.at("r1"))
    assert opened == [(Key("node", "r1"), round(lab.view.winfo_rootx() + x), round(lab.view.winfo_rooty() + y))]
    lab.view.select(())
    lab.press_key("<Menu>")
    assert opened[1][0] is None


def test_the_properties_have_the_keyboard_in_their_first_field(lab: Any) -> None:
    lab.view.select({Key("node", "h1")})
    lab.press_key("<Alt-Return>")
    (dialog,) = lab.editor.dialogs.open_dialogs.values()
    window = dialog.form.window
    lab.wait(lambda: window.focus_lastfor().winfo_class() == "TEntry")
    field = window.focus_lastfor()
    assert field.get() == "h1"
    lab.press_key("<Alt-Return>")  # the open dialog keeps the keyboard there
    lab.wait(lambda: window.focus_displayof() is field)
