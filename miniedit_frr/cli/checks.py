"""`miniedit-frr check`: the problems of a topology, their reasons, and automatic fixes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from frrlib.checks.check import Problem, problems_of
from frrlib.checks.explanations import PAGE, REASONS, anchor, section
from frrlib.checks.facts import Facts, facts_of
from frrlib.checks.fix_offers import AppliedFix, fix_all, is_fixed_unasked, offer_fix
from frrlib.exchange import opening
from frrlib.model.labels import place_of, with_remedy
from frrlib.model.topology import Topology
from miniedit_frr.cli.exits import FAILED, report_errors
from miniedit_frr.cli.options import AsJson, TopologyFile, print_json
from miniedit_frr.terminal.problems import print_problems


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command(name="check")(check_file)


def _complete_kinds(incomplete: str) -> list[str]:
    return [kind for kind in REASONS if kind.startswith(incomplete)]


def check_file(
    file: TopologyFile,
    kind: Annotated[
        str,
        typer.Option(
            "--why", metavar="KIND", help="Explain problems of this kind, such as fraction.",
            autocompletion=_complete_kinds,
        ),
    ] = "",
    fix: Annotated[
        bool, typer.Option("--fix", help="Fix the errors and warnings in the file that have exactly one solution.")
    ] = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show all problems of a topology. The exit status is 1 if an error keeps it from running."""
    fixed: list[AppliedFix] = []
    with report_errors():
        reason = section(kind) if kind else None
        loaded = opening.load(file)
        topology = loaded.topology
        if fix:
            opening.refuse_foreign(file)
            topology, fixed = fix_all(topology)
            if fixed:
                opening.save(topology, file)
        facts = facts_of(topology)
        problems = _all_problems(facts, topology, loaded.warnings)
    console = Console(highlight=False)
    if as_json:
        rows = [_row(facts, problem) for problem in problems if kind in ("", problem.kind)]
        print_json({"fixed": [_fixed_row(applied_fix) for applied_fix in fixed], "problems": rows} if fix else rows)
    else:
        for applied_fix in fixed:
            console.print(f"[green]fixed   [/] {escape(_fixed_line(applied_fix, topology))}", soft_wrap=True)
        listed = [problem for problem in problems if kind in ("", problem.kind)]
        print_problems(console, file, listed, topology)
        if reason is None and listed:
            _print_next_steps(console, facts, listed)
        elif reason is not None:
            for title, text in (("reason", reason.means), ("", reason.matters), ("solution", reason.todo)):
                console.print(f"[dim]{title:8}[/] {escape(text)}", soft_wrap=True)
            console.print(f"[dim]{'':8} {anchor(kind)}[/]", soft_wrap=True)
    if any(problem.severity == "error" for problem in problems):
        raise typer.Exit(FAILED)


def _all_problems(facts: Facts, topology: Topology, warnings: Sequence[Problem]) -> list[Problem]:
    """The warnings of the file reader, the problems that rules find and, if there is no error, those that FRR finds."""
    from frrlib.lab.checks import refused_faults, refused_lines

    problems = [*warnings, *problems_of(facts)]
    if not any(problem.severity == "error" for problem in problems):
        problems += [*refused_faults(topology), *refused_lines(topology)]
    return problems


def _print_next_steps(console: Console, facts: Facts, problems: Sequence[Problem]) -> None:
    """Print how to see the reasons, and how many problems can be fixed."""
    console.print(f"[dim]reasons: --why KIND, or {PAGE}#KIND[/]", soft_wrap=True)
    fixable = [is_fixed_unasked(problem) for problem in problems if offer_fix(facts, problem) is not None]
    for count, instruction in (
        (sum(fixable), "with --fix"),
        (len(fixable) - sum(fixable), "one by one, in the list of problems of `miniedit-frr edit FILE`"),
    ):
        if count:
            console.print(f"[dim]{count} of these can be fixed {instruction}[/]", soft_wrap=True)


def _row(facts: Facts, problem: Problem) -> dict[str, Any]:
    fix = offer_fix(facts, problem)
    return {
        **problem.model_dump(mode="json"),
        "place": place_of(problem, facts.topology),
        "documentation": anchor(problem.kind),
        "fixable": fix is not None,
        "fix": fix.label if fix is not None else "",
    }


def _fixed_line(applied_fix: AppliedFix, topology: Topology) -> str:
    problem = applied_fix.problem
    return f"{applied_fix.label} ({place_of(problem, topology)}: {with_remedy(problem.message, problem.remedy)})"


def _fixed_row(applied_fix: AppliedFix) -> dict[str, Any]:
    return {**applied_fix.problem.model_dump(mode="json"), "fix": applied_fix.label}
