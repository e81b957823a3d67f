"""`miniedit-frr plot` and `stats`: figures and numbers of one run, of several, of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from frrlib.formats.files import replace_file
from frrlib.results.layout import ResultsError, find_results
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.statistics.comparison import (
    comparison_csv,
    comparison_json,
    comparison_table,
    flow_table,
    group_statistics,
    queue_table,
    run_table,
)
from frrlib.results.statistics.intervals import Method
from frrlib.results.statistics.table import plain_text
from miniedit_frr.cli.exits import WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.cli.options import AsJson, print_json

ResultsFolders = Annotated[
    list[Path], typer.Argument(metavar="DIR...", help="Results folders, or folders that contain some at any depth.")
]


class Width(StrEnum):
    """How wide a figure is."""

    COLUMN = "column"
    PAGE = "page"
    SLIDE = "slide"
    SCREEN = "screen"


class Align(StrEnum):
    """Where the time of a figure begins."""

    RUN = "run"
    START = "start"


class Intervals(StrEnum):
    """How confidence intervals are made."""

    STUDENT = "student"
    BOOTSTRAP = "bootstrap"


def add_to(app: typer.Typer) -> None:
    """Give the command line these commands."""
    app.command()(plot)
    app.command()(stats)


def open_runs(folders: Sequence[Path]) -> list[Results]:
    """The runs in these folders and below them; parts missing in one are reported on standard error.

    Raises:
        ResultsError: there is none in one of them.
    """
    runs = []
    for folder in folders:
        found = find_results(folder) if folder.is_dir() else [folder]
        if not found:
            raise ResultsError(folder, "contains no results at any depth")
        for each in found:
            run = open_results(each)
            for warning in run.warnings:
                stderr().print(f"[yellow]{each}[/]: {warning}", highlight=False, soft_wrap=True)
            runs.append(run)
    return runs


def plot(
    folders: ResultsFolders,
    kind: Annotated[
        str,
        typer.Option(
            help="series, routing, timeline, shares (one run); overlay, cdf, box, violin, bar, scatter, heat (several)."
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Output file: .png, .svg or .pdf (default: KIND.png in the current folder)."),
    ] = None,
    of: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="For cdf, box, violin: rtt, queueing, goodput, cwnd, waited, queue. For bar, heat: a column of stats.",
        ),
    ] = "",
    width: Annotated[
        Width, typer.Option(help="Size for one or two columns of a paper, for a slide, or for a screen.")
    ] = Width.PAGE,
    across: Annotated[str, typer.Option(metavar="FIELD", help="For a heat map: the field of the x axis.")] = "",
    up: Annotated[str, typer.Option(metavar="FIELD", help="For a heat map: the field of the y axis.")] = "",
    from_s: Annotated[
        float | None, typer.Option("--from", metavar="SECONDS", help="Start of the time axis in seconds.")
    ] = None,
    to_s: Annotated[
        float | None, typer.Option("--to", metavar="SECONDS", help="End of the time axis in seconds.")
    ] = None,
    align: Annotated[
        Align, typer.Option(help="Time 0 is the start of the run, or of each flow (series, overlay).")
    ] = Align.RUN,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
) -> None:
    """Draw a figure of one run, or of several together; runs that differ in nothing are repetitions of each other."""
    from frrlib.plots import figures  # its library takes half a second to import

    with report_errors():
        if kind and kind not in figures.KINDS:
            exit_with(f"there is no figure {kind}; choose one of {', '.join(figures.KINDS)}", WRONG_INPUT)
        if out is not None and out.suffix[1:] not in figures.FORMATS:
            exit_with(
                f"{out}: the name of a figure must end in one of {', '.join(f'.{each}' for each in figures.FORMATS)}",
                WRONG_INPUT,
            )
        runs = open_runs(folders)
        kind = kind or figures.default_kind(len(runs))
        to = out or Path(f"{kind}.png")
        if to.exists() and not overwrite:
            exit_with(f"{to} already exists; --overwrite replaces it", WRONG_INPUT)
        made = figures.make(kind, runs, of, width.value, across, up, from_s, to_s, align.value)
        replace_file(to, figures.figure_bytes(made, to.suffix[1:]))
    Console(highlight=False).print(f"{figures.KINDS[kind].title}: {to}", soft_wrap=True)


def stats(
    folders: ResultsFolders,
    intervals: Annotated[
        Intervals, typer.Option(help="Confidence intervals over repetitions: Student's t, or a bootstrap.")
    ] = Intervals.STUDENT,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one line for each flow of each run, for pandas or R.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell the numbers of runs: each flow and queue of one; of several a row for each experiment, by what differs."""
    with report_errors():
        rows = group_statistics(open_runs(folders))
        if csv is not None:
            replace_file(csv, comparison_csv(rows).encode())
    if as_json:
        print_json(comparison_json(rows))
        return
    console = Console(highlight=False)
    method: Method = intervals.value
    runs = [run for row in rows for run in row.statistics]
    one = runs[0]
    tables = (
        (run_table(one), flow_table(one), queue_table(one)) if len(runs) == 1 else (comparison_table(rows, method),)
    )
    console.print("\n\n".join(plain_text(table) for table in tables if table.rows), markup=False, soft_wrap=True)
    if csv is not None:
        console.print(f"flows of all runs: {csv}", soft_wrap=True)
