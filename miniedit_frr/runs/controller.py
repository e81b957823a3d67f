"""Runs with flows: the folders of their results, the list of runs, and their figures."""

from __future__ import annotations

import shutil
import subprocess
import time
from functools import partial
from pathlib import Path
from tkinter.ttk import Notebook

import platformdirs

from frrlib.results.layout import ResultsError
from frrlib.results.statistics.summary import load_summary
from frrlib.results.statistics.table import findings_rows, plain_text, summary_tables
from frrlib.results.verdict.finding import reasons
from frrlib.results.writer import default_folder
from frrlib.run.run import RunOutcome
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.runs import history
from miniedit_frr.runs.figure_saver import FigureDrawing, FigureSaver
from miniedit_frr.runs.figure_window import FigureWindow
from miniedit_frr.runs.list_panel import RunList, RunRow
from miniedit_frr.runs.verdict_window import VerdictWindow
from miniedit_frr.user.preferences import PreferenceStore

_OPENERS = ("xdg-open", "gio", "open")
#: The options that draw the figure of a run with the size that it has in the run's folder.
_AS_IN_THE_FOLDER = ("--width", "screen")


class RunController:
    """The Runs panel and its memory.

    Attributes:
        figure_saver: saves the figures of all windows as files.

    Args:
        memory: the file that stores the list of runs.
    """

    def __init__(self, main: MainWindow, bottom: Notebook, preferences: PreferenceStore, memory: Path) -> None:
        self._main, self._bottom, self._preferences, self._memory = main, bottom, preferences, memory
        self.rows = history.load(memory)
        self.panel = RunList(bottom, main.ui)
        self.figure_saver = FigureSaver(main.root, main.say)
        bottom.add(self.panel, text="Runs")
        self.panel.on_open, self.panel.on_folder, self.panel.on_forget = self.show_figure, self.open_folder, self.forget
        self.panel.on_verdict = self.show_verdict
        self.panel.show(self.rows)
        self._begun = ""

    def next_folder(self, title: str) -> Path:
        """A folder for the next results: in the preferred folder, beside the last results, or below the documents."""
        return default_folder(title, self.base())

    def base(self) -> Path:
        """The folder for results."""
        preferred = self._preferences.now.results_root()
        last = next((Path(row.folder).parent for row in self.rows if Path(row.folder).parent.is_dir()), None)
        return preferred or last or self.root()

    def root(self) -> Path:
        """The preferred folder for results, or the one below the documents. It does not depend on earlier runs."""
        return self._preferences.now.results_root() or Path(platformdirs.user_documents_dir()) / "miniedit-frr"

    def begin(self) -> None:
        """Store the start time of a run."""
        self._begun = time.strftime("%Y-%m-%d %H:%M:%S")

    def add(self, title: str, place: str, outcome: RunOutcome, word: str, *, is_shown: bool = True) -> str:
        """Add a run that has ended, and return a message about it.

        Args:
            word: "finished", "failed" or "stopped".
            is_shown: whether the list of runs comes to the front.
        """
        verdict = outcome.summary.verdict if outcome.summary else ""
        result = word
        if outcome.summary and verdict not in ("", "trustworthy"):
            word = f"{word}, {verdict}"
            first, *further = reasons(outcome.summary.findings, "wrong", "doubt")
            result = f"{word}: {first}" + (f"; and {len(further)} more" if further else "")
        row = RunRow(self._begun, title, place, word, str(outcome.folder))
        self.rows = [row, *(other_row for other_row in self.rows if other_row.folder != row.folder)]
        self._remember()
        if is_shown:
            self._bottom.select(self.panel)
        return f"The run has ended ({result}). Results: {outcome.folder}."

    def forget(self, row: RunRow) -> None:
        """Remove a run from the list. Its folder is kept."""
        self.rows = [other_row for other_row in self.rows if other_row != row]
        self._remember()

    def show_figure(self, row: RunRow) -> None:
        """Show the figure of a run, with its numbers."""
        figure = Path(row.folder) / "figure.png"
        open_folder, numbers = lambda: self.open_folder(row), _numbers(Path(row.folder))
        save = partial(self.figure_saver.save, FigureDrawing((Path(row.folder),), "series", _AS_IN_THE_FOLDER))
        try:
            FigureWindow(self._main.root, f"{row.title}, {row.time}", figure, open_folder, save, self._main.ui, numbers)
        except OSError:
            self._main.say(
                f"{row.folder} contains no figure: the run stopped before its flows, or the folder was moved."
            )

    def show_verdict(self, row: RunRow) -> None:
        """Show the verdict on a run, with its reasons."""
        try:
            summary = load_summary(Path(row.folder))
        except ResultsError as error:
            self._main.say(f"The verdict cannot be computed: {error}.")
            return
        title = f"Verdict: {row.title}, {row.time}"
        rows = findings_rows(summary)
        VerdictWindow(
            self._main.root,
            title,
            summary.verdict,
            rows,
            lambda: self.show_figure(row),
            self._main.ui,
            self._main.theme,
        )

    def open_folder(self, row: RunRow) -> None:
        """Open a run's folder in the file manager of this machine."""
        opener = next((program for program in _OPENERS if shutil.which(program)), "")
        folder = Path(row.folder)
        if not opener or not folder.is_dir():
            self._main.say(f"Results: {folder}." if folder.is_dir() else f"{folder} no longer exists.")
            return
        words = [opener, "open"] if opener == "gio" else [opener]
        null = subprocess.DEVNULL
        subprocess.Popen([*words, str(folder)], stdin=null, stdout=null, stderr=null, start_new_session=True)

    def _remember(self) -> None:
        self.panel.show(self.rows)
        history.save(self.rows, self._memory)


def _numbers(folder: Path) -> str:
    """A run's tables as a script prints them; empty if they cannot be read."""
    try:
        return "\n\n".join(map(plain_text, summary_tables(load_summary(folder))))
    except ResultsError:
        return ""
