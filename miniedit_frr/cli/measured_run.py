"""`miniedit-frr run`: one run of a topology with its flows, and its progress in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from frrlib.checks.check import with_intended_errors
from frrlib.exchange import opening
from frrlib.formats import mn
from frrlib.model.topology import Topology
from frrlib.places import PlaceName
from frrlib.results.writer import default_folder
from frrlib.run.run import RunOutcome, RunSettings
from frrlib.run.run import run as run_topology
from miniedit_frr.cli.exits import FAILED, report_errors, stderr
from miniedit_frr.cli.fault import PlannedFaults, checked_topology
from miniedit_frr.cli.options import (
    AllowedControllers,
    AllTheSame,
    AsJson,
    Captures,
    Kernel,
    Seed,
    SilentFlows,
    TopologyFile,
    Trust,
    VirtualTime,
    print_json,
    seed_of,
)
from miniedit_frr.cli.permissions import ask_permission
from miniedit_frr.terminal import report
from miniedit_frr.terminal.progress import RunProgress


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(run)


def run(
    file: TopologyFile,
    place: Annotated[PlaceName, typer.Option(help="Place of the lab.")] = PlaceName.AUTO,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Results folder (default: results/NAME-DATE-TIME).")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier run in the results folder.")
    ] = False,
    kernel: Kernel = None,
    sample_hz: Annotated[float, typer.Option(min=1, max=1000, help="Samples per second.")] = 100.0,
    virtual_time: VirtualTime = False,
    seed: Seed = None,
    capture: Captures = None,
    faults: PlannedFaults = None,
    allow_controller: AllowedControllers = None,
    silent_flow: SilentFlows = None,
    all_the_same: AllTheSame = False,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """Run a topology: build it, wait for its routes, send its flows, and save the measurements."""
    seed = seed_of(seed, virtual_time=virtual_time)
    with report_errors():
        topology = opening.load(file).topology
        topology = checked_topology(with_intended_errors(topology) if all_the_same else topology, faults)
        ask_permission(topology, file, trust, place.value)
        folder = out or default_folder(opening.name_of(file))
        text = mn.dumps(topology) if faults or all_the_same else opening.mn_text(file)
        settings = RunSettings(
            place.value, kernel, sample_hz, tuple(capture or ()), virtual_time, seed, tuple(allow_controller or ()),
            tuple(silent_flow or ()),
        )  # fmt: skip
        outcome = run_with_progress(topology, text, folder, settings, folder=file.resolve().parent, overwrite=overwrite)
    if as_json:
        print_json(report.outcome_json(outcome))
    else:
        report.print_outcome(Console(), outcome)
        if topology.faults and not outcome.failures:
            Console(highlight=False).print(f"effects of the faults: miniedit-frr timeline {folder}", soft_wrap=True)
    if outcome.failures:
        raise typer.Exit(FAILED)


def run_with_progress(
    topology: Topology, text: str, out: Path, settings: RunSettings, *, folder: Path, overwrite: bool = False
) -> RunOutcome:
    """Do what `frrlib.run.run` does, and show its progress on standard error."""
    ends_s = [flow.ends_s or flow.last_start_s for flow in topology.flows]
    with RunProgress(stderr(), max(ends_s, default=0.0)) as progress:
        return run_topology(topology, text, out, settings, progress.show, overwrite=overwrite, folder=folder)
