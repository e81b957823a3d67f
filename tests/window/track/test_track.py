"""The scenario track in the window: dragging, typing, copying and deleting entries is one edit each."""

from __future__ import annotations

import tkinter as tk
from pathlib import Path
from tkinter import filedialog
from typing import Any

import pytest

from frrlib.edits.fault_plan import set_faults
from frrlib.edits.schedule import ScheduleKey
from frrlib.model.fault_words import parse_planned, words_of
from frrlib.model.flows import Flow
from frrlib.model.links import Shape
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from tests.window.hands_on_labs import labels
from tests.window.hands_on_track import ALT, SHIFT, Planner
from tests.window.topologies import TWO_ROUTERS
from tests.window.widgets import tip_text

pytestmark = pytest.mark.gui

SAID = ("2 vary l2 rate=square:5:20:4s 12s", "4 link-down l3 2s", "6 vary l2 delay=ramp:10:60 8s", "9 kill r2 zebra")
WAVE, DOWN, RAMP, KILL = (ScheduleKey("fault", number) for number in range(4))
F1, F2 = ScheduleKey("flow", 0), ScheduleKey("flow", 1)


def _lab() -> Topology:
    shape = Shape(rate_mbit=20, delay_ms=10)
    links = tuple(link.model_copy(update={"a_to_b": shape, "b_to_a": shape}) if link.id == "l2" else link
                  for link in TWO_ROUTERS.links)  # fmt: skip
    flows = (Flow(id="f1", source="h1", destination="h2", duration_s=20),
             Flow(id="f2", source="h2", destination="h1", congestion_control="bbr", start_s=4))  # fmt: skip
    topology = TWO_ROUTERS.model_copy(update={"links": links, "flows": flows})
    return set_faults(topology, [parse_planned(topology, words) for words in SAID])


LAB = _lab()


@pytest.fixture
def planner(lab: Any) -> Planner:
    return Planner(lab)


def plan(planner: Planner) -> list[str]:
    """The plan in words."""
    return [f"{fault.time_s:g} {words_of(fault)}" for fault in planner.topology.faults]


def test_moving_a_bar_is_one_edit_that_undo_reverts(planner: Planner) -> None:
    edit_count, start = planner.user.edits(), planner.body(DOWN)
    planner.press(start)
    planner.drag(planner.later(start, 3.52))
    assert planner.words() == "7.5 to 9.5 s (2 s)"
    assert planner.topology == LAB, "nothing but what is shown has changed"
    planner.release(planner.later(start, 3.52))
    assert plan(planner)[2] == "7.5 link-down l3 2s"
    assert planner.user.edits() == edit_count + 1 and planner.user.document.undo_label == "Move down of l3"
    assert planner.selected() == {ScheduleKey("fault", 2)}, "it stays selected, at its new place"
    planner.editor.document.undo()
    assert planner.topology == LAB and planner.selected() == {DOWN}
    planner.editor.document.redo()
    assert plan(planner)[2] == "7.5 link-down l3 2s"


def test_dragging_an_end_changes_the_duration(planner: Planner) -> None:
    planner.sweep(planner.end(DOWN), planner.later(planner.end(DOWN), 1.3))
    assert plan(planner)[1] == "4 link-down l3 3.3s"
    planner.sweep(planner.end(F1), planner.later(planner.end(F1), -4.4))
    assert planner.topology.flows[0].duration_s == 16, "flows last whole seconds"
    planner.sweep(planner.end(WAVE), planner.later(planner.end(WAVE), 2))
    assert plan(planner)[0] == "2 vary l2 rate=square:5:20:4s 14s"


def test_dragging_with_alt_does_not_snap(planner: Planner) -> None:
    start = planner.body(DOWN)
    exact = (planner.later(start, 1.234)[0] - start[0]) / planner.canvas.layout.axis.scale
    planner.sweep(start, planner.later(start, 1.234), ALT)
    assert planner.topology.faults[1].time_s == pytest.approx(4 + exact, abs=0.0006)
    assert round(planner.topology.faults[1].time_s, 1) != planner.topology.faults[1].time_s


@pytest.mark.parametrize(("level", "value"), [("low", 12.0), ("high", 8.0)])
def test_dragging_a_level_sets_the_value_at_the_pointer(planner: Planner, level: str, value: float) -> None:
    _, band = planner.find(WAVE)
    step, edit_count = planner.canvas.layout.value_step(band), planner.user.edits()
    start = planner.level(WAVE, level)
    distance = planner.canvas.layout.y_of(band, value) - planner.canvas.layout.y_of(band, {"low": 5, "high": 20}[level])
    planner.sweep(start, (start[0], start[1] + round(distance)))
    course = planner.topology.faults[0].course
    assert getattr(course, level) == pytest.approx(value, abs=1.5 * step)
    assert getattr(course, {"low": "high", "high": "low"}[level]) == {"low": 20, "high": 5}[level]
    assert planner.user.edits() == edit_count + 1
    planner.editor.document.undo()
    assert planner.topology == LAB


def test_a_level_can_be_dragged_beyond_its_row(planner: Planner) -> None:
    start = planner.level(WAVE, "high")
    planner.press(start)
    planner.drag((start[0], start[1] - 40))
    assert planner.words().startswith("high ") and planner.words().endswith(" Mbit/s")
    planner.release((start[0], start[1] - 40))
    assert planner.topology.faults[0].course.high > 30
    _, band = planner.find(WAVE)
    assert band.row.top > planner.topology.faults[0].course.high, "the row has room for it then"


def test_dragging_the_end_of_the_first_period_changes_the_period(planner: Planner) -> None:
    entry, band = planner.find(WAVE)
    layout = planner.canvas.layout
    y = planner.canvas_y((layout.y_of(band, 5) + layout.y_of(band, 20)) / 2)
    start = round(layout.axis.x_of(entry.from_s + 4)), y
    planner.press(start)
    planner.drag(planner.later(start, 2))
    assert planner.words() == "period 6 s"
    planner.release(planner.later(start, 2))
    assert plan(planner)[0] == "2 vary l2 rate=square:5:20:6s 12s"
    assert planner.user.document.undo_label == "Period of square wave of l2"


def test_escape_cancels_a_drag_on_the_track(planner: Planner) -> None:
    edit_count, scene = planner.user.edits(), planner.canvas.layout.scene
    for start, end in (
        (planner.body(DOWN), planner.later(planner.body(DOWN), 5)),
        (planner.end(F1), planner.later(planner.end(F1), -5)),
        (planner.level(RAMP, "high", "delay"), (planner.level(RAMP, "high", "delay")[0], 0)),
    ):
        planner.press(start)
        planner.drag(end)
        assert planner.canvas.layout.scene != scene
        planner.key("<Escape>")
        planner.release(end)
        assert planner.canvas.layout.scene == scene
    assert planner.topology == LAB and planner.user.edits() == edit_count


def test_selected_entries_move_together(planner: Planner) -> None:
    planner.click(planner.body(DOWN))
    planner.click(planner.body(F2), SHIFT)
    planner.click(planner.body(KILL), SHIFT)
    assert planner.selected() == {DOWN, F2, KILL}
    planner.sweep(planner.body(F2), planner.later(planner.body(F2), 2))
    assert planner.topology.flows[1].start_s == 6
    assert {"6 link-down l3 2s", "11 kill r2 zebra", "2 vary l2 rate=square:5:20:4s 12s"} < set(plan(planner))
    planner.key("<Delete>")
    assert [flow.id for flow in planner.topology.flows] == ["f1"] and len(plan(planner)) == 2
    assert len(planner.topology.links) == len(LAB.links), "what is selected on the drawing stays"


def test_a_frame_selects_and_arrow_keys_nudge(planner: Planner) -> None:
    planner.key("<Control-a>")
    assert len(planner.selected()) == 6
    x, y = planner.body(DOWN)
    planner.sweep((planner.later((x, y), 3)[0], y - 6), (x, y + 2))
    assert planner.selected() == {DOWN}
    planner.key("<Right>")
    assert plan(planner)[1] == "4.1 link-down l3 2s"
    planner.key("<Shift-Left>")
    assert plan(planner)[1] == "4.1 link-down l3 1.9s"
    planner.key("<Down>")
    assert planner.selected() == {KILL}
    planner.key("<Escape>")
    assert planner.selected() == set()


def test_entries_are_duplicated_cut_and_pasted(planner: Planner) -> None:
    planner.click(planner.body(DOWN))
    planner.key("<Control-d>")
    assert {"4 link-down l3 2s", "6 link-down l3 2s"} < set(plan(planner)) and len(plan(planner)) == 5
    planner.key("<Control-x>")
    assert len(plan(planner)) == 4
    planner.panel.edits.paste(12.5)
    assert plan(planner)[-1] == "12.5 link-down l3 2s"
    assert planner.user.document.undo_label == "Paste down of l3"


def test_the_selections_of_track_and_canvas_follow_each_other(planner: Planner) -> None:
    lane = next(band for band in planner.canvas.layout.bands if band.lane.key == Key("link", "l3"))
    planner.click((20, planner.canvas_y((lane.top + lane.bottom) / 2)))
    assert planner.user.selected() == {"l3"} and planner.canvas.lanes == {Key("link", "l3")}
    planner.user.view.select([Key("node", "r2")])
    assert planner.canvas.lanes == {Key("node", "r2")}
    first = planner.canvas.layout.bands[0]
    planner.click((20, planner.canvas_y((first.top + first.bottom) / 2)))
    assert planner.user.selected() == {"h1", "h2"}, "a flow is between its ends"


def _lines(menu: tk.Menu) -> dict[str, int]:
    last = menu.index("end")
    return {} if last is None else {
        menu.entrycget(index, "label"): index for index in range(last + 1) if menu.type(index) != "separator"
    }  # fmt: skip


def test_the_menu_of_a_lane_plans_faults(planner: Planner) -> None:
    menu = planner.panel.menus.lane_menu(Key("link", "l2"), 7.5)
    menu.invoke(_lines(menu)["Down for 2 s"])
    assert "7.5 link-down l2 2s" in plan(planner) and planner.user.document.undo_label == "Plan down of l2"
    rate = menu.nametowidget(menu.entrycget("Rate", "menu"))
    rate.invoke(_lines(rate)["Sine, 5 to 20 Mbit/s"])
    assert "7.5 vary l2 rate=sine:5:20:4s 12s" in plan(planner)
    any_menu = planner.panel.menus.plan_menu([Key("node", "r1")], 3.0)
    assert {"Add Flow…", "r1", "Link", "Node", "In Words…"} <= set(labels(any_menu))
    router = any_menu.nametowidget(any_menu.entrycget("r1", "menu"))
    zebra = router.nametowidget(router.entrycget("zebra", "menu"))
    zebra.invoke(_lines(zebra)["Kill"])
    assert "3 kill r1 zebra" in plan(planner)


def test_the_dialog_of_an_entry_changes_its_words(planner: Planner) -> None:
    at = planner.body(DOWN)
    planner.click(at)
    planner.click(at)
    dialog = planner.panel.menus.dialog
    assert dialog is not None and dialog.words.get() == "4 link-down l3 2s"
    dialog.words.set("4 link-down")
    dialog.accept()
    assert "the target is missing" in dialog.fault.get() and planner.topology == LAB
    dialog.words.set("1 loss l3 30% 2s")
    dialog.accept()
    assert plan(planner)[0] == "1 loss l3 30% 2s" and len(plan(planner)) == 4
    planner.panel.pointer.on_open(F2)
    planner.rest()
    assert "flows" in planner.editor.dialogs.open_dialogs


def test_a_trace_is_planned_from_a_file(planner: Planner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "walk.csv"
    table.write_text("time_s,rate_mbit,delay_ms\n0,12,20\n1,3,40\n2.5,9,\n", encoding="utf-8")
    monkeypatch.setattr(filedialog, "askopenfilename", lambda **options: str(table))
    edit_count = planner.user.edits()
    planner.panel.menus.ask_trace("l3", 5.0)
    assert planner.user.edits() == edit_count + 1
    assert "5 vary l3 rate=trace:0/12,1/3,2.5/9 3.75s" in plan(planner)
    assert "5 vary l3 delay=trace:0/20,1/40 2s" in plan(planner)
    table.write_text("time_s,rate_mbit\n0,twelve\n", encoding="utf-8")
    topology = planner.topology
    planner.panel.menus.ask_trace("l3", 5.0)
    assert planner.topology == topology
    assert "line 2 of the trace has rate_mbit 'twelve'" in planner.editor.log.text.get("1.0", "end")


def test_entries_have_tips_and_context_menus(planner: Planner, monkeypatch: pytest.MonkeyPatch) -> None:
    menus: list[tk.Menu] = []
    monkeypatch.setattr(tk.Menu, "tk_popup", lambda menu, *_, **__: menus.append(menu))
    planner.event("<Motion>", planner.body(RAMP))
    assert planner.canvas.cget("cursor") == "hand2"
    planner.user.wait(lambda: tip_text(planner.canvas))
    assert tip_text(planner.canvas) == "6 s: vary l2 delay=ramp:10:60 8s"
    planner.event("<Motion>", planner.level(WAVE, "low"))
    assert planner.canvas.cget("cursor") == "sb_v_double_arrow" and not tip_text(planner.canvas)
    planner.event("<ButtonPress-3>", planner.body(DOWN))
    (menu,) = menus
    assert planner.selected() == {DOWN}
    menu.invoke(_lines(menu)["Permanent"])
    assert plan(planner)[1] == "4 link-down l3"
    planner.event("<ButtonPress-3>", planner.body(DOWN))
    menus[-1].invoke(_lines(menus[-1])["End after 2 s"])
    assert planner.topology == LAB
    planner.event("<ButtonPress-3>", planner.later(planner.body(DOWN), 6))
    assert "At 11 s" in _lines(menus[-1]) and "Down for 2 s" in _lines(menus[-1])
    planner.event("<ButtonPress-3>", (400, 5))
    assert "Add Flow…" in _lines(menus[-1])


def test_problems_of_the_check_are_shown_at_their_entry(planner: Planner) -> None:
    planner.sweep(planner.end(DOWN), planner.later(planner.end(DOWN), 15.5))
    planner.user.wait(lambda: not planner.editor.checker.is_busy)
    planner.rest()
    entry, _ = planner.find(DOWN)
    assert entry.severity == "warning" and "the fault lasts until 21.5 s" in entry.reason
    assert planner.canvas.find_withtag("badge")


def test_zoom_keeps_the_moment_under_the_pointer_and_fit_shows_all(planner: Planner) -> None:
    x, y = planner.body(DOWN)
    moment_s = planner.canvas.layout.axis.time_at(x)
    for _ in range(6):
        planner.event("<Button-4>", (x, y), 0x4)
    assert planner.canvas.layout.axis.time_at(x) == pytest.approx(moment_s)
    assert planner.canvas.layout.axis.snap_s < 0.1 or planner.canvas.layout.axis.begin_s > 0
    planner.canvas.fit()
    planner.rest()
    assert planner.canvas.layout.axis.begin_s == 0
    assert planner.canvas.layout.axis.end_s == pytest.approx(planner.canvas.layout.scene.until_s)
