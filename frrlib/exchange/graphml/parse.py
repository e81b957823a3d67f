"""Parses GraphML from untrusted sources within limits, and keeps the line of each node and edge.

The parser is expat without a document type: no entity is defined, expanded or loaded, and nothing outside of the text
is read (http://graphml.graphdrawing.org/specification.html).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from frrlib.formats.entry import brief
from frrlib.formats.jsontext import InvalidFile

#: Limits of a file. The largest graph of the Topology Zoo has 754 nodes, 899 edges and 320 kB.
LARGEST_BYTES, MOST_NODES, MOST_EDGES = 8 * 2**20, 3000, 10_000
_DEEPEST, _LONGEST_TEXT = 16, 10_000


class InvalidGraph(InvalidFile):
    """The file is rejected; `remedy` is the expected content."""

    def __init__(self, reason: str, line: int = 0, remedy: str = "") -> None:
        super().__init__(reason, (), line)
        self.remedy = remedy


@dataclass(frozen=True)
class GraphNode:
    """A node: its ID, its line, and its values by name ("Longitude")."""

    id: str
    line: int
    values: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class GraphEdge:
    """An edge: the IDs of its nodes, its line, its values by name, and whether only the direction stated exists."""

    source: str
    target: str
    line: int
    values: dict[str, str] = field(default_factory=dict)
    is_directed: bool = False


@dataclass
class Graph:
    """A graph: its values by name, its nodes by ID, and its edges; the lines of parts that are no graph of nodes."""

    values: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, GraphNode] = field(default_factory=dict)
    edges: list[GraphEdge] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)


def parse_graphml(data: bytes) -> Graph:
    """The graph of a file.

    Raises:
        InvalidGraph: the file is no GraphML, or exceeds a limit; with the line.
    """
    if len(data) > LARGEST_BYTES:
        raise InvalidGraph(f"is larger than {LARGEST_BYTES // 2**20} MiB, the limit for GraphML")
    if not data.strip():
        raise InvalidGraph("is an empty file", 0, "a GraphML file begins with <graphml>")
    reader = _Reader()
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError as problem:
        reason = f"is not XML: {expat.ErrorString(problem.code)}"
        raise InvalidGraph(reason, problem.lineno, "a GraphML file begins with <graphml>") from None
    except (UnicodeError, LookupError, ValueError) as problem:  # an encoding that does not exist
        raise InvalidGraph(f"is not text: {problem}", 1, "write it in UTF-8") from None
    return reader.finished()


class _Reader:
    """Receives the parts of a file from the parser."""

    def __init__(self) -> None:
        self.parser = parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartDoctypeDeclHandler = self._refuse_document_type
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._text
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.buffer_text = True
        self._graph = Graph()
        self._keys: dict[str, tuple[str, str]] = {}
        self._defaults: dict[str, str] = {}
        self._open: list[str] = []
        self._owners: list[dict[str, str]] = []
        self._is_directed = False
        self._key, self._written = "", ""

    @property
    def _line(self) -> int:
        return self.parser.CurrentLineNumber

    def _refuse_document_type(self, *_: object) -> None:
        raise InvalidGraph("has a document type (<!DOCTYPE), which is not read", self._line, "delete the declaration")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(" ")[2]
        if not self._open and name != "graphml":
            raise InvalidGraph(f"begins with <{name[:40]}>", self._line, "a GraphML file begins with <graphml>")
        if len(self._open) >= _DEEPEST:
            raise InvalidGraph(f"is nested more than {_DEEPEST} deep", self._line)
        self._open.append(name)
        self._written = ""
        if name == "key":
            self._key = attributes.get("id", "")
            self._keys[self._key] = (attributes.get("for", "all"), attributes.get("attr.name", self._key))
        elif name == "data":
            self._key = attributes.get("key", "")
        elif name == "graph":
            self._start_graph(attributes)
        elif name == "node":
            self._start_node(attributes)
        elif name == "edge":
            self._start_edge(attributes)
        elif name in ("hyperedge", "port"):
            self._graph.left_out.setdefault(name, self._line)
            self._owners.append({})

    def _start_graph(self, attributes: dict[str, str]) -> None:
        if self._open.count("graph") > 1:
            raise InvalidGraph("has a graph within a graph", self._line, "use one graph without parts")
        self._is_directed = attributes.get("edgedefault") == "directed"
        self._owners.append(self._graph.values)

    def _start_node(self, attributes: dict[str, str]) -> None:
        node_id = attributes.get("id", "")
        if not node_id:
            raise InvalidGraph("has a node without an ID", self._line, 'as in <node id="0">')
        if node_id in self._graph.nodes:
            first = self._graph.nodes[node_id].line
            raise InvalidGraph(f"has the node {brief(node_id)} twice, first in line {first}", self._line, "rename one")
        if len(self._graph.nodes) >= MOST_NODES:
            raise InvalidGraph(f"has more than {MOST_NODES} nodes", self._line, "use a part of the graph")
        node = self._graph.nodes[node_id] = GraphNode(node_id, self._line)
        self._owners.append(node.values)

    def _start_edge(self, attributes: dict[str, str]) -> None:
        ends = attributes.get("source", ""), attributes.get("target", "")
        if not all(ends):
            remedy = 'as in <edge source="0" target="1">'
            raise InvalidGraph("has an edge without a source or a target", self._line, remedy)
        if len(self._graph.edges) >= MOST_EDGES:
            raise InvalidGraph(f"has more than {MOST_EDGES} edges", self._line, "use a part of the graph")
        is_directed = {"true": True, "false": False}.get(attributes.get("directed", ""), self._is_directed)
        edge = GraphEdge(*ends, self._line, {}, is_directed)
        self._graph.edges.append(edge)
        self._owners.append(edge.values)

    def _end(self, name: str) -> None:
        name = name.rpartition(" ")[2]
        self._open.pop()
        if name == "data" and self._owners:
            label = self._keys.get(self._key, ("", self._key))[1]
            self._owners[-1][label] = self._written.strip()
        elif name == "default":
            self._defaults[self._key] = self._written.strip()
        elif name in ("graph", "node", "edge", "hyperedge", "port"):
            self._owners.pop()
        self._written = ""

    def _text(self, text: str) -> None:
        if self._open[-1] in ("data", "default"):
            self._written += text
            if len(self._written) > _LONGEST_TEXT:
                raise InvalidGraph(f"has a value of more than {_LONGEST_TEXT} characters", self._line, "shorten it")

    def finished(self) -> Graph:
        """The graph with the default values of its keys. Raises InvalidGraph for an edge to a missing node."""
        graph = self._graph
        for edge in graph.edges:
            for end in (edge.source, edge.target):
                if end not in graph.nodes:
                    remedy = "add the node, or correct the ID"
                    raise InvalidGraph(f"has an edge to the node {brief(end)}, which is missing", edge.line, remedy)
        if not graph.nodes:
            raise InvalidGraph("has no nodes", 0, 'as in <graph edgedefault="undirected"><node id="0"/></graph>')
        for key, text in self._defaults.items():
            scope, label = self._keys[key]
            for owner in _owners(graph, scope):
                owner.setdefault(label, text)
        return graph


def _owners(graph: Graph, scope: str) -> list[dict[str, str]]:
    """The values of all things that a key is for ("node", "edge" or "all")."""
    nodes = [node.values for node in graph.nodes.values()] if scope in ("node", "all") else []
    return nodes + ([edge.values for edge in graph.edges] if scope in ("edge", "all") else [])
