"""The latest runs, in a small file of the user: their results folders, their outcomes, and the options of the last
one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from miniedit_frr.runs.list_panel import RunRow
from miniedit_frr.runs.options import seed_fault
from miniedit_frr.user.user_file import UserFile

_MOST = 100


def load(path: Path) -> list[RunRow]:
    """The runs, newest first; empty if the file is missing or malformed."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return [RunRow(*(str(row[name]) for name in RunRow._fields)) for row in data["runs"]][:_MOST]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def save(rows: list[RunRow], path: Path) -> None:
    """Store the runs. Errors are ignored."""
    UserFile(path).write({"runs": [row._asdict() for row in rows[:_MOST]]})


@dataclass(frozen=True)
class TimeChoice:
    """Whether the last run was in virtual time, and the seed of the last run in virtual time."""

    is_virtual: bool = False
    seed: int = 1


def load_time(path: Path) -> TimeChoice:
    """The choice for the last run, or the default."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))["time"]
        seed = str(stored["seed"])
        return TimeChoice(stored["is_virtual"] is True, 1 if seed_fault(seed) else int(seed))
    except (OSError, ValueError, TypeError, KeyError):
        return TimeChoice()


def save_time(time: TimeChoice, path: Path) -> None:
    """Store the choice. Errors are ignored."""
    UserFile(path).write({"time": {"is_virtual": time.is_virtual, "seed": time.seed}})


def load_controllers(path: Path) -> dict[str, tuple[str, ...]]:
    """The addresses of controllers outside that labs may always reach, by the file of their topology."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))["controllers"]
        return {str(file): tuple(map(str, allowed)) for file, allowed in stored.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def save_controllers(allowed: dict[str, tuple[str, ...]], path: Path) -> None:
    """Store them beside those of other files. Errors are ignored."""
    UserFile(path).write({"controllers": {**load_controllers(path), **allowed}})
