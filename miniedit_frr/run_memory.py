"""The runs of the last weeks, in a small file of the user's: where their results are, and what came of them."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from frrlib.errors import LabError
from frrlib.formats.files import replace_file
from miniedit_frr.panels.runs import RunRow

_MOST = 100


def load(path: Path) -> list[RunRow]:
    """The runs, newest first; none where the file is missing or cannot be understood."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return [RunRow(*(str(row[name]) for name in RunRow._fields)) for row in data["runs"]][:_MOST]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def save(rows: list[RunRow], path: Path) -> None:
    """Remember; that it cannot be written is no reason to bother anyone."""
    text = json.dumps({"runs": [row._asdict() for row in rows[:_MOST]]}, indent=2)
    with suppress(LabError, OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode())
