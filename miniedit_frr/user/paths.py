"""Paths of the user's own files, and paths and commands as users write them."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import platformdirs

#: The name of the installed program, and the command that starts it in a checkout.
_INSTALLED, _CHECKED_OUT = "miniedit-frr", "run"


def window_state_path() -> Path:
    """The file with the state of the window."""
    return Path(platformdirs.user_config_dir("miniedit-frr")) / "window.json"


def drafts_path() -> Path:
    """The folder with the unsaved work of all windows."""
    return Path(platformdirs.user_state_dir("miniedit-frr")) / "unsaved"


def exercises_path(beside: Path | None = None) -> Path:
    """The folder with the user's works on exercises: in the folder of a file if it is given."""
    if beside is not None:
        return beside.with_name("exercises")
    return platformdirs.user_documents_path() / "miniedit-frr" / "exercises"


def short_path(path: Path) -> str:
    """A path relative to home ("~/labs/run") if it is below home; the whole path otherwise."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else str(path)


def program_argv() -> list[str]:
    """The beginning of a command that starts this program. Python does not look for modules in the current folder,
    which may be a stranger's."""
    code = Path(__file__).resolve().parents[2]
    start = f"import sys; sys.path.insert(0, {str(code)!r}); from miniedit_frr.__main__ import main; main()"
    return [sys.executable, "-P", "-c", start]


def command_line(*words: str) -> str:
    """A command of this program that can be typed here: with the starter of the checkout if it is not in PATH."""
    starter = Path(__file__).resolve().parents[2] / _CHECKED_OUT
    program = _INSTALLED if shutil.which(_INSTALLED) or not starter.is_file() else str(starter)
    return shlex.join((program, *words))
