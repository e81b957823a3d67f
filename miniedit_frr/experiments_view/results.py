"""The results of an experiment as the window shows them: its statements with their verdicts, and its figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from miniedit_frr.runs.collector import figure_image

if TYPE_CHECKING:
    from miniedit_frr.experiments.verdict import Verdict


@dataclass(frozen=True)
class StatementRow:
    """A statement in the table.

    Attributes:
        cells: its id, its subject, the published value, our numbers, the band, and the verdict.
        outcome: "pass", "fail" or "not run".
        details: its complete subject, the basis of its band, and the reason for a failure, a line each.
    """

    cells: tuple[str, ...]
    outcome: str
    details: str


@dataclass(frozen=True, eq=False)
class ResultFigure:
    """A figure: its file, a description, and its pixels."""

    path: Path
    about: str
    image: Image.Image


@dataclass(frozen=True, eq=False)
class ExperimentView:
    """The results of an experiment.

    Attributes:
        statements: its statements; some experiments have none.
        figures: the figures that could be drawn.
        summary: the number of statements with each outcome.
        remarks: why the verdicts may be wrong; empty if they are reliable.
    """

    statements: tuple[StatementRow, ...]
    figures: tuple[ResultFigure, ...]
    summary: str
    remarks: str


def load_results(name: str, folder: Path) -> ExperimentView:
    """Read the results of an experiment. This takes long, so it is called in a thread.

    Args:
        name: the name of the experiment.
        folder: its folder, in which `experiment run` has written verdicts and figures.

    Raises:
        ResultsError: the folder contains no verdict.
    """
    from miniedit_frr.experiments.catalogue import experiment
    from miniedit_frr.experiments.conclusion import FIGURES
    from miniedit_frr.experiments.runs import open_runs
    from miniedit_frr.experiments.verdict import load_verdicts, outcome_totals
    from miniedit_frr.experiments.words import OUTCOME_WORDS, count_text

    verdicts = load_verdicts(folder)
    figures = []
    for picture in experiment(name).pictures:
        path = folder / FIGURES / f"{picture.name}.png"
        if path.is_file():
            figures.append(ResultFigure(path, picture.title, figure_image(path)))
    totals = ", ".join(f"{count} {OUTCOME_WORDS[outcome]}" for outcome, count in outcome_totals(verdicts).items())
    summary = f"{count_text(len(verdicts), 'statement')}: {totals}." if verdicts else ""
    is_quick = any(verdict.is_quick for verdict in verdicts)
    remarks = [
        "The bands are for full runs, so the verdicts on shortened runs are only a hint." if is_quick else "",
        open_runs(folder).doubts_text,
    ]
    rows = tuple(_row(verdict) for verdict in verdicts)
    return ExperimentView(rows, tuple(figures), summary, " ".join(filter(None, remarks)))


def _row(verdict: Verdict) -> StatementRow:
    from miniedit_frr.experiments.verdict import band_text
    from miniedit_frr.experiments.words import OUTCOME_MARKS, OUTCOME_WORDS

    statement, outcome = verdict.statement, verdict.outcome
    subject = ": ".join(filter(None, (statement.about.partition(": ")[2] or statement.about, statement.metric)))
    band = f"{band_text(statement)} {statement.unit}".strip()
    words = f"{OUTCOME_MARKS[outcome]} {OUTCOME_WORDS[outcome]}"
    details = (
        f"{statement.id}: {statement.about}: {statement.metric}",
        f"Published: {statement.published}" if statement.published else "",
        f"Ours: {verdict.ours_text}" if verdict.ours else "",
        f"Band: {band}; {statement.basis}" if statement.basis else f"Band: {band}",
        f"Note: {statement.note}" if statement.note else "",
        f"{OUTCOME_WORDS[outcome].capitalize()}: {verdict.reason}" if verdict.reason else "",
    )
    # The subjects of several numbers would not fit into the column; they are among the details.
    numbers = "; ".join(number for _, number, _ in verdict.number_texts)
    cells = (statement.id, subject, statement.published, numbers, band, words)
    return StatementRow(cells, outcome, "\n".join(filter(None, details)))
