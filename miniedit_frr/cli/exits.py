"""How a program of ours ends: errors as one message and an exit status, never a traceback.

Exit status: 0 all well; 1 the lab did not do what was asked (a route is missing, a flow failed or
delivered nothing); 2 the input is wrong, and nothing has started; 3 this machine lacks something (the
message has the command that brings it); 130 after Ctrl-C.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

import typer
from rich.console import Console

from frrlib.checks.check import Problem
from frrlib.errors import LabError, PlaceError, TopologyError
from frrlib.model.labels import error_words
from frrlib.model.topology import Topology
from frrlib.safe_text.plain import plain
from miniedit_frr.terminal import report

FAILED, WRONG_INPUT, MISSING, INTERRUPTED = 1, 2, 3, 130


@contextmanager
def report_errors() -> Iterator[None]:
    """Errors of ours as one message and their exit status, never a traceback."""
    try:
        yield
    except TopologyError as error:
        exit_with(error_words(error), WRONG_INPUT)
    except PlaceError as error:
        exit_with(str(error), MISSING)
    except LabError as error:
        exit_with(str(error), FAILED if not isinstance(error, _wrong_input()) else WRONG_INPUT)
    except KeyboardInterrupt:
        exit_with("interrupted; the lab has ended, and the results until then are kept", INTERRUPTED)


def _wrong_input() -> tuple[type[LabError], ...]:
    from frrlib.results.layout import ResultsError

    return (ResultsError,)


def exit_on_errors(problems: list[Problem], topology: Topology) -> None:
    """End if a topology has errors, naming every one."""
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        for problem in errors:
            stderr().print(report.problem_line(problem, topology), soft_wrap=True, highlight=False)
        exit_with(
            f"{len(errors)} {'error keeps' if len(errors) == 1 else 'errors keep'} the topology from running",
            WRONG_INPUT,
        )


def print_warnings(problems: Sequence[Problem], topology: Topology) -> None:
    """Print a topology's warnings, and where their reasons are; nothing if it has none."""
    doubtful = [problem for problem in problems if problem.severity == "warning"]
    for problem in doubtful:
        stderr().print(report.kind_line(problem, topology), soft_wrap=True, highlight=False)
    if doubtful:
        stderr().print("[dim]reasons: miniedit-frr check FILE --why KIND[/]", highlight=False)


def exit_with(text: str, status: int) -> NoReturn:
    """End the program with a message."""
    stderr().print(f"miniedit-frr: {plain(text)}", soft_wrap=True, highlight=False, markup=False)
    raise typer.Exit(status)


def exit_on_sigterm() -> None:
    """Have a request to end (SIGTERM) end the lab in order, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))


def stderr() -> Console:
    """The console for messages and progress; made anew, since tests and programs may have redirected it."""
    return Console(stderr=True)
