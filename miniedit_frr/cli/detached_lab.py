"""Joins a detached lab for one command and leaves it running; and completes the names of labs and nodes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from frrlib.lab.detached import DetachedLab
from frrlib.lab.lab import Listener
from frrlib.lab_server import register


@contextmanager
def join_lab(name: str = "", listener: Listener | None = None) -> Iterator[DetachedLab]:
    """The lab of that name, or the only running lab. It keeps running afterwards.

    Raises:
        LabFailed: there is no such lab, or it is still starting.
    """
    lab = DetachedLab.join(name, listener)
    lab.start()
    try:
        yield lab
    finally:
        lab.part()  # without this, the lab would end


def lab_names(incomplete: str) -> list[str]:
    """Completes the names of labs."""
    return [card.name for card in register.labs() if card.name.startswith(incomplete)]


def lab_and_node_names(incomplete: str) -> list[str]:
    """Completes the names of labs and of their nodes."""
    cards = register.labs()
    names = dict.fromkeys([*(card.name for card in cards), *(node.name for card in cards for node in card.nodes)])
    return [name for name in names if name.startswith(incomplete)]
