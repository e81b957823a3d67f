"""Edits of what is selected."""

from __future__ import annotations

from collections.abc import Collection

from frrlib.model.edits.changes import delete
from frrlib.model.edits.linking import release
from frrlib.model.topology import Topology
from miniedit_frr.canvas.scene import Key


def node_names(keys: Collection[Key]) -> list[str]:
    """The names of the nodes among the keys, in order."""
    return sorted(key.name for key in keys if key.kind == "node")


def without(topology: Topology, keys: Collection[Key]) -> Topology:
    """The topology without what is selected: nodes with their links, links, and lines to controllers."""
    for key in keys:
        if key.kind == "control":
            topology = release(topology, key.name, key.other)
    return delete(topology, node_names(keys), [key.name for key in keys if key.kind == "link"])


def called(keys: Collection[Key]) -> str:
    """What is selected, in a word or two, for a menu."""
    if len(keys) == 1:
        (key,) = keys
        return f"{key.name} to {key.other}" if key.kind == "control" else key.name
    nodes = len(node_names(keys))
    return f"{nodes} nodes" if nodes else f"{len(keys)} links"
