"""Configurations of earlier runs: a small folder of text files for each of the last runs.

2026-03-01 14.05.59 ospf-multihop/
    run.json              time and topology
    r1.conf               configuration when the lab was up
    r1.end.conf           configuration at the end, if it is different
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

#: Maximum number of runs that are kept.
MOST = 100
#: Maximum size of a router's configuration.
_MOST_BYTES = 4_000_000
START, END = ".conf", ".end.conf"


@dataclass(frozen=True)
class KeptRun:
    """The stored configurations of a run.

    Attributes:
        folder: their folder.
        time: end of the lab, "2026-03-01 14:05:59".
        title: title of the topology.
        file: path of its file, empty for none.
        changed: routers whose configuration was changed by typing.
    """

    folder: Path
    time: str
    title: str
    file: str = ""
    changed: tuple[str, ...] = ()


def history_folder() -> Path:
    """The folder with this user's configurations of earlier runs; it may not exist."""
    return Path(platformdirs.user_state_dir("miniedit-frr")) / "configurations"


def write_configs(folder: Path, configs: Mapping[str, RunningConfig]) -> None:
    """Write configurations as new text files: `ROUTER.conf`, and `ROUTER.end.conf` if it was changed by typing.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, config in configs.items():
        start, end = folder / f"{name}{START}", folder / f"{name}{END}"
        for earlier in (start, end):  # files of an earlier run are read-only
            earlier.unlink(missing_ok=True)
        start.write_text(config.start, encoding="utf-8")
        if config.typed():
            end.write_text(config.now, encoding="utf-8")


def read_configs(folder: Path) -> dict[str, RunningConfig]:
    """The configurations from `write_configs`; empty for a folder without. Raises LabFailed if it is unreadable."""
    configs = {}
    try:
        for path in sorted(folder.glob(f"*{START}")):
            if not path.name.endswith(END):
                start, end = _text(path), path.with_name(path.name.removesuffix(START) + END)
                now = _text(end) if end.is_file() else start
                name = path.name.removesuffix(START)
                configs[name] = RunningConfig(name, start, now)
    except (OSError, UnicodeDecodeError) as error:
        raise LabFailed(f"{folder} cannot be read: {error}") from None
    return configs


def _text(path: Path) -> str:
    return read_bytes(path, _MOST_BYTES).decode("utf-8")


def keep(below: Path, title: str, configs: Mapping[str, RunningConfig], file: str = "") -> KeptRun | None:
    """Store the configurations of a run that ends now, and delete the oldest ones above the maximum.

    Args:
        below: the folder of all runs.
        title: title of the topology.
        configs: configurations by router.
        file: path of the topology's file, empty for none.

    Returns:
        The stored run; None for a lab without routers that run FRR.

    Raises:
        OSError: the folder cannot be written.
    """
    if not configs:
        return None
    now = time.localtime()
    changed = tuple(name for name, config in configs.items() if config.typed())
    folder = _free(below, f"{time.strftime('%Y-%m-%d %H.%M.%S', now)} {_plain(title)}".strip())
    write_configs(folder, configs)
    run = KeptRun(folder, time.strftime("%Y-%m-%d %H:%M:%S", now), title, file, changed)
    record = {"version": 1, "time": run.time, "title": title, "file": file, "changed": list(changed)}
    (folder / "run.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for old in kept_runs(below)[MOST:]:
        shutil.rmtree(old.folder, ignore_errors=True)
    return run


def kept_runs(below: Path) -> list[KeptRun]:
    """All stored runs, the newest first; invalid folders are skipped."""
    runs = []
    with suppress(OSError):
        for folder in sorted(below.iterdir(), key=lambda path: path.name, reverse=True):
            with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
                record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
                changed = tuple(map(str, record["changed"]))
                runs.append(KeptRun(folder, str(record["time"]), str(record["title"]), str(record["file"]), changed))
    return runs


def forget(run: KeptRun) -> None:
    """Delete the stored configurations of a run."""
    shutil.rmtree(run.folder, ignore_errors=True)


def _plain(title: str) -> str:
    return re.sub(r"[^\w. -]+", "-", title).strip(" .-")[:60]


def _free(below: Path, name: str) -> Path:
    """Create a new folder with an unused name."""
    below.mkdir(parents=True, exist_ok=True)
    for number in range(1, 1000):
        folder = below / (f"{name} {number}" if number > 1 else name)
        with suppress(FileExistsError):
            folder.mkdir()
            return folder
    raise OSError(f"{below} is full")
