"""Paths as people write them."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

#: The program's name where it is installed, and the command that starts it in a checkout.
_INSTALLED, _CHECKED_OUT = "miniedit-frr", "run"


def short_path(path: Path) -> str:
    """A path relative to home, where it is below it ("~/labs/run"); the whole path elsewhere."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else str(path)


def command_line(*words: str) -> str:
    """A command of this program as it can be typed here: with the checkout's starter if it is not in PATH."""
    beside = Path(__file__).resolve().parents[2] / _CHECKED_OUT
    program = _INSTALLED if shutil.which(_INSTALLED) or not beside.is_file() else str(beside)
    return shlex.join((program, *words))
