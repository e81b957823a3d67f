"""The status bar's message: about recent events, and about work in progress."""

from __future__ import annotations

import tkinter as tk
from tkinter import font as tkfont
from typing import Any

import pytest
from PIL import ImageGrab

from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from miniedit_frr.panels import status
from miniedit_frr.panels.status import FACTS
from miniedit_frr.running_lab import actions
from miniedit_frr.session.events import LabState, NodeState, StateChange
from miniedit_frr.widgets.data_table import Column, DataTable
from miniedit_frr.widgets.table import TableWindow
from tests.waiting import comes, pause
from tests.window.widgets import label

pytestmark = pytest.mark.gui


def test_a_message_disappears_unless_something_is_in_progress(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "_LASTS_MS", 200)
    bar = user.editor.status

    def message_text() -> str:
        return bar.shown_message

    bar.tell("Opened it.")
    assert message_text() == "Opened it."
    user.wait(lambda: message_text() == "")
    bar.progress(0.3)
    bar.tell("Sending the flows …")
    pause(0.8, user.editor.window.update)
    assert message_text() == "Sending the flows …"
    bar.progress(None)
    user.wait(lambda: message_text() == "")


def test_a_long_message_is_cut_and_leaves_room_for_the_facts(user: Any) -> None:
    bar = user.editor.status
    user.editor.window.update()
    lab_fact = label(bar, "no lab is running")
    old_width = lab_fact.winfo_width()
    bar.tell("bgpd was ended by SIGKILL; its log ends with: " + "a line that says much " * 20)
    user.editor.window.update()
    message = bar.shown_message
    assert message.startswith("bgpd was ended") and message.endswith("…")
    assert lab_fact.winfo_width() == old_width
    bar.tell("Short.")
    assert bar.shown_message == "Short."


def test_a_message_replaces_the_kernel_before_it_is_cut(user: Any) -> None:
    bar = user.editor.status
    user.editor.window.update()
    font = tkfont.nametofont("TkDefaultFont")
    kernel = label(bar, bar.fact("kernel"))
    room = bar.winfo_width() - sum(font.measure(bar.fact(name)) + 20 for name in FACTS)
    long = "m" * (room // font.measure("m") + 4)
    bar.tell(long)
    user.editor.window.update()
    assert bar.shown_message == long and not kernel.winfo_ismapped()
    bar.tell("Short.")
    user.editor.window.update()
    assert kernel.winfo_ismapped() and kernel.winfo_x() < label(bar, bar.fact("zoom")).winfo_x()


def test_the_status_bar_names_failed_nodes_of_a_running_lab(user: Any) -> None:
    display = user.editor.lab_controller.display
    display.begin(Topology(nodes=(Router(name="r1"), Router(name="r2"))))

    def fact() -> str:
        display.refresh()
        return str(user.editor.status.fact("lab"))

    display.show_state(LabState.RUNNING)
    for name in ("r1", "r2"):
        display.show_node(NodeState(name, "up", ""))
    assert fact() == "the lab is running"
    display.show_node(NodeState("r2", "failed", "bgpd was ended by SIGKILL"))
    assert fact() == "the lab is running, r2 failed"
    display.show_node(NodeState("r1", "failed", "bgpd was ended by SIGKILL"))
    assert fact() == "the lab is running, 2 nodes failed"
    display.show_state(LabState.IDLE)
    assert fact() == "no lab is running"


def test_a_failure_is_shown_in_one_window_and_logged_once(user: Any) -> None:
    running, reason = user.editor.lab_controller, "r1, Lines of your own: FRR does not take line 1"
    running.lab.state = LabState.STARTING
    running.handle(StateChange(LabState.FAILED, reason))
    assert user.editor.status.shown_message == "The lab did not start."
    assert running.failure.text.get("1.0", "end").strip() == reason
    assert user.editor.log.text.get("1.0", "end").count(reason) == 1
    running.failure.destroy()


def test_the_question_before_a_kill_names_the_command_to_restart(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    questions: list[str] = []
    monkeypatch.setattr(actions.Messagebox, "show_question", lambda text, *arguments, **options: questions.append(text))
    user.editor.lab_controller.actions.kill("r1", "bgpd")
    (text,) = questions
    assert text.startswith("Kill bgpd on r1?")
    assert "Fault > bgpd > Restart starts it again." in text


def test_a_failed_step_is_below_its_completed_parts_and_a_node_lists_what_is_missing(user: Any) -> None:
    panel = user.editor.lab_controller.display.panel
    panel.begin(["r1"])
    for name, state in (("build", "start"), ("mininet", "start"), ("mininet", "done"), ("build", "failed")):
        panel.step(name, state, "")
    assert [row[:2] for row in panel.steps.rows()] == [["mininet", "✓"], ["build", "✗"]]
    panel.node("r1", "up", "OSPF neighbor r2 is missing\nno route to 10.0.6.0/24")
    assert panel.nodes.rows() == [["r1", "… waiting", "OSPF neighbor r2 is missing; no route to 10.0.6.0/24"]]


def test_a_cut_cell_has_an_ellipsis_and_its_row_keeps_the_full_text(user: Any) -> None:
    sheet = DataTable(user.editor.window, (Column("Node", 60), Column("Why", 90)), 1.0)
    sheet.fill([("r1", "short"), ("r2", "a reason that is much longer than its column")])
    assert sheet.rows()[1][1] == "a reason that is much longer than its column"
    cells = [str(sheet.tree.set(item, 1)) for item in ("0", "1")]
    assert cells[0] == "short"
    assert cells[1].endswith("…") and sheet.rows()[1][1].startswith(cells[1][:-1].rstrip())
    sheet.tree.column(1, width=900)
    sheet.tree.event_generate("<ButtonRelease-1>")
    assert str(sheet.tree.set("1", 1)) == sheet.rows()[1][1]
    sheet.destroy()


def test_windows_about_a_node_show_its_name(user: Any) -> None:
    """Some desktops and pictures show windows without a frame."""
    window = TableWindow(user.editor.window, "Routing table of r1", (Column("Destination", 90),), lambda _: None, 1.0)
    user.editor.window.update()
    heading, *_ = [child for child in window.winfo_children() if child.winfo_class() == "TLabel"]
    assert heading.cget("text") == window.title() == "Routing table of r1"
    assert heading.winfo_viewable() and heading.winfo_rooty() < window.sheet.winfo_rooty()
    window.destroy()


def test_nothing_moves_when_the_progress_bar_appears(user: Any) -> None:
    bar = user.editor.status
    bar.tell("Drawn.")
    message = label(bar, "Drawn.")
    user.editor.window.update()
    old_layout = bar.winfo_height(), user.editor.bottom.winfo_height(), message.winfo_rooty()
    bar.progress(0.5)
    user.editor.window.update()
    assert bar.bar.winfo_viewable()
    assert (bar.winfo_height(), user.editor.bottom.winfo_height(), message.winfo_rooty()) == old_layout
    bar.progress(None)


def test_column_titles_are_aligned_with_their_rows(user: Any, display: str) -> None:
    """The positions on the screen are equal to the pixel."""
    window = tk.Toplevel(user.editor.window)
    window.geometry("300x120+20+20")
    sheet = DataTable(window, (Column("HHHH", 120), Column("Why", 100)), 1.0, height=3)
    sheet.fill([("HHHH", "")])
    sheet.pack(fill="both", expand=True)
    window.lift()
    user.wait(sheet.tree.winfo_viewable)
    user.wait(lambda: sheet.tree.bbox("0", 0))
    left, top = sheet.tree.winfo_rootx(), sheet.tree.winfo_rooty()
    _, below, _, high = sheet.tree.bbox("0", 0)

    def first_dark(y0: int, y1: int) -> int:
        picture = ImageGrab.grab((left + 3, top + y0, left + 110, top + y1), xdisplay=display).convert("L")
        return min(x for x in range(picture.width) for y in range(picture.height) if picture.getpixel((x, y)) < 110)

    def same() -> bool:
        user.editor.window.update()
        return first_dark(4, below - 4) == first_dark(below + 3, below + high - 3)

    assert comes(same)
    window.destroy()
