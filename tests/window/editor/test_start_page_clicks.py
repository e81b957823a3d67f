"""Clicks on the start page with a real pointer and real keys, which come before the window has handled any of them."""

from __future__ import annotations

import os
import shutil
import tkinter as tk
from collections.abc import Iterator
from typing import Any

import pytest

from frrlib.model.nodes import Host
from miniedit_frr.tools.pointer import TOOLS
from tests import keyboard
from tests.desktop import Desktop
from tests.waiting import wait_for

pytestmark = [pytest.mark.gui, pytest.mark.skipif(shutil.which("xdotool") is None, reason="needs xdotool")]
HOST_KEY = next(tool.key for tool in TOOLS if tool.icon == "host")


def labels(widget: tk.Misc) -> Iterator[tk.Label]:
    for child in widget.winfo_children():
        if isinstance(child, tk.Label) and child.winfo_viewable():
            yield child
        yield from labels(child)


def test_a_click_right_after_a_tool_key_draws_through_the_start_page(user: Any) -> None:
    editor, view = user.editor, user.editor.view
    keyboard.give(view)
    page = editor.start_page.page
    text = next(labels(page))
    x, y = text.winfo_rootx() + text.winfo_width() // 2, text.winfo_rooty() + text.winfo_height() // 2
    hand = Desktop(os.environ["DISPLAY"])
    hand.point(x, y)
    editor.window.update()
    hand.do("key", HOST_KEY, "click", 1)  # both events occur before the window handles the first one

    def drawn_nodes() -> Any:
        editor.window.update()
        return user.document.topology.nodes

    (node,) = wait_for(drawn_nodes, "a host where the page was")
    assert isinstance(node, Host)
    grain = 40
    at = view.to_widget((node.x, node.y))
    assert abs(at[0] + view.winfo_rootx() - x) <= grain
    assert abs(at[1] + view.winfo_rooty() - y) <= grain
    assert editor.start_page.page is None
    editor.window.update()
    assert not page.winfo_exists()


def test_a_click_on_a_card_after_a_tool_key_opens_no_example(user: Any) -> None:
    editor, view = user.editor, user.editor.view
    keyboard.give(view)
    card = editor.start_page.page.cards[0]
    hand = Desktop(os.environ["DISPLAY"])
    hand.point(card.winfo_rootx() + card.winfo_width() // 2, card.winfo_rooty() + 6)
    editor.window.update()
    hand.do("key", HOST_KEY, "click", 1)

    def drawn_nodes() -> Any:
        editor.window.update()
        return user.document.topology.nodes

    (node,) = wait_for(drawn_nodes, "what the key and the click drew")
    assert isinstance(node, Host)
