"""Runs every drawing of a folder, one after the other, and prints what came of each as a table.

    python benchmarks/real_files.py FOLDER [--place auto] [--limit-s 120]

FOLDER has `.mn` files, such as people have drawn with MiniEdit. Each goes through `miniedit-frr run FILE --trust`, as
somebody would run it, in a folder of its own that is gone afterwards. "reason" is what the lab did not do, or else the
last line that was said, where a run did not end well; a reason is good where the file's author could mend the file by
it. A run that takes longer than the limit is ended, which its row says.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from frrlib.errors import LabError  # noqa: E402
from frrlib.formats import mn  # noqa: E402

#: How long a lab that is told to end may take for it.
_ENDS_S = 60.0


@dataclass(frozen=True)
class Row:
    """The result for a file: its size in nodes and links, the exit status, why that is not 0, and how long it took in
    seconds.
    """

    name: str
    size: str
    status: int | str
    reason: str
    seconds: float


def size_of(file: Path) -> str:
    """Nodes and links of a drawing; a dash where it is none."""
    try:
        topology = mn.load(file).topology
    except (LabError, OSError):
        return "-"
    return f"{len(topology.nodes)} / {len(topology.links)}"


def run(file: Path, place: str, limit_s: float) -> Row:
    """Run one file."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="real-file-") as below:
        argv = [sys.executable, "-m", "miniedit_frr", "run", str(file.absolute()), "--json", "--trust"]
        child = subprocess.Popen(
            [*argv, "--place", place, "--out", str(Path(below) / "out")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
        )  # fmt: skip
        status: int | str
        try:
            output, messages = child.communicate(timeout=limit_s)
            status = child.returncode
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGTERM)
            output, messages = child.communicate(timeout=_ENDS_S)
            status = f"ended after {limit_s:g} s"
    reason = reason_of(output, messages) if status else ""
    return Row(file.name, size_of(file), status, reason, time.monotonic() - begun)


def reason_of(output: str, messages: str) -> str:
    """Why a run did not end well: the failures that it told in JSON, else the last line of its messages."""
    try:
        failures = json.loads(output)["failures"]
    except (ValueError, KeyError):
        failures = []
    lines = [line.strip() for line in messages.splitlines() if line.strip()]
    return "; ".join(" ".join(failure.split()) for failure in failures) or (lines[-1] if lines else "")


def line_of(row: Row) -> str:
    """A row of the table, in Markdown."""
    reason = row.reason.replace("|", "\\|")
    return f"| {row.name} | {row.size} | {row.status} | {reason} | {row.seconds:.1f} |"


def main() -> None:
    """Run all files, print the table as it grows, and how many ended how."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--place", default="auto")
    parser.add_argument("--limit-s", type=float, default=120.0)
    options = parser.parse_args()
    print("| file | nodes / links | exit status | reason | seconds |\n| --- | --- | --- | --- | --- |", flush=True)
    ends: dict[int | str, int] = {}
    for file in sorted(options.folder.glob("*.mn")):
        row = run(file, options.place, options.limit_s)
        ends[row.status] = ends.get(row.status, 0) + 1
        print(line_of(row), flush=True)
    print(f"\n{', '.join(f'{count} with {status}' for status, count in ends.items())}.")


if __name__ == "__main__":
    main()
