"""Edits of what is selected."""

from __future__ import annotations

from collections.abc import Collection

from frrlib.model.edits.annotating import delete_annotations
from frrlib.model.edits.changes import delete
from frrlib.model.edits.linking import release
from frrlib.model.topology import Topology
from miniedit_frr.canvas.scene import Key


def node_names(keys: Collection[Key]) -> list[str]:
    """The names of the nodes among the keys, in order."""
    return sorted(key.name for key in keys if key.kind == "node")


def annotation_ids(keys: Collection[Key]) -> list[str]:
    """The ids of the notes and shapes among the keys, in order."""
    return sorted(key.name for key in keys if key.kind == "annotation")


def without(topology: Topology, keys: Collection[Key]) -> Topology:
    """The topology without what is selected: nodes with their links, links, lines to controllers, notes and shapes."""
    for key in keys:
        if key.kind == "control":
            topology = release(topology, key.name, key.other)
    topology = delete_annotations(topology, annotation_ids(keys))
    return delete(topology, node_names(keys), [key.name for key in keys if key.kind == "link"])


def called(keys: Collection[Key]) -> str:
    """What is selected, in a word or two, for a menu."""
    if len(keys) == 1:
        (key,) = keys
        return f"{key.name} to {key.other}" if key.kind == "control" else key.name
    counts = {("node", "nodes"): len(node_names(keys)), ("note or shape", "notes or shapes"): len(annotation_ids(keys))}
    parts = [f"{count} {words[count > 1]}" for words, count in counts.items() if count]
    return " and ".join(parts) or f"{len(keys)} links"
