"""The command line: `miniedit-frr run FILE`, `check FILE`, `places`.

Exit status: 0 all well; 1 the lab did not do what was asked, or `check` found errors; 2 the input is wrong; 3 this
machine lacks something (the message has the command that brings it); 130 after Ctrl-C.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console

from frrlib.errors import LabError, PlaceError, TopologyError
from frrlib.formats import mn
from frrlib.model.check import Problem, check
from miniedit_frr import report

FAILED, WRONG_INPUT, MISSING, INTERRUPTED = 1, 2, 3, 130

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Labs of hosts, switches and FRR routers: drawn, run without root, measured.",
)


class PlaceName(StrEnum):
    """The places that may be asked for."""

    AUTO = "auto"
    NAMESPACE = "namespace"
    LABKERNEL = "labkernel"
    ROOT = "root"


TopologyFile = Annotated[Path, typer.Argument(metavar="FILE", help="A topology (.mn).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of text.")]
Kernel = Annotated[
    Path | None,
    typer.Option("--kernel", envvar="MINIEDIT_FRR_KERNEL", help="A lab kernel of your own, for the place labkernel."),
]


@app.command()
def run(
    file: TopologyFile,
    place: Annotated[PlaceName, typer.Option(help="Where the lab runs.")] = PlaceName.AUTO,
    out: Annotated[Path | None, typer.Option(help="The results folder. [results/NAME-DATE-TIME]")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier run in the results folder.")
    ] = False,
    kernel: Kernel = None,
    sample_hz: Annotated[float, typer.Option(min=1, max=1000, help="Samples a second.")] = 100.0,
    as_json: AsJson = False,
) -> None:
    """Run a topology: build it, wait for its routes, send its flows, keep what was measured."""
    from frrlib.results.folder import default_folder
    from frrlib.run import Settings
    from frrlib.run import run as run_topology
    from miniedit_frr.progress import Progress

    with _told():
        loaded = mn.load(file)
        _refuse(check(loaded.topology))
        topology = loaded.topology
        ends_s = [flow.start_s + (flow.duration_s or 0.0) for flow in topology.flows]
        folder = out or default_folder(file.stem)
        with Progress(_stderr(), max(ends_s, default=0.0)) as progress:
            outcome = run_topology(
                topology,
                mn.read_text(file),
                folder,
                Settings(place.value, kernel, sample_hz),
                progress.take,
                overwrite=overwrite,
            )
    if as_json:
        _print_json(report.outcome_json(outcome))
    else:
        report.print_outcome(Console(), outcome)
    if outcome.failures:
        raise typer.Exit(FAILED)


@app.command(name="check")
def check_file(file: TopologyFile, as_json: AsJson = False) -> None:
    """Say everything that is wrong with a topology; exit status 1 if anything would keep it from running."""
    with _told():
        loaded = mn.load(file)
        problems = [*loaded.warnings, *check(loaded.topology)]
    if as_json:
        _print_json([problem.model_dump(mode="json") for problem in problems])
    else:
        report.print_problems(Console(), file, problems)
    if any(problem.severity == "error" for problem in problems):
        raise typer.Exit(FAILED)


@app.command()
def places(
    as_json: AsJson = False,
    kernel: Kernel = None,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Probe again instead of using what was found before.")
    ] = False,
) -> None:
    """Say where labs can run on this machine, and what each place can do."""
    from frrlib.place.choose import all_places

    with _told():
        console = _stderr()
        with console.status("probing the places") if console.is_terminal else _nothing():
            found = [place.abilities(refresh=refresh) for place in all_places(kernel)]
    if as_json:
        _print_json(report.places_json(found))
    else:
        report.print_places(Console(), found)


def main() -> None:
    """The console script. A request to end (SIGTERM) ends the lab in order, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    app()


@contextmanager
def _told() -> Iterator[None]:
    """Errors of ours as one message and their exit status, never a traceback."""
    try:
        yield
    except TopologyError as error:
        _end(str(error), WRONG_INPUT)
    except PlaceError as error:
        _end(str(error), MISSING)
    except LabError as error:
        _end(str(error), FAILED if not isinstance(error, _wrong_input()) else WRONG_INPUT)
    except KeyboardInterrupt:
        _end("interrupted; the lab has ended, what was measured until then is kept", INTERRUPTED)


def _wrong_input() -> tuple[type[LabError], ...]:
    from frrlib.results.layout import ResultsError

    return (ResultsError,)


def _refuse(problems: list[Problem]) -> None:
    """End where a topology has errors, naming every one."""
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        for problem in errors:
            _stderr().print(report.problem_line(problem), soft_wrap=True, highlight=False)
        _end(
            f"{len(errors)} {'error keeps' if len(errors) == 1 else 'errors keep'} the topology from running",
            WRONG_INPUT,
        )


def _end(text: str, status: int) -> NoReturn:
    _stderr().print(f"miniedit-frr: {text}", soft_wrap=True, highlight=False, markup=False)
    raise typer.Exit(status)


def _stderr() -> Console:
    return Console(stderr=True)


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def _print_json(value: Any) -> None:
    json.dump(value, sys.stdout, indent=2, default=str)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
