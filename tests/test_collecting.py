"""Garbage of a test with a window is collected before the next test, whose threads would wait for that window."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TWO_TESTS = """
import gc
import tkinter as tk
import weakref

import pytest

gc.disable()
left = []


@pytest.mark.gui
def test_with_a_window():
    window = tk.Tk()
    variable = tk.StringVar(window)
    variable.itself = variable
    left.append(weakref.ref(variable))
    window.destroy()


def test_after_it():
    assert [each() for each in left] == [None]
"""


@pytest.mark.gui
def test_a_variable_of_a_closed_window_is_gone_before_the_next_test(tmp_path: Path) -> None:
    tests = tmp_path / "test_two.py"
    tests.write_text(TWO_TESTS)
    argv = (sys.executable, "-m", "pytest", "-c", "pyproject.toml", "-p", "tests.conftest", "-n", "0", "-q", str(tests))
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "2 passed" in done.stdout, done.stdout
