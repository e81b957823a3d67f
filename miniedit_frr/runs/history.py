"""The runs of the last weeks, in a small file of the user's: where their results are, what came of them, and how the
last one was asked for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from miniedit_frr.runs.list_panel import RunRow
from miniedit_frr.runs.options import seed_fault
from miniedit_frr.user.user_file import UserFile

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
    UserFile(path).write({"runs": [row._asdict() for row in rows[:_MOST]]})


@dataclass(frozen=True)
class TimeChoice:
    """In which time the last run was, and the seed of the last one that was in virtual time."""

    is_virtual: bool = False
    seed: int = 1


def load_time(path: Path) -> TimeChoice:
    """How the last run was asked for; the usual where that is not known."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))["time"]
        seed = str(said["seed"])
        return TimeChoice(said["is_virtual"] is True, 1 if seed_fault(seed) else int(seed))
    except (OSError, ValueError, TypeError, KeyError):
        return TimeChoice()


def save_time(time: TimeChoice, path: Path) -> None:
    """Remember; that it cannot be written is no reason to bother anyone."""
    UserFile(path).write({"time": {"is_virtual": time.is_virtual, "seed": time.seed}})


def load_controllers(path: Path) -> dict[str, tuple[str, ...]]:
    """A drawing's file to where controllers outside of its labs are that these may always reach."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))["controllers"]
        return {str(file): tuple(map(str, allowed)) for file, allowed in said.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def save_controllers(allowed: dict[str, tuple[str, ...]], path: Path) -> None:
    """Remember, beside those of other files; that it cannot be written is no reason to bother anyone."""
    UserFile(path).write({"controllers": {**load_controllers(path), **allowed}})
