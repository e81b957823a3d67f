"""`python -m tests.changed_labs --seeds 1-300`: change running labs at random and compare them with new labs."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed

from tests.changed_labs.trial import try_sequence


def _seeds(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main() -> int:
    """Run all seeds and print each. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.changed_labs", description=__doc__)
    parser.add_argument("--seeds", type=_seeds, default=range(1, 21), help="FIRST-LAST")
    parser.add_argument("--place", choices=["namespace", "labkernel"], default="namespace", help="where the labs run")
    parser.add_argument("--settings", action="store_true", help="change only settings of routing")
    parser.add_argument("--steps", type=int, default=3, help="topologies that each lab follows")
    parser.add_argument("--jobs", type=int, default=3, help="sequences at once")
    options = parser.parse_args()
    trials = []
    with ProcessPoolExecutor(options.jobs, max_tasks_per_child=1) as executor:
        futures = [
            executor.submit(try_sequence, seed, options.place, options.steps, only_settings=options.settings)
            for seed in options.seeds
        ]
        for future in as_completed(futures):
            trials.append(future.result())
            print(trials[-1], flush=True)  # noqa: T201
    different = sum(bool(trial.faults) for trial in trials)
    steps = sum(len(trial.steps) for trial in trials)
    print(f"{len(trials)} sequences of {steps} changes in all, {different} with differences")  # noqa: T201
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
