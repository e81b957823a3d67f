"""Changes of the topology while a dialog is open: edits are applied again, and renames are followed."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.model.topology import Topology
from tests.window.hands_on_dialogs import node, open_dialog
from tests.window.topologies import TWO_ROUTERS

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS


def test_undo_updates_fields_and_keeps_edits(lab: Any) -> None:
    lab.document.apply("Move", LAB.model_copy(update={"nodes": (
        LAB.nodes[0].model_copy(update={"x": 300.0}), *LAB.nodes[1:])}))  # fmt: skip
    filler = open_dialog(lab, node("h1"))
    filler.fill("node.label", "mine")
    lab.document.undo()
    lab.editor.window.update()
    assert filler.input("node.x").focus.get() == "100"
    assert filler.input("node.label").focus.get() == "mine"
    filler.press("<Return>")
    host = lab.topology.node("h1")
    assert (host.x, host.label) == (100, "mine")


def test_a_deleted_node_is_reported_in_its_dialog(lab: Any) -> None:
    filler = open_dialog(lab, node("h1"))
    lab.view.select({node("h1")})
    lab.press_key("<Delete>")
    assert "no longer in the drawing" in filler.form.message.cget("text")
    assert not filler.can_ok
    filler.press("<Return>")
    assert lab.topology.node("h1") is None
    filler.press("<Escape>")
    assert not filler.form.is_open


def test_a_rename_by_apply_renames_the_dialog(lab: Any) -> None:
    filler = open_dialog(lab, node("h1"))
    filler.fill("node.name", "h7")
    filler.form.apply_button.invoke()
    assert filler.form.window.title() == "Host h7"
    assert lab.editor.dialogs.open_keys([node("h7")], node("h7")) is filler.dialog


def test_a_dialog_follows_a_rename(lab: Any) -> None:
    filler = open_dialog(lab, node("h1"))
    router_dialog = open_dialog(lab, node("r1"))
    router_dialog.fill("node.name", "core")
    router_dialog.press("<Return>")
    filler.fill("node.label", "x")
    again = open_dialog(lab, node("core"))
    lab.document.undo()
    assert again.form.window.title() == "Router r1"
    again.press("<Escape>")
    filler.press("<Return>", filler.input("node.label").focus)
    assert lab.topology.node("h1").label == "x"


def test_edits_of_replaced_rows_are_dropped(lab: Any) -> None:
    filler = open_dialog(lab, node("r1"))
    filler.type("10.5.0.1/24", filler.cell("interfaces", 0, 2))
    filler.fill("node.label", "core")
    lab.document.apply("Delete", LAB.model_copy(update={"links": LAB.links[1:]}))
    lab.editor.window.update()
    assert [row[2] for row in filler.form.draft.content("interfaces")] == ["", ""]
    filler.press("<Return>", filler.input("node.label").focus)
    assert lab.topology.links == LAB.links[1:]
    assert lab.topology.node("r1").label == "core"


def test_opening_another_topology_closes_all_dialogs(lab: Any) -> None:
    filler = open_dialog(lab, node("h1"))
    filler.fill("node.label", "mine")
    lab.document.new()
    assert not filler.form.is_open
    assert not lab.editor.dialogs.open_dialogs
    assert lab.topology == Topology()


def test_refusals_of_a_running_lab_are_reported(lab: Any) -> None:
    lab.document.restrict(lambda old, new: "A lab runs.")
    filler = open_dialog(lab, node("h1"))
    filler.fill("node.start_command", "x")
    assert filler.form.message.cget("text") == "A lab runs."
    assert not filler.can_ok
    lab.document.restrict(lambda old, new: "")
