"""A sweep's folder: the description of the sweep, a results folder for each run that has ended, and the table.

sweep.json      the varied fields and the settings; together with topology.mn it defines the sweep
topology.mn     the topology
runs/NAME/      results of a run; RECORD in it has the run's values and its status
table.csv       one row per run; table.parquet is the same
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import BaseModel, Field, ValidationError

from frrlib import __version__
from frrlib.formats.files import replace_file
from frrlib.results.layout import ResultsError, json_text, read_bytes, read_json
from frrlib.sweep.job import Report
from frrlib.sweep.plan import SweepPlan, SweepRun
from frrlib.sweep.storage import LOCK, Record, lock_folder, read_record, remove_unfinished, store_results
from frrlib.system import atomic_files
from frrlib.variation.axes import Axis

FORMAT_VERSION = 1
SWEEP, TOPOLOGY, RUNS, RECORD = "sweep.json", "topology.mn", "runs", "sweep-run.json"


class StoredSweep(BaseModel):
    """The file `SWEEP`, which may be another person's."""

    format_version: int
    program: str = ""
    started: str = ""
    axes: tuple[Axis, ...] = Field((), max_length=1000)
    repeat: int = Field(1, ge=1)
    seed: int | None = None
    settings: dict[str, Any] = {}


class SweepFolder:
    """The folder of a sweep, locked by one process at a time; use it in a `with` block.

    Args:
        path: a new or empty folder, or that of the same sweep, which is then continued. It may be continued with more
            values and more repetitions.
        plan: the sweep.

    Raises:
        ResultsError: the folder contains something else or another sweep, or a sweep is running in it.
        PlaceError: the topology cannot be written into it.
    """

    def __init__(self, path: Path, plan: SweepPlan) -> None:
        self.path = path
        try:
            names = {entry.name for entry in path.iterdir()} - {LOCK} if path.is_dir() else set()
        except OSError as error:
            raise ResultsError(path, f"cannot be read: {error.strerror}", "choose another folder") from error
        if names and SWEEP not in names:
            raise ResultsError(path, "is not empty and contains no sweep", "choose another folder")
        self._lock = lock_folder(path, "a sweep runs in it just now")
        try:
            self._begin(plan)
        except BaseException:
            self._lock.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.close()

    def run_folder(self, name: str) -> Path:
        """The folder with the results of a run."""
        return self.path / RUNS / name

    def record(self, name: str) -> Record | None:
        """The record of a run's end; None for a run that has not ended."""
        record = read_record(self.run_folder(name), RECORD)
        return record[0] if record else None

    def keep(self, run: SweepRun, report: Report) -> Report:
        """Store the results of a run, see `storage.store_results`."""
        details = {"name": run.name, "values": run.cells, "repetition": run.repetition, "seed": run.seed}
        return store_results(self.run_folder(run.name), report, RECORD, details)

    def _begin(self, plan: SweepPlan) -> None:
        described, file, topology_file = _description(plan), self.path / SWEEP, self.path / TOPOLOGY
        content = plan.text.encode("utf-8", "surrogateescape")
        if file.exists():
            old = self._read(file)
            differences = _differences(old, described, plan)
            try:
                is_same = read_bytes(topology_file) == content
            except OSError as error:
                raise ResultsError(self.path, f"{TOPOLOGY} cannot be read: {error.strerror}") from error
            if not is_same:
                differences.insert(0, f"the drawing is not its {TOPOLOGY}")
            if differences:
                raise ResultsError(
                    self.path, f"contains another sweep: {'; '.join(differences)}", "choose another folder"
                )
            described["started"] = old.started or described["started"]
        remove_unfinished(self.path / RUNS)
        replace_file(topology_file, content)
        atomic_files.replace(file, json_text(described))

    def _read(self, file: Path) -> StoredSweep:
        try:
            sweep = StoredSweep.model_validate(read_json(file, plain=True))
        except ValidationError as error:
            field = ".".join(map(str, error.errors()[0]["loc"])) or "the file"
            problem = f"{SWEEP} has a malformed value of {field}"
            raise ResultsError(self.path, problem, "choose another folder") from None
        except (OSError, ValueError) as error:
            raise ResultsError(self.path, f"{SWEEP} cannot be read", "choose another folder") from error
        if sweep.format_version != FORMAT_VERSION:
            problem = f"has format {sweep.format_version}, but this program writes format {FORMAT_VERSION}"
            raise ResultsError(self.path, problem)
        return sweep


def _description(plan: SweepPlan) -> dict[str, Any]:
    """The values that define a sweep, except its topology, as JSON values."""
    description = {
        "format_version": FORMAT_VERSION,
        "program": __version__,
        "python": platform.python_version(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "axes": [axis.model_dump(mode="json") for axis in plan.axes],
        "repeat": plan.repeat,
        "seed": plan.seed,
        "settings": {name: value for name, value in asdict(plan.settings).items() if name != "seed"},
    }
    return dict(json.loads(json.dumps(description, default=str)))


def _differences(old: StoredSweep, new: Mapping[str, Any], plan: SweepPlan) -> list[str]:
    """The differences between a sweep and that of a folder, one clause each; additions do not count."""
    clauses = []
    if old.program != new["program"]:
        clauses.append(f"it was made with miniedit-frr {old.program}, and this is {new['program']}")
    if old.seed != new["seed"]:
        clauses.append(f"its first seed is {old.seed}, not {new['seed']}")
    if old.repeat > plan.repeat:
        clauses.append(f"it has {old.repeat} repetitions, not {plan.repeat}")
    was, now = old.settings, dict(new["settings"])
    for name in dict.fromkeys((*was, *now)):
        if was.get(name) != now.get(name):
            clauses.append(f"its {name} is {was.get(name)}, not {now.get(name)}")
    return clauses + _axis_differences(old.axes, plan.axes)


def _axis_differences(old: Sequence[Axis], new: Sequence[Axis]) -> list[str]:
    were, are = {axis.paths: axis for axis in old}, {axis.paths: axis for axis in new}
    clauses = [f"it varies {', '.join(paths)}" for paths in were if paths not in are]
    clauses += [f"it does not vary {', '.join(paths)}" for paths in are if paths not in were]
    for paths in were.keys() & are.keys():
        removed = [row for row in were[paths].rows if row not in are[paths].rows]
        if removed:
            clauses.append(f"{', '.join(paths)} is also {', '.join(' and '.join(row) for row in removed)} in it")
    return clauses
