"""File > Experiments: an experiment is run in a process, stopped, continued, and judged. Stand-ins replace the labs."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from frrlib.picture.theme import DARK, LIGHT
from miniedit_frr.experiments import catalogue
from miniedit_frr.experiments.verdict import CSV
from miniedit_frr.experiments_view.process import ExperimentOrder, ExperimentProcess, RunProgress, clock_text
from miniedit_frr.experiments_view.run_window import ExperimentRunWindow
from miniedit_frr.experiments_view.runs import save_figure
from miniedit_frr.runs.figure_window import FigureWindow
from miniedit_frr.user.paths import program_argv
from tests.experiments import standin_program
from tests.experiments.small import SMALL
from tests.sweep.standin import started_pids
from tests.waiting import comes, wait_for
from tests.window.hands_on_window import User
from tests.window.widgets import buttons, texts

pytestmark = [pytest.mark.gui]
#: A program that prints its arguments and does nothing.
PRINTS_ARGUMENTS = (sys.executable, "-c", "import sys; print(*sys.argv[1:], file=sys.stderr)")
WORDS = {"pass": "passed", "fail": "failed", "not run": "not run"}


class Experimenter:
    """A user of the list of experiments, who runs the only experiment in it."""

    def __init__(self, user: User, folder: Path) -> None:
        self.user, self.folder = user, folder
        user.editor.experiments.open()
        self.list: Any = user.editor.experiments.window
        user.wait(lambda: self.list.chosen)

    @property
    def runs(self) -> Any:
        return self.user.editor.experiments.experiment_runs

    @property
    def window(self) -> ExperimentRunWindow:
        assert self.runs.window is not None
        return self.runs.window

    def start(
        self, *titles: str, button: str = "Run in Full", program: Sequence[str] = ()
    ) -> ExperimentRunWindow:  # fmt: skip
        """Press a button of the list; the experiment has a case for each title, unless a program is given."""
        self.runs.program = program or standin_program.program(*titles)
        (found,) = buttons(self.list, button)
        found.invoke()
        return self.window

    def message(self) -> str:
        return str(self.window.message.cget("text"))

    def lines(self) -> list[str]:
        return self.window.text.get("1.0", "end").split("\n")

    def wait_for_end(self) -> None:
        self.user.wait(lambda: self.window.again_button.winfo_manager())

    def state(self, button: Any) -> str:
        return str(button.cget("state"))


def wait_until_gone(pids: Sequence[int]) -> bool:
    return comes(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


@pytest.fixture
def experimenter(
    user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, standin_log: Path
) -> Experimenter:  # fmt: skip
    monkeypatch.setattr(catalogue, "experiments", lambda: {SMALL.name: SMALL})
    monkeypatch.setattr(user.editor.lab_controller.runs, "root", lambda: tmp_path / "results")
    monkeypatch.setattr("miniedit_frr.experiments_view.controller.refuse_virtual", lambda: None)
    return Experimenter(user, tmp_path / "results")


def test_an_experiment_is_run_judged_and_drawn(experimenter: Experimenter) -> None:
    window = experimenter.start("One", "Two")
    assert experimenter.message() == "Preparing the cases …" and experimenter.runs.is_running
    experimenter.wait_for_end()
    assert experimenter.message() == "The experiment has ended; 2 runs finished."
    assert float(window.bar.cget("value")) == 1.0
    user = experimenter.user
    user.wait(lambda: window.results.picture and min(window.results.picture.layout().size) > 100)
    # The same verdicts as in the table for spreadsheets.
    with (experimenter.folder / "experiments" / "CF5" / CSV).open(newline="") as file:
        stored = list(csv.DictReader(file))
    rows = window.results.sheet.rows()
    assert [(row[0], row[3].split("; "), row[5][2:]) for row in rows] == [
        (row["id"], re.sub(r"[a-z0-9]+ ", "", row["ours"]).split(", "), WORDS[row["outcome"]]) for row in stored
    ]
    assert [row["outcome"] for row in stored] == ["fail", "not run"]
    assert "2 statements: 0 passed, 1 failed, 1 not run." in " ".join(texts(window.results))
    assert window.results.details.get("1.0", "end").startswith("CF5.1: castroflavio figure 5: bbr: median RTT")
    assert "RTT of both flows over time." in texts(window.results)
    assert experimenter.state(window.folder_button) == "normal"
    for theme in (DARK, LIGHT):
        user.press_key("<F9>")
        assert user.editor.theme is theme
        assert str(window.text.cget("background")) == theme.card
        assert str(window.results.sheet.tree.tag_configure("fail", "foreground")) == theme.error
    window.results.enlarge_button.invoke()
    assert [child.title() for child in user.editor.window.winfo_children() if isinstance(child, FigureWindow)] == [
        "RTT of both flows over time."
    ]
    user.press_key("<Escape>", on=window.results.sheet.tree)
    assert not window.winfo_exists()


def test_quick_runs_are_shortened_and_marked(experimenter: Experimenter, standin_log: Path) -> None:
    window = experimenter.start("One", "Two", button="Run Quickly")
    experimenter.wait_for_end()
    assert experimenter.message() == "The experiment has ended; 1 run finished."
    assert len(started_pids(standin_log)) == 1
    assert (experimenter.folder / "experiments-quick" / "CF5" / CSV).is_file()
    assert any("only a hint" in text for text in texts(window.results))


def test_the_window_stays_responsive_and_the_run_can_be_stopped_and_continued(
    experimenter: Experimenter, standin_log: Path
) -> None:
    window = experimenter.start("One", "wait 60")
    user = experimenter.user
    user.wait(lambda: experimenter.message().startswith("1 of 2 runs have ended"))
    assert float(window.bar.cget("value")) == 0.5
    clock = window.clock.cget("text")
    user.wait(lambda: window.clock.cget("text") != clock)
    user.press_key("<Escape>", on=window.text)
    assert window.winfo_exists()  # not closed by accident
    window.stop_button.invoke()
    assert experimenter.state(window.stop_button) == "disabled"
    experimenter.wait_for_end()
    assert experimenter.message() == "Stopped; 1 run finished and kept. Run Again continues."
    assert wait_until_gone(started_pids(standin_log))
    experimenter.runs.program = standin_program.program("One", "wait 0")
    window.again_button.invoke()
    user.wait(lambda: experimenter.message() == "The experiment has ended; 2 runs finished.")
    assert "1 runs were finished earlier" in experimenter.lines()
    assert len(started_pids(standin_log)) == 3


def test_a_second_run_waits_for_the_first(experimenter: Experimenter, standin_log: Path) -> None:
    window = experimenter.start("wait 60")
    experimenter.user.wait(lambda: started_pids(standin_log))
    assert experimenter.start("Two") is window
    assert "CF5 is still running" in experimenter.user.editor.log.text.get("1.0", "end")
    window.destroy()
    experimenter.user.wait(lambda: not experimenter.runs.is_running)
    assert wait_until_gone(started_pids(standin_log))


def test_the_end_of_the_editor_ends_the_run(experimenter: Experimenter, standin_log: Path) -> None:
    experimenter.start("wait 60")
    experimenter.user.wait(lambda: started_pids(standin_log))
    experimenter.user.editor.close()
    assert wait_until_gone(started_pids(standin_log))


def test_failed_runs_and_errors_are_shown(experimenter: Experimenter) -> None:
    experimenter.start("One", "fail")
    experimenter.wait_for_end()
    assert experimenter.message() == "1 of 2 runs failed; Progress has the reasons."
    assert "failed: CF5 case-2, repetition 1: r1 did not converge" in experimenter.lines()
    assert experimenter.window.results.sheet.rows()  # the other runs are judged
    (experimenter.folder / "experiments-quick").mkdir()
    (experimenter.folder / "experiments-quick" / "CF5").symlink_to(experimenter.folder)
    window = experimenter.start("One", button="Run Quickly")
    experimenter.wait_for_end()
    assert "holds the link 'CF5'" in experimenter.message()
    assert str(window.results) not in window.pages.tabs()
    experimenter.runs.program = ["/nonexistent"]
    window.again_button.invoke()
    assert experimenter.message() == "The program cannot be started: No such file or directory."


def test_without_virtual_time_the_runs_are_in_real_time(experimenter: Experimenter) -> None:
    experimenter.list.allow_virtual("Virtual time is not available.")
    assert experimenter.state(experimenter.list.virtual_switch) == "disabled"
    experimenter.start(program=PRINTS_ARGUMENTS)
    experimenter.wait_for_end()
    out = experimenter.folder / "experiments-real-time"
    assert f"experiment run CF5 --real-time --out {out}" in experimenter.lines()
    assert f"{out}/CF5: contains no verdict" in experimenter.message()  # although the program reports success


def test_families_cannot_be_run(experimenter: Experimenter) -> None:
    window = experimenter.list
    assert "2 runs quickly, 3 in full" in texts(window)
    window.tree.selection_set(window.tree.get_children()[0])
    experimenter.user.editor.window.update()
    assert {experimenter.state(found) for found in buttons(window, "Run ")} == {"disabled"}


def test_lines_of_the_command_are_read() -> None:
    progress = RunProgress().after(["left out CF5/a: no bbr2"])
    assert progress.total is None
    progress = progress.after(["12 runs were finished earlier", "0 of 3: no run has ended yet"])
    assert (progress.done, progress.total) == (12, 15)
    progress = progress.after(
        ["1 of 3: CF5 a, repetition 1, 4 s; 2 min left", "failed: CF5 b, repetition 1: 2 of 3: lost"]
    )
    assert (progress.done, progress.failed, progress.ended, progress.left) == (14, 1, 2, "2 min")
    assert progress.after(["3 of 3: CF5 c, repetition 1, 4 s"]).done == 15


def test_commands_have_the_options_of_the_order(tmp_path: Path) -> None:
    order = ExperimentOrder("CF5", "", True, False, tmp_path)
    assert order.command(["x"]) == [
        "x", "experiment", "run", "CF5", "--quick", "--real-time", "--out", str(tmp_path)
    ]  # fmt: skip
    assert [clock_text(seconds) for seconds in (7.9, 725, 3725)] == ["0:07", "12:05", "1:02:05"]


def test_a_process_that_prints_much_is_not_blocked() -> None:
    process = ExperimentProcess(["sh", "-c", "yes 'left out' | head -n 200000 >&2; printf 'miniedit-frr: late' >&2"])
    wait_for(lambda: not process.poll(), "the end of the process")
    assert len(process.lines) == 200_001 and process.error == "late"


def test_a_figure_is_saved_in_the_formats_in_which_it_was_drawn(tmp_path: Path) -> None:
    figure, messages = tmp_path / "rtt.png", list[str]()
    shown = Image.new("RGB", (1, 1))
    figure.write_bytes(b"the picture")
    figure.with_suffix(".pdf").write_bytes(b"the page")
    (tmp_path / "saved").mkdir()
    for name in ("a.png", "a.PDF", "a.svg", "missing/a.png"):
        save_figure(figure, shown, tmp_path / "saved" / name, messages.append)
    assert messages == [
        "Saved to a.png.", "Saved to a.PDF.", "The figure was drawn as PDF or PNG only.",
        "a.png cannot be saved: No such file or directory",
    ]  # fmt: skip
    saved = {path.name: path.read_bytes() for path in (tmp_path / "saved").iterdir()}
    assert saved == {"a.png": b"the picture", "a.PDF": b"the page"}


@pytest.mark.lab
@pytest.mark.slow
def test_the_program_itself_runs_a_published_experiment(
    user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_virtual: bool
) -> None:
    monkeypatch.setattr(user.editor.lab_controller.runs, "root", lambda: tmp_path)
    experimenter = Experimenter(user, tmp_path)
    experimenter.list.tree.selection_set("CF5")
    experimenter.list.virtual.set(is_virtual)
    window = experimenter.start(button="Run Quickly", program=program_argv())
    experimenter.wait_for_end()
    assert experimenter.message() == "The experiment has ended; 2 runs finished."
    rows = {row[0]: row for row in window.results.sheet.rows()}
    assert list(rows) == [f"CF5.{number}" for number in range(1, 6)]
    if is_virtual:  # 10 Mbit/s, of which 1448 of 1514 bytes are data, in real time on an idle machine only
        assert rows["CF5.5"][5] == "✓ passed"
    user.wait(lambda: window.results.picture and min(window.results.picture.layout().size) > 100)
