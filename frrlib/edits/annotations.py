"""Edits of annotations: drawing, moving, resizing, colouring, ordering and deleting them; and the colour of nodes."""

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

#: What the tools of an editor draw: size in pixels where it is only placed, and the colours (fill, outline).
TOOLS: dict[Kind, tuple[tuple[float, float], tuple[str, str]]] = {
    "note": ((170.0, 46.0), ("yellow", "")),
    "rectangle": ((260.0, 170.0), ("blue", "blue")),
    "ellipse": ((260.0, 170.0), ("green", "green")),
}
_LARGEST = 9999


def fresh_ids(topology: Topology) -> Iterator[str]:
    """Ids for new annotations ("a3", "a4", ...), none of which is in the drawing. Never ends."""
    taken = {each.id for each in topology.annotations}
    numbers = [parts[1] for name in taken if (parts := numbered(name)) and parts[0] == "a"]
    start = max((number for number in numbers if number <= _LARGEST), default=0) + 1
    return (name for number in count(start) if (name := f"a{number}") not in taken)


def annotate(
    topology: Topology, kind: Kind, x: float, y: float, width: float = 0.0, height: float = 0.0, text: str = ""
) -> tuple[Topology, str]:
    """Draw an annotation on top of the others.

    Args:
        topology: the drawing.
        kind: what it is.
        x, y: its left and top.
        width, height: its size in pixels; 0 for the usual.
        text: what stands in it.

    Returns:
        The drawing, and the annotation's id.

    Raises:
        TopologyError: that is no position or no size.
    """
    (usual_width, usual_height), (fill, line) = TOOLS[kind]
    size = {"width": width or usual_width, "height": height or usual_height}
    fields = {"id": next(fresh_ids(topology)), "kind": kind, "x": x, "y": y, "text": text, "fill": fill, "line": line}
    new = _made(fields | size)
    return topology.model_copy(update={"annotations": (*topology.annotations, new)}), new.id


def replace_annotation(topology: Topology, annotation: Annotation) -> Topology:
    """Put an annotation's new value in the place of the one of its id.

    Raises:
        TopologyError: the annotation does not exist.
    """
    _known(topology, [annotation.id])
    return _with(topology, [annotation if each.id == annotation.id else each for each in topology.annotations])


def change(topology: Topology, ids: Iterable[str], **fields: object) -> Topology:
    """Give annotations other values of some fields: `text`, `fill`, `line`, `x`, `y`, `width`, `height`.

    Raises:
        TopologyError: the annotation does not exist, or a value is not what it should be.
    """
    chosen = _known(topology, ids)
    return _with(
        topology,
        [_made(each.model_dump() | fields) if each.id in chosen else each for each in topology.annotations],
    )


def shift_annotations(topology: Topology, ids: Iterable[str], dx: float, dy: float) -> Topology:
    """Move annotations by so many pixels.

    Raises:
        TopologyError: the annotation does not exist, or it would leave the plane of finite numbers.
    """
    chosen = _known(topology, ids)
    return _with(
        topology,
        [
            _made(each.model_dump() | {"x": each.x + dx, "y": each.y + dy}) if each.id in chosen else each
            for each in topology.annotations
        ],
    )


def delete_annotations(topology: Topology, ids: Iterable[str]) -> Topology:
    """Take annotations away.

    Raises:
        TopologyError: the annotation does not exist.
    """
    chosen = _known(topology, ids)
    return _with(topology, [each for each in topology.annotations if each.id not in chosen])


def restack(topology: Topology, ids: Iterable[str], where: Literal["front", "back"]) -> Topology:
    """Bring annotations before all others, or behind them; among themselves they keep their order.

    Raises:
        TopologyError: the annotation does not exist.
    """
    chosen = _known(topology, ids)
    return _with(topology, sorted(topology.annotations, key=lambda each: (each.id in chosen) is (where == "front")))


def color_nodes(topology: Topology, names: Iterable[str], colour: str) -> Topology:
    """Give nodes a colour; the empty one is that of their kind.

    Raises:
        TopologyError: there is no such node or no such colour.
    """
    chosen = set(known_names(topology, names))
    try:
        nodes = [
            type(node).model_validate(node.model_dump() | {"colour": colour}) if node.name in chosen else node
            for node in topology.nodes
        ]
    except ValidationError:
        raise TopologyError(f"{colour!r} is not a color", field="colour", right="such as #3366cc") from None
    return topology.model_copy(update={"nodes": tuple(nodes)})


def _with(topology: Topology, annotations: Iterable[Annotation]) -> Topology:
    return topology.model_copy(update={"annotations": tuple(annotations)})


def _known(topology: Topology, ids: Iterable[str]) -> set[str]:
    chosen = set(ids)
    for name in sorted(chosen - {each.id for each in topology.annotations}):
        raise TopologyError("the annotation does not exist", node=name)
    return chosen


def _made(fields: dict[str, object]) -> Annotation:
    try:
        return Annotation.model_validate(fields)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        field = str(first["loc"][0]) if first["loc"] else ""
        raise TopologyError(f"{fields.get(field)!r}: {first['msg']}", node=str(fields["id"]), field=field) from None
