"""`miniedit-frr path`: the path of packets through a lab that runs by itself, in both directions."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from frrlib.errors import TopologyError
from frrlib.lab.detached import DetachedLab
from frrlib.lab.path import Family, LabPath
from miniedit_frr.cli.detached_lab import join_lab, lab_and_node_names
from miniedit_frr.cli.exits import FAILED, WRONG_INPUT, exit_with, report_errors
from miniedit_frr.cli.options import AsJson, print_json


def add_to(app: typer.Typer) -> None:
    """Give the command line this command."""
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
    """Show the path of packets in a running lab, in both directions: by the kernels' tables, checked by a traceroute.

    Exit status 1 if packets do not arrive, or the traceroute went elsewhere.
    """
    if len(words) not in (2, 3):
        exit_with("source or destination is missing: `miniedit-frr path [LAB] FROM TO`", WRONG_INPUT)
    name, (source, destination) = words[0] if len(words) == 3 else "", words[-2:]
    family: Family = 0 if ipv4 == ipv6 else 4 if ipv4 else 6
    with report_errors(), join_lab(name) as lab:
        there = lab.path(source, destination, family=family, vrf=vrf, trace=trace)
        back = _back(lab, there, trace)
    if as_json:
        print_json({"there": there.as_value(), "back": back.as_value() if back else None})
    else:
        _say(Console(highlight=False), there, back)
    if not there.arrives or there.difference:
        raise typer.Exit(FAILED)


def _back(lab: DetachedLab, there: LabPath, trace: bool) -> LabPath | None:
    try:
        # Where packets do not arrive, those on the way back could not answer a traceroute.
        return lab.path_back(there, trace=trace and there.arrives)
    except TopologyError:
        return None


def _say(console: Console, there: LabPath, back: LabPath | None) -> None:
    for word, each in (("there", there), ("back ", back)):
        if each is None:
            continue
        for number, way in enumerate(each.ways()):
            console.print(f"[bold]{word if not number else '  or '}[/bold]  {' → '.join(way)}")
        if (more := each.way_count - len(each.ways())) > 0:
            console.print(f"       … and {more} more")
        for trouble in each.troubles():
            console.print(f"       [red]✗ {trouble}[/red]")
        if each.difference:
            console.print(f"       [red]✗ {each.difference}[/red]")
        elif each.hops is not None:
            rtt_ms = each.hops[-1].rtt_ms if each.arrives else None
            console.print("       ✓ traceroute agrees" + (f", {rtt_ms:.3g} ms" if rtt_ms is not None else ""))
