"""The run browser: connects its window with the runs on disk, the Runs panel and the `plot` command."""

from __future__ import annotations

import queue
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tkinter import filedialog
from typing import TYPE_CHECKING

import platformdirs

from frrlib.results import layout
from frrlib.results.cards import RunCard, card, save_notes, search_cards
from frrlib.results.layout import ResultsError
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.runs.browser_window import LARGE, SMALL, RunActions, RunBrowser, RunEntry
from miniedit_frr.runs.collector import RunCollector, RunDifferences, RunPictures, comparison_key, reason_of_failure
from miniedit_frr.runs.figure_saver import FigureDrawing
from miniedit_frr.runs.figure_window import FigureWindow
from miniedit_frr.runs.list_panel import RunRow
from miniedit_frr.user.paths import program_argv, short_path
from miniedit_frr.widgets.deferred import DeferredCall

if TYPE_CHECKING:
    from miniedit_frr.runs.controller import RunController

#: Figures that compare runs, by their names on the command line and in `_WITH_OPTIONS`.
KINDS = {
    "overlay": "Overlaid Runs", "aligned": "Overlaid Runs, Aligned at Flow Starts",
    "cdf": "Distribution of RTT", "box": "Box Plots of RTT", "violin": "Density of RTT", "bar": "Bars of Goodput",
    "scatter": "Goodput against Delay", "line": "Goodput over a Varied Field", "heat": "Map over Two Fields",
    "phases": "States of BBR of One Run", "inflight": "Data in Flight of One Run",
    "sequence": "Sequence Numbers of One Run", "shares": "Shares of One Run",
    "routing": "Routing and Transport of One Run",
}  # fmt: skip
#: Further figures: their names on the command line, with options.
_WITH_OPTIONS = {"aligned": ("overlay", "--align", "start")}
#: The number of figures of several runs that are kept in the cache.
_KEPT_COMPARISONS = 50
_POLL_MS = 80
#: Number of events that are handled before the window may do something else.
_AT_ONCE = 50


class RunBrowserController:
    """Opens the browser, and carries out its actions.

    Args:
        runs: the Runs panel, which also has the default folder of runs.
    """

    def __init__(self, main: MainWindow, open_file: Callable[[Path], object], runs: RunController) -> None:
        self._main, self._open_file, self._runs = main, open_file, runs
        self._below: Path | None = None
        self._cards: dict[str, RunCard] = {}
        self._differences: dict[str, str] = {}
        self._forgotten: set[str] = set()
        self._collector: RunCollector | None = None
        self._jobs: list[tuple[subprocess.Popen[str], Callable[[], object]]] = []
        self._polling: DeferredCall | None = None
        self.window: RunBrowser | None = None

    def open(self) -> None:
        """Show the browser, and search for runs."""
        if self.window is None or not self.window.winfo_exists():
            actions = RunActions(
                search=lambda words: self._list(), choose_folder=self._choose_folder, again=self.again,
                keep_notes=self._keep_notes, figure=self._row_action(self._runs.show_figure),
                verdict=self._row_action(self._runs.show_verdict), drawing=self._open_drawing,
                open_folder=self._row_action(self._runs.open_folder), forget=self._forget, report=self._report,
                replay=self._replay, compare=self._compare, kinds=KINDS,
            )  # fmt: skip
            self.window = RunBrowser(self._main.root, actions, self._main.ui, self._main.theme)
            self._polling = DeferredCall(self.window, self._poll)
        self.window.lift()
        self.again()

    def again(self) -> None:
        """Search for runs again."""
        if self._collector is not None:
            self._collector.stop()
        self._cards, self._differences = {}, {}
        ui = self._main.ui
        small, large = ((round(size[0] * ui), round(size[1] * ui)) for size in (SMALL, LARGE))
        listed = [Path(row.folder) for row in self._runs.rows]
        self._collector = RunCollector([self._below or self._runs.base()], listed, self._cache(), small, large)
        if self.window is not None:
            self.window.say("searching for runs …")
        if self._polling is not None:
            self._polling.soon(_POLL_MS)

    def set_theme(self) -> None:
        """Show the window in the new theme."""
        if self.window is not None and self.window.winfo_exists():
            self.window.colour(self._main.theme)

    # --- events of the thread ---

    def _poll(self) -> None:
        goes_on = self._handle_events() | self._handle_finished_jobs()
        if goes_on and self._polling is not None:
            self._polling.soon(_POLL_MS)

    def _handle_events(self) -> bool:
        """Show the thread's events; returns whether more may follow."""
        collector, window = self._collector, self.window
        if collector is None or window is None:
            return False
        for _ in range(_AT_ONCE):
            try:
                event = collector.news.get_nowait()
            except queue.Empty:
                return True
            if isinstance(event, RunPictures):
                window.picture(str(event.folder), event.small, event.large)
            elif isinstance(event, RunDifferences):
                self._differences |= event.labels
                self._list()
            elif isinstance(event, RunCard):
                self._cards[str(event.folder)] = event
            elif event.is_over:
                self._collector = None
                return False
            else:
                self._list()
        return True

    def _list(self) -> None:
        if self.window is None:
            return
        runs = [run for folder, run in self._cards.items() if folder not in self._forgotten]
        matches = sorted(search_cards(runs, self.window.query.get()), key=lambda run: run.started, reverse=True)
        of = f" of {len(runs)}" if len(matches) != len(runs) else ""
        noun = "run" if len(runs) == 1 else "runs"
        below = (self._below or self._runs.base()).resolve()
        elsewhere = sum(below not in run.folder.resolve().parents for run in matches)
        where = f"below {self._below_text()}" + (f"; {elsewhere} of them elsewhere" if elsewhere else "")
        self.window.show([self._entry_of(run) for run in matches], f"{len(matches)}{of} {noun}, {where}")

    def _entry_of(self, run: RunCard) -> RunEntry:
        return replace(entry_of(run), differences=self._differences.get(str(run.folder), ""))

    def _below_text(self) -> str:
        return short_path(self._below or self._runs.base())

    def _cache(self) -> Path:
        return Path(platformdirs.user_cache_dir("miniedit-frr")) / "figures"

    # --- actions of the buttons ---

    def _row_action(self, action: Callable[[RunRow], object]) -> Callable[[str], object]:
        def act(folder: str) -> None:
            run = self._cards[folder]
            action(RunRow(_when(run), run.title, run.place, run.outcome, folder))

        return act

    def _choose_folder(self) -> None:
        folder = filedialog.askdirectory(
            parent=self.window,
            title="Search for runs below",
            initialdir=str(self._below or self._runs.base()),
            mustexist=True,
        )
        if folder:
            self.look_below(Path(folder))

    def look_below(self, folder: Path) -> None:
        """List the runs below another folder."""
        self._below = folder
        self.again()

    def _keep_notes(self, folder: str, text: str) -> None:
        try:
            save_notes(Path(folder), text)
        except ResultsError as error:
            self._main.say(str(error))
            return
        self._cards[folder] = card(Path(folder))
        if self.window is not None:
            self.window.update_entry(self._entry_of(self._cards[folder]))

    def _open_drawing(self, folder: str) -> None:
        """Open the topology of a run as a new document, so that the run's own copy is never overwritten."""
        path = Path(folder) / layout.TOPOLOGY
        if not path.is_file() or not path.stat().st_size:
            self._main.say(f"{folder} contains no drawing.")
            return
        self._open_file(path)

    def _forget(self, folder: str) -> None:
        self._forgotten.add(folder)
        for row in [row for row in self._runs.rows if row.folder == folder]:
            self._runs.forget(row)
        self._main.say(f"The run was removed from the list. Its folder is kept: {folder}")
        self._list()

    def _compare(self, kind: str, folders: Sequence[str]) -> None:
        name, *options = _WITH_OPTIONS.get(kind, (kind,))
        drawing = FigureDrawing(tuple(map(Path, folders)), name, tuple(options))
        # Each comparison has a file of its own, because several may be drawn and displayed at once.
        to = self._cache() / f"compared-{kind}-{comparison_key(drawing.folders)}.png"
        to.parent.mkdir(parents=True, exist_ok=True)
        _remove_oldest(to.parent, _KEPT_COMPARISONS - 1)
        self._run(drawing.command(to), "drawing …", partial(self._show, kind, to, drawing))

    def _show(self, kind: str, picture: Path, drawing: FigureDrawing) -> None:
        folders = [str(folder) for folder in drawing.folders]
        many = f"{len(folders)} runs" if len(folders) > 1 else self._cards[folders[0]].title
        row = RunRow("", many, "", "", str(picture.parent))
        FigureWindow(
            self._main.root, f"{KINDS[kind]}: {many}", picture, lambda: self._runs.open_folder(row),
            partial(self._runs.figure_saver.save, drawing), self._main.ui,
        )  # fmt: skip

    def _report(self, folders: Sequence[str]) -> None:
        if file := self._page_name("Report", "report.html"):
            self.report_into(folders, Path(file))

    def _replay(self, folder: str) -> None:
        if file := self._page_name("Replay", f"{Path(folder).name}.html"):
            self.replay_into(folder, Path(file))

    def _page_name(self, title: str, suggested: str) -> str:
        """The name of a new web page, which a dialog asks for; empty if it was canceled."""
        return filedialog.asksaveasfilename(
            parent=self.window, title=title, defaultextension=".html", filetypes=(("Web pages", "*.html"),),
            initialfile=suggested,
        )  # fmt: skip

    def replay_into(self, folder: str, file: Path) -> None:
        """Write a page that replays a run into a file."""
        command = [*program_argv(), "export", folder, "--to", "html", "--out", str(file), "--overwrite"]
        self._run(command, "writing the replay …", lambda: self._main.say(f"The replay is {file}."))

    def report_into(self, folders: Sequence[str], file: Path) -> None:
        """Write a report on these runs into a file."""
        command = [*program_argv(), "report", *folders, "--out", str(file), "--overwrite"]
        self._run(command, "writing the report …", lambda: self._main.say(f"The report is {file}."))

    def _run(self, command: Sequence[str], meanwhile: str, then: Callable[[], object]) -> None:
        """Run a command of this program in a process, and report its errors."""
        if self.window is not None:
            self.window.say(meanwhile)
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        self._jobs.append((process, then))
        if self._polling is not None:
            self._polling.soon(_POLL_MS)

    def _handle_finished_jobs(self) -> bool:
        """Handle the commands that have ended; returns whether others still run."""
        ended = [job for job in self._jobs if job[0].poll() is not None]
        self._jobs = [job for job in self._jobs if job not in ended]
        for process, then in ended:
            errors = process.communicate()[1]
            self._list()
            if process.returncode == 0:
                then()
            else:
                reason = reason_of_failure(errors)
                self._main.say(reason)
                if self.window is not None:
                    self.window.say(reason)
        return bool(self._jobs)


def _remove_oldest(folder: Path, kept: int) -> None:
    """Remove the oldest figures of several runs from a folder, and keep this number of them."""
    times: dict[Path, int] = {}
    for picture in folder.glob("compared-*.png"):
        with suppress(OSError):  # another window may have removed it
            times[picture] = picture.stat().st_mtime_ns
    for picture in sorted(times, key=times.__getitem__, reverse=True)[kept:]:
        with suppress(OSError):
            picture.unlink()


def entry_of(run: RunCard) -> RunEntry:
    """The entry of the window for a card."""
    number = "" if run.goodput_mbit is None else f"{run.goodput_mbit:.2f}"
    many = f"{len(run.flows)} flows" if len(run.flows) != 1 else "1 flow"
    jain = "" if run.jain_index is None else f"; Jain's index {run.jain_index:.2f}"
    facts = (
        f"{run.title}\n{', '.join((_when(run), run.place or 'unknown place', *filter(None, [run.time_kind])))}",
        run.outcome if not run.verdict or run.verdict in run.outcome else f"{run.outcome}, {run.verdict}",
        f"{many}{jain}; {len(run.nodes)} nodes",
        run.folder.name,
    )
    tone = "bad" if run.status in ("failed", "killed") or run.verdict == "not as drawn" else run.verdict
    flows = f"{many}: {', '.join(run.controls)}" if run.controls else many
    return RunEntry(
        str(run.folder), run.title, _when(run), flows, number, run.outcome, facts, run.notes, run.wrong, tone
    )


def _when(run: RunCard) -> str:
    return run.started[:16].replace("T", " ")
