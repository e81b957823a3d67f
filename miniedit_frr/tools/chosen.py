"""The selection: its name, and edits of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from frrlib.edits.annotations import delete_annotations
from frrlib.edits.changes import delete
from frrlib.edits.links import release
from frrlib.model.annotations import Annotation
from frrlib.model.flows import Flow
from frrlib.model.links import Link
from frrlib.model.nodes import Node
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key, Scene


def node_names(keys: Collection[Key]) -> list[str]:
    """The names of the nodes among the keys, in order."""
    return sorted(key.name for key in keys if key.kind == "node")


def annotation_ids(keys: Collection[Key]) -> list[str]:
    """The ids of the notes and shapes among the keys, in order."""
    return sorted(key.name for key in keys if key.kind == "annotation")


def flow_ids(keys: Collection[Key]) -> list[str]:
    """The ids of the flows among the keys, in order."""
    return sorted(key.name for key in keys if key.kind == "flow")


def without_selection(topology: Topology, keys: Collection[Key]) -> Topology:
    """The topology without the selection: nodes with their links and flows, links, flows, lines to controllers, notes
    and shapes.
    """
    for key in keys:
        if key.kind == "control":
            topology = release(topology, key.name, key.qualifier)
    topology = delete_annotations(topology, annotation_ids(keys))
    return delete(topology, node_names(keys), [key.name for key in keys if key.kind == "link"], flow_ids(keys))


def selection_name(keys: Collection[Key]) -> str:
    """A short name of the selection, for a menu."""
    if len(keys) == 1:
        (key,) = keys
        return f"{key.name} to {key.qualifier}" if key.kind == "control" else key.name
    kinds = Counter(key.kind for key in keys)
    counts = {("node", "nodes"): kinds["node"], ("note or shape", "notes or shapes"): kinds["annotation"]}
    parts = [f"{count} {words[count > 1]}" for words, count in counts.items() if count]
    return " and ".join(parts) or f"{len(keys)} {'flows' if kinds['flow'] == len(keys) else 'links'}"


#: The maximum number of letters of a title in the status bar.
_TITLE_LETTERS = 32


def announcement(title: str, count: int) -> str:
    """The text of the status bar about the selection.

    Args:
        title: the title of the selection.
        count: the number of selected things.
    """
    if count != 1:
        return f"{count} selected" if count else ""
    return title if len(title) <= _TITLE_LETTERS else f"{title[: _TITLE_LETTERS - 1]}…"


def title_and_value(
    topology: Topology, scene: Scene, keys: Collection[Key], kinds: Mapping[str, str]
) -> tuple[str, Node | Link | Annotation | Flow | None]:
    """A title for the selection, and its value if it is a single node, link, annotation or flow.

    Args:
        kinds: icon of a node to the name of its kind.
    """
    if len(keys) != 1:
        return selection_name(keys) if keys else "Properties", None
    (key,) = keys
    if key.kind == "node" and (node := topology.node(key.name)) is not None:
        return f"{kinds[scene.nodes[key].icon]} {key.name}", node
    if key.kind == "annotation" and (annotation := topology.annotation(key.name)) is not None:
        return f"{annotation.kind.capitalize()} {key.name}", annotation
    if key.kind == "link" and (link := topology.link(key.name)) is not None:
        return f"Link {link.a.node} to {link.b.node}", link
    flow = next((candidate for candidate in topology.flows if key == Key("flow", candidate.id)), None)
    return (f"Flow {flow.id}", flow) if flow is not None else (selection_name(keys), None)
