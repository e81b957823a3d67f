"""Everything in MiniEdit is here, in the same place: menus, tools, keys, right clicks."""

from __future__ import annotations

import tkinter as tk
from typing import Any

import pytest

from frrlib import __version__
from frrlib.checks.check import check
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link
from frrlib.model.nodes import Bridge, Controller, Host, Router, Switch
from frrlib.model.routing import Ospf
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.forms.topology import PREFERENCES
from miniedit_frr.dialogs.parts import FieldGroup
from miniedit_frr.lab_control import run_menu
from miniedit_frr.session import requests
from miniedit_frr.session.events import LabState, StateChange
from miniedit_frr.session.pending import PendingRequest
from miniedit_frr.tools.pointer import TOOLS
from miniedit_frr.window.menus import MENUS, MenuLine

pytestmark = pytest.mark.gui


def every_kind() -> Topology:
    """A node of each kind, and a link."""
    nodes = (
        Host(name="h1", x=100, y=100),
        Switch(name="s1", x=250, y=100, controllers=("c0",)),
        Bridge(name="s2", x=400, y=100),
        Router(name="r1", x=550, y=100),
        Router(name="r2", x=100, y=300, ospf=Ospf()),
        Controller(name="c0", x=250, y=300),
    )
    return Topology(nodes=nodes, links=(Link(id="l1", a=End(node="r1"), b=End(node="s2")),))


def entries(menu: tk.Menu) -> list[tuple[str, str, str]]:
    """Labels, shortcuts and states of a menu's lines."""
    lines = []
    for index in range((menu.index("end") or 0) + 1):
        if menu.type(index) not in ("separator", "tearoff"):
            shortcut = "" if menu.type(index) == "cascade" else str(menu.entrycget(index, "accelerator")).strip()
            lines.append((str(menu.entrycget(index, "label")), shortcut, str(menu.entrycget(index, "state"))))
    return lines


def menus_of(user: Any) -> dict[str, tk.Menu]:
    """The menus of the window by their titles."""
    bar = user.editor.window.nametowidget(user.editor.window.cget("menu"))
    menus = {}
    for index in range(bar.index("end") + 1):
        menu = bar.nametowidget(bar.entrycget(index, "menu"))
        menus[str(bar.entrycget(index, "label"))] = menu
    return menus


def test_the_menus_have_every_line_of_miniedit(user: Any) -> None:
    menus = {title: {label.rstrip("…") for label, _, _ in entries(menu)} for title, menu in menus_of(user).items()}
    assert {"New", "Open", "Save", "Export", "Quit"} <= menus["File"]
    assert {"Cut", "Preferences"} <= menus["Edit"]
    assert {"Run", "Stop", "Show OVS Summary", "Root Terminal"} <= menus["Run"]
    assert any(label.startswith("About") for label in menus["Help"])


def test_every_menu_and_line_has_a_letter_of_its_own(user: Any) -> None:
    bar = user.editor.window.nametowidget(user.editor.window.cget("menu"))
    letters = []
    for menu in (bar, *menus_of(user).values()):
        of_menu = []
        for index in range((menu.index("end") or 0) + 1):
            if menu.type(index) not in ("separator", "tearoff"):
                at = int(menu.entrycget(index, "underline"))
                of_menu.append(str(menu.entrycget(index, "label"))[at].lower() if at >= 0 else "")
        letters.append(of_menu)
    assert all(len(set(of_menu)) == len(of_menu) and "" not in of_menu for of_menu in letters)
    assert letters[0] == ["f", "e", "v", "a", "o", "r", "h"]


def test_alt_with_a_letter_or_an_arrow_neither_chooses_a_tool_nor_moves_a_node(user: Any) -> None:
    user.document.apply("Draw", every_kind())
    user.editor.view.select({Key("node", "h1")})
    before = user.editor.document.topology
    for key in ("<Alt-Key-f>", "<Alt-Key-r>", "<Alt-Left>"):
        user.press_key(key, user.editor.view)
    assert user.editor.tool_controller.tool.key == TOOLS[0].key
    assert user.editor.document.topology == before
    user.press_key("<Left>", user.editor.view)
    assert user.editor.document.topology != before


def test_the_menus_show_the_shortcuts(user: Any) -> None:
    """Each shortcut of the table is beside its menu line. Common shortcuts are the usual ones."""
    shortcuts = {}
    for menu in menus_of(user).values():
        shortcuts |= {label: shortcut for label, shortcut, _ in entries(menu) if shortcut}
    expected = {
        item.label: item.shortcut
        for _, lines in MENUS
        for item in lines
        if isinstance(item, MenuLine) and item.shortcut and item.command not in ("undo", "redo")
    }
    assert expected.items() <= shortcuts.items()
    assert {
        "Open…": "Ctrl+O",
        "Save": "Ctrl+S",
        "Quit": "Ctrl+Q",
        "Run": "F5",
        "Delete": "Delete",
    }.items() <= shortcuts.items()
    assert {"Ctrl+Z", "Ctrl+Shift+Z"} <= set(shortcuts.values())


def test_the_tools_have_the_order_of_miniedit(user: Any) -> None:
    fields = user.editor.toolbox.fields.values()
    tops = {str(field.cget("text")): field.winfo_rooty() for field in fields if field.cget("text")}
    miniedits = ["Select", "Host", "Switch", "LegacySwitch", "LegacyRouter", "NetLink", "Controller"]
    assert [name for name in sorted(tops, key=lambda name: tops[name]) if name in miniedits] == miniedits


def test_every_tool_has_a_tip(user: Any) -> None:
    """The tip of a tool has its purpose and its letter."""
    fields, old_windows = list(user.editor.toolbox.fields.values()), set(_toplevels(user))
    for field in fields:
        field.event_generate("<Enter>", x=5, y=5)
    user.wait(lambda: len(set(_toplevels(user)) - old_windows) == len(fields))
    for tip in set(_toplevels(user)) - old_windows:
        texts = [str(label.cget("text")) for label in _below(tip) if isinstance(label, tk.Label | tk.ttk.Label)]
        assert any(len(text) > 10 and text.endswith(")") for text in texts)
    for field in fields:
        field.event_generate("<Leave>", x=5, y=5)
    user.wait(lambda: not set(_toplevels(user)) - old_windows)


def _toplevels(user: Any) -> list[Any]:
    return [
        widget for widget in _below(user.editor.window) if isinstance(widget, tk.Toplevel) and widget.winfo_viewable()
    ]


def _below(widget: Any) -> list[Any]:
    widgets = []
    for child in widget.winfo_children():
        widgets += [child, *_below(child)]
    return widgets


def test_run_and_stop_are_at_the_bottom_and_stop_is_disabled(user: Any) -> None:
    buttons = user.editor.lab_controller.mode.buttons
    lowest = max(field.winfo_rooty() for field in user.editor.toolbox.fields.values())
    assert lowest < buttons.run.winfo_rooty() < buttons.stop.winfo_rooty()
    user.document.apply("Draw", every_kind())
    assert (str(buttons.run.cget("state")), str(buttons.stop.cget("state"))) == ("normal", "disabled")


def test_run_is_disabled_for_an_empty_topology(user: Any) -> None:
    button = user.editor.lab_controller.mode.buttons.run
    assert str(button.cget("state")) == "disabled"
    user.document.apply("Draw", every_kind())
    assert str(button.cget("state")) == "normal"
    user.document.undo()
    assert str(button.cget("state")) == "disabled"


def test_run_with_flows_is_enabled_for_a_topology_with_flows(user: Any) -> None:
    button = user.editor.lab_controller.mode.buttons.run_flows
    hosts = tuple(Host(name=f"h{number}", number=number, x=100 * number, y=100) for number in (1, 2))
    topology = Topology(nodes=hosts, links=(Link(id="l1", a=End(node="h1"), b=End(node="h2")),))
    user.document.apply("Draw", topology)
    assert str(button.cget("state")) == "disabled"
    flow = Flow(id="f1", source="h1", destination="h2")
    user.document.apply("Flow", topology.model_copy(update={"flows": (flow,)}))
    assert str(button.cget("state")) == "normal"
    user.press_key("<Alt-F5>")
    assert user.editor.lab_controller.run_dialogs.dialog.winfo_exists()


def test_ctrl_q_quits(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []
    monkeypatch.setattr(user.editor, "close", lambda *_, **__: closed.append(True))
    user.press_key("<Control-Key-q>")
    assert closed


@pytest.mark.parametrize("key", ["<Delete>", "<BackSpace>"])
def test_delete_and_backspace_delete_the_selection(user: Any, key: str) -> None:
    user.document.apply("Draw", every_kind())
    user.view.zoom_to(1)
    user.click(user.at("r1"))
    user.press_key(key)
    assert user.topology.node("r1") is None
    assert user.topology.links == ()


def test_a_right_click_offers_properties_of_every_kind(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    menus: list[tk.Menu] = []
    monkeypatch.setattr(tk.Menu, "tk_popup", lambda menu, *_, **__: menus.append(menu))
    user.document.apply("Draw", every_kind())
    user.view.zoom_to(1)
    middle = ((550 + 400) / 2, 100)
    for name in ("h1", "s1", "s2", "r1", "r2", "c0", "l1"):
        x, y = user.view.to_widget(middle if name == "l1" else user.at(name))
        user.view.event_generate("<ButtonPress-3>", x=x, y=y)
        user.editor.window.update()
        menu = menus[-1]
        menu.invoke(next(i for i in range(menu.index("end") + 1) if "Properties" in str(menu.entrycget(i, "label"))))
        (dialog,) = user.editor.dialogs.open_dialogs.values()
        assert dialog.form.window.title().endswith("r1 - s2" if name == "l1" else f" {name}")
        dialog.form.cancel()


def test_new_nodes_have_the_defaults_of_miniedit(user: Any) -> None:
    for index, key in enumerate("hsbgc"):
        user.tool(key)
        user.click((80 + 90 * index, 150))
    host, switch, bridge, router, controller = user.topology.nodes
    assert (host.scheduler, host.start_command) == ("host", "")
    assert (switch.switch_type, switch.controllers) == ("default", ())
    assert (bridge.kind, bridge.controllers, router.kind, router.runs_frr) == ("bridge", (), "router", False)
    assert (controller.name, controller.controller_type, controller.protocol, controller.address, controller.port) == (
        "c0", "ref", "tcp", "127.0.0.1", 6633,
    )  # fmt: skip


def test_about_shows_the_name_and_the_version(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from ttkbootstrap.dialogs import Messagebox

    messages: list[str] = []
    for name in ("show_info", "ok", "show_question"):
        monkeypatch.setattr(Messagebox, name, lambda text, *_, **__: messages.append(text))
    menu = menus_of(user)["Help"]
    menu.invoke(next(index for index, (label, _, _) in enumerate(entries(menu)) if label.startswith("About")))
    user.editor.window.update()
    texts = messages + [
        str(widget.cget("text")) for top in _toplevels(user) for widget in _below(top) if _has_text(widget)
    ]
    assert any("MiniEdit-FRR" in text and __version__ in text for text in texts)


def _has_text(widget: Any) -> bool:
    return "text" in (widget.keys() or ())


# --- with a lab that only listens -------------------------------------------------------------------------------------


@pytest.fixture
def terminal_requests(user: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The requests for terminals in a lab of every kind."""
    commands: list[tuple[str, ...]] = []
    running = user.editor.lab_controller
    running.lab.topology = every_kind()

    def ask(question: Any) -> PendingRequest[Any]:
        if getattr(question, "func", None) is requests.terminal_command:
            commands.append((question.keywords["node"], *question.keywords["argv"]))
        return PendingRequest(running.session.pending)

    monkeypatch.setattr(running.session, "ask", ask)
    return commands


def test_menu_lines_open_the_ovs_summary_and_a_root_terminal(
    user: Any, terminal_requests: list[tuple[str, ...]]
) -> None:
    run_menu.commands(user.editor.lab_controller)["ovs_summary"]()
    node, *argv = terminal_requests[-1]
    assert node == ""
    assert "ovs-vsctl show" in argv[-1] and "Press Enter to close" in argv[-1]
    run_menu.commands(user.editor.lab_controller)["root_terminal"]()
    assert terminal_requests[-1] == ("", "bash")


@pytest.mark.parametrize("is_wanted", [True, False])
def test_start_cli_opens_a_terminal_when_the_lab_runs(
    user: Any, terminal_requests: list[tuple[str, ...]], is_wanted: bool
) -> None:
    """The window stays responsive. MiniEdit's window blocks until the command line is left."""
    running = user.editor.lab_controller
    preferences = running.topology.preferences.model_copy(update={"start_cli": is_wanted})
    running.lab.topology = running.topology.model_copy(update={"preferences": preferences})
    running.handle(StateChange(LabState.RUNNING))
    assert terminal_requests == ([("", "bash")] if is_wanted else [])
    running.handle(StateChange(LabState.IDLE))


def test_the_topology_sets_the_terminal_unless_the_user_does(user: Any) -> None:
    """The terminal of the topology is used unless the user prefers another one. The help of each field says so."""
    running = user.editor.lab_controller
    preferences = running.topology.preferences.model_copy(update={"terminal_type": "gterm"})
    running.lab.topology = running.topology.model_copy(update={"preferences": preferences})
    assert running.windows.terminal_choice() == "gterm"
    (group,) = (part for part in PREFERENCES[0].parts if isinstance(part, FieldGroup) and part.title == "Terminals")
    helps = {part.label: part.help for part in group.parts if isinstance(part, Field)}
    assert "terminals of a lab" in helps["Default terminal"]
    assert "when the lab starts" in helps["Start CLI"]


@pytest.mark.parametrize(
    ("name", "offered"),
    [
        ("h1", {"Terminal", "Routing Table", "Interfaces", "Run Start Command", "Run Stop Command"}),
        ("s1", {"Terminal", "Interfaces", "List Bridge Details"}),
        ("s2", {"Terminal", "Interfaces"}),
        ("r1", {"Terminal", "Routing Table", "Interfaces"}),
        ("r2", {"vtysh", "Terminal", "Routing Table", "Interfaces", "Daemons"}),
    ],
)
def test_the_context_menu_of_a_running_node_has_its_commands(
    user: Any, terminal_requests: list[tuple[str, ...]], name: str, offered: set[str]
) -> None:
    lines = {line[0]: line for line in user.editor.lab_controller.menus.lines(Key("node", name)) if line}
    assert offered <= set(lines)
    assert ("vtysh" in lines) == (name == "r2")
    lines["Terminal"][1]()  # type: ignore[operator]
    assert terminal_requests[-1] == (name, "bash")
    if name == "s1":
        lines["List Bridge Details"][1]()  # type: ignore[operator]
        assert terminal_requests[-1][0] == "s1" and "ovs-vsctl list bridge s1" in terminal_requests[-1][-1]


def test_a_switch_without_a_datapath_id_is_reported() -> None:
    nodes = (Switch(name="core"), Host(name="h1"))
    link = Link(id="l1", a=End(node="core"), b=End(node="h1"))
    (problem,) = [
        problem_found for problem_found in check(Topology(nodes=nodes, links=(link,))) if problem_found.field == "dpid"
    ]
    assert problem.node == "core"
    named = Topology(nodes=(Switch(name="core", dpid="1a"), Host(name="h1")), links=(link,))
    assert not [problem_found for problem_found in check(named) if problem_found.field == "dpid"]


def test_run_is_green_and_stop_is_red(user: Any) -> None:
    """Green and red, whatever the theme calls them."""
    colours = user.editor.window.style.colors
    for shade, stronger in ((colours.success, 1), (colours.danger, 0)):
        parts = [int(shade[at : at + 2], 16) for at in (1, 3, 5)]
        assert parts[stronger] == max(parts)
    assert str(user.editor.lab_controller.mode.buttons.run.cget("style")).lower().startswith("success")
    assert str(user.editor.lab_controller.mode.buttons.stop.cget("style")).lower().startswith("danger")
