"""How far labs scale: seconds and memory of grids of OSPF routers with hosts, and which step takes longest.

    python benchmarks/scale.py [--sizes 10 30 100 300] [--places namespace labkernel] [--large] [--delays]

Each of so many routers has a host; OSPF has the timers for labs. `--large` builds 100 routers with four hosts each and
700 links instead. `--delays` gives every second link a delay of 2 ms, for which the kernel needs netem: a lab kernel
has it, this machine's own may not. "built" reaches from the check of the drawing to the start of the first daemon,
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
from frrlib.edits.generators import grid
from frrlib.edits.routing_presets import lab_timers_everywhere, ospf_everywhere
from frrlib.errors import LabError
from frrlib.lab.lab import Lab
from frrlib.model.links import End, Link, Shape
from frrlib.model.topology import Topology

#: How long a lab may take from its daemons to all routes.
ROUTES_S = 600.0
DELAY_MS = 2.0
#: The large lab: its side, hosts at each router, and links.
LARGE = (10, 4, 700)
_COLUMNS = ("built", "daemons", "routes", "total")


def drawing(routers: int) -> Topology:
    """A grid of so many routers, as square as can be, with a host at each."""
    rows = next(divisor for divisor in range(math.isqrt(routers), 0, -1) if routers % divisor == 0)
    return grid(rows, routers // rows, hosts=1)


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
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 30, 100, 300])
    parser.add_argument("--places", nargs="+", default=["namespace", "labkernel"])
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--delays", action="store_true")
    options = parser.parse_args()
    drawings = [large()] if options.large else [drawing(size) for size in options.sizes]
    table = Table("place", "routers", "nodes", "links", *(f"{column} s" for column in _COLUMNS), "MiB", "longest step")
    console = Console(width=120)
    for unrouted in drawings:
        topology = lab_timers_everywhere(ospf_everywhere(delayed(unrouted) if options.delays else unrouted))
        size = [str(len(parts)) for parts in (topology.routers, topology.nodes, topology.links)]
        for place in options.places:
            try:
                seconds, longest, memory_mib = start(topology, place)
            except LabError as error:
                console.print(f"{place}, {size[0]} routers: {error}", markup=False)
                continue
            row = [f"{seconds[column]:.1f}" for column in _COLUMNS]
            table.add_row(place, *size, *row, f"{memory_mib:.0f}", longest)
            console.print(f"{place}, {size[0]} routers: {seconds['total']:.1f} s, longest: {longest}", markup=False)
    console.print(table)


if __name__ == "__main__":
    main()
