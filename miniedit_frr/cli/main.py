"""The command line.

Commands for topologies: `miniedit-frr run FILE`, `check FILE`, `export FILE`, `script FILE`, `edit [FILE]`,
`routing PRESET FILE`, `verify FILE`, `sweep FILE`, `experiment`, `places`, `kernel`. Commands for detached labs:
`start FILE`, `labs`, `exec`, `shell`, `vtysh`, `config`, `fault`, `link`, `path`, `ssh-config`. Commands for results:
`rerun DIR`, `timeline DIR`, `packets DIR`, `plot DIR...`, `stats DIR...`, `report DIR...`, `import-flent`,
`export-flent`.

Exit status: 0 for success; 1 if the lab failed, or `check` found errors; 2 if the input is wrong; 3 if this machine
lacks something (the message has the command that installs it); 130 after Ctrl-C.
"""

from __future__ import annotations

import runpy
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from frrlib import __version__
from frrlib.edits.mininet_topologies import usage
from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.model.topology import Topology
from frrlib.places import PlaceName
from miniedit_frr.cli import (
    checks,
    config,
    experiment,
    fault,
    flent,
    kernels,
    labs,
    packets,
    path,
    plot,
    rerun,
    routing,
    sweep,
    timelines,
    topotests,
    verify,
)
from miniedit_frr.cli import (
    link as link_command,
)
from miniedit_frr.cli import (
    report as report_command,
)
from miniedit_frr.cli.edit import CUSTOM_NOT_SUPPORTED, initial_topology, open_window
from miniedit_frr.cli.exits import FAILED, WRONG_INPUT, exit_on_sigterm, exit_with, report_errors, stderr
from miniedit_frr.cli.options import (
    AllowedControllers,
    AsJson,
    Captures,
    Kernel,
    Seed,
    SilentFlows,
    TopologyFile,
    Trust,
    VirtualTime,
    print_json,
    seed_of,
)
from miniedit_frr.cli.permissions import ask_permission
from miniedit_frr.terminal import report

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Draw, run and measure labs of hosts, switches and FRR routers, without root.",
)


class ExportFormat(StrEnum):
    """The formats to which a topology can be exported."""

    SCRIPT = "script"
    PNG = "png"
    SVG = "svg"
    PDF = "pdf"


def _print_version(is_requested: bool) -> None:
    if is_requested:
        sys.stdout.write(f"miniedit-frr {__version__}\n")
        raise typer.Exit


@app.callback()
def _general(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before every command."""


@app.command()
def run(
    file: TopologyFile,
    place: Annotated[PlaceName, typer.Option(help="Place of the lab.")] = PlaceName.AUTO,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Results folder (default: results/NAME-DATE-TIME).")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier run in the results folder.")
    ] = False,
    kernel: Kernel = None,
    sample_hz: Annotated[float, typer.Option(min=1, max=1000, help="Samples per second.")] = 100.0,
    virtual_time: VirtualTime = False,
    seed: Seed = None,
    capture: Captures = None,
    faults: fault.PlannedFaults = None,
    allow_controller: AllowedControllers = None,
    silent_flow: SilentFlows = None,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """Run a topology: build it, wait for its routes, send its flows, and save the measurements."""
    from frrlib.results.writer import default_folder
    from frrlib.run.run import RunSettings
    from miniedit_frr.cli.measured_run import run_with_progress

    seed = seed_of(seed, virtual_time=virtual_time)
    with report_errors():
        topology = fault.checked_topology(mn.load(file).topology, faults)
        ask_permission(topology, file, trust, place.value)
        folder = out or default_folder(file.stem)
        text = mn.dumps(topology) if faults else mn.read_text(file)
        settings = RunSettings(
            place.value, kernel, sample_hz, tuple(capture or ()), virtual_time, seed, tuple(allow_controller or ()),
            tuple(silent_flow or ()),
        )  # fmt: skip
        outcome = run_with_progress(topology, text, folder, settings, folder=file.resolve().parent, overwrite=overwrite)
    if as_json:
        print_json(report.outcome_json(outcome))
    else:
        report.print_outcome(Console(), outcome)
        if topology.faults and not outcome.failures:
            Console(highlight=False).print(f"effects of the faults: miniedit-frr timeline {folder}", soft_wrap=True)
    if outcome.failures:
        raise typer.Exit(FAILED)


@app.command()
def export(
    file: TopologyFile,
    to: Annotated[
        ExportFormat | None, typer.Option(help="Output format (default: that of the output file's name, else script).")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Output file (default: standard output).")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    show: Annotated[
        str, typer.Option(metavar="TEXT[,TEXT...]", help="Texts in a picture: names,interfaces,addresses,values,areas.")
    ] = "",
) -> None:
    """Export a topology as a Python script that runs it, or as a picture."""
    from frrlib.formats import script as scripts

    with report_errors():
        topology = mn.load(file).topology
        if to is None:
            suffix = out.suffix[1:].lower() if out is not None else ""
            to = next((kind for kind in ExportFormat if kind.value == suffix), ExportFormat.SCRIPT)
        if to is not ExportFormat.SCRIPT:
            content = _picture(topology, to.value, show)
            if out is None:
                sys.stdout.buffer.write(content)
            elif out.exists() and not overwrite:
                exit_with(f"{out} already exists; --overwrite replaces it", WRONG_INPUT)
            else:
                replace_file(out, content)
        elif out is None:
            sys.stdout.write(scripts.dumps(topology, name=f"{file.stem}.py"))
        elif out.exists() and not overwrite:
            exit_with(f"{out} already exists and may contain your changes; --overwrite replaces it", WRONG_INPUT)
        else:
            scripts.save(topology, out)


def _picture(topology: Topology, kind: str, texts: str) -> bytes:
    from frrlib.addressing.resolved import resolved
    from frrlib.picture.export import picture_bytes
    from frrlib.picture.labels import SWITCHES, Labels

    names = {name.strip() for name in texts.split(",")} - {""}
    for name in sorted(names - SWITCHES.keys()):
        exit_with(f"{name} is not a text of a picture; choose from {', '.join(SWITCHES)}", WRONG_INPUT)
    labels = Labels(**{name: name in names for name in SWITCHES}) if names else Labels()
    return picture_bytes(topology, kind, labels, resolved(topology))


@app.command(
    name="script",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False},
)
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


@app.command()
def edit(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="A topology (.mn) to open.")] = None,
    topo: Annotated[
        str, typer.Option(metavar="NAME[,PARAMETER=VALUE...]", help=f"Open this topology of Mininet: {usage()}.")
    ] = "none",
    link: Annotated[
        str, typer.Option(metavar="default|tc[,bw=...]", help="Link type and options, as in tc,bw=10,delay=5ms,loss=1.")
    ] = "default",
    controller: Annotated[bool, typer.Option(help="Add a controller for the switches of --topo.")] = True,
    custom: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.py", help="Not supported, because the editor executes no files; prints an alternative."
        ),
    ] = None,
) -> None:
    """Open the editor's window, with a file or one of Mininet's topologies."""
    if custom is not None:
        exit_with(CUSTOM_NOT_SUPPORTED, WRONG_INPUT)
    with report_errors():
        topology = initial_topology(topo, link, controller)
        if file is not None and topology.nodes:
            exit_with("a file and --topo cannot be combined; remove one of them", WRONG_INPUT)
        open_window(file, topology)


@app.command()
def places(
    as_json: AsJson = False,
    kernel: Kernel = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Probe again instead of using the cached result.")] = False,
) -> None:
    """Show the places where labs can run on this machine, and their features."""
    from frrlib.place.choice import all_places

    with report_errors():
        console = stderr()
        with console.status("probing the places") if console.is_terminal else _nothing():
            abilities = [place.abilities(refresh=refresh) for place in all_places(kernel)]
    if as_json:
        print_json(report.places_json(abilities))
    else:
        report.print_places(Console(), abilities)


checks.add_to(app)
labs.add_to(app)
config.add_to(app)
routing.add_to(app)
topotests.add_to(app)
fault.add_to(app)
link_command.add_to(app)
path.add_to(app)
timelines.add_to(app)
packets.add_to(app)
plot.add_to(app)
flent.add_to(app)
report_command.add_to(app)
rerun.add_to(app)
verify.add_to(app)
sweep.add_to(app)
app.add_typer(kernels.kernel_app, name="kernel")
app.add_typer(experiment.experiment_app, name="experiment")


def main() -> None:
    """The console script. SIGTERM ends the program as Ctrl-C does, so that the lab is stopped and cleaned up."""
    exit_on_sigterm()
    app()


@contextmanager
def _nothing() -> Iterator[None]:
    yield


if __name__ == "__main__":
    main()
