"""`miniedit-frr routing`: configures routing on all routers of a topology file, as the editor's Routing menu does."""

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
from frrlib.exchange import opening
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
    """The IGP within an AS."""

    OSPF = "ospf"
    ISIS = "isis"


class GroupSource(StrEnum):
    """The property of a topology from which groups of routers are derived."""

    SHAPES = "shapes"
    COLORS = "colours"
    AREAS = "areas"


_GROUPINGS = {
    GroupSource.SHAPES: router_groups.by_shapes,
    GroupSource.COLORS: router_groups.by_colors,
    GroupSource.AREAS: router_groups.by_areas,
}


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
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
    _write(
        file,
        out,
        "OSPF",
        _limited(lambda topology: routing_presets.ospf_everywhere(topology, area), router),
        frr_timers,
    )


@routing_app.command()
def isis(file: TopologyFile, router: Routers = None, out: Out = None, frr_timers: FrrTimers = False) -> None:
    """Run IS-IS on all routers, for IPv4 and IPv6."""
    _write(file, out, "IS-IS", _limited(routing_presets.isis_everywhere, router), frr_timers)


@routing_app.command()
def rip(file: TopologyFile, router: Routers = None, out: Out = None, frr_timers: FrrTimers = False) -> None:
    """Run RIP on all routers, and RIPng on those with IPv6 addresses. Both are limited to 15 hops."""
    _write(file, out, "RIP", _limited(routing_presets.rip_everywhere, router), frr_timers)


@routing_app.command()
def as_per_router(
    file: TopologyFile, first_asn: FirstAsn = 65_001, out: Out = None, frr_timers: FrrTimers = False
) -> None:
    """Make every router its own AS, with a BGP session to each neighbor."""
    _write(
        file,
        out,
        "one AS for each router",
        lambda topology: routing_presets.as_per_router(topology, first_asn),
        frr_timers,
    )


@routing_app.command()
def systems(
    file: TopologyFile,
    group: Annotated[
        list[str] | None, typer.Option("--group", metavar="r1,r2", help="The routers of an AS. Repeat for several.")
    ] = None,
    by: Annotated[
        GroupSource | None,
        typer.Option(help="Derive the groups from shapes around routers, colors of routers, or OSPF areas."),
    ] = None,
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

    def make(topology: Topology) -> Topology:
        groups = _GROUPINGS[by](topology) if by is not None else [_names(group_text) for group_text in group or ()]
        if not groups:
            raise TopologyError(f"--by {by} finds no group with a router")
        return routing_presets.groups_as_systems(
            topology, groups, first_asn=first_asn, igp=igp.value, reflectors=reflectors, aggregates=aggregates
        )

    _write(file, out, "ASes", make, frr_timers)


@routing_app.command()
def lab_timers(file: TopologyFile, router: Routers = None, out: Out = None) -> None:
    """Set fast timers for labs in all routing protocols."""
    _write(file, out, "lab timers", _limited(routing_presets.lab_timers_everywhere, router))


@routing_app.command()
def frr_timers(file: TopologyFile, router: Routers = None, out: Out = None) -> None:
    """Set FRR's default timers in all routing protocols."""
    _write(file, out, "FRR's default timers", _limited(routing_presets.frr_timers_everywhere, router))


@routing_app.command()
def clear(file: TopologyFile, router: Routers = None, out: Out = None) -> None:
    """Remove all routing protocols; addresses are kept."""
    _write(file, out, "no routing", _limited(routing_presets.clear_routing, router))


def _names(group: str) -> list[str]:
    return [name for name in group.replace(",", " ").split() if name]


def _limited(change: Change, routers: list[str] | None) -> Change:
    """A change that is limited to some routers. It raises TopologyError for a name that is not a router's."""

    def make(topology: Topology) -> Topology:
        router_names = [router.name for router in topology.routers]
        for name in routers or ():
            if name not in router_names:
                raise TopologyError(
                    "is not a router of the topology", node=name, remedy=f"one of {', '.join(router_names)}"
                )
        return routing_presets.limited_to(topology, change(topology), routers or router_names)

    return make


def _write(file: Path, out: Path | None, title: str, change: Change, frr_timers: bool = False) -> None:
    """Apply a change to a topology file, and print the number of errors that the changed topology has."""
    with report_errors():
        topology = opening.load(file).topology
        if not topology.routers:
            raise TopologyError("has no routers", remedy="add routers first")
        changed_topology = with_timers_of_new_protocols(topology, change(topology), not frr_timers)
        target = out or file
        opening.refuse_foreign(target)
        if out is not None or changed_topology != topology:
            replace_file(target, mn.dumps(changed_topology).encode())
    changed_nodes = [new.name for old, new in zip(topology.nodes, changed_topology.nodes, strict=True) if old != new]
    summary = f"{title} on {', '.join(changed_nodes)}" if changed_nodes else f"{title}: nothing to change"
    errors = [problem for problem in check(changed_topology) if problem.severity == "error"]
    stderr().print(
        f"{summary}; written to {target}" if changed_nodes or out else summary, highlight=False, markup=False
    )
    if errors:
        phrase = "error keeps" if len(errors) == 1 else "errors keep"
        stderr().print(
            f"{len(errors)} {phrase} the topology from running: miniedit-frr check {target}",
            highlight=False,
            markup=False,
        )
