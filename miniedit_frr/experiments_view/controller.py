"""File > Experiments: published experiments as drawings to look at, change and run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PIL import Image

from frrlib.model.topology import Topology
from frrlib.picture.thumbnail import picture
from miniedit_frr.editor.parts import Parts
from miniedit_frr.experiments_view.window import CaseRow, ExperimentList, ExperimentRow
from miniedit_frr.widgets.worker import Worker

if TYPE_CHECKING:
    from experiments.declare import Experiment


@dataclass(frozen=True)
class _Found:
    """What the thread has found: the list, and a drawing of every case by the names of experiment and case."""

    rows: tuple[ExperimentRow, ...]
    drawings: dict[tuple[str, str], Topology]


class ExperimentsController:
    """Opens the list of experiments, and puts what is chosen into the window.

    Attributes:
        window: the list; None before it was wanted.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._found: _Found | None = None
        self.window: ExperimentList | None = None

    def open(self) -> None:
        """Show the list. A thread makes it the first time: what experiments draw with is slow to load."""
        if self.window is not None and self.window.winfo_exists():
            self.window.lift()
            return
        self.window = ExperimentList(self._parts.window, self._picture, self._begin, self._parts.ui, self._parts.theme)
        if self._found is not None:
            self.window.show(self._found.rows)
            return
        # Whatever keeps it from being made, the window says it.
        Worker(self.window).do("experiments", _found, self._show, self._say_why)

    def set_theme(self) -> None:
        """The theme has changed."""
        if self.window is not None and self.window.winfo_exists():
            self.window.colour(self._parts.theme)

    def _show(self, found: _Found) -> None:
        assert self.window is not None
        self._found = found
        self.window.show(found.rows)

    def _say_why(self, error: Exception) -> None:
        assert self.window is not None
        self.window.say(f"The experiments cannot be read: {error}")

    def _picture(self, name: str, case: str, width_px: int, height_px: int) -> Image.Image:
        assert self._found is not None
        without_note = self._found.drawings[name, case].model_copy(update={"annotations": ()})
        return picture(without_note, width_px, height_px, self._parts.theme)

    def _begin(self, name: str, case: str) -> bool:
        assert self._found is not None
        is_there = self._parts.files.begin(f"Open {name}", self._found.drawings[name, case])
        if is_there:
            self._parts.say(f"{name}, case {case}: start it with Run > Run with Flows. Its note describes it.")
        return is_there


def _found() -> _Found:
    from experiments.catalogue import experiments
    from experiments.topologies import drawing_of

    rows: list[ExperimentRow] = []
    drawings: dict[tuple[str, str], Topology] = {}
    for one in experiments().values():
        rows.append(_row(one))
        drawings |= {(one.name, case.name): drawing_of(one, case) for case in one.cases(False)}
    return _Found(tuple(rows), drawings)


def _row(one: Experiment) -> ExperimentRow:
    from experiments.words import FAMILIES, SETUPS, family_of, plain, values_text

    family = family_of(one.name)
    cases = tuple(CaseRow(case.name, SETUPS[case.setup], values_text(case.values)) for case in one.cases(False))
    return ExperimentRow(one.name, family, FAMILIES.get(family, ""), one.title, one.source, plain(one.setup), cases)
