"""A lab that runs by itself, joined by one command and left as it was found; and the names that can be completed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from frrlib.lab.detached import DetachedLab
from frrlib.lab.lab import Listener
from frrlib.lab_server import register


@contextmanager
def join_lab(name: str = "", listener: Listener | None = None) -> Iterator[DetachedLab]:
    """The lab of that name, or the only one; it goes on afterwards.

    Raises:
        LabFailed: there is none, or it is still starting.
    """
    lab = DetachedLab.join(name, listener)
    lab.start()
    try:
        yield lab
    finally:
        lab.part()  # else it would end


def lab_names(incomplete: str) -> list[str]:
    """For completion: the labs."""
    return [card.name for card in register.labs() if card.name.startswith(incomplete)]


def lab_and_node_names(incomplete: str) -> list[str]:
    """For completion: the labs and their nodes."""
    cards = register.labs()
    names = dict.fromkeys([*(card.name for card in cards), *(node.name for card in cards for node in card.nodes)])
    return [name for name in names if name.startswith(incomplete)]
