"""`miniedit-frr plot` and `stats`: figures and numbers of one run, of several, of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from frrlib.formats.files import replace_file
from frrlib.results.comparison import (
    compared,
    comparison_csv,
    comparison_json,
    comparison_table,
    flow_table,
    queue_table,
    run_table,
)
from frrlib.results.intervals import Method
from frrlib.results.layout import ResultsError, find_results
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.table import plain
from miniedit_frr.cli.endings import WRONG_INPUT, end, stderr, told
from miniedit_frr.cli.options import AsJson, print_json

Folders = Annotated[
    list[Path], typer.Argument(metavar="DIR...", help="Results folders, or folders that hold some, however deep.")
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


def opened(folders: Sequence[Path]) -> list[Results]:
    """The runs in these folders and below them; parts missing in one are reported on standard error.

    Raises:
        ResultsError: there is none in one of them.
    """
    runs = []
    for folder in folders:
        found = find_results(folder) if folder.is_dir() else [folder]
        if not found:
            raise ResultsError(folder, "holds no results, nor does a folder below it")
        for each in found:
            run = open_results(each)
            for warning in run.warnings:
                stderr().print(f"[yellow]{each}[/]: {warning}", highlight=False, soft_wrap=True)
            runs.append(run)
    return runs


def plot(
    folders: Folders,
    kind: Annotated[
        str,
        typer.Option(
            help="series, routing, timeline, shares (one run); overlay, cdf, box, violin, bar, scatter, heat (several)."
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file to write: .png, .svg or .pdf (KIND.png in the current folder)."),
    ] = None,
    of: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="Of cdf, box, violin: rtt, queueing, goodput, cwnd, waited, queue. Of bar, heat: a number of stats.",
        ),
    ] = "",
    width: Annotated[
        Width, typer.Option(help="Of one or two columns of a paper, of a slide, or of a screen.")
    ] = Width.PAGE,
    across: Annotated[str, typer.Option(metavar="FIELD", help="Of a heat map: the field of the axis below.")] = "",
    up: Annotated[str, typer.Option(metavar="FIELD", help="Of a heat map: the field of the axis at the left.")] = "",
    from_s: Annotated[
        float | None, typer.Option("--from", metavar="SECONDS", help="Where the time axis begins.")
    ] = None,
    to_s: Annotated[float | None, typer.Option("--to", metavar="SECONDS", help="Where the time axis ends.")] = None,
    align: Annotated[
        Align, typer.Option(help="Time begins with the run, or for each flow with its own start (series, overlay).")
    ] = Align.RUN,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it is there.")] = False,
) -> None:
    """Draw a figure of one run, or of several together; runs that differ in nothing are repetitions of each other."""
    from frrlib.results import figures  # its library takes half a second to import

    with told():
        if kind and kind not in figures.KINDS:
            end(f"there is no figure {kind}; there are {', '.join(figures.KINDS)}", WRONG_INPUT)
        if out is not None and out.suffix[1:] not in figures.FORMATS:
            end(f"{out} ends in none of {', '.join(f'.{each}' for each in figures.FORMATS)}", WRONG_INPUT)
        runs = opened(folders)
        kind = kind or figures.usual(len(runs))
        to = out or Path(f"{kind}.png")
        if to.exists() and not overwrite:
            end(f"{to} is there already; --overwrite replaces it", WRONG_INPUT)
        made = figures.make(kind, runs, of, width.value, across, up, from_s, to_s, align.value)
        replace_file(to, figures.figure_bytes(made, to.suffix[1:]))
    Console(highlight=False).print(f"{figures.KINDS[kind].title}: {to}", soft_wrap=True)


def stats(
    folders: Folders,
    intervals: Annotated[
        Intervals, typer.Option(help="Confidence intervals over repetitions: Student's t, or a bootstrap.")
    ] = Intervals.STUDENT,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a line for each flow of each run, for pandas or R.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell the numbers of runs: each flow and queue of one; of several a row for each experiment, by what differs."""
    with told():
        rows = compared(opened(folders))
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
    console.print("\n\n".join(plain(table) for table in tables if table.rows), markup=False, soft_wrap=True)
    if csv is not None:
        console.print(f"every flow of every run: {csv}", soft_wrap=True)
