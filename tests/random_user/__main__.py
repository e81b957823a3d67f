"""`python -m tests.random_user --seeds 1-20 --steps 500`: use the window at random, and report what goes wrong.

Each seed is a process of its own with a screen of its own. The steps up to a fault are written to a file, together with
the size, the theme, the scaling and the labs of the session. `--replay FILE` plays them again and `--shrink FILE`
shortens them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.random_user.play import Steps, play, shorten
from tests.random_user.settings import Findings, SessionSettings, read_fault, write_fault


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.random_user", description=__doc__)
    parser.add_argument("--seeds", default="1-5", help="FIRST-LAST")
    parser.add_argument("--steps", type=int, default=300, help="number of steps of each seed")
    parser.add_argument("--size", default="1280x800", help="WIDTHxHEIGHT of the screen")
    parser.add_argument("--theme", choices=["light", "dark"], default="light")
    parser.add_argument("--scaling", type=int, default=100, help="in percent, 100 to 200")
    parser.add_argument("--labs", action="store_true", help="labs may start; otherwise they have no place")
    parser.add_argument("--out", type=Path, default=Path("random-user"), help="folder for the steps of faults")
    parser.add_argument("--replay", type=Path, help="play the steps of this file, with its settings")
    parser.add_argument("--shrink", type=Path, help="remove steps of this file while the fault remains")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _settings(options: argparse.Namespace) -> SessionSettings:
    width, height = map(int, options.size.split("x"))
    return SessionSettings(width, height, options.theme, options.scaling, options.labs)


def _tell(text: str) -> None:
    print(text, flush=True)  # noqa: T201


def _replay(path: Path, default: SessionSettings) -> int:
    settings, steps = read_fault(path, default)
    findings = play(settings, Steps(steps))
    _tell("\n".join(findings.faults) or "no fault")
    return 1 if findings.faults else 0


def _shrink(path: Path, default: SessionSettings) -> int:
    settings, steps = read_fault(path, default)
    steps, signature = shorten(steps, lambda fewer: play(settings, Steps(fewer)), _tell)
    if not signature:
        _tell("no fault")
        return 0
    short = path.with_suffix(".short.json")
    write_fault(short, settings, Findings(steps, [signature]))
    _tell(f"{signature}\n{short}")
    return 1


def main() -> int:
    """Run all seeds. Returns the exit status."""
    options = _options()
    settings = _settings(options)
    if options.one:
        from tests.random_user.session import run_job  # a session needs a screen

        return run_job(options.one)
    if options.shrink:
        return _shrink(options.shrink, settings)
    if options.replay:
        return _replay(options.replay, settings)
    first, _, last = options.seeds.partition("-")
    options.out.mkdir(parents=True, exist_ok=True)
    bad = 0
    for seed in range(int(first), int(last or first) + 1):
        findings = play(settings, Steps(None, seed, options.steps))
        words = findings.faults[0].strip().splitlines()[-1] if findings.faults else "no fault"
        slow = f", slow: {findings.slow}" if findings.slow else ""
        done = f"{len(findings.steps)} steps, {findings.edits} edits, {findings.undone} undone at the end"
        _tell(f"seed {seed}: {words}; {done}{slow}")
        if findings.faults:
            bad += 1
            write_fault(options.out / f"seed-{seed}.json", settings, findings)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
