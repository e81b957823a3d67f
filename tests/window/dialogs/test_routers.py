"""A router's dialog: unedited fields, its pages, timers by one click, and lines refused by FRR."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frrlib.edits import routing_presets
from frrlib.model.nodes import Router
from frrlib.model.routing import Bgp, Isis, Ospf, Rip
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.dialog import FormDialog
from miniedit_frr.dialogs.fields.rows import RowsInput
from tests import keyboard
from tests.example_counts import examples
from tests.strategies.routing import values
from tests.strategies.topologies import LISTS, SETTINGS
from tests.window.hands_on_dialogs import node, open_dialog, refusing
from tests.window.topologies import THREE_ROUTERS
from tests.window.widgets import selected_texts

pytestmark = pytest.mark.gui

LAB = THREE_ROUTERS


def with_r1(router: Router) -> Topology:
    return LAB.model_copy(update={"nodes": (LAB.nodes[0], router, *LAB.nodes[2:])})


def look_at_all(form: FormDialog) -> None:
    """Show every page, and open the first row of every list."""
    assert form.book is not None
    for number in range(len(form.tabs)):
        form.book.select(number)
        form.window.update()
    for widget in list(form.inputs.values()):
        if isinstance(widget, RowsInput):
            widget.open(0)
            form.window.update()


@settings(max_examples=examples(5), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def show_all_and_press_ok(lab: Any, data: st.DataObject) -> None:
    settings_of_router = {name: values(kind) for name, kind in SETTINGS.items()}
    settings_of_router |= {name: values(kind).map(lambda entry: (entry,)) for name, kind in LISTS.items()}
    topology = with_r1(
        Router(name="r1", x=250, y=200, **data.draw(st.fixed_dictionaries({}, optional=settings_of_router)))
    )
    lab.document.apply("Draw", topology)
    edit_count = lab.edits()
    filler = open_dialog(lab, node("r1"))
    look_at_all(filler.form)
    assert not filler.form.draft.is_dirty
    filler.form.ok()
    assert lab.topology == topology
    assert lab.edits() == edit_count


def test_opening_every_page_changes_nothing(lab: Any) -> None:
    """For any router, showing all pages and rows and pressing OK changes nothing."""
    show_all_and_press_ok(lab)


# --- pages and timers -----------------------------------------------------------------------------------------------


def test_the_list_of_pages_marks_protocols_in_use_and_errors(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
    book = filler.form.book
    titles = [tab.title for tab in filler.form.tabs]
    filler.tick("node.rip")
    assert book.mark_of(titles.index("RIP")) == "on"
    filler.fill("node.rip.update_s", "x")
    assert book.mark_of(titles.index("RIP")) == "wrong"
    filler.press("<Key-Down>", book.tree)
    assert filler.form.page_index == titles.index("RIPng")
    for _ in range(6):
        filler.press("<Key-Down>", book.tree)
    assert titles[filler.form.page_index] == "Policies"
    for _ in range(2):
        filler.press("<Key-Up>", book.tree)
    assert titles[filler.form.page_index] == "LDP"
    filler.form.cancel_button.invoke()


def test_enabling_a_protocol_keeps_the_scroll_position(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
    assert filler.form.book is not None
    number = filler.page("BGP")
    filler.form.book.select(number)
    lab.editor.window.update()
    switch = filler.form.inputs["node.bgp"].focus
    top = switch.winfo_rooty()
    filler.press("<Key-space>", switch)
    assert switch.winfo_rooty() == top
    filler.form.cancel_button.invoke()


@pytest.mark.parametrize(("path", "kind"), [("ospf", Ospf), ("isis", Isis), ("rip", Rip), ("bgp", Bgp)])
def test_one_click_sets_all_timers(lab: Any, path: str, kind: type[Ospf | Isis | Rip | Bgp]) -> None:
    filler, edit_count = open_dialog(lab, node("r1")), lab.edits()
    filler.tick(f"node.{path}")
    timer_buttons = next(filler.parts("buttons"))
    assert selected_texts(timer_buttons) == {"Lab timers"}
    filler.press("<Key-space>", timer_buttons.buttons[False])
    assert selected_texts(timer_buttons) == {"FRR defaults"}
    filler.press("<Control-Return>")
    assert lab.edits() == edit_count + 1
    settings = getattr(lab.topology.node("r1"), path)
    assert {
        name: getattr(settings, name) for name in routing_presets.timers(kind, is_lab=False)
    } == routing_presets.timers(kind, False)
    filler = open_dialog(lab, node("r1"))
    name = next(iter(routing_presets.timers(kind, is_lab=False)))
    if name != "lab_timers":
        filler.fill(f"node.{path}.{name}", "77")
        assert not any(map(selected_texts, filler.parts("buttons")))
    filler.form.cancel_button.invoke()


# --- what FRR refuses -----------------------------------------------------------------------------------------------


def test_lines_refused_by_frr_are_marked(lab: Any) -> None:
    lab.editor.dialogs.check_frr = refusing("routee")
    filler = open_dialog(lab, node("r1"))
    filler.tick("node.ospf")
    own_lines = filler.input("node.frr_conf").focus
    keyboard.give(own_lines)
    own_lines.insert("end", "ip prefix-list x permit any\nip routee 10.0.0.0/8 blackhole\n")
    lab.editor.window.update()
    page = next(filler.parts("find"))
    lab.wait(lambda: "your line 2" in page.status.cget("text"))
    assert "Unknown command" in page.status.cget("text")
    assert [str(position) for position in own_lines.tag_ranges("refused")] == ["2.0", "2.30"]
    assert page.preview.text.tag_ranges("refused")
    own_lines.replace("2.0", "2.0 lineend", "router ospf")
    own_lines.insert("3.0", " no timers throttle spf 10 50 500\n")
    lab.wait(lambda: "accepts all lines" in page.status.cget("text"))
    removed = page.preview.text.tag_ranges("removed")
    assert "timers throttle spf" in page.preview.text.get(removed[0], removed[1])
    assert 0 in page.preview.numbers
    filler.press("<Control-f>", own_lines)
    assert filler.form.window.focus_lastfor() == page.find.entry
    filler.type("interface", page.find.entry)
    assert page.find.count.cget("text").startswith("1 of ")
    filler.press("<Return>", page.find.entry)
    assert page.find.count.cget("text").startswith("2 of ")
    assert filler.form.is_open
    filler.form.cancel_button.invoke()


def test_a_refused_line_is_reported_on_any_page(lab: Any) -> None:
    """An invalid line among the additional lines of a route map marks the page frr.conf."""
    lab.editor.dialogs.check_frr = refusing("weigth")
    filler = open_dialog(lab, node("r1"))
    filler.tick("node.bgp")
    maps = filler.input("node.route_maps")
    filler.press("<Key-space>", maps.add_button)
    entries = maps.details.inputs["entries"]
    filler.press("<Key-space>", entries.add_button)
    entries.open(0)
    lines = entries.details.inputs["lines"].focus
    keyboard.give(lines)
    lines.insert("end", "set weigth 5\n")
    lab.editor.window.update()
    lab.wait(lambda: "set weigth 5" in filler.form.message.cget("text"))
    number = filler.page("frr.conf")
    assert filler.form.book is not None
    assert filler.form.book.mark_of(number) == "wrong"
    assert filler.can_ok
    filler.form.book.select(number)
    page = next(filler.parts("find"))
    lab.wait(lambda: page.preview.text.tag_ranges("refused"))
    assert not filler.form.message.cget("text")
    first, last = page.preview.text.tag_ranges("refused")[:2]
    assert page.preview.text.get(first, last).strip() == "set weigth 5"
    lines.delete("1.0", "end")
    lab.wait(lambda: filler.form.book.mark_of(number) != "wrong")
    filler.form.cancel_button.invoke()
