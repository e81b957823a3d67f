"""Labs that run by themselves: which there are, what each was drawn as, and those that could become one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from frrlib.addressing.addressing import addressed
from frrlib.edits.live_changes import live_changes
from frrlib.errors import LabError, TopologyError
from frrlib.formats import mn
from frrlib.lab import detached
from frrlib.lab.detached import HeldLab
from frrlib.lab.lab import Lab
from frrlib.lab_server import register
from frrlib.lab_server.register import Card
from frrlib.model.topology import Topology


def new_lab(topology: Topology, file: Path | None, **settings: Any) -> Lab:
    """A lab of the editor's. It could go on by itself, and is an SSH host meanwhile; not so in virtual time."""
    if settings.get("virtual_time"):
        return Lab(topology, folder=file.resolve().parent if file else None, **settings)
    return HeldLab(topology, file=file, name=file.stem if file else "", **settings)


class LabOrigin(NamedTuple):
    """What a lab was built from, and the file that still holds it; None where none does, or it holds something else."""

    topology: Topology
    path: Path | None


def menu_entries(join: Callable[[str], object]) -> list[tuple[str, Callable[[], object]]]:
    """The lines of the menu: the labs that go on by themselves."""
    try:
        cards = [card for card in register.labs() if card.kept and card.state == "running"]
    except (LabError, OSError):
        return []
    return [
        (f"{card.name}: {card.title or card.file or 'no title'}, {card.place}", partial(join, card.name))
        for card in cards
    ]


def origin_of(card: Card) -> LabOrigin:
    """The drawing of a lab: its file where that has not changed in what a lab is built from.

    Raises:
        LabFailed: the lab does not say what it was built from.
    """
    topology = detached.drawing_of(card)
    kept = _kept_in(Path(card.file), topology) if card.file else None
    return LabOrigin(kept, Path(card.file)) if kept is not None else LabOrigin(topology, None)


def _kept_in(path: Path, topology: Topology) -> Topology | None:
    """The drawing in a file, if a lab of it would be this one."""
    try:
        drawn = mn.load(path).topology
    except (LabError, OSError):
        return None
    try:
        live_changes(topology, addressed(drawn))
    except TopologyError:
        return None
    return drawn
