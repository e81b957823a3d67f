"""`miniedit-frr why`: the reason why a node of a detached lab lacks a route, a neighbor, or replies to pings."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Annotated

import typer
from rich.console import Console

from frrlib.diagnosis.explanation import Explanation
from frrlib.diagnosis.neighbors import PROTOCOLS, explain_missing_neighbor
from frrlib.diagnosis.packets import explain_unreachable
from frrlib.lab.detached import join_lab
from miniedit_frr.cli.detached.names import lab_and_node_names
from miniedit_frr.cli.exits import FAILED, WRONG_INPUT, exit_with, report_errors
from miniedit_frr.cli.options import AsJson, print_json
from miniedit_frr.terminal.markup import escape

_USAGE = "`miniedit-frr why [LAB] NODE PREFIX-OR-ADDRESS`, or `miniedit-frr why [LAB] ROUTER ROUTER PROTOCOL`"


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(why)


def why(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[LAB] NODE PREFIX-OR-ADDRESS | [LAB] ROUTER ROUTER PROTOCOL",
                       help="A router and the prefix that it lacks; a node and the address that it does not reach; or "
                       f"two routers, and {', '.join(PROTOCOLS)}. The lab first if several are running.",
                       autocompletion=lab_and_node_names),
    ],
    vrf: Annotated[str, typer.Option(help="Ask about this VRF of the first node.")] = "",
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Explain why a node of a running lab lacks a route, a neighbor, or replies to its pings.

    The first failing step is found on the daemons and kernels of the lab, so commands typed in vtysh count. The exit
    status is 0 if the route, the neighbor or the reply is there, and 1 if it is missing.
    """
    with report_errors():
        explanation = _explanation(words, vrf)
    if as_json:
        print_json(explanation.as_value())
    else:
        _print(Console(highlight=False, soft_wrap=True), explanation)
    if not explanation.is_there:
        raise typer.Exit(FAILED)


def _explanation(words: list[str], vrf: str) -> Explanation:
    """The explanation for the words of the command. Ends the program if they are incomplete."""
    if len(words) in (2, 3) and _is_prefix(words[-1]):
        node, target = words[-2:]
        with join_lab(words[0] if len(words) == 3 else "") as lab:
            return explain_unreachable(lab, node, target, vrf)
    if len(words) in (3, 4) and not _is_prefix(words[-1]):
        a, b, protocol = words[-3:]
        with join_lab(words[0] if len(words) == 4 else "") as lab:
            return explain_missing_neighbor(lab, a, b, protocol.lower(), vrf)
    exit_with(f"the question is incomplete: {_USAGE}", WRONG_INPUT)


def _is_prefix(word: str) -> bool:
    """Whether a word is a prefix or an address; a word with a slash is meant as one."""
    try:
        ip_network(word, strict=False)
    except ValueError:
        return "/" in word
    return True


def _print(console: Console, explanation: Explanation) -> None:
    for step in explanation.steps:
        if not step.is_cause:
            mark = "✓" if explanation.is_there else "·"
            console.print(f"{mark} {escape(step.sentence)}")
            continue
        console.print(f"[red]✗ {escape(step.sentence)}[/red]")
        if step.remedy:
            console.print(f"  {escape(step.remedy)}")
