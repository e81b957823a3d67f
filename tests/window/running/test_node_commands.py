"""One command on several nodes: the line of the menu, and the window with the replies."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

import pytest

from frrlib.picture.scene import Key
from miniedit_frr.running_lab.node_commands_window import VTYSH, CommandReply, NodeCommandsWindow
from tests import keyboard
from tests.examples.data import two_as_no_delay
from tests.window.hands_on_labs import Runner, choose, labels
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui]

LAB = two_as_no_delay()
Waiting = dict[str, tuple[tuple[str, ...], Callable[[CommandReply], object]]]


def open_window(user: User, *nodes: str) -> tuple[NodeCommandsWindow, Waiting]:
    """The window for some nodes, of which r1 and r2 run FRR, and the pending commands by node."""
    waiting: Waiting = {}

    def run(node: str, words: tuple[str, ...], then: Callable[[CommandReply], object]) -> None:
        waiting[node] = words, then

    return NodeCommandsWindow(user.editor.window, nodes, {"r1", "r2"}, run, user.editor.view.theme), waiting


def lines(window: NodeCommandsWindow) -> list[str]:
    return [line for line in window.text.get("1.0", "end").splitlines() if line]


def test_replies_are_shown_in_the_order_of_the_nodes(user: User) -> None:
    window, waiting = open_window(user, "h1", "r1")
    keyboard.give(window.entry)
    window.entry.insert(0, "hostname; false")
    user.press_key("<Return>", window.entry)
    assert {node: words for node, (words, _) in waiting.items()} == {
        "h1": ("sh", "-c", "hostname; false"), "r1": ("sh", "-c", "hostname; false"),
    }  # fmt: skip
    assert lines(window) == ["h1  waiting …", "r1  waiting …"]
    waiting["r1"][1](CommandReply(1, "r1\n"))
    assert lines(window) == ["h1  waiting …", "r1  exit status 1", "r1"]
    assert window.said.cget("text") == "1 of 2 nodes replied."
    waiting["h1"][1](CommandReply(0, ""))
    assert lines(window) == ["h1  exit status 0", "(no output)", "r1  exit status 1", "r1"]
    assert "failed" in window.text.tag_names("3.6") and "failed" not in window.text.tag_names("1.6")
    user.press_key("<Escape>", window.entry)
    assert not window.winfo_exists()
    waiting["h1"][1](CommandReply(0, "late"))  # nobody is there to hear it


def test_late_replies_to_an_earlier_command_are_ignored(user: User) -> None:
    window, waiting = open_window(user, "h1")
    window.entry.insert(0, "sleep 9")
    window.submit()
    _, late = waiting["h1"]
    window.submit()
    late(CommandReply(0, "of the first"))
    assert lines(window) == ["h1  waiting …"]
    window.destroy()


def test_vtysh_is_used_on_routers_only(user: User) -> None:
    window, waiting = open_window(user, "h1", "r1")
    window.shell.set(VTYSH)
    window.entry.insert(0, "show ip route")
    window.submit()
    assert waiting.keys() == {"r1"} and waiting["r1"][0] == ("vtysh", "-c", "show ip route")
    assert lines(window)[0] == "h1  no reply" and lines(window)[1].startswith(
        "no FRR here: for a router, choose Start FRR"
    )
    window.destroy()


def test_without_a_lab_the_menu_line_shows_the_reason(lab: User, monkeypatch: pytest.MonkeyPatch) -> None:
    menus: list[tk.Menu] = []
    monkeypatch.setattr(tk.Menu, "tk_popup", lambda menu, *_, **__: menus.append(menu))
    lab.editor.view.select({Key("node", name) for name in ("h1", "r1", "r2")})
    lab.editor._show_context_menu(Key("node", "r1"), 10, 10)
    line = "Run a Command on 3 Nodes (no lab is running)"
    assert line in labels(menus[-1]) and menus[-1].entrycget(line, "state") == "disabled"
    lab.editor.view.select({Key("node", "h1")})
    lab.editor._show_context_menu(Key("node", "h1"), 10, 10)
    assert not [label for label in labels(menus[-1]) if label.startswith("Run a Command")]


@pytest.mark.lab
@pytest.mark.timeout(180)
def test_three_nodes_run_a_command_while_the_window_stays_responsive(shared_runner: Runner) -> None:
    runner = shared_runner
    names = ("h1", "r1", "r2")
    runner.view.select({Key("node", name) for name in names})
    choose(runner.right_click(runner.at("r1")), "Run a Command on 3 Nodes…")
    window = runner.lab_controller.node_commands.window
    assert window is not None
    window.entry.insert(0, "hostname; test $(hostname) = r1")
    window.submit()
    runner.wait(lambda: window.said.cget("text") == "3 of 3 nodes replied.")
    assert lines(window) == [
        "h1  exit status 1", "h1", "r1  exit status 0", "r1", "r2  exit status 1", "r2",
    ]  # fmt: skip
    window.shell.set(VTYSH)
    window.entry.delete(0, "end")
    window.entry.insert(0, "show version")
    window.submit()
    runner.wait(lambda: window.said.cget("text") == "3 of 3 nodes replied.")
    assert sum(line.startswith("FRRouting") for line in lines(window)) == 2
    window.destroy()
