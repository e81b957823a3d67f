"""Detached labs on the command line: starts, lists and stops them, runs commands in their nodes, sets up SSH."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from frrlib.checks.check import check, with_intended_errors
from frrlib.errors import LabFailed
from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.lab.detached import DetachedLab
from frrlib.lab_server import place as held_places
from frrlib.lab_server import protocol, register, ssh
from frrlib.lab_server import ssh_proxy as proxy
from frrlib.lab_server.register import Card
from frrlib.places import PlaceName
from frrlib.safe_text.plain import one_line
from miniedit_frr.cli.config import save_final_configs
from miniedit_frr.cli.detached_lab import join_lab, lab_and_node_names, lab_names
from miniedit_frr.cli.exits import FAILED, WRONG_INPUT, exit_on_errors, exit_with, report_errors, stderr
from miniedit_frr.cli.options import (
    AllowedControllers,
    AllTheSame,
    AsJson,
    Kernel,
    TopologyFile,
    Trust,
    print_json,
)
from miniedit_frr.cli.permissions import ask_permission
from miniedit_frr.terminal.progress import RunProgress

labs_app = typer.Typer(help="List the running labs; `labs stop NAME` stops one.")

NodeWords = Annotated[
    list[str],
    typer.Argument(
        metavar="[LAB] NODE", help="The node, after the lab if several are running.", autocompletion=lab_and_node_names
    ),
]
#: The longest path that is shown (PATH_MAX).
_LONGEST_FILE = 4096
#: All words after the node belong to the command, including options.
_RAW = {"ignore_unknown_options": True, "allow_interspersed_args": False}
Lab = Annotated[
    str, typer.Argument(metavar="[LAB]", help="The lab, required if several are running.", autocompletion=lab_names)
]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(start)
    app.add_typer(labs_app, name="labs")
    app.command(name="exec", context_settings=_RAW)(execute)
    app.command()(shell)
    app.command(context_settings=_RAW)(vtysh)
    app.command(name="ssh-config")(ssh_config)
    app.command(name="ssh-proxy", hidden=True)(ssh_proxy)


def start(
    file: TopologyFile,
    place: Annotated[PlaceName, typer.Option(help="Place of the lab.")] = PlaceName.AUTO,
    name: Annotated[str, typer.Option(help="Name of the lab (default: the name of the file).")] = "",
    wait: Annotated[bool, typer.Option(help="Wait until the network has converged.")] = True,
    kernel: Kernel = None,
    allow_controller: AllowedControllers = None,
    all_the_same: AllTheSame = False,
    trust: Trust = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON value instead of the lab's name.")] = False,
) -> None:
    """Start a lab, without its flows, and leave it running. Prints the name of the lab.

    `labs` lists the running labs, and `labs stop` ends a lab.
    """
    missing = ""
    with report_errors():
        topology = mn.load(file).topology
        if all_the_same:
            topology = with_intended_errors(topology)
        exit_on_errors(check(topology), topology)
        ask_permission(topology, file, trust, place.value)
        with RunProgress(stderr()) as progress:
            lab = DetachedLab(
                topology,
                place=place.value,
                kernel=kernel,
                listener=progress.show,
                name=name,
                file=file,
                allowed_controllers=allow_controller or (),
            )
            with lab:
                if wait and topology.wait.routes:
                    try:
                        lab.wait_converged()
                    except LabFailed as error:
                        missing = str(error)
                lab_name = lab.name
                lab.leave()
        card = register.find(lab_name)
    if as_json:
        print_json(register.summary(card))
    else:
        sys.stdout.write(f"{lab_name}\n")
    messages = [f"warning: {warning}" for warning in card.warnings]
    messages += [f"{node}: {reason}" for node, reason in card.failed_commands.items()]
    for line in messages:
        stderr().print(line, highlight=False, markup=False, soft_wrap=True)
    if missing:
        exit_with(f"{lab_name} is running, but {missing}", FAILED)


# --- the list of labs -------------------------------------------------------------------------------------------------


@labs_app.callback(invoke_without_command=True)
def labs(context: typer.Context, as_json: AsJson = False) -> None:
    """List the running labs; `labs stop NAME` stops one.

    Listed are labs that `start` has left running, and those of open editors.
    """
    if context.invoked_subcommand is not None:
        return
    with report_errors():
        cards = register.labs()
    if as_json:
        print_json([register.summary(card) for card in cards])
    elif cards:
        console = Console()
        width = console.width if console.is_terminal else 500  # a file or a pipe has room for everything
        console.print(labs_table(cards, time.time(), width), width=width)
    else:
        stderr().print("No lab is running. `miniedit-frr start FILE` starts one.", highlight=False)


def labs_table(cards: Sequence[Card], now_s: float, width: int = 500) -> Table:
    """The table of labs, one per line of up to `width` characters; long paths are shortened at the front."""
    listing = Table(box=None, padding=(0, 2, 0, 0), header_style="bold underline")
    headings = ("lab", "state", "place", "nodes", "since", "file")
    rows = [_row(card, now_s) for card in cards]
    for index, heading in enumerate(headings):
        listing.add_column(heading, justify="right" if heading == "nodes" else "left", no_wrap=True)
        listing.columns[index].min_width = max(len(text) for text in (heading, *(row[index].plain for row in rows)))
    room = width - sum((column.min_width or 0) + 2 for column in listing.columns[:-1]) - 2
    listing.columns[-1].min_width = None
    for *first, file in rows:
        if len(file) > room:
            file = Text("…") + file[len(file) - max(room, 8) + 1 :]
        listing.add_row(*first, file)
    return listing


def _row(card: Card, now_s: float) -> list[Text]:
    running = Text("running" if card.kept else "in the editor", "green")
    state = Text("starting", "yellow") if card.state == "starting" else running
    file = Text(one_line(_short(card.file), _LONGEST_FILE)) if card.file else Text("not saved", "dim")
    nodes, since = Text(str(len(card.nodes) or "")), Text(_ago(now_s - card.since_s))
    return [Text(card.name, "bold"), state, Text(card.place), nodes, since, file]


def _ago(seconds: float) -> str:
    """A time span as a short text for a column."""
    minutes, hours = seconds / 60, seconds / 3600
    if minutes < 1:
        return "just now"
    if hours < 1:
        return f"{minutes:.0f} min"
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} days"


def _short(file: str) -> str:
    """A short form of a path: relative to the working directory or to the home folder, if it is below one of them."""
    path = Path(file)
    for base, word in ((Path.cwd(), ""), (Path.home(), "~")):
        if path.is_relative_to(base):
            return str(word / path.relative_to(base)) if word else str(path.relative_to(base))
    return file


@labs_app.command()
def stop(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", help="Labs (default: the only running lab).", autocompletion=lab_names),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Stop all labs.")] = False,
) -> None:
    """Stop labs: run their stop commands, and remove all their processes and files."""
    with report_errors():
        if everything:
            cards = register.labs()
        else:
            cards = [register.find(name) for name in names] if names else [register.find()]
        for card in cards:
            _stop(card)


def _stop(card: Card) -> None:
    try:
        with DetachedLab.of_card(card) as lab:
            lab.read_at_end = True  # the end of this block ends the lab
    except LabFailed:  # the lab is still being built, or does not reply
        held_places.end(register.folder_of(card.name))
        return
    save_final_configs(card.title or card.name, card.file, lab.end_configs)


# --- in a node --------------------------------------------------------------------------------------------------------


def execute(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[LAB] NODE ARGV...",
            help="The node and the command to run in it, after the lab if several are running.",
            autocompletion=lab_and_node_names,
        ),
    ],
) -> None:
    """Run a command in a node; the exit status is the command's."""
    with report_errors():
        card, node, argv = _target(words)
        if not argv:
            exit_with("the command is missing: miniedit-frr exec [LAB] NODE ARGV...", WRONG_INPUT)
        raise typer.Exit(_run(card, node, argv))


def shell(words: NodeWords) -> None:
    """Open a shell in a node."""
    with report_errors():
        card, node, argv = _target(words)
        if argv:
            exit_with("a shell has no command; `miniedit-frr exec` runs one", WRONG_INPUT)
        _replace_process(card, node, ("/bin/bash",))


def vtysh(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[LAB] ROUTER [ARGV...]",
            help="The router and options of vtysh, after the lab if several are running.",
            autocompletion=lab_and_node_names,
        ),
    ],
) -> None:
    """Open vtysh on a router, or run its commands: `vtysh r1 -c 'show ip route'`."""
    with report_errors():
        card, node, argv = _target(words)
        if not any(node_card.name == node and node_card.frr for node_card in card.nodes):
            exit_with(f"{node} does not run FRR", FAILED)
        if argv:
            raise typer.Exit(_run(card, node, ["vtysh", *argv]))
        _enable_static_routes(card, node)
        _replace_process(card, node, ("vtysh",))


def _enable_static_routes(card: Card, router: str) -> None:
    """Allow static routes to be typed in vtysh, even if the router's topology has none. The editor does the same."""
    with suppress(LabFailed), join_lab(card.name) as lab:
        lab[router].take_static_routes()


def _target(words: Sequence[str]) -> tuple[Card, str, list[str]]:
    """The lab, the node in it, and the remaining words. The lab can be omitted if only one is running.

    Raises:
        LabFailed: there is no such lab or node.
    """
    names = [card.name for card in register.labs()]
    remaining = list(words)
    card = register.find(remaining.pop(0) if len(remaining) > 1 and remaining[0] in names else "")
    node = remaining.pop(0)
    if node not in (node_card.name for node_card in card.nodes):
        raise LabFailed(
            f"{card.name} has no node {node}; it has {', '.join(node_card.name for node_card in card.nodes)}"
        )
    return card, node, remaining[1:] if remaining[:1] == ["--"] else remaining


def _run(card: Card, node: str, argv: Sequence[str]) -> int:
    """Run a command with this program's streams, and return its exit status. The lab does not get the streams."""
    if os.isatty(0) and os.isatty(1):
        _replace_process(card, node, argv)
    order = protocol.PipeRequest(tuple(argv), node)
    command = protocol.send_request(register.folder_of(card.name), order)
    process = subprocess.Popen(command, env=proxy.ENVIRONMENT)
    while True:
        try:
            status = process.wait()
        except KeyboardInterrupt:  # the command has received SIGINT, too
            continue
        return status if status >= 0 else 128 - status


def _replace_process(card: Card, node: str, argv: Sequence[str]) -> NoReturn:
    """Replace this process by an interactive terminal in the node."""
    order = protocol.TerminalRequest(tuple(argv), node)
    command = protocol.send_request(register.folder_of(card.name), order)
    os.execve(command[0], command, {**proxy.ENVIRONMENT, "TERM": os.environ.get("TERM", "dumb")})


# --- SSH --------------------------------------------------------------------------------------------------------------


def ssh_config(
    lab: Lab = "",
    prefix: Annotated[str, typer.Option(help="Prefix for every name, to distinguish several labs.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Output file (default: standard output).")] = None,
) -> None:
    """Print an SSH configuration for the nodes of a lab. With it in FILE, `ssh -F FILE NODE` logs in to a node."""
    with report_errors():
        card = register.find(lab)
        folder = register.folder_of(card.name)
        protocol.send_request(folder, protocol.SshRequest())
        text = ssh.config(card, folder, prefix)
        if out is None:
            sys.stdout.write(text)
        elif out.exists() and not out.read_text(encoding="utf-8", errors="replace").startswith(ssh.HEAD):
            exit_with(f"{out} already exists and was not written by this command; it is not changed", WRONG_INPUT)
        else:
            replace_file(out, text.encode())


def ssh_proxy(lab: str, node: str) -> None:
    """Serve one SSH connection to a node on standard input and output; for SSH's option ProxyCommand."""
    with report_errors():
        sys.argv[1:] = [str(register.folder_of(lab)), node]
        proxy.main()
