"""`miniedit-frr setup`: the Debian packages that labs need, fetched without root if the machine lacks them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from frrlib.errors import PlaceError
from frrlib.missing_packages import machine
from frrlib.missing_packages.command import run_setup
from frrlib.missing_packages.errors import SetupError
from miniedit_frr.cli.exits import WRONG_INPUT, exit_with, report_errors


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(setup)


def setup(
    status: Annotated[bool, typer.Option("--status", help="Show what is installed, and what was fetched.")] = False,
    update: Annotated[bool, typer.Option("--update", help="Fetch newer versions of what was fetched.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Delete what was fetched.")] = False,
    bundle: Annotated[
        Path | None, typer.Option(help="Write the packages to a file for machines without a network.")
    ] = None,
    source: Annotated[Path | None, typer.Option("--from", help="Use such a file.")] = None,
    kernel: Annotated[bool, typer.Option("--kernel", help="Also what building lab kernels needs.")] = False,
) -> None:
    """Fetch the Debian packages that labs need and that are not installed. This needs no root and no sudo.

    They stay in the user's cache, and miniedit-frr uses them from there. Nothing else on the machine changes.
    """
    flags = (("--status", status), ("--update", update), ("--remove", remove))
    options = [name for name, is_set in flags if is_set]
    options += [f"{name}={path}" for name, path in (("--bundle", bundle), ("--from", source)) if path is not None]
    if len(options) > 1:
        exit_with("choose one of --status, --update, --remove, --bundle and --from", WRONG_INPUT)
    with report_errors():
        try:
            run_setup(machine.cache_folder(), [*options, *(["--kernel"] if kernel else [])])
        except SetupError as error:
            raise PlaceError(str(error)) from error
