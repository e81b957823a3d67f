"""`./test` tells a failure that comes again from one that does not, and says so where a reader looks: at the end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rounds import MOST_AGAIN, MOST_UNSTEADY, ROOT, Account, Outcome, Rounds, compile_once, ending

#: A suite of one test of each kind. A test that fails once leaves a file behind, by which it knows that it failed
#: before.
SUITE = """
import os
from pathlib import Path
import pytest

def once(name):
    mark = Path(__file__).with_name(name)
    seen = mark.exists()
    mark.touch()
    return seen

def test_that_passes(): pass

def test_that_fails():
    assert 2 + 2 == 5, "sums"

@pytest.mark.parametrize("word", ["a b[c]"])
def test_that_fails_once(word):
    assert once("once"), "the weather"

def test_that_is_skipped():
    pytest.skip("no such machine")

@pytest.fixture
def torn():
    yield
    assert once("torn"), "left behind"

def test_whose_end_fails_once(torn): pass
"""
DYING = """
import os
from pathlib import Path

def test_that_kills_its_worker_once():
    mark = Path(__file__).with_name("died")
    if not mark.exists():
        mark.touch()
        os._exit(9)
"""


@pytest.fixture
def rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rounds:
    """Rounds of a suite in a folder of its own, which begins empty."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # where the plugin is, which is not in that folder
    return Rounds(tmp_path, tmp_path)


def by_name(reasons: dict[str, str]) -> dict[str, str]:
    return {test.rpartition("::")[2]: reason for test, reason in reasons.items()}


@pytest.mark.parametrize("side_by_side", [(), ("-n", "2", "--dist", "loadfile")], ids=["alone", "side by side"])
def test_what_passes_alone_is_unsteady_and_what_fails_again_has_failed(
    rounds: Rounds, tmp_path: Path, side_by_side: tuple[str, ...]
) -> None:
    (tmp_path / "test_it.py").write_text(SUITE)
    rounds.all_of("of it", *side_by_side)
    first = by_name(rounds.account.failed())
    rounds.again()
    assert sorted(first) == ["test_that_fails", "test_that_fails_once[a b[c]]", "test_whose_end_fails_once"]
    failed, unsteady = by_name(rounds.account.failed()), by_name(rounds.account.unsteady)
    assert list(failed) == ["test_that_fails"]
    assert "test_it.py:" in failed["test_that_fails"]
    assert "sums" in failed["test_that_fails"]
    assert "the weather" in unsteady["test_that_fails_once[a b[c]]"]
    assert "left behind" in unsteady["test_whose_end_fails_once"]
    assert len(unsteady) == 2
    assert not rounds.account.green()
    assert ending(rounds.account)[-1].startswith("3 passed, 1 failed, 2 unsteady, 1 skipped in ")


def test_a_few_unsteady_tests_do_not_decide_and_are_kept_in_a_file(rounds: Rounds, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(SUITE)
    rounds.all_of("of it", "-k", "once")
    rounds.again()
    assert rounds.account.green()
    path = rounds.keep_unsteady()
    assert path is not None
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert {line["test"]: line["reason"] for line in lines} == rounds.account.unsteady
    assert len(lines) == 2


def test_a_worker_that_dies_takes_one_test_with_it(rounds: Rounds, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(DYING)
    (tmp_path / "test_other.py").write_text("def test_other(): pass\n")
    rounds.all_of("of it", "-n", "2", "--dist", "loadfile")
    assert "crashed" in by_name(rounds.account.failed())["test_that_kills_its_worker_once"]
    rounds.again()
    assert rounds.account.green()
    assert list(by_name(rounds.account.unsteady)) == ["test_that_kills_its_worker_once"]


def test_a_file_that_cannot_be_collected_has_failed(rounds: Rounds, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("import no_such_module\n")
    rounds.all_of("of it")
    rounds.again()
    assert "no_such_module" in rounds.account.failed()["test_it.py"]


def test_a_round_that_breaks_off_has_failed(rounds: Rounds, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("import os\ndef test_it(): os._exit(9)\n")
    rounds.all_of("of it")
    assert rounds.account.failed() == {"the tests of it": "pytest broke off with exit status 9"}


def test_a_checker_that_fails_turns_it_red(rounds: Rounds, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def broken(:\n")
    rounds.check("py_compile", "bad.py")
    assert not rounds.account.green()
    assert ending(rounds.account)[-1].startswith("0 passed, 1 failed in ")


@pytest.mark.parametrize(("unsteady", "green"), [(MOST_UNSTEADY, True), (MOST_UNSTEADY + 1, False)])
def test_many_unsteady_tests_are_no_accident(unsteady: int, green: bool) -> None:
    account = Account(unsteady={f"test_{number}": "it rained" for number in range(unsteady)})
    assert account.green() is green


def test_where_much_fails_nothing_is_run_again(rounds: Rounds) -> None:
    for number in range(MOST_AGAIN + 1):
        rounds.account.outcomes[str(number)] = Outcome(f"no_such_file.py::test_{number}", "failed", 0.1, "why")
    rounds.again()
    assert len(rounds.account.failed()) == MOST_AGAIN + 1


def test_the_end_names_what_failed_just_above_the_last_line() -> None:
    account = Account(unsteady={"test_b": "b.py:2: rain"}, seconds=12.3)
    reasons = {"failed": "a.py:1: assert 0", "passed": "", "skipped": "needs the moon"}
    rows = (("a.py::test_a", "failed", 1.0), ("a.py::test_b", "passed", 3.0), ("c.py::test_c", "skipped", 0.0))
    for name, status, seconds in rows:
        account.outcomes[name] = Outcome(name, status, seconds, reasons[status])
    assert ending(account, Path("kept"))[1:] == [
        "     3.0  a.py::test_b",
        "     1.0  a.py::test_a",
        "     0.0  c.py::test_c",
        "The slowest files, in seconds:",
        "     4.0  a.py",
        "     0.0  c.py",
        "Left out:",
        "       1  needs the moon",
        "Unsteady: failed, then passed alone; kept in kept",
        "  test_b: b.py:2: rain",
        "Failed:",
        "  a.py::test_a: a.py:1: assert 0",
        "1 passed, 1 failed, 1 unsteady, 1 skipped in 12 s",
    ]


def test_a_checker_beside_the_tests_fails_the_run(rounds: Rounds, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n")
    with rounds.check_beside("ast", str(tmp_path / "test_it.py")):
        rounds.all_of("of it")
    assert rounds.account.green()
    with rounds.check_beside("ast", "--unknown"):
        pass
    assert rounds.account.failed() == {"ast": "exit status 2; its output is above"}


def test_processes_of_tests_need_not_compile_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "frrlib").mkdir()
    (tmp_path / "frrlib" / "__init__.py").write_text("")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    compile_once(tmp_path)
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
    started = [sys.executable, "-v", "-c", "import frrlib"]
    messages = subprocess.run(started, cwd=tmp_path, capture_output=True, text=True, check=True).stderr
    assert f"code object from '{tmp_path}/frrlib/__pycache__" in messages
