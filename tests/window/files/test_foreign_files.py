"""A topology from another source asks for consent to its commands before its first run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.formats import mn
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
from miniedit_frr.session.events import LabState
from miniedit_frr.user import permissions
from tests.keyboard import press
from tests.window.files.test_remote_controllers import QuestionedUser, stop
from tests.window.hands_on_labs import at_a_window

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(180)]
MARK = "echo foreign > /tmp/mark"


class ForeignFileUser(QuestionedUser):
    title = "from elsewhere"


def drawing(command: str = MARK) -> Topology:
    return Topology(nodes=(Host(name="h1", x=100, y=100, start_command=command), Host(name="h2", x=300, y=100)))


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ForeignFileUser]:
    """A user who has opened a file of another user."""
    file = tmp_path / "downloads" / "foreign.mn"
    file.parent.mkdir()
    file.write_text(mn.dumps(drawing()), encoding="utf-8")
    document = Document()
    document.open(file)
    with at_a_window(ForeignFileUser, document, tmp_path, monkeypatch) as user:
        yield user


@pytest.mark.parametrize("button", ["", "Do Not Run"])
def test_nothing_runs_without_consent(person: ForeignFileUser, button: str) -> None:
    person.answer_when_asked(button)
    person.press_key("<F5>")
    person.wait(lambda: "The lab was not started." in person.log())
    assert person.lab_controller.state is LabState.IDLE
    (question,) = person.questions
    assert "foreign.mn" in question
    assert f"h1 runs when the lab begins: {MARK}" in " ".join(question.split())


def test_pressing_return_does_not_consent(person: ForeignFileUser) -> None:
    """The button that a key presses is the one that does no harm."""
    person.questions = []
    window = person.editor.window

    def look() -> None:
        for child in window.winfo_children():
            if child.winfo_class() == "Toplevel" and child.winfo_viewable() and person.title in child.title():  # type: ignore[attr-defined]
                press(child, "<Return>")
                return
        window.after(50, look)

    window.after(50, look)
    person.press_key("<F5>")
    person.wait(lambda: "The lab was not started." in person.log())


def test_consent_is_remembered_until_the_commands_change(person: ForeignFileUser) -> None:
    person.answer_when_asked("Run Lab")
    person.run()
    assert len(person.questions) == 1
    assert person.execute("h1", "cat", "/tmp/mark").stdout == "foreign\n"
    stop(person)
    person.answer_when_asked("Do Not Run")
    person.run()
    person.is_not_asked()
    stop(person)
    document = person.editor.document
    assert document.path is not None
    document.path.write_text(mn.dumps(drawing("echo other > /tmp/mark")), encoding="utf-8")
    person.editor.files.revert()
    person.answer_when_asked("Do Not Run")
    person.press_key("<F5>")
    person.wait(lambda: "The lab was not started." in person.log())
    assert "echo other" in person.questions[0]


def test_commands_typed_in_the_window_need_no_consent(person: ForeignFileUser, tmp_path: Path) -> None:
    editor = person.editor
    editor.document.new()
    editor.document.apply("Draw", drawing("echo mine > /tmp/mark"))
    person.answer_when_asked("Do Not Run")
    person.run()
    person.is_not_asked()
    stop(person)
    mine = tmp_path / "mine.mn"
    editor.document.path = mine
    assert editor.files.save()
    agreed = tmp_path / "trust.json"
    assert permissions.missing_permissions(editor.document.topology, mine, agreed) == ()
    assert permissions.missing_permissions(drawing(), mine, agreed) != ()
