"""`miniedit-frr export-flent` and `import-flent`: results for flent's plots, and results of flent for our plots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from frrlib.formats.files import replace_file
from frrlib.results.flent_in import FlentError, import_flent
from frrlib.results.flent_out import flent_bytes
from frrlib.results.read import open_results
from miniedit_frr.cli.exits import WRONG_INPUT, exit_with, report_errors

_SUFFIX = ".flent.gz"


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command(name="export-flent")(export_run)
    app.command(name="import-flent")(import_run)


def export_run(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A results folder.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Output file (.flent.gz).")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
) -> None:
    """Export a run as a .flent.gz file that flent can plot: a test tcp_nup with an upload for each flow."""
    if not file.name.endswith(_SUFFIX):
        exit_with(f"{file}: the name of the output file must end in {_SUFFIX}", WRONG_INPUT)
    if file.exists() and not overwrite:
        exit_with(f"{file} already exists; --overwrite replaces it", WRONG_INPUT)
    with report_errors():
        replace_file(file, flent_bytes(open_results(folder)))
    Console(highlight=False).print(f"flent -i {file} -p totals", soft_wrap=True)


def import_run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Results of flent (.flent.gz).")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The new results folder.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace earlier results in the folder.")] = False,
) -> None:
    """Convert a .flent.gz file into a results folder, which `plot`, `stats` and `report` can read."""
    with report_errors():
        try:
            import_flent(file, folder, overwrite=overwrite)
        except FlentError as error:
            exit_with(str(error), WRONG_INPUT)
    Console(highlight=False).print(f"results: {folder}; miniedit-frr plot {folder}", soft_wrap=True)
