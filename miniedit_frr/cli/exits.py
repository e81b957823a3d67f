"""Ends the program: with one message and an exit status for an error, never with a traceback.

Exit status: 0 for success; 1 if the lab failed (a route is missing, a flow failed or delivered nothing); 2 if the input
is wrong, and nothing was started; 3 if this machine lacks something (the message has the command that installs it);
4 if `apply` has changed a lab, or would change it; 130 after Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import typer
from rich.console import Console

from frrlib.errors import LabError, PlaceError, TopologyError
from frrlib.safe_text.plain import plain

if TYPE_CHECKING:
    from frrlib.model.problem import Problem
    from frrlib.model.topology import Topology

FAILED, WRONG_INPUT, MISSING, CHANGED, INTERRUPTED = 1, 2, 3, 4, 130


@contextmanager
def report_errors() -> Iterator[None]:
    """End the program with one message and an exit status if the block raises an error of this project."""
    try:
        yield
    except TopologyError as error:
        from frrlib.model.labels import error_words

        exit_with(error_words(error), WRONG_INPUT)
    except PlaceError as error:
        exit_with(str(error), MISSING)
    except LabError as error:
        exit_with(str(error), FAILED if not isinstance(error, _wrong_input()) else WRONG_INPUT)
    except KeyboardInterrupt:
        exit_with("interrupted; the lab has ended, and the results until then are kept", INTERRUPTED)


def _wrong_input() -> tuple[type[LabError], ...]:
    from frrlib.exercises.errors import ExerciseError
    from frrlib.results.layout import ResultsError

    return (ResultsError, ExerciseError)


def exit_on_errors(problems: list[Problem], topology: Topology) -> None:
    """End the program if one of the problems is an error, after printing all errors."""
    from miniedit_frr.terminal.problems import problem_line

    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        for problem in errors:
            stderr().print(problem_line(problem, topology), soft_wrap=True, highlight=False)
        from frrlib.checks.check import RUNNABLE

        how = "; run and start accept it with --all-the-same" if {error.kind for error in errors} <= RUNNABLE else ""
        exit_with(
            f"{len(errors)} {'error keeps' if len(errors) == 1 else 'errors keep'} the topology from running{how}",
            WRONG_INPUT,
        )


def print_warnings(problems: Sequence[Problem], topology: Topology) -> None:
    """Print a topology's warnings and the command that explains them."""
    from miniedit_frr.terminal.problems import kind_line

    warnings = [problem for problem in problems if problem.severity == "warning"]
    for problem in warnings:
        stderr().print(kind_line(problem, topology), soft_wrap=True, highlight=False)
    if warnings:
        stderr().print("[dim]reasons: miniedit-frr check FILE --why KIND[/]", highlight=False)


def exit_with(text: str, status: int) -> NoReturn:
    """End the program with a message."""
    stderr().print(f"miniedit-frr: {plain(text)}", soft_wrap=True, highlight=False, markup=False)
    raise typer.Exit(status)


def stderr() -> Console:
    """The console for messages and progress. It is created at each call, because standard error may be redirected."""
    return Console(stderr=True)
