"""Clicks with several handlers: the first one that handles a click stops it."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.picture.scene import Key
from tests.window.hands_on_window import draw

pytestmark = pytest.mark.gui

R1 = Key("node", "r1")


@pytest.mark.parametrize("handles", [True, False])
def test_a_handled_click_is_not_passed_on(user: Any, handles: bool) -> None:
    draw(user)
    hands, calls = user.editor.tool_controller, []
    hands.on_open[:] = [lambda key: calls.append(("first", key)) or handles, lambda key: calls.append(("second", key))]
    hands.on_context[:] = [
        lambda key, x, y: calls.append(("first", key)) or handles,
        lambda key, x, y: calls.append(("second", key)),
    ]
    expected = [("first", R1)] if handles else [("first", R1), ("second", R1)]
    user.double_click((300, 200))
    assert calls == expected
    calls.clear()
    x, y = user.view.to_widget((300, 200))
    user.view.event_generate("<ButtonPress-3>", x=x, y=y)
    user.editor.window.update()
    assert calls == expected
