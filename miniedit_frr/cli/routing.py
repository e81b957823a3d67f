"""`miniedit-frr routing`: routing for all routers of a drawing's file at once, as the Routing menu sets it up."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.model.check import check
from frrlib.model.edits import groups, presets
from frrlib.model.edits.beginnings import newly_timed
from frrlib.model.topology import Topology
from miniedit_frr.cli.endings import WRONG_INPUT, end, stderr, told
from miniedit_frr.cli.options import Routers, TopologyFile

routing_app = typer.Typer(no_args_is_help=True, help="Routing for all routers of a drawing at once, into its file.")

Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write here; FILE stays as it is.")]
FrrTimers = Annotated[
    bool, typer.Option("--frr-timers", help="What is new has FRR's own timers, not those of a lab that reacts at once.")
]
FirstAsn = Annotated[int, typer.Option(min=1, max=4_294_967_295, help="Number of the first AS; the others count on.")]
Change = Callable[[Topology], Topology]


class Igp(StrEnum):
    """What runs within an AS."""

    OSPF = "ospf"
    ISIS = "isis"


class By(StrEnum):
    """What on the drawing makes groups."""

    SHAPES = "shapes"
    COLOURS = "colours"
    AREAS = "areas"


_WAYS = {By.SHAPES: groups.by_shapes, By.COLOURS: groups.by_colours, By.AREAS: groups.by_areas}


def add_to(app: typer.Typer) -> None:
    """Give the command line these commands."""
    app.add_typer(routing_app, name="routing")


@routing_app.command()
def ospf(
    file: TopologyFile,
    area: Annotated[str, typer.Option(help="A number or dotted.")] = "0",
    router: Routers = None,
    out: Out = None,
    frr_timers: FrrTimers = False,
) -> None:
    """OSPF everywhere: OSPFv2, and OSPFv3 where there are IPv6 addresses."""
    _write(file, out, "OSPF", _of_some(lambda drawn: presets.ospf_everywhere(drawn, area), router), frr_timers)


@routing_app.command()
def isis(file: TopologyFile, router: Routers = None, out: Out = None, frr_timers: FrrTimers = False) -> None:
    """IS-IS everywhere, for IPv4 and IPv6."""
    _write(file, out, "IS-IS", _of_some(presets.isis_everywhere, router), frr_timers)


@routing_app.command()
def rip(file: TopologyFile, router: Routers = None, out: Out = None, frr_timers: FrrTimers = False) -> None:
    """RIP everywhere, and RIPng where there are IPv6 addresses; they count to 15 hops."""
    _write(file, out, "RIP", _of_some(presets.rip_everywhere, router), frr_timers)


@routing_app.command()
def as_per_router(
    file: TopologyFile, first_asn: FirstAsn = 65_001, out: Out = None, frr_timers: FrrTimers = False
) -> None:
    """Make every router an AS of its own, with a BGP session to each neighbour."""
    _write(file, out, "an AS per router", lambda drawn: presets.as_per_router(drawn, first_asn), frr_timers)


@routing_app.command()
def systems(
    file: TopologyFile,
    group: Annotated[
        list[str] | None, typer.Option("--group", metavar="r1,r2", help="An AS; may be said several times.")
    ] = None,
    by: Annotated[By | None, typer.Option(help="Take the groups from the drawing.")] = None,
    first_asn: FirstAsn = 65_001,
    igp: Annotated[Igp, typer.Option(help="What runs within an AS.")] = Igp.OSPF,
    reflectors: Annotated[
        int, typer.Option(min=0, help="Route reflectors in each AS; 0 for sessions between every two routers.")
    ] = 0,
    aggregates: Annotated[
        bool, typer.Option("--aggregates", help="Announce one prefix for all of an AS where that can be.")
    ] = False,
    out: Out = None,
    frr_timers: FrrTimers = False,
) -> None:
    """Make groups of routers ASes: an IGP and iBGP inside, eBGP on every link between two of them."""
    if bool(group) == (by is not None):
        end("say the groups by --group, or how to find them by --by", WRONG_INPUT)

    def make(drawn: Topology) -> Topology:
        found = _WAYS[by](drawn) if by is not None else [_names(each) for each in group or ()]
        if not found:
            raise TopologyError(f"no router is in any group by {by}")
        return presets.groups_as_systems(
            drawn, found, first_asn=first_asn, igp=igp.value, reflectors=reflectors, aggregates=aggregates
        )

    _write(file, out, "ASes", make, frr_timers)


@routing_app.command()
def lab_timers(file: TopologyFile, router: Routers = None, out: Out = None) -> None:
    """Make all routing react at once."""
    _write(file, out, "lab timers", _of_some(presets.lab_timers_everywhere, router))


@routing_app.command()
def frr_timers(file: TopologyFile, router: Routers = None, out: Out = None) -> None:
    """Give all routing FRR's own timers."""
    _write(file, out, "FRR's own timers", _of_some(presets.frr_timers_everywhere, router))


@routing_app.command()
def clear(file: TopologyFile, router: Routers = None, out: Out = None) -> None:
    """Take all routing off; addresses stay."""
    _write(file, out, "no routing", _of_some(presets.clear_routing, router))


def _names(group: str) -> list[str]:
    return [name for name in group.replace(",", " ").split() if name]


def _of_some(change: Change, routers: list[str] | None) -> Change:
    """A change for some routers only. Raises TopologyError, when it is made, for a name that is no router's."""

    def make(drawn: Topology) -> Topology:
        there = [router.name for router in drawn.routers]
        for name in routers or ():
            if name not in there:
                raise TopologyError("is no router", node=name, right=f"one of {', '.join(there)}")
        return presets.of_some(drawn, change(drawn), routers or there)

    return make


def _write(file: Path, out: Path | None, called: str, change: Change, frr_timers: bool = False) -> None:
    """Make a change in a file, and say what is wrong with the drawing after it."""
    with told():
        before = mn.load(file).topology
        if not before.routers:
            raise TopologyError("has no routers", right="draw some first")
        after = newly_timed(before, change(before), not frr_timers)
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
