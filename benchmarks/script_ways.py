"""How well the ways of running an example agree: `miniedit-frr run`, its exported script, and the script in a lab.

    python benchmarks/script_ways.py [--seconds 10] [EXAMPLE...]

Prints what all flows carried together, and the ratio to `miniedit-frr run`. Labs run in real time: on a machine that is
busy with other things the numbers scatter. `tests/lab/test_script.py` holds everything else that must be equal.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from frrlib import wire
from frrlib.formats import mn, script
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ("two-as-bgp", "two-as-no-delay", "ospf-multihop")


def lengthened(name: str, seconds: int) -> Topology:
    """An example whose flows take so long: together, or one after the other, as in the example."""
    topology = mn.load(ROOT / "examples" / f"{name}.mn").topology
    together = len({flow.start_s for flow in topology.flows}) == 1
    flows = tuple(
        flow.model_copy(update={"duration_s": float(seconds), "start_s": 0.0 if together else index * (seconds + 1.0)})
        for index, flow in enumerate(topology.flows)
    )
    return topology.model_copy(update={"flows": flows})


def carried_mbit(folder: Path) -> float:
    """The throughput of all flows together once they had settled."""
    flows = json.loads((folder / "summary.json").read_text())["flows"]
    return float(sum(flow["goodput_settled_mbit"] for flow in flows))


def measure(name: str, seconds: int, folder: Path) -> dict[str, float]:
    """Each way's sum of goodputs."""
    topology = lengthened(name, seconds)
    mn.save(topology, folder / "lab.mn")
    script.save(topology, folder / "lab.py")
    run = [sys.executable, "-m", "miniedit_frr", "run", "lab.mn", "--out", "run"]
    exported = [sys.executable, "lab.py", "--out", "script"]
    for argv in (run, exported):
        ended = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
        if ended.returncode:
            raise SystemExit(ended.stderr)
    with Lab(topology, place="labkernel", writable=folder) as lab:
        line = f"cd /run/lab/files && exec {sys.executable} lab.py --out inside"
        done = lab.ask(wire.Execute("", ("sh", "-c", line), 590.0), 600.0)
    if done["status"]:
        raise SystemExit(done["stderr"])
    return {out: carried_mbit(folder / out) for out in ("run", "script", "inside")}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=10, help="length of each flow")
    parser.add_argument("examples", nargs="*", default=EXAMPLES, metavar="EXAMPLE")
    options = parser.parse_args()
    print(f"{'Mbit/s, all flows':<20}{'run':>10}{'script':>10}{'ratio':>8}{'in a lab':>10}{'ratio':>8}")
    for name in options.examples:
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            rates = measure(name, options.seconds, Path(folder))
        run, exported, inside = rates["run"], rates["script"], rates["inside"]
        print(f"{name:<20}{run:>10.3f}{exported:>10.3f}{exported / run:>8.3f}{inside:>10.3f}{inside / run:>8.3f}")


if __name__ == "__main__":
    main()
