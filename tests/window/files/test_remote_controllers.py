"""A topology with a controller outside of its lab asks before it runs. Tests press the buttons of the real question."""

from __future__ import annotations

import shutil
import subprocess
import tkinter as tk
from collections.abc import Iterator
from ipaddress import ip_interface
from pathlib import Path

import pytest

from frrlib.model.links import End, Link
from frrlib.model.nodes import Controller, Host, Switch
from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
from miniedit_frr.session.events import LabState
from tests.keyboard import press
from tests.lab.test_outside_controllers import TESTER, free_port
from tests.waiting import wait_for
from tests.window.hands_on_labs import Runner, at_a_window

pytestmark = [
    pytest.mark.gui,
    pytest.mark.lab,
    pytest.mark.timeout(180),
    pytest.mark.skipif(not shutil.which("ovs-vsctl", path="/usr/bin"), reason="Open vSwitch is not installed"),
]


def drawing(port: int) -> Topology:
    """h1 - s1 - h2, and a controller at this port of this machine."""
    nodes = (
        Host(name="h1", x=100, y=100),
        Host(name="h2", x=300, y=100),
        Switch(name="s1", x=200, y=200, controllers=("c0",)),
        Controller(name="c0", x=200, y=300, controller_type="remote", port=port),
    )
    links = tuple(
        Link(id=f"l{n}", a=End(node=f"h{n}", addresses=(ip_interface(f"10.0.0.{n}/24"),)), b=End(node="s1"))
        for n in (1, 2)
    )
    return Topology(nodes=nodes, links=links)


class QuestionedUser(Runner):
    """A user who answers a question with one of its buttons."""

    questions: list[str]
    #: The title of the question.
    title = "Controllers"

    def answer_when_asked(self, button: str) -> None:
        """When the question appears, remember its text and press this button; empty for Escape."""
        self.questions = []

        def look() -> None:
            for child in self.editor.window.winfo_children():
                if isinstance(child, tk.Toplevel) and child.winfo_viewable() and self.title in child.title():
                    self.questions.append(" ".join(_texts(child)))
                    if button:
                        next(found for found in _buttons(child) if found.cget("text") == button).invoke()
                    else:
                        press(child, "<Escape>")
                    return
            self.timer = self.editor.window.after(50, look)

        self.timer = self.editor.window.after(50, look)

    def is_not_asked(self) -> None:
        """Check that no question was shown."""
        self.editor.window.after_cancel(self.timer)
        assert self.questions == []


def _walk(widget: tk.Misc) -> Iterator[tk.Misc]:
    yield widget
    for child in widget.winfo_children():
        yield from _walk(child)


def _texts(window: tk.Misc) -> list[str]:
    return [str(each.cget("text")) for each in _walk(window) if each.winfo_class() == "TLabel"]


def _buttons(window: tk.Misc) -> list[tk.Button]:
    return [each for each in _walk(window) if each.winfo_class() == "TButton"]  # type: ignore[misc]


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[QuestionedUser]:
    document = Document()
    document.apply("Draw", drawing(free_port()))
    document.save(tmp_path / "remote.mn")
    with at_a_window(QuestionedUser, document, tmp_path, monkeypatch) as user:
        yield user


def port_of(person: QuestionedUser) -> int:
    (controller,) = (node for node in person.topology.nodes if isinstance(node, Controller))
    return controller.port


def stop(person: QuestionedUser) -> None:
    person.lab_controller.stop()
    person.until(LabState.IDLE)


def test_escape_does_not_start_the_lab(person: QuestionedUser) -> None:
    person.answer_when_asked("")
    person.press_key("<F5>")
    person.wait(lambda: "The lab was not started." in person.log())
    assert person.lab_controller.state is LabState.IDLE
    (question,) = person.questions
    assert f"c0 at 127.0.0.1:{port_of(person)}" in " ".join(question.split())


def test_answering_no_starts_the_lab_without_the_controller(person: QuestionedUser) -> None:
    person.answer_when_asked("No")
    person.run()
    assert person.states()["c0"] == "warning"
    assert f"no controller answers at tcp:127.0.0.1:{port_of(person)}" in person.log()
    stop(person)
    person.answer_when_asked("This Time")  # the answer is valid while this window is open
    person.run()
    person.is_not_asked()
    stop(person)


@pytest.mark.skipif(not TESTER, reason="no learning controller is installed")
def test_answering_always_is_remembered_and_connects_the_controller(person: QuestionedUser, tmp_path: Path) -> None:
    argv = [str(TESTER), f"ptcp:{port_of(person)}:127.0.0.1", f"--unixctl={tmp_path}/ctl"]
    null = subprocess.DEVNULL
    with subprocess.Popen(argv, stdout=null, stderr=null) as controller:
        try:
            person.answer_when_asked("Always for This File")
            person.run()
            assert len(person.questions) == 1
            assert person.states()["c0"] == "up"
            wait_for(lambda: " 1 received" in person.execute("h1", "ping", "-c1", "-W1", "10.0.0.2").stdout, "flows")
            stop(person)
            person.answer_when_asked("No")
            person.run()
            person.is_not_asked()
            assert person.states()["c0"] == "up"
            stop(person)
        finally:
            controller.terminate()
