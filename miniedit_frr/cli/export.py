"""`miniedit-frr export` and `script`: a topology as a script or a picture, a run as a page, and the run of a script."""

from __future__ import annotations

import runpy
import shlex
import sys
import traceback
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from frrlib.exchange import opening
from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.model.topology import Topology
from miniedit_frr.cli.exits import FAILED, WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.cli.options import TOPOLOGIES, topology_file

_RAW = {"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False}


class ExportFormat(StrEnum):
    """The formats to which a topology can be exported; `html` is the replay of a run."""

    SCRIPT = "script"
    PNG = "png"
    SVG = "svg"
    PDF = "pdf"
    CONTAINERLAB = "containerlab"
    MN = "mn"
    HTML = "html"


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(export)
    app.command(name="script", context_settings=_RAW)(run_script)


def export(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help=f"{TOPOLOGIES}; with --to html, a results folder.", callback=topology_file),
    ],
    to: Annotated[
        ExportFormat | None, typer.Option(help="Output format (default: that of the output file's name, else script).")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Output file, or folder for containerlab (default: standard output)."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    show: Annotated[
        str, typer.Option(metavar="TEXT[,TEXT...]", help="Texts in a picture: names,interfaces,addresses,values,areas.")
    ] = "",
) -> None:
    """Export a topology as a Python script that runs it, a picture, a `.mn` file, or a folder of containerlab; or a run
    as an HTML page that replays it."""
    from frrlib.formats import script as scripts

    with report_errors():
        if to is ExportFormat.HTML or (to is None and out is not None and out.suffix.lower() == ".html"):
            _write(out, _replay(file), overwrite)
            return
        if file.is_dir():
            exit_with(f"{file} is a folder; of the results folder of a run, --to html makes a page", WRONG_INPUT)
        topology = opening.load(file).topology
        if to is ExportFormat.CONTAINERLAB:
            _write_containerlab(topology, file, out, overwrite)
            return
        if to is None:
            suffix = out.suffix[1:].lower() if out is not None else ""
            to = next((kind for kind in ExportFormat if kind.value == suffix), ExportFormat.SCRIPT)
        if to is not ExportFormat.SCRIPT:
            is_picture = to is not ExportFormat.MN
            content = _picture(topology, to.value, show) if is_picture else mn.dumps(topology).encode()
            _write(out, content, overwrite)
        elif out is None:
            sys.stdout.write(scripts.dumps(topology, name=f"{opening.name_of(file)}.py"))
        elif out.exists() and not overwrite:
            exit_with(f"{out} already exists and may contain your changes; --overwrite replaces it", WRONG_INPUT)
        else:
            scripts.save(topology, out)


def _write(out: Path | None, content: bytes, overwrite: bool) -> None:
    """Write content to a file, or to standard output."""
    if out is None:
        sys.stdout.buffer.write(content)
    elif out.exists() and not overwrite:
        exit_with(f"{out} already exists; --overwrite replaces it", WRONG_INPUT)
    else:
        replace_file(out, content)


def _replay(folder: Path) -> bytes:
    """The page that replays the run of a results folder."""
    from frrlib.replay.page import replay_page
    from frrlib.results.read import open_results

    if folder.is_file():
        exit_with(f"{folder} is a file; --to html needs the results folder of a run", WRONG_INPUT)
    return replay_page(open_results(folder)).encode()


def _write_containerlab(topology: Topology, file: Path, out: Path | None, overwrite: bool) -> None:
    """Write a folder of containerlab, and print the parts of the topology that have no equivalent."""
    from frrlib.exchange.containerlab import write

    if out is None:
        exit_with("containerlab needs a folder for its files; add --out FOLDER", WRONG_INPUT)
    stem = opening.name_of(file).split(".")[0]
    target = write.lab_file(topology, out, stem)
    if target.exists() and not overwrite:
        exit_with(f"{target} already exists; --overwrite replaces it", WRONG_INPUT)
    written = write.write(topology, out, stem)
    for note in written.notes:
        stderr().print(note, highlight=False, markup=False, soft_wrap=True)
    command = shlex.join(["sudo", "containerlab", "deploy", "-t", str(written.file)])
    stderr().print(f"start the lab with: {command}", highlight=False, markup=False, soft_wrap=True)


def _picture(topology: Topology, kind: str, texts: str) -> bytes:
    from frrlib.addressing.resolved import resolved
    from frrlib.picture.export import picture_bytes
    from frrlib.picture.labels import SWITCHES, Labels

    names = {name.strip() for name in texts.split(",")} - {""}
    for name in sorted(names - SWITCHES.keys()):
        exit_with(f"{name} is not a text of a picture; choose from {', '.join(SWITCHES)}", WRONG_INPUT)
    labels = Labels(**{name: name in names for name in SWITCHES}) if names else Labels()
    return picture_bytes(topology, kind, labels, resolved(topology))


def run_script(
    context: typer.Context, file: Annotated[Path, typer.Argument(metavar="FILE", help="An exported script (.py).")]
) -> None:
    """Run an exported script with this Python. Arguments after FILE are passed to the script (see FILE --help)."""
    if not file.is_file():
        exit_with(f"{file} does not exist", WRONG_INPUT)
    sys.argv = [str(file), *context.args]
    try:
        runpy.run_path(str(file), run_name="__main__")
    except OSError:  # an error of the script itself: its author needs the traceback
        traceback.print_exc()
        raise typer.Exit(FAILED) from None
