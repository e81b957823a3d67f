"""Compares two results folders byte for byte, apart from what depends on the day and the machine.

Left out are the figures, whose footer has the date, `log.txt`, which has the time of day, the settings and facts in
`_OF_THE_DAY`, the real duration of steps, and the steps `place`, `boot` and `figure`, whose duration is this machine's.
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

#: Fields of `run.json` by the path of their names; all that is below them is left out too.
_OF_THE_DAY = (
    "started", "finished", "place_reason", "settings.place", "settings.kernel", "settings.allowed_controllers",
    "facts.command_line", "facts.commit", "facts.kernel_built", "facts.host_kernel", "facts.python", "facts.boot_ms",
    "facts.stage_ms", "facts.start_ms",
)  # fmt: skip
_OWN_STEPS = ("place", "boot", "figure")
#: The folder of the routers' configurations.
_CONFIGS = "configs"
_NOT_COMPARED = (layout.LOG, layout.README, *layout.FIGURES, "console.log", "notes.txt")
_LONGEST = 160


@dataclass(frozen=True)
class FileDifference:
    """A file that is not the same in two results folders.

    Attributes:
        file: its name below the folder.
        where: the first differing row ("row 12") or field; empty if one folder lacks the file.
        was, now: what is there in the recorded and in the new folder, shortened.
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
    return [found for name in names if (found := _difference(recorded / name, new / name, name)) is not None]


def _files(folder: Path) -> Iterator[str]:
    """The files of a run that are compared. What somebody else has put into the folder is none of them."""
    tops = {*layout.OUR_FILES, *layout.OUR_FOLDERS, _CONFIGS} - set(_NOT_COMPARED)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if name.parts[0] in tops and path.is_file() and not path.is_symlink():
            yield str(name)


def _difference(recorded: Path, new: Path, name: str) -> FileDifference | None:
    for path, was, now in ((recorded, "missing", "there"), (new, "there", "missing")):
        if not path.is_file():
            return FileDifference(name, "", was, now)
    old, fresh = recorded.read_bytes(), new.read_bytes()
    if old == fresh:
        return None
    if name in (layout.RUN, layout.SUMMARY):
        return _first_field(_record(old), _record(fresh), name)
    rows = zip_longest(_rows(old, name), _rows(fresh, name))
    for number, (was, now) in enumerate(rows, 1):
        if was != now:
            return FileDifference(name, f"row {number}", _shown(was), _shown(now))
    return None


def _rows(data: bytes, name: str) -> list[str]:
    lines = data.decode(errors="replace").splitlines()
    return [_event(line) for line in lines] if name == layout.EVENTS else lines


def _event(line: str) -> str:
    """A row of the events, without what depends on this machine: the text of a step, which has its real duration, and
    the time of a step before the lab runs or after its end."""
    parts = line.split(",")
    if parts[2:3] != ["step"]:
        return line
    return ",".join(parts[2:5] if parts[3:4][0] in _OWN_STEPS else parts[:5])


def _record(data: bytes) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(data)
    steps = record.get("steps")
    if isinstance(steps, list):
        record["steps"] = {step["name"]: step for step in steps if step["name"] not in _OWN_STEPS}
    return dict(_flat(record, ""))


def _flat(value: object, path: str) -> Iterator[tuple[str, object]]:
    if path in _OF_THE_DAY:
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
            return FileDifference(name, field, _shown(was), _shown(now))
    return None


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


#: The facts that must agree for equal bytes, and what each is called.
CONDITIONS = {
    "kernel": "kernel", "kernel_digest": "kernel file", "frr": "FRR", "tc": "iproute2", "miniedit_frr": "program",
    "commit": "commit",
}  # fmt: skip


def conditions(recorded: Path, now: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The conditions of a recorded run that differ from those of now, and those that it did not record.

    Args:
        now: facts of today, by name; a condition that it lacks is not judged.

    Returns:
        a sentence each for those that differ; the names of those not recorded.
    """
    facts = read_info(recorded).facts
    differing, unknown = [], []
    for name, words in CONDITIONS.items():
        if name not in now:
            continue
        if name not in facts:
            unknown.append(words)
        elif facts[name] != now[name]:
            differing.append(f"{words}: recorded {_shown(facts[name])}, now {_shown(now[name])}")
    return differing, unknown


def numbers(recorded: Path, new: Path) -> list[str]:
    """The fairness, goodput and median RTT of two runs side by side, a line each, for runs whose bytes are not equal.

    Raises:
        ResultsError: a summary cannot be read.
    """
    old, fresh = load_summary(recorded), load_summary(new)
    rows = [("Jain's index", old.jain_index, fresh.jain_index)]
    flows = {flow.flow: flow for flow in fresh.flows}
    for flow in old.flows:
        if (other := flows.get(flow.flow)) is not None:
            rows.append((f"flow {flow.flow}: goodput, Mbit/s", flow.goodput_mbit, other.goodput_mbit))
            rows.append((f"flow {flow.flow}: median RTT, ms", flow.srtt_median_ms, other.srtt_median_ms))
    return [f"{name}: was {_number(was)}, is {_number(now)}" for name, was, now in rows]


def _number(value: float | None) -> str:
    return "not known" if value is None else f"{value:.4g}"
