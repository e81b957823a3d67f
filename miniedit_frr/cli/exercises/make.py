"""`miniedit-frr exercise make`: a new exercise from a start and a solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.tree import Tree

from frrlib.exchange import opening
from frrlib.exercises.checks import Check
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.evaluation import LabStarter, Outcome, lab_starter
from frrlib.exercises.making.candidate import Candidate
from frrlib.exercises.making.candidates import candidate_checks
from frrlib.exercises.making.choosing import chosen, uncovered_lines, useful_checks
from frrlib.exercises.making.verification import CandidateResult, Side, has_virtual_time, verify
from frrlib.exercises.making.writing import refuse_folder, write_exercise
from frrlib.model.topology import Topology
from frrlib.places import PlaceName
from miniedit_frr.cli.exits import report_errors, stderr
from miniedit_frr.cli.options import TOPOLOGIES, AsJson, Kernel, Trust, VirtualTime, print_json, topology_file
from miniedit_frr.cli.permissions import ask_permission
from miniedit_frr.terminal.markup import escape

#: The most lines without a check that are printed.
_MOST_LINES = 5
#: Columns of output that is no terminal.
_WIDTH_OF_FILES = 200
_SIDES: dict[Side, str] = {"solution": "a lab of the solution", "start": "a lab of the start"}


def add_to(app: typer.Typer) -> None:
    """Add this command to those of exercises."""
    app.command()(make)


def make(
    start: Annotated[
        Path,
        typer.Argument(
            metavar="START", help=f"{TOPOLOGIES}: the network that students start with.", callback=topology_file
        ),
    ],
    solution: Annotated[
        Path, typer.Argument(metavar="SOLUTION", help="The same network, solved.", callback=topology_file)
    ],
    to: Annotated[Path | None, typer.Option("--to", metavar="DIR", help="New folder of the exercise.")] = None,
    title: Annotated[str, typer.Option(help="Title (default: the name of the folder).")] = "",
    listed: Annotated[
        bool, typer.Option("--list", help="Print all candidates with their ids, and write nothing.")
    ] = False,
    only: Annotated[list[str] | None, typer.Option("--only", metavar="ID,...", help="Take these candidates.")] = None,
    without: Annotated[
        list[str] | None, typer.Option("--without", metavar="ID,...", help="Leave out these candidates.")
    ] = None,
    without_running: Annotated[
        bool, typer.Option("--without-running", help="Start no labs: take only candidates that are certain.")
    ] = False,
    place: Annotated[PlaceName, typer.Option(help="Place of the labs.")] = PlaceName.AUTO,
    kernel: Kernel = None,
    virtual_time: VirtualTime = False,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """Make an exercise of the differences of two topologies: each becomes a check, or several.

    Checks of the network's behavior are taken, checks of configuration lines are not. Two labs show which of them hold
    in the solution and fail at the start; all others are left out. The labs run in virtual time if this machine has it.
    """
    with report_errors():
        topologies = opening.load(start).topology, opening.load(solution).topology
        candidates = candidate_checks(*topologies)
        if not candidates:
            raise ExerciseError("", "the two topologies do not differ in anything that students can change")
        if listed:
            print_json([_candidate_json(candidate) for candidate in candidates]) if as_json else _print_tree(candidates)
            return
        if to is None:
            raise ExerciseError("", "--to is missing", "name a new folder for the exercise, or use --list")
        refuse_folder(to)
        named = _ids(only)
        selected = chosen(candidates, named, _ids(without), certain=without_running)
        verified: tuple[CandidateResult, ...] = ()
        checks: list[Check] = [candidate.check for candidate in selected]
        if selected and not without_running:
            ask_permission(topologies[0], start, trust, place.value)
            is_virtual = virtual_time or has_virtual_time(place.value, kernel)
            verified = _verify(topologies, selected, lab_starter(place.value, kernel, virtual_time=is_virtual))
            checks = useful_checks(verified, named)
        write_exercise(to, title or to.resolve().name, *topologies, checks)
    if as_json:
        print_json(_result_json(to, checks, verified))
    else:
        _print_result(to, candidates, checks, verified)


def _ids(words: Sequence[str] | None) -> tuple[str, ...]:
    """The ids of an option, which may be given several times, each with several ids."""
    return tuple(name.strip() for word in words or () for name in word.split(",") if name.strip())


def _verify(
    topologies: tuple[Topology, Topology], candidates: Sequence[Candidate], start_lab: LabStarter
) -> tuple[CandidateResult, ...]:
    """Try the candidates, with a bar for each of the two labs."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, console=stderr(), transient=True) as progress:
        bars = {side: progress.add_task(words, total=len(candidates)) for side, words in _SIDES.items()}

        def advance(side: Side, outcome: Outcome) -> None:
            progress.advance(bars[side])

        return verify(*topologies, candidates, start_lab, advance)


# --- output -----------------------------------------------------------------------------------------------------------


def _print_tree(candidates: Sequence[Candidate]) -> None:
    """The candidates as a tree: groups, and nodes in the group of lines. Those selected by default are marked."""
    tree = Tree("candidates; [bold]x[/] is taken unless you choose, [dim]?[/] needs a lab to decide", highlight=False)
    for group, members in groupby(candidates, key=lambda candidate: candidate.group):
        branch = tree.add(f"[bold]{group}[/]")
        for candidate in members:
            mark = "[bold]x[/]" if candidate.is_proposed else " "
            doubt = " " if candidate.is_certain else "[dim]?[/]"
            better = f" [dim]better: {', '.join(candidate.better)}[/]" if candidate.better else ""
            check = candidate.check
            branch.add(f"{mark}{doubt} [cyan]{check.id}[/]  {escape(check.title)}{better}")
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH_OF_FILES
    console.print(tree)


def _print_result(
    folder: Path, candidates: Sequence[Candidate], checks: Sequence[Check], verified: Sequence[CandidateResult]
) -> None:
    console = Console(highlight=False)
    write: Callable[[str], None] = lambda text: console.print(text, soft_wrap=True)  # noqa: E731
    for check in checks:
        remark = ", [dim]holds at the start, too[/]" if check.holds_at_start else ""
        write(f"[green]x[/] [cyan]{check.id}[/]  {escape(check.title)}{remark}")
    ids = {check.id for check in checks}
    for result in verified:
        if result.candidate.check.id not in ids:
            check = result.candidate.check
            write(f"[yellow]-[/] [cyan]{check.id}[/]  {escape(check.title)}: [yellow]{escape(result.problem)}[/]")
    lines = uncovered_lines(candidates, checks)
    if lines:
        write(f"No check depends on {len(lines)} changed {'line' if len(lines) == 1 else 'lines'}; --only takes them:")
    for line in lines[:_MOST_LINES]:
        write(f"  [cyan]{line.check.id}[/]  {escape(line.check.title)}")
    if len(lines) > _MOST_LINES:
        write(f"  and {len(lines) - _MOST_LINES} more, which --list shows")
    count = len(checks)
    write(f"{escape(str(folder))} was written, with {count} {'check' if count == 1 else 'checks'}. Complete tasks.md, "
          f"and try it: miniedit-frr exercise test {escape(str(folder))}")  # fmt: skip


def _candidate_json(candidate: Candidate) -> dict[str, Any]:
    return {
        "id": candidate.check.id, "group": candidate.group, "title": candidate.check.title,
        "proposed": candidate.is_proposed, "certain": candidate.is_certain, "better": list(candidate.better),
        "check": candidate.check.model_dump(mode="json", exclude_defaults=True),
    }  # fmt: skip


def _result_json(folder: Path, checks: Sequence[Check], verified: Sequence[CandidateResult]) -> dict[str, Any]:
    tried = [
        {
            "id": result.candidate.check.id, "in_solution": result.in_solution.holds,
            "at_start": result.at_start.holds, "problem": result.problem,
        }
        for result in verified
    ]  # fmt: skip
    return {"folder": str(folder), "checks": [check.id for check in checks], "tried": tried}
