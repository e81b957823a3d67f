"""Edits of annotations: drawing, moving, resizing, coloring, ordering and deleting them; and the color of nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Literal

from pydantic import ValidationError

from frrlib.edits.parts import known_names
from frrlib.errors import TopologyError
from frrlib.model.annotations import Annotation, Kind
from frrlib.model.names import numbered
from frrlib.model.topology import Topology

#: Default size in pixels and default colors (fill, outline) of new annotations, by kind.
TOOLS: dict[Kind, tuple[tuple[float, float], tuple[str, str]]] = {
    "note": ((170.0, 46.0), ("yellow", "")),
    "rectangle": ((260.0, 170.0), ("blue", "blue")),
    "ellipse": ((260.0, 170.0), ("green", "green")),
}
_LARGEST = 9999


def fresh_ids(topology: Topology) -> Iterator[str]:
    """IDs for new annotations ("a3", "a4", ...), none of which is in use. Never ends."""
    used_ids = {annotation.id for annotation in topology.annotations}
    numbers = [parts[1] for name in used_ids if (parts := numbered(name)) and parts[0] == "a"]
    start = max((number for number in numbers if number <= _LARGEST), default=0) + 1
    return (name for number in count(start) if (name := f"a{number}") not in used_ids)


def annotate(
    topology: Topology, kind: Kind, x: float, y: float, width: float = 0.0, height: float = 0.0, text: str = ""
) -> tuple[Topology, str]:
    """Add an annotation on top of the others.

    Args:
        topology: the topology.
        kind: its kind.
        x, y: its left and top.
        width, height: its size in pixels; 0 for the default.
        text: its text.

    Returns:
        The topology, and the annotation's id.

    Raises:
        TopologyError: the position or the size is invalid.
    """
    (usual_width, usual_height), (fill, line) = TOOLS[kind]
    size = {"width": width or usual_width, "height": height or usual_height}
    fields = {"id": next(fresh_ids(topology)), "kind": kind, "x": x, "y": y, "text": text, "fill": fill, "line": line}
    new = _validated(fields | size)
    return topology.model_copy(update={"annotations": (*topology.annotations, new)}), new.id


def replace_annotation(topology: Topology, annotation: Annotation) -> Topology:
    """Replace the annotation with the same ID by a new value.

    Raises:
        TopologyError: the annotation does not exist.
    """
    _known_ids(topology, [annotation.id])
    return _with(topology, [annotation if old.id == annotation.id else old for old in topology.annotations])


def change(topology: Topology, ids: Iterable[str], **fields: object) -> Topology:
    """Change fields of annotations: `text`, `fill`, `line`, `x`, `y`, `width`, `height`.

    Raises:
        TopologyError: the annotation does not exist, or a value is invalid.
    """
    selected = _known_ids(topology, ids)
    return _with(
        topology,
        [
            _validated(annotation.model_dump() | fields) if annotation.id in selected else annotation
            for annotation in topology.annotations
        ],
    )


def shift_annotations(topology: Topology, ids: Iterable[str], dx: float, dy: float) -> Topology:
    """Move annotations by a distance in pixels.

    Raises:
        TopologyError: the annotation does not exist, or its new position is not finite.
    """
    known_ids = _known_ids(topology, ids)
    return _with(
        topology,
        [
            _validated(annotation.model_dump() | {"x": annotation.x + dx, "y": annotation.y + dy})
            if annotation.id in known_ids
            else annotation
            for annotation in topology.annotations
        ],
    )


def delete_annotations(topology: Topology, ids: Iterable[str]) -> Topology:
    """Delete annotations.

    Raises:
        TopologyError: the annotation does not exist.
    """
    known_ids = _known_ids(topology, ids)
    return _with(topology, [annotation for annotation in topology.annotations if annotation.id not in known_ids])


def restack(topology: Topology, ids: Iterable[str], where: Literal["front", "back"]) -> Topology:
    """Bring annotations to the front or to the back; they keep their order among themselves.

    Raises:
        TopologyError: the annotation does not exist.
    """
    known_ids = _known_ids(topology, ids)
    return _with(topology, sorted(topology.annotations, key=lambda item: (item.id in known_ids) is (where == "front")))


def color_nodes(topology: Topology, names: Iterable[str], colour: str) -> Topology:
    """Set the color of nodes; empty for that of their kind.

    Raises:
        TopologyError: there is no such node, or the color is invalid.
    """
    node_names = set(known_names(topology, names))
    try:
        nodes = [
            type(node).model_validate(node.model_dump() | {"colour": colour}) if node.name in node_names else node
            for node in topology.nodes
        ]
    except ValidationError:
        raise TopologyError(f"{colour!r} is not a color", field="colour", remedy="such as #3366cc") from None
    return topology.model_copy(update={"nodes": tuple(nodes)})


def _with(topology: Topology, annotations: Iterable[Annotation]) -> Topology:
    return topology.model_copy(update={"annotations": tuple(annotations)})


def _known_ids(topology: Topology, ids: Iterable[str]) -> set[str]:
    known_ids = set(ids)
    for name in sorted(known_ids - {annotation.id for annotation in topology.annotations}):
        raise TopologyError("the annotation does not exist", node=name)
    return known_ids


def _validated(fields: dict[str, object]) -> Annotation:
    try:
        return Annotation.model_validate(fields)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        field = str(first["loc"][0]) if first["loc"] else ""
        raise TopologyError(f"{fields.get(field)!r}: {first['msg']}", node=str(fields["id"]), field=field) from None
