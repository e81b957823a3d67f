"""Sessions in processes of their own, each with a private screen and a home folder, and shorter lists of steps."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

from tests import screens
from tests.random_user.settings import Findings, SessionSettings, read_findings, steps_of
from tests.random_user.steps import Step

#: The length of the error output that a fault quotes.
_ERROR_LENGTH = 6000


@dataclass(frozen=True)
class Steps:
    """The steps to play: those of a list, or the first ones that follow from a seed.

    Attributes:
        listed: the steps; None for those of the seed. An empty list is a session without steps.
        seed: the seed.
        count: the number of steps from the seed.
    """

    listed: list[Step] | None = None
    seed: int = 0
    count: int = 0


def play(settings: SessionSettings, steps: Steps) -> Findings:
    """The findings of a session in a process of its own. If the process dies, the steps up to then are known, too."""
    with (
        tempfile.TemporaryDirectory(prefix="random-user-") as home,
        screens.screen(settings.width, settings.height) as display,
    ):
        job = {"display": display, "settings": asdict(settings), "steps": asdict(steps)}
        Path(home, "job.json").write_text(json.dumps(job))
        argv = [sys.executable, "-P", "-m", "tests.random_user", "--one", home]
        done = subprocess.run(
            argv, env=_environment(settings, home, display), cwd=home, capture_output=True, text=True, check=False
        )
        report = Path(home, "report.json")
        if report.exists():
            return read_findings(report.read_text())
        fault = f"{done.stderr[-_ERROR_LENGTH:]}\nthe process ended with {done.returncode}"
        return Findings(steps_so_far(Path(home, "steps.jsonl")), [fault])


def _environment(settings: SessionSettings, home: str, display: str) -> dict[str, str]:
    environment = {**os.environ, "HOME": home, "XDG_RUNTIME_DIR": home, "DISPLAY": display,
                   "XDG_CACHE_HOME": str(platformdirs.user_cache_path()),
                   "PYTHONPATH": str(Path(__file__).resolve().parents[2])}  # fmt: skip
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DOCUMENTS_DIR"):
        environment.pop(name, None)
    if not settings.labs:
        environment["MINIEDIT_FRR_KERNEL"] = "/nonexistent"
    return environment


def steps_so_far(path: Path) -> list[Step]:
    """The steps in the journal of a session that wrote no report; a line that was not finished is left out."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return steps_of([json.loads(line) for line in lines if line.endswith("\n")])


def shorten(
    steps: list[Step], findings_of: Callable[[list[Step]], Findings], tell: Callable[[str], object]
) -> tuple[list[Step], str]:
    """Remove steps, in blocks of shrinking length, while the same fault remains.

    Args:
        findings_of: plays a list of steps.
        tell: called with a line about the progress.

    Returns:
        The remaining steps, and the signature of the fault; empty if the steps have no fault.
    """
    first = findings_of(steps)
    if not first.faults:
        return steps, ""
    steps, signature = first.steps, first.signature
    size = len(steps)
    while size:
        start = 0
        while start < len(steps):
            findings = findings_of(steps[:start] + steps[start + size :])
            if findings.faults and findings.signature == signature:
                steps = findings.steps
                tell(f"{len(steps)} steps")
            else:
                start += size
        size //= 2
    return steps, signature
