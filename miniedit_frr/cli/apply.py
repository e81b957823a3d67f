"""`miniedit-frr apply`: changes a running lab into the lab of a topology file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console

from frrlib.changes.comparison import SIGNS, Change
from frrlib.checks.check import check, with_intended_errors
from frrlib.exchange import opening
from frrlib.lab.detached import join_lab
from miniedit_frr.cli.detached.names import lab_names
from miniedit_frr.cli.exits import CHANGED, FAILED, exit_on_errors, exit_with, report_errors, stderr
from miniedit_frr.cli.options import AllTheSame, AsJson, TopologyFile, Trust, print_json
from miniedit_frr.cli.permissions import ask_permission
from miniedit_frr.terminal.markup import escape

#: The color of a line for each action, for lines of configuration, and for interrupted sessions.
_COLORS = {"+": "green", "-": "red", "±": "yellow", "~": "yellow", "!": "magenta"}


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(apply)


def apply(
    lab: Annotated[str, typer.Argument(metavar="LAB", help="The running lab; `labs` lists them.",
                                       autocompletion=lab_names)],
    file: TopologyFile,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the changes.")] = False,
    all_the_same: AllTheSame = False,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Change a running lab into the lab of a topology file. Nodes and links that stay the same keep running.

    The changes are printed first: + for a new part, - for one that disappears, ~ for one that changes, and ± for one
    that is made anew. Lines with ! name the routing sessions that a change ends or interrupts. If the lab cannot follow
    all changes, or a step fails, it stays as it is. Exit status: 0 if there is nothing to do, 4 if the lab has changed
    (with --dry-run: would change).
    """
    with report_errors():
        topology = opening.load(file).topology
        if all_the_same:
            topology = with_intended_errors(topology)
        exit_on_errors(check(topology), topology)
        with join_lab(lab) as running:
            changes = running.apply(topology, dry_run=True)
            refused = [change for change in changes if change.refusal]
            if not as_json:
                _print_changes(changes, running.name)
            if changes and not refused and not dry_run:
                ask_permission(topology, file, trust, running.place.name)
                changes = running.apply(topology)
                for warning in running.warnings:
                    stderr().print(f"warning: {warning}", highlight=False, markup=False, soft_wrap=True)
                for node, reason in running.failed_commands.items():
                    stderr().print(f"{node}: {reason}", highlight=False, markup=False, soft_wrap=True)
    if as_json:
        made = bool(changes) and not refused and not dry_run
        print_json({"lab": lab, "made": made, "changes": [change.as_dict() for change in changes]})
    if refused:
        exit_with(f"{lab} stays as it is: {_count(len(refused))} cannot be followed", FAILED)
    if changes:
        raise typer.Exit(CHANGED)


def _print_changes(changes: Sequence[Change], lab: str) -> None:
    console = Console(highlight=False)
    if not changes:
        console.print(f"{escape(lab)} is as the file says; there is nothing to do.")
    for change in changes:
        sign = SIGNS[change.action]
        console.print(f"[{_COLORS[sign]}]{sign}[/] {escape(str(change))}", soft_wrap=True)
        for line in change.lines:
            console.print(f"    [{_COLORS[line[0]]}]{escape(line)}[/]", soft_wrap=True)
        for text in change.interruptions:
            console.print(f"    [{_COLORS['!']}]! {escape(text)}[/]", soft_wrap=True)


def _count(number: int) -> str:
    return "one change" if number == 1 else f"{number} changes"
