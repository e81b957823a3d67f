"""On the command line: a drawing that is new here shows what it wants before its first run."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from frrlib.model.topology import Topology
from frrlib.place.confinement.walls import missing
from frrlib.safe_text.plain import indented, one_line
from miniedit_frr.cli.exits import WRONG_INPUT, exit_with, stderr
from miniedit_frr.user import permissions

#: How much of a file's name and of each wish is shown: nobody reads text that has scrolled away.
_LONGEST_NAME, _LONGEST_WISH = 200, 4000


def ask_permission(topology: Topology, file: Path, trusted: bool, place: str = "auto") -> None:
    """Show what a drawing wants before its first run, and which walls are missing; end the program unless the user
    agrees.

    Args:
        place: where it is to run, as `Lab` takes it.
        trusted: whether the user has said so already (`--trust`).
    """
    path = permissions.permissions_path()
    wanted = permissions.missing_permissions(topology, file, path)
    if not wanted:
        return
    console = stderr()
    console.print(
        f"{one_line(str(file), _LONGEST_NAME)} was not run here before. It requests:", markup=False, highlight=False
    )
    for wish in wanted:
        console.print(indented(wish, _LONGEST_WISH), markup=False, highlight=False, soft_wrap=True)
    for wall in missing(place):
        warning = f"Not guaranteed on this machine: {wall.keeps} (needs {wall.needs})."
        console.print(warning, style="yellow", highlight=False, soft_wrap=True)
    if not trusted:
        if not (sys.stdin.isatty() and console.is_terminal):
            exit_with("nothing was run: use --trust if you trust the author of the topology", WRONG_INPUT)
        if not typer.confirm("Run it?", default=False, err=True):
            exit_with("nothing was run", WRONG_INPUT)
    permissions.grant(wanted, file, path)
