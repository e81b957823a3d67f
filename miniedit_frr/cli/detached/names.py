"""Completes the names of running labs and of their nodes."""

from __future__ import annotations

from frrlib.lab_server import register


def lab_names(incomplete: str) -> list[str]:
    """Completes the names of labs."""
    return [card.name for card in register.labs() if card.name.startswith(incomplete)]


def lab_and_node_names(incomplete: str) -> list[str]:
    """Completes the names of labs and of their nodes."""
    cards = register.labs()
    names = dict.fromkeys([*(card.name for card in cards), *(node.name for card in cards for node in card.nodes)])
    return [name for name in names if name.startswith(incomplete)]
