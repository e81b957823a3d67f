"""`miniedit-frr plot` and `stats`: figures and statistics of one run, of several runs, or of a sweep."""

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
    list[Path], typer.Argument(metavar="DIR...", help="Results folders, or folders with results folders at any depth.")
]


class Width(StrEnum):
    """The width of a figure."""

    COLUMN = "column"
    PAGE = "page"
    SLIDE = "slide"
    SCREEN = "screen"


class Align(StrEnum):
    """The start of a figure's time axis."""

    RUN = "run"
    START = "start"


class Intervals(StrEnum):
    """The method of confidence intervals."""

    STUDENT = "student"
    BOOTSTRAP = "bootstrap"


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(plot)
    app.command()(stats)


def open_runs(folders: Sequence[Path]) -> list[Results]:
    """The runs in these folders and below them. Warnings about incomplete runs are printed on standard error.

    Raises:
        ResultsError: a folder contains no run.
    """
    runs = []
    for folder in folders:
        run_folders = find_results(folder) if folder.is_dir() else [folder]
        if not run_folders:
            raise ResultsError(folder, "contains no results at any depth")
        for run_folder in run_folders:
            run = open_results(run_folder)
            for warning in run.warnings:
                stderr().print(f"[yellow]{run_folder}[/]: {warning}", highlight=False, soft_wrap=True)
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
            help="Measured value: for cdf, box, violin rtt, queueing, goodput, cwnd, waited or queue; for bar, heat a "
            "column of `stats`.",
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
    """Draw a figure of one run, or of several runs together. Runs with equal settings are treated as repetitions."""
    from frrlib.plots import figures  # its library takes half a second to import

    with report_errors():
        if kind and kind not in figures.KINDS:
            exit_with(f"there is no figure {kind}; choose one of {', '.join(figures.KINDS)}", WRONG_INPUT)
        if out is not None and out.suffix[1:].lower() not in figures.FORMATS:
            suffixes = ", ".join(f".{file_format}" for file_format in figures.FORMATS)
            exit_with(f"{out}: the name of a figure must end in one of {suffixes}", WRONG_INPUT)
        runs = open_runs(folders)
        kind = kind or figures.default_kind(len(runs))
        to = out or Path(f"{kind}.png")
        if to.exists() and not overwrite:
            exit_with(f"{to} already exists; --overwrite replaces it", WRONG_INPUT)
        figure = figures.make(kind, runs, of, width.value, across, up, from_s, to_s, align.value)
        replace_file(to, figures.figure_bytes(figure, to.suffix[1:].lower()))
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
    """Print statistics: of one run, a table of its flows and queues; of several runs, a row for each group of equal
    settings."""
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
    tables = (
        (run_table(runs[0]), flow_table(runs[0]), queue_table(runs[0]))
        if len(runs) == 1
        else (comparison_table(rows, method),)
    )
    console.print("\n\n".join(plain_text(table) for table in tables if table.rows), markup=False, soft_wrap=True)
    if csv is not None:
        console.print(f"flows of all runs: {csv}", soft_wrap=True)
