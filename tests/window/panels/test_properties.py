"""The side panel: a selection of the dialogs' fields, applied as soon as they lose the focus."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.picture.scene import Key
from miniedit_frr.dialogs.forms.queue import equivalents
from tests import keyboard
from tests.window.hands_on_dialogs import link, node
from tests.window.hands_on_window import draw
from tests.window.topologies import TWO_ROUTERS
from tests.window.widgets import scroll_bar, texts

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS


def panel_of(user: Any, key: Key) -> Any:
    user.view.select({key})
    user.editor.window.update()
    return user.editor.properties


def type_into(user: Any, panel: Any, path: str, text: str, end: str = "<Return>") -> None:
    entry = panel.form.inputs[path].focus
    keyboard.press(entry, "<Control-Key-slash>", "<Key-Delete>")
    keyboard.write(entry, text, end)


def test_the_panel_has_the_texts_of_the_dialog(lab: Any) -> None:
    panel, edit_count = panel_of(lab, link("l2")), lab.edits()
    type_into(lab, panel, "a_to_b.rate_mbit", "1.5 gbit")
    assert lab.topology.links[1].a_to_b.rate_mbit == 1500
    assert panel.inputs["a_to_b.rate_mbit"].get() == "1500"
    type_into(lab, panel, "a_to_b.delay_ms", "fast")
    assert "Is not a number; expected one such as 20 ms" in panel.form.notes["a_to_b.delay_ms"].cget("text")
    assert lab.edits() == edit_count + 1
    type_into(lab, panel, "a_to_b.delay_ms", "slow", "<Escape>")
    assert panel.inputs["a_to_b.delay_ms"].get() == "0"
    assert lab.edits() == edit_count + 1


def test_the_panel_shows_addresses_below_the_name(lab: Any) -> None:
    panel = panel_of(lab, node("r1"))
    assert [*panel.form.inputs][:4] == ["node.name", "interfaces.0", "interfaces.1", "interfaces.2"]
    labels = [panel.form.label_of(f"interfaces.{number}") for number in range(3)]
    assert labels == ["eth0 to h1", "eth1 to r2", "eth2 to s1"]
    type_into(lab, panel, "interfaces.1", "192.0.2.1/24")
    assert [str(address) for address in lab.topology.links[1].a.addresses] == ["192.0.2.1/24"]
    assert lab.document.undo_label == "Change r1"
    lab.wait(lambda: panel.form.inputs["interfaces.0"].slot.hint() != "automatic")
    assert panel.form.inputs["interfaces.0"].slot.hint().endswith("/24")


def test_interfaces_are_sorted_by_name(lab: Any) -> None:
    first, *other_links = lab.topology.links
    renamed = first.model_copy(update={"b": first.b.model_copy(update={"interface": "r1-eth12"})})
    lab.document.apply("Rename", lab.topology.model_copy(update={"links": (renamed, *other_links)}))
    panel = panel_of(lab, node("r1"))
    labels = [panel.form.label_of(f"interfaces.{number}") for number in range(3)]
    assert labels[-1] == "eth12 to h1"


def test_the_panel_marks_fields_with_problems(lab: Any) -> None:
    """A default route outside the networks of the host is an error at its field, and so is its cause."""
    panel = panel_of(lab, node("h1"))
    type_into(lab, panel, "interfaces.0", "10.1.0.10/16")
    type_into(lab, panel, "node.default_route", "10.9.9.9")
    widget = panel.form.inputs["node.default_route"]
    lab.wait(lambda: widget.focus.instate(["invalid"]))
    assert "no network" in panel.form.notes["node.default_route"].cget("text")
    type_into(lab, panel, "node.default_route", "10.1.0.1")
    lab.wait(lambda: not widget.focus.instate(["invalid"]))


def test_both_directions_of_a_link_are_kept_equal_until_switched_off(lab: Any) -> None:
    panel, edit_count = panel_of(lab, link("l2")), lab.edits()
    assert panel.same.instate(["selected"])
    type_into(lab, panel, "a_to_b.rate_mbit", "10")
    shape = lab.topology.links[1]
    assert (shape.a_to_b.rate_mbit, shape.b_to_a.rate_mbit) == (10, 10)
    assert lab.edits() == edit_count + 1
    assert panel.form.inputs["b_to_a.rate_mbit"].focus.instate(["disabled"])
    panel.same.invoke()
    lab.editor.window.update()
    type_into(lab, panel, "b_to_a.rate_mbit", "2")
    assert lab.topology.links[1].b_to_a.rate_mbit == 2
    assert lab.topology.links[1].a_to_b.rate_mbit == 10
    panel_of(lab, link("l1"))
    assert panel.same.instate(["selected"])
    panel_of(lab, link("l2"))
    assert not panel.same.instate(["selected"])
    panel.same.invoke()
    assert lab.topology.links[1].b_to_a.rate_mbit == 10
    panel_of(lab, node("h1"))
    assert panel.same is None


def test_directions_show_their_ends_and_the_size_of_their_queue(lab: Any) -> None:
    panel = panel_of(lab, link("l2"))

    a, b = (end.node for end in lab.topology.links[1].ends)
    assert {f"{a} → {b}", f"{b} → {a}", f"At {a}", f"At {b}"} <= set(texts(panel.form))
    type_into(lab, panel, "a_to_b.rate_mbit", "10")
    held = [text for text in texts(panel.form) if "full frames" in text]
    assert len(held) == 2  # of the default limit, each way
    assert held[0].endswith("= 100 ms of queueing delay")
    a, b = (end.node for end in lab.topology.links[0].ends)
    panel_of(lab, link("l1"))
    assert f"{a} → {b}" in texts(panel.form)


def test_flags_of_the_panel_apply_at_once(lab: Any) -> None:
    panel, edit_count = panel_of(lab, node("r1")), lab.edits()
    panel.form.inputs["node.ospf"].box.invoke()
    lab.editor.window.update()
    assert lab.topology.node("r1").ospf is not None
    assert lab.edits() == edit_count + 1
    assert panel.form.inputs["node.ospf.area"].widget.winfo_ismapped()
    type_into(lab, panel, "node.ospf.area", "7")
    assert lab.topology.node("r1").ospf.area == "7"


def test_the_panel_opens_the_dialog_of_one_or_several_nodes(lab: Any) -> None:
    panel = panel_of(lab, node("h1"))
    panel.edit.invoke()
    lab.view.select({link("l1"), link("l2")})
    lab.editor.window.update()
    assert panel.edit.winfo_ismapped()
    panel.edit.invoke()
    titles = [dialog.form.window.title() for dialog in lab.editor.dialogs.open_dialogs.values()]
    assert titles == ["Host h1", "2 Links"]
    lab.view.select(())
    lab.editor.window.update()
    assert not panel.edit.winfo_ismapped()


def test_the_panel_summarizes_the_routing(lab: Any) -> None:
    lab.editor.routing.commands()["ospf_everywhere"]()
    lab.view.select({node("r1")})
    lab.editor.window.update()
    widget = lab.editor.properties.form.inputs["node.routing"]
    assert widget.widget.cget("text") == "OSPF: area 0, lab timers"


def test_properties_are_edited_and_invalid_values_change_nothing(user: Any) -> None:
    draw(user)
    user.click((300, 200))
    panel = user.editor.properties
    panel.inputs["name"].set("core")
    panel.flush()
    assert user.topology.node("core") is not None
    assert [(link.a.node, link.b.node) for link in user.topology.links] == [("h1", "core"), ("core", "h2")]
    assert user.selected() == {"core"}
    old_topology = user.topology
    panel.inputs["name"].set("h1")
    panel.flush()
    assert user.topology == old_topology
    user.click((200, 200))  # refused: the panel would show another thing, and the typed text would be lost
    assert user.selected() == {"core"}
    user.press_key("<Escape>", panel.form.inputs["node.name"].focus)
    user.click((200, 200))
    panel.inputs["a_to_b.rate_mbit"].set("12.5")
    panel.flush()
    assert user.topology.link("l1").a_to_b.rate_mbit == 12.5
    panel.inputs["a_to_b.rate_mbit"].set("fast")
    panel.flush()
    assert user.topology.link("l1").a_to_b.rate_mbit == 12.5


def test_an_invalid_text_stays_when_another_field_is_applied(user: Any) -> None:
    user.put("h", (200, 200))
    user.put("h", (400, 200))
    user.tool("l")
    user.sweep((200, 200), (300, 200), (400, 200))
    user.tool("v")
    link, panel = user.topology.links[0], user.editor.properties
    user.view.select({Key("link", link.id)})
    user.editor.window.update()
    rate, delay = (panel.form.inputs[f"a_to_b.{name}"].focus for name in ("rate_mbit", "delay_ms"))
    keyboard.write(rate, "abc")
    keyboard.press(delay, "<Control-Key-slash>", "<Key-Delete>")
    keyboard.write(delay, "7", "<Return>")
    assert user.topology.links[0].a_to_b.delay_ms == 7
    assert (rate.get(), panel.fault[:5]) == ("abc", "Rate:")
    panel.drop_faulty()


def test_typed_values_apply_when_the_user_clicks_elsewhere(user: Any) -> None:
    draw(user)
    user.click((300, 200))
    count = user.edits()
    user.editor.properties.inputs["label"].set("the core")
    user.click((100, 200))
    assert user.topology.node("r1").label == "the core"
    assert user.selected() == {"h1"}
    assert user.editor.properties.inputs["label"].get() == ""
    assert user.edits() == count + 1


@pytest.mark.parametrize("key", [node("h1"), node("r1"), node("s1"), link("l2")], ids=str)
def test_values_have_room_beside_their_labels(lab: Any, key: Key) -> None:
    panel = panel_of(lab, key)
    lab.wait(lambda: panel.form is not None and panel.winfo_width() > 1)
    panel_right = panel.winfo_rootx() + panel.winfo_width()
    widgets = [field.widget for field in panel.form.inputs.values() if field.widget.winfo_ismapped()]
    assert widgets
    assert all(widget.winfo_rootx() + widget.winfo_width() <= panel_right for widget in widgets)


def test_undo_in_a_field_reverts_its_edit_before_the_topologys_edits(lab: Any) -> None:
    panel, edit_count = panel_of(lab, link("l2")), lab.edits()
    entry = panel.form.inputs["a_to_b.delay_ms"].focus
    type_into(lab, panel, "a_to_b.delay_ms", "7")
    type_into(lab, panel, "a_to_b.delay_ms", "9", "")
    keyboard.press(entry, "<Control-Key-z>")
    assert (panel.inputs["a_to_b.delay_ms"].get(), lab.edits()) == ("7", edit_count + 1)
    keyboard.press(entry, "<Control-Key-z>")
    assert (panel.inputs["a_to_b.delay_ms"].get(), lab.edits()) == ("0", edit_count)
    assert lab.editor.status.shown_message == "Undone: Change link l2."
    keyboard.press(entry, "<Control-Key-y>")
    assert (panel.inputs["a_to_b.delay_ms"].get(), lab.edits()) == ("7", edit_count + 1)
    assert lab.editor.status.shown_message == "Redone: Change link l2."


def test_a_lab_does_not_start_with_an_invalid_field(lab: Any) -> None:
    panel = panel_of(lab, link("l2"))
    type_into(lab, panel, "a_to_b.delay_ms", "soon", "")
    keyboard.press(panel.form.inputs["a_to_b.delay_ms"].focus, "<F5>")
    assert not lab.editor.lab_controller.is_alive
    log = lab.editor.log.text.get("1.0", "end")
    assert "Delay: is not a number" in log and "Correct the value, or press Escape in the field" in log


def test_a_panel_with_hidden_parts_has_a_scroll_bar(lab: Any) -> None:
    """The bar is visible even without the pointer. A panel that fits has no bar."""
    panel = panel_of(lab, node("r1"))
    bar = scroll_bar(panel.body, "vertical")
    lab.wait(bar.winfo_ismapped)
    panel_of(lab, node("c0"))
    lab.wait(lambda: not bar.winfo_ismapped())


def test_headings_of_a_disabled_protocol_are_hidden_in_the_panel(lab: Any) -> None:
    panel = panel_of(lab, node("r1"))

    def headings() -> list[str]:
        labels = [label for label in panel.form.winfo_children() if label.winfo_class() == "TLabel"]
        return [
            label.cget("text")
            for label in labels
            if str(label.cget("font")) == "TkHeadingFont" and label.winfo_manager()
        ]

    assert "Timers" not in headings() and "Routing" in headings()
    panel.form.inputs["node.ospf"].box.invoke()
    lab.editor.window.update()
    assert "Timers" in headings()


def test_headings_of_directions_and_ends_name_their_nodes(lab: Any) -> None:
    """The titles are those of the dialog, and change for another link with the same form."""
    for name, forward, backward in (("l2", "r1 → r2", "r2 → r1"), ("l1", "h1 → r1", "r1 → h1")):
        panel = panel_of(lab, link(name))
        labels = [label for label in panel.form.winfo_children() if label.winfo_class() == "TLabel"]
        headings = [label.cget("text") for label in labels if str(label.cget("font")) == "TkHeadingFont"]
        assert [forward, backward] == headings[:2]
        assert headings[2:4] == [f"At {forward.split()[0]}", f"At {forward.split()[-1]}"]


def test_a_queue_limit_is_described_as_a_delay(lab: Any) -> None:
    panel = panel_of(lab, link("l2"))
    type_into(lab, panel, "a_to_b.rate_mbit", "10")
    queue = panel.form.inputs["a_to_b.queue_limit"]
    assert queue.box.get() == "default"
    (changed,) = [candidate for candidate in lab.topology.links if candidate.id == "l2"]
    shape = changed.a_to_b.model_copy(update={"queue_ms": 40.0})
    assert "= 40 ms of queueing delay" in equivalents(shape, changed.b_to_a, 1514)


def test_nothing_moves_when_the_edit_button_appears(lab: Any) -> None:
    panel = lab.editor.properties
    lab.view.select(())
    lab.editor.window.update()
    old_layout = panel.body.winfo_rooty(), panel.winfo_reqheight()
    assert not panel.edit.winfo_ismapped()
    panel_of(lab, node("r1"))
    assert panel.edit.winfo_ismapped()
    lab.view.select(lab.view.scene.keys())
    lab.editor.window.update()
    assert panel.edit.winfo_ismapped()
    assert (panel.body.winfo_rooty(), panel.winfo_reqheight()) == old_layout


def test_an_error_leaves_with_its_thing(lab: Any) -> None:
    panel, status = lab.editor.properties, lab.editor.status
    for delete in (False, True):
        lab.view.select({Key("link", LAB.links[0].id)})
        lab.editor.window.update()
        panel.inputs["a_to_b.loss_percent"].set("333")
        panel.flush()
        assert "at most 100 %" in status.shown_message
        if delete:
            lab.editor.edits.delete()
            lab.editor.window.update()
            assert status.shown_message == ""
        else:  # it says why the text was not applied
            lab.view.select({Key("node", "r1")})
            assert "at most 100 %" in status.shown_message
