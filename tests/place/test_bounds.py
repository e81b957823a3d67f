"""The share of the machine that a lab may take, tested by labs that take as much as they can."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from frrlib.place.confinement import bounds
from frrlib.place.confinement.bounds import CONSOLE_MIB
from tests.place.drivers.bounds import PROCESSES
from tests.place.drivers.memory import MOST_MIB

DRIVER = Path(__file__).parent / "drivers/bounds.py"
MEMORY_DRIVER = Path(__file__).parent / "drivers/memory.py"


def _outcome(user: Any, *argv: str) -> dict[str, Any]:
    done = user.run([user.python, str(DRIVER), *argv, str(user.home)], timeout=120)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.lab
def test_the_number_of_processes_is_limited(ordinary_user: Any) -> None:
    """The program runs twice, since ended processes no longer count. The program that started the lab continues."""
    outcome = _outcome(ordinary_user, "namespace", "processes")
    assert PROCESSES / 2 < outcome["had"] < PROCESSES
    assert PROCESSES / 2 < outcome["again"] < PROCESSES
    assert outcome["outside"] == 0


@pytest.mark.lab
@pytest.mark.root
def test_the_number_of_processes_of_roots_lab_is_limited(tmp_path: Path) -> None:
    assert os.geteuid() == 0
    argv = [sys.executable, str(DRIVER), "root", "processes", str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert PROCESSES / 2 < json.loads(done.stdout)["had"] < PROCESSES


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", pytest.param("root", marks=pytest.mark.root)])
def test_half_of_the_users_limits_is_left_to_the_user(ordinary_user: Any, place: str) -> None:
    """inotify instances, pending signals and message queues. The user may have some of them in use already."""
    outcome = _outcome(ordinary_user.who_starts(place), place, "shares")
    for alone, inside, beside in zip(outcome["alone"], outcome["in the lab"], outcome["beside it"], strict=True):
        assert 0 < inside <= alone * 0.6
        assert beside >= alone * 0.4


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_temporary_folders_have_a_limited_size(ordinary_user: Any, place: str) -> None:
    outcome = _outcome(ordinary_user, place, "room")
    assert outcome["rooms"] == [bounds.FOLDER_MIB << 20] * 3
    assert outcome["files"] == [bounds.FOLDER_FILES] * 3


@pytest.mark.lab
def test_a_lab_with_too_many_results_is_ended(ordinary_user: Any) -> None:
    words = _outcome(ordinary_user, "namespace", "results")["words"]
    assert f"its results have more than {bounds.RESULTS_FILES} files" in words


@pytest.mark.lab
def test_a_lab_that_occupies_all_processors_is_ended(ordinary_user: Any) -> None:
    words = _outcome(ordinary_user, "namespace", "crowd")["words"]
    assert "of its processes used a processor at once" in words
    assert f"the maximum is {PROCESSES // 2}" in words


@pytest.mark.lab
def test_long_output_is_cut_to_its_end(ordinary_user: Any) -> None:
    outcome = _outcome(ordinary_user, "namespace", "console")
    assert outcome["size"] < CONSOLE_MIB << 20
    assert outcome["words"].endswith("the end\nand more")


@pytest.mark.lab
@pytest.mark.parametrize("scenario", ["process", "processes", "folder"])
def test_a_lab_that_uses_up_the_memory_is_ended(ordinary_user: Any, scenario: str) -> None:
    outcome = _memory(ordinary_user, scenario)
    assert not outcome["alive"]
    assert f"(maximum: {MOST_MIB:,}), and the machine ran short of it" in outcome["words"]


@pytest.mark.lab
def test_a_lab_within_its_memory_limit_continues(ordinary_user: Any) -> None:
    """If the kernel itself has to kill something, the lab is first."""
    outcome = _memory(ordinary_user, "little")
    assert (outcome["alive"], outcome["done"]) == (True, 0), outcome["words"]
    assert outcome["score"] == "1000"


@pytest.mark.lab
def test_memory_of_other_programs_is_not_counted(ordinary_user: Any) -> None:
    """The memory of lab kernels is in files of /dev/shm, which labs in namespaces see."""
    outcome = _memory(ordinary_user, "beside")
    assert (outcome["alive"], outcome["done"]) == (True, 0), outcome["words"]


def _memory(user: Any, scenario: str) -> dict[str, Any]:
    done = user.run([user.python, str(MEMORY_DRIVER), scenario, str(user.home)], timeout=120)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_available_memory_equals_the_output_of_free() -> None:
    words = subprocess.run(["free", "-m"], capture_output=True, text=True, check=True).stdout.splitlines()[1].split()
    available_mib, total_mib = bounds.available_mib()
    assert total_mib == pytest.approx(float(words[1]), abs=2)
    assert available_mib == pytest.approx(float(words[6]), abs=0.05 * total_mib)


def test_a_folder_is_counted_as_by_du(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/large").write_bytes(b"x" * 100_000)
    with (tmp_path / "a/sparse").open("wb") as file:
        file.truncate(1 << 40)
    (tmp_path / "a/out").symlink_to("/usr")
    files, size_bytes = bounds.count_files(str(tmp_path / "a"), 100)
    du = subprocess.run(["du", "-s", "-B1", tmp_path / "a"], capture_output=True, text=True, check=True).stdout
    own_bytes = (tmp_path / "a").stat().st_blocks * 512
    assert (files, size_bytes) == (4, int(du.split()[0]) - own_bytes)
    assert bounds.count_files(str(tmp_path / "a"), 2)[0] == 3


def test_an_excess_names_the_resource(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"x" * 3_000_000)
    results = bounds.ResultsBound(str(tmp_path))
    assert results.excess() == ""
    monkeypatch.setattr(bounds, "RESULTS_MIB", 2)
    assert results.excess() == "", "it was measured a moment ago"
    assert "2 MiB" in bounds.ResultsBound(str(tmp_path)).excess()
