"""Probes of a running lab: the path between two nodes, and the ping matrix."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.window.hands_on_labs import Runner

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(180)]


def test_two_clicks_highlight_the_path(runner: Runner) -> None:
    runner.tool("t")
    assert runner.editor.tool_controller.tool is not runner.lab_controller.mode.two_nodes  # not before a lab runs
    runner.run()
    runner.converge()
    runner.tool("t")
    runner.click(runner.at("h1"))
    runner.click(runner.at("h2"))
    window = runner.lab_controller.probes.path_window
    runner.wait(lambda: len(window.hops.rows()) == 3 and "replied" in str(window.ping.cget("text")))
    assert [row[:3] for row in window.hops.rows()] == [
        ["1", "r1", "10.0.0.1"],
        ["2", "r2", "10.9.0.2"],
        ["3", "h2", "10.1.0.10"],
    ]
    assert all(float(row[3].split()[0]) > 0 for row in window.hops.rows())  # each hop has its round trip
    assert {key.name for key in runner.view.highlighted_keys} == {"h1", "r1", "r2", "h2", "l1", "l2", "l3"}
    window.destroy()
    assert not runner.view.highlighted_keys
    assert runner.document.is_saved  # the tool edits nothing


def test_a_ping_matrix_fills_and_is_exported(runner: Runner, tmp_path: Path) -> None:
    runner.run()
    runner.converge()
    runner.press_key("<F6>")
    matrix = runner.lab_controller.probes.matrix
    runner.wait(lambda: str(matrix.button.cget("text")) == "Repeat")
    assert set(matrix.rtts_ms) == {("h1", "h2"), ("h2", "h1")}
    assert None not in matrix.rtts_ms.values()
    matrix.export(tmp_path / "matrix.csv")
    with (tmp_path / "matrix.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["source"], row["destination"]) for row in rows] == [("h1", "h2"), ("h2", "h1")]
    assert all(float(row["rtt_ms"]) > 0 for row in rows)
    runner.lab_controller.actions.set_link("l2", up=False)
    runner.wait(lambda: runner.states()["l2"] == "down")
    matrix.button.invoke()
    runner.wait(lambda: str(matrix.button.cget("text")) == "Repeat")
    assert set(matrix.rtts_ms.values()) == {None}
