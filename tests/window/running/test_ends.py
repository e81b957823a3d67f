"""A window with a lab ends without errors and leaves no processes: after a question, a kill, a hang, or at random."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tkinter as tk
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from miniedit_frr.lab_control import run_menu
from miniedit_frr.session import requests
from miniedit_frr.session.events import LabState
from tests.processes import below, gone, runs
from tests.waiting import PATIENCE_S, pause, wait_for
from tests.window.hands_on_labs import Runner, choose
from tests.window.topologies import TWO_AS

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(180)]

ROOT = Path(__file__).resolve().parents[3]

#: How long to work at random; a soak raises it.
ROUNDS = int(os.environ.get("MINIEDIT_FRR_KILLS", "5"))


def test_closing_the_window_asks_and_leaves_no_processes(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    from miniedit_frr.lab_control import departure as leaving

    answers = iter(["Cancel", "Stop the Lab"])
    questions: list[list[str]] = []

    def question(*_: Any, buttons: list[str], **__: Any) -> str:
        questions.append(buttons)
        return next(answers)

    monkeypatch.setattr(leaving.Messagebox, "show_question", question)
    earlier_processes = below(os.getpid())
    runner.run()
    of_lab = below(os.getpid()) - earlier_processes
    runner.editor.quit()
    assert runner.lab_controller.state is LabState.RUNNING  # cancelled
    runner.editor.quit()
    with pytest.raises(tk.TclError):
        runner.editor.window.winfo_exists()
    assert gone(of_lab)
    assert questions == [["Cancel:secondary-outline", "Keep Running:info", "Stop the Lab:danger"]] * 2


def test_opening_another_topology_stops_the_lab(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    from miniedit_frr.lab_control import departure as leaving

    monkeypatch.setattr(leaving.Messagebox, "show_question", lambda *_, **__: "Stop the Lab")
    runner.run()
    runner.editor.files.new()
    assert runner.topology.nodes == ()
    assert runner.lab_controller.state is LabState.IDLE


def test_a_detached_lab_keeps_running_and_can_be_joined(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from miniedit_frr.lab_control import departure as leaving

    monkeypatch.setattr(leaving.Messagebox, "show_question", lambda *_, **__: "Keep Running")
    path = tmp_path / "kept-by-a-test.mn"
    runner.document.save(path)
    runner.run()
    runner.lab_controller.actions.set_link("l2", up=False)
    runner.wait(lambda: runner.states()["l2"] == "down")
    runner.editor.files.new()
    assert runner.lab_controller.state is LabState.IDLE
    assert runner.states() == {}
    assert "keeps running" in runner.log()
    (line,) = [
        entry
        for entry in run_menu.submenus(runner.editor.lab_controller)["Join"]()
        if entry[0].startswith("kept-by-a-test")
    ]
    try:
        line[1]()
        runner.until(LabState.RUNNING)
        assert runner.document.path == path
        assert runner.states() == {"l2": "down"} | dict.fromkeys(["h1", "h2", "r1", "r2", "l1", "l3"], "up")
        assert runner.execute("h1", "hostname").stdout == "h1\n"
    finally:
        runner.lab_controller.stop()  # stopping a joined lab ends it for all clients
        runner.until(LabState.IDLE, LabState.FAILED)
    assert not [
        entry
        for entry in run_menu.submenus(runner.editor.lab_controller)["Join"]()
        if entry[0].startswith("kept-by-a-test")
    ]


def test_the_window_stays_responsive_while_the_lab_hangs(runner: Runner) -> None:
    earlier_processes = below(os.getpid())
    runner.run()
    runner.converge()
    of_lab = below(os.getpid()) - earlier_processes
    for pid in of_lab:
        os.kill(pid, signal.SIGSTOP)
    try:
        choose(runner.right_click(runner.at("r1")), "Routing Table")
        table = runner.lab_controller.windows.tables["Routing table of r1"]
        at = runner.at("h1")
        runner.sweep(at, (at[0], at[1] + 30), (at[0], at[1] + 60))
        assert runner.at("h1") == pytest.approx((at[0], at[1] + 60), abs=2)
        assert not table.sheet.rows()
        runner.press_key("<Shift-F5>")
        runner.until(LabState.STOPPING)
        runner.sweep((at[0], at[1] + 60), (at[0], at[1] + 30), at)
        assert runner.at("h1") == pytest.approx(at, abs=4)
    finally:
        for pid in of_lab:
            with suppress(OSError):
                os.kill(pid, signal.SIGCONT)
    runner.until(LabState.IDLE)
    runner.wait(lambda: not any(map(runs, of_lab)))


PROGRAM = """
import sys
from pathlib import Path
from miniedit_frr.app import app
from miniedit_frr.session.events import LabState

class Runs(app.Editor):
    def __init__(self, document):
        super().__init__(document)
        self.lab_controller.places.choose("namespace")
        self.window.after(100, self.start)

    def start(self):
        self.lab_controller.run()
        self.look()

    def look(self):
        if self.lab_controller.state in (LabState.RUNNING, LabState.FAILED):
            print(self.lab_controller.state, flush=True)
        else:
            self.window.after(50, self.look)

app.Editor = Runs
app.edit(Path(sys.argv[1]))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_killed_editor_leaves_no_processes_of_its_lab(display: str, tmp_path: Path, number: int) -> None:
    labs, register = tmp_path / "labs", tmp_path / "register"
    for folder in (labs, register):
        folder.mkdir(mode=0o700)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(labs), "XDG_RUNTIME_DIR": str(register)}
    environment |= {"XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    argv = [sys.executable, "-c", PROGRAM, str(TWO_AS)]
    with subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "running\n"
        of_lab = below(program.pid)
        assert len(of_lab) > 4
        program.send_signal(number)
        assert program.wait(PATIENCE_S) == (-number if number == signal.SIGKILL else 0)
    assert gone(of_lab)

    def remaining_files() -> list[Path]:
        return [*labs.iterdir(), *(register / "miniedit-frr").iterdir()]

    wait_for(lambda: remaining_files() == [], lambda: f"the end of {remaining_files()}")


def test_random_actions_at_random_moments_cause_no_errors(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from miniedit_frr.lab_control import departure as leaving

    dice = random.Random(ROUNDS)

    def answer(question: str, title: str, **_: Any) -> str:
        return {"The lab": dice.choice(["Cancel", "Stop the Lab"]), "Kill a daemon": "Kill"}.get(title, "Discard")

    monkeypatch.setattr(leaving.Messagebox, "show_question", answer)
    earlier_processes = below(os.getpid())
    session, probes, windows = (
        runner.lab_controller.session,
        runner.lab_controller.probes,
        runner.lab_controller.windows,
    )

    def picks() -> None:
        if {"h1", "h2"} <= {node.name for node in runner.topology.nodes}:
            runner.tool("t")
            runner.click(runner.at("h1"))
            runner.click(runner.at("h2"))

    actions: list[Callable[[], object]] = [
        lambda: runner.press_key("<F5>"), lambda: runner.press_key("<F5>"), lambda: runner.press_key("<F5>"),
        lambda: runner.press_key("<Shift-F5>"), runner.lab_controller.lab.cancel, runner.editor.status.cancel.invoke,
        lambda: runner.press_key("<F6>"), picks, lambda: probes.follow("h1", "r2"),
        lambda: windows.routes("r1"), lambda: windows.queues("l2"), lambda: windows.interfaces("nobody"),
        lambda: runner.lab_controller.actions.set_link("l2", up=dice.random() < 0.5),
        lambda: runner.lab_controller.actions.kill("r2", "bgpd"),
        lambda: windows.capture_into("l2", "r1", tmp_path / "x.pcap"), windows.stop_captures,
        runner.editor.preferences.switch_theme, lambda: runner.press_key("<Control-Key-z>"),
        lambda: runner.press_key("<Control-Key-a>"), lambda: runner.press_key("<Delete>"),
        lambda: runner.editor.files.open(TWO_AS), runner.lab_controller.places.show,
        lambda: session.ask(partial(requests.routes, node="r9")),
    ]  # fmt: skip
    for _ in range(8 * ROUNDS):
        dice.choice(actions)()
        pause(dice.choice([0.0, 0.05, 0.4]), runner.editor.window.update)
    runner.lab_controller.lab.cancel()
    runner.until(LabState.IDLE, LabState.FAILED)
    runner.wait(lambda: not runner.lab_controller.session.pending)
    runner.wait(lambda: not any(map(runs, below(os.getpid()) - earlier_processes)))
    runner.editor.files.open(TWO_AS)
    runner.wait(lambda: not runner.editor.checker.is_busy)
    runner.lab_controller.run()  # and it still works; a key would go to whatever window has the keyboard now
    runner.until(LabState.RUNNING)
