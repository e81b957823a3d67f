"""The conclusion of an experiment whose runs are there: its verdict and its figures, both into its folder."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from experiments import published_style
from experiments.catalogue import experiment
from experiments.runs import open_runs
from experiments.verdict import Verdict, judge, save_verdicts

FIGURES = "figures"


@dataclass(frozen=True)
class Conclusion:
    """The results of an experiment's runs.

    Attributes:
        name: of the experiment.
        verdicts: in the order of its checks.
        figures: files of its figures.
        failures: figures that could not be drawn, and why, a sentence each.
        doubts: why its runs are not to be trusted, see `runs.Runs`; empty where they are.
    """

    name: str
    verdicts: tuple[Verdict, ...]
    figures: tuple[Path, ...] = ()
    failures: tuple[str, ...] = ()
    doubts_text: str = ""


def conclude(folder: Path, draws: bool = True) -> Conclusion:
    """Judge an experiment and draw its figures, from whatever runs there are.

    Args:
        folder: the experiment's own.
        draws: whether figures are drawn, too.

    Raises:
        ResultsError: the folder holds no experiment, or the verdict cannot be written.
        PlaceError: a figure cannot be written.
        UnknownExperiment: it holds one that this version does not know.
    """
    runs = open_runs(folder)
    name = runs.experiment or folder.resolve().name
    one = experiment(name)
    verdicts = judge(one, runs)
    save_verdicts(verdicts, folder)
    figures: list[Path] = []
    failures: list[str] = []
    for picture in one.pictures if draws else ():
        try:
            figures += published_style.save_picture(picture, runs, folder / FIGURES)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # a defect that shall not hide others
            failures.append(f"{name}: figure {picture.name} was not drawn: {type(error).__name__}: {error}")
    return Conclusion(name, verdicts, tuple(figures), tuple(failures), runs.doubts_text)


def conclude_all(folders: Sequence[Path], jobs: int, draws: bool = True) -> Iterator[Conclusion]:
    """The same for several, each in a process of its own, as they get done: reading all samples takes a while, and
    what it takes of memory goes with the process.

    Args:
        folders: of experiments.
        jobs: so many at once.
        draws: as of `conclude`.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(folders)) or 1, context, max_tasks_per_child=1) as pool:
        futures = [pool.submit(conclude, folder, draws) for folder in folders]
        for future in as_completed(futures):
            yield future.result()
