"""`miniedit-frr path`: the path of packets through a detached lab, in both directions."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from frrlib.errors import TopologyError
from frrlib.lab.detached import DetachedLab, join_lab
from frrlib.lab.path import Family, LabPath
from miniedit_frr.cli.detached.names import lab_and_node_names
from miniedit_frr.cli.exits import FAILED, WRONG_INPUT, exit_with, report_errors
from miniedit_frr.cli.options import AsJson, print_json


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(path)


def path(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[LAB] FROM TO", help="Source node, and destination node or address; the lab first if "
                       "several are running.",
                       autocompletion=lab_and_node_names),
    ],
    ipv4: Annotated[bool, typer.Option("-4", help="Use the IPv4 address of the destination.")] = False,
    ipv6: Annotated[bool, typer.Option("-6", help="Use the IPv6 address of the destination.")] = False,
    vrf: Annotated[str, typer.Option(help="Start in this VRF of the source node.")] = "",
    trace: Annotated[bool, typer.Option(help="Compare the path from the routing tables with a traceroute.")] = True,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show the path of packets in a running lab, in both directions.

    The path is read from the kernels' routing tables and compared with a traceroute. The exit status is 1 if packets do
    not arrive, or if the traceroute took another path.
    """
    if len(words) not in (2, 3):
        exit_with("source or destination is missing: `miniedit-frr path [LAB] FROM TO`", WRONG_INPUT)
    name, (source, destination) = words[0] if len(words) == 3 else "", words[-2:]
    family: Family = 0 if ipv4 == ipv6 else 4 if ipv4 else 6
    with report_errors(), join_lab(name) as lab:
        forward = lab.path(source, destination, family=family, vrf=vrf, trace=trace)
        reverse = _reverse_path(lab, forward, trace)
    if as_json:
        print_json({"there": forward.as_value(), "back": reverse.as_value() if reverse else None})
    else:
        _print_paths(Console(highlight=False), forward, reverse)
    if not forward.arrives or forward.difference:
        raise typer.Exit(FAILED)


def _reverse_path(lab: DetachedLab, forward: LabPath, trace: bool) -> LabPath | None:
    try:
        # If packets do not arrive, replies to a traceroute of the reverse path would not arrive either.
        return lab.path_back(forward, trace=trace and forward.arrives)
    except TopologyError:
        return None


def _print_paths(console: Console, forward: LabPath, reverse: LabPath | None) -> None:
    for word, direction in (("there", forward), ("back ", reverse)):
        if direction is None:
            continue
        for number, node_path in enumerate(direction.branches()):
            console.print(f"[bold]{word if not number else '  or '}[/bold]  {' → '.join(node_path)}")
        if (omitted := direction.branch_count - len(direction.branches())) > 0:
            console.print(f"       … and {omitted} more")
        for problem in direction.troubles():
            console.print(f"       [red]✗ {problem}[/red]")
        if direction.difference:
            console.print(f"       [red]✗ {direction.difference}[/red]")
        elif direction.hops is not None:
            rtt_ms = direction.hops[-1].rtt_ms if direction.arrives else None
            console.print("       ✓ traceroute agrees" + (f", {rtt_ms:.3g} ms" if rtt_ms is not None else ""))
