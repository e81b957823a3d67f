"""The drawing of a run's topology as SVG, and the places on it that the replay changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from frrlib.model.topology import Topology
from frrlib.picture import icons
from frrlib.picture.geometry import NODE_HALF, Box, Point, beside, length, part
from frrlib.picture.labels import Labels
from frrlib.picture.name_positions import name_box, name_place, rough_size
from frrlib.picture.scene import Key, LinkSprite, NodeSprite, Scene, ShapeSprite, scene_of
from frrlib.picture.shapes import note_outline, text_place
from frrlib.picture.text_sizes import LINE_STEP, NAME_SIZE, wrapped
from frrlib.replay.colors import ColorClasses
from frrlib.replay.markup import Markup, joined, tag
from frrlib.replay.neighbors import Neighbor

_TEXTS = Labels(values=False, flows=False)
#: The distance of a neighbor's mark from the middle of its node, along the link.
_MARK_ALONG = NODE_HALF + 12.0
_MARGIN = 16.0
#: The least width and height of the drawing.
_LEAST = (480.0, 240.0)
#: The approximate width of a letter, in sizes.
_LETTER = 0.58
#: The part of a text above its base line, in sizes.
_ASCENT = 0.8


class Drawing:
    """The drawing of a topology.

    Attributes:
        svg: the drawing.
        links: the points of each link between its nodes, by its number in the topology; empty for a link that is not
            drawn.
    """

    def __init__(self, topology: Topology, colors: ColorClasses, description: str) -> None:
        self._scene, self._colors = scene_of(topology, _TEXTS), colors
        self._lines = {line.key: line for line in self._scene.lines.values()}
        self.links: list[tuple[Point, ...]] = [self._between_nodes(link.id) for link in topology.links]
        self.svg = self._svg(topology, description)

    def _between_nodes(self, link_id: str) -> tuple[Point, ...]:
        line = self._lines.get(Key("link", link_id))
        if line is None:
            return ()
        path = self._scene.path(line)
        size = length(path)
        return part(path, NODE_HALF, size - NODE_HALF) if size > 2.2 * NODE_HALF else path

    def mark_place(self, neighbor: Neighbor) -> Point | None:
        """The place of a neighbor's mark: at the router's end of the link. None if the link is not known."""
        if neighbor.towards is None or not self.links[neighbor.towards.link]:
            return None
        path = self.links[neighbor.towards.link]
        ordered = path if neighbor.towards.is_forward else path[::-1]
        return beside(ordered, min(_MARK_ALONG - NODE_HALF, length(ordered) / 3), 0)[0]

    def _svg(self, topology: Topology, description: str) -> Markup:
        box = _bounds(self._scene)
        numbers = {Key("link", link.id): number for number, link in enumerate(topology.links)}
        used = dict.fromkeys(node.icon for node in self._scene.nodes.values())
        return tag(
            "svg",
            tag("title", "Drawing of the network", id="drawing-title"),
            tag("desc", description, id="drawing-description"),
            tag("defs", *(_symbol(name) for name in used)),
            tag("g", *(self._shape(shape) for shape in self._scene.shapes.values())),
            tag("g", *(self._line(line, numbers.get(key)) for key, line in self._scene.lines.items())),
            tag("g", id="loads"),
            tag("g", id="paths"),
            tag("g", id="load-texts"),
            tag("g", id="neighbor-marks"),
            tag("g", *(self._node(node) for node in self._scene.nodes.values())),
            tag("g", id="fault-marks"),
            id="drawing",
            viewBox=f"{box.left:.0f} {box.top:.0f} {box.right - box.left:.0f} {box.bottom - box.top:.0f}",
            role="img",
            aria_labelledby="drawing-title drawing-description",
        )

    def _line(self, line: LinkSprite, number: int | None) -> Markup:
        link = None if number is None else str(number)
        return tag("path", d=path_data(self._scene.path(line)), class_=f"link link-{line.style}", data_link=link)

    def _node(self, node: NodeSprite) -> Markup:
        (x, y), half = node.at, NODE_HALF
        color = self._colors.of_icon(node.colour)
        symbol = tag(
            "use", href=f"#icon-{node.icon}", x=x - half, y=y - half, width=2 * half, height=2 * half,
            class_=f"icon {color}" if color else f"icon icon-{node.icon}",
        )  # fmt: skip
        at, anchor = name_place(node.at, node.side)
        return tag("g", symbol, _text(node.text, at, anchor, "name"), data_node=node.key.name)

    def _shape(self, shape: ShapeSprite) -> Markup:
        box = shape.box
        fill, line = self._colors.of_ground(shape.fill), self._colors.of_icon(shape.line)
        size = {"x": box.left, "y": box.top, "width": box.right - box.left, "height": box.bottom - box.top}
        if shape.kind == "note":
            outline, flap = note_outline(box)
            parts = [*_filled("polygon", fill, line, points=_points(outline)),
                     tag("polygon", points=_points(flap), class_="flap")]  # fmt: skip
        elif shape.kind == "ellipse":
            (x, y), rx, ry = box.center, (box.right - box.left) / 2, (box.bottom - box.top) / 2
            parts = [*_filled("ellipse", fill, line, cx=x, cy=y, rx=rx, ry=ry)]
        else:
            parts = [*_filled("rect", fill, line, **size)]
        place = text_place(shape.kind, box)
        words = wrapped(shape.text, place.width, NAME_SIZE, lambda text, units: len(text) * units * _LETTER)
        return tag("g", *parts, _text(words, place.at, place.anchor, "remark"))


def _filled(name: str, fill: str, line: str, **attributes: str | float | None) -> Iterable[Markup]:
    """A shape, as one element for its fill and one for its outline."""
    if fill:
        yield tag(name, class_=f"shape-fill {fill}", **attributes)
    if line or not fill:
        yield tag(name, class_=f"shape-line {line}".rstrip(), **attributes)


def path_data(path: Sequence[Point]) -> str:
    """A path of straight pieces, as the attribute `d` of SVG."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in path)


def packed_places(drawing: Drawing, topology: Topology, neighbors: Sequence[Neighbor]) -> dict[str, Any]:
    """The places of the drawing in the page: links with their points, and the marks of neighbors."""
    marks: dict[Point, list[int]] = {}
    for number, neighbor in enumerate(neighbors):
        if (at := drawing.mark_place(neighbor)) is not None:
            marks.setdefault(at, []).append(number)
    return {
        "links": [
            {"id": link.id, "a": link.a.node, "b": link.b.node,
             "points": [[round(x, 1), round(y, 1)] for x, y in drawing.links[number]]}
            for number, link in enumerate(topology.links)
        ],
        "marks": [{"at": [round(x, 1), round(y, 1)], "neighbors": numbers} for (x, y), numbers in marks.items()],
        "nodes": {node.name: [round(node.x, 1), round(node.y, 1)] for node in topology.nodes},
    }  # fmt: skip


def _symbol(name: str) -> Markup:
    half = icons.HALF
    return tag(
        "symbol",
        *(_stroke(stroke) for stroke in icons.strokes(name)),
        id=f"icon-{name}",
        viewBox=f"{-half:g} {-half:g} {2 * half:g} {2 * half:g}",
    )


def _stroke(stroke: icons.Stroke) -> Markup:
    at, paint = stroke.at, stroke.colour
    points = [*zip(at[::2], at[1::2], strict=False)]
    if stroke.kind == "line":
        return tag("path", d=path_data(points), class_=f"{paint}-line", stroke_width=stroke.width)
    if stroke.kind == "area":
        return tag("polygon", points=_points(points), class_=paint)
    left, top, right, bottom = at[:4]
    if stroke.kind == "box":
        return tag("rect", x=left, y=top, width=right - left, height=bottom - top, rx=at[4], class_=paint)
    grown = stroke.width / 2
    return tag(
        "ellipse", cx=(left + right) / 2, cy=(top + bottom) / 2, rx=(right - left) / 2 - grown,
        ry=(bottom - top) / 2 - grown, class_=f"{paint}-line" if stroke.width else paint,
        stroke_width=stroke.width or None,
    )  # fmt: skip


def _text(text: str, at: Point, anchor: str, kind: str) -> Markup:
    """A text of one or more lines at a point with a Tk anchor."""
    if not text:
        return Markup()
    lines = text.split("\n")
    height = len(lines) * NAME_SIZE * LINE_STEP
    top = at[1] if "n" in anchor else at[1] - height if "s" in anchor else at[1] - height / 2
    align = {"w": "start", "e": "end"}.get(anchor[-1:] if anchor != "center" else "", "middle")
    spans = (tag("tspan", line, x=at[0], dy=f"{LINE_STEP}em" if number else None) for number, line in enumerate(lines))
    return tag("text", *spans, class_=kind, text_anchor=align, y=top + _ASCENT * NAME_SIZE * LINE_STEP)


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _bounds(scene: Scene) -> Box:
    """The rectangle around everything, and not smaller than a few nodes, which would fill the page."""
    boxes = [shape.box for shape in scene.shapes.values()]
    for node in scene.nodes.values():
        boxes += [Box(*node.at, *node.at).grown(NODE_HALF), name_box(node.at, node.side, *rough_size(node.text or " "))]
    boxes += [box for line in scene.lines.values() if (box := Box.around(scene.path(line))) is not None]
    corners = [at for box in boxes for at in ((box.left, box.top), (box.right, box.bottom))]
    box = (Box.around(corners) or Box(0, 0, 0, 0)).grown(_MARGIN)
    across = max(0.0, _LEAST[0] - (box.right - box.left)) / 2
    down = max(0.0, _LEAST[1] - (box.bottom - box.top)) / 2
    return Box(box.left - across, box.top - down, box.right + across, box.bottom + down)


def without_drawing() -> Markup:
    """The words that replace the drawing of a topology that cannot be read."""
    return joined(tag("p", "The topology of this run cannot be read, so that it has no drawing.", class_="faint"))
