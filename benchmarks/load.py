"""How much a place can carry through a shaped link: the rate of one flow against the rate that is drawn.

    python benchmarks/load.py [--place labkernel] [--rates 50 100 200 400 800]

Two hosts, a router, 5 ms each way, one CUBIC flow of 8 s with a queue of 100 ms. A rate counts as carried where the
flow gets 90 % of what it leaves for data, after its first second. All other work of the machine counts, too.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from frrlib.formats import mn
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology
from frrlib.run.run import RunSettings
from miniedit_frr.cli.measured_run import run_with_progress


def drawing(rate_mbit: float) -> Topology:
    """One flow over one shaped link."""
    shape = Shape(rate_mbit=rate_mbit, delay_ms=5, queue_ms=100)
    links = (
        Link(id="l1", a=End(node="h1"), b=End(node="r1")),
        Link(id="l2", a=End(node="r1"), b=End(node="h2"), a_to_b=shape, b_to_a=Shape(delay_ms=5)),
    )
    flow = Flow(id="f", source="h1", destination="h2", duration_s=8)
    return Topology(nodes=(Host(name="h1"), Router(name="r1"), Host(name="h2")), links=links, flows=(flow,))


def main() -> None:
    """Measure each rate, and say the largest that was carried."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--place", default="labkernel")
    parser.add_argument("--rates", type=float, nargs="+", default=[50, 100, 200, 400, 800])
    options = parser.parse_args()
    most = 0.0
    for rate in options.rates:
        with tempfile.TemporaryDirectory() as folder:
            topology = drawing(rate)
            settings = RunSettings(options.place)
            outcome = run_with_progress(
                topology, mn.dumps(topology), Path(folder) / "out", settings, folder=Path(folder)
            )
            goodput = outcome.summary.flows[0].goodput_settled_mbit or 0.0
        print(f"{rate:g} Mbit/s drawn, {goodput:.4g} Mbit/s of data carried", flush=True)
        if goodput >= 0.9 * rate * 1448 / 1514:
            most = max(most, rate)
    print(f"{options.place} carries {most:g} Mbit/s through one shaped link")


if __name__ == "__main__":
    main()
