"""An exercise as a student does it, by pointer and keys at a window with a real lab, from its card to the mark."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from frrlib.exercises.work import read_work
from miniedit_frr.document.document import Document
from miniedit_frr.user.preferences import Preferences, PreferenceStore
from tests.cli.commands import process_output
from tests.desktop import Desktop
from tests.screens import missing
from tests.waiting import wait_for
from tests.window.hands_on_screen import ScreenUser
from tests.window.hands_on_window import editor_on

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.slow, pytest.mark.timeout(400)]

#: A real xterm that logs its text.
_XTERM = '#!/bin/sh\nexec {xterm} -l -lf {log} "$@"\n'
#: Buttons of a mouse that scroll.
_DOWN = 5


class Student(ScreenUser):
    """A student with a window, and a folder for pictures and files."""

    def __init__(self, editor: Any, hands: Desktop, folder: Path) -> None:
        super().__init__(editor, hands)
        self.folder, self._pictures = folder, 0

    def take_picture(self, name: str) -> None:
        """Take a picture of the screen."""
        self._pictures += 1
        self.hands.picture(self.folder / f"{self._pictures:02}-{name}.png")

    def click_on(self, widget: Callable[[], Any]) -> None:
        """Click on a widget, which may have to be scrolled into view."""

        def middle() -> tuple[int, int, bool]:
            target = widget()
            x, y = target.winfo_rootx() + target.winfo_width() // 2, target.winfo_rooty() + target.winfo_height() // 2
            return x, y, target.winfo_containing(x, y) is target

        def is_there() -> bool:
            *_, is_visible = self.ask(middle)
            if not is_visible:
                self.hands.click(*self.ask(lambda: _middle_of(widget().winfo_toplevel())), button=_DOWN)
            return is_visible

        wait_for(is_there, "a visible widget")
        self.hands.click(*self.ask(middle)[:2])

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Wait for a condition in the window's thread."""
        wait_for(lambda: self.ask(condition), lambda: f"{what}: {self.ask(self.all_texts)}")

    def wait_for_log(self, line: str) -> None:
        """Wait for a line of the window's log."""
        self.until(lambda: line in self.editor.log.text.get("1.0", "end"), line)

    @property
    def panel(self) -> Any:
        return self.editor.exercises.panel

    def states(self) -> dict[str, str]:
        """The state of each task of the chapter."""
        rows = self.panel.tasks.rows
        return {name: row.task.state for name, row in rows.items()}

    def check_all(self) -> dict[str, str]:
        """Press Check All; returns the state of each task then."""
        self.click_on(lambda: self.panel.check_button)
        self.until(lambda: self.editor.exercises.checks.is_running, "running checks")
        self.until(lambda: not self.editor.exercises.checks.is_running, "the end of the checks")
        return self.ask(self.states)

    def screen_text(self) -> str:
        """The text of the terminals, without escapes that move their cursors."""
        log = self.folder / "xterm.log"
        text = log.read_text(errors="replace") if log.exists() else ""
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()][A-Z0-9]|\r", "", text)

    def type_in_vtysh(self, router: str, *lines: str) -> None:
        """Double-click on a router, and type lines into its vtysh."""
        self.click(router, times=2)
        for line in lines:
            prompts = len(re.findall(rf"{router}[^ \n]*# ", self.screen_text()))
            wait_for(lambda: re.search(rf"{router}[^ \n]*# ", self.screen_text()), self.screen_text)
            self.hands.type(line)
            self.hands.keys("Return")
            wait_for(
                lambda prompts=prompts: len(re.findall(rf"{router}[^ \n]*# ", self.screen_text())) > prompts,
                self.screen_text,
            )


def _middle_of(widget: Any) -> tuple[int, int]:
    return widget.winfo_rootx() + widget.winfo_width() // 2, widget.winfo_rooty() + widget.winfo_height() // 2


@pytest.fixture
def student(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Student]:
    if lacks := missing() or next((name for name in ("xdotool", "xterm") if not shutil.which(name)), ""):
        pytest.skip(f"needs {lacks}")
    xterm = tmp_path / "bin" / "xterm"
    xterm.parent.mkdir()
    xterm.write_text(_XTERM.format(xterm=shutil.which("xterm"), log=tmp_path / "xterm.log"))
    xterm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{xterm.parent}:/usr/sbin:/usr/bin:/sbin:/bin")
    PreferenceStore(tmp_path / "preferences.json").change(Preferences(results_folder=str(tmp_path / "results")))
    with editor_on(Document(), tmp_path, "1270x850") as editor:
        try:
            yield Student(editor, Desktop(display), tmp_path)
        finally:
            editor.lab_controller.session.close()
            wait_for(lambda: not editor.lab_controller.is_alive, "the end of the lab", editor.window.update)


def begin(student: Student) -> None:
    """Start the exercise from its card, and run its lab."""
    exercises = student.editor.exercises
    student.click("File")
    student.click("Exercises…")
    student.wait("exercises come with the program")
    student.type("Ada")
    student.click_on(lambda: exercises.window.student_entry)
    student.type("42")
    student.take_picture("cards")
    student.click_on(lambda: exercises.window.buttons["two-as"])
    student.until(lambda: student.panel is not None and student.panel.check_button.winfo_viewable(), "the panel")
    student.take_picture("panel")
    student.hands.keys("F5")
    student.wait("The lab is running in")


def set_up_session(student: Student) -> None:
    """Configure r1 in vtysh, fail, ask why, take a hint, and configure r2 in its dialog."""
    text = read_work(student.editor.document.path.parent).exercise.variables.text
    student.type_in_vtysh(
        "r1", "configure terminal", text("router bgp {as1}"), text("neighbor {wire.2} remote-as {as2}"), "end"
    )
    student.take_picture("vtysh")
    student.click_on(lambda: student.panel.tasks.rows["port"].entry)
    student.type("179")
    states = student.check_all()
    assert states == {"session-up": "fails", "r1-as": "holds", "r2-as": "fails", "port": "holds"}
    student.take_picture("two-fail")
    student.click_on(lambda: student.panel.tasks.rows["session-up"].why_button)
    student.hands.window_with_keyboard("^Why r1 Lacks the BGP Neighbor r2")
    student.wait("r2 has no BGP neighbor statement for r1")
    student.take_picture("why")
    student.hands.keys("Escape")
    student.hands.gone("^Why r1")
    student.click_on(lambda: student.panel.hint_button)
    student.wait("neighbor ADDRESS remote-as AS")
    student.take_picture("hint")


def mend_in_dialog(student: Student) -> None:
    """Configure r2 in its dialog, and have the running lab take it over."""
    student.click("r2")
    student.hands.keys("alt+Return")
    student.hands.window_with_keyboard("^Router r2$")
    text = read_work(student.editor.document.path.parent).exercise.variables.text
    student.click("BGP")
    student.wait("AS number")
    student.click("Run BGP on this router")
    student.hands.keys("Tab")
    student.type(text("{as2}"))
    student.hands.keys("Tab", "Tab", "space")  # past the router ID to the button that adds a neighbor
    student.type(text("{wire.1}"))
    student.hands.keys("Tab")
    student.type(text("{as1}"))
    student.take_picture("dialog")


def finish(student: Student) -> Path:
    """Pass the first chapter, restore the second one, and hand in."""
    student.hands.keys("ctrl+Return")
    student.hands.gone("^Router r2$")
    student.wait("Apply (F5)")
    student.hands.keys("F5")
    student.wait_for_log("Changed r2 in the running lab.")
    student.check_all()
    student.wait("All tasks are done. The next chapter is Networks.")
    student.take_picture("passed")
    student.click_on(lambda: student.panel.restore_button)
    student.wait("Restore puts the reference state")
    student.take_picture("question")
    student.hands.keys("Return")
    student.wait("The chapter is restored.")
    student.wait("Apply (F5)")
    student.hands.keys("F5")
    student.wait_for_log("Changed r1 and r2 in the running lab.")
    student.take_picture("restored")
    folder = student.folder / "handed in"
    folder.mkdir()
    student.click_on(lambda: student.panel.hand_in_button)
    student.click("two-as-42.zip")  # some window managers give a dialog the keyboard only then
    student.type(str(folder / "ada.zip"))
    student.hands.keys("Return")
    student.wait("was written. Give this file to your teacher.")
    student.take_picture("handed-in")
    return folder


def test_a_student_fails_asks_mends_restores_and_gets_the_mark(student: Student) -> None:
    def deeds() -> None:
        try:
            begin(student)
            set_up_session(student)
            mend_in_dialog(student)
            handed_in.append(finish(student))
        finally:
            student.take_picture("end")

    handed_in: list[Path] = []
    student.work(deeds)
    (folder,) = handed_in
    words = ("exercise", "grade", folder.name, "--exercise", "two-as", "--place", "namespace", "--out", "grades")
    process_output(*words, cwd=student.folder)
    (row,) = csv.DictReader((student.folder / "grades" / "grades.csv").open())
    # all of the first chapter but the price of its hint, and nothing of the restored one
    assert (row["student"], row["points"], row["session"], row["networks"]) == ("42", "5", "5", "0")
