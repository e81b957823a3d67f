"""Detached labs: the running ones, their topologies, and new labs that can be detached."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from frrlib.addressing.addressing import addressed
from frrlib.edits.live_changes import live_changes
from frrlib.errors import LabError, TopologyError
from frrlib.exchange import opening
from frrlib.lab import detached
from frrlib.lab.detached import DetachedLab
from frrlib.lab.lab import Lab
from frrlib.lab_server import register
from frrlib.lab_server.register import Card
from frrlib.model.topology import Topology


def new_lab(topology: Topology, file: Path | None, **settings: Any) -> Lab:
    """A new lab of the editor. It can be detached and is an SSH host, except in virtual time."""
    if settings.get("virtual_time"):
        return Lab(topology, folder=file.resolve().parent if file else None, **settings)
    return DetachedLab(topology, file=file, name=file.stem if file else "", **settings)


class LabOrigin(NamedTuple):
    """The topology of a lab, and its file; None if no file contains this topology now."""

    topology: Topology
    path: Path | None


def menu_entries(join: Callable[[str], object]) -> list[tuple[str, Callable[[], object]]]:
    """The lines of the menu: the detached labs that run."""
    try:
        cards = [card for card in register.labs() if card.kept and card.state == "running"]
    except (LabError, OSError):
        return []
    return [
        (f"{card.name}: {card.title or card.file or 'no title'}, {card.place}", partial(join, card.name))
        for card in cards
    ]


def origin_of(card: Card) -> LabOrigin:
    """The topology of a lab, with its file unless that would now make a different lab.

    Raises:
        LabFailed: the lab does not report its topology.
    """
    topology = detached.topology_of(card)
    current = _matching_topology(Path(card.file), topology) if card.file else None
    return LabOrigin(current, Path(card.file)) if current is not None else LabOrigin(topology, None)


def _matching_topology(path: Path, topology: Topology) -> Topology | None:
    """The topology in a file, if a lab of it would be the same as this one."""
    try:
        candidate = opening.load(path).topology
    except (LabError, OSError):
        return None
    try:
        live_changes(topology, addressed(candidate))
    except TopologyError:
        return None
    return candidate
