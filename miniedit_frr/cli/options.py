"""Shared parts of several commands: their options, and their answer as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from miniedit_frr.cli.endings import WRONG_INPUT, end

TopologyFile = Annotated[Path, typer.Argument(metavar="FILE", help="A topology (.mn).")]
Routers = Annotated[list[str] | None, typer.Option("--router", help="Only this router; may be said several times.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of text.")]
Kernel = Annotated[
    Path | None,
    typer.Option("--kernel", envvar="MINIEDIT_FRR_KERNEL", help="A lab kernel of your own, for the place labkernel."),
]
VirtualTime = Annotated[
    bool, typer.Option("--virtual-time", help="Jump over the time in which nothing happens; repeats exactly.")
]
AllowedControllers = Annotated[
    list[str] | None,
    typer.Option("--allow-controller", metavar="ADDRESS:PORT", help="Let switches reach the remote controller that "
                 "runs there, outside of the lab. Repeat for several."),
]  # fmt: skip
SilentFlows = Annotated[
    list[str] | None,
    typer.Option("--silent-flow", metavar="FLOW", help="A flow that is meant to deliver nothing, for example because a "
                 "firewall stops it. Any other flow that delivers nothing fails the run. Repeat for several."),
]  # fmt: skip
Trusted = Annotated[
    bool, typer.Option("--trust", help="Run a drawing that is new here, with its own commands, without being asked.")
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="In virtual time: of all random numbers (1).")]
Scheduler = Annotated[
    str, typer.Option(metavar="ADDRESS", help="A Dask scheduler, such as tcp://host:8786 (a Dask of its own).")
]
Captured = Annotated[
    list[str] | None,
    typer.Option("--capture", metavar="NODE:INTERFACE", help="Keep the headers of packets there, as in r1:r1-eth1; see "
                 "`miniedit-frr packets`. Repeat for several."),
]  # fmt: skip


def seed_of(seed: int | None, *, virtual_time: bool) -> int:
    """The seed that a command was given, 1 without. Ends the program where one is given for real time."""
    if seed is not None and not virtual_time:
        end("--seed is for --virtual-time; in real time much depends on chance that has no seed", WRONG_INPUT)
    return 1 if seed is None else seed


def print_json(value: Any) -> None:
    """Print a value as one JSON text."""
    json.dump(value, sys.stdout, indent=2, default=str)
    sys.stdout.write("\n")
