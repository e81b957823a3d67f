"""Comparisons of queues and congestion controls from the menus, with a stand-in for labs."""

from __future__ import annotations

import csv
import tkinter as tk
from pathlib import Path
from typing import Any

import pytest

from frrlib.edits.changes import replace_link, set_flows
from frrlib.picture.scene import Key
from miniedit_frr.runs import figure_saver, run_dialog_controller
from miniedit_frr.sweeps.comparisons import Comparisons, bottleneck
from tests.examples.data import two_as_bgp
from tests.sweep.standin import STANDIN
from tests.window.hands_on_window import User

pytestmark = pytest.mark.gui

LAB = two_as_bgp()


@pytest.fixture
def comparing(lab: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, standin_log: Path) -> Comparisons:
    """The comparisons of a window; runs are made by the stand-in, and there is no lab kernel."""
    monkeypatch.setattr(run_dialog_controller, "refuse_virtual", lambda: "no lab kernel")
    monkeypatch.setattr(lab.editor.lab_controller.runs, "base", lambda: tmp_path / "results")
    lab.editor.lab_controller.sweeps.program = STANDIN
    result: Comparisons = lab.editor.lab_controller.comparisons
    return result


def tables(folder: Path) -> list[list[dict[str, str]]]:
    rows = []
    for table in folder.rglob("table.csv"):
        with table.open(newline="") as file:
            rows.append(list(csv.DictReader(file)))
    return rows


def labels(menu: tk.Menu) -> list[str]:
    return [
        str(menu.entrycget(number, "label"))
        for number in range((menu.index("end") or 0) + 1)
        if menu.type(number) != "separator"
    ]


def test_the_proposed_link_is_the_slowest_on_the_path_of_a_flow() -> None:
    slow = next(link for link in LAB.links if link.is_shaped)
    assert bottleneck(LAB) == slow
    bare = LAB
    for link in LAB.links:
        plain = {"a_to_b": type(link.a_to_b)(), "b_to_a": type(link.b_to_a)()}
        bare = replace_link(bare, link.id, link.model_copy(update=plain))
    link = bottleneck(bare)
    assert link is not None
    assert LAB.flows[0].destination in (link.a.node, link.b.node)  # where a sender's packets arrive last
    assert bottleneck(set_flows(LAB, ())) is None


def test_queues_are_compared_at_the_rate_that_was_typed(
    lab: User, comparing: Comparisons, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(figure_saver, "plot_command", lambda *words: drawn.append(words) or ["sh", "-c", "exit 1"])
    link = next(link for link in LAB.links if link.is_shaped)
    comparing.compare_queues()
    dialog = comparing.dialog
    assert dialog is not None
    dialog.draft.put_all({"disciplines": "codel"})
    dialog.ok()
    assert dialog.is_open
    assert "Choose at least two." in dialog.message.cget("text")
    dialog.draft.put_all({"disciplines": "codel cake", "rate_mbit": "5"})
    dialog.ok()
    lab.wait(lambda: drawn and not lab.editor.lab_controller.sweeps.is_going)
    (rows,) = tables(tmp_path / "results")
    assert [row[f"link:{link.id}.queue"] for row in rows] == ["codel", "cake"]
    shaped = lab.topology.link(link.id)
    assert (shaped.a_to_b.rate_mbit, shaped.b_to_a.rate_mbit) == (5, 5)
    lab.document.undo()
    assert lab.topology == LAB  # the rate is the only edit; the disciplines vary in the runs alone
    lab.wait(lambda: "cannot be drawn" in lab.editor.log.text.get("1.0", "end"))


def test_congestion_controls_of_a_selected_flow_are_compared(
    lab: User, comparing: Comparisons, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(figure_saver, "plot_command", lambda *words: drawn.append(words) or ["false"])
    flow = lab.topology.flows[-1]
    lab.view.select({Key("flow", flow.id)})
    comparing.compare_controls()
    assert comparing.dialog is not None
    comparing.dialog.ok()
    lab.wait(lambda: drawn and not lab.editor.lab_controller.sweeps.is_going)
    (rows,) = tables(tmp_path / "results")
    assert [row[f"flow:{flow.id}.congestion_control"] for row in rows] == ["cubic", "bbr"]
    assert lab.topology == LAB


def test_menus_offer_comparisons_to_drawings_with_flows(lab: User, comparing: Comparisons) -> None:
    menu = tk.Menu(lab.editor.window, tearoff=False)
    for key in (Key("link", LAB.links[0].id), Key("flow", LAB.flows[0].id), Key("node", LAB.nodes[0].name), None):
        comparing.fill_context_menu(menu, key)
    assert labels(menu) == ["Compare Queues…", "Compare Congestion Controls…"]
    lab.document.apply("No Flows", set_flows(lab.topology, ()))
    comparing.compare_queues(LAB.links[0].id)
    comparing.compare_controls()
    assert comparing.dialog is None
    assert "Draw a flow first" in lab.editor.log.text.get("1.0", "end")
