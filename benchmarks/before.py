"""How long labs take to start now, and at an earlier commit: both in turns, so that the ratio means something.

    python benchmarks/before.py COMMIT [--turns 5] [--only NAME ...]

Three labs: two autonomous systems in a namespace and in a lab kernel, from nothing to all routes, and a grid of 64
routers with OSPF in a namespace. The earlier commit is cloned into a temporary folder and runs under the same Python.
Prints the median of each and by how much it has changed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

_ROOT = Path(__file__).resolve().parents[1]
_LAB = """
import sys, time
sys.path.insert(0, ".")
from frrlib.formats import mn
from frrlib.lab import Lab
topology = mn.load(f"examples/{sys.argv[1]}.mn").topology
begun = time.monotonic()
lab = Lab(topology, place=sys.argv[2])
lab.start()
lab.wait_routes(60)
print('{"total": %f}' % (time.monotonic() - begun))
lab.stop()
"""
#: The programs that are started, and their commands in a checkout.
LABS = {
    "two AS, namespace": ["-c", _LAB, "two-as-no-delay", "namespace"],
    "two AS, lab kernel": ["-c", _LAB, "two-as-bgp", "labkernel"],
    "64 routers, namespace": ["benchmarks/startup_ours.py", "8"],
}
_TIMEOUT_S = 300.0


def started_s(checkout: Path, command: list[str]) -> float:
    """Seconds from nothing to all routes. Raises CalledProcessError where that fails."""
    paths = os.environ | {"PYTHONPATH": str(checkout)}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=checkout,
        env=paths,
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=True,
    )
    return float(json.loads(done.stdout.splitlines()[-1])["total"])


def main() -> None:
    """Take turns, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[*LABS], choices=[*LABS])
    options = parser.parse_args()
    table = Table("lab", f"{options.commit[:9]} (s)", "now (s)", "change", title=f"medians of {options.turns}")
    with tempfile.TemporaryDirectory() as below:
        before = Path(below) / "before"
        subprocess.run(["git", "clone", "-q", str(_ROOT), str(before)], check=True)
        subprocess.run(["git", "-C", str(before), "checkout", "-q", options.commit], check=True)
        for name in options.only:
            took: dict[Path, list[float]] = {before: [], _ROOT: []}
            for _ in range(options.turns):
                for checkout, all_s in took.items():
                    all_s.append(started_s(checkout, LABS[name]))
            then, now = (statistics.median(all_s) for all_s in took.values())
            table.add_row(name, f"{then:.2f}", f"{now:.2f}", f"{now / then - 1:+.0%}")
    Console().print(table)


if __name__ == "__main__":
    main()
