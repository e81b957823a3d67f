"""Commands in the nodes of a detached lab: programs, shells, vtysh, and access by SSH."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from frrlib.errors import LabFailed, SealedNode
from frrlib.formats.files import replace_file
from frrlib.lab_server import protocol, register, ssh
from frrlib.lab_server import ssh_proxy as proxy
from frrlib.lab_server.register import Card
from miniedit_frr.cli.detached.names import lab_and_node_names, lab_names
from miniedit_frr.cli.exits import FAILED, WRONG_INPUT, exit_with, report_errors

NodeWords = Annotated[
    list[str],
    typer.Argument(
        metavar="[LAB] NODE", help="The node, after the lab if several are running.", autocompletion=lab_and_node_names
    ),
]
#: All words after the node belong to the command, including options.
_RAW = {"ignore_unknown_options": True, "allow_interspersed_args": False}
Lab = Annotated[
    str, typer.Argument(metavar="[LAB]", help="The lab, required if several are running.", autocompletion=lab_names)
]

#: The way to give a router FRR, after the message that it has none.
_START_FRR = "; give a router a protocol or a daemon in the drawing, then `miniedit-frr apply` makes the change"


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command(name="exec", context_settings=_RAW)(execute)
    app.command()(shell)
    app.command(context_settings=_RAW)(vtysh)
    app.command(name="ssh-config")(ssh_config)
    app.command(name="ssh-proxy", hidden=True)(ssh_proxy)


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
            exit_with(f"{node} does not run FRR{_START_FRR}", FAILED)
        if argv:
            raise typer.Exit(_run(card, node, ["vtysh", *argv]))
        _enable_static_routes(card, node)
        _replace_process(card, node, ("vtysh",))


def _enable_static_routes(card: Card, router: str) -> None:
    """Allow static routes to be typed in vtysh, even if the router's topology has none. The editor does the same."""
    from frrlib.lab.detached import join_lab  # loads hundreds of modules, which a shell does not need

    with suppress(LabFailed), join_lab(card.name) as lab:
        lab[router].take_static_routes()


def _target(words: Sequence[str]) -> tuple[Card, str, list[str]]:
    """The lab, the node in it, and the remaining words. The lab can be omitted if only one is running.

    Raises:
        LabFailed: there is no such lab or node, or the node is sealed.
    """
    names = [card.name for card in register.labs()]
    remaining = list(words)
    card = register.find(remaining.pop(0) if len(remaining) > 1 and remaining[0] in names else "")
    node = remaining.pop(0)
    node_card = next((candidate for candidate in card.nodes if candidate.name == node), None)
    if node_card is None:
        raise LabFailed(f"{card.name} has no node {node}; it has {', '.join(other.name for other in card.nodes)}")
    if node_card.sealed:
        raise SealedNode(node)
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
