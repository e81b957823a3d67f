"""How long networks of OSPF routers take to start and to stop: ours beside the floor and beside peers.

    sudo python benchmarks/startup.py [--sizes 2 4 6 8 10] [--shapes grid line] [--turns 3] [--frr-timers]
                                      [--place namespace] [--peer munet=PYTHON] [--peer ipmininet=PYTHON]

SIZES are the grid's side: 8 means 64 routers and 112 links (a line of as many has one link less than routers). Every
router runs zebra and ospfd, hello 1 s, dead 4 s, point-to-point; all sides have the same timers: those for labs, or
FRR's own with --frr-timers. The floor is the same daemons started by a bare script. Plain Mininet takes part where it
is installed for /usr/bin/python3, others where a Python that has them is named.

All take turns in one run, so that the ratios mean something; the seconds are of this machine. Prints the median of each
phase, and a table for the documentation with --markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

_HERE = Path(__file__).resolve().parent
_PHASES = ("built", "daemons", "routes", "total", "stop", "cpu_s", "memory_mib")
_SYSTEM_PYTHON = "/usr/bin/python3"
_TIMEOUT_S = 900.0
Times = dict[str, float]


def sides(options: argparse.Namespace) -> dict[str, list[str]]:
    """The participants, and the command of each without its arguments."""
    commands = {
        "floor": [sys.executable, str(_HERE / "startup_floor.py")],
        "ours": [sys.executable, str(_HERE / "startup_ours.py"), "--place", options.place],
    }
    if _has(_SYSTEM_PYTHON, "mininet") and not options.without_mininet:
        commands["mininet"] = [_SYSTEM_PYTHON, str(_HERE / "startup_mininet.py")]
    for peer in options.peer:
        name, _, python = peer.partition("=")
        if not _has(python, name):
            sys.exit(f"--peer {peer}: {python} has no {name}")
        commands[name] = [python, str(_HERE / f"startup_{name}.py")]
    return commands


def _has(python: str, package: str) -> bool:
    return not subprocess.run([python, "-c", f"import {package}"], capture_output=True, check=False).returncode


def once(argv: list[str], side: int, shape: str, options: argparse.Namespace) -> Times | None:
    """One start and stop; None where it failed, which is told."""
    words = [*argv, str(side), *(["--line"] if shape == "line" else [])]
    words += ["--frr-timers"] if options.frr_timers else []
    environment = {**os.environ, "PYTHONPATH": str(_HERE.parent)}
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, env=environment, timeout=_TIMEOUT_S, check=True, cwd=_HERE
        )
        times: Times = json.loads(done.stdout.splitlines()[-1])
        return times
    except (subprocess.SubprocessError, ValueError, IndexError) as error:
        messages = getattr(error, "stderr", "") or ""
        print(f"{argv[1]} {side} {shape}: {error} {messages[-500:]}", file=sys.stderr)
        return None


def main() -> None:
    """Measure all, by turns, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2, 4, 6, 8, 10])
    parser.add_argument("--shapes", nargs="+", choices=("grid", "line"), default=["grid", "line"])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--frr-timers", action="store_true")
    parser.add_argument("--without-mininet", action="store_true")
    parser.add_argument("--place", default="namespace")
    parser.add_argument("--peer", action="append", default=[])
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    taking_part = sides(options)
    rows: list[list[str]] = []
    for shape in options.shapes:
        for side in options.sizes:
            turns: dict[str, list[Times]] = {name: [] for name in taking_part}
            for _ in range(options.turns):
                for name, argv in taking_part.items():
                    if times := once(argv, side, shape, options):
                        turns[name].append(times)
            medians = {name: _medians(times) for name, times in turns.items() if times}
            rows += [_row(shape, side, name, times, medians.get("floor")) for name, times in medians.items()]
    _print(rows, options)


def _medians(turns: list[Times]) -> Times:
    return {phase: statistics.median(times[phase] for times in turns) for phase in _PHASES}


def _row(shape: str, side: int, name: str, times: Times, floor: Times | None) -> list[str]:
    count = side * side
    seconds = [f"{times[phase]:.2f}" for phase in ("built", "daemons", "routes", "total", "stop")]
    ratio = f"{times['total'] / floor['total']:.2f}" if floor else ""
    return [
        f"{shape} {count}", name, *seconds, ratio, f"{times['cpu_s'] / count:.3f}", f"{times['memory_mib'] / count:.1f}"
    ]  # fmt: skip


def _print(rows: list[list[str]], options: argparse.Namespace) -> None:
    heads = ["routers", "", "built s", "daemons s", "routes s", "total s", "stop s", "of floor", "CPU s", "MiB"]
    if options.markdown:
        for row in (heads, ["---"] * len(heads), *rows):
            print(f"| {' | '.join(row)} |")
        return
    timers = "FRR's own timers" if options.frr_timers else "lab timers"
    table = Table(title=f"OSPF routers, {timers}, median of {options.turns}; CPU and memory per router")
    for number, head in enumerate(heads):
        table.add_column(head, justify="left" if number < 2 else "right")
    for row in rows:
        table.add_row(*row, end_section=row is rows[-1])
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
