"""The progress of a run on the command line, above all while the network converges."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from frrlib import wire
from frrlib.lab.convergence import ConvergenceTimes
from miniedit_frr.terminal import progress
from miniedit_frr.terminal.progress import RunProgress, missing_lines

MISSING = {
    "r1": ("OSPF neighbor r2 on r1-eth0 is in ExStart (MTU 1500 here, 1400 at r2)", "no route to 10.0.3.0/24"),
    "r2": ("no route to 10.0.1.0/24",),
}


def test_each_missing_part_is_a_line_up_to_a_limit() -> None:
    lines = missing_lines(MISSING)
    assert lines[0] == "r1: OSPF neighbor r2 on r1-eth0 is in ExStart (MTU 1500 here, 1400 at r2)"
    assert lines[1:] == ["r1: no route to 10.0.3.0/24", "r2: no route to 10.0.1.0/24"]
    assert missing_lines(MISSING, 2) == [lines[0], "and 2 more"]


def test_a_terminal_shows_missing_parts_until_they_arrive() -> None:
    console = Console(force_terminal=True, width=100, file=io.StringIO(), record=True)
    run_progress = RunProgress(console)
    run_progress.show(wire.StepEvent("converge", "start", 1.0))
    run_progress.show(wire.WaitingFor(MISSING, 2.0))
    console.print(run_progress._render())
    assert "MTU 1500 here, 1400 at r2" in console.export_text()
    run_progress.show(wire.WaitingFor({}, 3.0))
    console.print(run_progress._render())
    assert "MTU" not in console.export_text()


def test_missing_parts_stay_visible_after_an_interruption() -> None:
    console = Console(force_terminal=True, width=100, file=io.StringIO(), record=True)
    run_progress = RunProgress(console)
    run_progress.show(wire.StepEvent("converge", "start", 1.0))
    run_progress.show(wire.WaitingFor(MISSING, 2.0))
    run_progress.show(wire.StepEvent("converge", "failed", 3.0, "interrupted"))
    console.print(run_progress._render())
    assert "MTU 1500 here, 1400 at r2" in console.export_text()
    run_progress.show(
        wire.StepEvent("converge", "failed", 3.0, "not converged after 3 s:\nr1: ...")
    )  # has the missing parts in its text
    console.print(run_progress._render())
    assert "MTU" not in console.export_text()


def test_missing_parts_are_printed_to_a_file_only_after_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = io.StringIO()
    run_progress = RunProgress(Console(file=printed))
    run_progress.show(wire.StepEvent("converge", "start", 1.0))
    run_progress.show(wire.WaitingFor(MISSING, 2.0))
    assert printed.getvalue() == ""
    monkeypatch.setattr(progress, "_MISSING_INTERVAL_S", 0.0)
    run_progress.show(wire.WaitingFor(MISSING, 3.0))
    assert "r2: no route to 10.0.1.0/24" in printed.getvalue()


def test_a_router_took_as_long_as_its_slowest_part() -> None:
    times = ConvergenceTimes.of({"converged_s": 3, "adjacencies": {"r1": 1.0, "r2": 2.5}, "routes": {"r1": 2.0}})
    assert times.routers == {"r1": 2.0, "r2": 2.5}
    assert times.seconds == 3.0


def test_only_some_changes_of_a_varying_value_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now_s)
    file = io.StringIO()
    run_progress = RunProgress(Console(file=file))
    for step in range(300):
        now_s = 100.0 + step / 100
        run_progress.show(wire.FaultEvent("link-values", "l1", now_s, f"rate={step}mbit"))
    run_progress.show(wire.FaultEvent("loss", "l1", now_s, "all packets are lost"))
    lines = file.getvalue().splitlines()
    assert lines[0] == "fault: link-values l1: rate=0mbit"
    assert lines[-1] == "fault: loss l1: all packets are lost"
    assert len(lines) == 4  # three seconds of changes, and the loss


@pytest.mark.parametrize("is_terminal", [False, True])
def test_control_characters_in_a_failure_are_not_printed(is_terminal: bool) -> None:
    printed = io.StringIO()
    run_progress = RunProgress(
        console := Console(force_terminal=is_terminal, color_system=None, width=200, file=printed)
    )
    run_progress.show(wire.StepEvent("flows", "start", 1.0))
    run_progress.show(wire.StepEvent("flows", "failed", 2.0, "its last output: \x1b]0;OWNED\x07\x9b2J [/nothing]"))
    if is_terminal:
        console.print(run_progress._render())
    assert "its last output: �]0;OWNED��2J [/nothing]" in printed.getvalue()
