"""Put each deliberate fault into a copy of the checkout and see whether its tests turn red, and stay so alone.

    python -m tests.faults                      all faults, each against the tests that must see it
    python -m tests.faults conf render          those of some rooms
    python -m tests.faults --whole render       against all tests; that takes as long as ./test for each

First the same tests run without a fault: they must pass, or their failures would say nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.faults.deliberate import FAULTS, Fault
from tests.rounds import ROOT, Account, Rounds, say, workers


@contextmanager
def _copy() -> Iterator[Path]:
    """A copy of what is kept of the checkout, changes that were not committed included, that everybody can read."""
    with tempfile.TemporaryDirectory(prefix="frr-faults-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        copy = Path(folder, "main")
        listed = ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0"):
            if name and (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, copy / name)
        yield copy


def _account(copy: Path, words: Sequence[str]) -> Account:
    """What `./test` would say of the copy: of all tests, or of some files."""
    rounds = Rounds(copy, copy)
    rounds.all_of("alone", "-q", "-m", "alone", *words)
    rounds.all_of("side by side", "-q", "-m", "not alone", "-n", str(workers()), "--dist", "loadfile", *words)
    rounds.again()
    return rounds.account


@contextmanager
def _made(fault: Fault, copy: Path) -> Iterator[None]:
    path = copy / fault.file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")


def main(words: Sequence[str]) -> int:
    """0 where each fault is seen."""
    rooms = {word for word in words if word != "--whole"}
    chosen = [fault for fault in FAULTS if not rooms or fault.room in rooms]
    told = []
    with _copy() as copy:
        # what the tests start imports the copy, not what the environment was made for
        os.environ["PYTHONPATH"] = str(copy)
        files = [] if "--whole" in words else sorted({f"tests/{each}" for fault in chosen for each in fault.tests})
        without = _account(copy, files)
        if not without.green():
            say("Without any fault, these fail: " + "; ".join(without.failed()))
            return 1
        for fault in chosen:
            began_s = time.monotonic()
            say(f"{fault.room}: {fault.name}")
            with _made(fault, copy):
                account = _account(copy, [] if "--whole" in words else [f"tests/{each}" for each in fault.tests])
            told.append((fault, list(account.failed()), time.monotonic() - began_s))
    lines = ["", "fault (room): how many tests failed twice, the first of them"]
    for fault, failed, seconds in told:
        seen = f"{len(failed)}, {failed[0]}" if failed else "NOT SEEN"
        lines.append(f"  {fault.name} ({fault.room}): {seen}  [{seconds:.0f} s]")
    say("\n".join(lines))
    return 0 if all(failed for _, failed, _ in told) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
