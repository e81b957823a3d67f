"""`miniedit-frr plot` and `stats`: figures and statistics of one run, of several runs, or of a sweep."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from frrlib.formats.files import replace_file
from frrlib.results.layout import ResultsError, find_results
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.statistics.comparison import (
    GroupStatistics,
    comparison_csv,
    comparison_json,
    comparison_table,
    flow_table,
    group_statistics,
    queue_table,
    run_table,
)
from frrlib.results.statistics.intervals import Method
from frrlib.results.statistics.latex import latex_table
from frrlib.results.statistics.paired import paired_json, paired_table, repetitions_table
from frrlib.results.statistics.table import TextTable, plain_text
from frrlib.results.statistics.unpaired import unpaired_json, unpaired_table
from miniedit_frr.cli.exits import WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.cli.options import AsJson, print_json

ResultsFolders = Annotated[
    list[Path], typer.Argument(metavar="DIR...", help="Results folders, or folders with results folders at any depth.")
]


class Style(StrEnum):
    """A style sheet for a figure."""

    IEEE = "ieee"
    ACM = "acm"
    SLIDES = "slides"


class Log(StrEnum):
    """The logarithmic axes of a figure."""

    X = "x"
    Y = "y"
    XY = "xy"


class Align(StrEnum):
    """The start of a figure's time axis."""

    RUN = "run"
    START = "start"


class Intervals(StrEnum):
    """The method of confidence intervals."""

    STUDENT = "student"
    BOOTSTRAP = "bootstrap"


Size = Literal["column", "page", "slide", "screen"]
_SIZES: tuple[Size, ...] = ("column", "page", "slide", "screen")
_LEAST_INCHES, _MOST_INCHES = 1.0, 50.0
_LINE_OPTIONS = ("--x", "--y", "--facet", "--line-style", "--marker", "--log", "--intervals")

Kind = Annotated[
    str,
    typer.Option(
        help="series, routing, timeline, phases, inflight, sequence, shares (one run); overlay, cdf, box, violin, "
        "bar, scatter, line, heat (several)."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Output file: .png, .svg, .pdf or .pgf (default: KIND.png in the current folder)."
    ),
]
Of = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        help="Measured value: for cdf, box, violin rtt, queueing, goodput, cwnd, waited or queue; for bar, heat a "
        "column of `stats`.",
    ),
]
XField = Annotated[
    str, typer.Option("--x", metavar="FIELD", help="For lines: the field of the x axis, such as delay or queue_bdp.")
]
Statistics = Annotated[
    list[str] | None,
    typer.Option("--y", metavar="STATISTIC", help="For lines: a column of `stats`, or rtt_p99_ms and the like. Repeat "
                 "for panels of several."),
]  # fmt: skip
Facets = Annotated[
    list[str] | None,
    typer.Option(metavar="FIELD", help="For lines: a panel for each value of this field. Repeat for a second one."),
]
LineStyleField = Annotated[
    str, typer.Option(metavar="FIELD", help="For lines: the field of the line styles (default: the next one).")
]
MarkerField = Annotated[
    str, typer.Option(metavar="FIELD", help="For lines: the field of the markers (default: the next one).")
]
Logarithmic = Annotated[Log | None, typer.Option(help="For lines: axes with a logarithmic scale.")]
PlotIntervals = Annotated[
    Intervals, typer.Option(help="For lines: confidence intervals by Student's t, or by a bootstrap.")
]
StyleSheet = Annotated[
    Style | None, typer.Option(help="Style sheet: a column of an IEEE or ACM paper, or slides (default: our own).")
]
Width = Annotated[
    str,
    typer.Option(
        metavar="SIZE|INCHES",
        help="Size for one or two columns of a paper (column, page), for a slide, or for a screen; or the width in "
        "inches (default: page).",
    ),
]
Height = Annotated[
    float | None,
    typer.Option(metavar="INCHES", min=_LEAST_INCHES, max=_MOST_INCHES, help="Height in inches (default: as needed)."),
]
NoLegend = Annotated[bool, typer.Option("--no-legend", help="Draw no legend.")]
NoTitle = Annotated[bool, typer.Option("--no-title", help="Draw no title. Titles that distinguish panels stay.")]
NoFooter = Annotated[bool, typer.Option("--no-footer", help="Draw no footnote.")]
Across = Annotated[str, typer.Option(metavar="FIELD", help="For a heat map: the field of the x axis.")]
Up = Annotated[str, typer.Option(metavar="FIELD", help="For a heat map: the field of the y axis.")]
From = Annotated[float | None, typer.Option("--from", metavar="SECONDS", help="Start of the time axis in seconds.")]
To = Annotated[float | None, typer.Option("--to", metavar="SECONDS", help="End of the time axis in seconds.")]
Alignment = Annotated[Align, typer.Option(help="Time 0 is the start of the run, or of each flow (series, overlay).")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")]


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
    kind: Kind = "",
    out: Out = None,
    of: Of = "",
    x: XField = "",
    y: Statistics = None,
    facet: Facets = None,
    line_style: LineStyleField = "",
    marker: MarkerField = "",
    log: Logarithmic = None,
    intervals: PlotIntervals = Intervals.STUDENT,
    style: StyleSheet = None,
    width: Width = "",
    height: Height = None,
    no_legend: NoLegend = False,
    no_title: NoTitle = False,
    no_footer: NoFooter = False,
    across: Across = "",
    up: Up = "",
    from_s: From = None,
    to_s: To = None,
    align: Alignment = Align.RUN,
    overwrite: Overwrite = False,
) -> None:
    """Draw a figure of one run, or of several runs together. Runs with equal settings are treated as repetitions."""
    from frrlib.plots import figures  # its library takes half a second to import

    with report_errors():
        if kind and kind not in figures.KINDS:
            exit_with(f"there is no figure {kind}; choose one of {', '.join(figures.KINDS)}", WRONG_INPUT)
        if out is not None and out.suffix[1:].lower() not in figures.FORMATS:
            suffixes = ", ".join(f".{file_format}" for file_format in figures.FORMATS)
            exit_with(f"{out}: the name of a figure must end in one of {suffixes}", WRONG_INPUT)
        size, width_inches = _size(width, style)
        sheet = figures.SHEETS[style.value].style if style else ""
        paper = figures.Paper(
            style.value if style else "", width_inches, height, legend=not no_legend, title=not no_title,
            footer=not no_footer,
        )  # fmt: skip
        lines = figures.LineOptions(
            x, tuple(y or ()), tuple(facet or ()), line_style, marker, log_x=log in (Log.X, Log.XY),
            log_y=log in (Log.Y, Log.XY), method=intervals.value,
        )  # fmt: skip
        runs = open_runs(folders)
        kind = kind or figures.default_kind(len(runs))
        if kind != "line" and lines != figures.LineOptions():
            exit_with(f"{', '.join(_LINE_OPTIONS)} are for --kind line", WRONG_INPUT)
        to = out or Path(f"{kind}.png")
        if to.exists() and not overwrite:
            exit_with(f"{to} already exists; --overwrite replaces it", WRONG_INPUT)
        figure = figures.make(kind, runs, of, size, across, up, from_s, to_s, align.value, lines, paper)
        try:
            content = figures.figure_bytes(figure, to.suffix[1:].lower(), sheet=sheet)
        except ValueError as error:
            exit_with(f"{to}: {error}", WRONG_INPUT)
        replace_file(to, content)
    Console(highlight=False).print(f"{figures.KINDS[kind].title}: {to}", soft_wrap=True)


def _size(width: str, style: Style | None) -> tuple[Size, float | None]:
    """The size of a figure, and its width in inches if that is not the default."""
    from frrlib.plots.paper import SHEETS, size_for

    if not width:
        return (SHEETS[style.value].size if style else "page"), None
    for size in _SIZES:
        if width == size:
            return size, None
    try:
        inches = float(width)
    except ValueError:
        inches = math.nan
    if not _LEAST_INCHES <= inches <= _MOST_INCHES:
        exit_with(f"--width must be one of {', '.join(_SIZES)}, or a number of inches from {_LEAST_INCHES:g} to "
                  f"{_MOST_INCHES:g}", WRONG_INPUT)  # fmt: skip
    return size_for(inches), inches


def stats(
    folders: ResultsFolders,
    intervals: Annotated[
        Intervals, typer.Option(help="Confidence intervals over repetitions: Student's t, or a bootstrap.")
    ] = Intervals.STUDENT,
    medians: Annotated[
        bool, typer.Option("--medians", help="Medians with quartiles instead of means with confidence intervals.")
    ] = False,
    within: Annotated[
        float | None,
        typer.Option(
            metavar="PERCENT",
            min=0.01,
            max=100,
            help="The number of repetitions for a confidence interval of the mean plus or minus PERCENT %.",
        ),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one line for each flow of each run, for pandas or R.")
    ] = None,
    paired: Annotated[bool, typer.Option("--paired", help="Differences between two experiments, by seed.")] = False,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="Differences between two experiments whose runs share no seeds.")
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX tables instead of text.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print statistics: of one run, a table of its flows and queues; of several runs, a row for each group of equal
    settings."""
    method: Method = intervals.value
    options = {"--medians": medians, "--within": within is not None, "--paired": paired, "--unpaired": unpaired}
    if len(names := [name for name, is_set in options.items() if is_set]) > 1:
        exit_with(f"{' and '.join(names)} cannot be combined", WRONG_INPUT)
    if as_json and (medians or within is not None or latex):
        exit_with("--json cannot be combined with --medians, --within or --latex", WRONG_INPUT)
    with report_errors():
        rows = group_statistics(open_runs(folders))
        if as_json:
            values = _values(rows, method, paired=paired, unpaired=unpaired)
        else:
            tables = _tables(rows, method, medians=medians, within=within, paired=paired, unpaired=unpaired)
        if csv is not None:
            replace_file(csv, comparison_csv(rows).encode())
    if as_json:
        print_json(values)
        return
    console, text = Console(highlight=False), latex_table if latex else plain_text
    console.print("\n\n".join(text(table) for table in tables if table.rows), markup=False, soft_wrap=True)
    if csv is not None:
        console.print(f"flows of all runs: {csv}", soft_wrap=True)


def _values(rows: Sequence[GroupStatistics], method: Method, *, paired: bool, unpaired: bool) -> object:
    """The chosen statistics as JSON."""
    if paired:
        return paired_json(rows, method)
    return unpaired_json(rows, method) if unpaired else comparison_json(rows)


def _tables(
    rows: Sequence[GroupStatistics],
    method: Method,
    *,
    medians: bool,
    within: float | None,
    paired: bool,
    unpaired: bool,
) -> tuple[TextTable, ...]:
    """The tables of the chosen statistics."""
    if paired or unpaired:
        return (paired_table(rows, method) if paired else unpaired_table(rows, method),)
    if within is not None:
        return (repetitions_table(rows, within),)
    runs = [run for row in rows for run in row.statistics]
    if len(runs) == 1:
        return run_table(runs[0]), flow_table(runs[0]), queue_table(runs[0])
    return (comparison_table(rows, method, medians=medians),)
