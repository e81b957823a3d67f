"""The conclusion of an experiment with finished runs: its verdict and its figures, both written into its folder."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from miniedit_frr.experiments import published_style
from miniedit_frr.experiments.catalogue import experiment
from miniedit_frr.experiments.runs import open_runs
from miniedit_frr.experiments.verdict import Verdict, judge, save_verdicts

FIGURES = "figures"


@dataclass(frozen=True)
class Conclusion:
    """The verdicts and figures of an experiment.

    Attributes:
        name: the name of the experiment.
        verdicts: its verdicts, in the order of its checks.
        figures: the files of its figures.
        failures: a sentence for each figure that could not be drawn, with the reason.
        doubts_text: why its runs are doubtful, see `runs.Runs`; empty if they are reliable.
    """

    name: str
    verdicts: tuple[Verdict, ...]
    figures: tuple[Path, ...] = ()
    failures: tuple[str, ...] = ()
    doubts_text: str = ""


def conclude(folder: Path, with_figures: bool = True) -> Conclusion:
    """Judge an experiment and draw its figures, from all runs that have finished.

    Args:
        folder: the folder of the experiment.
        with_figures: whether figures are drawn, too.

    Raises:
        ResultsError: the folder contains no experiment, or the verdict cannot be written.
        PlaceError: a figure cannot be written.
        UnknownExperiment: this version does not contain the experiment.
    """
    runs = open_runs(folder)
    name = runs.experiment or folder.resolve().name
    declared = experiment(name)
    verdicts = judge(declared, runs)
    save_verdicts(verdicts, folder)
    figures: list[Path] = []
    failures: list[str] = []
    for picture in declared.pictures if with_figures else ():
        try:
            figures += published_style.save_picture(picture, runs, folder / FIGURES)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # a defect must not hide other figures
            failures.append(f"{name}: figure {picture.name} was not drawn: {type(error).__name__}: {error}")
    return Conclusion(name, verdicts, tuple(figures), tuple(failures), runs.doubts_text)


def conclude_all(folders: Sequence[Path], jobs: int, with_figures: bool = True) -> Iterator[Conclusion]:
    """Conclude several experiments in parallel, and yield each conclusion when it is ready.

    Each experiment has its own process, because all of its samples are read into memory, which the process frees.

    Args:
        folders: the folders of the experiments.
        jobs: the number of parallel processes.
        with_figures: see `conclude`.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(folders)) or 1, context, max_tasks_per_child=1) as pool:
        futures = [pool.submit(conclude, folder, with_figures) for folder in folders]
        for future in as_completed(futures):
            yield future.result()
