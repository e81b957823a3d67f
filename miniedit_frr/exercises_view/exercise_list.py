"""File > Exercises: lists the exercises of the program, of a folder, or of a packed file, and starts them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tkinter import filedialog

from frrlib.errors import LabError
from frrlib.exercises.exercise import Exercise, exercises_below, load
from frrlib.exercises.packed import SUFFIX
from frrlib.exercises.running import begin_or_continue, last_student, work_of
from frrlib.exercises.work import Work
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.exercises_view.cards_window import Card, CardActions, CardsWindow, Progress
from miniedit_frr.exercises_view.views import possible_points, total_points
from miniedit_frr.widgets.worker import Worker

_FILE_TYPES = (("Exercises", f"*{SUFFIX}"), ("All files", "*"))


class ExerciseList:
    """Opens the list of exercises.

    Args:
        main: the Tk window.
        shipped, works: the folders with the program's exercises, and with the works of all students of this user.
        open_work: opens the drawing of a work; returns whether it is open.

    Attributes:
        window: the list; None before it was opened.
        started: the exercises that were started from the list, by name.
    """

    def __init__(self, main: MainWindow, shipped: Path, works: Path, open_work: Callable[[Work], bool]) -> None:
        self._main, self._shipped, self._works, self._open_work = main, shipped, works, open_work
        self.window: CardsWindow | None = None
        self.started: dict[str, Exercise] = {}

    def open(self, source: Path | None = None) -> None:
        """Show the list.

        Args:
            source: a folder with exercises, an exercise, or a packed exercise; None for those of the program, or for
                those that an open list shows.
        """
        if self.window is not None and self.window.winfo_exists():
            self.window.lift()
            if source is not None:
                self._list(source)
            return
        actions = CardActions(self._progress, self._start, self._choose_folder, self._choose_file)
        self.window = CardsWindow(self._main.root, actions, self._main.ui, self._main.theme)
        name, student = last_student(self._works)
        self.window.name.set(name)
        self.window.student.set(student)
        self._list(source or self._shipped)

    def set_theme(self) -> None:
        """Show the list in the new theme."""
        if self.window is not None and self.window.winfo_exists():
            self.window.color(self._main.theme)

    def _list(self, source: Path) -> None:
        window = self.window
        assert window is not None
        shown = None if source == self._shipped else source

        def failed(error: Exception) -> None:
            window.fault.set(f"{error}. The list stays as it is.")

        def show(cards: list[Card]) -> None:
            window.fault.set("")
            window.show(cards, shown)

        Worker(window).do("exercises", partial(cards_of, source), show, failed)

    def _choose_folder(self) -> None:
        answer = filedialog.askdirectory(parent=self.window, title="Folder with exercises", mustexist=True)
        if answer:
            self._list(Path(answer))

    def _choose_file(self) -> None:
        answer = filedialog.askopenfilename(parent=self.window, title="Packed exercise", filetypes=_FILE_TYPES)
        if answer:
            self._list(Path(answer))

    def _progress(self, exercise: Exercise, student: str) -> Progress | None:
        work = work_of(self._works, exercise, student)
        if work is None:
            return None
        return Progress(total_points(work), possible_points(exercise), work.current is None)

    def _start(self, exercise: Exercise, student: str, name: str) -> str:
        """Open the drawing of a student's work. Returns why not; empty if it is open."""
        try:
            work = begin_or_continue(self._works, exercise, student, name)
        except (LabError, OSError) as error:
            return f"{error}."
        self.started[exercise.name] = exercise
        return "" if self._open_work(work) else "The drawing was not opened."


def cards_of(source: Path) -> list[Card]:
    """The cards of the exercises in a folder, or of the exercise that it is. A file is a packed exercise.

    Raises:
        LabError: there is no readable exercise; the message describes the only one.
    """
    exercises = exercises_below(source) or [load(source)]
    cards = []
    for exercise in exercises:
        try:
            cards.append(Card(exercise, exercise.of_student("example").start()))
        except LabError:
            if len(exercises) == 1:
                raise
            continue  # `exercise test` describes the problem
    return cards
