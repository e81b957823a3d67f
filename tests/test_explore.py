"""`./test --explore` finds what no test has tried, and tells how to see it again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.explore import PROFILE, Exploration
from tests.rounds import ROOT
from tests.waiting import PATIENCE_S

#: One number is wrong, among more than are tried in one round.
SUITE = """
from hypothesis import given, settings, strategies as st

@given(st.integers(0, 200))
def test_rare(number):
    assert number != 173

@given(st.integers())
def test_sound(number): pass

def test_without_examples():
    assert False
"""
CONFTEST = (
    "import os\nfrom hypothesis import settings\n"
    "settings.register_profile('search', database=None, derandomize=False)\n"
    "settings.load_profile(os.environ.get('HYPOTHESIS_PROFILE', 'default'))\n"
)


def test_a_rare_example_is_found_and_comes_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "test_it.py").write_text(SUITE)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    exploration = Exploration(tmp_path, tmp_path)
    for _ in range(60):
        exploration.one_round(PATIENCE_S)
        if exploration.found:
            break
    ((test, (seed, reason)),) = exploration.found.items()
    assert (test, "173" in reason) == ("test_it.py::test_rare", True)
    argv = [sys.executable, "-m", "pytest", "-q", test, f"--hypothesis-seed={seed}"]
    again = subprocess.run(
        argv, cwd=tmp_path, env={**os.environ, **PROFILE}, capture_output=True, text=True, check=False
    )
    assert "number=173" in again.stdout
