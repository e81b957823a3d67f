"""Runs an experiment in a process, and shows its progress and its results in a window."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PIL import Image

from frrlib.errors import LabError
from frrlib.system.atomic_files import replaced
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.experiments_view.process import ExperimentOrder, ExperimentProcess
from miniedit_frr.experiments_view.results import ExperimentView, ResultFigure, load_results
from miniedit_frr.experiments_view.run_window import ExperimentRunWindow, RunActions
from miniedit_frr.runs.figure_window import FigureWindow
from miniedit_frr.user.paths import program_argv, short_path
from miniedit_frr.widgets.deferred import DeferredCall
from miniedit_frr.widgets.worker import Worker

_POLL_MS = 150


class ExperimentRuns:
    """One run at a time.

    Attributes:
        window: the window of the last run; None before the first.
        program: the beginning of the command that starts this program.

    Args:
        open_folder: opens a folder in the file manager.
    """

    def __init__(self, main: MainWindow, open_folder: Callable[[Path], object]) -> None:
        self._main, self._open_folder = main, open_folder
        self._process: ExperimentProcess | None = None
        self._order: ExperimentOrder | None = None
        self._shown_count = 0
        # The timer belongs to the main window: a process that was stopped may end later than its window.
        self._polling = DeferredCall(main.root, self._poll)
        self.window: ExperimentRunWindow | None = None
        self.program = program_argv()

    @property
    def is_running(self) -> bool:
        """Whether an experiment runs, or its runs are being stopped."""
        return self._process is not None

    def start(self, order: ExperimentOrder) -> None:
        """Run an experiment, unless one runs."""
        if self._process is not None:
            name = self._order.name if self._order is not None else ""
            if self.window is not None and self.window.winfo_exists():
                self.window.lift()
            self._main.say(f"{name} is still running. Wait for its end, or stop it.")
            return
        if self.window is not None and self.window.winfo_exists():
            self.window.destroy()
        self._order = order
        mode = "quick run" if order.is_quick else "full run"
        time_words = "virtual time" if order.virtual_time else "real time"
        actions = RunActions(
            self.stop, partial(self._begin, order), partial(self._open_folder, order.folder), self._enlarge
        )
        title = f"{order.name}: {order.title} ({mode}, {time_words})"
        self.window = ExperimentRunWindow(self._main.root, title, actions, self._main.ui, self._main.theme)
        self._begin(order)

    def stop(self) -> None:
        """Stop the run. Its finished runs are kept."""
        if self._process is not None:
            self._process.stop()

    def set_theme(self) -> None:
        """Show the window in the new theme."""
        if self.window is not None and self.window.winfo_exists():
            self.window.set_theme(self._main.theme)

    def _begin(self, order: ExperimentOrder) -> None:
        window = self.window
        if window is None or self._process is not None:
            return
        window.begin(short_path(order.folder))
        self._shown_count = 0
        try:
            self._process = ExperimentProcess(order.command(self.program))
        except OSError as error:
            window.show_end(f"The program cannot be started: {error.strerror or error}.", True)
            return
        self._polling.soon(_POLL_MS)

    # --- progress ---

    def _poll(self) -> None:
        process, window = self._process, self.window
        if process is None or window is None:
            return
        is_running = process.poll()
        if window.winfo_exists():
            self._show_progress(process, window)
        if is_running:
            self._polling.soon(_POLL_MS)
            return
        self._process = None
        self._finish(process, window)

    def _show_progress(self, process: ExperimentProcess, window: ExperimentRunWindow) -> None:
        window.show_time(process.seconds)
        new_lines = process.lines[self._shown_count :]
        self._shown_count = len(process.lines)
        if new_lines and not process.is_stopped:
            window.show_progress(process.progress, new_lines)

    def _finish(self, process: ExperimentProcess, window: ExperimentRunWindow) -> None:
        order = self._order
        assert order is not None
        text, is_wrong = _end_text(process)
        self._main.say(f"{order.name}: {text}")
        if not window.winfo_exists():
            return
        if not process.has_verdict:
            window.show_end(text, is_wrong)
            return
        window.show_reading()
        show, show_error = partial(self._show, window, text, is_wrong), partial(self._show_error, window)
        Worker(window).do("experiment results", partial(load_results, order.name, order.folder), show, show_error)

    def _show(self, window: ExperimentRunWindow, text: str, is_wrong: bool, results: ExperimentView) -> None:
        window.show_end(text, is_wrong)
        window.show_results(results)

    def _show_error(self, window: ExperimentRunWindow, error: Exception) -> None:
        if not isinstance(error, LabError | OSError):
            raise error
        window.show_end(f"The results cannot be read: {error}.", True)

    def _enlarge(self, figure: ResultFigure) -> None:
        open_folder = partial(self._open_folder, figure.path.parent)
        try:
            FigureWindow(
                self._main.root,
                figure.about,
                figure.path,
                open_folder,
                partial(save_figure, figure.path),
                self._main.ui,
            )
        except OSError as error:
            self._main.say(f"The figure cannot be read: {error}.")


def save_figure(figure: Path, shown: Image.Image, to: Path, report: Callable[[str], object]) -> None:
    """Copy a figure into a file. The folder of the experiment has it in each format in which it was drawn.

    Args:
        figure: its file in one of these formats.
        shown: the picture in the window, which is not used.
        to: the file; its suffix selects the format.
        report: called with a message on the result.
    """
    source = figure.with_suffix(to.suffix.lower())
    if not source.is_file():
        formats = " or ".join(sorted(path.suffix[1:].upper() for path in figure.parent.glob(f"{figure.stem}.*")))
        report(f"The figure was drawn as {formats} only.")
        return
    try:
        with replaced(to) as beside:
            shutil.copyfile(source, beside)
    except OSError as error:
        report(f"{to.name} cannot be saved: {error.strerror}")
    else:
        report(f"Saved to {to.name}.")


def _end_text(process: ExperimentProcess) -> tuple[str, bool]:
    """A sentence about the end of a run, and whether something went wrong."""
    progress = process.progress
    if process.has_verdict:
        if progress.failed:
            return f"{progress.failed} of {progress.total} runs failed; Progress has the reasons.", True
        return f"The experiment has ended; {_count(progress.total or 0)} finished.", False
    if process.is_stopped:
        kept = f"{_count(progress.done - progress.failed)} finished and kept"
        return f"Stopped; {kept}. Run Again continues.", False
    if process.error:
        return process.error, True
    return f"The program ended with status {process.process.returncode}; Progress shows its messages.", True


def _count(count: int) -> str:
    return f"{count} {'run' if count == 1 else 'runs'}"
