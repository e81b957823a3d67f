"""Options that several commands have, and output as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from miniedit_frr.cli.exits import WRONG_INPUT, exit_with

#: The files that hold a topology, in helps.
TOPOLOGIES = "A topology (.mn, .clab.yml, .graphml, .xml of CORE, .gns3, or the folder of a Kathara lab)"


def topology_file(path: Path | None) -> Path | None:
    """The file of a topology on the command line: `lab.conf` for the folder of a lab of Kathara."""
    from frrlib.exchange import opening

    return None if path is None else opening.file_of(path)


TopologyFile = Annotated[Path, typer.Argument(metavar="FILE", help=f"{TOPOLOGIES}.", callback=topology_file)]
Routers = Annotated[list[str] | None, typer.Option("--router", help="Only this router. Repeat for several.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of text.")]
Kernel = Annotated[
    Path | None,
    typer.Option("--kernel", envvar="MINIEDIT_FRR_KERNEL", help="File of a lab kernel, for the place labkernel."),
]
VirtualTime = Annotated[
    bool,
    typer.Option("--virtual-time", help="Use virtual time: idle time is skipped, and repeated runs are identical."),
]
AllowedControllers = Annotated[
    list[str] | None,
    typer.Option("--allow-controller", metavar="ADDRESS:PORT", help="Let switches connect to a remote controller at "
                 "this address outside of the lab. Repeat for several."),
]  # fmt: skip
SilentFlows = Annotated[
    list[str] | None,
    typer.Option("--silent-flow", metavar="FLOW", help="A flow that is expected to deliver nothing, such as one that a "
                 "firewall blocks. Any other flow that delivers nothing fails the run. Repeat for several."),
]  # fmt: skip
Trust = Annotated[bool, typer.Option("--trust", help="Run a new topology and its commands without asking.")]
AllTheSame = Annotated[
    bool,
    typer.Option("--all-the-same", help="Run with errors that real networks can have, such as a wrong AS number."),
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Seed of all random numbers in virtual time (default: 1).")]
Scheduler = Annotated[
    str,
    typer.Option(metavar="ADDRESS", help="Address of a Dask scheduler, such as tcp://host:8786 (default: start one)."),
]
Captures = Annotated[
    list[str] | None,
    typer.Option("--capture", metavar="NODE:INTERFACE", help="Capture packet headers at this interface, as in "
                 "r1:r1-eth1; see `miniedit-frr packets`. Repeat for several."),
]  # fmt: skip


def seed_of(seed: int | None, *, virtual_time: bool) -> int:
    """The seed of a command's option, or 1 without one. Ends the program if a seed is given for real time."""
    if seed is not None and not virtual_time:
        exit_with("--seed needs --virtual-time, because real time has random effects without a seed", WRONG_INPUT)
    return 1 if seed is None else seed


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    json.dump(value, sys.stdout, indent=2, default=str)
    sys.stdout.write("\n")
