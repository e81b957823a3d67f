"""The rounds of `./test`: tests that must run alone, all others side by side, and once more those that failed.

A failure counts against the code only if it comes again. So each test that failed in the whole run is run once more by
itself, with nothing beside it. A test that passes then was *unsteady*: it is listed with the line that failed, and kept
in a file, for it has a fault of its own; a few of them do not decide. A test that fails again has failed.
"""

from __future__ import annotations

import compileall
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: More unsteady tests than these are no accidents any more.
MOST_UNSTEADY = 10
#: If more fail than these, the code is at fault, and running all of them again would only take time.
MOST_AGAIN = 50
SLOWEST = 20
#: The packages of the program.
PACKAGES = ("frrlib", "miniedit_frr")
#: pytest's exit statuses when it came to its end: all well, some failed, none selected.
_PYTEST_ENDS = {0, 1, 5}


@dataclass(frozen=True)
class Outcome:
    """The outcome of a test; see `tests.outcomes`."""

    test: str
    status: str
    seconds: float
    reason: str


@dataclass
class Account:
    """The results of all rounds together.

    Attributes:
        outcomes: the last outcome of each test.
        unsteady: tests that failed and then passed by themselves, each with the line that failed first.
        broken: checks and rounds that failed as a whole, each with its reason.
        seconds: wall time of everything.
    """

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    unsteady: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def failed(self) -> dict[str, str]:
        """Everything that failed for good, with its reason."""
        tests = {outcome.test: outcome.reason for outcome in self.outcomes.values() if outcome.status == "failed"}
        return {**self.broken, **tests}

    def green(self) -> bool:
        """Whether the code has passed."""
        return not self.failed() and len(self.unsteady) <= MOST_UNSTEADY


def read_outcomes(path: Path) -> dict[str, Outcome]:
    """The outcomes in a file of `tests.outcomes`, by test; a test that is told twice has failed if it failed once."""
    outcomes: dict[str, Outcome] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        outcome = Outcome(**json.loads(line))
        if outcome.test not in outcomes or outcomes[outcome.test].status != "failed":
            outcomes[outcome.test] = outcome
    return outcomes


class Rounds:
    """Runs checks and pytest in a checkout.

    Args:
        root: the checkout, which has the settings of pytest.
        caches: a folder that may be written to.
    """

    def __init__(self, root: Path, caches: Path) -> None:
        self._root, self._caches = root, caches
        self.account = Account()

    def check(self, module: str, *words: str) -> None:
        """Run a checker that is a module of Python."""
        # -P: modules of the checkout are not to hide those of the environment
        status = self._run([sys.executable, "-P", "-m", module, *words])
        if status:
            self.account.broken[module] = f"exit status {status}; what it says is above"

    @contextmanager
    def check_beside(self, module: str, *words: str) -> Iterator[None]:
        """Run a checker that is a module of Python beside the body; its output is printed at the end."""
        with tempfile.TemporaryFile() as output:
            argv = [sys.executable, "-P", "-m", module, *words]
            process = subprocess.Popen(argv, cwd=self._root, stdout=output, stderr=subprocess.STDOUT)
            try:
                yield
            finally:
                status = process.wait()
                output.seek(0)
                say(output.read().decode(errors="replace").rstrip())
        if status:
            self.account.broken[module] = f"exit status {status}; its output is above"

    def all_of(self, name: str, *words: str) -> None:
        """Run pytest on the tests that `words` select; a round that breaks off has failed."""
        status, outcomes = self._pytest(*words)
        self.account.outcomes.update(outcomes)
        if status not in _PYTEST_ENDS:
            self.account.broken[f"the tests {name}"] = f"pytest broke off with exit status {status}"
        elif status == 1 and not any(outcome.status == "failed" for outcome in outcomes.values()):
            self.account.broken[f"the tests {name}"] = "pytest failed, but no test did"

    def again(self) -> None:
        """Run each test that failed once more, by itself."""
        failed = [outcome for outcome in self.account.outcomes.values() if outcome.status == "failed"]
        if len(failed) > MOST_AGAIN:
            say(f"{len(failed)} tests failed: too many to be accidents, so none is run again.")
            return
        if failed:
            say(f"Again, each by itself: {len(failed)} that failed.")
        for first in failed:
            status, outcomes = self._pytest(first.test)
            if status == 0 and all(outcome.status != "failed" for outcome in outcomes.values()):
                self.account.unsteady[first.test] = first.reason
                self.account.outcomes.update(outcomes)

    def keep_unsteady(self) -> Path | None:
        """Append this run's unsteady tests to the file of all of them; where that is, None if there was none."""
        if not self.account.unsteady:
            return None
        path = self._caches / ".unsteady.jsonl"
        now = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        with path.open("a", encoding="utf-8") as file:
            for test, reason in self.account.unsteady.items():
                file.write(json.dumps({"time": now, "test": test, "reason": reason}) + "\n")
        return path

    def _pytest(self, *words: str) -> tuple[int, dict[str, Outcome]]:
        with tempfile.TemporaryDirectory(prefix="frr-rounds-") as folder:
            path = Path(folder) / "outcomes.jsonl"
            path.touch()
            cache = f"cache_dir={self._caches / '.pytest_cache'}"
            plugin = [f"--rootdir={self._root}", "-p", "tests.outcomes", f"--outcomes={path}"]
            status = self._run([sys.executable, "-m", "pytest", "-o", cache, *plugin, *words])
            return status, read_outcomes(path)

    def _run(self, argv: Sequence[str]) -> int:
        process = subprocess.Popen(argv, cwd=self._root)
        try:
            return process.wait()
        except KeyboardInterrupt:
            # The terminal told it, too. It reports its results and takes its labs down; a second Ctrl-C ends the wait.
            process.wait()
            raise


def say(text: str) -> None:
    """Report progress, in between pytest's output."""
    sys.stdout.write(f"\n{text}\n")
    sys.stdout.flush()


def files_marked(mark: str) -> list[str]:
    """The files with tests of a mark: to collect all tests for a few of them takes longer than the few do."""
    tests = ROOT / "tests"
    return sorted(str(path) for path in tests.rglob("test_*.py") if f"pytest.mark.{mark}" in path.read_text("utf-8"))


def compile_once(root: Path) -> None:
    """Write the bytecode of the program, for the hundreds of processes that tests start.

    Some of them may not write it, for they belong to somebody else, and some environments forbid it to all.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for package in PACKAGES:
        compileall.compile_dir(root / package, quiet=2)  # of a checkout that may not be written to, nothing comes


def workers() -> int:
    """How many tests run side by side: many wait, for labs and windows, more than they compute."""
    return min(len(os.sched_getaffinity(0)) + 2, 4)  # beyond four the memory of lab kernels counts


def _listed(heading: str, rows: Mapping[str, str]) -> Iterable[str]:
    if rows:
        yield heading
        yield from (f"  {name}: {reason}" for name, reason in rows.items())


def ending(account: Account, unsteady_file: Path | None = None) -> list[str]:
    """The last lines: tests that were slow, left out, unsteady or failed, and how many of each."""
    outcomes = list(account.outcomes.values())
    slowest = sorted(outcomes, key=lambda outcome: -outcome.seconds)[:SLOWEST]
    count = {status: sum(outcome.status == status for outcome in outcomes) for status in ("passed", "skipped")}
    failed = account.failed()
    too_many = " (more than accidents)" if len(account.unsteady) > MOST_UNSTEADY else ""
    lines = ["The slowest tests, in seconds:", *(f"  {outcome.seconds:6.1f}  {outcome.test}" for outcome in slowest)]
    by_file: dict[str, float] = defaultdict(float)
    for outcome in outcomes:
        by_file[outcome.test.partition("::")[0]] += outcome.seconds
    slowest_files = sorted(by_file.items(), key=lambda row: -row[1])[:SLOWEST]
    lines += ["The slowest files, in seconds:", *(f"  {seconds:6.1f}  {file}" for file, seconds in slowest_files)]
    reasons = Counter(outcome.reason for outcome in outcomes if outcome.status == "skipped")
    lines += ["Left out:", *(f"  {number:6}  {reason}" for reason, number in reasons.most_common())] if reasons else []
    lines += _listed(f"Unsteady: failed, then passed alone{too_many}; kept in {unsteady_file}", account.unsteady)
    lines += _listed("Failed:", failed)
    numbers = [f"{count['passed']} passed", f"{len(failed)} failed"]
    numbers += [f"{len(account.unsteady)} unsteady{too_many}"] if account.unsteady else []
    numbers += [f"{count['skipped']} skipped"] if count["skipped"] else []
    return [*lines, f"{', '.join(numbers)} in {account.seconds:.0f} s"]


def main(caches: Path) -> int:
    """Everything that `./test` does without arguments; 0 if the code has passed."""
    began = time.monotonic()
    compile_once(ROOT)
    rounds = Rounds(ROOT, caches)
    rounds.check("ruff", "check", ".")
    rounds.check("codespell_lib", ".")
    say("First the tests that must be alone on the machine.")
    rounds.all_of("alone", "-m", "alone", *files_marked("alone"))
    say(f"Now all others, {workers()} at a time, and mypy beside them.")
    with rounds.check_beside("mypy"):
        rounds.all_of(
            "side by side", "-m", "not alone", "-n", str(workers()), "--dist", "loadfile", "--no-loadscope-reorder"
        )
    rounds.again()
    rounds.account.seconds = time.monotonic() - began
    say("\n".join(ending(rounds.account, rounds.keep_unsteady())))
    return 0 if rounds.account.green() else 1


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1])))
    except KeyboardInterrupt:
        sys.exit(130)
