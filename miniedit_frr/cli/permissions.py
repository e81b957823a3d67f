"""On the command line: before the first run of a new topology, the user sees and confirms what it requests."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from frrlib.model.topology import Topology
from frrlib.place.confinement.walls import missing
from frrlib.safe_text.plain import indented, one_line
from miniedit_frr.cli.exits import WRONG_INPUT, exit_with, stderr
from miniedit_frr.user import permissions

#: Limits of the printed file name and of each request, because text that has scrolled away is not read.
_LONGEST_NAME, _LONGEST_REQUEST = 200, 4000


def ask_permission(topology: Topology, file: Path, trusted: bool, place: str = "auto") -> None:
    """Show what a topology requests before its first run, and which walls are missing; end the program unless the user
    agrees.

    Args:
        topology: the topology to run.
        file: its file.
        trusted: whether the user has agreed already (`--trust`).
        place: the place where it is to run, as for `Lab`.
    """
    path = permissions.permissions_path()
    requests = permissions.missing_permissions(topology, file, path)
    if not requests:
        return
    console = stderr()
    console.print(
        f"{one_line(str(file), _LONGEST_NAME)} was not run here before. It requests:", markup=False, highlight=False
    )
    for request in requests:
        console.print(indented(request, _LONGEST_REQUEST), markup=False, highlight=False, soft_wrap=True)
    for wall in missing(place):
        warning = f"Not guaranteed on this machine: {wall.keeps} (needs {wall.needs})."
        console.print(warning, style="yellow", highlight=False, soft_wrap=True)
    if not trusted:
        if not (sys.stdin.isatty() and console.is_terminal):
            exit_with("nothing was run: use --trust if you trust the author of the topology", WRONG_INPUT)
        if not typer.confirm("Run it?", default=False, err=True):
            exit_with("nothing was run", WRONG_INPUT)
    permissions.grant(requests, file, path)
