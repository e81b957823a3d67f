"""The latest runs, in a small file of the user: their results folders, their outcomes, and the options of the last
one."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
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
class LastRun:
    """The options of the last run that the next one has, too.

    Attributes:
        is_virtual: whether it was in virtual time.
        seed: the seed of the last run in virtual time.
        stays: whether the lab of the last run in real time kept running after its flows.
    """

    is_virtual: bool = False
    seed: int = 1
    stays: bool = True


def load_last_run(path: Path) -> LastRun:
    """The options of the last run, or the default."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))["time"]
        seed = str(stored["seed"])
        stays = stored.get("stays") is not False
        return LastRun(stored["is_virtual"] is True, 1 if seed_fault(seed) else int(seed), stays)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return LastRun()


def save_last_run(options: LastRun, path: Path) -> None:
    """Store the options. Errors are ignored."""
    UserFile(path).write({"time": asdict(options)})


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
