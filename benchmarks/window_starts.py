"""How long the editor's window takes to open: from the command to the drawn topology, and once it is imported.

    python benchmarks/window_starts.py [--turns 9] [--profile]

Needs a display, such as one of Xvfb. "command to drawn" is a new process: its seconds until all windows are drawn and
no task is waiting, its processor time until then, and the part of both that imports need. "open, imported" is the
processor time of one more window in a process that has already shown one, without closing. Each turn is a process of
its own, with its own folder for files of the user. `--profile` prints the functions that opening a window spends time
in. The least is closest to a machine with nothing else to do; the load of the machine is printed with it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

_ROOT = Path(__file__).resolve().parent.parent
_EXAMPLE = "examples/bgp-policy.mn"
#: Windows opened in each process after the first one.
_AGAIN = 5


def show(profile: bool) -> None:
    """Open the example in this process, then again, and print the times."""
    begun_s = float(os.environ["BEGUN"])
    from miniedit_frr.app.app import Editor
    from miniedit_frr.document.document import Document

    times = {"imports s": time.monotonic() - begun_s, "imports cpu": time.process_time()}

    def opened() -> Editor:
        document = Document()
        document.open(_ROOT / _EXAMPLE)
        editor = Editor(document, Path(os.environ["BEGUN_FOLDER"]) / "window.json")
        editor.window.update()
        return editor

    editor = opened()
    times |= {"drawn s": time.monotonic() - begun_s, "drawn cpu": time.process_time()}
    editor.close()
    if profile:
        import cProfile
        import pstats

        with cProfile.Profile() as profiler:
            for _ in range(_AGAIN):
                opened().close()
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(90)
        return
    again = []
    for _ in range(_AGAIN):
        before = time.process_time()
        editor = opened()
        again.append(time.process_time() - before)
        editor.close()
    print(json.dumps(times | {"again cpu": min(again)}))


def turn(words: list[str]) -> str:
    """The output of a process that opens the window."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "PYTHONPATH": str(_ROOT), "BEGUN": str(time.monotonic()), "BEGUN_FOLDER": folder,
        }  # fmt: skip
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, __file__, "--show", *words]
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def main() -> None:
    """Measure in processes of their own, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--show", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.show:
        show(options.profile)
        return
    if options.profile:
        print(turn(["--profile"]))
        return
    load = os.getloadavg()[0]
    turns: list[dict[str, float]] = [json.loads(turn([])) for _ in range(options.turns + 1)][1:]
    table = Table("", title=f"Seconds of {options.turns} turns; load of the machine before: {load:.1f}")
    for heading in ("least", "median"):
        table.add_column(heading, justify="right")
    names = {
        "command to drawn": "drawn s", "command to drawn, processor": "drawn cpu", "imports": "imports s",
        "imports, processor": "imports cpu", "open, imported, processor": "again cpu",
    }  # fmt: skip
    for title, name in names.items():
        table.add_row(title, *(f"{summary(t[name] for t in turns):.3f}" for summary in (min, statistics.median)))
    Console().print(table)


if __name__ == "__main__":
    main()
