"""The run browser: joins its window with the runs on disk, the Runs panel and the command that draws."""

from __future__ import annotations

import queue
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tkinter import filedialog
from typing import TYPE_CHECKING

import platformdirs

from frrlib.results import layout
from frrlib.results.cards import RunCard, card, matching, save_notes
from frrlib.results.layout import ResultsError
from miniedit_frr.editor.parts import Parts
from miniedit_frr.runs.browser_window import LARGE, SMALL, RunActions, RunBrowser, RunEntry
from miniedit_frr.runs.collector import RunCollector, RunPictures, plot_command
from miniedit_frr.runs.figure_window import FigureWindow
from miniedit_frr.runs.list_panel import RunRow
from miniedit_frr.user.paths import short
from miniedit_frr.widgets.deferred import Later

if TYPE_CHECKING:
    from miniedit_frr.runs.controller import RunController

#: Figures that runs can be compared by, by the command line's names and those of `_WITH_OPTIONS`.
KINDS = {
    "overlay": "Overlaid Runs", "aligned": "Overlaid Runs, Aligned at Flow Starts",
    "cdf": "Distribution of RTT", "box": "Box Plots of RTT", "violin": "Density of RTT", "bar": "Bars of Goodput",
    "scatter": "Goodput against Delay", "heat": "Map over Two Fields", "shares": "Shares of One Run",
    "routing": "Routing and Transport of One Run",
}  # fmt: skip
#: Further ones, each by the command line's name and options.
_WITH_OPTIONS = {"aligned": ("overlay", "--align", "start")}
_POLL_MS = 80
#: So many news are taken before the window may do something else.
_AT_ONCE = 50


class RunBrowserController:
    """Opens the browser, and does what it asks for.

    Args:
        runs: the Runs panel; it also knows the folder below which runs usually are.
    """

    def __init__(self, parts: Parts, runs: RunController) -> None:
        self._parts, self._runs = parts, runs
        self._below: Path | None = None
        self._cards: dict[str, RunCard] = {}
        self._forgotten: set[str] = set()
        self._gathering: RunCollector | None = None
        self._jobs: list[tuple[subprocess.Popen[str], Callable[[], object]]] = []
        self._polling: Later | None = None
        self.window: RunBrowser | None = None

    def open(self) -> None:
        """Show the browser, and look for runs."""
        if self.window is None or not self.window.winfo_exists():
            doings = RunActions(
                search=lambda words: self._list(), choose_folder=self._choose_folder, again=self.again,
                keep_notes=self._keep_notes, figure=self._of_row(self._runs.show_figure),
                verdict=self._of_row(self._runs.show_verdict), drawing=self._open_drawing,
                open_folder=self._of_row(self._runs.open_folder), forget=self._forget, report=self._report,
                compare=self._compare, kinds=KINDS,
            )  # fmt: skip
            self.window = RunBrowser(self._parts.window, doings, self._parts.ui, self._parts.theme)
            self._polling = Later(self.window, self._poll)
        self.window.lift()
        self.again()

    def again(self) -> None:
        """Look for runs anew."""
        if self._gathering is not None:
            self._gathering.stop()
        self._cards = {}
        ui = self._parts.ui
        small, large = ((round(size[0] * ui), round(size[1] * ui)) for size in (SMALL, LARGE))
        known = [Path(row.folder) for row in self._runs.rows]
        self._gathering = RunCollector([self._below or self._runs.base()], known, self._cache(), small, large)
        if self.window is not None:
            self.window.say("searching for runs …")
        if self._polling is not None:
            self._polling.soon(_POLL_MS)

    def set_theme(self) -> None:
        """The theme has changed."""
        if self.window is not None and self.window.winfo_exists():
            self.window.colour(self._parts.theme)

    # --- what comes from the thread ---

    def _poll(self) -> None:
        goes_on = self._take_news() | self._end_jobs()
        if goes_on and self._polling is not None:
            self._polling.soon(_POLL_MS)

    def _take_news(self) -> bool:
        """Show what the thread has found; whether more may come."""
        gathering, window = self._gathering, self.window
        if gathering is None or window is None:
            return False
        for _ in range(_AT_ONCE):
            try:
                news = gathering.news.get_nowait()
            except queue.Empty:
                return True
            if isinstance(news, RunPictures):
                window.picture(str(news.folder), news.small, news.large)
            elif isinstance(news, RunCard):
                self._cards[str(news.folder)] = news
            elif news.is_over:
                self._gathering = None
                return False
            else:
                self._list()
        return True

    def _list(self) -> None:
        if self.window is None:
            return
        there = [each for folder, each in self._cards.items() if folder not in self._forgotten]
        found = sorted(matching(there, self.window.query.get()), key=lambda each: each.started, reverse=True)
        of = f" of {len(there)}" if len(found) != len(there) else ""
        many = "run" if len(there) == 1 else "runs"
        self.window.show([entry_of(each) for each in found], f"{len(found)}{of} {many}, below {self._below_text()}")

    def _below_text(self) -> str:
        return short(self._below or self._runs.base())

    def _cache(self) -> Path:
        return Path(platformdirs.user_cache_dir("miniedit-frr")) / "figures"

    # --- what its buttons do ---

    def _of_row(self, what: Callable[[RunRow], object]) -> Callable[[str], object]:
        def act(folder: str) -> None:
            each = self._cards[folder]
            what(RunRow(_when(each), each.title, each.place, each.outcome, folder))

        return act

    def _choose_folder(self) -> None:
        asked = filedialog.askdirectory(
            parent=self.window,
            title="Search for runs below",
            initialdir=str(self._below or self._runs.base()),
            mustexist=True,
        )
        if asked:
            self.look_below(Path(asked))

    def look_below(self, folder: Path) -> None:
        """List the runs below another folder."""
        self._below = folder
        self.again()

    def _keep_notes(self, folder: str, text: str) -> None:
        try:
            save_notes(Path(folder), text)
        except ResultsError as error:
            self._parts.say(str(error))
            return
        self._cards[folder] = card(Path(folder))
        if self.window is not None:
            self.window.update_entry(entry_of(self._cards[folder]))

    def _open_drawing(self, folder: str) -> None:
        """The drawing of a run, as a beginning: the run's own copy is never written."""
        path = Path(folder) / layout.TOPOLOGY
        if not path.is_file() or not path.stat().st_size:
            self._parts.say(f"{folder} contains no drawing.")
            return
        self._parts.files.begin_with(path)

    def _forget(self, folder: str) -> None:
        self._forgotten.add(folder)
        for row in [row for row in self._runs.rows if row.folder == folder]:
            self._runs.forget(row)
        self._parts.say(f"The run was removed from the list. Its folder is kept: {folder}")
        self._list()

    def _compare(self, kind: str, folders: Sequence[str]) -> None:
        to = self._cache() / f"compared-{kind}.png"
        to.parent.mkdir(parents=True, exist_ok=True)
        name, *options = _WITH_OPTIONS.get(kind, (kind,))
        command = plot_command([Path(folder) for folder in folders], name, to, *options)
        self._run(command, "drawing …", partial(self._show, kind, to, folders))

    def _show(self, kind: str, picture: Path, folders: Sequence[str]) -> None:
        many = f"{len(folders)} runs" if len(folders) > 1 else self._cards[folders[0]].title
        row = RunRow("", many, "", "", str(picture.parent))
        FigureWindow(
            self._parts.window, f"{KINDS[kind]}: {many}", picture, lambda: self._runs.open_folder(row), self._parts.ui
        )

    def _report(self, folders: Sequence[str]) -> None:
        asked = filedialog.asksaveasfilename(
            parent=self.window, title="Report", defaultextension=".html", filetypes=(("Web pages", "*.html"),),
            initialfile="report.html",
        )  # fmt: skip
        if asked:
            self.report_into(folders, Path(asked))

    def report_into(self, folders: Sequence[str], file: Path) -> None:
        """Write a report on these runs into a file."""
        command = [sys.executable, "-m", "miniedit_frr", "report", *folders, "--out", str(file), "--overwrite"]
        self._run(command, "writing the report …", lambda: self._parts.say(f"The report is {file}."))

    def _run(self, command: Sequence[str], meanwhile: str, then: Callable[[], object]) -> None:
        """Run a command of ours beside the window; what it complains of is said."""
        if self.window is not None:
            self.window.say(meanwhile)
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        self._jobs.append((process, then))
        if self._polling is not None:
            self._polling.soon(_POLL_MS)

    def _end_jobs(self) -> bool:
        """Do what follows the commands that have ended; whether others go on."""
        ended = [job for job in self._jobs if job[0].poll() is not None]
        self._jobs = [job for job in self._jobs if job not in ended]
        for process, then in ended:
            said = process.communicate()[1].strip()
            self._list()
            if process.returncode == 0:
                then()
            else:
                why = said.rpartition("miniedit-frr: ")[2].replace("\n", " ")
                self._parts.say(why)
                if self.window is not None:
                    self.window.say(why)
        return bool(self._jobs)


def entry_of(each: RunCard) -> RunEntry:
    """A card as the window shows it."""
    number = "" if each.goodput_mbit is None else f"{each.goodput_mbit:.2f}"
    many = f"{len(each.flows)} flows" if len(each.flows) != 1 else "1 flow"
    jain = "" if each.jain_index is None else f"; Jain's index {each.jain_index:.2f}"
    facts = (
        f"{each.title}\n{_when(each)}, {each.place or 'unknown place'}, {each.outcome}",
        f"{many}{jain}; {len(each.nodes)} nodes",
        each.folder.name,
    )
    tone = "bad" if each.status in ("failed", "killed") or each.verdict == "not as drawn" else each.verdict
    flows = f"{many}: {', '.join(each.controls)}" if each.controls else many
    return RunEntry(
        str(each.folder), each.title, _when(each), flows, number, each.outcome, facts, each.notes, each.wrong, tone
    )


def _when(each: RunCard) -> str:
    return each.started[:16].replace("T", " ")
