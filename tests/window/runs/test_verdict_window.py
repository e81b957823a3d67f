"""The window's verdict on a doubtful run: in its list, in its log, and row by row."""

from __future__ import annotations

import json
import shutil
import tkinter as tk
from pathlib import Path
from typing import Any

import pytest

from frrlib.results.cards import card
from frrlib.results.read import open_results
from frrlib.results.statistics.summary import save_summary, summarize
from frrlib.run.run import RunOutcome
from miniedit_frr.runs.browser import entry_of
from miniedit_frr.runs.list_panel import RunRow
from miniedit_frr.runs.verdict_window import VerdictWindow
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui]

STORED = Path(__file__).parents[2] / "data" / "results-v2"


def add_finished_run(user: User, folder: Path, rate_mbit: float) -> None:
    """Add a finished run whose topology gives its queue this rate. The queue was measured at 10 Mbit/s."""
    shutil.copytree(STORED, folder)
    info = json.loads((folder / "run.json").read_text())
    info["queues"]["l2:r1-h2"]["rate_mbit"] = rate_mbit
    (folder / "run.json").write_text(json.dumps(info))
    summary = summarize(open_results(folder))
    save_summary(summary, folder)
    runs = user.editor.lab_controller.runs
    runs.begin()
    user.editor.say(runs.add(folder.name, "labkernel", RunOutcome(folder, summary=summary), "finished"))
    user.editor.window.update()


def windows(user: User) -> list[VerdictWindow]:
    return [child for child in user.editor.window.winfo_children() if isinstance(child, VerdictWindow)]


def test_a_run_shows_its_verdict(user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_finished_run(user, tmp_path / "as-drawn", 10.0)
    add_finished_run(user, tmp_path / "slower", 8.0)
    panel = user.editor.lab_controller.runs.panel
    outcomes = [row[3] for row in panel.sheet.rows()]
    assert outcomes == ["finished, not as drawn", "finished"]
    tree = panel.sheet.tree
    assert [tree.item(item, "tags") for item in tree.get_children()] == [("bad",), ("finished",)]
    log = user.editor.log.text.get("1.0", "end")
    assert "The run has ended (finished, not as drawn: l2:r1-h2 carried" in log
    assert "The run has ended (finished). Results:" in log

    x, y, width, height = tree.bbox("0")
    offered: list[tk.Menu] = []
    monkeypatch.setattr(tk.Menu, "tk_popup", lambda menu, *_, **__: offered.append(menu))
    tree.event_generate("<ButtonPress-3>", x=x + width // 2, y=y + height // 2)
    (menu,) = offered
    entries = [menu.entrycget(index, "label") for index in range((menu.index("end") or 0) + 1)]
    menu.invoke(entries.index("Show Verdict"))
    user.editor.window.update()
    (window,) = windows(user)
    assert window.headline.cget("text") == "This run is not as drawn."
    quantity, of, expected, measured, _, judged = window.sheet.rows()[0]
    assert (quantity, of, expected, judged) == ("rate", "l2:r1-h2", "8 Mbit/s", "not as drawn")
    assert measured.endswith("Mbit/s") and float(measured.split()[0]) == pytest.approx(10, rel=0.02)
    # The worst is chosen and explained at once; another one by a click.
    assert str(window.reason.cget("text")).startswith("l2:r1-h2 carried")
    window.sheet.tree.selection_set(window.sheet.tree.get_children()[1])
    window.update()
    assert "l2:r1-h2 carried" not in str(window.reason.cget("text"))
    user.press_key("<Escape>", window)
    assert not windows(user)


def test_return_after_show_figure_opens_no_second_figure(user: User, tmp_path: Path) -> None:
    """The button that was clicked does not have the keyboard afterwards."""
    add_finished_run(user, tmp_path / "run", 10.0)
    panel, opened = user.editor.lab_controller.runs.panel, list[RunRow]()
    panel.on_open = opened.append
    user.editor.bottom.select(panel)
    user.press_key("<Escape>")
    button = panel.show_figure
    for event in ("<Enter>", "<ButtonPress-1>", "<ButtonRelease-1>"):
        button.event_generate(event, x=button.winfo_width() // 2, y=button.winfo_height() // 2)
    user.wait(lambda: len(opened) == 1)
    assert user.editor.window.focus_get() is user.view
    user.press_key("<Return>", user.editor.window.focus_get())
    user.editor.window.update()
    assert len(opened) == 1


def test_both_lists_of_runs_show_one_outcome(user: User, tmp_path: Path) -> None:
    for name, rate_mbit in (("as-drawn", 10.0), ("slower", 8.0)):
        add_finished_run(user, tmp_path / name, rate_mbit)
    rows = user.editor.lab_controller.runs.rows
    assert [row.outcome for row in rows] == [entry_of(card(Path(row.folder))).outcome for row in rows]


def test_a_run_without_its_folder_is_reported(user: User, tmp_path: Path) -> None:
    add_finished_run(user, tmp_path / "gone", 10.0)
    shutil.rmtree(tmp_path / "gone")
    runs = user.editor.lab_controller.runs
    runs.show_verdict(runs.rows[0])
    assert not windows(user)
    assert "The verdict cannot be computed" in user.editor.log.text.get("1.0", "end")


def test_a_new_run_is_selected_and_its_folder_is_shortened(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/you")
    panel, opened = user.editor.lab_controller.runs.panel, []
    panel.on_open = opened.append
    panel.show(())
    assert str(panel.show_figure.cget("state")) == "disabled"
    old, new = (RunRow("today", f"Run {n}", "namespace", "finished", f"/home/you/labs/{n}") for n in (1, 2))
    panel.show((old,))
    panel.show((new, old))
    panel.show_figure.invoke()
    assert opened == [new]  # with its whole folder
    assert [row[4] for row in panel.sheet.rows()] == ["~/labs/2", "~/labs/1"]
    panel.show((old,))  # the other one was forgotten: nothing is chosen
    assert str(panel.show_figure.cget("state")) == "disabled"
