"""Files that come with the package besides code."""

from __future__ import annotations

from pathlib import Path


def examples_folder() -> Path:
    """The folder with the examples: inside an installed package, beside the package in a checkout."""
    package = Path(__file__).resolve().parents[1]
    folders = (package / "examples", package.parent / "examples")
    return next((folder for folder in folders if folder.is_dir()), package)
