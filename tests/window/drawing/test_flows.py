"""Flows in the window: drawn by hand, changed in dialogs that go by their kind, and added as mixes."""

from __future__ import annotations

import inspect
import math
from typing import Any

import pytest

from frrlib.edits.flow_mixes import MIXES, mix
from frrlib.edits.links import add_link
from frrlib.model.flows import Flow
from frrlib.model.traffic.kinds import KINDS, OnOff, Voip
from frrlib.picture.scene import Key
from miniedit_frr.dialogs.subjects import Flows
from miniedit_frr.edit_commands.flow_mixes import DESCRIPTIONS, SETTINGS, default_settings
from tests.window.hands_on_dialogs import open_dialog
from tests.window.topologies import TWO_ROUTERS
from tests.window.widgets import texts

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS


def arrow(name: str) -> Key:
    return Key("flow", name)


def summit(lab: Any, name: str) -> tuple[float, float]:
    path = lab.view.scene.path(lab.view.scene.flows[arrow(name)])
    at: tuple[float, float] = path[len(path) // 2]
    return at


def draw_flow(lab: Any, **fields: Any) -> None:
    flow = Flow(id="f1", source="h1", destination="h2", **fields)
    lab.document.apply("Draw", LAB.model_copy(update={"flows": (flow,)}))


def test_a_drag_draws_a_flow_with_the_settings_of_the_previous_one(lab: Any) -> None:
    edit_count = lab.edits()
    lab.tool("f")
    lab.sweep(lab.at("h1"), (300, 250), lab.at("h2"))
    assert lab.topology.flows == (Flow(id="f1", source="h1", destination="h2"),)
    assert lab.edits() == edit_count + 1
    assert lab.view.selection == {arrow("f1")}
    changed = lab.topology.flows[0].model_copy(update={"traffic": Voip(codec="Opus"), "colour": "#123456"})
    lab.document.apply("Change", lab.topology.model_copy(update={"flows": (changed,)}))
    lab.sweep(lab.at("h2"), (300, 250), lab.at("r1"))
    assert lab.topology.flows[1] == changed.model_copy(
        update={"id": "f2", "source": "h2", "destination": "r1", "colour": ""}
    )


def test_two_clicks_draw_a_flow_and_escape_cancels(lab: Any) -> None:
    lab.tool("f")
    lab.click(lab.at("h1"))
    assert lab.selected() == {"h1"}
    lab.press_key("<Escape>")
    lab.tool("f")
    lab.click(lab.at("h2"))
    lab.click(lab.at("h1"))
    assert [(flow.source, flow.destination) for flow in lab.topology.flows] == [("h2", "h1")]
    lab.press(lab.at("h1"))
    lab.drag((300, 250))
    lab.press_key("<Escape>")
    lab.release(lab.at("h2"))
    assert len(lab.topology.flows) == 1


@pytest.mark.parametrize(("source", "destination"), [("s1", "h1"), ("h1", "s1"), ("h1", "c0")])
def test_switches_and_controllers_cannot_have_flows(lab: Any, source: str, destination: str) -> None:
    messages: list[str] = []
    object.__setattr__(lab.editor.bench, "tell", messages.append)
    lab.tool("f")
    lab.sweep(lab.at(source), (300, 300), lab.at(destination))
    assert not lab.topology.flows
    assert "flows go between hosts and routers" in messages[-1]


def test_flow_from_here_draws_one_flow_and_deselects_the_tool(lab: Any) -> None:
    lab.editor.flow_commands.start_from("h1")
    lab.click(lab.at("h2"))
    assert len(lab.topology.flows) == 1
    assert lab.editor.tool_controller.tool.icon == "select"
    lab.click(lab.at("h2"))
    assert len(lab.topology.flows) == 1


def test_the_path_of_a_selected_flow_avoids_links_that_are_down(lab: Any) -> None:
    draw_flow(lab)
    parallel, added = add_link(lab.topology, "r1", "r2")
    lab.document.apply("Link", parallel)
    lab.click(summit(lab, "f1"))
    assert lab.view.highlighted_keys == {Key("link", name) for name in ("l1", "l2", "l3")}
    lab.view.show_states({Key("link", "l2"): "down"})
    assert lab.view.highlighted_keys == {Key("link", name) for name in ("l1", added, "l3")}
    lab.view.show_states({Key("link", "l2"): "down", Key("link", added): "down"})
    assert not lab.view.highlighted_keys
    lab.view.show_states({})
    assert lab.view.highlighted_keys == {Key("link", name) for name in ("l1", "l2", "l3")}


def test_a_selected_flow_shows_its_path_and_can_be_duplicated_reversed_and_deleted(lab: Any) -> None:
    draw_flow(lab)
    lab.click(summit(lab, "f1"))
    assert lab.view.selection == {arrow("f1")}
    assert lab.view.highlighted_keys == {Key("link", name) for name in ("l1", "l2", "l3")}
    lab.editor.edits.duplicate()
    assert [flow.id for flow in lab.topology.flows] == ["f1", "f2"]
    assert lab.view.selection == {arrow("f2")}
    lab.editor.flow_commands.reverse()
    assert lab.topology.flows[1].source == "h2"
    lab.editor.flow_commands.set_color("#0072B2")
    assert [flow.colour for flow in lab.topology.flows] == ["", "#0072B2"]
    lab.press_key("<Delete>")
    assert [flow.id for flow in lab.topology.flows] == ["f1"]
    assert not lab.view.highlighted_keys
    lab.document.undo()
    assert [flow.id for flow in lab.topology.flows] == ["f1", "f2"]


def test_an_arrow_follows_its_node_and_keeps_its_text(lab: Any) -> None:
    draw_flow(lab)
    old_path = lab.items_at(arrow("f1"))
    x, y = lab.at("h2")
    lab.press(lab.at("h2"))
    for step in (10, 60):
        lab.drag((x + step, y + step))
    moving = lab.items_at(arrow("f1"))
    lab.release((x + 60, y + 60))
    dropped, node = lab.items_at(arrow("f1")), lab.topology.node("h2")
    # An arrow ends beside its node, or beside the node's name where that is in its way.
    assert math.dist(old_path[-2:], (node.x - 60, node.y - 60)) < 60
    assert all(math.dist(ends[-2:], (node.x, node.y)) < 60 for ends in (moving, dropped)), (moving, dropped, node)
    items = [item for item in lab.view.items_of(arrow("f1")) if lab.view.type(item) == "text"]
    assert [lab.view.itemcget(item, "text") for item in items] == ["f1 · cubic · 0 s"]


def test_a_flow_follows_renamed_copied_and_deleted_nodes(lab: Any) -> None:
    draw_flow(lab)
    filler = open_dialog(lab, Key("node", "h1"))
    filler.fill("node.name", "web")
    filler.form.ok_button.invoke()
    assert lab.topology.flows[0].source == "web"
    lab.view.select([Key("node", "web"), Key("node", "h2")])
    lab.editor.edits.duplicate()
    assert len(lab.topology.flows) == 2
    lab.view.select([Key("node", "web")])
    lab.editor.edits.delete()
    assert len(lab.topology.flows) == 1


def test_a_form_shows_the_fields_of_the_kind_of_traffic_and_drops_others(lab: Any) -> None:
    draw_flow(lab, streams=4, duration_s=None, size_bytes=5_000_000)
    filler = open_dialog(lab, arrow("f1"))
    draft = filler.form.draft

    def present_fields() -> set[str]:
        return {path for path in draft.fields if draft.fields[path].is_in(draft.values[0])}

    assert {"traffic.tool", "streams", "congestion_control"} <= present_fields()
    filler.pick("traffic", "Speech (VoIP)")
    assert {"traffic.codec", "traffic.playout_ms"} <= present_fields()
    assert not {"traffic.tool", "streams", "opened_by", "congestion_control"} & present_fields()
    filler.pick("traffic.codec", "Opus (24 kbit/s)")
    filler.fill("traffic.packet_ms", "30")
    assert "frame of 20 ms" in filler.note("traffic.packet_ms")
    assert not filler.can_ok
    filler.fill("traffic.packet_ms", "40")
    filler.form.ok_button.invoke()
    assert lab.topology.flows == (
        Flow(id="f1", source="h1", destination="h2", congestion_control="", traffic=Voip(codec="Opus", packet_ms=40)),
    )


def test_every_kind_can_be_chosen_and_filled_in(lab: Any) -> None:
    draw_flow(lab)
    filler = open_dialog(lab, arrow("f1"))
    draft = filler.form.draft
    filler.form.book.select(1)
    for kind, model in KINDS.items():
        draft.set("traffic", kind)
        lab.editor.window.update()
        grid = next(filler.parts("inputs"))
        visible = {path for path, field in filler.form.inputs.items() if field.widget.winfo_ismapped()}
        expected = {f"traffic.{name}" for name in model.model_fields if name != "kind"}
        assert {path for path in visible if path.startswith("traffic.")} == expected, kind
        assert grid.winfo_exists()
        assert draft.is_valid, kind


def test_bursts_of_udp_require_a_rate(lab: Any) -> None:
    draw_flow(lab, traffic=OnOff())
    filler = open_dialog(lab, arrow("f1"))
    filler.pick("traffic.protocol", "UDP")
    assert "needs rate" in filler.note("traffic.protocol")
    filler.fill("traffic.rate_mbit", "500 kbit")
    assert filler.can_ok
    filler.form.ok_button.invoke()
    assert lab.topology.flows[0].traffic == OnOff(protocol="udp", rate_mbit=0.5)


def test_an_application_that_paces_its_bursts_requires_a_rate(lab: Any) -> None:
    draw_flow(lab, traffic=OnOff())
    filler = open_dialog(lab, arrow("f1"))
    filler.pick("traffic.paced_by", "the application")
    assert "needs rate" in filler.note("traffic.paced_by")
    filler.fill("traffic.rate_mbit", "2 Mbit")
    filler.form.ok_button.invoke()
    assert lab.topology.flows[0].traffic == OnOff(rate_mbit=2, paced_by="application")


def test_editing_several_flows_is_one_edit(lab: Any) -> None:
    flows = [Flow(id=f"f{number}", source="h1", destination="h2", start_s=number) for number in range(3)]
    lab.document.apply("Draw", LAB.model_copy(update={"flows": tuple(flows)}))
    edit_count = lab.edits()
    filler = open_dialog(lab, arrow("f0"), arrow("f2"))
    assert "id" not in filler.form.inputs
    filler.fill("until", "20")
    filler.press("<Return>")
    assert [(flow.start_s, flow.duration_s) for flow in lab.topology.flows] == [(0, 20), (1, 10), (2, 20)]
    assert (lab.edits(), lab.document.undo_label) == (edit_count + 1, "Change 2 Flows")


def test_the_dialog_follows_a_renamed_flow_and_reports_a_deleted_one(lab: Any) -> None:
    draw_flow(lab)
    dialog = lab.editor.dialogs.open(Flows(["f1"]))
    renamed = lab.topology.flows[0].model_copy(update={"id": "load"})
    lab.document.apply("Rename", lab.topology.model_copy(update={"flows": (renamed,)}))
    assert dialog.form.window.title() == "Flow load"
    lab.document.apply("Delete", lab.topology.model_copy(update={"flows": ()}))
    assert "no longer in the drawing" in dialog.form.message.cget("text")


def test_the_panel_edits_a_flow(lab: Any) -> None:
    draw_flow(lab)
    lab.view.select([arrow("f1")])
    panel = lab.editor.properties
    panel.inputs["start_s"].set("2.5")
    panel.flush()
    assert lab.topology.flows[0].start_s == 2.5
    panel.inputs["id"].set("late")
    panel.flush()
    assert lab.topology.flows[0].id == "late"
    assert lab.view.selection == {arrow("late")}


@pytest.mark.parametrize("name", MIXES)
def test_a_mix_is_described_before_adding_it_in_one_edit(lab: Any, name: str) -> None:
    edit_count = lab.edits()
    lab.editor.flow_commands.open_mix(name)
    dialog = lab.editor.flow_commands.mix
    lab.wait(lambda: dialog.window.winfo_viewable())
    shown_texts = texts(dialog.window)
    flows = mix(name, lab.topology, "h1", "h2")
    words = f"Adds {sum(flow.count for flow in flows)} flow"
    assert any(words in text and flows[0].id in text for text in shown_texts)
    dialog.ok_button.invoke()
    assert lab.topology.flows == flows
    assert lab.edits() == edit_count + 1
    assert lab.view.selection == {arrow(flow.id) for flow in flows}
    lab.document.undo()
    assert not lab.topology.flows


def test_a_mix_connects_the_selected_nodes_and_rejects_invalid_values(lab: Any) -> None:
    lab.view.select([Key("node", "r1"), Key("node", "h1")])
    lab.editor.flow_commands.open_mix("versus")
    dialog = lab.editor.flow_commands.mix
    assert (dialog.draft.content("source"), dialog.draft.content("destination")) == ("h1", "r1")
    dialog.draft.set("destination", "h1")
    assert not dialog.is_valid
    dialog.draft.put_all({"destination": "h2", "number": "3", "against": "0"})
    assert not dialog.is_valid
    assert "at least 1" in dialog.message.cget("text")
    dialog.draft.set("against", "2")
    dialog.ok()
    assert [(flow.congestion_control, flow.count) for flow in lab.topology.flows] == [("bbr", 3), ("cubic", 2)]


def test_every_parameter_of_a_mix_has_a_description() -> None:
    assert set(DESCRIPTIONS) == set(MIXES)
    named = {name for mixed in MIXES for name in default_settings(mixed)}
    assert named == set(SETTINGS)
    for name, (_, function) in MIXES.items():
        first = list(inspect.signature(function).parameters)[:3]
        assert first == ["topology", "source", "destination"], name


def test_flows_may_change_while_a_lab_runs(lab: Any) -> None:
    draw_flow(lab)
    assert lab.editor.tool_controller.refuses(lab.editor.flow_commands.tool) == ""


def test_a_new_flow_offers_congestion_controls(lab: Any) -> None:
    controls = lab.editor.flow_commands.controls
    lab.tool("f")
    lab.sweep(lab.at("h1"), (300, 250), lab.at("h2"))
    assert list(controls.buttons) == ["CUBIC", "BBR", "CUBIC against BBR"]
    edit_count = lab.edits()
    controls.buttons["CUBIC against BBR"].invoke()
    flows = [(flow.source, flow.destination, flow.congestion_control) for flow in lab.topology.flows]
    assert flows == [("h1", "h2", "cubic"), ("h1", "h2", "bbr")]
    assert lab.edits() == edit_count + 1
    assert not controls.is_shown
    assert lab.view.selection == {arrow("f1"), arrow("f2")}
    lab.sweep(lab.at("h2"), (300, 250), lab.at("h1"))
    lab.press_key("<Key-2>")
    assert lab.topology.flows[2].congestion_control == "bbr"
    lab.sweep(lab.at("h2"), (300, 250), lab.at("h1"))
    lab.click((300, 60))  # a press elsewhere is no choice
    assert not controls.is_shown
    assert len(lab.topology.flows) == 4
    lab.document.apply("Change", lab.topology.model_copy(
        update={"flows": tuple(flow.model_copy(update={"traffic": Voip(codec="Opus")}) for flow in lab.topology.flows)}
    ))  # fmt: skip
    lab.sweep(lab.at("h1"), (300, 250), lab.at("h2"))
    assert not controls.is_shown  # a call has no congestion control
