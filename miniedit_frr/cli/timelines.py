"""`miniedit-frr timeline`: the effects of faults in one run, or in several runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from frrlib.exchange import opening
from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.places import PlaceName
from frrlib.results.read import open_results
from frrlib.results.timeline import FaultTimeline, fault_timeline
from miniedit_frr.cli.exits import FAILED, WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.cli.fault import PlannedFaults, checked_topology
from miniedit_frr.cli.options import AsJson, Trust, print_json
from miniedit_frr.cli.permissions import ask_permission
from miniedit_frr.terminal import timeline as output

_SUFFIXES = (".png", ".svg", ".pdf")


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command(name="timeline")(show_timeline)


def show_timeline(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR|FILE...",
            help="Results folders, or topologies (.mn), which are run first with their flows and faults.",
        ),
    ],
    all_events: Annotated[bool, typer.Option("--all", help="Show all events.")] = False,
    figure: Annotated[
        Path | None, typer.Option(help="Also draw a figure of one run into this file (.png, .svg or .pdf).")
    ] = None,
    place: Annotated[PlaceName, typer.Option(help="Place of the labs.")] = PlaceName.AUTO,
    faults: PlannedFaults = None,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """Show the effects of each fault of a run: its detection, lost neighbors, SPF runs, new routes, and gaps of flows.

    Several runs are compared side by side.
    """
    if figure is not None and (len(sources) > 1 or figure.suffix not in _SUFFIXES):
        exit_with(f"a figure shows one run, and its name must end in one of {', '.join(_SUFFIXES)}", WRONG_INPUT)
    with report_errors():
        folders = [source if source.is_dir() else _run(source, place, faults, trust) for source in sources]
        timelines = [fault_timeline(open_results(folder)) for folder in folders]
        if figure is not None:
            from frrlib.plots.timeline import figure_bytes  # its library takes half a second to import

            replace_file(figure, figure_bytes(open_results(folders[0]), figure.suffix[1:]))
    if as_json:
        timelines_json = [output.timeline_json(timeline) for timeline in timelines]
        print_json(timelines_json if len(timelines_json) > 1 else timelines_json[0])
        return
    _print_timelines(timelines, all_events)


def _print_timelines(timelines: list[FaultTimeline], all_moments: bool) -> None:
    console = Console(highlight=False)
    for timeline in timelines:
        output.print_timeline(console, timeline, all_moments=all_moments)
        console.print()
    if len(timelines) > 1:
        output.print_comparison(console, timelines)


def _run(file: Path, place: PlaceName, faults: list[str] | None, trust: bool) -> Path:
    """Run a topology and return its results folder. Ends the program if the run failed."""
    from frrlib.results.writer import default_folder
    from frrlib.run.run import RunSettings
    from miniedit_frr.cli.measured_run import run_with_progress

    topology = checked_topology(opening.load(file).topology, faults)
    ask_permission(topology, file, trust, place.value)
    folder = default_folder(opening.name_of(file))
    text = mn.dumps(topology) if faults else opening.mn_text(file)
    outcome = run_with_progress(topology, text, folder, RunSettings(place.value), folder=file.resolve().parent)
    if outcome.failures:
        exit_with(f"{file}: {'; '.join(outcome.failures)} (results are in {folder})", FAILED)
    stderr().print(f"results: {folder}", highlight=False, soft_wrap=True)
    return folder
