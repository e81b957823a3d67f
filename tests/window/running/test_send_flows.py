"""Flows are sent in the running lab from the window: dialog, plots, results, and a lab that keeps running."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from miniedit_frr.session.events import LabState
from tests.window.hands_on_labs import Runner

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(180)]


def _shown_texts(widget: Any) -> set[str]:
    """All texts that a window shows."""
    texts = {str(widget.cget("text"))} if "text" in widget.keys() and widget.winfo_ismapped() else set()  # noqa: SIM118
    return texts.union(*map(_shown_texts, widget.winfo_children()))


def test_flows_are_sent_in_the_running_lab(runner: Runner, tmp_path: Path) -> None:
    document, running = runner.editor.document, runner.lab_controller
    short = tuple(
        flow.model_copy(update={"duration_s": 1.0, "start_s": 0.0}) for flow in document.topology.flows
    )  # fmt: skip
    runner.run()
    runner.converge()
    document.apply("Shorten", document.topology.model_copy(update={"flows": short}))  # flows change while a lab runs

    runner.press_key("<Alt-F5>")
    dialog = running.run_dialogs.dialog
    runner.wait(lambda: dialog.winfo_ismapped())
    assert {"Send Flows", "Send"} & (_shown_texts(dialog) | {dialog.title()}) == {"Send Flows", "Send"}
    assert not {"Captures", "Virtual time", "After the flows"} & _shown_texts(dialog)
    dialog.folder.set(str(tmp_path / "out"))
    dialog.ok.invoke()
    assert running.lab.sends_flows
    assert not running.lab.can_send
    runner.wait(lambda: running.runs.rows and not running.lab.sends_flows)
    assert running.runs.rows[0].folder == str(tmp_path / "out")
    assert (tmp_path / "out" / "figure.png").is_file()
    assert set(running.live.run.flows) == {flow.id for flow in short}
    assert running.state is LabState.RUNNING
    assert running.lab.can_send

    # a second time, given up by ending the lab: the measurements are in the list
    long = tuple(flow.model_copy(update={"duration_s": 60.0}) for flow in short)
    document.apply("Lengthen", document.topology.model_copy(update={"flows": long}))
    running.send_into(tmp_path / "again", 20.0)
    runner.wait(lambda: running.live.run.newest_s > 0.5)
    running.stop()
    runner.until(LabState.IDLE)
    runner.wait(lambda: len(running.runs.rows) == 2)
    assert running.runs.rows[0].folder == str(tmp_path / "again")
    assert "did not complete" in runner.log()
