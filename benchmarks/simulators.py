"""Runs in virtual time beside ns-3: processor time, goodput and queue of one flow over one bottleneck.

    python benchmarks/simulators.py --ns3 PYTHON [--rates 1 10 100 1000] [--controls cubic bbr] [--turns 1]

PYTHON is an interpreter that has the package ns3 (`pip install ns3` in a virtual environment of its own). From its
headers and libraries `g++` builds `peers/ns3_dumbbell.cc`, whose flow has ns-3's own TCP; building is not counted.
Ours has the TCP of Linux in a lab kernel, in virtual time (`miniedit-frr kernel build`).

Both have one flow of 20 s, a base RTT of 40 ms, a FIFO queue of one bandwidth-delay product, and a sample of the queue
every 10 ms. Ours also samples the flow and all other queues, and its time includes the start of the lab, the statistics
and the figure. Both take turns in one run; the table in Markdown has the medians, and ns-3's processor time as a
multiple of ours.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE.parent), str(_HERE)]

from virtual_agreement import print_table  # noqa: E402
from virtual_time import RTT_MS, SECONDS, bottleneck, once  # noqa: E402

_SOURCE = _HERE / "peers" / "ns3_dumbbell.cc"
_MODULES = ("core", "network", "internet", "point-to-point", "traffic-control", "applications")
#: Our name of a congestion control, and the class of ns-3.
_CLASSES = {"cubic": "TcpCubic", "bbr": "TcpBbr", "reno": "TcpLinuxReno"}
_TITLES = (
    "flow", "ns-3: processor", "goodput", "mean queue",
    "ours: processor", "real time", "goodput", "mean queue", "ns-3 / ours",
)  # fmt: skip
Measured = dict[str, Any]


def build_peer(python: str, folder: Path) -> Path:
    """Compile the program of ns-3.

    Raises:
        SystemExit: the interpreter lacks ns3, or the program does not compile.
    """
    find = "import importlib.util as u; print(u.find_spec('ns3').submodule_search_locations[0])"
    query = subprocess.run([python, "-c", find], capture_output=True, text=True, check=False)
    if query.returncode:
        sys.exit(f"{python} has no package ns3; install it there: pip install ns3")
    package = Path(query.stdout.strip())
    libraries = package / "lib64"
    names = [next(libraries.glob(f"libns3*-{module}.so")).stem.removeprefix("lib") for module in _MODULES]
    program = folder / "ns3_dumbbell"
    command = ["g++", "-std=c++20", "-O2", f"-I{package / 'include'}", str(_SOURCE), "-o", str(program)]
    command += [f"-L{libraries}", *(f"-l{name}" for name in names), f"-Wl,-rpath,{libraries}"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode:
        sys.exit(f"{' '.join(command)}: {built.stderr[-2000:]}")
    return program


def simulate(program: Path, rate_mbit: float, control: str) -> Measured:
    """One run of ns-3: processor seconds, goodput in Mbit/s, and mean queue in ms."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [str(program), f"{rate_mbit:g}", f"{RTT_MS:g}", f"{SECONDS:g}", _CLASSES[control]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"processor_s": processor_s, **json.loads(done.stdout)}


def row(rate_mbit: float, control: str, theirs: list[Measured], ours: list[Measured]) -> list[str]:
    """A row of the table: the medians of all turns."""

    def median(runs: list[Measured], key: str) -> float:
        return float(statistics.median(measured[key] for measured in runs))

    peer_s, own_s = median(theirs, "processor_s"), median(ours, "processor_s")
    return [
        f"{control} at {rate_mbit:g} Mbit/s",
        f"{peer_s:.2f} s", f"{median(theirs, 'goodput_mbit'):.2f} Mbit/s", f"{median(theirs, 'queue_ms'):.1f} ms",
        f"{own_s:.2f} s", f"{median(ours, 'real_s'):.2f} s",
        f"{median(ours, 'goodput_mbit'):.2f} Mbit/s", f"{median(ours, 'queue_ms'):.1f} ms", f"{peer_s / own_s:.1f}",
    ]  # fmt: skip


def main() -> None:
    """Run both in turns, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ns3", required=True, metavar="PYTHON")
    parser.add_argument("--rates", nargs="+", type=float, default=[1, 10, 100, 1000])
    parser.add_argument("--controls", nargs="+", choices=sorted(_CLASSES), default=["cubic", "bbr"])
    parser.add_argument("--turns", type=int, default=1)
    options = parser.parse_args()
    body = []
    with tempfile.TemporaryDirectory(prefix="simulators-") as folder:
        program = build_peer(options.ns3, Path(folder))
        for control in options.controls:
            for rate_mbit in options.rates:
                theirs, ours = [], []
                for _ in range(options.turns):
                    theirs.append(simulate(program, rate_mbit, control))
                    ours.append(once(bottleneck(1, rate_mbit, control)))
                body.append(row(rate_mbit, control, theirs, ours))
                print(f"{body[-1][0]}: {body[-1][1]} and {body[-1][4]}", file=sys.stderr, flush=True)
    print_table(_TITLES, body)


if __name__ == "__main__":
    main()
