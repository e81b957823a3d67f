"""The first time: `docs/first-time.md`, read as a script and walked by pointer and keys at a window with a real lab.

A step's **bold** words must be on the screen: those before its arrow when the step begins or where it clicks, those
after it when it is done. The test reads the screen from Tk, widget by widget, without the editor's help.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from frrlib.formats import mn
from frrlib.results.read import open_results
from miniedit_frr.document.document import Document
from miniedit_frr.user.preferences import Preferences, PreferenceStore
from tests.desktop import Desktop
from tests.screens import missing
from tests.waiting import wait_for
from tests.window.hands_on_screen import ScreenUser
from tests.window.hands_on_window import editor_on

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(400)]

PAGE = Path(__file__).resolve().parents[3] / "docs" / "first-time.md"
_BOLD = re.compile(r"\*\*(.+?)\*\*")
#: The actions of a step, in the words of the page.
_DEEDS = re.compile(
    r"[Cc]lick below \*\*(?P<below>.+?)\*\*|[Cc]lick \*\*(?P<click>.+?)\*\*"
    r"|Drag from \*\*(?P<source>.+?)\*\* to \*\*(?P<target>.+?)\*\*"
    r"|Type `(?P<text>.+?)` and press `(?P<key>.+?)`"
)
#: How far below a node another one is put, in units of the canvas.
_BELOW = 110


class Step(NamedTuple):
    """One numbered step: the words on screen at first, the actions, the words on screen then."""

    number: int
    first: tuple[str, ...]
    deeds: tuple[re.Match[str], ...]
    then: tuple[str, ...]


def steps_of(page: str) -> list[Step]:
    """The numbered steps of a page, in its order."""
    steps = []
    for number, text in re.findall(r"^(\d+)\. (.+?)(?=\n\n|\n\d+\. |\Z)", page, re.M | re.S):
        actions, arrow, results = " ".join(text.split()).partition("→")
        assert arrow, f"step {number} does not say what comes of it"
        steps.append(
            Step(
                int(number),
                tuple(_BOLD.findall(_DEEDS.sub("", actions))),
                tuple(_DEEDS.finditer(actions)),
                tuple(_BOLD.findall(results)),
            )
        )
    return steps


class Reader(ScreenUser):
    """A user who follows the page."""

    def walk(self, steps: Iterable[Step]) -> None:
        """All steps, while the window works."""
        self.work(lambda: [self._step(step) for step in steps])

    def _step(self, step: Step) -> None:
        assert step.deeds, f"step {step.number} does not say what to do"
        for hint in step.first:
            self.wait(hint)
        for deed in step.deeds:
            self._do(deed)
        for hint in step.then:
            self.wait(hint)

    def _do(self, deed: re.Match[str]) -> None:
        words, hands = deed.groupdict(), self.hands
        if words["click"]:
            self.click(words["click"])
        elif words["below"]:
            x, y = self.place(words["below"])
            hands.click(x, y + _BELOW)
        elif words["source"]:
            hands.drag(self.place(words["source"]), self.place(words["target"]))
        else:
            self.type(words["text"])
            hands.keys(words["key"])


@pytest.fixture
def reader(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    if lacks := missing() or ("" if shutil.which("xdotool") else "xdotool"):
        pytest.skip(f"needs {lacks}")
    monkeypatch.chdir(tmp_path)
    PreferenceStore(tmp_path / "preferences.json").change(Preferences(results_folder=str(tmp_path / "results")))
    with editor_on(Document(), tmp_path, "1270x850") as editor:
        try:
            yield Reader(editor, Desktop(display))
        finally:
            editor.lab_controller.session.close()
            wait_for(lambda: not editor.lab_controller.is_alive, "the end of the lab", editor.window.update)


def test_the_steps_of_the_page_work_in_the_window(reader: Reader, tmp_path: Path) -> None:
    steps = steps_of(PAGE.read_text(encoding="utf-8"))
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    reader.walk(steps)
    topology = mn.load(tmp_path / "first.mn").topology
    assert {node.name for node in topology.nodes} == {"h1", "h2", "h3", "s1"}
    assert [(flow.source, flow.destination) for flow in topology.flows] == [("h1", "h2")]
    (folder,) = (tmp_path / "results").iterdir()
    assert len(open_results(folder).tcp["side"]) > 100


def test_texts_out_of_sight_are_not_found(reader: Reader) -> None:
    """Words that are absent, come later only, or are out of sight are not seen."""
    assert reader.sees("Two hosts and a switch")
    assert not reader.sees("Three hosts and a switch")
    assert not reader.sees("The lab is running in")
    page = reader.editor.start_page.page
    page.place(relx=3.0)
    reader.editor.window.update()
    assert not reader.sees("Two hosts and a switch")


def test_a_step_of_the_page_is_parsed() -> None:
    text = "# T\n\n7. See **A b**,\n   click **X**, then click below **y**. → **Z** and\n   **w**.\n\nEnd.\n"
    (step,) = steps_of(text)
    assert (step.number, step.first, step.then) == (7, ("A b",), ("Z", "w"))
    assert [deed["click"] or deed["below"] for deed in step.deeds] == ["X", "y"]
