"""Files that come with the package besides code."""

from __future__ import annotations

from pathlib import Path


def examples_folder() -> Path:
    """Where the examples are: in the package where it is installed, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    return next((each for each in (package / "examples", package.parent / "examples") if each.is_dir()), package)
