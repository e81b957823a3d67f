"""The visible content of a topology as sprites, small values that hold all that their drawing depends on.

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
from frrlib.model.topology import Topology
from frrlib.picture.flows import bows_of, colours_of, controls_of
from frrlib.picture.geometry import NODE_HALF, Box, Point, arc, distance, lanes, length, part
from frrlib.picture.labels import NAMES_ONLY, Labels, LinkTexts, common_routing, link_texts, node_text
from frrlib.picture.name_positions import MOST_LINES, NAME_GAP, NodeLabel, name_box, rough_size, sides
from frrlib.picture.shapes import box_of, holds
from frrlib.picture.text_sizes import LINE_STEP, NAME_SIZE

#: How far from the middle of its nodes an arrow begins and ends.
_LEAVES, _ARRIVES = NODE_HALF, NODE_HALF + 4
#: How many straight pieces an arrow has; it is longer than most links.
_PIECES = 32
#: The cache may know so many times as many nodes of earlier drawings as there are.
_GENERATIONS = 4


class Key(NamedTuple):
    """The thing that a sprite stands for.

    Attributes:
        kind: "node", "link", "flow", "annotation", or "control" for the line between a switch and its controller,
            which is no link.
        name: name of the node, id of the link, flow or annotation, or name of the switch.
        other: name of the controller; a number for a second node or annotation of the same name; else empty.
    """

    kind: str
    name: str
    other: str = ""


@dataclass(frozen=True)
class NodeSprite:
    """A node: its icon, its place, its text, the colour of its icon (empty for that of its kind), and on which side the
    text stands (`naming.SIDES`).
    """

    key: Key
    icon: str
    at: Point
    text: str
    colour: str = ""
    side: str = "below"


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
class FlowSprite:
    """An arrow from node `a` to node `b`: how far it bows out to its left, its colour as "#rrggbb", its style ("plain",
    or "probe" for a flow that carries next to nothing), and its text.
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
    """A note or a shape: its kind, its place, its text, and its fill and outline colours."""

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
        nodes, lines, flows, shapes: by key; shapes are behind lines, lines behind flows, and those behind nodes.
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
        """Everything that goes from node to node: lines, then flows."""
        return chain(self.lines.values(), self.flows.values())

    def connection(self, key: Key) -> LinkSprite | FlowSprite | None:
        """A line or a flow."""
        return self.lines.get(key) or self.flows.get(key)

    def path(self, line: LinkSprite | FlowSprite, places: Mapping[str, Point] | None = None) -> tuple[Point, ...]:
        """The path of a line or a flow, with the nodes where they are or at other `places`; an arrow begins and ends
        beside its nodes.
        """
        found = places or {}
        a = found.get(line.a) or self.places[line.a]
        b = found.get(line.b) or self.places[line.b]
        if isinstance(line, LinkSprite):
            return arc(a, b, line.bow)
        path = arc(a, b, line.bow, _PIECES)
        whole = length(path)
        # An arrow can still be seen between nodes on top of each other.
        return part(path, min(_LEAVES, whole * 0.2), max(whole - _ARRIVES, whole * 0.8)) if whole else path

    def node_at(self, point: Point) -> Key | None:
        """The uppermost node under a point."""
        for sprite in reversed(self.nodes.values()):  # type: ignore[call-overload]
            if abs(sprite.at[0] - point[0]) <= NODE_HALF and abs(sprite.at[1] - point[1]) <= NODE_HALF:
                return cast("Key", sprite.key)
        return None

    def line_at(self, point: Point, tolerance: float) -> Key | None:
        """The line or flow nearest to a point, no farther than `tolerance`."""
        hits = ((distance(point, self.path(line)), line.key) for line in self.connections)
        near, key = min(hits, default=(tolerance + 1, None))
        return key if near <= tolerance else None

    def shape_at(self, point: Point, tolerance: float) -> Key | None:
        """The uppermost note or shape under a point; one without a fill is hit only at its outline."""
        for sprite in reversed(self.shapes.values()):  # type: ignore[call-overload]
            if holds(sprite.kind, sprite.box, bool(sprite.fill) or sprite.kind == "note", point, tolerance):
                return cast("Key", sprite.key)
        return None

    def at(self, point: Point, tolerance: float) -> Key | None:
        """The thing under a point: a node before a line, and a line before a shape."""
        return self.node_at(point) or self.line_at(point, tolerance) or self.shape_at(point, tolerance)

    def within(self, box: Box) -> frozenset[Key]:
        """The nodes whose centre is in a rectangle, the lines and flows between two of them, and the shapes wholly in
        it."""
        nodes = {key for key, sprite in self.nodes.items() if box.holds(sprite.at)}
        names = {key.name for key in nodes}
        lines = {line.key for line in self.connections if line.a in names and line.b in names}
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
        boxes += [box.grown(NODE_HALF) for flow in self.flows.values() if (box := Box.around(self.path(flow)))]
        return Box.around((x, y) for each in boxes for x, y in ((each.left, each.top), (each.right, each.bottom)))

    def key_of(self, name: str) -> Key | None:
        """The sprite that a problem's `node` speaks of: a node of that name, or a link or flow of that id."""
        keys = Key("node", name), Key("link", name), Key("flow", name), Key("flow", name.rpartition(".")[0])
        return next((key for key in keys if key in self), None)

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
    """The name of a node's icon; a router without FRR has one of its own."""
    return "legacy-router" if isinstance(node, Router) and not node.runs_frr else node.kind


class SceneCache:
    """The parts of the last scene, to be used again. Values of the model never change, so the same values give the same
    sprites; and most edits leave nearly all of them as they are.

    Attributes:
        labels: which texts were shown.
        common: what all routers route with, which is not shown.
        nodes, looks: by the identity of a node or a link, which is there, too: its sprite, or its style and its texts.
            Nodes are kept for some edits, since undo brings the same values back.
        aside: nodes with their names elsewhere than below, by the identity of those that are there, too, and the side.
        values, ends, lines: what lines were made of, links and what they are between, and they.
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
        topology: what to show.
        labels: which texts, and whether flows.
        addressed: the same with automatic names and addresses, as far as they are known.
        cache: the parts of the scene before, so that this one and the next are made sooner.
    """
    if cache is None:
        cache = SceneCache(labels)
    elif cache.labels != labels:
        cache.__init__(labels)  # type: ignore[misc]
    topology = with_speedups(topology)  # sending happens at what is shown
    nodes: dict[Key, NodeSprite] = {}
    places: dict[str, Point] = {}
    for sprite in _node_sprites(topology, labels, cache):
        # A name that already existed is seen, too.
        shown = replace(sprite, key=Key("node", sprite.key.name, str(len(nodes)))) if sprite.key in nodes else sprite
        nodes[shown.key] = shown
        places.setdefault(sprite.key.name, sprite.at)
    lines = _all_lines(topology, labels, addressed, places, cache)
    nodes |= _aside(nodes, lines.values(), places, cache)
    flows = dict(_flows(topology, addressed, nodes.values(), places)) if labels.flows else {}
    return Scene(nodes, lines, places, dict(_shapes(topology)), flows)


def _node_sprites(topology: Topology, labels: Labels, kept: SceneCache) -> Iterable[NodeSprite]:
    common = common_routing(topology.nodes) if labels.areas else frozenset()
    if kept.common != common:
        kept.common, kept.nodes = common, {}
    known = kept.nodes
    if len(known) > _GENERATIONS * len(topology.nodes):
        kept.nodes = known = {id(node): known[id(node)] for node in topology.nodes if id(node) in known}
    for node in topology.nodes:
        found = known.get(id(node))
        if found is None:
            at = (node.x, node.y)
            text = node_text(node, labels, common)
            sprite = NodeSprite(Key("node", node.name), icon_of(node), at, text, node.colour)
            found = known[id(node)] = node, sprite
        yield found[1]


def _aside(
    nodes: Mapping[Key, NodeSprite], lines: Collection[LinkSprite], places: Mapping[str, Point], kept: SceneCache
) -> dict[Key, NodeSprite]:
    """The nodes whose names stand elsewhere than below, since a link leaves there."""
    if len(lines) > MOST_LINES:
        return {}
    numbers = {key.name: number for number, key in enumerate(nodes) if not key.other}
    leaving: dict[int, list[Point]] = defaultdict(list)
    for line in lines:
        (x0, y0), (x1, y1) = places[line.a], places[line.b]
        # A link to its own node leaves above it.
        way = (x1 - x0, y1 - y0) if line.a != line.b else (0.0, -1.0)
        leaving[numbers[line.a]].append(way)
        leaving[numbers[line.b]].append((-way[0], -way[1]) if line.a != line.b else way)
    sprites = [*nodes.values()]
    found = sides([NodeLabel(node.at, node.text) for node in sprites], leaving)
    if len(kept.aside) > _GENERATIONS * len(nodes):
        kept.aside = {}
    aside = kept.aside
    for sprite, side in ((sprites[number], side) for number, side in found.items()):
        if (id(sprite), side) not in aside:
            aside[id(sprite), side] = sprite, replace(sprite, side=side)
    return {sprites[number].key: aside[id(sprites[number]), side][1] for number, side in found.items()}


def _flows(
    topology: Topology, addressed: Topology | None, nodes: Iterable[NodeSprite], places: Mapping[str, Point]
) -> Iterable[tuple[Key, FlowSprite]]:
    if not topology.flows:
        return
    controls = controls_of(topology, addressed)
    colours = colours_of(topology, controls)
    drawn = {flow.id: flow for flow in topology.flows if flow.source in places and flow.destination in places}
    standing = [box for node in nodes for box in _standing(node)]
    bows = bows_of([(flow.source, flow.destination) for flow in drawn.values()], places, standing)
    for flow, bow in zip(drawn.values(), bows, strict=True):
        key, style = Key("flow", flow.id), "probe" if flow.kind in ("ping", "one-way-delay") else "plain"
        text = flow_label(flow, controls[flow.id])
        yield key, FlowSprite(key, flow.source, flow.destination, bow, colours[flow.id], style, text)


def _standing(node: NodeSprite) -> Iterator[Box]:
    """About where a node's icon and its text stand."""
    x, y = node.at
    yield Box(x, y, x, y).grown(NODE_HALF)
    if node.text:
        # A line through its middle hides a short name as easily as a long one.
        width, height = rough_size(node.text)
        box = name_box(node.at, node.side, max(width, 2 * NODE_HALF), height)
        yield Box(box.left, box.top - NAME_GAP, box.right, box.bottom + NAME_SIZE * LINE_STEP / 2 - NAME_GAP)


def _shapes(topology: Topology) -> Iterable[tuple[Key, ShapeSprite]]:
    seen: set[Key] = set()
    for index, each in enumerate(topology.annotations):
        key = Key("annotation", each.id)
        if key in seen:
            key = Key("annotation", each.id, str(index))
        seen.add(key)
        yield key, ShapeSprite(key, each.kind, box_of(each), each.text, each.fill, each.line)


def _all_lines(
    topology: Topology, labels: Labels, addressed: Topology | None, places: Mapping[str, Point], kept: SceneCache
) -> Mapping[Key, LinkSprite]:
    """The lines of links and those to controllers; if nothing about them is new, the same mapping as before."""
    filled = addressed.links if addressed and (labels.interfaces or labels.addresses) else ()
    controls = dict(_controls(topology, places))
    values, ends = (topology.links, filled), (controls, places.keys())
    is_same = all(map(operator.is_, values, kept.values)) and ends == kept.ends
    if not is_same:
        named = {link.id: link for link in filled}
        kept.lines = {**dict(_lines(topology, labels, named, places, kept)), **controls}
        kept.values, kept.ends = values, ends
    return kept.lines


def _controls(topology: Topology, places: Mapping[str, Point]) -> Iterable[tuple[Key, LinkSprite]]:
    for node in topology.nodes:
        if isinstance(node, Switch):
            for name in node.controllers:
                if name in places:
                    key = Key("control", node.name, name)
                    yield key, LinkSprite(key, node.name, name, 0.0, "control", LinkTexts())


def _lines(
    topology: Topology, labels: Labels, filled: Mapping[str, Link], places: Mapping[str, Point], kept: SceneCache
) -> Iterable[tuple[Key, LinkSprite]]:
    bows = _bows(topology, places)
    before, kept.looks = kept.looks, {}
    for link in topology.links:
        if id(link) not in bows:
            continue
        full, found = filled.get(link.id, link), before.get(id(link))
        if found is None or found[1] is not full:
            style = "down" if not link.up else "shaped" if link.is_shaped else "plain"
            found = link, full, style, link_texts(link, full, labels)
        kept.looks[id(link)] = found
        key = Key("link", link.id)
        yield key, LinkSprite(key, link.a.node, link.b.node, bows[id(link)], *found[2:])


def _bows(topology: Topology, places: Mapping[str, Point]) -> Mapping[int, float]:
    """How far the links between nodes that are there bow out, by their identity."""
    pairs: dict[tuple[str, ...], list[Link]] = defaultdict(list)
    for link in topology.links:
        if link.a.node in places and link.b.node in places:
            pairs[tuple(sorted((link.a.node, link.b.node)))].append(link)
    bows = {}
    for (first, _), links in pairs.items():
        for link, bow in zip(links, lanes(len(links)), strict=True):
            # Left and right are as seen from the same end for all links of a pair.
            bows[id(link)] = bow if link.a.node == first else -bow
    return bows
