"""How far labs scale: seconds and memory of large networks of routers, and which step takes longest.

    python benchmarks/scale.py [--shapes grid fat-tree systems] [--sizes 10 30 100 300] [--places namespace labkernel]
                               [--large] [--delays]

| shape | network |
| --- | --- |
| grid | routers with OSPF, with a host at each |
| fat-tree | the largest fat tree of that size, each router an AS of its own, with unnumbered BGP on all links |
| systems | AS of 50 routers (of a quarter of a smaller network), OSPF and iBGP inside, eBGP between |

All have the timers for labs. `--large` builds 100 OSPF routers with four hosts each and 700 links instead. `--delays`
gives every second link a delay of 2 ms, for which the kernel needs netem: a lab kernel has it, this machine's own may
not. "built" reaches from the check of the drawing to the start of the first daemon,
"daemons" to the answer of the last one, "routes" from then to all routes at all routers. Memory is that of all
processes of the lab, what they share counted once, when the routes are there.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from startup_shape import usage

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from frrlib import wire
from frrlib.addressing.addressing import addressed
from frrlib.edits.autonomous_systems import groups_as_systems
from frrlib.edits.generators import fat_tree, grid
from frrlib.edits.routing_presets import clear_routing, lab_timers_everywhere, ospf_everywhere
from frrlib.errors import LabError
from frrlib.lab.lab import Lab
from frrlib.model.links import End, Link, Shape
from frrlib.model.routing import Bgp, BgpUnnumbered
from frrlib.model.topology import Topology

#: How long a lab may take from its daemons to all routes.
ROUTES_S = 600.0
DELAY_MS = 2.0
#: The large lab: its side, hosts at each router, and links.
LARGE = (10, 4, 700)
#: Routers of an AS in large networks, and the number of the first AS, for private use (RFC 6996).
AS_MEMBERS, FIRST_ASN = 50, 4_200_000_000
SHAPES = ("grid", "fat-tree", "systems")
_COLUMNS = ("built", "daemons", "routes", "total")


def drawing(routers: int) -> Topology:
    """A grid of so many routers, as square as can be, with a host at each."""
    rows = next(divisor for divisor in range(math.isqrt(routers), 0, -1) if routers % divisor == 0)
    return grid(rows, routers // rows, hosts=1)


def fat_tree_of_systems(routers: int) -> Topology:
    """The largest fat tree of that size, in which each router is an AS, with sessions over links without addresses."""
    ports = max(k for k in range(2, 64, 2) if 5 * k * k // 4 <= max(routers, 5))
    drawn = clear_routing(addressed(fat_tree(ports, hosts=0)))
    nodes = []
    for number, router in enumerate(drawn.routers):
        interfaces = [end.interface for _, end in drawn.ends_at(router.name)]
        bgp = Bgp(
            asn=FIRST_ASN + number,
            networks=tuple(address.network for address in router.loopbacks),
            unnumbered=tuple(BgpUnnumbered(interface=interface) for interface in interfaces),
        )
        nodes.append(router.model_copy(update={"bgp": bgp}))
    bare = {"addresses": ()}
    links = [
        link.model_copy(update={"a": link.a.model_copy(update=bare), "b": link.b.model_copy(update=bare)})
        for link in drawn.links
    ]
    return drawn.model_copy(update={"nodes": tuple(nodes), "links": tuple(links)})


def grid_of_systems(routers: int) -> Topology:
    """A grid whose rows form AS of 50 routers, or of a quarter of the routers."""
    members = min(AS_MEMBERS, routers // 4)
    drawn = grid(2 * (routers // members), members // 2)
    names = [router.name for router in drawn.routers]
    return groups_as_systems(drawn, [names[at : at + members] for at in range(0, len(names), members)])


def routed(shape: str, routers: int, *, has_delays: bool) -> Topology:
    """The network of a shape and size, with the timers for labs."""
    if shape == "grid":
        drawn = ospf_everywhere(drawing(routers))
    else:
        drawn = fat_tree_of_systems(routers) if shape == "fat-tree" else grid_of_systems(routers)
    return lab_timers_everywhere(delayed(drawn) if has_delays else drawn)


def large() -> Topology:
    """A grid with several hosts at each router, and diagonals until there are as many links as wanted."""
    side, hosts, link_count = LARGE
    topology = grid(side, side, hosts=hosts)
    names = [router.name for router in topology.routers]
    pairs = _diagonals(side)
    diagonals = [
        (names[a], names[b]) for _, (a, b) in zip(range(link_count - len(topology.links)), pairs, strict=False)
    ]
    links = [Link(id=f"d{number}", a=End(node=a), b=End(node=b)) for number, (a, b) in enumerate(diagonals, 1)]
    return topology.model_copy(update={"links": (*topology.links, *links)})


def _diagonals(side: int) -> Iterator[tuple[int, int]]:
    inner = [(row, column) for row in range(side - 1) for column in range(side - 1)]
    yield from ((row * side + column, (row + 1) * side + column + 1) for row, column in inner)
    yield from ((row * side + column + 1, (row + 1) * side + column) for row, column in inner)


def delayed(topology: Topology) -> Topology:
    """The same with a delay on every second link."""
    shape = Shape(delay_ms=DELAY_MS)
    links = [
        link.model_copy(update={"a_to_b": shape, "b_to_a": shape}) if number % 2 else link
        for number, link in enumerate(topology.links)
    ]
    return topology.model_copy(update={"links": tuple(links)})


def start(topology: Topology, place: str) -> tuple[dict[str, float], str, float]:
    """Seconds of each phase, the step that took longest with its seconds, and memory in MiB."""
    steps: dict[str, float] = {}
    begun: dict[str, float] = {}
    routers = {router.name for router in topology.routers}

    def listen(message: wire.Message) -> None:
        if isinstance(message, wire.StepEvent) and message.name not in routers:
            if message.state == "start":
                begun[message.name] = time.monotonic()
            elif message.name in begun:
                steps[message.name] = time.monotonic() - begun[message.name]

    first = time.monotonic()
    lab = Lab(topology, place=place, listener=listen)
    steps["check"] = time.monotonic() - first
    with lab:
        started = time.monotonic()
        lab.wait_routes(ROUTES_S)
        routed = time.monotonic()
        _, memory_mib = usage(os.getpid())
    steps["routes"] = routed - started
    seconds = {
        "built": begun["daemons"] - first,
        "daemons": steps["daemons"],
        "routes": routed - begun["daemons"] - steps["daemons"],
        "total": routed - first,
    }
    steps.pop("build", None)  # it is made of the others
    longest = max(steps, key=lambda name: steps[name])
    return seconds, f"{longest} {steps[longest]:.1f} s", memory_mib


def main() -> None:
    """Build each drawing in each place, one after the other; print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=["grid"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 30, 100, 300])
    parser.add_argument("--places", nargs="+", default=["namespace", "labkernel"])
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--delays", action="store_true")
    options = parser.parse_args()
    if options.large:
        networks = [("large", lab_timers_everywhere(ospf_everywhere(delayed(large()) if options.delays else large())))]
    else:
        networks = [
            (shape, routed(shape, size, has_delays=options.delays))
            for shape in options.shapes
            for size in options.sizes
        ]
    table = Table(
        "shape", "place", "routers", "nodes", "links", *(f"{column} s" for column in _COLUMNS), "MiB", "longest step"
    )
    console = Console(width=120)
    for shape, topology in networks:
        size = [str(len(parts)) for parts in (topology.routers, topology.nodes, topology.links)]
        for place in options.places:
            try:
                seconds, longest, memory_mib = start(topology, place)
            except LabError as error:
                console.print(f"{shape}, {place}, {size[0]} routers: {error}", markup=False)
                continue
            row = [f"{seconds[column]:.1f}" for column in _COLUMNS]
            table.add_row(shape, place, *size, *row, f"{memory_mib:.0f}", longest)
            console.print(
                f"{shape}, {place}, {size[0]} routers: {seconds['total']:.1f} s, longest: {longest}", markup=False
            )
    console.print(table)


if __name__ == "__main__":
    main()
