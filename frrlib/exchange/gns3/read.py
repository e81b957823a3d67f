"""Reads projects of GNS3. Nothing is executed or unpacked, and only files of the project are read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from frrlib.errors import TopologyError
from frrlib.exchange.assembly import Part, assembled, part_name
from frrlib.exchange.gns3.drawings import annotations_of
from frrlib.exchange.gns3.link_filters import shape_of
from frrlib.exchange.gns3.nodes import OUTSIDE, SWITCHES, Gns3Node, apply_files, node_of, part_of
from frrlib.exchange.gns3.project_files import ArchivedFiles, InvalidArchive, ProjectFiles
from frrlib.exchange.xml_text import CONTROL_CHARACTER
from frrlib.formats import own
from frrlib.formats.entry import FileObject, Notices, Unreadable, brief, integer, path_text, text
from frrlib.formats.jsontext import InvalidFile, decode_text, line_of, parse_json
from frrlib.formats.mininet_remarks import GNS3_KEY, Remarks
from frrlib.formats.mn import LoadedFile
from frrlib.model.links import Link
from frrlib.model.problem import note

_MOST_PORTS = 1000
_ARCHIVE = ".gns3project"


def loads(data: bytes, path: Path) -> LoadedFile:
    """Read a topology from a file's content.

    Args:
        data: the content of a project, or of an exported one (`.gns3project`).
        path: the file; its suffix decides which of them it is, and files of nodes are read from its folder.

    Raises:
        TopologyError: the content is no project of GNS3; with the line and the key.
    """
    content = ""
    try:
        files = ProjectFiles(path.parent)
        if path.suffix.lower() == _ARCHIVE:
            files = archive = ArchivedFiles(data)
            data = archive.project()
        content = decode_text(data)
        value, _ = parse_json(content)
        return _read(value, files)
    except ValidationError as problem:
        raise TopologyError(own.refusal(problem, None, ()).reason, node=path.name) from None
    except InvalidFile as problem:
        line = problem.line or (line_of(content, problem.path) if problem.path else 0)
        remedy = problem.remedy if isinstance(problem, InvalidArchive) else ""
        field = path_text(problem.path)
        reason = problem.reason.replace("is not a topology in JSON", "is not a project of GNS3")
        raise TopologyError(reason, node=path.name, field=field, line=line, remedy=remedy) from None


def _read(value: Any, files: ProjectFiles) -> LoadedFile:
    notices = Notices()
    document = FileObject(value, (), notices)
    if not isinstance(document.rest.get("topology"), dict):
        raise InvalidArchive("has no topology, so it is no project of GNS3", "open a .gns3 file that GNS3 has saved")
    title = document.take("name", text, "")
    topology = document.inner("topology")
    if "servers" in topology.rest:
        raise InvalidArchive("is a project of GNS3 1", "open it in GNS3 2 and save it there")
    nodes = _nodes(topology)
    parts = _parts(nodes.values(), files, notices)
    links = [
        link for position, item in enumerate(topology.items("links"))
        if (link := _link(FileObject(item, ("topology", "links", position), notices), nodes, parts, notices))
    ]  # fmt: skip
    for number, node in nodes.items():
        apply_files(parts[number], node, files)
    drawings, left = annotations_of(topology.items("drawings"))
    for position in left[:20]:
        notices.add(note("gns3-option", "", f"topology.drawings[{position}]", "is no text, rectangle or ellipse"))
    by_name = {part.name: part for part in parts.values()}
    complete = [
        link.model_copy(
            update={side: by_name[end.node].end(end.interface) for side, end in (("a", link.a), ("b", link.b))}
        )
        for link in links
    ]
    clean = "".join(letter for letter in title if letter.isprintable())
    return LoadedFile(assembled(clean, list(parts.values()), complete, drawings), notices.all())


def _nodes(topology: FileObject) -> dict[str, Gns3Node]:
    nodes: dict[str, Gns3Node] = {}
    for position, item in enumerate(topology.items("nodes")):
        entry = FileObject(item, ("topology", "nodes", position), topology.notices)
        node = node_of(entry)
        if not node.number or node.number in nodes:
            reason = "has the node_id of another node" if node.number else "has no node_id"
            raise InvalidFile(f"{reason}; each node has its own", entry.path)
        for key, content in (("name", node.name), ("start_command", node.properties.get("start_command"))):
            if isinstance(content, str) and (match := CONTROL_CHARACTER.search(content)):
                raise InvalidFile(f"has the character U+{ord(match[0]):04X} in its {key}; remove it", entry.path)
        nodes[node.number] = node
    return nodes


def _parts(nodes: Iterable[Gns3Node], files: ProjectFiles, notices: Notices) -> dict[str, Part]:
    parts: dict[str, Part] = {}
    used: set[str] = set()
    for node in nodes:
        name = part_name(node.name, used, is_bridge=node.kind in (*SWITCHES, *OUTSIDE))
        parts[node.number] = part_of(node, name, files, notices)
    return parts


def _link(entry: FileObject, nodes: dict[str, Gns3Node], parts: dict[str, Part], notices: Notices) -> Link | None:
    ends = entry.items("nodes")
    if len(ends) != 2:
        raise InvalidFile(f"has {len(ends)} ends; a link has two", entry.path)
    remarks = Remarks(f"l{entry.path[-1] + 1}", "link", notices, GNS3_KEY)  # type: ignore[operator]
    names = []
    for position, item in enumerate(ends):
        end = FileObject(item, (*entry.path, "nodes", position), notices)
        number = end.take("node_id", text, "")
        if number not in nodes:
            raise InvalidFile(f"refers to the node {brief(number)}, which the project does not have", end.path)
        port = _port(end, "adapter_number"), _port(end, "port_number")
        node = nodes[number]
        node.ports.append(port)
        names.append((parts[number], _interface(node, *port)))
    filters = entry.rest.get("filters") or {}
    shape, is_up = shape_of(filters, (*entry.path, "filters"), remarks)
    if entry.rest.get("suspend") is True:
        remarks.add("suspend", "the link is suspended; it is down here")
        is_up = False
    a, b = (part.end(name) for part, name in names)
    return Link(id=remarks.owner, a=a, b=b, a_to_b=shape, b_to_a=shape, up=is_up, foreign=remarks.foreign())


def _port(end: FileObject, key: str) -> int:
    try:
        value = integer(end.rest.get(key, 0))
    except Unreadable as problem:
        raise InvalidFile(f"{problem}", (*end.path, key)) from None
    if not 0 <= value < _MOST_PORTS:
        raise InvalidFile(f"is {value}, not a number from 0 to {_MOST_PORTS - 1}", (*end.path, key))
    return value


def _interface(node: Gns3Node, adapter: int, port: int) -> str:
    """The name of the interface of a port: GNS3 names those of containers and disks by adapters."""
    if node.kind in (*SWITCHES, "cloud", "nat"):
        return ""
    if node.kind in ("dynamips", "iou"):
        return f"eth{adapter}-{port}"
    return f"eth{adapter}"
