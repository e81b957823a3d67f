"""Checks of an exercise in a thread, which can be canceled."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Collection
from functools import partial
from threading import Event

from frrlib.exercises.checking import Adopt, ChapterResults
from frrlib.exercises.evaluation import LabStarter, Outcome, lab_starter
from frrlib.exercises.exercise import Exercise
from frrlib.exercises.experiments import use_virtual_time
from frrlib.exercises.running import check_now
from frrlib.exercises.work import Work
from frrlib.lab.lab import Lab
from miniedit_frr.widgets.worker import Worker

#: Makes a starter of an exercise's labs in a place; it calls the function with each lab before its start.
MakeStarter = Callable[[Exercise, str, Callable[[Lab], object]], LabStarter]


class CheckCanceled(Exception):
    """The user has canceled the checks."""


def usual_starter(exercise: Exercise, place: str, on_lab: Callable[[Lab], object]) -> LabStarter:
    """A starter of real labs."""
    return lab_starter(place, virtual_time=use_virtual_time(exercise, False, place, None), on_lab=on_lab)


class BackgroundCheck:
    """Makes checks, one call after another.

    Attributes:
        is_running: whether checks are made, or their lab ends.
        is_canceled: whether they were canceled.
        make_starter: makes the starter of labs.

    Args:
        widget: the widget whose thread receives the results.
    """

    def __init__(self, widget: tk.Misc) -> None:
        self._worker = Worker(widget)
        self.is_running = False
        self.make_starter: MakeStarter = usual_starter
        self._canceled = Event()
        self._lab: Lab | None = None

    @property
    def is_canceled(self) -> bool:
        """Whether the checks were canceled."""
        return self._canceled.is_set()

    def start(
        self,
        work: Work,
        place: str,
        only: Collection[str],
        on_outcome: Callable[[Outcome], object],
        done: Callable[[ChapterResults], object],
        failed: Callable[[Exception], object],
        adopt: Adopt = Lab.adopt,
    ) -> None:
        """Make the checks of the current chapter. All functions are called in the window's thread.

        Args:
            place: the place of a new lab. The running lab of the work is used if there is one.
            only: ids of the checks to make; empty for all.
            on_outcome: called with each result.
            done: called at the end with all results.
            failed: called instead with an error, which is `CheckCanceled` after `cancel`.
            adopt: as for `check_in_lab`; called in another thread.
        """
        self.is_running, self._lab = True, None
        self._canceled.clear()
        self._worker.do(
            "exercise check",
            partial(self._check, work, place, only, on_outcome, adopt),
            partial(self._end, done),
            partial(self._end, failed),
        )

    def cancel(self) -> None:
        """End the checks, and a lab that was started for them. Returns at once."""
        if self.is_running and not self.is_canceled:
            self._canceled.set()
            if self._lab is not None:
                self._lab.interrupt(hard=True)

    def _check(
        self, work: Work, place: str, only: Collection[str], on_outcome: Callable[[Outcome], object], adopt: Adopt
    ) -> ChapterResults:
        def report(outcome: Outcome) -> None:
            self._worker.call(partial(on_outcome, outcome))

        try:
            starter = self.make_starter(work.exercise.exercise, place, self._watch)
            return check_now(work, starter, report, only=only, before_round=self._refuse_canceled, adopt=adopt)
        except KeyboardInterrupt:  # the interrupted lab
            raise CheckCanceled from None

    def _watch(self, lab: Lab) -> None:
        self._refuse_canceled()
        self._lab = lab

    def _refuse_canceled(self) -> None:
        if self.is_canceled:
            raise CheckCanceled

    def _end(self, function: Callable[..., object], result: object) -> None:
        self.is_running, self._lab = False, None
        function(result)
