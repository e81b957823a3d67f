"""Reads graphs in GraphML as networks of routers with OSPF on all links."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import ValidationError

from frrlib.edits.arrange import move
from frrlib.edits.layouts import rows
from frrlib.edits.routing_presets import ospf_everywhere
from frrlib.edits.spring_layout import auto_layout, neighbors_of, reached
from frrlib.errors import TopologyError
from frrlib.exchange.graphml.geography import APART_PX, Coordinates, fiber_delay_ms, projected, without_overlaps
from frrlib.exchange.graphml.parse import Graph, GraphEdge, GraphNode, InvalidGraph, parse_graphml
from frrlib.formats import own
from frrlib.formats.entry import Notices, brief
from frrlib.formats.jsontext import InvalidFile
from frrlib.formats.mininet_remarks import GRAPHML_KEY, Remarks
from frrlib.formats.mn import LoadedFile
from frrlib.model.base import LONGEST_LABEL
from frrlib.model.links import End, Link, Shape
from frrlib.model.names import sanitized
from frrlib.model.nodes import Bridge, Router
from frrlib.model.problem import note
from frrlib.model.topology import Topology

#: Values of nodes and edges with a meaning here.
_NODE_VALUES = ("label", "Longitude", "Latitude", "hyperedge")
_EDGE_VALUES = ("LinkSpeedRaw", "LinkSpeed", "LinkSpeedUnits", "LinkLabel", "key", "id")
_FASTEST_MBIT = 1_000_000.0
#: Rates of SONET and SDH (ITU-T G.707), and of the digital hierarchy (ITU-T G.702).
_OPTICAL = re.compile(r"(OC|STM)-?([0-9]{1,3})c?", re.IGNORECASE)
_OPTICAL_MBIT = {"OC": 51.84, "STM": 155.52}
_DIGITAL_MBIT = {"T1": 1.544, "DS1": 1.544, "T3": 44.736, "DS3": 44.736, "E1": 2.048, "E3": 34.368}
#: A layout by springs takes too long for more nodes.
_MOST_LAID_OUT = 300
_LONGEST_NAME = 24


def loads(data: bytes, path: Path) -> LoadedFile:
    """Read a topology from the content of a GraphML file.

    Args:
        data: the content.
        path: the file, for messages.

    Raises:
        TopologyError: the content is no graph; with the line.
    """
    try:
        return _read(parse_graphml(data))
    except ValidationError as problem:
        raise TopologyError(own.refusal(problem, None, ()).reason, node=path.name) from None
    except InvalidFile as problem:
        remedy = problem.remedy if isinstance(problem, InvalidGraph) else ""
        raise TopologyError(problem.reason, node=path.name, line=problem.line, remedy=remedy) from None


def _read(graph: Graph) -> LoadedFile:
    notices = Notices()
    names = _names(graph.nodes.values())
    remarks = {node_id: Remarks(name, "node", notices, GRAPHML_KEY) for node_id, name in names.items()}
    places = {
        names[node.id]: place
        for node in graph.nodes.values()
        if (place := _coordinates(node, remarks[node.id])) is not None
    }
    nodes = [_node(node, names[node.id], remarks[node.id]) for node in graph.nodes.values()]
    links = _links(graph, names, places, notices)
    title = graph.values.get("Network") or graph.values.get("label") or ""
    topology = Topology(title=_printable(title)[:200], nodes=tuple(nodes), links=links)
    topology = _placed(topology, places)
    _remark_on_graph(graph, topology, notices)
    return LoadedFile(ospf_everywhere(topology), notices.all())


def _names(nodes: Iterable[GraphNode]) -> dict[str, str]:
    """The names of the routers by the IDs of the nodes: their labels, as far as the kernel accepts these."""
    used: set[str] = set()
    names = {}
    for node in nodes:
        label = _label(node)
        has_letters = any(letter.isalpha() and letter.isascii() for letter in label)
        names[node.id] = sanitized(label if has_letters else f"r{label or node.id}", used, _LONGEST_NAME)
        used.add(names[node.id])
    return names


def _label(node: GraphNode) -> str:
    """The label of a node; empty for none, which the Topology Zoo writes as "None"."""
    label = _printable(node.values.get("label", ""))[:LONGEST_LABEL]
    return "" if label == "None" else label


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def _node(node: GraphNode, name: str, remarks: Remarks) -> Router | Bridge:
    label = _label(node)
    other_label = "" if label == name else label
    if node.values.get("hyperedge") == "1":
        remarks.add("hyperedge", f"line {node.line}: joins several nodes by one network, and is a bridge")
        return Bridge(name=name, label=other_label, foreign=remarks.foreign())
    return Router(name=name, label=other_label, foreign=remarks.foreign())


def _coordinates(node: GraphNode, remarks: Remarks) -> Coordinates | None:
    texts = [node.values.get(key, "") for key in ("Longitude", "Latitude")]
    if not any(texts):
        return None
    try:
        longitude, latitude = (float(text) for text in texts)
    except ValueError:
        longitude = latitude = math.nan
    if not (abs(longitude) <= 360 and abs(latitude) <= 90):
        reason = f"line {node.line}: {brief(', '.join(texts))} are no degrees of longitude and latitude"
        remarks.add("Longitude", reason)
        return None
    return longitude, latitude


def _links(
    graph: Graph, names: Mapping[str, str], places: Mapping[str, Coordinates], notices: Notices
) -> tuple[Link, ...]:
    """The links; two edges in opposite directions are one."""
    links: list[Link] = []
    waiting: dict[tuple[str, str], list[int]] = {}
    for edge in graph.edges:
        a, b = names[edge.source], names[edge.target]
        if a == b:
            reason = f"line {edge.line}: joins the node to itself, and is left out"
            notices.add(note("graphml-value", a, "edge", reason, about="node"))
            continue
        link_id = f"l{len(links) + 1}"
        remarks = Remarks(link_id, "link", notices, GRAPHML_KEY)
        shape = _shape(edge, places.get(a), places.get(b), remarks)
        if edge.is_directed and (opposite := waiting.get((b, a))):
            number = opposite.pop(0)
            links[number] = links[number].model_copy(update={"b_to_a": shape})
            continue
        if edge.is_directed:
            waiting.setdefault((a, b), []).append(len(links))
        ends = End(node=a), End(node=b)
        links.append(Link(id=link_id, a=ends[0], b=ends[1], a_to_b=shape, b_to_a=shape, foreign=remarks.foreign()))
    return tuple(links)


def _shape(edge: GraphEdge, a: Coordinates | None, b: Coordinates | None, remarks: Remarks) -> Shape:
    """The rate and the delay of both directions of an edge."""
    delay_ms = fiber_delay_ms(a, b) if a is not None and b is not None else 0.0
    written = edge.values.get("LinkSpeedRaw", "")
    if not written:
        label = edge.values.get("LinkLabel", "")
        if (mbit := line_rate_mbit(label)) is None and label:
            remarks.add("LinkLabel", f"line {edge.line}: {brief(label)} is no rate; the link has no rate")
        return Shape(delay_ms=delay_ms, rate_mbit=mbit)
    try:
        rate_mbit = float(written) / 1e6
    except ValueError:
        rate_mbit = math.nan
    if not 0 < rate_mbit <= _FASTEST_MBIT:
        reason = f"line {edge.line}: {brief(written)} is no rate from 1 bit/s to 1 Tbit/s; the link has no rate"
        remarks.add("LinkSpeedRaw", reason)
        return Shape(delay_ms=delay_ms)
    return Shape(delay_ms=delay_ms, rate_mbit=rate_mbit)


def line_rate_mbit(label: str) -> float | None:
    """The rate of a standard kind of line, such as OC-192 or T1; None for other labels."""
    if match := _OPTICAL.fullmatch(label.strip()):
        return int(match[2]) * _OPTICAL_MBIT[match[1].upper()]
    return _DIGITAL_MBIT.get(label.strip().upper())


def _placed(topology: Topology, places: Mapping[str, Coordinates]) -> Topology:
    """The topology with its nodes where they are on a map; nodes of unknown places are near their neighbors."""
    if not places:
        is_small = len(topology.nodes) <= _MOST_LAID_OUT
        return auto_layout(topology) if is_small else rows(topology)
    wishes = dict(projected(places))
    names = tuple(node.name for node in topology.nodes)
    neighbors = neighbors_of(topology, names)
    middle = tuple(sum(spot[axis] for spot in wishes.values()) / len(wishes) for axis in (0, 1))
    for name in reached([*places, *(name for name in names if name not in places)], neighbors):
        if name not in wishes:
            near = [wishes[neighbor] for neighbor in neighbors[name] if neighbor in wishes] or [(middle[0], middle[1])]
            wishes[name] = (sum(x for x, _ in near) / len(near), sum(y for _, y in near) / len(near) + APART_PX)
    return move(topology, without_overlaps(wishes))


def _remark_on_graph(graph: Graph, topology: Topology, notices: Notices) -> None:
    """Remark on what is chosen here, and on what is left out."""

    def add(field: str, reason: str) -> None:
        notices.add(note("graphml-value", "", field, reason))

    add("OSPF", "every node is a router with OSPF in area 0 on all of its links, since a graph has no routing")
    unused = {
        "node": {key for node in graph.nodes.values() for key in node.values if key not in _NODE_VALUES},
        "edge": {key for edge in graph.edges for key in edge.values if key not in _EDGE_VALUES},
    }
    for kind, keys in unused.items():
        if keys:
            add(kind, f"values of {kind}s without an equivalent here: {_printable(', '.join(sorted(keys)))[:400]}")
    for kind, line in graph.left_out.items():
        add(kind, f"line {line}: elements <{kind}> are left out")
    neighbors = neighbors_of(topology, tuple(node.name for node in topology.nodes))
    parts = _number_of_parts(neighbors)
    if parts > 1:
        add("edge", f"the graph has {parts} parts that no edge joins; routers reach only those of their own part")


def _number_of_parts(neighbors: Mapping[str, list[str]]) -> int:
    count, seen = 0, set[str]()
    for name in neighbors:
        if name not in seen:
            count += 1
            seen.update(reached([name], neighbors))
    return count
