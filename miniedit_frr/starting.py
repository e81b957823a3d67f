"""`miniedit-frr start`: a lab that goes on by itself."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from frrlib.errors import LabFailed
from frrlib.formats import mn
from frrlib.held import HeldLab
from frrlib.hold import register
from frrlib.model.check import check
from miniedit_frr.endings import FAILED, end, refuse, stderr, told
from miniedit_frr.progress import Progress


class PlaceName(StrEnum):
    """The places that may be asked for."""

    AUTO = "auto"
    NAMESPACE = "namespace"
    LABKERNEL = "labkernel"
    ROOT = "root"


def start(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A topology (.mn).")],
    place: Annotated[PlaceName, typer.Option(help="Where the lab runs.")] = PlaceName.AUTO,
    name: Annotated[str, typer.Option(help="What to call the lab (the file's name).")] = "",
    wait: Annotated[bool, typer.Option(help="Wait until every router has the routes that it should get.")] = True,
    kernel: Annotated[
        Path | None,
        typer.Option("--kernel", envvar="MINIEDIT_FRR_KERNEL", help="A lab kernel of your own, for labkernel."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON value instead of the lab's name.")] = False,
) -> None:
    """Start a lab, without its flows, and leave it running; prints its name. `labs` lists it, `labs stop` ends it."""
    missing = ""
    with told():
        topology = mn.load(file).topology
        refuse(check(topology))
        with Progress(stderr()) as progress:
            lab = HeldLab(topology, place=place.value, kernel=kernel, listener=progress.take, name=name, file=file)
            with lab:
                if wait and topology.wait.routes:
                    try:
                        lab.wait_routes()
                    except LabFailed as error:
                        missing = str(error)
                called = lab.name
                lab.leave()
        card = register.find(called)
    if as_json:
        json.dump(register.summary(card), sys.stdout, indent=2)
        sys.stdout.write("\n")
    else:
        sys.stdout.write(f"{called}\n")
    for node, why in card.failed_commands.items():
        stderr().print(f"{node}: {why}", highlight=False, markup=False, soft_wrap=True)
    if missing:
        end(f"{called} runs, but {missing}", FAILED)
