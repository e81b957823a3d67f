"""What sampling costs: the share of a processor that samplers take, by how often they sample.

    python benchmarks/sampler.py [--places namespace labkernel] [--rates 10 100 1000] [--seconds 5] [--json FILE]

Two hosts, a router, six flows and four queues. In namespaces it is processor time as the kernel counts it. A lab kernel
counts in ticks, with which samples go in step, so there it is the time from the beginning to the end of each sample,
whoever else ran meanwhile: at most that. Samples for which the machine came too late are left out, and counted.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from frrlib.lab.lab import Lab
from frrlib.model.links import Shape
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Wait, end
from frrlib.results.samplers import samplers_share

FLOWS = 6


def drawing(seconds: float) -> Topology:
    """Six flows; both directions of both links have a rate, and so a queue that is sampled."""
    net = Network("Sampler", wait=Wait(routes=False))
    for name in ("h1", "h2"):
        net.host(name)
    net.router("r1")
    net.link(end("h1", "10.1.0.10/24"), end("r1", "10.1.0.1/24"), both=Shape(rate_mbit=100))
    net.link(end("r1", "10.2.0.1/24"), end("h2", "10.2.0.2/24"), both=Shape(rate_mbit=10))
    for number in range(FLOWS):
        net.flow(f"f{number}", "h1", "h2", duration_s=seconds)
    return net.topology


def measured(place: str, rates: list[float], seconds: float) -> list[dict[str, Any]]:
    """A row for each rate, all of them in one lab."""
    rows = []
    with Lab(drawing(seconds), place=place) as lab:
        for hz in rates:
            result = lab.run_flows(hz)
            costs = result["samplers"]
            samples_taken, left_out = (max(cost[name] for cost in costs.values()) for name in ("taken", "left_out"))
            used_s = sum(cost.get("cpu_s", cost["busy_s"]) for cost in costs.values())
            rows.append({
                "place": place, "hz": hz, "processes": len(costs), "share_percent": 100 * (samplers_share(costs) or 0),
                "each_us": 1e6 * used_s / max(1, samples_taken), "taken": samples_taken, "left_out": left_out,
                "at_most": place == "labkernel",
            })  # fmt: skip
    return rows


def main() -> None:
    """Measure all, and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--places", nargs="+", default=["namespace", "labkernel"])
    parser.add_argument("--rates", type=float, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [row for place in options.places for row in measured(place, options.rates, options.seconds)]
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    table = Table(
        "place", "samples a second", "processes", "of a processor", "each sample", "taken", "left out", box=None
    )
    for row in rows:
        at_most = "at most " if row["at_most"] else ""
        table.add_row(
            row["place"], f"{row['hz']:g}", str(row["processes"]), f"{at_most}{row['share_percent']:.2g} %",
            f"{row['each_us']:.0f} us", str(row["taken"]), str(row["left_out"]),
        )  # fmt: skip
    Console(width=120).print(table)
    print(f"{FLOWS} flows at both ends, 4 queues, and ten times a second their disciplines and 4 interfaces")


if __name__ == "__main__":
    main()
