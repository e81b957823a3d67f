"""`miniedit-frr start`: starts a detached lab, which keeps running when the command has ended."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from frrlib.checks.check import check, with_intended_errors
from frrlib.errors import LabFailed
from frrlib.exchange import opening
from frrlib.lab.detached import DetachedLab
from frrlib.lab_server import register
from frrlib.places import PlaceName
from miniedit_frr.cli.exits import FAILED, exit_on_errors, exit_with, report_errors, stderr
from miniedit_frr.cli.options import AllowedControllers, AllTheSame, Kernel, TopologyFile, Trust, print_json
from miniedit_frr.cli.permissions import ask_permission
from miniedit_frr.terminal.progress import RunProgress


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(start)


def start(
    file: TopologyFile,
    place: Annotated[PlaceName, typer.Option(help="Place of the lab.")] = PlaceName.AUTO,
    name: Annotated[str, typer.Option(help="Name of the lab (default: the name of the file).")] = "",
    wait: Annotated[bool, typer.Option(help="Wait until the network has converged.")] = True,
    kernel: Kernel = None,
    allow_controller: AllowedControllers = None,
    all_the_same: AllTheSame = False,
    trust: Trust = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON value instead of the lab's name.")] = False,
) -> None:
    """Start a lab, without its flows, and leave it running. Prints the name of the lab.

    `labs` lists the running labs, and `labs stop` ends a lab.
    """
    missing = ""
    with report_errors():
        topology = opening.load(file).topology
        if all_the_same:
            topology = with_intended_errors(topology)
        exit_on_errors(check(topology), topology)
        ask_permission(topology, file, trust, place.value)
        with RunProgress(stderr()) as progress:
            lab = DetachedLab(
                topology,
                place=place.value,
                kernel=kernel,
                listener=progress.show,
                name=name or opening.name_of(file),
                file=file,
                allowed_controllers=allow_controller or (),
            )
            with lab:
                if wait and topology.wait.routes:
                    try:
                        lab.wait_converged()
                    except LabFailed as error:
                        missing = str(error)
                lab_name = lab.name
                lab.leave()
        card = register.find(lab_name)
    if as_json:
        print_json(register.summary(card))
    else:
        sys.stdout.write(f"{lab_name}\n")
    messages = [f"warning: {warning}" for warning in card.warnings]
    messages += [f"{node}: {reason}" for node, reason in card.failed_commands.items()]
    for line in messages:
        stderr().print(line, highlight=False, markup=False, soft_wrap=True)
    if missing:
        exit_with(f"{lab_name} is running, but {missing}", FAILED)
