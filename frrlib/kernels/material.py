"""The files of the project's folder `kernel/`: beside the packages in a checkout, inside of one when installed."""

from __future__ import annotations

from pathlib import Path

from frrlib.errors import PlaceError


def read(name: str) -> str:
    """The text of a file. Raises PlaceError if it is missing."""
    module = Path(__file__).resolve()
    for folder in (module.parent / "kernel", module.parents[2] / "kernel"):
        if (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8")
    raise PlaceError(f"a file of lab kernels, kernel/{name}, is missing", "reinstall the project")
