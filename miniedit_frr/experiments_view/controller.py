"""File > Experiments: published experiments as topologies to view, change and run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PIL import Image

from frrlib.model.topology import Topology
from frrlib.picture.thumbnail import picture
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.experiments_view.window import CaseRow, ExperimentList, ExperimentRow
from miniedit_frr.widgets.worker import Worker

if TYPE_CHECKING:
    from miniedit_frr.experiments.declaration import Experiment


@dataclass(frozen=True)
class _ExperimentData:
    """The result of the thread: the list, and the topology of every case by the names of experiment and case."""

    rows: tuple[ExperimentRow, ...]
    drawings: dict[tuple[str, str], Topology]


class ExperimentsController:
    """Opens the list of experiments, and opens the selected case in the window.

    Attributes:
        window: the list; None before it was opened.
    """

    def __init__(self, main: MainWindow, open_topology: Callable[[str, Topology], bool]) -> None:
        self._main, self._open_topology = main, open_topology
        self._data: _ExperimentData | None = None
        self.window: ExperimentList | None = None

    def open(self) -> None:
        """Show the list. At first a thread makes it, since the modules of experiments take long to import."""
        if self.window is not None and self.window.winfo_exists():
            self.window.lift()
            return
        self.window = ExperimentList(self._main.root, self._picture, self._begin, self._main.ui, self._main.theme)
        if self._data is not None:
            self.window.show(self._data.rows)
            return
        # The window shows any error.
        Worker(self.window).do("experiments", _load_experiments, self._show, self._show_error)

    def set_theme(self) -> None:
        """Show the list in the new theme."""
        if self.window is not None and self.window.winfo_exists():
            self.window.color(self._main.theme)

    def _show(self, data: _ExperimentData) -> None:
        assert self.window is not None
        self._data = data
        self.window.show(data.rows)

    def _show_error(self, error: Exception) -> None:
        assert self.window is not None
        self.window.say(f"The experiments cannot be read: {error}")

    def _picture(self, name: str, case: str, width_px: int, height_px: int) -> Image.Image:
        assert self._data is not None
        without_note = self._data.drawings[name, case].model_copy(update={"annotations": ()})
        return picture(without_note, width_px, height_px, self._main.theme)

    def _begin(self, name: str, case: str) -> bool:
        assert self._data is not None
        is_there = self._open_topology(f"Open {name}", self._data.drawings[name, case])
        if is_there:
            self._main.say(f"{name}, case {case}: start it with Run > Run with Flows. Its note describes it.")
        return is_there


def _load_experiments() -> _ExperimentData:
    from miniedit_frr.experiments.catalogue import experiments
    from miniedit_frr.experiments.topologies import annotated_topology

    rows: list[ExperimentRow] = []
    drawings: dict[tuple[str, str], Topology] = {}
    for experiment in experiments().values():
        rows.append(_row(experiment))
        drawings |= {
            (experiment.name, case.name): annotated_topology(experiment, case) for case in experiment.cases(False)
        }
    return _ExperimentData(tuple(rows), drawings)


def _row(experiment: Experiment) -> ExperimentRow:
    from miniedit_frr.experiments.words import FAMILIES, SETUP_WORDS, family_of, values_text, without_markdown

    family = family_of(experiment.name)
    cases = tuple(
        CaseRow(case.name, SETUP_WORDS[case.setup], values_text(case.values)) for case in experiment.cases(False)
    )
    return ExperimentRow(
        experiment.name,
        family,
        FAMILIES.get(family, ""),
        experiment.title,
        experiment.source,
        without_markdown(experiment.setup),
        cases,
    )
