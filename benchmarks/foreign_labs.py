"""Opens and runs labs in the files of other programs, and prints what came of each as a table.

    python benchmarks/foreign_labs.py FILE [FILE ...] [--place auto] [--limit-s 90] [--pairs 30]

A FILE is one that the window opens: `.clab.yml`, the folder of a lab of Kathara, CORE's `.xml`, `.gns3`, `.graphml`.
Each lab is started with the commands of its file, so take files that you trust. "not read" counts the values without an
equivalent that the reader lists; their kinds follow. The lab then has the limit to converge, and pings go between pairs
of nodes with addresses, at most as many as requested.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from frrlib.errors import LabError, LabFailed  # noqa: E402
from frrlib.exchange import opening  # noqa: E402
from frrlib.lab.lab import Lab  # noqa: E402
from frrlib.model.nodes import Host, Router  # noqa: E402
from frrlib.model.problem import Problem  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402

_HEADING = "| file | nodes / links | not read | start | converged | pings | seconds |"
#: Kinds of unread values that a row names.
_MOST_KINDS = 3
#: Characters of a reason.
_SHOWN = 160


@dataclass
class Row:
    """The result for a file, in words; a dash for a step that was not reached."""

    name: str
    size: str = "-"
    unread: str = "-"
    start: str = "-"
    converged: str = "-"
    pings: str = "-"
    seconds: float = 0.0

    def __str__(self) -> str:
        cells = (self.name, self.size, self.unread, self.start, self.converged, self.pings, f"{self.seconds:.1f}")
        return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def try_file(path: Path, options: argparse.Namespace) -> Row:
    """Open and run one file."""
    row, begin_s = Row(opening.name_of(path)), time.monotonic()
    try:
        loaded = opening.load(path)
        topology = loaded.topology
        row.size = f"{len(topology.nodes)} / {len(topology.links)}"
        row.unread = unread_text(loaded.warnings)
        folder = opening.file_of(path).resolve().parent
        with Lab(topology, place=options.place, folder=folder) as lab:
            row.start = f"{lab.place.name}, {len(lab.failed_commands)} failed commands"
            row.converged = convergence(lab, options.limit_s)
            row.pings = pings(lab, options.pairs)
    except LabError as error:
        row.start = short(error)
    row.seconds = time.monotonic() - begin_s
    return row


def unread_text(problems: Sequence[Problem]) -> str:
    """The number of values without an equivalent, and the most frequent sentences about them, without numbers."""
    kinds = Counter(re.sub(r"\d+", "N", problem.message) for problem in problems)
    named = "; ".join(f"{count} times: {short(kind)}" for kind, count in kinds.most_common(_MOST_KINDS))
    return f"{len(problems)} ({named})" if problems else "0"


def convergence(lab: Lab, limit_s: float) -> str:
    """Whether the lab converged in time, or the first thing that it misses."""
    try:
        lab.wait_converged(timeout_s=limit_s)
    except LabFailed as error:
        return short(error)
    return "yes"


def pings(lab: Lab, most: int) -> str:
    """The number of pairs of which one node got a reply of the other, and the number of pairs."""
    names = [
        node.name
        for node in lab.topology.nodes
        if isinstance(node, Host | Router) and has_address(lab.topology, node.name)
    ]
    pairs = list(itertools.permutations(names, 2))
    chosen = random.Random(1).sample(pairs, min(most, len(pairs)))
    replies = 0
    for source, destination in chosen:
        try:
            replies += lab.ping(source, destination, count=1)["received"]
        except LabFailed:  # such as a node without a route
            continue
    return f"{replies} of {len(chosen)}"


def has_address(topology: Topology, name: str) -> bool:
    """Whether a node has an address at one of its links."""
    return any(end.addresses for _, end in topology.ends_at(name))


def short(text: object) -> str:
    """A text on one line, cut."""
    line = " ".join(str(text).split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]} …"


def main() -> None:
    """Run all files, and print the table as it grows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--place", default="auto")
    parser.add_argument("--limit-s", type=float, default=90.0)
    parser.add_argument("--pairs", type=int, default=30)
    options = parser.parse_args()
    print(f"{_HEADING}\n{'| --- ' * _HEADING.count(' | ')}| --- |", flush=True)
    for path in options.files:
        print(try_file(path, options), flush=True)


if __name__ == "__main__":
    main()
