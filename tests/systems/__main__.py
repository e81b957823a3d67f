"""Test the project in fresh systems, with the commands that a new user types, from the first `./run` on.

    python -m tests.systems FOLDER [SYSTEM...] [--whole] [--keep]

    debian12, debian13, ubuntu24.04     (default: all)

For each system, debootstrap makes a minimal installation below FOLDER, with Python and an ordinary user without sudo.
This user clones HEAD and types `./run` (there is no display, so the main example runs without a window), `./run
--version`, a run in a namespace, a run in the distribution's lab kernel, the start of the first exercise with a passed
check, and with `--whole` also `./test`. Ubuntu has no package of a lab kernel, so one is built first. The table at the
end has exit status, seconds and verdict of each command, and the files that changed outside of the user's home.

Needs root, debootstrap and the network. All systems, and the labs in their namespaces, use the kernel of this machine.
FOLDER must be readable by all users. Logs stay there; the systems stay with `--keep`.
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
    """Test the systems. Returns 0 if at least one system was tested, and all commands succeeded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("systems", nargs="*", choices=[*SYSTEMS, []])
    parser.add_argument("--whole", action="store_true", help="./test as well")
    parser.add_argument("--keep", action="store_true", help="leave the systems in FOLDER/roots")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("making a system needs root")
    if shutil.which("debootstrap") is None:
        parser.error("debootstrap is not installed: sudo apt-get install debootstrap")
    signal.signal(signal.SIGTERM, _end)
    folder, steps = arguments.folder.resolve(), {**STEPS, **(WHOLE_SUITE if arguments.whole else {})}
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    for name in arguments.systems or SYSTEMS:
        sys.stderr.write(f"{SYSTEMS[name].title}: since {time.strftime('%H:%M:%S')}\n")
        results.append(try_system(SYSTEMS[name], folder, steps, arguments.keep))
        sys.stdout.write(f"{result_table(results[-1:])}\n")
        sys.stdout.flush()
    sys.stdout.write(f"\n{result_table(results)}\n")
    return 0 if any(result.step_results for result in results) and all(result.succeeded() for result in results) else 1


def _end(signal_number: int, _: FrameType | None) -> None:
    """End the program with an exception, so that programs in a system are ended, too."""
    sys.exit(128 + signal_number)


if __name__ == "__main__":
    sys.exit(main())
