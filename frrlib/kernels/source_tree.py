"""Changes of files in a Linux source tree."""

from __future__ import annotations

from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write a file unless it has this text already: make recompiles files that are newer than their objects."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
