"""`./test --explore MINUTES`: look for examples that no test has tried yet, for so long.

`./test` gives Hypothesis' tests the same examples every time, so that its answer is about the code alone. Here they
get others, round after round, each from a seed of its own. A failure is told with the command that repeats it; the
example that it found belongs into the test, as `@example(...)`.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from frrlib.system import signals
from tests.rounds import ROOT, read_outcomes, say, workers

PROFILE = {"HYPOTHESIS_PROFILE": "search"}
#: pytest's exit statuses for all passed, some failed, interrupted, and all failures known.
_ENDS = {0, 1, (_BROKEN_OFF := 2), 5}


class Exploration:
    """Rounds of all tests with examples, in a checkout.

    Args:
        root: the checkout, which has the settings of pytest.
        caches: a folder that may be written to.
        words: further ones for pytest, such as files; all tests without.
    """

    def __init__(self, root: Path, caches: Path, words: Sequence[str] = ()) -> None:
        self._root, self._caches, self._words = root, caches, tuple(words)
        self.rounds = 0
        #: The failed tests, each with the seed of the round that found it, and its reason.
        self.found: dict[str, tuple[int, str]] = {}

    def one_round(self, seconds: float) -> None:
        """Try all once, with examples of a new seed; broken off after so long.

        Raises:
            RuntimeError: pytest itself fails.
        """
        seed = secrets.randbits(32)
        with tempfile.TemporaryDirectory(prefix="frr-explore-") as folder:
            path = Path(folder) / "outcomes.jsonl"
            path.touch()
            status = self._pytest(seed, path, seconds)
            for test, outcome in read_outcomes(path).items():
                if outcome.status == "failed":
                    self.found[test] = (seed, outcome.reason)
        if status not in _ENDS:
            raise RuntimeError(f"pytest ended with exit status {status}")
        self.rounds += 1

    def _pytest(self, seed: int, outcomes: Path, seconds: float) -> int:
        cache = f"cache_dir={self._caches / '.pytest_cache'}"
        plugin = [f"--rootdir={self._root}", "-p", "tests.outcomes", f"--outcomes={outcomes}"]
        deselected = [word for test in self.found for word in ("--deselect", test)]  # one example of each is enough
        argv = [sys.executable, "-m", "pytest", "-q", "-o", cache, *plugin, "-m", "hypothesis", *deselected]
        argv += [f"--hypothesis-seed={seed}", "-n", str(workers()), *self._words]
        environment = {**os.environ, **PROFILE}
        # it must receive the interrupt, though our caller may ignore Ctrl-C
        with subprocess.Popen(argv, cwd=self._root, env=environment, preexec_fn=signals.reset) as process:
            try:
                return process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
                status = process.wait()
                return _BROKEN_OFF if status == -signal.SIGINT else status  # it may not have begun to listen


def main(caches: Path, minutes: float, *words: str) -> int:
    """Explore for so long; 0 where nothing failed."""
    exploration = Exploration(ROOT, caches, words)
    until_s = time.monotonic() + 60 * minutes
    while (left_s := until_s - time.monotonic()) > 0:
        exploration.one_round(left_s)
    say(f"{exploration.rounds} rounds in {minutes:g} minutes; {len(exploration.found)} tests failed.")
    for test, (seed, reason) in exploration.found.items():
        say(f"  {test}: {reason}\n    again: HYPOTHESIS_PROFILE=search ./test {test} --hypothesis-seed={seed}")
    return 1 if exploration.found else 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or not sys.argv[2].replace(".", "", 1).isdigit():
        sys.exit("usage: ./test --explore MINUTES [WORDS FOR PYTEST...]")
    try:
        sys.exit(main(Path(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:]))
    except KeyboardInterrupt:
        sys.exit(130)
