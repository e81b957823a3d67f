"""What is to be seen: a topology as sprites, each a small value that says all that its drawing depends on.

Two scenes are compared sprite by sprite; what is equal need not be drawn again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from frrlib.model.links import Link
from frrlib.model.nodes import Node, Router, Switch
from frrlib.model.topology import Topology
from miniedit_frr.canvas.geometry import NODE_HALF, Box, Point, arc, distance, lanes
from miniedit_frr.canvas.labels import NAMES_ONLY, Labels, LinkTexts, link_texts, node_text
from miniedit_frr.canvas.shapes import box_of, holds


class Key(NamedTuple):
    """What a sprite stands for.

    Attributes:
        kind: "node", "link", "annotation", or "control" for the line between a switch and its controller, which is no
            link.
        name: name of the node, id of the link or annotation, or name of the switch.
        other: name of the controller; a number for a second node or annotation of the same name; else empty.
    """

    kind: str
    name: str
    other: str = ""


@dataclass(frozen=True)
class NodeSprite:
    """A node: its icon, its place, the text below it, and the colour of its icon; empty for that of its kind."""

    key: Key
    icon: str
    at: Point
    text: str
    colour: str = ""


@dataclass(frozen=True)
class LinkSprite:
    """A line: the nodes that it joins, how far it bows out, its style ("plain", "shaped", "down", "control")."""

    key: Key
    a: str
    b: str
    bow: float
    style: str
    texts: LinkTexts


@dataclass(frozen=True)
class ShapeSprite:
    """A note or a shape: its kind, its place, its text, and the colours of its ground and outline."""

    key: Key
    kind: str
    box: Box
    text: str
    fill: str
    line: str


@dataclass(frozen=True)
class Scene:
    """All sprites, in the order in which they are drawn.

    Attributes:
        nodes, lines, shapes: by key; shapes are behind lines, and lines behind nodes.
        places: position of each node by its name.
    """

    nodes: Mapping[Key, NodeSprite] = field(default_factory=dict)
    lines: Mapping[Key, LinkSprite] = field(default_factory=dict)
    places: Mapping[str, Point] = field(default_factory=dict)
    shapes: Mapping[Key, ShapeSprite] = field(default_factory=dict)

    def __contains__(self, key: object) -> bool:
        return key in self.nodes or key in self.lines or key in self.shapes

    def path(self, line: LinkSprite, places: Mapping[str, Point] | None = None) -> tuple[Point, ...]:
        """The way of a line, with the nodes where they are or at other `places`."""
        found = places or {}
        a = found.get(line.a) or self.places[line.a]
        b = found.get(line.b) or self.places[line.b]
        return arc(a, b, line.bow)

    def node_at(self, point: Point) -> Key | None:
        """The uppermost node under a point."""
        for sprite in reversed(self.nodes.values()):  # type: ignore[call-overload]
            if abs(sprite.at[0] - point[0]) <= NODE_HALF and abs(sprite.at[1] - point[1]) <= NODE_HALF:
                return sprite.key
        return None

    def line_at(self, point: Point, tolerance: float) -> Key | None:
        """The line nearest to a point, no farther than `tolerance`."""
        hits = ((distance(point, self.path(line)), line.key) for line in self.lines.values())
        near, key = min(hits, default=(tolerance + 1, None))
        return key if near <= tolerance else None

    def shape_at(self, point: Point, tolerance: float) -> Key | None:
        """The uppermost note or shape under a point; one without a ground is there only where its outline is."""
        for sprite in reversed(self.shapes.values()):  # type: ignore[call-overload]
            if holds(sprite.kind, sprite.box, bool(sprite.fill) or sprite.kind == "note", point, tolerance):
                return sprite.key
        return None

    def at(self, point: Point, tolerance: float) -> Key | None:
        """What is under a point: a node before a line, and a line before a shape."""
        return self.node_at(point) or self.line_at(point, tolerance) or self.shape_at(point, tolerance)

    def within(self, box: Box) -> frozenset[Key]:
        """The nodes whose centre is in a rectangle, the lines between two of them, and the shapes wholly in it."""
        nodes = {key for key, sprite in self.nodes.items() if box.holds(sprite.at)}
        names = {key.name for key in nodes}
        lines = {key for key, line in self.lines.items() if line.a in names and line.b in names}
        corners = {key: sprite.box for key, sprite in self.shapes.items()}
        shapes = {
            key for key, each in corners.items()
            if box.holds((each.left, each.top)) and box.holds((each.right, each.bottom))
        }  # fmt: skip
        return frozenset(nodes | lines | shapes)

    def bounds(self) -> Box | None:
        """The rectangle around everything, with its texts; None where there is nothing."""
        boxes = [box.grown(2.2 * NODE_HALF)] if (box := Box.around(self.places.values())) else []
        boxes += [sprite.box.grown(NODE_HALF / 2) for sprite in self.shapes.values()]
        return Box.around((x, y) for each in boxes for x, y in ((each.left, each.top), (each.right, each.bottom)))

    def key_of(self, name: str) -> Key | None:
        """The sprite that a problem's `node` speaks of: a node of that name, or a link of that id."""
        for key in (Key("node", name), Key("link", name)):
            if key in self.nodes or key in self.lines:
                return key
        return None

    def keys(self) -> frozenset[Key]:
        """Every sprite's key."""
        return frozenset(self.nodes) | frozenset(self.lines) | frozenset(self.shapes)


def icon_of(node: Node) -> str:
    """The name of a node's icon; a router without FRR has one of its own."""
    return "legacy-router" if isinstance(node, Router) and not node.runs_frr else node.kind


def scene_of(topology: Topology, labels: Labels = NAMES_ONLY, addressed: Topology | None = None) -> Scene:
    """What a topology looks like.

    Args:
        topology: what to show.
        labels: which texts.
        addressed: the same with automatic names and addresses, as far as they are known.
    """
    nodes: dict[Key, NodeSprite] = {}
    places: dict[str, Point] = {}
    for node in topology.nodes:
        key = Key("node", node.name)
        if key in nodes:
            key = Key("node", node.name, str(len(nodes)))
        nodes[key] = NodeSprite(key, icon_of(node), (node.x, node.y), node_text(node, labels), node.colour)
        places.setdefault(node.name, (node.x, node.y))
    filled = {link.id: link for link in addressed.links} if addressed else {}
    return Scene(nodes, dict(_lines(topology, labels, filled, places)), places, dict(_shapes(topology)))


def _shapes(topology: Topology) -> Iterable[tuple[Key, ShapeSprite]]:
    seen: set[Key] = set()
    for index, each in enumerate(topology.annotations):
        key = Key("annotation", each.id)
        if key in seen:
            key = Key("annotation", each.id, str(index))
        seen.add(key)
        yield key, ShapeSprite(key, each.kind, box_of(each), each.text, each.fill, each.line)


def _lines(
    topology: Topology, labels: Labels, filled: Mapping[str, Link], places: Mapping[str, Point]
) -> Iterable[tuple[Key, LinkSprite]]:
    pairs: dict[tuple[str, ...], list[Link]] = defaultdict(list)
    for link in topology.links:
        if link.a.node in places and link.b.node in places:
            pairs[tuple(sorted((link.a.node, link.b.node)))].append(link)
    bows = {}
    for (first, _), links in pairs.items():
        for link, bow in zip(links, lanes(len(links)), strict=True):
            # Left and right are as seen from the same end for all links of a pair.
            bows[id(link)] = bow if link.a.node == first else -bow
    for link in topology.links:
        if id(link) in bows:
            style = "down" if not link.up else "shaped" if link.is_shaped else "plain"
            texts = link_texts(link, filled.get(link.id, link), labels)
            key = Key("link", link.id)
            yield key, LinkSprite(key, link.a.node, link.b.node, bows[id(link)], style, texts)
    for node in topology.nodes:
        if isinstance(node, Switch):
            for name in node.controllers:
                if name in places:
                    key = Key("control", node.name, name)
                    yield key, LinkSprite(key, node.name, name, 0.0, "control", LinkTexts())
