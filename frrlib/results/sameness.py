"""Compares two results folders byte for byte, apart from values that depend on the day and the machine.

These are not compared: the figures, because their footer has the date; `log.txt`, which has the time of day; the
settings and facts in `_VARYING_FIELDS`; the real duration of steps; and the steps `place`, `boot` and `figure`, which
depend on this machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from frrlib.results import layout
from frrlib.results.read import read_info
from frrlib.results.statistics.summary import load_summary

#: Fields of `run.json` by the path of their names; everything below them is not compared either.
_VARYING_FIELDS = (
    "started", "finished", "place_reason", "settings.place", "settings.kernel", "settings.allowed_controllers",
    "facts.command_line", "facts.commit", "facts.kernel_built", "facts.host_kernel", "facts.python", "facts.boot_ms",
    "facts.stage_ms", "facts.start_ms",
)  # fmt: skip
_MACHINE_STEPS = ("place", "boot", "figure")
#: The folder of the routers' configurations.
_CONFIGS = "configs"
_NOT_COMPARED = (layout.LOG, layout.README, *layout.FIGURES, "console.log", "notes.txt")
_MOST_LETTERS = 160


@dataclass(frozen=True)
class FileDifference:
    """A file that is not the same in two results folders.

    Attributes:
        file: its name below the folder.
        where: the first differing row ("row 12") or field; empty if one folder lacks the file.
        was, now: the contents in the recorded and in the new folder, shortened.
    """

    file: str
    where: str
    was: str
    now: str

    def __str__(self) -> str:
        """One line for a person."""
        place = f"{self.file}, {self.where}" if self.where else self.file
        return f"{place}: was {self.was}, is {self.now}"


def differences(recorded: Path, new: Path) -> list[FileDifference]:
    """The files that differ between two results folders, with the first differing row of each.

    Raises:
        OSError: a file cannot be read.
    """
    names = sorted({*_files(recorded), *_files(new)})
    return [difference for name in names if (difference := _difference(recorded / name, new / name, name)) is not None]


def _files(folder: Path) -> Iterator[str]:
    """The files of a run that are compared. Files that no run writes are skipped."""
    tops = {*layout.OUR_FILES, *layout.OUR_FOLDERS, _CONFIGS} - set(_NOT_COMPARED)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if name.parts[0] in tops and path.is_file() and not path.is_symlink():
            yield str(name)


def _difference(recorded: Path, new: Path, name: str) -> FileDifference | None:
    for path, was, now in ((recorded, "missing", "there"), (new, "there", "missing")):
        if not path.is_file():
            return FileDifference(name, "", was, now)
    old, fresh = layout.read_bytes(recorded), layout.read_bytes(new)
    if old == fresh:
        return None
    if name in (layout.RUN, layout.SUMMARY):
        return _first_field(_record(old), _record(fresh), name)
    rows = zip_longest(_rows(old, name), _rows(fresh, name))
    for number, (was, now) in enumerate(rows, 1):
        if was != now:
            return FileDifference(name, f"row {number}", _shortened(was), _shortened(now))
    return None


def _rows(data: bytes, name: str) -> list[str]:
    lines = data.decode(errors="replace").splitlines()
    return [_event(line) for line in lines] if name == layout.EVENTS else lines


def _event(line: str) -> str:
    """A row of the events, without the parts that depend on this machine: the text of a step, which has its real
    duration, and the time of a step before the lab runs or after its end."""
    parts = line.split(",")
    if parts[2:3] != ["step"]:
        return line
    return ",".join(parts[2:5] if parts[3:4][0] in _MACHINE_STEPS else parts[:5])


def _record(data: bytes) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(data)
    steps = record.get("steps")
    if isinstance(steps, list):
        record["steps"] = {step["name"]: step for step in steps if step["name"] not in _MACHINE_STEPS}
    return dict(_flat(record, ""))


def _flat(value: object, path: str) -> Iterator[tuple[str, object]]:
    if path in _VARYING_FIELDS:
        return
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}".lstrip("."))
    else:
        yield path, value


def _first_field(old: dict[str, Any], new: dict[str, Any], name: str) -> FileDifference | None:
    for field in dict.fromkeys((*old, *new)):
        was, now = old.get(field), new.get(field)
        if was != now:
            return FileDifference(name, field, _shortened(was), _shortened(now))
    return None


def _shortened(value: object) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


#: The facts that must agree for equal bytes, with their names for people.
CONDITIONS = {
    "kernel": "kernel", "kernel_digest": "kernel file", "frr": "FRR", "tc": "iproute2", "miniedit_frr": "program",
    "commit": "commit",
}  # fmt: skip


def conditions(recorded: Path, now: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The conditions of a recorded run that differ from the present ones, and those that it did not record.

    Args:
        now: the present facts by name; a missing condition is not compared.

    Returns:
        A sentence for each condition that differs, and the names of the conditions that were not recorded.
    """
    facts = read_info(recorded).facts
    differing, unknown = [], []
    for name, words in CONDITIONS.items():
        if name not in now:
            continue
        if name not in facts:
            unknown.append(words)
        elif facts[name] != now[name]:
            differing.append(f"{words}: recorded {_shortened(facts[name])}, now {_shortened(now[name])}")
    return differing, unknown


def numbers(recorded: Path, new: Path) -> list[str]:
    """The fairness, goodput and median RTT of two runs side by side, a line for each, for runs that differ.

    Raises:
        ResultsError: a summary cannot be read.
    """
    old, fresh = load_summary(recorded), load_summary(new)
    rows = [("Jain's index", old.jain_index, fresh.jain_index)]
    flows = {flow.flow: flow for flow in fresh.flows}
    for flow in old.flows:
        if (counterpart := flows.get(flow.flow)) is not None:
            rows.append((f"flow {flow.flow}: goodput, Mbit/s", flow.goodput_mbit, counterpart.goodput_mbit))
            rows.append((f"flow {flow.flow}: median RTT, ms", flow.srtt_median_ms, counterpart.srtt_median_ms))
    return [f"{name}: was {_number(was)}, is {_number(now)}" for name, was, now in rows]


def _number(value: float | None) -> str:
    return "not known" if value is None else f"{value:.4g}"
