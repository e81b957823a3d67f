"""Try the project in fresh systems: as their user would type it, from the first `./run` on.

    python -m tests.systems FOLDER [SYSTEM...] [--whole] [--keep]

    debian12, debian13, ubuntu24.04     all of them where none is named

For each, debootstrap makes a minimal system below FOLDER, with sudo and an ordinary user. This user clones HEAD and
types `./run` (there is no display, so the main example runs without a window), `./run --version`, a run in a namespace
and one in the distribution's own lab kernel, and with `--whole` then `./test`. On Ubuntu, which has no package of a lab
kernel, one is built first. The table at the end has exit status, seconds and verdict of each.

Needs root, debootstrap and the network. The kernel below all of this, and so that of namespaces, is this machine's.
FOLDER must be readable by all. Logs stay there; the systems stay with `--keep`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from tests.systems.roots import SYSTEMS
from tests.systems.steps import STEPS, WHOLE_SUITE, result_table, try_system


def main() -> int:
    """0 where all that was tried succeeded, and something was."""
    about = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    about.add_argument("folder", type=Path)
    about.add_argument("systems", nargs="*", choices=[*SYSTEMS, []])
    about.add_argument("--whole", action="store_true", help="./test as well")
    about.add_argument("--keep", action="store_true", help="leave the systems in FOLDER/roots")
    given = about.parse_args()
    if os.geteuid() != 0:
        about.error("making a system needs root")
    if shutil.which("debootstrap") is None:
        about.error("debootstrap is not installed: sudo apt-get install debootstrap")
    signal.signal(signal.SIGTERM, _end)
    folder, steps = given.folder.resolve(), {**STEPS, **(WHOLE_SUITE if given.whole else {})}
    folder.mkdir(parents=True, exist_ok=True)
    tried = []
    for name in given.systems or SYSTEMS:
        sys.stderr.write(f"{SYSTEMS[name].title}: since {time.strftime('%H:%M:%S')}\n")
        tried.append(try_system(SYSTEMS[name], folder, steps, given.keep))
        sys.stdout.write(f"{result_table(tried[-1:])}\n")
        sys.stdout.flush()
    sys.stdout.write(f"\n{result_table(tried)}\n")
    return 0 if any(one.step_results for one in tried) and all(one.succeeded() for one in tried) else 1


def _end(number: int, _: FrameType | None) -> None:
    """An ordinary end, so that what runs in a system ends, too."""
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
