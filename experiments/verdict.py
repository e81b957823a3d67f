"""Judges an experiment: each statement beside the published value, ours, and the band that ours must lie in.

FOLDER/verdict.json, FOLDER/verdict.csv    the same rows, for programs and for spreadsheets
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from experiments.declaration import Check, Experiment
from experiments.expectations import Expectation, expectations
from experiments.runs import Runs
from frrlib.results.layout import ResultsError, json_text
from frrlib.safe_text.spreadsheet import csv_text
from frrlib.system import atomic_files

JSON, CSV = "verdict.json", "verdict.csv"
Outcome = Literal["pass", "fail", "not run"]
OUTCOMES: tuple[Outcome, ...] = ("pass", "fail", "not run")


@dataclass(frozen=True)
class Verdict:
    """The outcome of a statement.

    Attributes:
        statement: its row of the file of expectations.
        outcome: "pass" where all numbers lie in the band.
        ours: the numbers, by what they are of; empty where it was not run.
        why: why it was not run, or could not be judged; empty otherwise.
        is_quick: whether it was judged by shortened runs, for which its band was not made.
    """

    statement: Expectation
    outcome: Outcome
    ours: Mapping[str, float] = field(default_factory=dict)
    obstacle: str = ""
    is_quick: bool = False

    @property
    def id(self) -> str:
        """The statement's."""
        return self.statement.id

    @property
    def finding(self) -> str:
        """Why it fails though nothing is wrong on our side; empty where it does not fail, or nobody knows."""
        return self.statement.finding if self.outcome == "fail" else ""

    @property
    def reason(self) -> str:
        """Why it did not pass, as far as that is known: `finding`, or else `why`."""
        return self.finding or self.obstacle

    @property
    def ours_text(self) -> str:
        """The numbers for people: "reno 3.14, cubic 5.2"; "yes" and "no" of a statement that is true or false."""
        return ", ".join(f"{name} {text}".strip() for name, text, _ in self.number_texts)

    @property
    def number_texts(self) -> tuple[tuple[str, str, bool], ...]:
        """Each of the numbers: its subject, the number in four digits, and whether it is as stated."""
        return tuple((name, self._number(value), self.statement.holds(value)) for name, value in self.ours.items())

    def _number(self, value: float) -> str:
        if self.statement.is_yes_or_no:
            return "yes" if value == 1 else "no"
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"

    @property
    def row(self) -> dict[str, Any]:
        """The stored form: the statement's columns, and the findings."""
        said: dict[str, Any] = asdict(self.statement) | {"finding": self.finding}
        said |= {name: None if math.isnan(said[name]) else said[name] for name in ("low", "high")}
        found = {"outcome": self.outcome, "ours": dict(self.ours), "why": self.obstacle, "quick": self.is_quick}
        return said | {"band": band_text(self.statement)} | found


def judge(experiment: Experiment, runs: Runs) -> tuple[Verdict, ...]:
    """The verdict on each of an experiment's statements, in the order of its checks."""
    return tuple(_judged(check, runs) for check in experiment.checks)


def _judged(check: Check, runs: Runs) -> Verdict:
    statement = expectations()[check.id]
    try:
        found = check.measure(runs) if runs.runs else None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # A number that cannot be taken from runs that are there is a defect, and must not hide the other verdicts.
        return Verdict(statement, "fail", {}, f"the check ended with {type(error).__name__}: {error}", runs.is_quick)
    if not found:
        return Verdict(statement, "not run", {}, _why_not(check, runs), runs.is_quick)
    ours = {name: float(value) for name, value in found.items()}
    holds = all(statement.holds(value) for value in ours.values())
    return Verdict(statement, "pass" if holds else "fail", ours, "", runs.is_quick)


def _why_not(check: Check, runs: Runs) -> str:
    missing = runs.missing
    if check.needs:
        # The cases with this congestion control may be missing for another reason than that no kernel has it.
        missing = {case: why for case, why in missing.items() if check.needs in case or check.needs in why} or missing
    reasons = list(dict.fromkeys(missing.values()))
    if reasons:
        return "; ".join(reasons)
    return "the shortened runs do not contain it" if runs.is_quick else "the finished runs do not contain it"


def band_text(statement: Expectation) -> str:
    """The band for people: "40 to 55", "at least 0.95"; "true" for a statement that is true or false."""
    if statement.is_yes_or_no:
        return "true"
    low, high = statement.low, statement.high
    if math.isinf(high):
        return f"at least {low:g}"
    return f"at most {high:g}" if math.isinf(low) else f"{low:g} to {high:g}"


def outcome_totals(verdicts: Iterable[Verdict]) -> dict[Outcome, int]:
    """How many there are of each outcome."""
    counted = Counter(each.outcome for each in verdicts)
    return {outcome: counted[outcome] for outcome in OUTCOMES}


# --- kept ------------------------------------------------------------------------------------------------------------


def save_verdicts(verdicts: Sequence[Verdict], folder: Path) -> None:
    """Keep verdicts in a folder, in both files.

    Raises:
        ResultsError: it cannot be written.
    """
    rows = [each.row for each in verdicts]
    flat = [row | {"ours": each.ours_text} for row, each in zip(rows, verdicts, strict=True)]
    columns = list(flat[0]) if flat else ["id"]
    text = csv_text([columns, *([row[column] for column in columns] for row in flat)])
    try:
        atomic_files.replace(folder / JSON, json_text({"totals": outcome_totals(verdicts), "verdicts": rows}))
        atomic_files.replace(folder / CSV, text)
    except OSError as error:
        raise ResultsError(folder, f"the verdict cannot be written: {error.strerror}") from error


def load_verdicts(folder: Path) -> tuple[Verdict, ...]:
    """The verdicts that are kept in a folder.

    Raises:
        ResultsError: there are none, or they cannot be read.
    """
    try:
        rows = json.loads((folder / JSON).read_text(encoding="utf-8"))["verdicts"]
        return tuple(_read(row) for row in rows)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ResultsError(folder, f"contains no verdict: {JSON} cannot be read") from error


def _read(row: Mapping[str, Any]) -> Verdict:
    names = Expectation.__dataclass_fields__
    said = {name: row[name] for name in names}
    said |= {name: math.nan if row[name] is None else float(row[name]) for name in ("low", "high")}
    return Verdict(Expectation(**said), row["outcome"], row["ours"], row["why"], row["quick"])


# --- compared --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VerdictChange:
    """A statement on which two folders do not agree.

    Attributes:
        id: the statement's.
        here, there: its verdicts; None where a folder has none.
    """

    id: str
    first: Verdict | None
    second: Verdict | None


def verdict_changes(here: Iterable[Verdict], there: Iterable[Verdict]) -> list[VerdictChange]:
    """Statements that have another outcome, or none, in one of two folders; in the order of the first."""
    ours, others = {each.id: each for each in here}, {each.id: each for each in there}
    found = []
    for name in dict.fromkeys((*ours, *others)):
        one, other = ours.get(name), others.get(name)
        if (one and one.outcome) != (other and other.outcome):
            found.append(VerdictChange(name, one, other))
    return found
