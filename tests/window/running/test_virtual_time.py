"""The window during a run in virtual time, and the actions that it disables."""

from __future__ import annotations

import time

import pytest

from frrlib.picture.scene import Key
from miniedit_frr.lab_control import run_menu
from miniedit_frr.session.events import VIRTUAL_TIME_REFUSAL, ClockTime, LabOrder, LabState, StepProgress
from miniedit_frr.window.menus import MENUS, MenuLine
from tests.examples.data import two_as_bgp
from tests.window.hands_on_labs import labels
from tests.window.hands_on_window import User

pytestmark = pytest.mark.gui

LAB = two_as_bgp()


def set_running(user: User, *, virtual: bool) -> None:
    """Set the window's state as if a lab of its topology ran."""
    running = user.editor.lab_controller
    running.lab.topology, running.lab.state = user.topology, LabState.RUNNING
    running.lab.order = LabOrder(user.topology, flows=True, virtual_time=virtual)
    running.display.begin(user.topology)
    running.mode.show()


@pytest.fixture(autouse=True)
def end_lab(lab: User) -> object:
    yield
    lab.editor.lab_controller.lab.state = LabState.IDLE


def test_the_menu_of_a_node_shows_why_it_is_disabled(lab: User) -> None:
    for virtual in (False, True):
        set_running(lab, virtual=virtual)
        menu = lab.editor.lab_controller.menus.make(lab.editor.parts.main, lab.editor.dialogs, Key("node", "r1"))
        lines = labels(menu)
        assert {"vtysh", "Terminal", "Routing Table", "Properties…"} <= set(lines)
        assert (lines[0] == "Not available in virtual time") == virtual
        states = {name: str(menu.entrycget(name, "state")) for name in ("vtysh", "Terminal", "Properties…")}
        assert states == {"vtysh": "disabled" if virtual else "normal", "Terminal": "disabled" if virtual else "normal",
                          "Properties…": "normal"}  # fmt: skip


def test_the_run_menu_shows_why_lines_are_disabled(lab: User) -> None:
    titles = {item.command: item.label for _, items in MENUS for item in items if isinstance(item, MenuLine)}
    for virtual in (False, True):
        set_running(lab, virtual=virtual)
        assert run_menu.enabled(lab.editor.lab_controller)["lab_runs"]() != virtual
        assert run_menu.enabled(lab.editor.lab_controller)["lab_alive"]()  # Stop and Cancel
        for command, say in run_menu.labels(lab.editor.lab_controller).items():
            if command in ("run_flows", "run_options") and not virtual:
                assert say() == {"run_flows": "Send Flows", "run_options": "Send with Options…"}[command]
                continue
            if command == "run":
                assert say() == ("Run" if virtual else "Apply Changes")
                continue
            if command in ("run_flows", "run_options", "compare_queues", "compare_controls", "sweep"):
                assert say() == f"{titles[command]} (stop the lab first)"
                continue
            assert say() == titles[command] + (" (not in virtual time)" if virtual else "")


def test_a_double_click_shows_why_the_node_cannot_be_entered(lab: User) -> None:
    set_running(lab, virtual=True)
    lab.double_click(lab.at("r1"))
    assert f"r1 cannot be entered: {VIRTUAL_TIME_REFUSAL}." in lab.editor.log.text.get("1.0", "end")
    assert VIRTUAL_TIME_REFUSAL in lab.editor.tool_controller.refuses(lab.editor.lab_controller.mode.two_nodes)


def test_the_status_bar_uses_the_clock_of_the_lab(lab: User, monkeypatch: pytest.MonkeyPatch) -> None:
    set_running(lab, virtual=True)
    display, status = lab.editor.lab_controller.display, lab.editor.status
    all_s = max(flow.ends_s or 0 for flow in lab.topology.flows)
    now_s = time.monotonic()
    monkeypatch.setattr("miniedit_frr.running_lab.display.time.monotonic", lambda: now_s)
    display.show_clock(ClockTime(100.0))
    lab.editor.lab_controller.handle(StepProgress("flows", "start"))
    now_s += 0.5
    display.show_clock(ClockTime(100.0 + all_s / 4))
    display.refresh()
    assert float(status.bar.cget("value")) == pytest.approx(0.25)
    # A quarter took half a second, so the rest takes one and a half.
    fast = f"{all_s / 4:.1f} of {all_s:g} s, {all_s / 4 / 0.5:.2g} times as fast as real time, 1.5 s left"
    assert status.shown_message == f"Sending the flows: {fast}"


def test_the_status_bar_uses_the_real_clock_in_real_time(lab: User, monkeypatch: pytest.MonkeyPatch) -> None:
    set_running(lab, virtual=False)
    display = lab.editor.lab_controller.display
    all_s = max(flow.ends_s or 0 for flow in lab.topology.flows)
    now_s = time.monotonic()
    monkeypatch.setattr("miniedit_frr.running_lab.display.time.monotonic", lambda: now_s)
    lab.editor.lab_controller.handle(StepProgress("flows", "start"))
    now_s += all_s / 2
    display.refresh()
    assert float(lab.editor.status.bar.cget("value")) == pytest.approx(0.5)
