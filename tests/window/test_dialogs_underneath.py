"""The drawing changes while a dialog is open: typed texts are applied to it anew, renames are followed."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.model.topology import Topology
from tests.window.drawings import TWO_ROUTERS
from tests.window.hands_on_dialogs import node, opened

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS


def test_undo_underneath_shows_and_keeps_what_was_typed(lab: Any) -> None:
    lab.document.apply("Move", LAB.model_copy(update={"nodes": (
        LAB.nodes[0].model_copy(update={"x": 300.0}), *LAB.nodes[1:])}))  # fmt: skip
    filler = opened(lab, node("h1"))
    filler.fill("node.label", "mine")
    lab.document.undo()
    lab.editor.window.update()
    assert filler.input("node.x").focus.get() == "100"
    assert filler.input("node.label").focus.get() == "mine"
    filler.press("<Return>")
    host = lab.topology.node("h1")
    assert (host.x, host.label) == (100, "mine")


def test_a_node_that_is_deleted_underneath_is_told(lab: Any) -> None:
    filler = opened(lab, node("h1"))
    lab.view.select({node("h1")})
    lab.press_key("<Delete>")
    assert "no longer in the drawing" in filler.form.message.cget("text")
    assert not filler.can_ok
    filler.press("<Return>")
    assert lab.topology.node("h1") is None
    filler.press("<Escape>")
    assert not filler.form.is_open


def test_after_a_rename_by_apply_the_dialog_is_that_of_the_new_name(lab: Any) -> None:
    filler = opened(lab, node("h1"))
    filler.fill("node.name", "h7")
    filler.form.apply_button.invoke()
    assert filler.form.window.title() == "Host h7"
    assert lab.editor.dialogs.open_keys([node("h7")], node("h7")) is filler.dialog


def test_a_rename_underneath_is_followed(lab: Any) -> None:
    filler = opened(lab, node("h1"))
    other = opened(lab, node("r1"))
    other.fill("node.name", "core")
    other.press("<Return>")
    filler.fill("node.label", "x")
    again = opened(lab, node("core"))
    lab.document.undo()
    assert again.form.window.title() == "Router r1"
    again.press("<Escape>")
    filler.press("<Return>", filler.input("node.label").focus)
    assert lab.topology.node("h1").label == "x"


def test_rows_that_are_others_now_are_not_mixed_up(lab: Any) -> None:
    filler = opened(lab, node("r1"))
    filler.type("10.5.0.1/24", filler.cell("interfaces", 0, 2))
    filler.fill("node.label", "core")
    lab.document.apply("Delete", LAB.model_copy(update={"links": LAB.links[1:]}))
    lab.editor.window.update()
    assert [row[2] for row in filler.form.draft.content("interfaces")] == ["", ""]
    filler.press("<Return>", filler.input("node.label").focus)
    assert lab.topology.links == LAB.links[1:]
    assert lab.topology.node("r1").label == "core"


def test_another_drawing_closes_the_dialogs_of_this_one(lab: Any) -> None:
    filler = opened(lab, node("h1"))
    filler.fill("node.label", "mine")
    lab.document.new()
    assert not filler.form.is_open
    assert not lab.editor.dialogs.open_dialogs
    assert lab.topology == Topology()


def test_what_a_running_lab_refuses_is_told(lab: Any) -> None:
    lab.document.guard = lambda before, after: "A lab runs."
    filler = opened(lab, node("h1"))
    filler.fill("node.start_command", "x")
    assert filler.form.message.cget("text") == "A lab runs."
    assert not filler.can_ok
    lab.document.guard = lambda before, after: ""
