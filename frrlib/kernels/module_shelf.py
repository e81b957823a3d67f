"""The kernel modules that a user has added for all labs: their source files, in the user's data folder."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from frrlib.errors import PlaceError
from frrlib.system import atomic_files


def folder() -> Path:
    """The folder of the source files."""
    return platformdirs.user_data_path("miniedit-frr") / "modules"


def added() -> dict[str, Path]:
    """The source file of each added module, by the module's name ("tcp_mine")."""
    return {path.stem: path for path in sorted(folder().glob("*_*.c"))}


def add(name: str, text: bytes) -> Path:
    """Keep the source of a module. One of the same name is replaced.

    Raises:
        PlaceError: the folder cannot be written.
    """
    path = folder() / f"{name}.c"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic_files.replace(path, text)
    except OSError as problem:
        raise PlaceError(f"{path} cannot be written: {problem.strerror}", "free disk space there") from None
    return path


def remove(name: str) -> None:
    """Forget a module.

    Raises:
        PlaceError: there is no such module, or its file cannot be removed.
    """
    path = added().get(name)
    if path is None:
        names = ", ".join(added())
        raise PlaceError(f"there is no added module {name}", f"choose one of {names}" if names else "")
    try:
        path.unlink()
    except OSError as problem:
        raise PlaceError(f"{path} cannot be removed: {problem.strerror}") from None
