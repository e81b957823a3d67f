"""What several commands have in common: their options, and their answer as JSON."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


class PlaceName(StrEnum):
    """The places that may be asked for."""

    AUTO = "auto"
    NAMESPACE = "namespace"
    LABKERNEL = "labkernel"
    ROOT = "root"


TopologyFile = Annotated[Path, typer.Argument(metavar="FILE", help="A topology (.mn).")]
Routers = Annotated[list[str] | None, typer.Option("--router", help="Only this router; may be said several times.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of text.")]
Kernel = Annotated[
    Path | None,
    typer.Option("--kernel", envvar="MINIEDIT_FRR_KERNEL", help="A lab kernel of your own, for the place labkernel."),
]
Scheduler = Annotated[
    str, typer.Option(metavar="ADDRESS", help="A Dask scheduler, such as tcp://host:8786 (a Dask of its own).")
]
Captured = Annotated[
    list[str] | None,
    typer.Option("--capture", metavar="NODE:INTERFACE", help="Keep the headers of packets there, as in r1:r1-eth1; see "
                 "`miniedit-frr packets`. Repeat for several."),
]  # fmt: skip


def print_json(value: Any) -> None:
    """Print a value as one JSON text."""
    json.dump(value, sys.stdout, indent=2, default=str)
    sys.stdout.write("\n")
