"""Opening dialogs by clicks, keys and problems, and the field that receives the focus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from frrlib.model.courses import Course
from frrlib.model.faults import Fault
from frrlib.model.flows import Flow
from frrlib.model.problem import Problem, Severity
from tests.window.hands_on_dialogs import link, node, open_dialog
from tests.window.topologies import TWO_ROUTERS

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS


def test_a_double_click_opens_the_dialog(lab: Any) -> None:
    lab.click(lab.at("h1"))
    lab.click(lab.at("h1"))
    (dialog,) = lab.editor.dialogs.open_dialogs.values()
    assert dialog.form.window.title() == "Host h1"
    assert lab.editor.dialogs.open(dialog.subject) is dialog
    dialog.form.cancel()
    assert not lab.editor.dialogs.open_dialogs


def test_alt_return_opens_the_selection_or_the_preferences(lab: Any) -> None:
    lab.view.select({link("l2")})
    lab.press_key("<Alt-Return>")
    assert [dialog.form.window.title() for dialog in lab.editor.dialogs.open_dialogs.values()] == ["Link r1 - r2"]
    lab.view.select(())
    lab.press_key("<Alt-Return>")
    assert "preferences" in lab.editor.dialogs.open_dialogs


@pytest.mark.parametrize(
    ("name", "field", "title", "path"),
    [("h1", "default_route", "Host h1", "node.default_route"), ("r1", "ospf.dead_s", "Router r1", "node.ospf"),
     ("r1", "bgp.neighbors", "Router r1", "node.bgp"), ("l2", "a_to_b.queue_bdp", "Link r1 - r2", "a_to_b.queue_limit"),
     ("l2", "b.mac", "Link r1 - r2", "b.mac"), ("s1", "controllers", "Switch s1", "node.controllers"),
     ("h1", "tcp.ecn", "Host h1", "node.tcp.ecn"), ("h1", "start_command", "Host h1", "node.start_command"),
     ("l2", "a_to_b.rate_mbit", "Link r1 - r2", "a_to_b.rate_mbit"),
     ("l2", "a_to_b.queue", "Link r1 - r2", "a_to_b.queue"),
     ("l2", "mtu_bytes", "Link r1 - r2", "a.mtu_bytes"), ("h1", "cores", "Host h1", "node.cores")],
)  # fmt: skip
def test_clicking_a_problem_focuses_its_field(lab: Any, name: str, field: str, title: str, path: str) -> None:
    lab.editor.problems.on_pick(Problem(severity=Severity.ERROR, kind="x", node=name, field=field, message="is wrong"))
    lab.editor.window.update()
    (dialog,) = lab.editor.dialogs.open_dialogs.values()
    assert dialog.form.window.title() == title
    widget = dialog.form.inputs[path]
    focus = dialog.form.window.focus_lastfor()
    assert focus is not None
    assert str(focus) == str(widget.focus), (focus, widget.focus)


def test_a_problem_of_an_interface_focuses_its_row(lab: Any) -> None:
    reason = "10.0.0.0/24 at r1-eth1 is the network address of 10.0.0.0/24"
    assert lab.editor.dialogs.focus_field("r1", "addresses", reason)
    (form,) = (dialog.form for dialog in lab.editor.dialogs.open_dialogs.values())
    widget = form.inputs["interfaces"]
    assert str(form.window.focus_lastfor()) == str(widget.cell(1, 2).focus)


def test_a_problem_of_a_flow_focuses_its_row_of_the_flows(lab: Any) -> None:
    flow = Flow(id="f1", source="h1", destination="x")
    lab.document.apply("Flows", lab.topology.model_copy(update={"flows": (flow,)}))
    assert lab.editor.dialogs.focus_field("f1", "destination")
    (form,) = (dialog.form for dialog in lab.editor.dialogs.open_dialogs.values())
    assert str(form.window.focus_lastfor()) == str(form.inputs["flows"].cell(0, 2).focus)
    assert not lab.editor.dialogs.focus_field("nobody", "")


def test_a_problem_of_a_varied_value_focuses_the_row_of_its_fault(lab: Any) -> None:
    course = Course(pattern="square", low=1, high=2, period_s=0.1)
    faults = (Fault(kind="varied", target="l3", duration_s=9, course=course),
              Fault(kind="varied", target="l2", duration_s=9, course=course))  # fmt: skip
    lab.document.apply("Faults", lab.topology.model_copy(update={"faults": faults}))
    assert lab.editor.dialogs.focus_field("l2", "faults.course")
    (form,) = (dialog.form for dialog in lab.editor.dialogs.open_dialogs.values())
    assert str(form.window.focus_lastfor()) == str(form.inputs["faults"].cell(1, 3).focus)


def test_tab_goes_through_the_fields_in_order(lab: Any) -> None:
    filler = open_dialog(lab, node("c0"))
    filler.form.focus_first()
    visited = []
    for _ in range(5):
        lab.editor.window.update()
        focus = filler.form.window.focus_lastfor()
        visited += [path for path, widget in filler.form.inputs.items() if str(widget.focus) == str(focus)]
        filler.press("<Tab>", focus)
    assert visited == ["node.name", "node.controller_type", "node.protocol", "node.port", "node.address"]


def test_the_editor_closes_with_an_open_dialog(lab: Any, tmp_path: Path) -> None:
    open_dialog(lab, node("h1"))
