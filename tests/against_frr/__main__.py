"""`python -m tests.against_frr --seeds 1-500`: compare predictions with FRR in many random networks at once."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from tests.against_frr.healthy import KINDS
from tests.against_frr.records import read_records, write_records
from tests.against_frr.trial import Trial, compare_again, try_healthy


def _seeds(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.against_frr", description=__doc__)
    parser.add_argument("--seeds", type=_seeds, default=range(1, 21), help="FIRST-LAST")
    parser.add_argument("--kind", choices=["", *KINDS], default="", help="only networks of this kind")
    parser.add_argument("--place", default="auto", help="where the labs run")
    parser.add_argument("--real-time", action="store_true", help="not in virtual time")
    parser.add_argument("--why", action="store_true", help="also explain routes and neighbors that are there")
    parser.add_argument("--jobs", type=int, default=2, help="labs at once")
    parser.add_argument("--record", type=Path, help="write the observations to this file")
    parser.add_argument("--recorded", type=Path, help="compare with the observations of this file instead of labs")
    return parser.parse_args()


def _run(options: argparse.Namespace) -> Iterator[Trial]:
    if options.recorded:
        yield from map(compare_again, read_records(options.recorded))
        return
    with ProcessPoolExecutor(options.jobs, max_tasks_per_child=1) as executor:
        futures = [
            executor.submit(try_healthy, seed, options.kind, options.place, not options.real_time, asks_why=options.why)
            for seed in options.seeds
        ]
        for future in as_completed(futures):
            yield future.result()


def main() -> int:
    """Run all seeds and print what differs. Returns the exit status."""
    options = _options()
    trials = []
    for trial in _run(options):
        trials.append(trial)
        if trial.faults or not options.recorded:
            print(trial, flush=True)  # noqa: T201
        if options.record:
            write_records(options.record, [trial.record for trial in trials if trial.record])
    bad = sum(bool(trial.faults) for trial in trials)
    explained = f", {sum(trial.explained for trial in trials)} explanations" if options.why else ""
    print(f"{len(trials)} networks{explained}, {bad} differ")  # noqa: T201
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
