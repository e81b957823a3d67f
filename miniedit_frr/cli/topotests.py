"""`miniedit-frr topotest`: FRR's own tests, unmodified, in labs without root."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from frrlib.formats.files import replace_file
from frrlib.places import PlaceName
from frrlib.system.signals import exit_on_sigterm
from frrlib.topotest.runner import NO_TESTS, DirectoryOutcome, TopotestSettings, joined_reports, run_directory
from miniedit_frr.cli.exits import FAILED, INTERRUPTED, WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.terminal.markup import escape

#: The maximum number of reasons that are printed for a directory.
_MOST_REASONS = 5


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(topotest)


def topotest(
    paths: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Directories of tests, or single files.")],
    place: Annotated[PlaceName, typer.Option(help="Place of the labs.")] = PlaceName.AUTO,
    only: Annotated[
        str, typer.Option("-k", metavar="EXPRESSION", help="Only tests that match this expression, as with pytest -k.")
    ] = "",
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a JUnit report of all tests.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Also keep the logs of passed tests.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the result of each directory.")] = False,
    timeout_s: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", help="Time limit of a directory in seconds.")
    ] = None,
) -> None:
    """Run directories of FRR's topotests without changes, each in labs of its own."""
    paths = [Path(os.path.normpath(path)) if path.name else path.resolve() for path in paths]
    absent = [path for path in paths if not path.exists()]
    if absent:
        exit_with(f"{absent[0]} does not exist", WRONG_INPUT)
    settings = TopotestSettings(place=place.value, only=only, timeout_s=timeout_s, keep=keep, quiet=quiet)
    console, outcomes = Console(), []
    exit_on_sigterm()
    with report_errors():
        for number, path in enumerate(paths, 1):
            if len(paths) > 1:
                stderr().print(f"[{number}/{len(paths)}] {path.name}", markup=False, highlight=False)
            try:
                outcomes.append(run_directory(path, settings))
            except KeyboardInterrupt:
                exit_with(f"interrupted in {path.name}; its lab has ended and its logs are removed", INTERRUPTED)
            _print_outcome(console, outcomes[-1], quiet, only)
        if len(paths) > 1:
            _print_totals(console, outcomes)
    if junit is not None:
        replace_file(junit, joined_reports([outcome.report for outcome in outcomes]).encode())
    if not all(outcome.ok for outcome in outcomes):
        raise typer.Exit(FAILED)


def _print_outcome(console: Console, outcome: DirectoryOutcome, quiet: bool, only: str) -> None:
    """Print a line about a directory, and the reasons of failed and skipped tests."""
    numbers = f"{outcome.passed} passed, {outcome.failed} failed, {outcome.skipped} skipped"
    color = "green" if outcome.ok else "red"
    console.print(f"[{color}]{escape(outcome.folder.name)}[/]: {numbers} in {outcome.took_s:.1f} s", highlight=False)
    if quiet or not outcome.ok:
        for reason in outcome.reasons[:_MOST_REASONS]:
            console.print(f"  {reason}", markup=False, highlight=False, soft_wrap=True)
    if outcome.status == NO_TESTS:
        console.print(f"  no test matches `-k {only}`" if only else "  it contains no tests", markup=False)
    if outcome.logs is not None:
        console.print(f"  logs: {outcome.logs}", markup=False, highlight=False, soft_wrap=True)


def _print_totals(console: Console, outcomes: list[DirectoryOutcome]) -> None:
    """Print the total numbers of all directories, and the directories with failures."""
    bad = [outcome.folder.name for outcome in outcomes if not outcome.ok]
    tests = {word: sum(getattr(outcome, word) for outcome in outcomes) for word in ("passed", "failed", "skipped")}
    numbers = ", ".join(f"{number} {word}" for word, number in tests.items())
    console.print(
        f"{len(outcomes)} directories, {len(bad)} with failures; tests: {numbers}", markup=False, highlight=False
    )
    if bad:
        console.print(f"  with failures: {', '.join(bad)}", markup=False, highlight=False, soft_wrap=True)
