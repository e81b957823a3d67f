"""Dialogs of the topology: its flows, the start conditions of a run, and its preferences."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.model.flows import Flow
from tests.window.hands_on_dialogs import Filler
from tests.window.topologies import TWO_ROUTERS

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS


def test_flows_and_start_conditions_are_filled_in(lab: Any) -> None:
    lab.editor.dialogs.flows()
    filler, edit_count = Filler(lab, lab.editor.dialogs.open_dialogs["flows"]), lab.edits()
    table = filler.input("flows")
    filler.press("<Key-space>", table.add_button)
    filler.press("<Key-space>", table.add_button)
    filler.pick_in(table.cell(1, 1), "h2")
    filler.pick_in(table.cell(1, 2), "h1")
    filler.type("bbr", filler.cell("flows", 1, 4))
    filler.type("500 ms", filler.cell("flows", 1, 5))
    filler.type("5 MB", filler.cell("flows", 1, 6))
    filler.type("4", filler.cell("flows", 1, 7))
    filler.fill("wait.timeout_s", "2 min")
    filler.form.ok_button.invoke()
    assert lab.topology.flows == (
        Flow(id="f1", source="h1", destination="h2"),
        Flow(id="f2", source="h2", destination="h1", congestion_control="bbr", start_s=0.5, duration_s=None,
             size_bytes=5_000_000, count=4),
    )  # fmt: skip
    assert lab.topology.wait.timeout_s == 120
    assert lab.edits() == edit_count + 1


def test_preferences_of_the_topology_are_filled_in(lab: Any) -> None:
    lab.editor.dialogs.preferences()
    filler = Filler(lab, lab.editor.dialogs.open_dialogs["preferences"])
    filler.fill("title", "Two routers")
    filler.fill("preferences.ip_base", "192.168.0.1/16")
    assert "the network is 192.168.0.0/16" in filler.note("preferences.ip_base")
    filler.fill("preferences.ip_base", "192.168.0.0/16")
    filler.tick("preferences.openflow.of13")
    filler.fill("preferences.sflow.target", "10.0.0.9")
    filler.fill("shown_folders", "data:~/servers")
    filler.fill("copied_folders", "work")
    filler.press("<Return>")
    assert lab.topology.shown_folders == ("data", "~/servers")
    assert lab.topology.copied_folders == ("work",)
    preferences = lab.topology.preferences
    assert (lab.topology.title, preferences.ip_base, preferences.openflow.of13, preferences.sflow.target) == (
        "Two routers", "192.168.0.0/16", True, "10.0.0.9"
    )  # fmt: skip
