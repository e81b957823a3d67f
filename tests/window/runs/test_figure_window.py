"""A run's figure is shown with the numbers that a script prints."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PIL import Image

from frrlib.results.statistics.summary import load_summary
from miniedit_frr.runs.figure_window import FigureWindow
from miniedit_frr.runs.list_panel import RunRow
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui]

STORED = Path(__file__).parents[2] / "data" / "results-v3"


def show_figure(user: User, folder: Path) -> FigureWindow:
    user.editor.lab_controller.runs.show_figure(RunRow("today", "Kept", "", "", str(folder)))
    user.editor.window.update()
    (window,) = [child for child in user.editor.window.winfo_children() if isinstance(child, FigureWindow)]
    return window


def test_the_numbers_of_a_run_are_shown_below_its_figure(user: User, tmp_path: Path) -> None:
    """The median round trip of each flow is read in the window, not in a file."""
    folder = tmp_path / "run"
    shutil.copytree(STORED, folder)
    Image.new("RGB", (4000, 3000), "white").save(folder / "figure.png")
    window = show_figure(user, folder)
    assert window.numbers is not None
    text = window.numbers.get("1.0", "end")
    flows = load_summary(folder).flows
    assert flows
    for flow in flows:
        (line,) = [candidate for candidate in text.splitlines() if candidate.split()[:1] == [flow.flow]]
        assert f"{flow.srtt_median_ms:.1f}" in line.split()
        assert f"{flow.goodput_mbit:.2f}" in line.split()
    assert window.winfo_height() <= window.winfo_screenheight()
    assert window.numbers.winfo_rooty() + window.numbers.winfo_height() <= window.winfo_rooty() + window.winfo_height()


def test_a_run_without_a_summary_still_shows_its_figure(user: User, tmp_path: Path) -> None:
    Image.new("RGB", (40, 30), "white").save(tmp_path / "figure.png")
    assert show_figure(user, tmp_path).numbers is None


def test_without_a_file_manager_the_log_names_the_folder(
    user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    user.editor.lab_controller.runs.open_folder(RunRow("today", "Kept", "", "", str(tmp_path)))
    assert f"Results: {tmp_path}." in user.editor.log.text.get("1.0", "end")
