"""Wheels of this checkout, for tests of the installed package."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def wheel_of_checkout(folder: Path) -> Path:
    """A wheel of this checkout, built from a copy in an empty folder and without a network; skips without the tools."""
    if importlib.util.find_spec("wheel") is None or importlib.util.find_spec("setuptools") is None:
        pytest.skip("needs setuptools and wheel")
    for name in ("frrlib", "miniedit_frr", "examples", "kernel"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "build", "*.o"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE-GPLv2"):
        shutil.copy(ROOT / name, folder / name)
    argv = [sys.executable, "setup.py", "-q", "bdist_wheel", "--dist-dir", "dist"]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    (built,) = (folder / "dist").glob("*.whl")
    return built
