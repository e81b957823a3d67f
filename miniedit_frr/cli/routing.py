"""`miniedit-frr routing`: routing for all routers of a drawing's file at once, as the Routing menu sets it up."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from frrlib.checks.check import check
from frrlib.edits import router_groups, routing_presets
from frrlib.edits.protocol_defaults import with_timers_of_new_protocols
from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.model.topology import Topology
from miniedit_frr.cli.exits import WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.cli.options import Routers, TopologyFile

routing_app = typer.Typer(no_args_is_help=True, help="Configure routing on all routers of a topology file.")

Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Output file; FILE is not changed.")]
FrrTimers = Annotated[
    bool,
    typer.Option(
        "--frr-timers", help="Use FRR's default timers for new protocols instead of the fast timers for labs."
    ),
]
FirstAsn = Annotated[
    int, typer.Option(min=1, max=4_294_967_295, help="Number of the first AS; each further one adds 1.")
]
Change = Callable[[Topology], Topology]


class Igp(StrEnum):
    """IGP within an AS."""

    OSPF = "ospf"
    ISIS = "isis"


class By(StrEnum):
    """What on the drawing makes groups."""

    SHAPES = "shapes"
    COLOURS = "colours"
    AREAS = "areas"


_WAYS = {By.SHAPES: router_groups.by_shapes, By.COLOURS: router_groups.by_colors, By.AREAS: router_groups.by_areas}


def add_to(app: typer.Typer) -> None:
    """Give the command line these commands."""
    app.add_typer(routing_app, name="routing")


@routing_app.command()
def ospf(
    file: TopologyFile,
    area: Annotated[str, typer.Option(help="Area as a number or a dotted quad.")] = "0",
    router: Routers = None,
    out: Out = None,
    frr_timers: FrrTimers = False,
) -> None:
    """Run OSPFv2 on all routers, and OSPFv3 on those with IPv6 addresses."""
    _write(file, out, "OSPF", _of_some(lambda drawn: routing_presets.ospf_everywhere(drawn, area), router), frr_timers)


@routing_app.command()
def isis(file: TopologyFile, router: Routers = None, out: Out = None, frr_timers: FrrTimers = False) -> None:
    """Run IS-IS on all routers, for IPv4 and IPv6."""
    _write(file, out, "IS-IS", _of_some(routing_presets.isis_everywhere, router), frr_timers)


@routing_app.command()
def rip(file: TopologyFile, router: Routers = None, out: Out = None, frr_timers: FrrTimers = False) -> None:
    """Run RIP on all routers, and RIPng on those with IPv6 addresses. Both are limited to 15 hops."""
    _write(file, out, "RIP", _of_some(routing_presets.rip_everywhere, router), frr_timers)


@routing_app.command()
def as_per_router(
    file: TopologyFile, first_asn: FirstAsn = 65_001, out: Out = None, frr_timers: FrrTimers = False
) -> None:
    """Make every router its own AS, with a BGP session to each neighbor."""
    _write(
        file, out, "one AS for each router", lambda drawn: routing_presets.as_per_router(drawn, first_asn), frr_timers
    )


@routing_app.command()
def systems(
    file: TopologyFile,
    group: Annotated[
        list[str] | None, typer.Option("--group", metavar="r1,r2", help="The routers of an AS. Repeat for several.")
    ] = None,
    by: Annotated[By | None, typer.Option(help="Derive the groups from the topology.")] = None,
    first_asn: FirstAsn = 65_001,
    igp: Annotated[Igp, typer.Option(help="IGP within an AS.")] = Igp.OSPF,
    reflectors: Annotated[
        int, typer.Option(min=0, help="Number of route reflectors in each AS; 0 for a full mesh of sessions.")
    ] = 0,
    aggregates: Annotated[
        bool, typer.Option("--aggregates", help="Announce one aggregate prefix for each AS if possible.")
    ] = False,
    out: Out = None,
    frr_timers: FrrTimers = False,
) -> None:
    """Make each group of routers an AS, with an IGP and iBGP inside and eBGP on the links between groups."""
    if bool(group) == (by is not None):
        exit_with("the groups are missing: list them with --group, or derive them with --by", WRONG_INPUT)

    def make(drawn: Topology) -> Topology:
        found = _WAYS[by](drawn) if by is not None else [_names(each) for each in group or ()]
        if not found:
            raise TopologyError(f"--by {by} finds no group with a router")
        return routing_presets.groups_as_systems(
            drawn, found, first_asn=first_asn, igp=igp.value, reflectors=reflectors, aggregates=aggregates
        )

    _write(file, out, "ASes", make, frr_timers)


@routing_app.command()
def lab_timers(file: TopologyFile, router: Routers = None, out: Out = None) -> None:
    """Set fast timers for labs in all routing protocols."""
    _write(file, out, "lab timers", _of_some(routing_presets.lab_timers_everywhere, router))


@routing_app.command()
def frr_timers(file: TopologyFile, router: Routers = None, out: Out = None) -> None:
    """Set FRR's default timers in all routing protocols."""
    _write(file, out, "FRR's default timers", _of_some(routing_presets.frr_timers_everywhere, router))


@routing_app.command()
def clear(file: TopologyFile, router: Routers = None, out: Out = None) -> None:
    """Remove all routing protocols; addresses are kept."""
    _write(file, out, "no routing", _of_some(routing_presets.clear_routing, router))


def _names(group: str) -> list[str]:
    return [name for name in group.replace(",", " ").split() if name]


def _of_some(change: Change, routers: list[str] | None) -> Change:
    """A change for some routers only. Raises TopologyError, when it is made, for a name that is no router's."""

    def make(drawn: Topology) -> Topology:
        there = [router.name for router in drawn.routers]
        for name in routers or ():
            if name not in there:
                raise TopologyError("is no router", node=name, right=f"one of {', '.join(there)}")
        return routing_presets.limited_to(drawn, change(drawn), routers or there)

    return make


def _write(file: Path, out: Path | None, called: str, change: Change, frr_timers: bool = False) -> None:
    """Make a change in a file, and say what is wrong with the drawing after it."""
    with report_errors():
        before = mn.load(file).topology
        if not before.routers:
            raise TopologyError("has no routers", right="draw routers first")
        after = with_timers_of_new_protocols(before, change(before), not frr_timers)
        target = out or file
        if out is not None or after != before:
            replace_file(target, mn.dumps(after).encode())
    changed = [new.name for old, new in zip(before.nodes, after.nodes, strict=True) if old != new]
    what = f"{called} on {', '.join(changed)}" if changed else f"{called}: nothing to change"
    wrong = [problem for problem in check(after) if problem.severity == "error"]
    stderr().print(f"{what}; written to {target}" if changed or out else what, highlight=False, markup=False)
    if wrong:
        more = f"{len(wrong)} {'error keeps' if len(wrong) == 1 else 'errors keep'} it from running"
        stderr().print(f"{more}: miniedit-frr check {target}", highlight=False, markup=False)
