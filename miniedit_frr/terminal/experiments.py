"""Output about experiments, in a terminal and as JSON: the list, one experiment, and the results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from frrlib.sweep.events import Tally
from frrlib.sweep.pace import span_text
from miniedit_frr.experiments.conclusion import Conclusion
from miniedit_frr.experiments.declaration import Experiment
from miniedit_frr.experiments.duration import expected_s
from miniedit_frr.experiments.expectations import Expectation, expectations
from miniedit_frr.experiments.runner import ExperimentPlan
from miniedit_frr.experiments.verdict import Outcome, Verdict, VerdictChange, band_text, outcome_totals
from miniedit_frr.experiments.words import SETUP_WORDS, values_text
from miniedit_frr.terminal.markup import escape

#: Up to this many cases are listed by name. For more, only their experiments are listed.
_MOST_NAMED = 4
#: Colors of outcomes. The outcome is also printed as a word.
_STYLES: dict[Outcome, str] = {"pass": "green", "fail": "bold red", "not run": "yellow"}


def print_experiments(console: Console, experiments: Sequence[Experiment]) -> None:
    """Print the list of experiments, one per line."""
    table = _table("name", "title", "by", "cases", "statements")
    for experiment in experiments:
        table.add_row(
            f"[bold]{escape(experiment.name)}[/]",
            escape(experiment.title),
            escape(_short(experiment.source)),
            str(len(experiment.cases(False))),
            str(len(experiment.checks)),
        )
    console.print(table)
    console.print("\nFor details: miniedit-frr experiment show NAME. To run them: run NAME, or run all", style="dim")


def print_experiment(console: Console, experiment: Experiment) -> None:
    """Describe an experiment."""
    console.print(f"[bold]{escape(experiment.name)}[/]  {escape(experiment.title)}", highlight=False)
    console.print(escape(experiment.source), style="dim", highlight=False)
    for text in (experiment.setup, experiment.lesson):
        if text:
            console.print()
            console.print(Markdown(text))
    quick = {case.name: case for case in experiment.cases(True)}
    table = _table("case", "set-up", "values", "runs", "flows send", "quick")
    for case in experiment.cases(False):
        quick_case = quick.pop(case.name, None)
        table.add_row(
            escape(case.name), SETUP_WORDS[case.setup], escape(values_text(case.values)), str(case.repeat),
            span_text(expected_s(case.topology, False)),
            span_text(expected_s(quick_case.topology, False)) if quick_case else "[dim]no[/]",
        )  # fmt: skip
    for case in quick.values():
        table.add_row(
            escape(case.name), SETUP_WORDS[case.setup], escape(values_text(case.values)), "[dim]only quick[/]", "",
            span_text(expected_s(case.topology, False)),
        )  # fmt: skip
    console.print()
    console.print(table)
    console.print()
    table = _table("statement", "about", "published", "band", "basis")
    for check in experiment.checks:
        expectation = expectations()[check.id]
        needs = f" [yellow](needs {escape(check.needs)})[/]" if check.needs else ""
        table.add_row(
            escape(expectation.id) + needs, escape(_about(expectation)), escape(expectation.published),
            escape(_band(expectation)), escape(expectation.basis),
        )  # fmt: skip
    console.print(table)


def print_missing_cases(console: Console, course: ExperimentPlan) -> None:
    """Print the cases that this machine cannot run, one line for each reason."""
    reasons: dict[str, list[str]] = {}
    for name, reason in course.missing.items():
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        cases_text = ", ".join(names)
        if len(names) > _MOST_NAMED:
            cases_text = f"{len(names)} cases of {', '.join(dict.fromkeys(name.partition('/')[0] for name in names))}"
        console.print(f"[yellow]left out[/] {escape(cases_text)}: {escape(reason)}", highlight=False, soft_wrap=True)


def print_conclusions(console: Console, conclusions: Sequence[Conclusion], out: Path) -> None:
    """Print the verdict on each statement, and the folders of figures."""
    for conclusion in conclusions:
        if conclusion.verdicts:
            table = _table("statement", "about", "published", "ours", "band", "verdict")
            for verdict in conclusion.verdicts:
                table.add_row(*_cells(verdict))
            console.print(f"\n[bold]{escape(conclusion.name)}[/]", highlight=False)
            console.print(table)
            _print_reasons(console, conclusion.verdicts)
        if conclusion.doubts_text:
            console.print(f"[yellow]doubtful[/] {escape(conclusion.doubts_text)}", highlight=False, soft_wrap=True)
        if conclusion.figures:
            names = ", ".join(dict.fromkeys(path.stem for path in conclusion.figures))
            console.print(
                f"figures in {conclusion.figures[0].parent}: {names}", style="dim", soft_wrap=True, markup=False
            )
    verdicts = [verdict for conclusion in conclusions for verdict in conclusion.verdicts]
    counts = ", ".join(f"[{_STYLES[name]}]{count} {name}[/]" for name, count in outcome_totals(verdicts).items())
    explained = sum(bool(verdict.finding) for verdict in verdicts)
    explained_text = f" ({explained} of the failed statements are explained)" if explained else ""
    console.print(f"\n{len(verdicts)} statements: {counts}{explained_text}", highlight=False, soft_wrap=True)
    if any(verdict.is_quick for verdict in verdicts):
        console.print(
            "[yellow]these are shortened runs, but the bands are for full runs, so the verdicts are only a hint[/]",
            soft_wrap=True,
        )


def print_tally(console: Console, tally: Tally, out: Path) -> None:
    """Print the numbers of finished, failed and remaining runs."""
    words = [f"{tally.finished} runs finished", *([f"{tally.earlier} of them earlier"] if tally.earlier else [])]
    words += [f"[red]{tally.failed} failed[/]"] if tally.failed else []
    words += [f"{tally.remaining} left"] if tally.remaining else []
    console.print(f"{', '.join(words)}; all in {escape(str(out))}", highlight=False, soft_wrap=True)
    if tally.failed:
        console.print(
            "the folders of failed runs contain their logs; the same command repeats these runs", soft_wrap=True
        )


def print_changes(
    console: Console, changes: Sequence[VerdictChange], count: int, folder: Path, other_folder: Path
) -> None:
    """Print the statements with different verdicts in two folders."""
    if changes:
        table = _table("statement", "about", "band", str(folder), str(other_folder))
        for change in changes:
            judged = change.first or change.second
            assert judged is not None
            sides = [
                _outcome(side) + (f" {escape(side.ours_text)}" if side else "")
                for side in (change.first, change.second)
            ]
            table.add_row(escape(change.id), escape(_about(judged.statement)), escape(_band(judged.statement)), *sides)
        console.print(table)
    console.print(f"{count - len(changes)} of {count} statements have the same verdict", highlight=False)


def experiment_json(experiment: Experiment, details: bool = False) -> dict[str, Any]:
    """An experiment for JSON; `details` adds its texts, cases and statements."""
    cases, quick = experiment.cases(False), experiment.cases(True)
    document: dict[str, Any] = {
        "name": experiment.name, "title": experiment.title, "source": experiment.source,
        "cases": len(cases), "quick_cases": len(quick),
        "statements": [check.id for check in experiment.checks],
        "figures": [picture.name for picture in experiment.pictures],
    }  # fmt: skip
    if details:
        document |= {"setup": experiment.setup, "lesson": experiment.lesson}
        document["cases"], document["quick_cases"] = (
            [{name: value for name, value in vars(case).items() if name != "topology"} for case in listed_cases]
            for listed_cases in (cases, quick)
        )
        document["statements"] = [asdict(expectations()[check.id]) for check in experiment.checks]
    return document


def conclusions_json(conclusions: Sequence[Conclusion]) -> dict[str, Any]:
    """All verdicts and their totals, for JSON."""
    verdicts = [verdict for conclusion in conclusions for verdict in conclusion.verdicts]
    doubts = {conclusion.name: conclusion.doubts_text for conclusion in conclusions if conclusion.doubts_text}
    return {"totals": outcome_totals(verdicts), "verdicts": [verdict.row for verdict in verdicts], "doubtful": doubts}


def changes_json(changes: Sequence[VerdictChange]) -> list[dict[str, Any]]:
    """The statements with different verdicts in two folders, for JSON."""
    return [
        {
            "id": change.id,
            "here": change.first.row if change.first else None,
            "there": change.second.row if change.second else None,
        }
        for change in changes
    ]


def _cells(verdict: Verdict) -> tuple[str, ...]:
    expectation = verdict.statement
    plain = (expectation.id, _about(expectation), expectation.published, verdict.ours_text, _band(expectation))
    return *map(escape, plain), _outcome(verdict)


def _print_reasons(console: Console, verdicts: Sequence[Verdict]) -> None:
    """Print the reasons why statements fail or were not run, one line for each reason."""
    reasons: dict[tuple[Outcome, str], list[str]] = {}
    for verdict in verdicts:
        if reason := verdict.reason:
            reasons.setdefault((verdict.outcome, reason), []).append(verdict.id)
    for (outcome, reason), names in reasons.items():
        console.print(
            f"[{_STYLES[outcome]}]{outcome}[/] {escape(', '.join(names))}: {escape(reason)}",
            highlight=False, soft_wrap=True, style="dim",
        )  # fmt: skip


def _outcome(verdict: Verdict | None) -> str:
    return f"[{_STYLES[verdict.outcome]}]{verdict.outcome}[/]" if verdict else "[dim]none[/]"


def _about(expectation: Expectation) -> str:
    return ": ".join(filter(None, (expectation.about.partition(": ")[2] or expectation.about, expectation.metric)))


def _band(expectation: Expectation) -> str:
    return f"{band_text(expectation)} {expectation.unit}".strip()


def _short(source: str) -> str:
    return re.split(r"[:,;(]", source, maxsplit=1)[0].strip()


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for number, name in enumerate(columns):
        table.add_column(escape(name), overflow="fold", no_wrap=number == 0)
    return table
