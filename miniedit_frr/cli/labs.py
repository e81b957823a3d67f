"""Labs that run by themselves, on the command line: start one, list and stop them, work in their nodes, SSH to them."""

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

from frrlib.errors import LabFailed
from frrlib.formats.files import replace_file
from frrlib.lab.detached import DetachedLab
from frrlib.lab_server import place as held_places
from frrlib.lab_server import protocol, register, ssh
from frrlib.lab_server import ssh_proxy as proxy
from frrlib.lab_server.register import Card
from frrlib.safe_text.plain import one_line
from miniedit_frr.cli.config import save_final_configs
from miniedit_frr.cli.detached_lab import join_lab, lab_and_node_names, lab_names
from miniedit_frr.cli.exits import FAILED, WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.cli.options import AsJson, print_json
from miniedit_frr.cli.start import start

labs_app = typer.Typer(help="List the detached labs; `labs stop NAME` stops one.")


Words = Annotated[
    list[str],
    typer.Argument(
        metavar="[LAB] NODE", help="The node, after the lab if several are running.", autocompletion=lab_and_node_names
    ),
]
#: What follows the node belongs to the command, options too.
#: The longest path that is shown (PATH_MAX).
_LONGEST_FILE = 4096
_RAW = {"ignore_unknown_options": True, "allow_interspersed_args": False}
Lab = Annotated[
    str, typer.Argument(metavar="[LAB]", help="The lab, required if several are running.", autocompletion=lab_names)
]


def add_to(app: typer.Typer) -> None:
    """Give the command line these commands."""
    app.command()(start)
    app.add_typer(labs_app, name="labs")
    app.command(name="exec", context_settings=_RAW)(execute)
    app.command()(shell)
    app.command(context_settings=_RAW)(vtysh)
    app.command(name="ssh-config")(ssh_config)
    app.command(name="ssh-proxy", hidden=True)(ssh_proxy)


# --- which there are --------------------------------------------------------------------------------------------------


@labs_app.callback(invoke_without_command=True)
def labs(context: typer.Context, as_json: AsJson = False) -> None:
    """List the detached labs; `labs stop NAME` stops one."""
    if context.invoked_subcommand is not None:
        return
    with report_errors():
        found = register.labs()
    if as_json:
        print_json([register.summary(card) for card in found])
    elif found:
        console = Console()
        width = console.width if console.is_terminal else 500  # a file or a pipe has room for everything
        console.print(labs_table(found, time.time(), width), width=width)
    else:
        stderr().print("No lab is running. `miniedit-frr start FILE` starts one.", highlight=False)


def labs_table(cards: Sequence[Card], now_s: float, width: int = 500) -> Table:
    """Labs for people, one per line of at most `width` characters; paths are shortened at the front."""
    drawn = Table(box=None, padding=(0, 2, 0, 0), header_style="bold underline")
    headings = ("lab", "state", "place", "nodes", "since", "file")
    rows = [_row(card, now_s) for card in cards]
    for index, heading in enumerate(headings):
        drawn.add_column(heading, justify="right" if heading == "nodes" else "left", no_wrap=True)
        drawn.columns[index].min_width = max(len(text) for text in (heading, *(row[index].plain for row in rows)))
    room = width - sum((column.min_width or 0) + 2 for column in drawn.columns[:-1]) - 2
    drawn.columns[-1].min_width = None
    for *first, file in rows:
        if len(file) > room:
            file = Text("…") + file[len(file) - max(room, 8) + 1 :]
        drawn.add_row(*first, file)
    return drawn


def _row(card: Card, now_s: float) -> list[Text]:
    running = Text("running" if card.kept else "in the editor", "green")
    state = Text("starting", "yellow") if card.state == "starting" else running
    file = Text(one_line(_short(card.file), _LONGEST_FILE)) if card.file else Text("not saved", "dim")
    nodes, since = Text(str(len(card.nodes) or "")), Text(_ago(now_s - card.since_s))
    return [Text(card.name, "bold"), state, Text(card.place), nodes, since, file]


def _ago(seconds: float) -> str:
    """A time span in words that fit a column."""
    minutes, hours = seconds / 60, seconds / 3600
    if minutes < 1:
        return "just now"
    if hours < 1:
        return f"{minutes:.0f} min"
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} days"


def _short(file: str) -> str:
    """A path as people write it: relative to here, or to home, if it is below."""
    path = Path(file)
    for base, word in ((Path.cwd(), ""), (Path.home(), "~")):
        if path.is_relative_to(base):
            return str(word / path.relative_to(base)) if word else str(path.relative_to(base))
    return file


@labs_app.command()
def stop(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="The labs.", autocompletion=lab_names)
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
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
            lab.read_at_end = True  # leaving it ends it
    except LabFailed:  # it is still being built, or does not answer
        held_places.end(register.folder_of(card.name))
        return
    save_final_configs(card.title or card.name, card.file, lab.end_configs)


# --- in a node --------------------------------------------------------------------------------------------------------


def execute(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[LAB] NODE ARGV...", help="The command to run.", autocompletion=lab_and_node_names),
    ],
) -> None:
    """Run a command in a node; the exit status is the command's."""
    with report_errors():
        card, node, argv = _target(words)
        if not argv:
            exit_with("the command is missing: miniedit-frr exec [LAB] NODE ARGV...", WRONG_INPUT)
        raise typer.Exit(_run(card, node, argv))


def shell(words: Words) -> None:
    """Open a shell in a node."""
    with report_errors():
        card, node, argv = _target(words)
        if argv:
            exit_with("a shell has no command; `miniedit-frr exec` runs one", WRONG_INPUT)
        _become(card, node, ("/bin/bash",))


def vtysh(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[LAB] ROUTER [ARGV...]",
            help="The router, and options of vtysh.",
            autocompletion=lab_and_node_names,
        ),
    ],
) -> None:
    """Open a router's vtysh, or run commands of it: `vtysh r1 -c 'show ip route'`."""
    with report_errors():
        card, node, argv = _target(words)
        if not any(each.name == node and each.frr for each in card.nodes):
            exit_with(f"{node} does not run FRR", FAILED)
        if argv:
            raise typer.Exit(_run(card, node, ["vtysh", *argv]))
        _make_ready(card, node)
        _become(card, node, ("vtysh",))


def _make_ready(card: Card, router: str) -> None:
    """As in the window: in vtysh one may type a static route, whatever the router was drawn with."""
    with suppress(LabFailed), join_lab(card.name) as lab:
        lab[router].take_static_routes()


def _target(words: Sequence[str]) -> tuple[Card, str, list[str]]:
    """The lab, the node in it, and the rest. The lab need not be named if there is only one.

    Raises:
        LabFailed: there is no such lab or node.
    """
    names = [card.name for card in register.labs()]
    rest = list(words)
    card = register.find(rest.pop(0) if len(rest) > 1 and rest[0] in names else "")
    node = rest.pop(0)
    if node not in (each.name for each in card.nodes):
        raise LabFailed(f"{card.name} has no node {node}; it has {', '.join(each.name for each in card.nodes)}")
    return card, node, rest[1:] if rest[:1] == ["--"] else rest


def _run(card: Card, node: str, argv: Sequence[str]) -> int:
    """Run a command with this program's streams, none of which the lab gets itself; its exit status."""
    if os.isatty(0) and os.isatty(1):
        _become(card, node, argv)
    order = protocol.PipeRequest(tuple(argv), node)
    command = protocol.send_request(register.folder_of(card.name), order)
    process = subprocess.Popen(command, env=proxy.ENVIRONMENT)
    while True:
        try:
            status = process.wait()
        except KeyboardInterrupt:  # the command has received it, too
            continue
        return status if status >= 0 else 128 - status


def _become(card: Card, node: str, argv: Sequence[str]) -> NoReturn:
    """Become an interactive terminal in the node."""
    order = protocol.TerminalRequest(tuple(argv), node)
    command = protocol.send_request(register.folder_of(card.name), order)
    os.execve(command[0], command, {**proxy.ENVIRONMENT, "TERM": os.environ.get("TERM", "dumb")})


# --- SSH --------------------------------------------------------------------------------------------------------------


def ssh_config(
    lab: Lab = "",
    prefix: Annotated[str, typer.Option(help="Prefix for every name, to distinguish several labs.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Output file (default: standard output).")] = None,
) -> None:
    """Print a configuration with which `ssh -F FILE NODE` reaches the nodes of a lab."""
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
    """Be the server of one SSH connection to a node, on standard input and output; for an option ProxyCommand."""
    with report_errors():
        sys.argv[1:] = [str(register.folder_of(lab)), node]
        proxy.main()
