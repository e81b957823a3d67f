"""The scenario track during a run, its place among the panels, both themes, and a large scaling."""

from __future__ import annotations

import time
import tkinter as tk
from pathlib import Path
from typing import Any

import pytest
from PIL import ImageColor

from frrlib.edits.schedule import ScheduleKey
from frrlib.picture.scene import Key
from frrlib.picture.theme import DARK, LIGHT
from miniedit_frr.document.document import Document
from miniedit_frr.session.events import FlowProgress, StepProgress
from miniedit_frr.user import window_state as settings
from miniedit_frr.user.preferences import Preferences, PreferenceStore
from miniedit_frr.widgets.popup import popup_menu
from miniedit_frr.window.menus import MENUS, MenuLine
from tests import keyboard
from tests.window.hands_on_track import Planner
from tests.window.hands_on_window import User, editor_on
from tests.window.track.test_track import DOWN, F1, LAB, plan

pytestmark = pytest.mark.gui


@pytest.fixture
def planner(lab: Any) -> Planner:
    return Planner(lab)


def test_the_playhead_follows_the_run_and_the_plan_is_locked(planner: Planner) -> None:
    editor, canvas = planner.editor, planner.canvas
    editor.scenario.set_running(True)
    assert canvas.playhead_s is None, "nothing runs before the flows have started"
    editor.lab_controller.handle(FlowProgress("f1", "start", 0.25))
    planner.user.wait(lambda: canvas.find_withtag("playhead") and canvas.find_withtag("past"))
    began_s = time.monotonic() - canvas.playhead_s
    planner.user.wait(lambda: canvas.playhead_s > 0.6)
    assert time.monotonic() - canvas.playhead_s == pytest.approx(began_s, abs=0.2), "it keeps the run's time"
    planner.sweep(planner.body(DOWN), planner.later(planner.body(DOWN), 3))
    planner.key("<Delete>")
    assert planner.topology == LAB
    assert planner.selected() == {DOWN}
    assert "The run uses the plan" in planner.panel.lock_label.cget("text")
    assert "The run uses the plan" in editor.log.text.get("1.0", "end")
    editor.lab_controller.handle(StepProgress("flows", "done"))
    planner.rest()
    assert canvas.playhead_s is None and not canvas.find_withtag("playhead")
    planner.key("<Delete>")
    assert len(plan(planner)) == 3


def test_a_late_flow_event_does_not_move_the_playhead_back(planner: Planner) -> None:
    planner.editor.scenario.set_running(True)
    planner.editor.scenario.set_run_time(5.0)
    planner.editor.scenario.set_run_time(4.0)
    planner.rest()
    assert planner.canvas.playhead_s >= 5.0
    planner.editor.scenario.set_running(False)


def test_the_panel_is_between_canvas_and_lists_and_remembered(tmp_path: Path, display: str) -> None:
    with editor_on(Document(LAB), tmp_path) as editor:
        assert not editor.panes.visible["scenario"]
        User(editor).press_key("<Shift-F8>")
        User(editor).wait(lambda: editor.scenario.panel.winfo_ismapped())
        tops = [widget.winfo_rooty() for widget in (editor.view, editor.scenario.panel, editor.bottom)]
        assert tops == sorted(tops)
        editor.panes.toggle("bottom")
        editor.window.update()
        editor.panes.rows.sashpos(0, editor.panes.rows.winfo_height() - 333)
        editor.window.update()
        high = editor.scenario.panel.canvas.winfo_height()
        assert 280 < high < 333
    assert settings.load(tmp_path / "window.json").panels == settings.Panels(scenario=True, bottom=False)
    with editor_on(Document(LAB), tmp_path) as editor:
        assert editor.scenario.panel.winfo_ismapped() and not editor.bottom.winfo_ismapped()
        assert editor.scenario.panel.canvas.winfo_height() == pytest.approx(high, abs=3)
        editor.panes.toggle("scenario")
        editor.window.update()
        assert not editor.scenario.panel.winfo_ismapped()


def test_planning_from_the_canvas_shows_the_track(lab: Any) -> None:
    editor = lab.editor
    menu = popup_menu(editor.window, editor.theme)
    editor.scenario.fill_context_menu(menu, Key("node", "r1"))
    below = menu.nametowidget(menu.entrycget("Plan", "menu"))
    below.invoke(below.index("Freeze for 2 s"))
    lab.wait(lambda: editor.scenario.panel.winfo_ismapped())
    assert lab.topology.faults[-1].kind == "frozen"
    empty = popup_menu(editor.window, editor.theme)
    editor.scenario.fill_context_menu(empty, Key("node", "c0"))
    assert empty.index("end") is None, "nothing can go wrong with a controller"


def test_delete_applies_to_the_panel_with_the_focus(planner: Planner) -> None:
    delete = next(
        item for _, items in MENUS for item in items if isinstance(item, MenuLine) and item.command == "delete"
    )
    planner.user.view.select([Key("link", "l3")])
    planner.click(planner.body(DOWN))
    keyboard.give(planner.canvas)
    planner.editor.menus.run(delete)
    assert len(plan(planner)) == 3 and len(planner.topology.links) == len(LAB.links)
    keyboard.give(planner.user.view)
    planner.editor.menus.run(delete)
    assert planner.topology.link("l3") is None


def test_selecting_on_the_canvas_scrolls_to_the_lane(planner: Planner) -> None:
    split = planner.editor.panes.rows
    split.sashpos(1, split.sashpos(0) + 150)
    planner.user.wait(lambda: planner.canvas.winfo_height() < planner.canvas_y(planner.canvas.layout.height) - 40)
    planner.user.view.select([Key("node", "r2")])
    planner.rest()
    band = next(candidate for candidate in planner.canvas.layout.bands if candidate.lane.key == Key("node", "r2"))
    assert planner.canvas_y(band.bottom) <= planner.canvas.winfo_height()
    planner.user.view.select([Key("link", "l2")])
    planner.rest()
    first = next(candidate for candidate in planner.canvas.layout.bands if candidate.lane.key == Key("link", "l2"))
    assert planner.canvas_y(first.top) >= 0


def test_the_selection_follows_changes_of_the_plan(planner: Planner) -> None:
    planner.click(planner.body(ScheduleKey("fault", 2)))
    ramp = planner.topology.faults[2]
    planner.editor.document.apply("Other", planner.topology.model_copy(update={"faults": planner.topology.faults[1:]}))
    (key,) = planner.selected()
    assert planner.topology.faults[key.number] == ramp
    planner.editor.document.new()
    planner.rest()
    assert planner.selected() == set() and planner.panel.hint.winfo_manager() == "place"


@pytest.mark.parametrize("scaling", [100, 200])
def test_bars_are_at_their_times_at_any_scaling(tmp_path: Path, display: str, scaling: int) -> None:
    PreferenceStore(tmp_path / "preferences.json").change(Preferences(scaling_percent=scaling, theme="dark"))
    probe = tk.Tk()
    usual = probe.tk.call("tk", "scaling")
    probe.destroy()
    with editor_on(Document(LAB), tmp_path, "1270x880") as editor:
        editor.window.tk.call("tk", "scaling", usual)  # it belongs to the connection, which the next window has too
        planner = Planner(User(editor))
        canvas = planner.canvas
        assert canvas.ui == scaling / 100
        bars = [canvas.coords(item) for item in canvas.find_withtag("bar")]
        axis = canvas.layout.axis
        assert bars[0][0] == pytest.approx(axis.x_of(0)) and bars[0][2] == pytest.approx(axis.x_of(20))
        assert bars[0][3] - bars[0][1] == pytest.approx(20 * scaling / 100)
        assert canvas.cget("background") == DARK.canvas
        editor.preferences.switch_theme()
        planner.rest()
        assert ImageColor.getrgb(canvas.cget("background")) == ImageColor.getrgb(LIGHT.canvas)
        planner.sweep(planner.end(F1), planner.later(planner.end(F1), -6))
        assert planner.topology.flows[0].duration_s == 14
