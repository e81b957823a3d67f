"""The random user: a short session finds no fault, its steps can be played again, and a fault is kept whole."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests import screens
from tests.random_user.play import Steps, play, shorten, steps_so_far
from tests.random_user.pulse import Pulse
from tests.random_user.settings import Findings, SessionSettings, read_fault, read_findings, write_fault
from tests.random_user.steps import Sight, Step, StepMaker

ROOT = Path(__file__).resolve().parents[2]
CANVAS = Sight((100, 50, 800, 500), [(200, 200), (400, 300)], (), (0, 0, 1280, 800))


def run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-P", "-m", "tests.random_user", "--out", str(tmp_path / "faults"), *words]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)


def keys(*names: str) -> list[Step]:
    return [("key", ["key", name]) for name in names]


def test_steps_follow_from_the_seed_and_the_sight() -> None:
    sight = Sight((100, 50, 800, 500), [(200, 200), (400, 300)], [(10, 10, 300, 200)], (0, 0, 1280, 800))
    first, again, other = (StepMaker(random.Random(seed)) for seed in (1, 1, 2))
    steps = [first.next(sight) for _ in range(200)]
    assert steps == [again.next(sight) for _ in range(200)]
    assert steps != [other.next(sight) for _ in range(200)]
    assert len({kind for kind, _ in steps}) > 10


def test_a_user_draws_more_often_than_everything_that_takes_edits_away() -> None:
    maker = StepMaker(random.Random(1))
    steps = [maker.next(CANVAS) for _ in range(5000)]
    pressed = Counter(words[1] for _, words in steps if words[0] == "key")
    drawn = sum(kind in ("draw", "drag") for kind, _ in steps)
    assert pressed["ctrl+n"] + pressed["ctrl+o"] < 0.001 * len(steps)
    assert 0 < pressed["ctrl+z"] < 0.02 * drawn
    assert drawn > len(steps) / 4


def test_windows_are_resized_to_the_screen() -> None:
    maker, sight = StepMaker(random.Random(1)), Sight((0, 0, 800, 500), screen=(700, 450))
    steps = [maker.next(sight) for _ in range(5000)]
    sizes = [tuple(map(int, words[-2:])) for kind, words in steps if kind == "resize"]
    assert len(sizes) > 10
    assert max(width for width, _ in sizes) <= 700 and max(height for _, height in sizes) <= 450


def test_a_fault_keeps_the_settings_of_its_session(tmp_path: Path) -> None:
    settings = SessionSettings(1600, 1000, "dark", 150, True)
    findings = Findings(keys("F5", "Escape"), ["Traceback\nKeyError: 7"], [(1, 2.5)], 3, 2)
    write_fault(tmp_path / "fault.json", settings, findings)
    assert read_fault(tmp_path / "fault.json", SessionSettings()) == (settings, findings.steps)
    assert read_findings((tmp_path / "fault.json").read_text()).faults == findings.faults
    assert findings.signature == "KeyError: "
    # A file without settings, as earlier versions wrote it.
    (tmp_path / "old.json").write_text(json.dumps({"steps": findings.steps}))
    assert read_fault(tmp_path / "old.json", settings) == (settings, findings.steps)


def test_steps_are_removed_while_the_same_fault_remains() -> None:
    played: list[list[Step]] = []

    def findings_of(steps: list[Step]) -> Findings:
        played.append(steps)
        names = [words[1] for _, words in steps]
        if {"a", "b"} <= {*names}:
            return Findings(steps, ["a and b"])
        return Findings(steps, ["another fault"] if "c" in names else [])

    steps = keys("x", "a", "c", "x", "b", "x", "x")
    assert shorten(steps, findings_of, lambda line: None) == (keys("a", "b"), "a and b")
    assert shorten(keys("x"), findings_of, lambda line: None) == (keys("x"), "")


def test_a_fault_without_steps_is_shortened_to_no_steps() -> None:
    assert shorten(keys("x", "y"), lambda steps: Findings(steps, ["always"]), lambda line: None) == ([], "always")


def test_the_steps_of_a_process_that_died_are_known(tmp_path: Path) -> None:
    steps = keys("a", "b")
    (tmp_path / "steps.jsonl").write_text("".join(f"{json.dumps(step)}\n" for step in steps) + '["key", ["ke')
    assert steps_so_far(tmp_path / "steps.jsonl") == steps
    assert steps_so_far(tmp_path / "none.jsonl") == []


def test_the_time_without_a_beat_is_measured_from_the_begin_of_a_step() -> None:
    times = iter((0.0, 5.0, 5.1, 8.1, 8.1, 8.2, 9.2))
    pulse = Pulse(lambda: next(times))
    pulse.begin()  # at 5.0, after five seconds that did not belong to the step
    assert pulse.longest_s() == pytest.approx(0.1)
    pulse.beat()  # at 8.1
    assert pulse.longest_s() == pytest.approx(3.1)
    assert pulse.longest_s() == pytest.approx(3.1)  # one second since the last beat


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


@pytest.mark.gui
@pytest.mark.timeout(300)
def test_an_empty_list_is_a_session_without_steps() -> None:
    if lacks := screens.missing() or ("" if shutil.which("xdotool") else "xdotool"):
        pytest.skip(f"needs {lacks}")
    findings = play(SessionSettings(1000, 700, "dark", 125), Steps([]))
    assert (findings.steps, findings.faults, findings.edits) == ([], [], 0)
