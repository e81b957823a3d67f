"""Sweeps from the window: asks for the options, runs the sweep in a thread, shows its progress and its runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from frrlib.errors import LabError
from frrlib.formats import mn
from frrlib.run.run import RunSettings
from frrlib.sweep.events import RunEnd, RunStart, Tally
from frrlib.sweep.job import ONE
from frrlib.sweep.options import SweepOptions, default_jobs
from frrlib.sweep.pace import Pace, span_text
from frrlib.sweep.plan import SweepPlan, runs_of
from miniedit_frr.editor.parts import Parts
from miniedit_frr.running_lab.consent import Consent
from miniedit_frr.running_lab.places import Places
from miniedit_frr.runs.browser import RunBrowserController
from miniedit_frr.runs.controller import RunController
from miniedit_frr.runs.run_dialog_controller import RunDialogController, virtual_time_obstacle
from miniedit_frr.sweeps.dialog import SweepChoice, SweepDialog
from miniedit_frr.sweeps.texts import paths_of
from miniedit_frr.widgets.worker import Worker

#: The folder of a sweep's runs, below its own.
_RUNS = "runs"
#: Progress of a sweep: the estimate of its duration, which is sent first, and then the events.
_SweepEvent = Pace | RunStart | RunEnd | Tally


class SweepController:
    """One sweep at a time.

    Attributes:
        dialog: the last dialog; None before the first.
        program: the program that carries out a run, see `frrlib.sweep.job.Job`.
    """

    def __init__(
        self,
        parts: Parts,
        places: Places,
        runs: RunController,
        run_browser: RunBrowserController,
        consent: Consent,
        run_dialogs: RunDialogController,
    ) -> None:
        main = self._main = parts.main
        self._document, self._view, self._preferences = parts.document, parts.view, parts.preferences.store
        self._places, self._runs = places, runs
        self._run_browser = run_browser
        self._consent, self._run_dialogs = consent, run_dialogs
        self._worker = Worker(main.root)
        self._stop, self._is_going = threading.Event(), False
        self._tally, self._failure = Tally(0, 0, 0, 0), ""
        self._folder: Path | None = None
        self._pace: Pace | None = None
        #: Called with the folder of a sweep that compares, and the folder of its runs, when all of them have finished.
        self._on_compared: Callable[[Path, Path], object] | None = None
        self.dialog: SweepDialog | None = None
        self.program = ONE

    @property
    def is_going(self) -> bool:
        """Whether a sweep runs, or its runs are being stopped."""
        return self._is_going

    def ask(self, name: str) -> None:
        """Ask for the options of a sweep. `name` is the title of the topology."""
        self._open(name, f"{name} sweep")

    def compare(self, name: str, axis: str, on_compared: Callable[[Path, Path], object]) -> None:
        """Start a sweep over one field with one run of each value, in virtual time if this machine has it.

        Args:
            name: the title of the topology.
            axis: the field and its values, as typed into the dialog.
            on_compared: called with the folder of the sweep and the folder of its runs, when all runs have finished.
        """
        if self._open(name, f"{name} comparison") and self.dialog is not None:
            self._on_compared = on_compared
            self.dialog.start_with(axis)

    def _open(self, name: str, folder_title: str) -> bool:
        """Open the dialog; returns whether it is a new one."""
        topology = self._document.topology
        if self.dialog is not None and self.dialog.winfo_exists():
            self.dialog.lift()
            return False
        if self._is_going:
            self._main.say("The previous sweep is still stopping its runs.")
            return False
        if not topology.flows:
            self._main.say("The drawing has no flows to measure. Draw a flow first.")
            return False
        selected = [key.name for key in self._view.selection]
        folder, self._on_compared = self._runs.next_folder(folder_title), None
        self.dialog = dialog = SweepDialog(
            self._main.root,
            topology,
            paths_of(topology, selected),
            folder,
            self.start,
            self._request_stop,
            self._main.theme,
            self._main.ui,
        )
        if obstacle := virtual_time_obstacle(topology):
            dialog.allow_virtual(obstacle)
        else:
            dialog.allow_virtual(None)
            self._run_dialogs.look_for_virtual(dialog)
        return True

    def set_theme(self) -> None:
        """Show the dialog in the new theme."""
        self._in_dialog(lambda dialog: dialog.colour(self._main.theme))

    def start(self, choice: SweepChoice) -> None:
        """Start the sweep in a thread."""
        if fault := self._document.commit_typed_text():
            self._main.say(f"{fault}. The sweep can start then.")
            return
        if not self._consent.may_run(self._document.topology, self._document.path):
            self._main.say("No runs were started.")
            return
        settings = RunSettings(
            place="auto" if choice.virtual_time else self._places.chosen,
            sample_hz=self._preferences.now.sample_hz, virtual_time=choice.virtual_time,
        )  # fmt: skip
        plan = SweepPlan(mn.dumps(self._document.topology), choice.axes, choice.repeat, choice.seed, settings)
        file = self._document.path
        jobs, folder = choice.jobs or default_jobs(choice.virtual_time), str(file.resolve().parent) if file else ""
        execution = SweepOptions(jobs, choice.scheduler, program=self.program, folder=folder)
        self._stop, self._is_going, self._failure, self._pace = threading.Event(), True, "", None
        self._folder = choice.folder
        work = partial(self._work, plan, choice.folder, execution, self._stop)
        self._worker.do("sweep", work, self._ended, self._fail)

    def _request_stop(self) -> None:
        self._stop.set()

    def _work(self, plan: SweepPlan, out: Path, execution: SweepOptions, stop: threading.Event) -> Tally:
        """In the thread: check all combinations and the machine, and then carry out the runs."""

        def tell(news: _SweepEvent) -> None:
            self._worker.call(lambda: self._handle(news))

        runs = runs_of(plan)
        tell(Pace(runs, None if execution.scheduler else execution.jobs))
        if self.program == ONE and not execution.scheduler:
            plan.settings.lab(runs[0].topology, Path(execution.folder) if execution.folder else None)
        tell(Tally(0, 0, len(runs), 0))
        from frrlib.sweep.execution import run_sweep  # Dask takes a second to import

        return run_sweep(plan, runs, out, execution, tell, stop)

    def _handle(self, event: _SweepEvent) -> None:
        if self._pace is not None and isinstance(event, RunStart | RunEnd | Tally):
            self._pace.take(event)
        match event:
            case Pace():
                self._pace = event
            case Tally():
                self._tally = event
            case RunEnd(run=run, report=report):
                is_success, previous = report.status == "finished", self._tally
                self._tally = Tally(
                    previous.finished + is_success,
                    previous.failed + (not is_success),
                    max(0, previous.remaining - 1),
                    previous.earlier,
                )
                name = f"{run.label}, repetition {run.repetition}"
                if not is_success:
                    self._failure = f"\n{name}: {'; '.join(report.failures)}"
                elif report.left_out:
                    self._failure = f"\n{name}: not stored: {'; '.join(report.left_out)}"
        if not self._stop.is_set():
            self._show_progress()

    def _show_progress(self) -> None:
        tally, total = self._tally, self._tally.finished + self._tally.failed + self._tally.remaining
        if total:
            remaining = f", {span_text(self._pace.left_s)} left" if self._pace is not None and tally.remaining else ""
            words = f"{tally.finished} of {total} runs finished, {tally.failed} failed{remaining}{self._failure}"
            self._in_dialog(lambda dialog: dialog.progress((tally.finished + tally.failed) / total, words))

    def _ended(self, tally: Tally) -> None:
        table = f"results: {self._folder}/table.csv"
        self._finish(
            f"{tally.finished} finished, {tally.failed} failed, {tally.remaining} left; {table}", bool(tally.failed)
        )

    def _fail(self, error: Exception) -> None:
        is_expected = isinstance(error, LabError | OSError)
        self._finish(str(error) if is_expected else f"the sweep failed: {type(error).__name__}: {error}", True)

    def _finish(self, words: str, is_wrong: bool) -> None:
        self._is_going = False
        self._main.say(f"The sweep has ended: {words}")
        self._in_dialog(lambda dialog: dialog.over(f"{words}{self._failure}", is_wrong))
        on_compared, self._on_compared = self._on_compared, None
        if on_compared is not None and not is_wrong and not self._stop.is_set() and self._folder is not None:
            self._in_dialog(lambda dialog: dialog.destroy())
            on_compared(self._folder, self._folder / _RUNS)
        elif self._tally.finished and self._folder is not None:
            self._run_browser.open()
            self._run_browser.look_below(self._folder / _RUNS)

    def _in_dialog(self, action: Callable[[SweepDialog], object]) -> None:
        if self.dialog is not None and self.dialog.winfo_exists():
            action(self.dialog)
