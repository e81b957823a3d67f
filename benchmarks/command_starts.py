"""The processor time that short commands need, most of which is spent on loading modules.

    python benchmarks/command_starts.py [--turns 15] [--fetched]

Prints the user and system time of each command and of its child processes, less that of `python -c pass`: the least
and the median of all turns. The least is closest to a machine with nothing else to do. All commands take turns, and
the first turn, which may compile modules, is not counted. `labs` lists the labs of an empty register.

With `--fetched`, on a machine whose missing packages were fetched by `./run`, each command also runs without them: the
difference is the cost of a start with fetched packages.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

_ROOT = Path(__file__).resolve().parent.parent
_EXAMPLE = "examples/bgp-policy.mn"
_NOTHING = "python -c pass"
_COMMANDS = {
    _NOTHING: ["-c", "pass"],
    "--version": ["-m", "miniedit_frr", "--version"],
    "labs": ["-m", "miniedit_frr", "labs"],
    f"check {_EXAMPLE}": ["-m", "miniedit_frr", "check", _EXAMPLE],
}
#: Ends the name of a command that runs without fetched packages.
_WITHOUT = ", without fetched packages"


def processor_s(arguments: list[str], register: str, without_packages: bool = False) -> float:
    """The processor time of one call of Python, in seconds."""
    environment = os.environ | {"PYTHONPATH": str(_ROOT), "XDG_RUNTIME_DIR": register}
    if without_packages:
        environment["MINIEDIT_FRR_SKIP_PACKAGES"] = "1"
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=_ROOT, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure all commands, by turns, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--fetched", action="store_true", help="run each command also without fetched packages")
    options = parser.parse_args()
    names = [name + ending for name in _COMMANDS for ending in ("", *([_WITHOUT] * options.fetched))]
    names = [name for name in names if name != _NOTHING + _WITHOUT]
    with tempfile.TemporaryDirectory() as register:
        turns = [
            {
                name: processor_s(_COMMANDS[name.removesuffix(_WITHOUT)], register, name.endswith(_WITHOUT))
                for name in names
            }
            for _ in range(options.turns + 1)
        ][1:]
    table = Table("command", title=f"Processor time in seconds, less that of {_NOTHING}; {options.turns} turns")
    for heading in ("least", "median"):
        table.add_column(heading, justify="right")
    for name in names:
        cells = []
        for summary in (min, statistics.median):
            floor = 0.0 if name == _NOTHING else summary(turn[_NOTHING] for turn in turns)
            cells.append(f"{summary(turn[name] for turn in turns) - floor:.3f}")
        table.add_row(name, *cells)
    Console().print(table)


if __name__ == "__main__":
    main()
