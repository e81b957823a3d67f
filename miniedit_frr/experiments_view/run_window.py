"""The window of an experiment that runs: its progress, and in the end its results."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.experiments_view.process import RunProgress, clock_text
from miniedit_frr.experiments_view.results import ExperimentView, ResultFigure
from miniedit_frr.experiments_view.results_pane import ResultsPane
from miniedit_frr.widgets.aside import add_heading, put_aside
from miniedit_frr.widgets.list_parts import AutoScrollbar

#: The size of the lines and of the results, in units, if the screen is large enough.
_SIZE = (1180, 520)
#: The size of the window's other parts and of the space around the window, in units.
_AROUND = (80, 250)


@dataclass(frozen=True)
class RunActions:
    """The actions of the window's buttons.

    Attributes:
        stop: stops the runs; also called when the window is closed.
        again: runs the same experiment again, which repeats no finished run.
        open_folder: opens the folder of the results.
        enlarge: shows a figure in a window of its own.
    """

    stop: Callable[[], object]
    again: Callable[[], object]
    open_folder: Callable[[], object]
    enlarge: Callable[[ResultFigure], object]


class ExperimentRunWindow(ttk.Toplevel):
    """Shows the progress of a run, and its results. It does not block the windows behind it.

    Attributes:
        results: the page with the results; it is visible after the end.
        text: the lines that the run has printed.
    """

    def __init__(self, parent: tk.Misc, title: str, actions: RunActions, ui: float, theme: Theme) -> None:
        super().__init__(title=title, master=parent)
        put_aside(self, parent)
        self._actions, self._is_running = actions, False
        add_heading(self, title)
        self._build_progress()
        self._build_bar()
        width = min(_SIZE[0] * ui, self.winfo_screenwidth() - _AROUND[0] * ui)
        height = min(_SIZE[1] * ui, self.winfo_screenheight() - _AROUND[1] * ui)
        self.pages = ttk.Notebook(self, width=round(width), height=round(height))
        self.pages.pack(fill="both", expand=True, padx=8)
        self.results = ResultsPane(self.pages, actions.enlarge, ui, theme)
        self._build_lines()
        self.set_theme(theme)
        self.bind("<Escape>", lambda event: self._leave())
        self.bind("<Destroy>", lambda event: actions.stop() if event.widget is self else None)
        self.focus_set()

    # --- parts ---

    def _build_progress(self) -> None:
        line = ttk.Frame(self, padding=(10, 4, 10, 6))
        line.pack(side="top", fill="x")
        self.clock = ttk.Label(line, width=8, anchor="e")
        self.clock.pack(side="right")
        self.bar = ttk.Progressbar(line, maximum=1.0, length=260)
        self.bar.pack(side="right", padx=(10, 0))
        self.message = ttk.Label(line)
        self.message.pack(side="left", fill="x", expand=True)

    def _build_bar(self) -> None:
        bar = ttk.Frame(self, padding=8)
        bar.pack(side="bottom", fill="x")
        self.close_button = ttk.Button(bar, text="Close", command=self.destroy, bootstyle="secondary-outline")
        self.close_button.pack(side="right")
        self.stop_button = ttk.Button(bar, text="Stop", command=self._stop, bootstyle="danger")
        self.stop_button.pack(side="right", padx=8)
        self.again_button = ttk.Button(bar, text="Run Again", command=self._actions.again, bootstyle="primary")
        self.folder_button = ttk.Button(
            bar, text="Open Folder", command=self._actions.open_folder, bootstyle="secondary-outline"
        )
        self.folder_button.pack(side="left")
        self._folder = ttk.Label(bar, padding=(10, 0), bootstyle="secondary")
        self._folder.pack(side="left", fill="x", expand=True)

    def _build_lines(self) -> None:
        self._lines = ttk.Frame(self.pages)
        self.text = tk.Text(
            self._lines, font="TkFixedFont", wrap="word", width=20, height=5, borderwidth=0, highlightthickness=0,
            state="disabled", padx=8, pady=6,
        )  # fmt: skip
        self.text.pack(side="left", fill="both", expand=True)
        AutoScrollbar(self._lines, self.text)
        self.pages.add(self._lines, text="Progress")

    # --- contents ---

    def set_theme(self, theme: Theme) -> None:
        """Show the window in a theme's colors."""
        self.text.configure(background=theme.card, foreground=theme.text)
        self.results.set_theme(theme)

    def begin(self, folder: str) -> None:
        """Show that a run begins, whose results go into a folder."""
        self._is_running = True
        self.text.configure(state="normal")
        self.text.delete("1.0", "end")
        self.text.configure(state="disabled")
        if str(self.results) in self.pages.tabs():
            self.pages.forget(self.results)
        self._folder.configure(text=folder)
        self.again_button.pack_forget()
        self.stop_button.configure(state="normal")
        self.stop_button.pack(side="right", padx=8)
        self.folder_button.configure(state="disabled")
        self.say("Preparing the cases …")
        self.bar.configure(value=0.0)
        self.show_time(0)

    def say(self, text: str, is_wrong: bool = False) -> None:
        """Show a message above the pages."""
        self.message.configure(text=text, bootstyle="danger" if is_wrong else "default")

    def show_time(self, seconds: float) -> None:
        """Show the time since the start."""
        text = clock_text(seconds)
        if str(self.clock.cget("text")) != text:
            self.clock.configure(text=text)

    def show_progress(self, progress: RunProgress, lines: Sequence[str]) -> None:
        """Show the numbers of runs, and new lines of the run."""
        if lines:
            is_at_end = self.text.yview()[1] >= 1.0
            self.text.configure(state="normal")
            self.text.insert("end", "".join(f"{line}\n" for line in lines))
            self.text.configure(state="disabled")
            if is_at_end:
                self.text.see("end")
        if progress.total is None:
            return
        self.bar.configure(value=progress.done / progress.total if progress.total else 1.0)
        if progress.done < progress.total:
            failed = f", {progress.failed} failed" if progress.failed else ""
            # Zero seconds are left by the estimate if a run takes longer than expected.
            left = f"; about {progress.left} left" if progress.left not in ("", "0 s") else ""
            self.say(f"{progress.done} of {progress.total} runs have ended{failed}{left}")
        else:
            self.say(f"All {progress.total} runs have ended. Judging the statements and drawing the figures …")

    def show_reading(self) -> None:
        """Show that the runs have ended, and that their results are being read."""
        self.stop_button.configure(state="disabled")
        self.say("Reading the results …")

    def show_end(self, text: str, is_wrong: bool) -> None:
        """Show that the run has ended in some way. The same run can be started again."""
        self._is_running = False
        self.stop_button.pack_forget()
        self.again_button.pack(side="right", padx=8)
        self.folder_button.configure(state="normal")
        self.say(text, is_wrong)

    def show_results(self, results: ExperimentView) -> None:
        """Show the statements and the figures."""
        self.pages.insert(0, self.results, text="Results")
        self.pages.select(self.results)
        self.results.show(results)

    # --- buttons ---

    def _stop(self) -> None:
        self.stop_button.configure(state="disabled")
        self.say("Stopping the runs …")
        self._actions.stop()

    def _leave(self) -> None:
        """Close the window, but not by accident while the experiment runs."""
        if not self._is_running:
            self.destroy()
