"""`miniedit-frr report`: runs as one HTML file, with figures, tables, verdicts, topologies and versions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from frrlib.errors import LabError
from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.results import web_page
from frrlib.results.cards import read_notes
from frrlib.results.records import Results
from frrlib.results.series import flow_samples
from frrlib.results.statistics.comparison import (
    GroupStatistics,
    comparison_table,
    flow_table,
    group_statistics,
    queue_table,
    run_table,
)
from frrlib.results.statistics.differences import varied_fields
from frrlib.results.statistics.statistics import RunStatistics
from frrlib.results.statistics.summary import summarize
from frrlib.results.statistics.table import findings_table, problem_lists
from frrlib.results.verdict.finding import reasons
from miniedit_frr.cli.exits import WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.cli.plot import ResultsFolders, open_runs

#: Facts about a run's machine and software, in the order of the report. Other recorded facts are only in the folder.
_VERSIONS = (
    "miniedit_frr", "commit", "kernel", "kernel_digest", "frr", "iperf3", "tc", "mininet",
    "openvswitch", "python", "host_kernel", "cpus",
)  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command(name="report")(write_report)


def write_report(
    folders: ResultsFolders,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output file (.html).")] = Path("report.html"),
    title: Annotated[
        str, typer.Option(help="Title of the report (default: the title of the run, or the number of runs).")
    ] = "",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
) -> None:
    """Write a report on one or several runs: one self-contained HTML file, for the screen and for print."""
    if out.exists() and not overwrite:
        exit_with(f"{out} already exists; --overwrite replaces it", WRONG_INPUT)
    with report_errors():
        runs = open_runs(folders)
        with stderr().status(f"writing {out}"):
            replace_file(out, report_page(runs, title).encode())
    Console(highlight=False).print(f"report: {out}", soft_wrap=True)


def report_page(runs: Sequence[Results], title: str = "") -> str:
    """The report on these runs as an HTML page."""
    rows = group_statistics(runs)
    ordered = [pair for row in rows for pair in zip(row.group.runs, row.statistics, strict=True)]
    names = list(dict.fromkeys(statistics.name for _, statistics in ordered))
    title = title or (names[0] if len(names) == 1 else f"{len(runs)} runs")
    body = [f"<h1>{escape(title)}</h1>", web_page.paragraph(_count_and_dates(runs), "faint")]
    if len(runs) > 1:
        body += _comparison(runs, rows)
    for number, (run, statistics) in enumerate(ordered, 1):
        body += _single_run(run, statistics, f"{number}. {run.folder.name}" if len(runs) > 1 else "")
    return web_page.page(title, [part for part in body if part])


def _count_and_dates(runs: Sequence[Results]) -> str:
    days = sorted({run.info.started[:10] for run in runs if run.info.started})
    count = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    return ", ".join(filter(None, (count, " to ".join(dict.fromkeys((*days[:1], *days[-1:]))))))


def _comparison(runs: Sequence[Results], rows: Sequence[GroupStatistics]) -> Iterator[str]:
    """Several runs compared: their statistics, and the figures that fit the number of varied fields."""
    yield web_page.table(comparison_table(rows))
    kinds = [("bar", ""), ("scatter", ""), ("cdf", "queueing")] if len(rows) <= _MOST_EXPERIMENTS else []
    if len(varied_fields(runs)) > 1:
        kinds += [("heat", "goodput_mbit"), ("heat", "queueing_ms")]
    if len(runs) <= _MOST_IN_OVERLAY:
        kinds.append(("overlay", ""))
    for kind, of in kinds:
        yield _figure(kind, runs, of, half=kind in ("heat",))


#: With more experiments than this, bars, clouds and distributions are crowded.
_MOST_EXPERIMENTS = 8
#: With more runs than this, the curves of an overlay are crowded.
_MOST_IN_OVERLAY = 7


def _single_run(run: Results, statistics: RunStatistics, heading: str) -> Iterator[str]:
    """The part of the report about one run."""
    summary = summarize(run)
    if heading:
        yield f"<h2>{escape(heading)}</h2>"
    yield web_page.verdict(summary.verdict, reasons(summary.findings, "wrong", "doubt"))
    for block, lines in problem_lists(summary):
        if block in ("Failed", "Missing"):
            yield web_page.facts([(block if not at else "", line) for at, line in enumerate(lines)])
    if notes := read_notes(run.folder):
        yield f"<pre>{escape(notes)}</pre>"
    had_faults = any(event.kind == "fault" and event.time_s >= 0 for event in run.events)
    yield _figure("routing" if had_faults else "series", [run])
    if len(flow_samples(run)) > 1:
        yield _figure("shares", [run], half=True)
    yield _figure("cdf", [run], "queueing", half=True)
    yield web_page.table(run_table(statistics), titled=False)
    yield web_page.table(flow_table(statistics))
    yield web_page.table(queue_table(statistics))
    if (findings := findings_table(summary)) is not None:
        yield web_page.table(findings)
    yield _topology_picture(run)
    yield web_page.facts(_settings(run), "Environment")
    yield web_page.paragraph(f"Results: {run.folder.resolve()}", "faint")


def _figure(kind: str, runs: Sequence[Results], of: str = "", *, half: bool = False) -> str:
    from frrlib.plots import figures  # its library takes half a second to import

    kind_of_figure = figures.KINDS[kind]
    figure = figures.make(kind, runs, of, "column" if half else "page")
    of = of or (kind_of_figure.of[0] if kind_of_figure.of else "")
    caption = kind_of_figure.title if not of else f"{kind_of_figure.title}: {of.replace('_', ' ')}"
    return web_page.picture(figures.figure_bytes(figure, "svg"), caption, half=half)


def _topology_picture(run: Results) -> str:
    """The picture of the run's topology, or "" if the folder has no topology that can be read."""
    from frrlib.addressing.resolved import resolved
    from frrlib.picture.export import picture_bytes
    from frrlib.picture.labels import Labels

    try:
        topology = mn.loads(run.topology_text).topology
    except LabError:
        return ""
    if not topology.nodes:
        return ""
    svg = picture_bytes(topology, "svg", Labels(values=True), resolved(topology))
    return web_page.picture(svg, "Topology of the run")


def _settings(run: Results) -> list[tuple[str, str]]:
    info = run.info
    place = f"{info.place}: {info.place_reason}" if info.place_reason else info.place
    facts = [("started", info.started), ("finished", info.finished), ("place", place)]
    facts += [(name.replace("_", " "), str(info.facts[name])) for name in _VERSIONS if name in info.facts]
    facts += [
        (f"requested: {name.replace('_', ' ')}", json.dumps(value))
        for name, value in info.settings.items()
        if value is not None
    ]
    return [(name, value) for name, value in facts if value]
