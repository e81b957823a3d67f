"""Configurations that are kept after a run: a small folder of text files for each run, the newest so many of them.

2026-03-01 14.05.59 ospf-multihop/
    run.json              when, of which drawing
    r1.conf               what was in force when the lab was up
    r1.end.conf           what was in force at the end; only where that is different
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from frrlib.conf.running import RunningConfig
from frrlib.errors import LabFailed
from frrlib.system.untrusted_files import read_bytes

#: How many runs are kept.
MOST = 100
#: No configuration of a router is larger.
_MOST_BYTES = 4_000_000
START, END = ".conf", ".end.conf"


@dataclass(frozen=True)
class KeptRun:
    """Configurations that were kept.

    Attributes:
        folder: where.
        time: when the lab ended, "2026-03-01 14:05:59".
        title: of the drawing.
        file: its path, empty where it had none.
        changed: routers on which something was typed.
    """

    folder: Path
    time: str
    title: str
    file: str = ""
    changed: tuple[str, ...] = ()


def history_folder() -> Path:
    """The folder in which configurations of earlier runs are kept for this user; it need not exist."""
    return Path(platformdirs.user_state_dir("miniedit-frr")) / "configurations"


def write_configs(folder: Path, configs: Mapping[str, RunningConfig]) -> None:
    """Write configurations as text files, made anew: `ROUTER.conf`, and `ROUTER.end.conf` where something was typed.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, config in configs.items():
        start, end = folder / f"{name}{START}", folder / f"{name}{END}"
        for earlier in (start, end):  # those of a run that has ended are read-only
            earlier.unlink(missing_ok=True)
        start.write_text(config.start, encoding="utf-8")
        if config.typed():
            end.write_text(config.now, encoding="utf-8")


def read_configs(folder: Path) -> dict[str, RunningConfig]:
    """The configurations from `write_configs`; empty for a folder without. Raises LabFailed if it is unreadable."""
    found = {}
    try:
        for path in sorted(folder.glob(f"*{START}")):
            if not path.name.endswith(END):
                start, end = _text(path), path.with_name(path.name.removesuffix(START) + END)
                now = _text(end) if end.is_file() else start
                name = path.name.removesuffix(START)
                found[name] = RunningConfig(name, start, now)
    except (OSError, UnicodeDecodeError) as error:
        raise LabFailed(f"{folder} cannot be read: {error}") from None
    return found


def _text(path: Path) -> str:
    return read_bytes(path, _MOST_BYTES).decode("utf-8")


def keep(below: Path, title: str, configs: Mapping[str, RunningConfig], file: str = "") -> KeptRun | None:
    """Keep the configurations of a run that ends now, and drop the oldest ones where there are too many.

    Args:
        below: the folder of all runs.

    Returns:
        What was kept; None for a lab without routers that run FRR.

    Raises:
        OSError: the folder cannot be written.
    """
    if not configs:
        return None
    now = time.localtime()
    changed = tuple(name for name, config in configs.items() if config.typed())
    folder = _free(below, f"{time.strftime('%Y-%m-%d %H.%M.%S', now)} {_plain(title)}".strip())
    write_configs(folder, configs)
    kept = KeptRun(folder, time.strftime("%Y-%m-%d %H:%M:%S", now), title, file, changed)
    said = {"version": 1, "time": kept.time, "title": title, "file": file, "changed": list(changed)}
    (folder / "run.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    for old in kept_runs(below)[MOST:]:
        shutil.rmtree(old.folder, ignore_errors=True)
    return kept


def kept_runs(below: Path) -> list[KeptRun]:
    """All runs that are kept, the newest first; what cannot be understood is passed over."""
    runs = []
    with suppress(OSError):
        for folder in sorted(below.iterdir(), key=lambda each: each.name, reverse=True):
            with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
                said = json.loads((folder / "run.json").read_text(encoding="utf-8"))
                changed = tuple(map(str, said["changed"]))
                runs.append(KeptRun(folder, str(said["time"]), str(said["title"]), str(said["file"]), changed))
    return runs


def forget(run: KeptRun) -> None:
    """Drop the configurations that were kept of a run."""
    shutil.rmtree(run.folder, ignore_errors=True)


def _plain(title: str) -> str:
    return re.sub(r"[^\w. -]+", "-", title).strip(" .-")[:60]


def _free(below: Path, name: str) -> Path:
    """A folder that is not there yet, made."""
    below.mkdir(parents=True, exist_ok=True)
    for number in range(1, 1000):
        folder = below / (f"{name} {number}" if number > 1 else name)
        with suppress(FileExistsError):
            folder.mkdir()
            return folder
    raise OSError(f"{below} is full")
