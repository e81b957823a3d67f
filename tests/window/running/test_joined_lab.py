"""A joined lab keeps running after every end of the window."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from frrlib.formats import mn
from frrlib.lab.detached import DetachedLab
from frrlib.lab_server import register
from tests.window.topologies import TWO_AS

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(120)]

ROOT = Path(__file__).resolve().parents[3]

PROGRAM = """
import signal, sys
from pathlib import Path
from miniedit_frr.app.app import Editor
from miniedit_frr.document.document import Document
from miniedit_frr.session.events import LabState

editor = Editor(Document(), Path(sys.argv[1]) / "window.json")
signal.signal(signal.SIGTERM, lambda *_: editor.window.after(0, editor.close))
editor.window.after(100, editor.lab_controller.join, "before")

def look():
    if editor.lab_controller.state is LabState.RUNNING:
        print("joined", flush=True)
    else:
        editor.window.after(50, look)

def tick():
    editor.window.after(50, tick)

look()
tick()
editor.window.mainloop()
editor.lab_controller.close()
"""


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL], ids=lambda s: s.name)
def test_a_joined_lab_keeps_running(
    display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: signal.Signals
) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    with DetachedLab(mn.load(TWO_AS).topology, place="namespace", name="before", file=TWO_AS) as lab:
        lab.leave()
    environment = {**os.environ, "DISPLAY": display, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], env=environment, stdout=subprocess.PIPE, text=True
    ) as window:
        assert window.stdout is not None
        assert window.stdout.readline() == "joined\n"
        window.send_signal(ending)
        assert window.wait(30) == (0 if ending == signal.SIGTERM else -ending)
    with DetachedLab.join("before") as lab:
        assert lab["h1"].run("hostname") == "h1\n"
    assert register.labs() == []
