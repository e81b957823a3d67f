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

from experiments.conclusion import Concluded
from experiments.declare import Experiment
from experiments.duration import expected_s
from experiments.expectations import Expectation, expectations
from experiments.runner import Course
from experiments.verdict import Change, Outcome, Verdict, band_text, totals
from experiments.words import SETUPS, values_text
from frrlib.sweep.events import Tally
from frrlib.sweep.pace import span_text
from miniedit_frr.terminal.markup import escape

#: At most this many cases are named; of more, their experiments.
_NAMED = 4
#: Colours of outcomes; the word says it, too.
_STYLES: dict[Outcome, str] = {"pass": "green", "fail": "bold red", "not run": "yellow"}


def print_experiments(console: Console, found: Sequence[Experiment]) -> None:
    """All experiments, a line each."""
    table = _table("name", "title", "by", "cases", "statements")
    for each in found:
        table.add_row(
            f"[bold]{escape(each.name)}[/]",
            escape(each.title),
            escape(_short(each.source)),
            str(len(each.cases(False))),
            str(len(each.checks)),
        )
    console.print(table)
    console.print("\nFor details: miniedit-frr experiment show NAME. To run them: run NAME, or run all", style="dim")


def print_experiment(console: Console, one: Experiment) -> None:
    """Describe an experiment."""
    console.print(f"[bold]{escape(one.name)}[/]  {escape(one.title)}", highlight=False)
    console.print(escape(one.source), style="dim", highlight=False)
    for text in (one.setup, one.lesson):
        if text:
            console.print()
            console.print(Markdown(text))
    quick = {case.name: case for case in one.cases(True)}
    table = _table("case", "set-up", "values", "runs", "flows send", "quick")
    for case in one.cases(False):
        short = quick.pop(case.name, None)
        table.add_row(
            escape(case.name), SETUPS[case.setup], escape(values_text(case.values)), str(case.repeat),
            span_text(expected_s(case.topology, False)),
            span_text(expected_s(short.topology, False)) if short else "[dim]no[/]",
        )  # fmt: skip
    for case in quick.values():
        table.add_row(
            escape(case.name), SETUPS[case.setup], escape(values_text(case.values)), "[dim]only quick[/]", "",
            span_text(expected_s(case.topology, False)),
        )  # fmt: skip
    console.print()
    console.print(table)
    console.print()
    table = _table("statement", "about", "published", "band", "basis")
    for check in one.checks:
        said = expectations()[check.id]
        needs = f" [yellow](needs {escape(check.needs)})[/]" if check.needs else ""
        table.add_row(
            escape(said.id) + needs, escape(_about(said)), escape(said.published), escape(_band(said)),
            escape(said.basis),
        )  # fmt: skip
    console.print(table)


def print_missing_cases(console: Console, course: Course) -> None:
    """The cases that this machine cannot carry out, those with the same reason in one line; many by experiment."""
    reasons: dict[str, list[str]] = {}
    for name, why in course.missing.items():
        reasons.setdefault(why, []).append(name)
    for why, names in reasons.items():
        told = ", ".join(names)
        if len(names) > _NAMED:
            told = f"{len(names)} cases of {', '.join(dict.fromkeys(name.partition('/')[0] for name in names))}"
        console.print(f"[yellow]left out[/] {escape(told)}: {escape(why)}", highlight=False, soft_wrap=True)


def print_conclusions(console: Console, concluded: Sequence[Concluded], out: Path) -> None:
    """The verdict on each statement, and where figures are."""
    for each in concluded:
        if each.verdicts:
            table = _table("statement", "about", "published", "ours", "band", "verdict")
            for verdict in each.verdicts:
                table.add_row(*_cells(verdict))
            console.print(f"\n[bold]{escape(each.name)}[/]", highlight=False)
            console.print(table)
            _print_reasons(console, each.verdicts)
        if each.doubts:
            console.print(f"[yellow]doubtful[/] {escape(each.doubts)}", highlight=False, soft_wrap=True)
        if each.figures:
            names = ", ".join(dict.fromkeys(path.stem for path in each.figures))
            console.print(f"figures in {each.figures[0].parent}: {names}", style="dim", soft_wrap=True, markup=False)
    every = [verdict for each in concluded for verdict in each.verdicts]
    counted = ", ".join(f"[{_STYLES[name]}]{count} {name}[/]" for name, count in totals(every).items())
    explained = sum(bool(verdict.finding) for verdict in every)
    more = f" ({explained} of those that fail explained)" if explained else ""
    console.print(f"\n{len(every)} statements: {counted}{more}", highlight=False, soft_wrap=True)
    if any(verdict.is_quick for verdict in every):
        console.print(
            "[yellow]these are shortened runs, but the bands are for full runs, so the verdicts are only a hint[/]",
            soft_wrap=True,
        )


def print_tally(console: Console, tally: Tally, out: Path) -> None:
    """How the runs went."""
    words = [f"{tally.finished} runs finished", *([f"{tally.kept} of them earlier"] if tally.kept else [])]
    words += [f"[red]{tally.failed} failed[/]"] if tally.failed else []
    words += [f"{tally.left} left"] if tally.left else []
    console.print(f"{', '.join(words)}; all in {escape(str(out))}", highlight=False, soft_wrap=True)
    if tally.failed:
        console.print(
            "the folders of failed runs contain their logs; the same command repeats these runs", soft_wrap=True
        )


def print_changes(console: Console, changes: Sequence[Change], count: int, here: Path, there: Path) -> None:
    """Statements on which two folders do not agree."""
    if changes:
        table = _table("statement", "about", "band", str(here), str(there))
        for each in changes:
            known = each.here or each.there
            assert known is not None
            sides = [
                _outcome(side) + (f" {escape(side.ours_text)}" if side else "") for side in (each.here, each.there)
            ]
            table.add_row(escape(each.id), escape(_about(known.statement)), escape(_band(known.statement)), *sides)
        console.print(table)
    console.print(f"{count - len(changes)} of {count} statements have the same verdict", highlight=False)


def experiment_json(one: Experiment, details: bool = False) -> dict[str, Any]:
    """An experiment; `whole` adds its texts, cases and statements."""
    cases, quick = one.cases(False), one.cases(True)
    said: dict[str, Any] = {
        "name": one.name, "title": one.title, "source": one.source, "cases": len(cases), "quick_cases": len(quick),
        "statements": [check.id for check in one.checks], "figures": [picture.name for picture in one.pictures],
    }  # fmt: skip
    if details:
        said |= {"setup": one.setup, "lesson": one.lesson}
        said["cases"], said["quick_cases"] = (
            [{name: value for name, value in vars(case).items() if name != "topology"} for case in each]
            for each in (cases, quick)
        )
        said["statements"] = [asdict(expectations()[check.id]) for check in one.checks]
    return said


def conclusions_json(concluded: Sequence[Concluded]) -> dict[str, Any]:
    """All verdicts, and their totals."""
    every = [verdict for each in concluded for verdict in each.verdicts]
    doubts = {each.name: each.doubts for each in concluded if each.doubts}
    return {"totals": totals(every), "verdicts": [verdict.row for verdict in every], "doubtful": doubts}


def changes_json(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Statements on which two folders do not agree."""
    return [
        {"id": each.id, "here": each.here.row if each.here else None, "there": each.there.row if each.there else None}
        for each in changes
    ]


def _cells(verdict: Verdict) -> tuple[str, ...]:
    said = verdict.statement
    plain = (said.id, _about(said), said.published, verdict.ours_text, _band(said))
    return *map(escape, plain), _outcome(verdict)


def _print_reasons(console: Console, verdicts: Sequence[Verdict]) -> None:
    """Why statements fail or were not run, those with the same reason in one line."""
    reasons: dict[tuple[Outcome, str], list[str]] = {}
    for each in verdicts:
        if why := each.reason:
            reasons.setdefault((each.outcome, why), []).append(each.id)
    for (outcome, why), names in reasons.items():
        console.print(
            f"[{_STYLES[outcome]}]{outcome}[/] {escape(', '.join(names))}: {escape(why)}",
            highlight=False, soft_wrap=True, style="dim",
        )  # fmt: skip


def _outcome(verdict: Verdict | None) -> str:
    return f"[{_STYLES[verdict.outcome]}]{verdict.outcome}[/]" if verdict else "[dim]none[/]"


def _about(said: Expectation) -> str:
    return ": ".join(filter(None, (said.about.partition(": ")[2] or said.about, said.metric)))


def _band(said: Expectation) -> str:
    return f"{band_text(said)} {said.unit}".strip()


def _short(source: str) -> str:
    return re.split(r"[:,;(]", source, maxsplit=1)[0].strip()


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for number, name in enumerate(columns):
        table.add_column(escape(name), overflow="fold", no_wrap=number == 0)
    return table
