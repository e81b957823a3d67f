"""The command line with one small experiment, whose runs take no lab: `tests.sweep.standin` replaces each of them.

python -m tests.experiments.standin_program TITLE... - experiment run CF5 --out DIR

Each title is that of a case's topology, and decides what happens in its run ("wait 30", "fail"; see `standin`). If the
first case was run, it gets the samples of a stored run, so that its statements can be judged.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def program(*titles: str) -> list[str]:
    """The beginning of a command: an experiment with a case for each title."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tests.experiments import standin_program"
    return [sys.executable, "-P", "-c", f"{code}; standin_program.main()", *titles, "-"]


def main() -> None:
    from frrlib.lab import virtual_clock
    from miniedit_frr.cli import experiment as command
    from miniedit_frr.cli.main import main as run_command_line
    from miniedit_frr.experiments import catalogue, conclusion, plan, runner
    from miniedit_frr.experiments.declaration import Case
    from miniedit_frr.experiments.runs import RUNS
    from tests.experiments.small import SMALL, STORED
    from tests.sweep.standin import STANDIN
    from tests.sweep.topologies import two_hosts

    separator = sys.argv.index("-")
    titles = sys.argv[1:separator]
    del sys.argv[1 : separator + 1]
    cases = tuple(
        Case(f"case-{number}", two_hosts(title, duration_s=20.0 - number), values={"cc": "cubic"})
        for number, title in enumerate(titles, 1)
    )
    experiment = replace(SMALL, cases=lambda quick: cases[:1] if quick else cases)

    def supports_all(runs: Sequence[plan.PlannedRun], remote: bool) -> Any:
        return tuple(runs), {}

    def conclude_here(folders: Sequence[Path], jobs: int, draws: bool) -> list[conclusion.Conclusion]:
        for folder in folders:
            if (first := folder / RUNS / "case-1_1").is_dir():
                shutil.copytree(STORED, first, dirs_exist_ok=True)
        return [conclusion.conclude(folder, draws) for folder in folders]

    # The new processes of `conclude_all` would know only the real catalogue.
    catalogue.experiments = lambda: {experiment.name: experiment}  # type: ignore[assignment]
    conclusion.conclude_all = conclude_here  # type: ignore[assignment]
    runner.supported_runs = supports_all  # type: ignore[assignment]
    command.SweepOptions = partial(command.SweepOptions, program=STANDIN)  # type: ignore[assignment, misc]
    virtual_clock.refuse_virtual = lambda kernel=None: None  # type: ignore[assignment]
    run_command_line()
