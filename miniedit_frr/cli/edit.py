"""Opens the editor's window. Supports MiniEdit's options `--topo` and `--link`, and explains why not `--custom`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from frrlib.edits import mininet_topologies
from frrlib.errors import PlaceError, TopologyError
from frrlib.exercises.running import advice_about
from frrlib.formats.entry import Notices
from frrlib.formats.mininet_links import LINK_OPTIONS, link_shape
from frrlib.model.links import Shape
from frrlib.model.topology import Topology
from frrlib.system.loading import loading
from miniedit_frr.cli.exits import WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.cli.options import TOPOLOGIES, topology_file

_LINKS = ("default", "tc")
CUSTOM_NOT_SUPPORTED = """\
--custom is not supported: MiniEdit executes that file, but this editor never executes files that it opens.
If you trust the file, convert its topology with your own Python, and open the result:

    from frrlib.formats import mininet_topo, mn
    mn.save(mininet_topo.topology_of(MyTopo()), "my.mn")

Python then prints a remark for each option that has no equivalent here.
To write a lab as a Python script, see `miniedit-frr export FILE --to script`."""


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(edit)


def edit(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help=f"{TOPOLOGIES}, or a packed exercise (.mnx).", callback=topology_file),
    ] = None,
    topo: Annotated[
        str,
        typer.Option(
            metavar="NAME[,PARAMETER=VALUE...]", help=f"Open this topology of Mininet: {mininet_topologies.usage()}."
        ),
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
        try:
            open_window(file, topology)
        except TopologyError as error:
            advice = advice_about(file) if file is not None else ""
            if not advice:
                raise
            exit_with(f"{error}. {advice}", WRONG_INPUT)


def initial_topology(topo: str, link: str = "default", controller: bool = True) -> Topology:
    """The topology that MiniEdit's options describe.

    Args:
        topo: Mininet's name of a topology, with parameters, as in "tree,depth=2,fanout=3".
        link: "default", or "tc" with options for every link, as in "tc,bw=10,delay=5ms".
        controller: whether there is a controller for all switches.

    Raises:
        TopologyError: Mininet has no such topology, link type or option.
    """
    return mininet_topologies.topology_of(topo, _shape(link), controller)


def open_window(file: Path | None, topology: Topology) -> None:
    """Open the editor with a file or a topology, and return when it is closed.

    Raises:
        PlaceError: this Python has no tkinter, or there is no display.
        TopologyError: the file is not a topology.
    """
    try:
        with loading():
            from miniedit_frr.app.app import edit as open_editor
    except ImportError as error:
        if error.name not in ("tkinter", "_tkinter"):
            raise
        raise PlaceError("this Python has no tkinter", "apt install python3-tk") from None
    open_editor(file, topology)


def _shape(link: str) -> Shape:
    name, *words = [word.strip() for word in link.split(",")]
    if name not in _LINKS:
        raise TopologyError(f"{name!r} is not a link type", field="--link", remedy=f"one of {', '.join(_LINKS)}")
    options = dict(word.partition("=")[::2] for word in words)
    for key in options:
        if name != "tc" or key not in LINK_OPTIONS:
            remedy = f"tc has {', '.join(LINK_OPTIONS)}, as in tc,bw=10,delay=5ms"
            raise TopologyError(f"{name} has no option {key!r}", field="--link", remedy=remedy)
    from miniedit_frr.terminal.problems import problem_line

    notices = Notices()
    shape = link_shape(options, "--link", notices)
    for problem in notices.all():
        stderr().print(problem_line(problem, None), soft_wrap=True, highlight=False)
    return shape
