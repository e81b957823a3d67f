"""File > Make Exercise: reads two topologies, tries their differences in labs, and writes an exercise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from tkinter import filedialog

from frrlib.errors import LabError
from frrlib.exchange import opening
from frrlib.exercises.evaluation import LabStarter, Outcome, lab_starter
from frrlib.exercises.exercise import FILE
from frrlib.exercises.making.candidate import Candidate
from frrlib.exercises.making.candidates import candidate_checks
from frrlib.exercises.making.verification import CandidateResult, Side, has_virtual_time, verify
from frrlib.exercises.making.writing import PAGE, write_exercise
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from miniedit_frr.editor.parts import Parts
from miniedit_frr.exercises_view.background_check import CheckCanceled
from miniedit_frr.exercises_view.lab_needs import LabNeeds
from miniedit_frr.exercises_view.make_window import DRAWING, MakeActions, MakeExerciseWindow
from miniedit_frr.widgets.worker import Worker

#: Makes a starter of labs in a place; it calls the function with each lab before its start.
MakeStarter = Callable[[str, Callable[[Lab], object]], LabStarter]


@dataclass(frozen=True)
class _Source:
    """The sources of the two topologies: the files as typed, and the drawing if it is the solution."""

    start: str
    solution: str
    drawing: Topology | None


@dataclass(frozen=True)
class _Reading:
    """Two topologies and their candidates."""

    source: _Source
    start: Topology
    solution: Topology
    candidates: tuple[Candidate, ...]


def usual_starter(place: str, on_lab: Callable[[Lab], object]) -> LabStarter:
    """A starter of real labs, in virtual time if this machine has it."""
    return lab_starter(place, virtual_time=has_virtual_time(place, None), on_lab=on_lab)


class ExerciseMaker:
    """Opens the window, and carries out what it asks for. Files are read and written in threads.

    Attributes:
        window: the window; None before it was opened.
        make_starter: makes the starter of labs.
        is_trying: whether labs run.
    """

    def __init__(self, parts: Parts, lab: LabNeeds) -> None:
        self._main, self._document, self._lab_needs = parts.main, parts.document, lab
        self.window: MakeExerciseWindow | None = None
        self.make_starter: MakeStarter = usual_starter
        self.is_trying = False
        self._reading: _Reading | None = None
        self._canceled = Event()
        self._lab: Lab | None = None
        self._done = 0

    def open(self) -> None:
        """Show the window, with the open drawing as the solution."""
        if self.window is not None and self.window.winfo_exists():
            self.window.lift()
            return
        actions = MakeActions(self._choose, self._read, self._try, self._make, self._leave)
        self.window = window = MakeExerciseWindow(self._main.root, actions, self._main.ui, self._main.theme)
        self._reading = None
        path = self._document.path
        title = self._document.topology.title or (path.stem if path is not None else "My exercise")
        folder = (path.parent / f"{path.stem}-exercise") if path is not None else Path.home() / "my-exercise"
        for name, text in (("title", title), ("start", ""), ("solution", DRAWING), ("folder", str(folder))):
            window.fields[name].set(text)
        window.say("Choose the network that students start with.")

    # --- the topologies ---

    def _choose(self, name: str) -> None:
        window = self.window
        assert window is not None
        if name == "folder":
            answer = filedialog.askdirectory(parent=window, title="New folder of the exercise")
        else:
            kinds = (("Topologies", opening.PATTERNS), ("All files", "*"))
            answer = filedialog.askopenfilename(parent=window, title=f"Network of the {name}", filetypes=kinds)
        if answer:
            window.fields[name].set(answer)
            if name != "folder":
                self._read()

    def _source(self) -> _Source:
        assert self.window is not None
        start, solution = (self.window.fields[name].get().strip() for name in ("start", "solution"))
        is_drawing = solution in ("", DRAWING)
        return _Source(start, DRAWING if is_drawing else solution, self._document.topology if is_drawing else None)

    def _read(self, then: Callable[[_Reading], object] = lambda reading: None) -> None:
        """Read the topologies if they have changed, show the candidates, and go on."""
        window = self.window
        assert window is not None
        source = self._source()
        if self._reading is not None and self._reading.source == source:
            then(self._reading)
            return
        if not source.start:
            return
        if self.is_trying:
            self._cancel()

        def show(reading: _Reading) -> None:
            self._reading = reading
            window.refuse("" if reading.candidates else "Start and solution do not differ in anything that students "
                          "can change: addresses, default routes and routing. Choose another file.")  # fmt: skip
            window.candidates.show(reading.candidates)
            window.show_points()
            if reading.candidates:
                then(reading)

        def failed(error: Exception) -> None:
            self._reading = None
            window.candidates.show(())
            window.show_points()
            window.refuse(_sentence(error))

        Worker(window).do("candidates", partial(_read_both, source), show, failed)

    def _need(self, then: Callable[[_Reading], object]) -> None:
        """Go on with the topologies as they are now, or say what is missing."""
        assert self.window is not None
        self.window.refuse("")
        if not self.window.fields["start"].get().strip():
            self.window.refuse("The start is missing: choose the file with the network that students start with.")
            self.window.entries["start"].focus_set()
            return
        self._read(then)

    # --- labs ---

    def _try(self) -> None:
        if self.is_trying:
            self._cancel()
        else:
            self._need(self._start_labs)

    def _start_labs(self, reading: _Reading) -> None:
        window = self.window
        assert window is not None
        if not self._lab_needs.may_run(reading.start, Path(reading.source.start)):
            window.refuse("The labs were not started.")
            return
        self.is_trying, self._done, self._lab = True, 0, None
        self._canceled.clear()
        total = 2 * len(reading.candidates)
        worker = Worker(window)

        def advance(side: Side) -> None:
            self._done += 1
            window.show_trying(self._done, total)
            window.say(f"Trying the checks in a lab of the {side}. Escape cancels.")

        def report(side: Side, outcome: Outcome) -> None:
            worker.call(partial(advance, side))

        def work() -> tuple[CandidateResult, ...]:
            try:
                starter = self.make_starter(self._lab_needs.place(), self._watch)
                return verify(
                    reading.start, reading.solution, reading.candidates, starter, report, self._refuse_canceled
                )
            except KeyboardInterrupt:  # the interrupted lab
                raise CheckCanceled from None

        window.show_trying(0, total)
        window.say("Starting a lab of the solution. Escape cancels.")
        worker.do("exercise candidates", work, partial(self._tried, reading), self._try_failed)

    def _watch(self, lab: Lab) -> None:
        self._refuse_canceled()
        self._lab = lab

    def _refuse_canceled(self) -> None:
        if self._canceled.is_set():
            raise CheckCanceled

    def _cancel(self) -> None:
        if self.is_trying and not self._canceled.is_set():
            self._canceled.set()
            if self._lab is not None:
                self._lab.interrupt(hard=True)
            if self.window is not None and self.window.winfo_exists():
                self.window.say("Canceling …")

    def _tried(self, reading: _Reading, verified: tuple[CandidateResult, ...]) -> None:
        assert self.window is not None
        self.is_trying = False
        self.window.show_trying(None, 0)
        if self._reading is not reading:
            return
        self.window.candidates.mark(verified)
        others = sum(not result.is_useful for result in verified)
        self.window.show_points(
            f"{others} of {len(verified)} do not tell the solution from the start, and are not ticked." if others
            else "All hold in the solution and fail at the start."
        )  # fmt: skip

    def _try_failed(self, error: Exception) -> None:
        assert self.window is not None
        self.is_trying = False
        self.window.show_trying(None, 0)
        self.window.show_points()
        if not isinstance(error, CheckCanceled):
            self.window.refuse(_sentence(error))

    # --- the exercise ---

    def _make(self) -> None:
        self._need(self._write)

    def _write(self, reading: _Reading) -> None:
        window = self.window
        assert window is not None
        checks, folder = window.candidates.ticked, Path(window.fields["folder"].get().strip()).expanduser()
        title = window.fields["title"].get().strip()
        for check in checks:
            result = window.candidates.result(check.id)
            if result is not None and not result.in_solution.holds:
                window.refuse(f'"{check.title}" does not hold in the solution: untick it.')
                return
        for name, text in (("title", title), ("folder", window.fields["folder"].get().strip())):
            if not text:
                window.refuse(f"The {name} is missing.")
                window.entries[name].focus_set()
                return
        was_tried = any(window.candidates.result(check.id) for check in checks)

        def done(_: object) -> None:
            ending = "" if was_tried else " It was not tried: run `miniedit-frr exercise test`."
            window.say(f"{folder.name} was written. Complete {PAGE} and {FILE} in it.{ending}")
            self._main.say(f"The exercise was written into {folder}.{ending}")

        Worker(window).do(
            "make exercise",
            lambda: write_exercise(folder, title, reading.start, reading.solution, checks),
            done,
            lambda error: window.refuse(_sentence(error)),
        )

    def _leave(self) -> bool:
        if self.is_trying:
            is_first = not self._canceled.is_set()
            self._cancel()
            return not is_first
        return True

    def close(self) -> None:
        """End the labs, since the main window closes."""
        self._cancel()


def _read_both(source: _Source) -> _Reading:
    """Both topologies with their candidates. Raises LabError."""
    start = opening.load(Path(source.start).expanduser()).topology
    solution = source.drawing
    if solution is None:
        solution = opening.load(Path(source.solution).expanduser()).topology
    return _Reading(source, start, solution, candidate_checks(start, solution))


def _sentence(error: Exception) -> str:
    """The message of an expected error as a sentence. A name at its start keeps its letters."""
    if not isinstance(error, LabError | OSError):
        raise error
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}." if text.partition(" ")[0].isalpha() else f"{text}."
