"""Put each deliberate fault into a copy of the checkout, and check that its tests fail, and fail again alone.

    python -m tests.faults                      all faults, each against the tests that must detect it
    python -m tests.faults conf render          those of some rooms
    python -m tests.faults --whole render       against all tests; that takes as long as ./test for each

First the same tests run without a fault. They must pass, or their failures would mean nothing.
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
    """A copy of the checkout's files, including uncommitted changes, that every user can read."""
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
    """The account of `./test` for the copy: of all tests, or of some files."""
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
    """0 if each fault is detected."""
    rooms = {word for word in words if word != "--whole"}
    faults = [fault for fault in FAULTS if not rooms or fault.room in rooms]
    outcomes = []
    with _copy() as copy:
        # what the tests start imports the copy, not what the environment was made for
        os.environ["PYTHONPATH"] = str(copy)
        files = [] if "--whole" in words else sorted({f"tests/{name}" for fault in faults for name in fault.tests})
        without = _account(copy, files)
        if not without.green():
            say("Without any fault, these fail: " + "; ".join(without.failed()))
            return 1
        for fault in faults:
            began_s = time.monotonic()
            say(f"{fault.room}: {fault.name}")
            with _made(fault, copy):
                account = _account(copy, [] if "--whole" in words else [f"tests/{name}" for name in fault.tests])
            outcomes.append((fault, list(account.failed()), time.monotonic() - began_s))
    lines = ["", "fault (room): how many tests failed twice, the first of them"]
    for fault, failed, seconds in outcomes:
        result = f"{len(failed)}, {failed[0]}" if failed else "NOT SEEN"
        lines.append(f"  {fault.name} ({fault.room}): {result}  [{seconds:.0f} s]")
    say("\n".join(lines))
    return 0 if all(failed for _, failed, _ in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
