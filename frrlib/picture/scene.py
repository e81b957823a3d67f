"""The visible content of a topology as sprites: small values with everything that is needed to draw them.

Two scenes are compared sprite by sprite; equal sprites need not be drawn again.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple, cast

from frrlib.addressing.speedup import with_speedups
from frrlib.model.flow_words import flow_label
from frrlib.model.links import Link
from frrlib.model.nodes import Node, Router, Switch
from frrlib.model.problem import About
from frrlib.model.topology import Topology
from frrlib.picture.flows import bows_of, colors_of, controls_of
from frrlib.picture.geometry import NODE_HALF, Box, Point, arc, beside, distance, lanes, length, part
from frrlib.picture.labels import NAMES_ONLY, Labels, LinkTexts, common_routing, link_texts, node_text
from frrlib.picture.name_positions import MOST_LINES, NAME_GAP, NodeLabel, name_box, rough_size, sides
from frrlib.picture.shapes import box_of, is_on_shape
from frrlib.picture.text_sizes import LINE_STEP, NAME_SIZE

#: The distances of an arrow's start and end from the middle of its nodes.
_LEAVES, _ARRIVES = NODE_HALF, NODE_HALF + 4
#: The number of straight pieces of an arrow, which is longer than most links.
_PIECES = 32
#: Things that are not farther away along a direction are at the same place.
_SAME_PLACE = 1.0
#: The maximum size of the cache, as a multiple of the number of nodes.
_GENERATIONS = 4


class Key(NamedTuple):
    """The identity of a sprite.

    Attributes:
        kind: "node", "link", "flow", "annotation", or "control" for the line between a switch and its controller,
            which is not a link.
        name: name of the node, id of the link, flow or annotation, or name of the switch.
        qualifier: name of the controller; a number for a second node or annotation of the same name; else empty.
    """

    kind: str
    name: str
    qualifier: str = ""


@dataclass(frozen=True)
class NodeSprite:
    """A node: its icon, its position, its text, the color of its icon (empty for that of its kind), and the side of the
    text (`name_positions.SIDES`).
    """

    key: Key
    icon: str
    at: Point
    text: str
    colour: str = ""
    side: str = "below"


@dataclass(frozen=True)
class LinkSprite:
    """A line: its two nodes, its bow, its style ("plain", "shaped", "down", "control"), and its texts."""

    key: Key
    a: str
    b: str
    bow: float
    style: str
    texts: LinkTexts


@dataclass(frozen=True)
class FlowSprite:
    """An arrow from node `a` to node `b`: its bow to the left, its color as "#rrggbb", its style ("plain", or "probe"
    for a flow with little traffic), and its text.
    """

    key: Key
    a: str
    b: str
    bow: float
    colour: str
    style: str
    text: str


@dataclass(frozen=True)
class ShapeSprite:
    """A note or a shape: its kind, its rectangle, its text, and its fill and outline colors."""

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
        nodes, lines, flows, shapes: by key. Shapes are behind lines, lines behind flows, and flows behind nodes.
        places: position of each node by its name.
    """

    nodes: Mapping[Key, NodeSprite] = field(default_factory=dict)
    lines: Mapping[Key, LinkSprite] = field(default_factory=dict)
    places: Mapping[str, Point] = field(default_factory=dict)
    shapes: Mapping[Key, ShapeSprite] = field(default_factory=dict)
    flows: Mapping[Key, FlowSprite] = field(default_factory=dict)

    def __contains__(self, key: object) -> bool:
        return key in self.nodes or key in self.lines or key in self.flows or key in self.shapes

    @property
    def connections(self) -> Iterator[LinkSprite | FlowSprite]:
        """All connections of nodes: lines, then flows."""
        return chain(self.lines.values(), self.flows.values())

    def connection(self, key: Key) -> LinkSprite | FlowSprite | None:
        """The line or flow with a key; None for any other key."""
        return self.lines.get(key) or self.flows.get(key)

    def path(self, line: LinkSprite | FlowSprite, places: Mapping[str, Point] | None = None) -> tuple[Point, ...]:
        """The path of a line or a flow. An arrow begins and ends beside its nodes.

        Args:
            places: positions of moved nodes; all others have their position in the scene.
        """
        moved = places or {}
        a = moved.get(line.a) or self.places[line.a]
        b = moved.get(line.b) or self.places[line.b]
        if isinstance(line, LinkSprite):
            return arc(a, b, line.bow)
        path = arc(a, b, line.bow, _PIECES)
        path_length = length(path)
        # An arrow between overlapping nodes stays visible.
        return (
            part(path, min(_LEAVES, path_length * 0.2), max(path_length - _ARRIVES, path_length * 0.8))
            if path_length
            else path
        )

    def node_at(self, point: Point) -> Key | None:
        """The uppermost node under a point."""
        for sprite in reversed(self.nodes.values()):  # type: ignore[call-overload]
            if abs(sprite.at[0] - point[0]) <= NODE_HALF and abs(sprite.at[1] - point[1]) <= NODE_HALF:
                return cast("Key", sprite.key)
        return None

    def line_at(self, point: Point, tolerance: float) -> Key | None:
        """The line or flow nearest to a point, within `tolerance`."""
        hits = ((distance(point, self.path(line)), line.key) for line in self.connections)
        near, key = min(hits, default=(tolerance + 1, None))
        return key if near <= tolerance else None

    def shape_at(self, point: Point, tolerance: float) -> Key | None:
        """The uppermost note or shape under a point; a shape without a fill is hit only at its outline."""
        for sprite in reversed(self.shapes.values()):  # type: ignore[call-overload]
            if is_on_shape(sprite.kind, sprite.box, bool(sprite.fill) or sprite.kind == "note", point, tolerance):
                return cast("Key", sprite.key)
        return None

    def at(self, point: Point, tolerance: float) -> Key | None:
        """The sprite under a point: a node before a line, and a line before a shape."""
        return self.node_at(point) or self.line_at(point, tolerance) or self.shape_at(point, tolerance)

    def within(self, box: Box) -> frozenset[Key]:
        """The nodes with their center in a rectangle, the lines and flows between two of them, and the shapes that it
        contains."""
        nodes = {key for key, sprite in self.nodes.items() if box.contains(sprite.at)}
        names = {key.name for key in nodes}
        lines = {line.key for line in self.connections if line.a in names and line.b in names}
        corners = {key: sprite.box for key, sprite in self.shapes.items()}
        shapes = {
            key for key, rect in corners.items()
            if box.contains((rect.left, rect.top)) and box.contains((rect.right, rect.bottom))
        }  # fmt: skip
        return frozenset(nodes | lines | shapes)

    def bounds(self) -> Box | None:
        """The rectangle around everything including texts; None for an empty scene."""
        boxes = [box.grown(2.2 * NODE_HALF)] if (box := Box.around(self.places.values())) else []
        boxes += [sprite.box.grown(NODE_HALF / 2) for sprite in self.shapes.values()]
        boxes += [box.grown(NODE_HALF) for flow in self.flows.values() if (box := Box.around(self.path(flow)))]
        return Box.around(
            (x, y)
            for box_of_part in boxes
            for x, y in ((box_of_part.left, box_of_part.top), (box_of_part.right, box_of_part.bottom))
        )

    def center(self, key: Key) -> Point:
        """The center of a node or a shape, or the middle of a line or a flow.

        Raises:
            KeyError: the scene does not have it.
        """
        if key in self.nodes:
            return self.nodes[key].at
        if (line := self.connection(key)) is not None:
            path = self.path(line)
            return beside(path, length(path) / 2, 0)[0]
        return self.shapes[key].box.center

    def nearest(self, at: Point, towards: Point) -> Key | None:
        """The nearest sprite from a point in a direction; None if nothing is there.

        Args:
            towards: the direction, (1, 0) for the right or (0, -1) for upwards. A distance across it counts twice.
        """
        (dx, dy), costs = towards, list[tuple[float, str, Key]]()
        for key in self._keys:
            x, y = self.center(key)
            along, across = (x - at[0]) * dx + (y - at[1]) * dy, abs((x - at[0]) * dy - (y - at[1]) * dx)
            if along > _SAME_PLACE:
                costs.append((along + 2 * across, str(key), key))
        return min(costs)[2] if costs else None

    def key_of(self, name: str, about: About = "") -> Key | None:
        """The sprite of a name: a node of that name, or a link or flow of that id.

        Args:
            about: whether a node, a link or a flow is meant; empty for the first of these that exists.
        """
        keys = Key("node", name), Key("link", name), Key("flow", name), Key("flow", name.rpartition(".")[0])
        return next((key for key in keys if about in ("", key.kind) and key in self), None)

    def keys(self) -> frozenset[Key]:
        """Every sprite's key."""
        return self._keys

    def known(self, keys: Iterable[Key]) -> frozenset[Key]:
        """The given keys that have a sprite."""
        return self._keys.intersection(keys)

    @cached_property
    def _keys(self) -> frozenset[Key]:
        return frozenset((*self.nodes, *self.lines, *self.flows, *self.shapes))


def icon_of(node: Node) -> str:
    """The name of a node's icon; a router without FRR has a separate one."""
    return "legacy-router" if isinstance(node, Router) and not node.runs_frr else node.kind


class SceneCache:
    """Parts of the previous scene for the next one. Values of the model never change, so equal values give equal
    sprites, and most edits change only few of them.

    The keys are identities. Each entry also has the object itself, so that its identity is not reused.

    Attributes:
        labels: the visible texts of the scene.
        common: the routing that all routers share, which is not shown.
        nodes, looks: the sprite of each node, and the style and the texts of each link. Nodes are kept for some edits,
            because undo brings the same values back.
        aside: nodes with their names elsewhere than below, by node sprite and side.
        values, ends, lines: the links from which lines were made, the places and controllers, and the lines.
    """

    def __init__(self, labels: Labels = NAMES_ONLY) -> None:
        self.labels = labels
        self.common: frozenset[str] = frozenset()
        self.nodes: dict[int, tuple[Node, NodeSprite]] = {}
        self.aside: dict[tuple[int, str], tuple[NodeSprite, NodeSprite]] = {}
        self.looks: dict[int, tuple[Link, Link, str, LinkTexts]] = {}
        self.values: tuple[object, object] = (None, None)
        self.ends: tuple[object, ...] = ()
        self.lines: Mapping[Key, LinkSprite] = {}


def scene_of(
    topology: Topology, labels: Labels = NAMES_ONLY, addressed: Topology | None = None, cache: SceneCache | None = None
) -> Scene:
    """The scene of a topology.

    Args:
        topology: the topology to show.
        labels: the visible texts, and whether flows are visible.
        addressed: the topology with automatic names and addresses, as far as they are known.
        cache: the parts of the scene before, so that this one and the next are made sooner.
    """
    if cache is None:
        cache = SceneCache(labels)
    elif cache.labels != labels:
        cache.__init__(labels)  # type: ignore[misc]
    topology = with_speedups(topology)  # the scene shows the rates after the speedup
    nodes: dict[Key, NodeSprite] = {}
    places: dict[str, Point] = {}
    for sprite in _node_sprites(topology, labels, cache):
        # A second node of the same name is drawn, too.
        unique_sprite = (
            replace(sprite, key=Key("node", sprite.key.name, str(len(nodes)))) if sprite.key in nodes else sprite
        )
        nodes[unique_sprite.key] = unique_sprite
        places.setdefault(sprite.key.name, sprite.at)
    lines = _all_lines(topology, labels, addressed, places, cache)
    nodes |= _nodes_with_moved_names(nodes, lines.values(), places, cache)
    flows = dict(_flows(topology, addressed, nodes.values(), places)) if labels.flows else {}
    return Scene(nodes, lines, places, dict(_shapes(topology)), flows)


def _node_sprites(topology: Topology, labels: Labels, cache: SceneCache) -> Iterable[NodeSprite]:
    common = common_routing(topology.nodes) if labels.areas else frozenset()
    if cache.common != common:
        cache.common, cache.nodes = common, {}
    cached = cache.nodes
    if len(cached) > _GENERATIONS * len(topology.nodes):
        cache.nodes = cached = {id(node): cached[id(node)] for node in topology.nodes if id(node) in cached}
    for node in topology.nodes:
        entry = cached.get(id(node))
        if entry is None:
            at = (node.x, node.y)
            text = node_text(node, labels, common)
            sprite = NodeSprite(Key("node", node.name), icon_of(node), at, text, node.colour)
            entry = cached[id(node)] = node, sprite
        yield entry[1]


def _nodes_with_moved_names(
    nodes: Mapping[Key, NodeSprite], lines: Collection[LinkSprite], places: Mapping[str, Point], cache: SceneCache
) -> dict[Key, NodeSprite]:
    """The nodes with their names elsewhere than below, because a link leaves there or another node is there."""
    if len(lines) > MOST_LINES:
        return {}
    numbers = {key.name: number for number, key in enumerate(nodes) if not key.qualifier}
    leaving: dict[int, list[Point]] = defaultdict(list)
    for line in lines:
        (x0, y0), (x1, y1) = places[line.a], places[line.b]
        # A link to its own node leaves above it.
        direction = (x1 - x0, y1 - y0) if line.a != line.b else (0.0, -1.0)
        leaving[numbers[line.a]].append(direction)
        leaving[numbers[line.b]].append((-direction[0], -direction[1]) if line.a != line.b else direction)
    sprites = [*nodes.values()]
    name_sides = sides([NodeLabel(node.at, node.text) for node in sprites], leaving)
    if len(cache.aside) > _GENERATIONS * len(nodes):
        cache.aside = {}
    aside = cache.aside
    for sprite, side in ((sprites[number], side) for number, side in name_sides.items()):
        if (id(sprite), side) not in aside:
            aside[id(sprite), side] = sprite, replace(sprite, side=side)
    return {sprites[number].key: aside[id(sprites[number]), side][1] for number, side in name_sides.items()}


def _flows(
    topology: Topology, addressed: Topology | None, nodes: Iterable[NodeSprite], places: Mapping[str, Point]
) -> Iterable[tuple[Key, FlowSprite]]:
    if not topology.flows:
        return
    controls = controls_of(topology, addressed)
    colors = colors_of(topology, controls)
    flows = {flow.id: flow for flow in topology.flows if flow.source in places and flow.destination in places}
    obstacles = [box for node in nodes for box in _approximate_boxes(node)]
    bows = bows_of([(flow.source, flow.destination) for flow in flows.values()], places, obstacles)
    for flow, bow in zip(flows.values(), bows, strict=True):
        key, style = Key("flow", flow.id), "probe" if flow.kind in ("ping", "one-way-delay") else "plain"
        text = flow_label(flow, controls[flow.id])
        yield key, FlowSprite(key, flow.source, flow.destination, bow, colors[flow.id], style, text)


def _approximate_boxes(node: NodeSprite) -> Iterator[Box]:
    """The approximate rectangles of a node's icon and its text."""
    x, y = node.at
    yield Box(x, y, x, y).grown(NODE_HALF)
    if node.text:
        # A short name counts as wide as its icon: a line through its middle hides it as well.
        width, height = rough_size(node.text)
        box = name_box(node.at, node.side, max(width, 2 * NODE_HALF), height)
        yield Box(box.left, box.top - NAME_GAP, box.right, box.bottom + NAME_SIZE * LINE_STEP / 2 - NAME_GAP)


def _shapes(topology: Topology) -> Iterable[tuple[Key, ShapeSprite]]:
    keys: set[Key] = set()
    for index, annotation in enumerate(topology.annotations):
        key = Key("annotation", annotation.id)
        if key in keys:
            key = Key("annotation", annotation.id, str(index))
        keys.add(key)
        yield (
            key,
            ShapeSprite(key, annotation.kind, box_of(annotation), annotation.text, annotation.fill, annotation.line),
        )


def _all_lines(
    topology: Topology, labels: Labels, addressed: Topology | None, places: Mapping[str, Point], cache: SceneCache
) -> Mapping[Key, LinkSprite]:
    """The lines of links and those to controllers; the mapping of the cache if nothing has changed."""
    filled = addressed.links if addressed and (labels.interfaces or labels.addresses) else ()
    controls = dict(_controls(topology, places))
    values, ends = (topology.links, filled), (controls, places.keys())
    is_same = all(map(operator.is_, values, cache.values)) and ends == cache.ends
    if not is_same:
        named = {link.id: link for link in filled}
        cache.lines = {**dict(_lines(topology, labels, named, places, cache)), **controls}
        cache.values, cache.ends = values, ends
    return cache.lines


def _controls(topology: Topology, places: Mapping[str, Point]) -> Iterable[tuple[Key, LinkSprite]]:
    for node in topology.nodes:
        if isinstance(node, Switch):
            for name in node.controllers:
                if name in places:
                    key = Key("control", node.name, name)
                    yield key, LinkSprite(key, node.name, name, 0.0, "control", LinkTexts())


def _lines(
    topology: Topology, labels: Labels, filled: Mapping[str, Link], places: Mapping[str, Point], cache: SceneCache
) -> Iterable[tuple[Key, LinkSprite]]:
    bows = _bows(topology, places)
    previous, cache.looks = cache.looks, {}
    for link in topology.links:
        if id(link) not in bows:
            continue
        full, entry = filled.get(link.id, link), previous.get(id(link))
        if entry is None or entry[1] is not full:
            style = "down" if not link.up else "shaped" if link.is_shaped else "plain"
            entry = link, full, style, link_texts(link, full, labels)
        cache.looks[id(link)] = entry
        key = Key("link", link.id)
        yield key, LinkSprite(key, link.a.node, link.b.node, bows[id(link)], *entry[2:])


def _bows(topology: Topology, places: Mapping[str, Point]) -> Mapping[int, float]:
    """The bows of the links between nodes of the scene, by the identity of the link."""
    pairs: dict[tuple[str, ...], list[Link]] = defaultdict(list)
    for link in topology.links:
        if link.a.node in places and link.b.node in places:
            pairs[tuple(sorted((link.a.node, link.b.node)))].append(link)
    bows = {}
    for (first, _), links in pairs.items():
        for link, bow in zip(links, lanes(len(links)), strict=True):
            # Left and right are relative to the same end for all links of a pair.
            bows[id(link)] = bow if link.a.node == first else -bow
    return bows
