"""File > Experiments: the list of published experiments, their topologies, and their runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from frrlib.errors import LabError
from frrlib.lab.virtual_clock import refuse_virtual
from frrlib.model.topology import Topology
from frrlib.picture.thumbnail import picture
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.experiments_view.process import ExperimentOrder
from miniedit_frr.experiments_view.runs import ExperimentRuns
from miniedit_frr.experiments_view.window import CaseRow, ExperimentList, ExperimentRow
from miniedit_frr.runs.controller import RunController
from miniedit_frr.runs.list_panel import RunRow
from miniedit_frr.widgets.worker import Worker

if TYPE_CHECKING:
    from miniedit_frr.experiments.declaration import Experiment


@dataclass(frozen=True)
class _ExperimentData:
    """The result of the thread: the list, and the topology of every case by the names of experiment and case."""

    rows: tuple[ExperimentRow, ...]
    drawings: dict[tuple[str, str], Topology]


class ExperimentsController:
    """Opens the list of experiments, opens the selected case in the window, and runs the selected experiment.

    Attributes:
        window: the list; None before it was opened.
        experiment_runs: runs experiments.

    Args:
        runs: the Runs panel, which has the folder for results.
    """

    def __init__(
        self, main: MainWindow, open_topology: Callable[[str, Topology], bool], runs: RunController
    ) -> None:  # fmt: skip
        self._main, self._open_topology, self._runs = main, open_topology, runs
        self._data: _ExperimentData | None = None
        self.experiment_runs = ExperimentRuns(main, self._open_folder)
        self.window: ExperimentList | None = None

    def open(self) -> None:
        """Show the list. At first a thread makes it, since the modules of experiments take long to import."""
        if self.window is not None and self.window.winfo_exists():
            self.window.lift()
            return
        self.window = window = ExperimentList(
            self._main.root, self._picture, self._begin, self._run, self._main.ui, self._main.theme
        )
        Worker(window).do("virtual time", _virtual_time_obstacle, window.allow_virtual)
        if self._data is not None:
            self.window.show(self._data.rows)
            return
        # The window shows any error.
        Worker(self.window).do("experiments", _load_experiments, self._show, self._show_error)

    def set_theme(self) -> None:
        """Show the list in the new theme."""
        if self.window is not None and self.window.winfo_exists():
            self.window.color(self._main.theme)
        self.experiment_runs.set_theme()

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

    def _run(self, name: str, is_quick: bool, virtual_time: bool) -> None:
        from miniedit_frr.experiments.plan import folder_name

        assert self._data is not None
        title = next(row.title for row in self._data.rows if row.name == name)
        out = self._runs.root() / folder_name(is_quick, virtual_time)
        self.experiment_runs.start(ExperimentOrder(name, title, is_quick, virtual_time, out))

    def _open_folder(self, folder: Path) -> None:
        self._runs.open_folder(RunRow("", "", "", "", str(folder)))


def _virtual_time_obstacle() -> str:
    """Why this machine has no virtual time; empty if it has."""
    try:
        refuse_virtual()
    except (LabError, OSError) as error:
        return f"Virtual time is not available: {error}."
    return ""


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
        sum(case.repeat for case in experiment.cases(True)),
        sum(case.repeat for case in experiment.cases(False)),
    )
