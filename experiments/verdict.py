"""Judges an experiment: each statement with the published value, our value, and its band.

FOLDER/verdict.json, FOLDER/verdict.csv    the same rows, for programs and for spreadsheets
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from frrlib.results.layout import ResultsError, json_text, read_json
from frrlib.safe_text.spreadsheet import csv_text
from frrlib.system import atomic_files
from miniedit_frr.experiments.declaration import Check, Experiment
from miniedit_frr.experiments.expectations import Expectation, expectations
from miniedit_frr.experiments.runs import Runs

JSON, CSV = "verdict.json", "verdict.csv"
Outcome = Literal["pass", "fail", "not run"]
OUTCOMES: tuple[Outcome, ...] = ("pass", "fail", "not run")


@dataclass(frozen=True)
class Verdict:
    """The verdict on a statement.

    Attributes:
        statement: its row of the file of expectations.
        outcome: "pass" if all numbers lie in the band.
        ours: our numbers by their subjects; empty if the statement was not run.
        obstacle: the reason why it was not run or could not be judged; otherwise empty.
        is_quick: whether it was judged from shortened runs, for which its band was not made.
    """

    statement: Expectation
    outcome: Outcome
    ours: Mapping[str, float] = field(default_factory=dict)
    obstacle: str = ""
    is_quick: bool = False

    @property
    def id(self) -> str:
        """The id of the statement."""
        return self.statement.id

    @property
    def finding(self) -> str:
        """The reason for a failure although our set-up is correct; empty if it passes, or the reason is unknown."""
        return self.statement.finding if self.outcome == "fail" else ""

    @property
    def reason(self) -> str:
        """The known reason why it did not pass: `finding`, or else `obstacle`."""
        return self.finding or self.obstacle

    @property
    def ours_text(self) -> str:
        """The numbers as text: "reno 3.14, cubic 5.2"; "yes" or "no" for a statement that is true or false."""
        return ", ".join(f"{name} {text}".strip() for name, text, _ in self.number_texts)

    @property
    def number_texts(self) -> tuple[tuple[str, str, bool], ...]:
        """For each number: its subject, the number with four digits, and whether it lies in the band."""
        return tuple((name, self._number(value), self.statement.holds(value)) for name, value in self.ours.items())

    def _number(self, value: float) -> str:
        if self.statement.is_yes_or_no:
            return "yes" if value == 1 else "no"
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"

    @property
    def row(self) -> dict[str, Any]:
        """The stored form: the columns of the statement, and those of the verdict."""
        columns: dict[str, Any] = asdict(self.statement) | {"finding": self.finding}
        columns |= {name: None if math.isnan(columns[name]) else columns[name] for name in ("low", "high")}
        outcome_columns = {
            "outcome": self.outcome,
            "ours": dict(self.ours),
            "obstacle": self.obstacle,
            "quick": self.is_quick,
        }
        return columns | {"band": band_text(self.statement)} | outcome_columns


def judge(experiment: Experiment, runs: Runs) -> tuple[Verdict, ...]:
    """The verdict on each of an experiment's statements, in the order of its checks."""
    return tuple(_judge_check(check, runs) for check in experiment.checks)


def _judge_check(check: Check, runs: Runs) -> Verdict:
    statement = expectations()[check.id]
    try:
        numbers = check.measure(runs) if runs.runs else None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # A check that raises an error on finished runs is defective, but must not hide the other verdicts.
        return Verdict(statement, "fail", {}, f"the check ended with {type(error).__name__}: {error}", runs.is_quick)
    if not numbers:
        return Verdict(statement, "not run", {}, _missing_reason(check, runs), runs.is_quick)
    ours = {name: float(value) for name, value in numbers.items()}
    holds = all(statement.holds(value) for value in ours.values())
    return Verdict(statement, "pass" if holds else "fail", ours, "", runs.is_quick)


def _missing_reason(check: Check, runs: Runs) -> str:
    missing = runs.missing
    if check.needs:
        # A case with this congestion control may be missing for a reason other than the kernel.
        missing = {
            case: reason for case, reason in missing.items() if check.needs in case or check.needs in reason
        } or missing
    reasons = list(dict.fromkeys(missing.values()))
    if reasons:
        return "; ".join(reasons)
    return "the shortened runs do not contain it" if runs.is_quick else "the finished runs do not contain it"


def band_text(statement: Expectation) -> str:
    """The band as text: "40 to 55", "at least 0.95"; "true" for a statement that is true or false."""
    if statement.is_yes_or_no:
        return "true"
    low, high = statement.low, statement.high
    if math.isinf(high):
        return f"at least {low:g}"
    return f"at most {high:g}" if math.isinf(low) else f"{low:g} to {high:g}"


def outcome_totals(verdicts: Iterable[Verdict]) -> dict[Outcome, int]:
    """The number of verdicts with each outcome."""
    counts = Counter(verdict.outcome for verdict in verdicts)
    return {outcome: counts[outcome] for outcome in OUTCOMES}


# --- files -----------------------------------------------------------------------------------------------------------


def save_verdicts(verdicts: Sequence[Verdict], folder: Path) -> None:
    """Write verdicts into a folder, in both formats.

    Raises:
        ResultsError: the folder cannot be written.
    """
    rows = [verdict.row for verdict in verdicts]
    flat = [row | {"ours": verdict.ours_text} for row, verdict in zip(rows, verdicts, strict=True)]
    columns = list(flat[0]) if flat else ["id"]
    text = csv_text([columns, *([row[column] for column in columns] for row in flat)])
    try:
        atomic_files.replace(folder / JSON, json_text({"totals": outcome_totals(verdicts), "verdicts": rows}))
        atomic_files.replace(folder / CSV, text)
    except OSError as error:
        raise ResultsError(folder, f"the verdict cannot be written: {error.strerror}") from error


def load_verdicts(folder: Path) -> tuple[Verdict, ...]:
    """Read the verdicts from a folder.

    Raises:
        ResultsError: the folder contains no verdicts, or they cannot be read.
    """
    try:
        rows = read_json(folder / JSON, plain=True)["verdicts"]
        return tuple(_verdict_from_row(row) for row in rows)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ResultsError(folder, f"contains no verdict: {JSON} cannot be read") from error


def _verdict_from_row(row: Mapping[str, Any]) -> Verdict:
    names = Expectation.__dataclass_fields__
    obstacle = row["obstacle"] if "obstacle" in row else row["why"]  # tables of earlier versions
    columns = {name: row[name] for name in names}
    columns |= {name: math.nan if row[name] is None else float(row[name]) for name in ("low", "high")}
    return Verdict(Expectation(**columns), row["outcome"], row["ours"], obstacle, row["quick"])


# --- comparison ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VerdictChange:
    """A statement with different outcomes in two folders.

    Attributes:
        id: the id of the statement.
        first, second: its verdicts in the two folders; None if a folder has none.
    """

    id: str
    first: Verdict | None
    second: Verdict | None


def verdict_changes(verdicts: Iterable[Verdict], other_verdicts: Iterable[Verdict]) -> list[VerdictChange]:
    """The statements with different outcomes in two folders, or with an outcome in only one; in the order of the
    first."""
    by_id, other_by_id = (
        {verdict.id: verdict for verdict in verdicts},
        {verdict.id: verdict for verdict in other_verdicts},
    )
    changed = []
    for name in dict.fromkeys((*by_id, *other_by_id)):
        first, second = by_id.get(name), other_by_id.get(name)
        if (first and first.outcome) != (second and second.outcome):
            changed.append(VerdictChange(name, first, second))
    return changed
