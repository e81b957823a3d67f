"""How long BGP takes to begin: seconds from the daemons' start to all routes, of many starts of one drawing.

    python benchmarks/bgp_starts.py [DRAWING] [--starts 50] [--place labkernel]

DRAWING is a file, or the name of one below `examples/`. Prints worst and median of all starts, from the first daemon's
start and from when all of them ran, and how many starts lost a BGP session again, as after two connections that each
end resolves in another way.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from frrlib import wire
from frrlib.formats import mn
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology

EXAMPLES = Path(__file__).parents[1] / "examples"


def start(topology: Topology, place: str) -> tuple[float, float, int]:
    """Seconds from the daemons' start to all routes, of them until all daemons ran, and sessions that were lost."""
    times: dict[str, float] = {}

    def listen(message: wire.Message) -> None:
        if isinstance(message, wire.StepEvent) and message.name == "daemons":
            times[message.state] = time.monotonic()

    with Lab(topology, place=place, listener=listen) as lab:
        lab.wait_routes(60)
        routed = time.monotonic()
        logs = [lab[router.name].run("cat", "/var/log/frr/bgpd.log") for router in topology.routers if router.bgp]
    lost = sum(" Down " in line for log in logs for line in log.splitlines() if "%ADJCHANGE" in line)
    return routed - times["start"], times["done"] - times["start"], lost


def main() -> None:
    """Start again and again; print each start, then worst and median."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("drawing", nargs="?", default="two-as-bgp")
    parser.add_argument("--starts", type=int, default=50)
    parser.add_argument("--place", default="labkernel")
    options = parser.parse_args()
    path = Path(options.drawing)
    topology = mn.load(path if path.exists() else EXAMPLES / f"{options.drawing}.mn").topology
    starts = []
    for number in range(1, options.starts + 1):
        all_s, daemons_s, lost = start(topology, options.place)
        starts.append((all_s, all_s - daemons_s, lost))
        print(f"{number}: {all_s:.3f} s, {all_s - daemons_s:.3f} s after the daemons, {lost} lost", flush=True)
    for column, since in enumerate(("from the daemons' start", "after all daemons ran")):
        seconds = [start_values[column] for start_values in starts]
        print(f"{since}: worst {max(seconds):.3f} s, median {statistics.median(seconds):.3f} s")
    print(f"{sum(lost > 0 for *_, lost in starts)} of {len(starts)} starts lost a session")


if __name__ == "__main__":
    main()
