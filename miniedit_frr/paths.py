"""Paths as people say them."""

from __future__ import annotations

from pathlib import Path


def short(path: Path) -> str:
    """A path from home, where it is below it ("~/labs/run"); the whole path elsewhere."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else str(path)
