"""The random user: a short session finds no fault, and its steps can be played again."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import screens
from tests.random_user.steps import Sight, StepMaker

ROOT = Path(__file__).resolve().parents[2]


def run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-P", "-m", "tests.random_user", "--out", str(tmp_path / "faults"), *words]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)


def test_steps_follow_from_the_seed_and_the_sight() -> None:
    sight = Sight((100, 50, 800, 500), [(200, 200), (400, 300)], [(10, 10, 300, 200)], (0, 0, 1280, 800))
    first, again, other = (StepMaker(random.Random(seed)) for seed in (1, 1, 2))
    steps = [first.next(sight) for _ in range(200)]
    assert steps == [again.next(sight) for _ in range(200)]
    assert steps != [other.next(sight) for _ in range(200)]
    assert len({kind for kind, _ in steps}) > 10


@pytest.mark.gui
@pytest.mark.timeout(300)
def test_a_short_session_finds_no_fault_and_can_be_played_again(tmp_path: Path) -> None:
    if lacks := screens.missing() or ("" if shutil.which("xdotool") else "xdotool"):
        pytest.skip(f"needs {lacks}")
    done = run(tmp_path, "--seeds", "1", "--steps", "80")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("seed 1: no fault; 80 steps, ")
    assert " 0 edits" not in done.stdout
    steps = tmp_path / "steps.json"
    steps.write_text(json.dumps({"steps": [["tool", ["mousemove", "500", "300", "key", "h", "click", "1"]]]}))
    replayed = run(tmp_path, "--replay", str(steps))
    assert (replayed.returncode, replayed.stdout) == (0, "no fault\n")
