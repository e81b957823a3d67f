"""Exercises, works and submissions for tests, and a pretended lab."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from frrlib.errors import LabFailed
from frrlib.exercises.evaluation import LabStarter
from frrlib.exercises.exercise import Exercise, load
from frrlib.exercises.work import Work, begin
from frrlib.model.topology import Topology

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "examples" / "exercises"


def first_network() -> Exercise:
    """The shipped exercise about addresses and static routes."""
    return load(SHIPPED / "first-network")


def two_as() -> Exercise:
    """The shipped exercise about BGP."""
    return load(SHIPPED / "two-as")


def begun(folder: Path, exercise: Exercise | None = None, student: str = "42") -> Work:
    """A work that was just started."""
    return begin(exercise or two_as(), folder / "work", student, "Ada")


def zip_of(path: Path, entries: Mapping[str, bytes | str]) -> Path:
    """A zip file with these entries."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return path


def entries_of(path: Path) -> dict[str, bytes]:
    """The entries of a zip file."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


class PretendedLab:
    """A lab whose nodes reply to pings from the n-th ping on, and whose clock goes on by a second with each reading.

    Args:
        topology: its topology.
        replies_from: number of the first answered ping by destination, from 1; pings to others are never answered.
    """

    def __init__(self, topology: Topology, replies_from: Mapping[str, int]) -> None:
        self.topology, self._replies_from = topology, replies_from
        self.pings: list[str] = []
        self._seconds = 0.0

    def now_s(self) -> float:
        self._seconds += 1.0
        return self._seconds

    def __getitem__(self, node: str) -> Any:
        raise LabFailed(f"{node} runs no command")

    def adjacencies(self, *routers: str) -> list[Any]:
        return []

    def ping(self, source: str, destination: str, count: int = 3) -> Any:
        self.pings.append(destination)
        first = self._replies_from.get(destination)
        received = count if first is not None and self.pings.count(destination) >= first else 0
        return {"source": source, "destination": destination, "address": destination, "sent": count,
                "received": received}  # fmt: skip


def pretended_labs(replies_from: Mapping[str, int], built: list[Topology] | None = None) -> LabStarter:
    """Starts pretended labs, and lists their topologies in `built`."""

    @contextmanager
    def start(topology: Topology) -> Iterator[Any]:
        if built is not None:
            built.append(topology)
        yield PretendedLab(topology, replies_from)

    return start
