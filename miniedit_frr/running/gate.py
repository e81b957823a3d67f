"""What may be edited while a lab runs: what the lab does not know, such as places on the canvas."""

from __future__ import annotations

from frrlib.model.topology import Topology

#: What a lab is built from; all else of a drawing (flows, title, notes) may change while it runs.
_BUILT_FROM = ("nodes", "links", "preferences")

REFUSAL = (
    "A lab runs from this drawing: stop it (Shift+F5) before you change it. Nodes can be moved and coloured meanwhile."
)


def why_not(before: Topology, after: Topology) -> str:
    """Why a drawing must not change from `before` to `after` while a lab runs; empty where it may."""
    return "" if all(_part(before, name) == _part(after, name) for name in _BUILT_FROM) else REFUSAL


def _part(topology: Topology, name: str) -> object:
    value = getattr(topology, name)
    return [node.without_looks for node in value] if name == "nodes" else value
